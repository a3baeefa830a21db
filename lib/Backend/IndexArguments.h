//===- Data of index arguments --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_INDEXARGUMENTS_H
#define TONNO_LIB_BACKEND_INDEXARGUMENTS_H

#include "tonno/Core/InputSpec.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tonno {

/// Derives the data of an integer argument whose elements index tensors or
/// buffers, in a kernel without calls: `integers(0, n - 1)` with n the smallest
/// indexed extent. If the kernel clamps the indices, extends the range by a
/// sixteenth on either side. Returns none if the elements index nothing.
///
/// Fails, with a question at the op, if the indices are computed by other
/// arithmetic or the indexed extent is unknown: any data might be out of
/// bounds.
mlir::FailureOr<std::optional<InputSpec>>
deriveIndexInput(mlir::func::FuncOp kernel, unsigned argument);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_INDEXARGUMENTS_H
