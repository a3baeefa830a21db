//===- Conversions that a CPU lacks ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_HALFCONVERSIONS_H
#define TONNO_LIB_BACKEND_HOST_HALFCONVERSIONS_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tonno {

/// Gives a module that has numbers in f16 the functions which LLVM calls to
/// convert them on x86's CPUs without F16C, one that rounds f64 to f16, as
/// fused products do, the one for that on those without arithmetic in f16, and
/// one that rounds f64 to bf16 the one for that on all of them, so that no
/// artifact has to bring a compiler's library. They round to nearest, ties to
/// even.
void addHalfConversions(llvm::Module &module,
                        const llvm::TargetMachine &machine);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_HALFCONVERSIONS_H
