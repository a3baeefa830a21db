//===- Loops and instructions of GPU machine code -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_MACHINECODE_H
#define TONNO_CORE_MACHINECODE_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tonno {

/// The unit that executes an instruction.
enum class InstructionKind {
  matrix,     ///< tensor core, MFMA, WMMA
  fma,        ///< multiply-add of floating-point numbers
  integerFma, ///< multiply-add of integers, address arithmetic among them
  special,    ///< reciprocals, exponentials
  vector,     ///< other arithmetic on vector registers
  scalar,     ///< AMD: scalar unit; NVIDIA: uniform data path
  sharedLoad,
  sharedStore,
  globalLoad,
  globalStore,
  asyncCopy, ///< global to shared memory
  barrier,
  branch, ///< to `target`
  exit,   ///< ends the thread
  other
};

/// A disassembled instruction, as far as time depends on it.
struct MachineInstruction {
  uint64_t address = 0;
  InstructionKind kind = InstructionKind::other;
  uint32_t issueCycles = 0;  ///< of a partition's port for vector instructions
  uint32_t pipeCycles = 0;   ///< of the partition's unit; 0: unknown
  uint32_t latency = 0;      ///< cycles until the result can be used, at least
  uint32_t bytes = 0;        ///< that a lane loads, stores or copies
  uint64_t macs = 0;         ///< multiply-adds of all lanes
  uint32_t result = 0;       ///< register of a matrix instruction's sums
  bool isPredicated = false; ///< may do nothing, for some lanes or for all
  /// One thread issues it for the workgroup: macs and cycles of the pipe are of
  /// all partitions.
  bool isOfWorkgroup = false;
  std::optional<uint64_t> target = {}; ///< of a branch
};

/// Instructions of a stretch of code, and what they occupy.
struct InstructionCounts {
  uint32_t matrix = 0, fma = 0, integerFma = 0, special = 0, vector = 0,
           scalar = 0, sharedLoads = 0, sharedStores = 0, globalLoads = 0,
           globalStores = 0, asyncCopies = 0, barriers = 0;
  // Multiply-adds of a subgroup.
  uint64_t matrixMacs = 0, fmaMacs = 0, integerMacs = 0;
  // Work of instructions that one thread issues for the workgroup.
  uint64_t workgroupMacs = 0, workgroupCycles = 0;
  // Cycles of a partition. `pipeCycles` of the three units.
  uint64_t issueCycles = 0, matrixCycles = 0, fmaCycles = 0, specialCycles = 0;
  // Bytes of a lane.
  uint64_t sharedLoadBytes = 0, sharedStoreBytes = 0, globalLoadBytes = 0,
           globalStoreBytes = 0, asyncBytes = 0;
  /// Cycles that an iteration takes at least, however many subgroups run.
  uint64_t latency = 0;

  bool operator==(const InstructionCounts &) const = default;
};

/// Addresses of the first and the last instruction of a basic block.
struct CodeBlock {
  uint64_t begin = 0, end = 0;

  bool operator==(const CodeBlock &) const = default;
};

/// A natural loop, without the loops in it.
struct CodeLoop {
  std::vector<CodeBlock> blocks; ///< by address
  bool isInnermost = true;
  InstructionCounts always; ///< what each iteration executes
  InstructionCounts all;
  uint32_t depth = 1; ///< 1: in no other loop

  bool operator==(const CodeLoop &) const = default;
};

/// The code of a kernel.
struct MachineCode {
  InstructionCounts always; ///< outside of loops, executed by each subgroup
  InstructionCounts all;    ///< outside of loops
  /// Counts outside of loops, for a subgroup that executes all instructions
  /// there that access global memory.
  InstructionCounts withMemory;
  std::vector<CodeLoop> loops;

  /// Returns the loop with the most multiply-adds, by matrix instructions if it
  /// has any; null if there is no loop.
  const CodeLoop *mainLoop() const;

  bool operator==(const MachineCode &) const = default;
};

/// Finds the loops and counts. Finds none in code with thousands of basic
/// blocks.
MachineCode analyzeMachineCode(const std::vector<MachineInstruction> &code);

} // namespace tonno

#endif // TONNO_CORE_MACHINECODE_H
