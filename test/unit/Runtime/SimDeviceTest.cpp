//===- Simulated kernels loaded and launched ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulation/SimScheduler.h"

#include "TestKernels.h"

#include <gmock/gmock.h>
#include <set>

using namespace tonno;
using testing::HasSubstr;

namespace {

Artifact simArtifact(const std::string &way = "sim_ok") {
  Artifact artifact = kernelArtifact(way);
  artifact.target = "sim";
  artifact.plan = doublingPlan(ElementType::f32);
  artifact.plan.launches[0].geometry = {{5, 1, 1}, {256, 1, 1}};
  return artifact;
}

/// Returns an artifact that launches this symbol with its first buffer.
Artifact launching(const std::string &symbol) {
  Artifact artifact = simArtifact();
  artifact.plan.launches = {{symbol, {0}, {{1, 1, 1}, {64, 1, 1}}}};
  return artifact;
}

class SimDeviceTest : public testing::Test {
protected:
  void use(uint64_t seed) { device = createSimDevice(seed); }

  std::unique_ptr<Executable> load(const Artifact &artifact) {
    auto executable = device->load(artifact);
    EXPECT_TRUE(executable.ok()) << executable.error().message;
    return std::move(*executable);
  }

  Failure refusal(const Artifact &artifact) {
    auto executable = device->load(artifact);
    EXPECT_FALSE(executable.ok());
    EXPECT_EQ(executable.error().status, Status::load_error);
    return executable.error();
  }

  /// Returns the order in which threads ran.
  std::vector<float> order(Executable &executable) {
    std::vector<float> results(1024);
    std::vector<DevicePointer> buffers = {{results.data()}, {nullptr}};
    EXPECT_TRUE(device->launch(executable, buffers).ok());
    results.resize(64);
    return results;
  }

  std::unique_ptr<Device> device = std::move(*createDevice("sim"));
};

} // namespace

TEST_F(SimDeviceTest, RunsWhatItLoads) {
  auto executable = load(simArtifact());
  std::vector<float> from(1025, 21), to(1025);
  std::vector<DevicePointer> buffers = {{from.data(), 4}, {to.data(), 4}};
  ASSERT_TRUE(device->launch(*executable, buffers).ok());
  EXPECT_EQ(to[0], 0); // buffers begin at their offset
  for (size_t index = 1; index < to.size(); ++index)
    EXPECT_EQ(to[index], 42);
}

TEST_F(SimDeviceTest, RunsTheLaunchesOfAPlanInOrder) {
  Artifact artifact = simArtifact();
  artifact.plan.buffers.push_back(artifact.plan.buffers[1]);
  artifact.plan.launches.push_back(artifact.plan.launches[0]);
  artifact.plan.launches[0].buffers = {0, 2};
  artifact.plan.launches[1].buffers = {2, 1};
  auto executable = load(artifact);
  std::vector<float> from(1024, 3), to(1024), between(1024);
  std::vector<DevicePointer> buffers = {
      {from.data()}, {to.data()}, {between.data()}};
  ASSERT_TRUE(device->launch(*executable, buffers).ok());
  EXPECT_EQ(to[1023], 12);
}

TEST_F(SimDeviceTest, EachLaunchHasAnotherOrder) {
  auto executable = load(launching("order_entry"));
  std::set<std::vector<float>> orders;
  for (int launch = 0; launch < 8; ++launch)
    orders.insert(order(*executable));
  EXPECT_EQ(orders.size(), 8u);
}

TEST_F(SimDeviceTest, TheSeedRepeatsTheOrders) {
  std::set<std::vector<std::vector<float>>> runs;
  for (uint64_t seed : {1, 2, 3, 1, 2, 3}) {
    use(seed);
    auto executable = load(launching("order_entry"));
    runs.insert({order(*executable), order(*executable)});
  }
  EXPECT_EQ(runs.size(), 3u);
}

TEST_F(SimDeviceTest, FaultsSayWhere) {
  auto executable = load(launching("stuck_entry"));
  std::vector<DevicePointer> buffers(2);
  auto ran = device->launch(*executable, buffers);
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().status, Status::fault);
  EXPECT_THAT(ran.error().message,
              HasSubstr("stuck_entry, workgroup (0, 0, 0): thread 1 waits at "
                        "the barrier for thread 0, which has ended"));
}

TEST_F(SimDeviceTest, MeasuresNothing) {
  auto executable = load(simArtifact());
  auto seconds = device->time(*executable, {});
  ASSERT_FALSE(seconds.ok());
  EXPECT_EQ(seconds.error().status, Status::unlaunchable);
  EXPECT_EQ(seconds.error().message, "the simulated device measures nothing");
}

TEST_F(SimDeviceTest, OtherVersionsAreLoadErrors) {
  EXPECT_THAT(refusal(simArtifact("sim_version")).message,
              HasSubstr("made for version " + std::to_string(simVersion + 1)));
}

TEST_F(SimDeviceTest, OtherSubgroupsAreLoadErrors) {
  EXPECT_THAT(refusal(simArtifact("sim_subgroup")).message,
              HasSubstr("subgroups of 48 threads"));
}

TEST_F(SimDeviceTest, OtherBinariesAreLoadErrors) {
  EXPECT_THAT(refusal(simArtifact("ok")).message,
              HasSubstr("no symbol 'tonno_sim_object'"));
  Artifact artifact = simArtifact();
  artifact.target = "host";
  EXPECT_THAT(refusal(artifact).message, HasSubstr("for host"));
  EXPECT_THAT(refusal(launching("other_entry")).message,
              HasSubstr("no symbol 'other_entry'"));
  artifact = simArtifact();
  artifact.binary.resize(100);
  refusal(artifact);
}

TEST_F(SimDeviceTest, MemoryIsTheHosts) {
  auto memory = device->allocate(100);
  ASSERT_TRUE(memory.ok());
  std::vector<std::byte> pattern(100, std::byte(7)), back(100);
  ASSERT_TRUE(device->upload({*memory}, pattern).ok());
  ASSERT_TRUE(device->download(back, {*memory}).ok());
  EXPECT_EQ(back, pattern);
  device->release(*memory);
}

TEST_F(SimDeviceTest, SaysWhatItIs) {
  EXPECT_EQ(device->description().kind, "sim");
  EXPECT_THAT(device->description().name, HasSubstr("simulated on "));
}

TEST_F(SimDeviceTest, ItsNameMayHaveASeed) {
  device = std::move(*createDevice("sim:5"));
  auto named = order(*load(launching("order_entry")));
  use(5);
  EXPECT_EQ(order(*load(launching("order_entry"))), named);
  use(6);
  EXPECT_NE(order(*load(launching("order_entry"))), named);
  for (const char *name : {"sim:x", "sim:5x", "sim:-1"}) {
    auto other = createDevice(name);
    ASSERT_FALSE(other.ok()) << name;
    EXPECT_THAT(other.error().message,
                HasSubstr("a seed that is not a number"));
  }
}

TEST(ListDevices, TheSimulatedOneIsThere) {
  for (const DeviceList &list : listDevices())
    if (list.kind == "sim") {
      ASSERT_EQ(list.devices.size(), 1u);
      EXPECT_EQ(list.devices[0].kind, "sim");
      return;
    }
  FAIL();
}
