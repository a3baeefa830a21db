//===- Functions as schedules see them ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_TAKENAPART_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_TAKENAPART_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/MapVector.h"

namespace tonno {

/// A copy of a function as the host's schedule will see it: ops that stand for
/// several are taken apart, but for those with a configuration.
class TakenApart {
public:
  explicit TakenApart(mlir::func::FuncOp function);
  ~TakenApart();

  mlir::func::FuncOp copy() { return *owned; }
  /// Whether the configuration of an op of the copy is another's too: parts of
  /// one op are configured once for each kind.
  bool isTwin(mlir::Operation *op) const { return twins.contains(op); }
  /// Gives the function's ops the configurations of the copy's.
  void handBack();

private:
  mlir::OwningOpRef<mlir::func::FuncOp> owned;
  llvm::MapVector<mlir::Operation *, mlir::Operation *> same; ///< to copies
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::linalg::LinalgOp>>
      parts;
  llvm::DenseSet<mlir::Operation *> twins;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_TAKENAPART_H
