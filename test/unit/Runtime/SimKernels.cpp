//===- Simulated kernels to load ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/SimObject.h"

using namespace tonno;

// Kernels of the simulated device, in a shared object as the backend makes it;
// one for each way to be refused.

static SimArea areas[] = {{nullptr, 0}};

#ifdef KERNEL_sim_version
static constexpr uint32_t version = simVersion + 1;
#else
static constexpr uint32_t version = simVersion;
#endif
#ifdef KERNEL_sim_subgroup
static constexpr uint32_t subgroupSize = 48;
#else
static constexpr uint32_t subgroupSize = 32;
#endif

// NOLINTBEGIN(readability-identifier-naming): symbols of the binary.
extern "C" {

SimObject tonno_sim_object = {version, subgroupSize, 0, 0,
                              nullptr, areas,        0, {nullptr, 0}};

/// Doubles 1024 floats.
void double_entry(void **pointers) {
  const SimRuntime &runtime = *tonno_sim_object.runtime;
  uint32_t index =
      runtime.blockId[0] * runtime.blockSize[0] + runtime.threadId[0];
  if (index < 1024)
    static_cast<float *>(pointers[1])[index] =
        2 * static_cast<const float *>(pointers[0])[index];
}

/// Writes how many threads of the workgroup ran before.
void order_entry(void **pointers) {
  const SimRuntime &runtime = *tonno_sim_object.runtime;
  auto *results = static_cast<float *>(pointers[0]);
  results[runtime.threadId[0]] = results[1000]++;
}

void stuck_entry(void **pointers) {
  SimRuntime &runtime = *tonno_sim_object.runtime;
  if (runtime.threadId[0])
    runtime.meet(&runtime, "the barrier", SimCollective::barrier, ~0ull,
                 nullptr, nullptr);
}
}
// NOLINTEND(readability-identifier-naming)
