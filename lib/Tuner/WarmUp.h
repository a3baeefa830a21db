//===- What compilers do but once -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_WARMUP_H
#define TONNO_LIB_TUNER_WARMUP_H

#include "tonno/Backend/Compile.h"

#include "mlir/IR/MLIRContext.h"

namespace tonno {

/// Compiles a small kernel of tonno's own under this name, so that what happens
/// but once in a process or context, such as loading dialects and making passes
/// ready, has happened before processes fork that would each do it again. Its
/// code is not linked or assembled. Where it fails, nothing is lost but time.
mlir::LogicalResult warmUp(CandidateCompiler &compiler, const Backend &backend,
                           mlir::MLIRContext &context, llvm::StringRef kernel);

} // namespace tonno

#endif // TONNO_LIB_TUNER_WARMUP_H
