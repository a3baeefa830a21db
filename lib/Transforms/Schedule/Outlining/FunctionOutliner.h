//===- Functions made of ops of a kernel ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_OUTLINING_FUNCTIONOUTLINER_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_OUTLINING_FUNCTIONOUTLINER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace tonno {

/// Creates a function of its own for a part of a bufferized kernel. Buffers are
/// passed as bare pointers with what the kernel's arguments promise, numbers in
/// bf16 as integers.
class FunctionOutliner {
public:
  /// Collects the values that `regions`, and the operands of `op`, use from
  /// outside: those of pure ops are computed again in the function.
  FunctionOutliner(mlir::func::FuncOp kernel, mlir::Operation *op,
                   mlir::MutableArrayRef<mlir::Region> regions);

  /// Returns the type of a value that a bare pointer or a scalar cannot pass;
  /// null if there is none.
  mlir::Type findUnpassable() const;

  /// Creates an internal function behind the kernel. It takes values of the
  /// types `leading`, then arguments(). Maps the collected values to those in
  /// its entry block, which has no terminator yet. Requires passable values.
  mlir::func::FuncOp create(const std::string &name, mlir::TypeRange leading,
                            mlir::SymbolTable &symbols,
                            mlir::IRMapping &inside);

  /// Returns the operands of a call, behind the leading ones.
  const mlir::SmallVector<mlir::Value> &arguments() const { return passed; }

private:
  void collect(mlir::Value value);
  void passParts();
  void setArgumentAttrs(mlir::func::FuncOp function, unsigned leading);

  mlir::func::FuncOp kernel;
  mlir::Operation *op;
  mlir::SmallVector<mlir::Value> passed;
  /// Ops cloned into the function, in order.
  mlir::SmallVector<mlir::Operation *> repeated;
  /// Values that are passed in parts, and the ops that rebuild them from the
  /// function's arguments.
  mlir::SmallVector<std::pair<mlir::Value, mlir::Operation *>> rebuilt;
  llvm::DenseSet<mlir::Value> seen;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_OUTLINING_FUNCTIONOUTLINER_H
