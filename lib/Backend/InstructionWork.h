//===- The work of instructions of x86 ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_INSTRUCTIONWORK_H
#define TONNO_LIB_BACKEND_INSTRUCTIONWORK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInstrDesc.h"

namespace tonno {

/// Counts the floating-point operations of an x86 instruction, by LLVM's name.
double countFlops(llvm::StringRef name, double vectorBytes);

/// Returns true if an instruction that accesses memory takes a single number of
/// floating point.
bool isScalarAccess(llvm::StringRef name);

/// Counts the bytes that an x86 instruction loads or stores.
double countBytes(llvm::StringRef name, const llvm::MCInstrDesc &desc,
                  double vectorBytes);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_INSTRUCTIONWORK_H
