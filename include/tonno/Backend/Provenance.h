//===- Whether this is what was measured ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_PROVENANCE_H
#define TONNO_BACKEND_PROVENANCE_H

#include "tonno/Backend/Backend.h"

namespace tonno {

/// "tonno 0.1.0, LLVM 22.1.8": the versions that `tonno.tuned` names.
std::string compilerVersions();

/// Compares the SHA-256 of a binary with the one that `tonno.tuned` of its
/// kernel names; a kernel without it was never measured. Otherwise it warns at
/// the kernel, with the reason where that can be told, and returns false.
bool isMeasuredBinary(mlir::func::FuncOp kernel, const Backend &backend,
                      llvm::StringRef hash);

} // namespace tonno

#endif // TONNO_BACKEND_PROVENANCE_H
