//===- The innermost loop that a kernel spends its time in ----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_HOTLOOP_H
#define TONNO_BACKEND_HOTLOOP_H

#include "tonno/Backend/Backend.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// The kind of resource that keeps a loop from running faster.
enum class LoopLimit {
  dispatch,       ///< micro-ops a cycle
  ports,          ///< execution ports
  register_chain, ///< dependences through registers
  memory_chain,   ///< dependences through memory
  unknown,
};

EnumNames getEnumNames(LoopLimit);

/// The throughput of a loop by llvm-mca's simulation of the CPU.
struct LoopThroughput {
  double cycles = 0; ///< of an iteration, once the loop runs steadily
  double bound = 0;  ///< cycles that dispatch and ports take at least
  LoopLimit limit = LoopLimit::unknown;
  std::string ports; ///< LLVM's names, if they are the limit
  /// Instruction that waited the most for operands, if a chain is the limit.
  std::optional<uint64_t> waiting = {};
};

void mapFields(JsonFields &fields, LoopThroughput &throughput);

/// A loop as it is disassembled.
struct HotLoop {
  std::string function; ///< the symbol
  uint64_t address = 0; ///< of the first instruction
  uint64_t depth = 1;   ///< 1: in no other loop
  std::vector<std::string> instructions;
  /// Floating-point operations of an iteration and bytes that its loads and
  /// stores access. None for architectures other than x86. A masked operation
  /// counts as a full one.
  std::optional<double> flops = {}, bytes = {};
  std::optional<LoopThroughput> throughput = {};
  std::string unknown; ///< the reason if there is no throughput
};

void mapFields(JsonFields &fields, HotLoop &loop);

/// Disassembles an ELF file of the target, relocatable or linked, and returns
/// the innermost loop with the largest share of the work by a static estimate:
/// floating-point operations an iteration (bytes, if no loop has any;
/// instructions, if no loop accesses memory) times 32 for each loop around it.
/// 32 iterations are what LLVM's block frequencies assume of a loop.
///
/// The throughput assumes that all blocks of the loop run in each iteration,
/// that loads hit the first-level cache, and that loads and stores do not
/// alias, as llvm-mca does. The instructions of a cubin are those that NVIDIA's
/// nvdisasm prints. The Error: the file is no ELF file of the target, has no
/// loop, or nvdisasm is missing.
Result<HotLoop> findHotLoop(llvm::StringRef binary, const Target &target);

} // namespace tonno

#endif // TONNO_BACKEND_HOTLOOP_H
