//===- Names of dimensions ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_DIMENSIONS_H
#define TONNO_DIALECT_DIMENSIONS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace tonno {

/// An axis of known size that an argument names by `tonno.dims`.
struct NamedDimension {
  llvm::StringRef name;
  int64_t size;
  mlir::BlockArgument argument;
};

/// Returns the named axes of known size of all functions in `roots`, each name
/// once, in order of appearance. Emits an error if a name has two sizes.
mlir::FailureOr<llvm::SmallVector<NamedDimension>>
findDimensions(llvm::ArrayRef<mlir::Operation *> roots);

/// Returns the names of the axes of unknown size of all functions in `roots`,
/// each once, without those that another axis gives a size.
llvm::SmallVector<llvm::StringRef>
findDynamicNames(llvm::ArrayRef<mlir::Operation *> roots);

/// Removes `tonno.dims` from the arguments of all functions in `root`, but for
/// functions of dynamic shapes: axes of one name have one size.
void dropDimensionNames(mlir::Operation *root);

/// Checks `tonno.dims` of an argument of a function. A name that is used twice
/// is checked at its later argument.
mlir::LogicalResult verifyDims(mlir::Operation *op, unsigned argument,
                               mlir::Attribute value);

} // namespace tonno

#endif // TONNO_DIALECT_DIMENSIONS_H
