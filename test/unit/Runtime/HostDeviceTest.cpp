//===- Shared objects loaded, launched, refused ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/HostDevice.h"
#include "Sampling/BufferSet.h"

#include "TestKernels.h"

#include <gmock/gmock.h>
#include <optional>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

class HostDeviceTest : public testing::Test {
protected:
  std::unique_ptr<Executable> load(const Artifact &artifact) {
    auto executable = device->load(artifact);
    EXPECT_TRUE(executable.ok()) << executable.error().message;
    return std::move(*executable);
  }

  /// Launches the executable and returns the first element of the result.
  float launch(Executable &executable) {
    std::vector<float> from(1024, 21), to(1024);
    std::vector<std::vector<DevicePointer>> batch = {
        {{from.data()}, {to.data()}}};
    auto seconds = device->time(executable, batch);
    EXPECT_TRUE(seconds.ok());
    EXPECT_GE(*seconds, 0);
    EXPECT_EQ(to[1023], 42);
    return to[0];
  }

  Failure refusal(const Artifact &artifact) {
    auto executable = device->load(artifact);
    EXPECT_FALSE(executable.ok());
    return executable ? Failure{} : executable.error();
  }

  std::unique_ptr<Device> device = std::move(*createDevice("host"));
};

} // namespace

TEST_F(HostDeviceTest, RunsWhatItLoads) {
  auto executable = load(kernelArtifact("ok"));
  EXPECT_EQ(launch(*executable), 42);
}

TEST_F(HostDeviceTest, EveryLoadIsACopyOfItsOwn) {
  // The kernel writes how often it was called: were the library shared, the
  // second executable would go on counting.
  auto first = load(kernelArtifact("counts"));
  EXPECT_EQ(launch(*first), 1);
  EXPECT_EQ(launch(*first), 2);
  auto second = load(kernelArtifact("counts"));
  EXPECT_EQ(launch(*second), 1);
  EXPECT_EQ(launch(*first), 3);
  first.reset();
  EXPECT_EQ(launch(*second), 2);
}

TEST_F(HostDeviceTest, TwoLoadedAtOnceAreNotMixedUp) {
  auto counting = load(kernelArtifact("counts"));
  auto right = load(kernelArtifact("ok"));
  EXPECT_EQ(launch(*right), 42);
  EXPECT_EQ(launch(*counting), 1);
  counting.reset();
  auto again = load(kernelArtifact("counts"));
  EXPECT_EQ(launch(*again), 1);
  EXPECT_EQ(launch(*right), 42);
}

TEST_F(HostDeviceTest, PassesTheBuffersOfEachLaunch) {
  Artifact artifact = kernelArtifact("ok");
  artifact.plan.buffers.push_back(artifact.plan.buffers[1]);
  artifact.plan.launches = {{"double_entry", {0, 2}, {}},
                            {"double_entry", {2, 1}, {}}};
  auto executable = load(artifact);
  std::vector<float> from(1024, 3), to(1024), between(1024);
  std::vector<DevicePointer> buffers = {
      {from.data()}, {to.data()}, {between.data()}};
  ASSERT_TRUE(device->launch(*executable, buffers).ok());
  EXPECT_EQ(between[5], 6);
  EXPECT_EQ(to[5], 12); // in order
}

TEST_F(HostDeviceTest, ThreadsShareTheWorkgroupsOfALaunch) {
  Artifact artifact = kernelArtifact("workgroups");
  artifact.plan.launches[0].geometry.grid = {64, 1, 1};
  for (unsigned threads : {1, 2, 3, 7, 100}) {
    auto shared = HostDevice::create(HostThreads::onAllowedCores(threads));
    auto executable = (*shared)->load(artifact);
    ASSERT_TRUE(executable.ok()) << executable.error().message;
    std::vector<float> from(1024, 21), to(1024), timed(1024);
    std::vector<DevicePointer> buffers = {{from.data()}, {to.data()}};
    ASSERT_TRUE((*shared)->launch(**executable, buffers).ok());
    EXPECT_EQ(to, std::vector<float>(1024, 42)) << threads;
    std::vector<std::vector<DevicePointer>> batch = {
        {{from.data()}, {timed.data()}}};
    ASSERT_TRUE((*shared)->time(**executable, batch).ok());
    EXPECT_EQ(timed, to) << threads;
  }
}

TEST_F(HostDeviceTest, RefusesAGeometryOfGpus) {
  Artifact artifact = kernelArtifact("workgroups");
  for (LaunchGeometry geometry : {LaunchGeometry{{2, 2, 1}, {1, 1, 1}, 0},
                                  LaunchGeometry{{1, 1, 1}, {32, 1, 1}, 0},
                                  LaunchGeometry{{1, 1, 1}, {1, 1, 1}, 64},
                                  LaunchGeometry{{0, 1, 1}, {1, 1, 1}, 0}}) {
    artifact.plan.launches[0].geometry = geometry;
    EXPECT_THAT(refusal(artifact).message, HasSubstr("'double_entry'"));
  }
}

TEST_F(HostDeviceTest, TimesABatch) {
  auto executable = load(kernelArtifact("counts"));
  std::vector<float> from(1024, 21), to(1024);
  std::vector<std::vector<DevicePointer>> batch(5,
                                                {{from.data()}, {to.data()}});
  auto seconds = device->time(*executable, batch);
  ASSERT_TRUE(seconds.ok());
  EXPECT_GT(*seconds, 0);
  EXPECT_EQ(to[0], 5); // how often it was called
}

TEST_F(HostDeviceTest, MemoryThatCannotBeProtectedIsReported) {
  auto memory = device->allocate(4096);
  ASSERT_TRUE(memory.ok());
  EXPECT_TRUE(device->setWritable(*memory, false).ok());
  EXPECT_TRUE(device->setWritable(*memory, true).ok());
  ASSERT_EQ(::munmap(*memory, 4096), 0);
  auto isSet = device->setWritable(*memory, false);
  ASSERT_FALSE(isSet.ok());
  EXPECT_EQ(isSet.error().status, Status::lost);
  device->release(*memory);
}

TEST_F(HostDeviceTest, MissingSymbolIsALoadError) {
  Failure failure = refusal(kernelArtifact("other_symbol"));
  EXPECT_EQ(failure.status, Status::load_error);
  EXPECT_THAT(failure.message, HasSubstr("no symbol 'double_entry'"));
}

TEST_F(HostDeviceTest, CorruptBinariesAreLoadErrors) {
  Artifact artifact = kernelArtifact("ok");
  for (size_t bytes : {size_t(0), size_t(10), size_t(64), size_t(300)}) {
    Artifact cut = artifact;
    cut.binary.resize(bytes);
    EXPECT_EQ(refusal(cut).status, Status::load_error) << bytes;
  }
  artifact.binary[0] ^= 1;
  Failure failure = refusal(artifact);
  EXPECT_EQ(failure.status, Status::load_error);
  EXPECT_THAT(failure.message, HasSubstr("invalid ELF header"));
}

TEST_F(HostDeviceTest, OtherTargetsAreLoadErrors) {
  Artifact artifact = kernelArtifact("ok");
  artifact.target = "nvptx";
  Failure failure = refusal(artifact);
  EXPECT_EQ(failure.status, Status::load_error);
  EXPECT_THAT(failure.message, HasSubstr("nvptx"));
}

TEST_F(HostDeviceTest, MemoryIsAlignedZeroedAndWritable) {
  for (size_t bytes : {size_t(1), size_t(4096), size_t(1000000)}) {
    auto memory = device->allocate(bytes);
    ASSERT_TRUE(memory.ok());
    auto *start = static_cast<std::byte *>(*memory);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(start) % 4096, 0u);
    std::vector<std::byte> pattern(bytes, std::byte(7)), back(bytes);
    ASSERT_TRUE(device->upload({start}, pattern).ok());
    ASSERT_TRUE(device->download(back, {start}).ok());
    EXPECT_EQ(back, pattern);
    device->release(start);
  }
}

TEST_F(HostDeviceTest, TooMuchMemoryIsAFailure) {
  auto memory = device->allocate(size_t(1) << 60);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().status, Status::out_of_memory);
}

TEST_F(HostDeviceTest, SaysWhatItIs) {
  const DeviceDescription &about = device->description();
  EXPECT_EQ(about.kind, "host");
  EXPECT_FALSE(about.name.empty());
  EXPECT_GT(about.cacheBytes, 0u);
  auto back = decode<DeviceDescription>(Json(about));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(Json(*back), Json(about));
}

TEST(CreateDevice, UnknownKindListsTheKnownOnes) {
  auto device = createDevice("quantum");
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().message, HasSubstr("unknown device 'quantum'"));
  EXPECT_THAT(device.error().message, HasSubstr("host"));
}

TEST(TimingCore, IsTheLastAndOthersAvoidIt) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int count = CPU_COUNT(&before);
  // Runs in children, as a thread keeps its affinity.
  auto coresAfter = [](Result<void> (*choose)()) {
    pid_t child = ::fork();
    if (child == 0) {
      cpu_set_t set;
      bool ok = choose().ok() && ::sched_getaffinity(0, sizeof set, &set) == 0;
      ::_exit(ok ? CPU_COUNT(&set) : 255);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(coresAfter(+[] { return pinToTimingCore(); }), 1);
  EXPECT_EQ(coresAfter(+[] { return avoidTimingCores(); }),
            std::max(count - 1, 1));
}
