//===- bf16 is moved as integers ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_BF16MOVES_H
#define TONNO_LIB_BACKEND_HOST_BF16MOVES_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tonno {

/// What on x86 only moves numbers in bf16, as loads, phis and shuffles do,
/// moves integers of their bits instead; sums, products and comparisons are
/// those of f32. Left to LLVM, what only moves is rounded from f32 by a
/// function that no artifact has, and some vectors make it end the process.
void moveBf16AsIntegers(llvm::Module &module,
                        const llvm::TargetMachine &machine);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_BF16MOVES_H
