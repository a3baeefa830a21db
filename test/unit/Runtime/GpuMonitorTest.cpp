//===- Clocks and heat, where they can be read ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/GpuDevice.h"

#include "FakeDrivers.h"
#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;

static std::string nvmlPath() { return fakeLibrary("libfakenvml"); }

static int nvmlUsers() {
  void *library = ::dlopen(nvmlPath().c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<int (*)()>(::dlsym(library, "fakeNvmlUsers"))();
}

TEST(Nvml, ReadsClocksHeatAndReasons) {
  int before = nvmlUsers();
  {
    auto monitor = openNvml("0000:10:00.0", nvmlPath());
    ASSERT_TRUE(monitor);
    EXPECT_EQ(nvmlUsers(), before + 1);
    DeviceCondition now = monitor->read();
    EXPECT_EQ(now.clockMHz, 1980);
    EXPECT_EQ(now.memoryClockMHz, 2619);
    EXPECT_EQ(now.temperature, 41);
    ASSERT_TRUE(now.throttleReasons.has_value());
    EXPECT_THAT(*now.throttleReasons,
                ElementsAre("power cap", "heat, by hardware"));
  }
  EXPECT_EQ(nvmlUsers(), before);
}

TEST(Nvml, WhatFailsIsUnknown) {
  auto monitor = openNvml("0000:10:00.0", nvmlPath());
  ASSERT_TRUE(monitor);
  ::setenv("FAKE_NVML_FAIL", "nvmlDeviceGetClockInfo", 1);
  EXPECT_FALSE(monitor->read().clockMHz.has_value());
  EXPECT_TRUE(monitor->read().temperature.has_value());
  ::setenv("FAKE_NVML_FAIL", "nvmlDeviceGetTemperature", 1);
  EXPECT_FALSE(monitor->read().temperature.has_value());
  ::setenv("FAKE_NVML_FAIL", "nvmlDeviceGetCurrentClocksThrottleReasons", 1);
  EXPECT_FALSE(monitor->read().throttleReasons.has_value());
  EXPECT_TRUE(monitor->read().memoryClockMHz.has_value());
  ::unsetenv("FAKE_NVML_FAIL");
}

TEST(Nvml, TellsThePowerLimitAndOtherProcesses) {
  auto monitor = openNvml("0000:10:00.0", nvmlPath());
  ASSERT_TRUE(monitor);
  EXPECT_EQ(
      monitor->environment(),
      (Environment{{"power-limit", "its power limit is 500 W, usual are 700 W"},
                   {"other-processes", "other processes compute on it: 2"}}));
  for (const char *name : {"nvmlDeviceGetPowerManagementLimit",
                           "nvmlDeviceGetPowerManagementDefaultLimit"}) {
    ::setenv("FAKE_NVML_FAIL", name, 1);
    EXPECT_FALSE(monitor->environment().contains("power-limit"));
  }
  ::setenv("FAKE_NVML_FAIL", "nvmlDeviceGetComputeRunningProcesses_v3", 1);
  EXPECT_FALSE(monitor->environment().contains("other-processes"));
  ::unsetenv("FAKE_NVML_FAIL");
}

TEST(Nvml, IsDoneWithoutWhereItIsNotThere) {
  EXPECT_FALSE(openNvml("0000:10:00.0", "/nowhere/libnvidia-ml.so.1"));
  EXPECT_FALSE(openNvml("0000:10:00.0", fakeLibrary("libfakecuda")));
  EXPECT_FALSE(openNvml("0000:99:00.0", nvmlPath()));
  EXPECT_FALSE(openNvml("", nvmlPath()));
  ::setenv("FAKE_NVML_FAIL", "nvmlInit_v2", 1);
  EXPECT_FALSE(openNvml("0000:10:00.0", nvmlPath()));
  ::unsetenv("FAKE_NVML_FAIL");
}

namespace {
class AmdSensorsTest : public testing::Test {
protected:
  void write(const std::string &file, const std::string &text) {
    auto folder = directory.path() / "0000:c1:00.0" / "hwmon" / "hwmon3";
    std::filesystem::create_directories(folder);
    writeText(folder / file, text + "\n");
  }
  std::unique_ptr<GpuMonitor> open(const std::string &busId) {
    return openAmdSensors(busId, directory.path().string());
  }

  TemporaryDirectory directory;
};
} // namespace

TEST_F(AmdSensorsTest, ReadsWhatIsLabelled) {
  write("freq1_label", "sclk");
  write("freq1_input", "2100000000");
  write("freq2_label", "mclk");
  write("freq2_input", "1300000000");
  write("temp1_label", "edge");
  write("temp1_input", "39000");
  write("temp2_label", "junction");
  write("temp2_input", "52500");
  auto sensors = open("0000:c1:00.0");
  ASSERT_TRUE(sensors);
  DeviceCondition now = sensors->read();
  EXPECT_DOUBLE_EQ(*now.clockMHz, 2100);
  EXPECT_DOUBLE_EQ(*now.memoryClockMHz, 1300);
  EXPECT_DOUBLE_EQ(*now.temperature, 52.5);
  EXPECT_FALSE(now.throttleReasons.has_value());
}

TEST_F(AmdSensorsTest, WhatIsMissingOrGarbledIsUnknown) {
  write("temp1_label", "edge");
  write("temp1_input", "39000");
  write("freq1_label", "sclk");
  write("freq1_input", "fast");
  DeviceCondition now = open("0000:c1:00.0")->read();
  EXPECT_DOUBLE_EQ(*now.temperature, 39);
  EXPECT_FALSE(now.clockMHz.has_value());
  EXPECT_FALSE(now.memoryClockMHz.has_value());
  EXPECT_FALSE(open("0000:c2:00.0"));
  EXPECT_FALSE(open(""));
}

TEST_F(AmdSensorsTest, TellAPowerLimitThatIsLowered) {
  write("power1_cap", "500000000");
  write("power1_cap_default", "750000000");
  EXPECT_EQ(open("0000:c1:00.0")->environment(),
            (Environment{
                {"power-limit", "its power limit is 500 W, usual are 750 W"}}));
  write("power1_cap", "750000000");
  EXPECT_EQ(open("0000:c1:00.0")->environment(), Environment());
}

TEST(DeviceConditions, ComeBackFromJson) {
  DeviceCondition full = {1980, 2619, 41, std::vector<std::string>{"heat"}};
  for (const DeviceCondition &condition :
       {full, DeviceCondition(),
        DeviceCondition{{}, {}, 40, std::vector<std::string>()}}) {
    auto back = decode<DeviceCondition>(Json(condition));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, condition);
  }
  EXPECT_EQ(Json(DeviceCondition()).dump(), "{}");
}

namespace {
class GpuConditionTest : public FakeDriverTest {};
} // namespace

TONNO_FOR_BOTH_VENDORS(GpuConditionTest);

TEST_P(GpuConditionTest, IsOfCudaWhereNvmlIsAndElseUnknown) {
  EXPECT_FALSE(openWell()->condition().has_value());
  options.monitor = nvmlPath();
  bool isCuda = GetParam().library == "libfakecuda";
  auto condition = openWell()->condition();
  EXPECT_EQ(condition.has_value(), isCuda);
  if (condition)
    EXPECT_EQ(condition->clockMHz, 1980);
  ::setenv("FAKE_DRIVER_DEVICES", "2", 1);
  EXPECT_FALSE(openWell("1")->condition().has_value()); // on another bus
}
