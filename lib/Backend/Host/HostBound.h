//===- The least time of code for x86 -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_HOSTBOUND_H
#define TONNO_LIB_BACKEND_HOST_HOSTBOUND_H

#include "tonno/Backend/Backend.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tonno {

/// The instructions in innermost loops, of all code if there is no loop.
struct InstructionMix {
  double vectors = 0; ///< share of those on vectors
  double memory = 0;  ///< share of those that load or store
  double stack = 0;   ///< share of those that load from or store to the stack
  /// Floating-point operations for each byte that they access; none if they
  /// access no memory.
  std::optional<double> intensity;
};

/// Facts from disassembling a shared object for x86.
struct HostCode {
  uint64_t instructions = 0;
  uint64_t stackBytes = 0; ///< the largest frame
  /// Cycles of one core for each floating-point product, at least; none if no
  /// instruction multiplies.
  std::optional<double> cyclesPerProduct;
  std::optional<InstructionMix> mix; ///< none without instructions
};

/// Returns none for other architectures, and for code that cannot be
/// disassembled.
///
/// Each basic block b does p(b) products and takes c(r, b) cycles of each
/// resource r: of issue slots, multipliers, load ports, store ports. How often
/// a block runs is not known, but n products take at least
///
///   n * max over r of (min over b of c(r, b) / p(b))
///
/// cycles. The ports are those of the widest cores of 2025 (Zen 5, Lion Cove,
/// Skymont): other x86 CPUs have fewer. A masked operation counts as a full
/// one.
std::optional<HostCode> analyzeHostCode(llvm::StringRef sharedObject,
                                        const Target &target);

/// Returns cycles in a second that no core of this machine exceeds: what
/// cpufreq states, else the clock that a chain of additions shows, with a
/// margin of a tenth, to the next quarter of a gigahertz. Is found out once.
double getMostHertz();

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_HOSTBOUND_H
