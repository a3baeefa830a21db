//===- The next runner needs no reference ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "Oracle/Oracle.h"
#include "TemporaryDirectory.h"
#include "TestKernels.h"

#include <filesystem>
#include <fstream>
#include <limits>

using namespace tonno;

namespace {

class KeptPassesTest : public testing::Test {
protected:
  static OraclePass passOfEverything() {
    OraclePass pass;
    pass.name = "real-valued";
    pass.exact = pass.isForWinners = true;
    pass.takesAnyNonFinite = {{}, {1, 0, 1}};
    pass.inputs = {{std::byte(1), std::byte(2)}, {}};
    pass.expected = {{}, {1.5, std::numeric_limits<double>::infinity()}};
    pass.rounded = {{std::byte(3)}};
    pass.tolerances = {{1e-3, 2e-5, 7}, {}};
    pass.slack = {{0.25}};
    pass.lowest = {{-1, -2}};
    pass.highest = {{}, {}, {3}};
    pass.isOpen = {{true, false, true}, {}};
    return pass;
  }

  Descriptor file = makeFileForPasses();
  std::string path = getProcPath(file);
  TemporaryDirectory directory;
};

} // namespace

TEST_F(KeptPassesTest, AllMembersComeBack) {
  const OraclePass passes[] = {passOfEverything(), OraclePass()};
  ASSERT_TRUE(storePasses(path, "key", passes));
  auto back = readPasses(path, "key");
  ASSERT_TRUE(back.has_value());
  ASSERT_EQ(back->size(), 2u);
  EXPECT_TRUE(back->front() == passes[0]);
  EXPECT_TRUE(back->back() == passes[1]);
}

TEST_F(KeptPassesTest, NothingIsReadThatWasNotKept) {
  EXPECT_FALSE(readPasses(path, "key").has_value());
  ASSERT_TRUE(storePasses(path, "key", {}));
  EXPECT_TRUE(readPasses(path, "key").has_value());
  EXPECT_FALSE(readPasses(path, "another").has_value());
}

TEST_F(KeptPassesTest, NobodyChangesWhatIsKept) {
  const OraclePass passes[] = {passOfEverything()};
  ASSERT_TRUE(storePasses(path, "key", passes));
  EXPECT_LT(::write(file.get(), "x", 1), 0);
  EXPECT_NE(::ftruncate(file.get(), 0), 0);
  EXPECT_FALSE(storePasses(path, "another", {}));
  EXPECT_TRUE(readPasses(path, "key").has_value());
}

TEST_F(KeptPassesTest, WhatARunnerLeftUnfinishedIsReplaced) {
  ASSERT_EQ(::write(file.get(), "part of it", 10), 10);
  EXPECT_FALSE(readPasses(path, "key").has_value());
  const OraclePass passes[] = {passOfEverything()};
  ASSERT_TRUE(storePasses(path, "key", passes));
  EXPECT_TRUE(readPasses(path, "key").has_value());
}

// On another machine the path may be that of anything.
TEST_F(KeptPassesTest, OtherFilesStayAsTheyAre) {
  std::string other = directory / "other";
  std::ofstream(other) << "somebody's";
  EXPECT_FALSE(storePasses(other, "key", {}));
  EXPECT_FALSE(readPasses(other, "key").has_value());
  EXPECT_EQ(std::filesystem::file_size(other), 10u);
  EXPECT_FALSE(storePasses(directory / "none", "key", {}));
  EXPECT_FALSE(readPasses(directory / "none", "key").has_value());
}

TEST_F(KeptPassesTest, RunnerThatFollowsAnotherRunsNoReference) {
  std::string runs = directory / "runs";
  std::ofstream(runs).close();
  ::setenv("TONNO_TEST_RUNS", runs.c_str(), 1);
  RunnerSession session = doublingSession();
  session.problem.reference = kernelArtifact("reference_tells");
  session.problem.reference.plan = doublingPlan(ElementType::f64);
  RunnerProcess runner({RUNNER}, {60, 60, 60});
  auto opened = runner.open(session);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  auto runsOfReference = std::filesystem::file_size(runs);
  EXPECT_GT(runsOfReference, 1u);
  EXPECT_EQ(runner.run(doublingRequest("segfault")).status, Status::fault);
  EXPECT_EQ(runner.run(doublingRequest("ok")).status, Status::ok);
  EXPECT_EQ(runner.run(doublingRequest("segfault")).status, Status::fault);
  EXPECT_EQ(runner.run(doublingRequest("wrong")).status, Status::wrong);
  EXPECT_EQ(std::filesystem::file_size(runs), runsOfReference);
  // A session with other inputs is another.
  session.seed = 8;
  ASSERT_TRUE(runner.open(session).ok());
  EXPECT_EQ(std::filesystem::file_size(runs), 2 * runsOfReference);
  ::unsetenv("TONNO_TEST_RUNS");
}
