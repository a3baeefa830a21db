//===- Element types of buffers in MLIR -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_ELEMENTTYPES_H
#define TONNO_DIALECT_ELEMENTTYPES_H

#include "tonno/Core/LaunchPlan.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace tonno {

/// Returns the type of a buffer's elements of this type, if there is one.
std::optional<ElementType> findElementType(mlir::Type type);

} // namespace tonno

#endif // TONNO_DIALECT_ELEMENTTYPES_H
