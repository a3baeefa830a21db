//===- 16-bit floats in LLVM IR for x86 -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_NARROWFLOATS_H
#define TONNO_LIB_BACKEND_HOST_NARROWFLOATS_H

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

/// Gives a module that has numbers in f16 the functions which LLVM calls to
/// convert them on x86's CPUs without F16C, one that rounds f64 to f16, as
/// fused products do, the one for that on those without arithmetic in f16, and
/// one that rounds f64 to bf16 the one for that on all of them, so that no
/// artifact has to bring a compiler's library. They round to nearest, ties to
/// even.
void addHalfConversions(llvm::Module &module,
                        const llvm::TargetMachine &machine);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_NARROWFLOATS_H
