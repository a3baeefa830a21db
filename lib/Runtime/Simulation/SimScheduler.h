//===- Runs a GPU's threads on the CPU ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMSCHEDULER_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMSCHEDULER_H

#include "tonno/Core/LaunchPlan.h"
#include "tonno/Core/SimObject.h"
#include "tonno/Core/Status.h"

#include <memory>

namespace tonno {

class SimStacks;

/// An entry point of a SimObject and what it is called with.
struct SimKernel {
  void (*entry)(void **pointers);
  void **pointers;
  SimObject &object;
  const uint64_t *bufferBytes = nullptr; ///< of each of the pointers
};

/// Runs launches of simulated kernels: workgroups one after the other, the
/// threads of one in turns, each until it waits for others or ends. All of the
/// order is drawn from the seed, anew after each barrier: now every thread at
/// random, now one subgroup as far ahead of the others as it gets. So data that
/// no barrier protects is written or read too early by somebody.
class SimScheduler {
public:
  SimScheduler();
  ~SimScheduler();

  /// `unlaunchable`: more than 1024 threads in a workgroup, none at all, more
  /// workgroups than 64 bits count, or more shared memory than the object has
  /// room for. `fault`: threads wait
  /// for others that never come, with who waits where for whom.
  /// `out_of_bounds`: a buffer was read or written outside of its bytes, or
  /// shared memory was written outside of its areas. An overflow of a thread's
  /// stack ends the process.
  Result<void, Failure> run(const SimKernel &kernel,
                            const LaunchGeometry &geometry, uint64_t seed);

private:
  std::unique_ptr<SimStacks> stacks; ///< the costly part of a launch
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMSCHEDULER_H
