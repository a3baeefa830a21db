//===- A libnvidia-ml.so.1 without a GPU ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeGpu.h"

#include <cstdlib>
#include <cstring>

// FAKE_NVML_FAIL names a function that fails. There is one device, on bus 10.

static int fail(const char *function) {
  const char *failing = std::getenv("FAKE_NVML_FAIL");
  return failing && std::strcmp(failing, function) == 0 ? 999 : 0;
}

static int users = 0;
FAKE_EXPORT int fakeNvmlUsers() { return users; }

// NOLINTBEGIN(readability-identifier-naming): NVML's names.

FAKE_EXPORT int nvmlInit_v2() {
  ++users;
  return fail("nvmlInit_v2");
}

FAKE_EXPORT int nvmlShutdown() {
  --users;
  return 0;
}

FAKE_EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *id,
                                                 void **device) {
  *device = &users;
  return std::strcmp(id, "0000:10:00.0") == 0 ? 0 : 6; // not found
}

FAKE_EXPORT int nvmlDeviceGetClockInfo(void *, int type, unsigned *megahertz) {
  *megahertz = type == 1 ? 1980 : 2619; // SM, memory
  return fail("nvmlDeviceGetClockInfo");
}

FAKE_EXPORT int nvmlDeviceGetTemperature(void *, int, unsigned *celsius) {
  *celsius = 41;
  return fail("nvmlDeviceGetTemperature");
}

FAKE_EXPORT int
nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons) {
  *reasons = 0x1 | 0x4 | 0x40; // idle, power cap, heat
  return fail("nvmlDeviceGetCurrentClocksThrottleReasons");
}

FAKE_EXPORT int nvmlDeviceGetPowerManagementLimit(void *,
                                                  unsigned *milliwatts) {
  *milliwatts = 500000;
  return fail("nvmlDeviceGetPowerManagementLimit");
}

FAKE_EXPORT int nvmlDeviceGetPowerManagementDefaultLimit(void *,
                                                         unsigned *milliwatts) {
  *milliwatts = 700000;
  return fail("nvmlDeviceGetPowerManagementDefaultLimit");
}

FAKE_EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void *, unsigned *count,
                                                        void *) {
  *count = 3;
  int failed = fail("nvmlDeviceGetComputeRunningProcesses_v3");
  return failed ? failed : 7; // too small
}

/// Each reading adds half a joule.
FAKE_EXPORT int
nvmlDeviceGetTotalEnergyConsumption(void *, unsigned long long *millijoules) {
  static unsigned long long total = 0;
  *millijoules = total += 500;
  return fail("nvmlDeviceGetTotalEnergyConsumption");
}

// NOLINTEND(readability-identifier-naming)
