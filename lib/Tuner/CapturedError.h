//===- The first error that code emits --------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_CAPTUREDERROR_H
#define TONNO_LIB_TUNER_CAPTUREDERROR_H

#include "tonno/Core/Result.h"

#include "mlir/IR/Diagnostics.h"

namespace tonno {

/// Returns what `read` returns, or the first error that it emits. Its other
/// diagnostics are dropped.
template <typename T>
Result<T> captureError(mlir::MLIRContext *context,
                       llvm::function_ref<mlir::FailureOr<T>()> read) {
  std::string why;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](mlir::Diagnostic &diagnostic) {
        if (why.empty() &&
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          why = diagnostic.str();
        return mlir::success();
      });
  mlir::FailureOr<T> found = read();
  if (failed(found))
    return Error{std::move(why)};
  return std::move(*found);
}

} // namespace tonno

#endif // TONNO_LIB_TUNER_CAPTUREDERROR_H
