//===- Arguments that hold positions --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_INDEXARGUMENTS_H
#define TONNO_LIB_BACKEND_INDEXARGUMENTS_H

#include "tonno/Core/InputSpec.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tonno {

/// The data of an integer argument whose elements index tensors or buffers, in
/// a kernel without calls: `integers(0, n - 1)`, n the smallest extent that
/// they index. Where the kernel keeps them in bounds, a sixteenth more on
/// either side. Nothing if they index nothing.
///
/// Fails, with a question at the op, where they get there by other arithmetic,
/// or index something of unknown extent: any data might be out of bounds.
mlir::FailureOr<std::optional<InputSpec>>
deriveIndexInput(mlir::func::FuncOp kernel, unsigned argument);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_INDEXARGUMENTS_H
