//===- A libamd_smi.so without a GPU --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeGpu.h"

#include <cstdlib>
#include <cstring>

// FAKE_AMDSMI_FAIL names a function that fails. There is one device, on bus 10.
// Each reading of its energy adds half a joule.

static int fail(const char *function) {
  const char *failing = std::getenv("FAKE_AMDSMI_FAIL");
  return failing && std::strcmp(failing, function) == 0 ? 999 : 0;
}

static uint64_t halfJoules = 0;

// NOLINTBEGIN(readability-identifier-naming): AMD SMI's names.

FAKE_EXPORT int amdsmi_init(uint64_t flags) {
  constexpr uint64_t gpus = 2;
  return flags == gpus ? fail("amdsmi_init") : 1;
}

FAKE_EXPORT int amdsmi_shut_down() { return 0; }

FAKE_EXPORT int amdsmi_get_processor_handle_from_bdf(uint64_t bus,
                                                     void **device) {
  *device = &halfJoules;
  return bus == 0x10 << 8 ? 0 : 31; // not found
}

FAKE_EXPORT int amdsmi_get_energy_count(void *, uint64_t *count,
                                        float *microjoules,
                                        uint64_t *nanoseconds) {
  constexpr double resolution = 15.3; // of MI200 and MI300
  ++halfJoules;
  *microjoules = resolution;
  *count = static_cast<uint64_t>(static_cast<double>(halfJoules) * 0.5e6 /
                                 resolution);
  *nanoseconds = 0;
  return fail("amdsmi_get_energy_count");
}

// NOLINTEND(readability-identifier-naming)
