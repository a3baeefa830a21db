//===- Runs a GPU's threads on the CPU ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMSCHEDULER_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMSCHEDULER_H

#include "tonno/Core/LaunchPlan.h"
#include "tonno/Core/SimObject.h"
#include "tonno/Core/Status.h"
#include "tonno/Runtime/Device.h"

#include <memory>

namespace tonno {

class SimStacks;

/// Entry point of a SimObject, with its arguments.
struct SimKernel {
  void (*entry)(void **pointers);
  void **pointers;
  SimObject &object;
  const uint64_t *bufferBytes = nullptr; ///< of each of the pointers
};

/// Runs launches of simulated kernels: workgroups one after the other, their
/// threads in turns. The order is drawn from the seed, anew after each barrier:
/// every thread at random, or one subgroup as far ahead as it gets. So data
/// that no barrier protects is read or written too early.
class SimScheduler {
public:
  SimScheduler();
  ~SimScheduler();

  /// Fails with `unlaunchable` for no or more than 1024 threads in a workgroup,
  /// more workgroups than 64 bits count, or too much shared memory; with
  /// `fault` if threads wait for others that never come; with `out_of_bounds`
  /// if a buffer or shared memory is accessed outside. An overflow of a stack
  /// ends the process.
  Result<void, Failure> run(const SimKernel &kernel,
                            const LaunchGeometry &geometry, uint64_t seed);

private:
  std::unique_ptr<SimStacks> stacks; ///< the costly part of a launch
};

/// Makes a device that runs a GPU's kernels on the CPU, to verify them: shared
/// objects with a SimObject, on the host's memory. It refuses to time. The seed
/// draws the order in which threads run, anew for each launch.
std::unique_ptr<Device> createSimDevice(uint64_t seed = 1);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMSCHEDULER_H
