//===- Nothing that a kernel does to a GPU can hurt -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "FakeDrivers.h"
#include "Leftovers.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

class GpuFaultsTest : public testing::TestWithParam<FakeVendor> {
protected:
  void SetUp() override {
    RunnerSession session;
    session.problem = doublingProblem();
    session.signature = doublingPlan(ElementType::f32).signature();
    session.protocol.warmupSeconds = 1e-5;
    auto opened = runner.open(session);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
  }

  /// Checks that the same runner measures a good candidate after any fault.
  void TearDown() override {
    RunResult result = judge(artifact());
    EXPECT_EQ(result.status, Status::ok) << result.message;
    EXPECT_TRUE(result.measurement.has_value());
    EXPECT_EQ(leftovers.processesSoon(1), 1u);
    EXPECT_FALSE(leftovers.holdDevice());
  }

  static Artifact artifact(const std::string &operation = "scale") {
    return fakeArtifact(GetParam(), operation);
  }
  static std::vector<std::string> command() {
    return {RUNNER, "--device=" + std::string(GetParam().vendor().kind),
            "--driver=" + fakeLibrary(GetParam().library)};
  }

  RunResult judge(const Artifact &candidate) { return judge(candidate, 0); }
  /// Judges a candidate within a limit for each launch, if it is more than 0.
  RunResult judge(const Artifact &candidate, double launchSeconds) {
    RunRequest request;
    request.candidate = candidate;
    request.baseline = artifact();
    request.launchSeconds = launchSeconds;
    return runner.run(request);
  }
  void expect(const Artifact &candidate, Status status, const char *message) {
    RunResult result = judge(candidate, status == Status::hang ? 0.2 : 0);
    EXPECT_EQ(result.status, status) << toString(result.status);
    EXPECT_THAT(result.message, HasSubstr(message));
    EXPECT_FALSE(result.measurement.has_value());
  }

  Leftovers leftovers; // the runner goes before it
  RunnerProcess runner = RunnerProcess(command(), {60, 60, 60});
};

} // namespace

TONNO_FOR_BOTH_VENDORS(GpuFaultsTest);

TEST_P(GpuFaultsTest, WhileItRuns) {
  for (auto [operation, status, message] :
       {std::tuple("wrong", Status::wrong, "1 of 1024"),
        std::tuple("beyond", Status::out_of_bounds, "past the end"),
        std::tuple("trap", Status::fault, "(700)"),
        std::tuple("misaligned", Status::fault, "(716)"),
        std::tuple("endless", Status::hang, "did not end within")}) {
    expect(artifact(operation), status, message);
    EXPECT_EQ(judge(artifact()).status, Status::ok) << operation;
  }
}

TEST_P(GpuFaultsTest, TooMuchSharedMemoryOrTooManyThreads) {
  Artifact shared = artifact(), wide = artifact(), fat = artifact();
  shared.plan.launches[0].geometry.sharedBytes = 228 << 10;
  wide.plan.launches[0].geometry.block[0] = 2048;
  fat.binary = fakeBinary("double_entry scale 1024 5 64");
  expect(shared, Status::unlaunchable, "bytes of shared memory");
  expect(wide, Status::unlaunchable, "2048 threads");
  expect(fat, Status::unlaunchable, "128 threads");
}

TEST_P(GpuFaultsTest, MoreMemoryThanTheDeviceHas) {
  Artifact large = artifact(); // the fake device has 1 GiB
  large.plan.buffers.push_back({"workspace",
                                ElementType::f32,
                                {int64_t{3} << 28},
                                Access::workspace,
                                64});
  expect(large, Status::out_of_memory, "");
}

TEST_P(GpuFaultsTest, BinariesThatDoNotLoad) {
  Artifact corrupt = artifact(), other = artifact(), empty = artifact();
  corrupt.binary = {'\x7f', 'E', 'L', 'F', 0, 1, 2, 3};
  other.binary = fakeBinary("other_entry scale 1024");
  empty.binary = {};
  expect(corrupt, Status::load_error, "");
  expect(other, Status::load_error, "double_entry");
  expect(empty, Status::load_error, "");
}
