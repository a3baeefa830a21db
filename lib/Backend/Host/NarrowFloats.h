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

/// Replaces bf16 by i16 in x86 code that only moves values, such as loads, phis
/// and shuffles; arithmetic and comparisons are done in f32. LLVM would
/// otherwise round moved values from f32 by a function that no artifact
/// contains, and aborts on some vector types.
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
