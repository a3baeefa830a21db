//===- Tensor memory of simulated GPUs ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMTENSORMEMORY_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMTENSORMEMORY_H

#include "SimPublishedMemory.h"

#include <deque>
#include <map>
#include <memory>

namespace tonno {

/// Tensor memory of a workgroup, tcgen05, and barriers in shared memory that
/// its products arrive at. Products are performed as they are issued, from
/// published memory, but they arrive later: then their factors must be the
/// same. A thread reads sums only if it has waited at a barrier that the last
/// products arrived at; else NaN. Methods return what a thread does that it
/// must not; empty if all is well.
class SimTensorMemory {
public:
  SimTensorMemory(SimPublishedMemory &memory, uint32_t subgroupSize,
                  size_t threads)
      : memory(memory), subgroupSize(subgroupSize), threads(threads) {}

  /// Forgets all, for another workgroup.
  void clear();

  // Barriers.

  void initializeBarrier(uint32_t thread, const void *barrier, uint32_t count);
  void fenceBarriers(uint32_t thread);
  /// Returns true if the barrier's phase of this parity has passed; then the
  /// thread sees what has arrived.
  bool passes(uint32_t thread, const void *barrier, uint32_t parity,
              std::string &misuse);
  /// Returns true if `passes` would, or would fail.
  bool isPassed(const void *barrier, uint32_t parity) const;
  /// Lets the oldest products that are under way arrive; false if there are
  /// none.
  bool arrive();

  // tcgen05.

  std::string allocate(uint32_t thread, uint32_t *address, uint32_t columns);
  std::string release(uint32_t thread, uint32_t address, uint32_t columns);
  /// Multiplies, as llvm.nvvm.tcgen05.mma.shared has the operands.
  std::string multiply(uint32_t thread, uint32_t sums, uint64_t left,
                       uint64_t right, uint32_t instruction, bool addsToSums,
                       uint32_t kind);
  std::string commit(uint32_t thread, const void *barrier);
  /// A fence behind a wait, or before the threads meet.
  void fence(uint32_t thread, bool isBehind) {
    (isBehind ? threads[thread].isFenced : threads[thread].hasLoaded) =
        isBehind;
  }
  /// Loads columns of the thread's lane into registers that stand for them.
  std::string load(uint32_t thread, uint32_t address,
                   std::span<uint32_t> registers);
  void awaitLoads(uint32_t thread);
  /// Replaces registers that stand for loaded values by the values.
  void readLoads(uint32_t thread, std::span<uint32_t> registers);

  /// Checks, behind the last instruction, that nothing is left.
  std::string checkEnd() const;

private:
  static constexpr uint32_t numLanes = 128, numColumns = 512;

  struct Barrier {
    uint32_t expected = 0, missing = 0;
    uint64_t phase = 0;
    bool isPublished = false;
    uint32_t initializer = 0;
    uint64_t arrived = 0; ///< number of the last product, in the last phase
  };

  struct Thread {
    uint64_t seen = 0; ///< number of the last product that it has waited for
    bool isFenced = false;
    bool hasLoaded = false; ///< since its last fence before threads meet
    uint32_t numLoads = 0;
    struct Load {
      std::vector<uint32_t> values;
      bool isComplete = false;
    };
    std::map<uint32_t, Load> loads;
  };

  struct Column {
    bool isAllocated = false;
    uint64_t product = 0; ///< number of the last that wrote it
    std::vector<uint32_t> lanes = std::vector<uint32_t>(numLanes, ~0u);
  };

  /// Returns true if these are columns, and allocated.
  bool isAllocated(uint32_t first, uint32_t count) const;

  SimPublishedMemory &memory;
  uint32_t subgroupSize;
  std::vector<Thread> threads;
  std::map<const void *, Barrier> barriers;
  std::vector<Column> columns = std::vector<Column>(numColumns);
  uint64_t numProducts = 0, numCommitted = 0;
  uint32_t issuer = 0; ///< of the products that are not committed
  /// Products under way, with their factors, by number.
  std::map<uint64_t, std::shared_ptr<SimReading>> readings;
  /// Barriers that the products up to a number will arrive at.
  std::deque<std::pair<const void *, uint64_t>> commits;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMTENSORMEMORY_H
