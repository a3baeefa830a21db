//===- Tests for sources of measurement noise -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Environment.h"

#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::UnorderedElementsAre;

namespace {
/// The files of a machine, on which nothing is to be said at first.
class EnvironmentTest : public testing::Test {
protected:
  EnvironmentTest() {
    write("proc/cpuinfo", "flags : fpu vme avx512f\n");
    write("proc/1/cgroup", "0::/init.scope\n");
    write("proc/self/cgroup", "0::/user.slice/mine\n");
    write("proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\n"
                       "cpu1 5000 0 4000 1000 0 0 0 0 0 0\n"
                       "cpu11 0 0 0 0 0 0 0 500 0 0\n");
    write("proc/loadavg", "0.10 0.20 0.30 1/80 999\n");
    write("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 5 kB\n");
    write(cpu + "cpu1/cpufreq/scaling_governor", "performance\n");
    write(cpu + "intel_pstate/no_turbo", "1\n");
    write(cpu + "cpu1/topology/thread_siblings_list", "1\n");
  }

  void write(const std::string &file, const std::string &text) {
    std::filesystem::path path = root / file;
    std::filesystem::create_directories(path.parent_path());
    writeText(path, text);
  }
  Environment inspect(size_t cores = 2) {
    return inspectHost(1, cores, root.path());
  }

  const std::string cpu = "sys/devices/system/cpu/";
  const std::string group = "sys/fs/cgroup/";
  TemporaryDirectory root;
};
} // namespace

TEST_F(EnvironmentTest, QuietMachineLeavesNothingToSay) {
  EXPECT_THAT(inspect(), IsEmpty());
}

TEST_F(EnvironmentTest, NamesTheProcessor) {
  EXPECT_EQ(processorName(root.path()), "unknown CPU");
  write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
                        "model name\t: AMD EPYC\nflags\t\t: fpu\n");
  EXPECT_EQ(processorName(root.path()), "AMD EPYC");
  // Contents on a Neoverse N1.
  write("proc/cpuinfo",
        "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\n"
        "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"
        "CPU part\t: 0xd0c\nCPU revision\t: 1\n\nprocessor\t: 1\n");
  EXPECT_EQ(processorName(root.path()), "Arm CPU 0x41 0xd0c");
  write("proc/cpuinfo", "CPU part\t: 0xd0c");
  EXPECT_EQ(processorName(root.path()), "unknown CPU");
}

TEST_F(EnvironmentTest, TellsAVirtualMachineOfAnotherArchitecture) {
  std::filesystem::remove_all(root / (cpu + "cpu1/cpufreq"));
  for (const char *file : {"sys/hypervisor/type", "proc/device-tree/hypervisor",
                           "sys/class/dmi/id/sys_vendor"}) {
    write(file, "QEMU\n");
    EXPECT_THAT(inspect(), UnorderedElementsAre(Key("virtual-machine")))
        << file;
    std::filesystem::remove(root / file);
  }
  write("sys/class/dmi/id/sys_vendor", "Somebody\n");
  EXPECT_THAT(inspect(), Not(Contains(Key("virtual-machine"))));
}

TEST_F(EnvironmentTest, TellsAVirtualMachine) {
  write("proc/cpuinfo", "flags : fpu hypervisor avx\n");
  std::filesystem::remove_all(root / (cpu + "cpu1/cpufreq"));
  EXPECT_THAT(inspect(), UnorderedElementsAre(Key("virtual-machine")));
}

TEST_F(EnvironmentTest, TellsAContainer) {
  write("run/.containerenv", "");
  EXPECT_THAT(inspect(), UnorderedElementsAre(Key("container")));
  std::filesystem::remove(root / "run/.containerenv");
  write("proc/1/cgroup", "0::/kubepods/burstable/pod1\n");
  EXPECT_THAT(inspect(), UnorderedElementsAre(Key("container")));
}

TEST_F(EnvironmentTest, TellsClocksThatMove) {
  write(cpu + "cpu1/cpufreq/scaling_governor", "powersave\n");
  write(cpu + "intel_pstate/no_turbo", "0\n");
  Environment environment = inspect();
  EXPECT_THAT(environment, UnorderedElementsAre(Key("clock"), Key("boost")));
  EXPECT_THAT(environment["clock"], HasSubstr("governor powersave"));
  // Other drivers have another file.
  std::filesystem::remove_all(root / (cpu + "intel_pstate"));
  EXPECT_THAT(inspect(), UnorderedElementsAre(Key("clock")));
  write(cpu + "cpufreq/boost", "1\n");
  EXPECT_THAT(inspect(), UnorderedElementsAre(Key("clock"), Key("boost")));
}

TEST_F(EnvironmentTest, TellsAClockThatCannotBeSeen) {
  std::filesystem::remove_all(root / (cpu + "cpu1/cpufreq"));
  EXPECT_EQ(inspect()["clock"], "the clock can be neither seen nor held");
}

TEST_F(EnvironmentTest, TellsWhoSharesTheCore) {
  write(cpu + "cpu1/topology/thread_siblings_list", "1,5\n");
  EXPECT_EQ(inspect()["shared-core"], "core 1 shares its units with core 5");
  EXPECT_THAT(inspect(1),
              UnorderedElementsAre(Key("shared-core"), Key("one-core")));
}

TEST_F(EnvironmentTest, ReadsSiblings) {
  EXPECT_THAT(getSiblingCores(1, root.path()), ElementsAre(1));
  write(cpu + "cpu1/topology/thread_siblings_list", "0-2,9\n");
  EXPECT_THAT(getSiblingCores(1, root.path()), ElementsAre(0, 1, 2, 9));
  EXPECT_THAT(getSiblingCores(77, root.path()), ElementsAre(77)); // not told
}

TEST_F(EnvironmentTest, TellsWhatAHypervisorTook) {
  write("proc/stat", "cpu1 5000 0 4000 800 0 0 0 200 0 0\n");
  EXPECT_EQ(inspect()["stolen"],
            "the hypervisor has given 2 % of core 1 to other guests");
}

TEST_F(EnvironmentTest, TellsOtherWork) {
  write("proc/loadavg", "3.25 0.20 0.30 1/80 999\n");
  EXPECT_EQ(inspect()["load"], "other work is running (load 3.25 on 2 cores)");
  EXPECT_THAT(inspect(4), IsEmpty());
}

TEST_F(EnvironmentTest, TellsLimitsOfControlGroups) {
  write(group + "user.slice/mine/cpu.max", "max 100000\n");
  write(group + "user.slice/cpu.max", "150000 100000\n");
  write(group + "user.slice/mine/memory.max", "2097152\n");
  write(group + "user.slice/memory.max", "max\n");
  Environment environment = inspect();
  EXPECT_EQ(environment["core-limit"],
            "a control group allows 1.5 cores and stops what goes beyond");
  EXPECT_EQ(environment["memory-limit"],
            "a control group allows 2 MiB of memory");
  // Nearer ones may be tighter.
  write(group + "user.slice/mine/cpu.max", "50000 100000\n");
  EXPECT_EQ(readCgroupLimits(root.path()).cores, 0.5);
}

TEST_F(EnvironmentTest, ReadsControlGroupsOfVersionOne) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/box\n4:memory:/box\n1:pids:/box\n");
  write(group + "cpu/box/cpu.cfs_quota_us", "-1\n");
  write(group + "cpu/box/cpu.cfs_period_us", "100000\n");
  write(group + "memory/box/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(readCgroupLimits(root.path()).cores, std::nullopt);
  EXPECT_EQ(readCgroupLimits(root.path()).memoryBytes, std::nullopt);
  write(group + "cpu/box/cpu.cfs_quota_us", "200000\n");
  write(group + "memory/box/memory.limit_in_bytes", "1048576\n");
  EXPECT_EQ(readCgroupLimits(root.path()).cores, 2);
  EXPECT_EQ(readCgroupLimits(root.path()).memoryBytes, 1048576u);
}

TEST_F(EnvironmentTest, UsableMemoryIsWhatALimitLeaves) {
  EXPECT_EQ(usableMemory(root.path()), 1024000u);
  write(group + "memory.max", "512000\n");
  EXPECT_EQ(usableMemory(root.path()), 512000u);
  write(group + "memory.max", "99999999999\n");
  EXPECT_EQ(usableMemory(root.path()), 1024000u);
}

TEST_F(EnvironmentTest, AvailableMemoryIsWhatNobodyHoldsWithinALimit) {
  EXPECT_EQ(availableMemory(root.path()), 0u); // not told
  write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable:    600 kB\n");
  EXPECT_EQ(availableMemory(root.path()), 614400u);
  write(group + "memory.max", "512000\n");
  EXPECT_EQ(availableMemory(root.path()), 512000u);
}

TEST_F(EnvironmentTest, MachineWithoutFilesIsNoReasonToFail) {
  EXPECT_THAT(inspectHost(0, 2, "/nowhere"), ElementsAre(Key("clock")));
  EXPECT_EQ(usableMemory("/nowhere"), 0u);
}
