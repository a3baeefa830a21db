//===- The threads of a simulated workgroup -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMWORKGROUP_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMWORKGROUP_H

#include "tonno/Core/Result.h"
#include "tonno/Core/SimObject.h"

#include "SimFiber.h"

#include <random>
#include <string>
#include <vector>

namespace tonno {

/// The threads of one workgroup after the other, run in turns on this thread.
class SimWorkgroup {
public:
  /// What each thread does.
  struct Body {
    void (*entry)(void **pointers);
    void **pointers;
  };

  /// `runtime` must be what the kernel calls with: its block and grid sizes
  /// are read, and its thread is kept up to date. `stacks` has one for each
  /// thread.
  SimWorkgroup(SimRuntime &runtime, uint32_t subgroupSize,
               const SimStacks &stacks, uint64_t seed);

  /// Runs all threads to their end, or until nobody can go on: an Error that
  /// says who waits where for whom.
  Result<void> run(const Body &body);

  /// From the kernel, see SimRuntime::meet.
  void meet(const char *where, SimCollective kind, uint64_t lanes,
            const uint64_t *operands, uint64_t *results);

private:
  enum class ThreadState { ready, waiting, ended };

  struct Thread {
    SimFiber fiber;
    ThreadState state = ThreadState::ended;
    // While it waits:
    const char *where = nullptr;
    SimCollective kind = SimCollective::barrier;
    uint64_t lanes = 0;
    const uint64_t *operands = nullptr;
    uint64_t *results = nullptr;
  };

  struct Subgroup {
    uint64_t live = 0;    ///< lanes that have not ended
    uint64_t waiting = 0; ///< lanes that wait for others of the subgroup
  };

  uint32_t laneOf(uint32_t thread) const { return thread % subgroupSize; }
  uint32_t subgroupOf(uint32_t thread) const { return thread / subgroupSize; }
  void prepare(const Body &body);
  uint32_t takeReady();
  void enter(uint32_t index);
  void settle(uint32_t index);
  void settleWaiting(uint32_t index);
  void settleEnded(uint32_t index);
  bool meetsWith(const Thread &one, const Thread &other) const;
  void meetWorkgroup();
  void meetSubgroup(uint32_t index);
  void perform(const std::vector<uint32_t> &members);
  void release(const std::vector<uint32_t> &members);
  bool isAwaitedBy(uint32_t other, uint32_t index) const;
  std::string describe(uint32_t index) const;
  std::string describeStall() const;

  SimRuntime &runtime;
  uint32_t subgroupSize;
  const SimStacks &stacks;
  std::mt19937_64 random;
  std::vector<Thread> threads;
  std::vector<Subgroup> subgroups;
  std::vector<uint32_t> ready;
  std::vector<uint32_t> members; ///< of the collective at hand
  uint32_t current = 0;
  uint32_t atBarrier = 0;
  bool runAhead = false;
  std::string misuse; ///< what a thread did that it must not
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMWORKGROUP_H
