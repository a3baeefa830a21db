//===- Functions with static types ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_KERNELS_SPECIALIZER_H
#define TONNO_LIB_TRANSFORMS_KERNELS_SPECIALIZER_H

#include "tonno/Transforms/DynamicDimensions.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace tonno {

/// Returns the types of the kernel's arguments if its dimensions have these
/// sizes. Dynamic strides and offsets become those of a dense buffer.
llvm::SmallVector<mlir::Type>
specializeArguments(mlir::func::FuncOp kernel,
                    const DynamicDimensions &dimensions,
                    llvm::ArrayRef<int64_t> sizes);

/// Makes functions static.
class Specializer {
public:
  explicit Specializer(mlir::MLIRContext *context);

  /// Gives the function's arguments these types, and its ops and results those
  /// that follow. It then calls copies of other functions, of which there is
  /// one for each list of types.
  mlir::LogicalResult specialize(mlir::func::FuncOp function,
                                 llvm::ArrayRef<mlir::Type> arguments);

  /// Erases private functions that only had calls which were replaced; an only
  /// copy gets the name.
  void eraseUnused();

private:
  mlir::LogicalResult simplify(mlir::func::FuncOp function);
  mlir::LogicalResult specializeCallees(mlir::func::FuncOp function);
  mlir::FailureOr<mlir::func::FuncOp>
  getCopy(mlir::func::FuncOp callee, llvm::ArrayRef<mlir::Type> arguments);

  struct Copies {
    mlir::func::FuncOp original;
    llvm::SmallVector<mlir::func::FuncOp, 1> made;
  };

  mlir::FrozenRewritePatternSet patterns;
  llvm::SmallVector<Copies> copies;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_KERNELS_SPECIALIZER_H
