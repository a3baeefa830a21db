//===- Products beside the threads of simulated GPUs ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMWARPGROUPS_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMWARPGROUPS_H

#include "SimMatrix.h"
#include "SimPublishedMemory.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// wgmma of the warpgroups of a workgroup. Factors are read when the threads of
/// a subgroup are there, which the others need not be; that they are the same
/// until a thread has waited is checked. Until then registers hold tokens,
/// which are NaN, in place of sums. Methods return what a thread does that it
/// must not; empty if all is well.
class SimWarpgroups {
public:
  SimWarpgroups(SimPublishedMemory &memory, uint32_t subgroupSize,
                size_t threads)
      : memory(memory), subgroupSize(subgroupSize), threads(threads),
        histories((threads + subgroupSize - 1) / subgroupSize) {}

  /// Forgets all, for another workgroup.
  void clear();

  /// Serves SimRuntime and SimCollective::multiplyShared.
  void fence(uint32_t thread) { threads[thread].isFenced = true; }
  std::string multiply(uint32_t firstThread, const char *where,
                       std::span<const SimParticipant> participants);
  void commit(uint32_t thread) { ++threads[thread].group; }
  std::string await(uint32_t thread, uint64_t newest);
  void readSums(uint32_t thread, std::span<uint32_t> registers);
  /// Checks, behind the last instruction, that all subgroups of a warpgroup
  /// have executed the same products.
  std::string checkHistories() const;

private:
  /// Sums of a subgroup that are added to.
  struct Sums {
    uint32_t subgroup = 0;
    std::vector<std::vector<uint32_t>> registers; ///< by thread
    uint32_t numReaders = 0;
  };

  struct Pending {
    uint32_t sums;
    uint64_t group;
    std::shared_ptr<SimReading> reading;
  };

  struct Thread {
    bool isFenced = false;
    std::vector<Pending> pending;
    uint64_t group = 0; ///< that is being made
  };

  std::optional<uint32_t> findSums(uint32_t subgroup,
                                   std::span<const SimParticipant> participants,
                                   size_t count) const;
  uint32_t resolve(uint32_t thread, uint32_t word) const;

  SimPublishedMemory &memory;
  uint32_t subgroupSize;
  std::vector<Thread> threads;
  std::vector<uint64_t> histories; ///< of subgroups: what they have executed
  std::map<uint32_t, Sums> sums;
  uint32_t lastSums = 0;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMWARPGROUPS_H
