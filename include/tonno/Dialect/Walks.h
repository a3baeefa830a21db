//===- Walks over the ops of a module or function -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_WALKS_H
#define TONNO_DIALECT_WALKS_H

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Operation.h"

namespace tonno {

/// The type of op that a function takes.
template <typename Function>
using CallbackArg = typename llvm::function_traits<Function>::template arg_t<0>;

/// Calls `check` for each op of its type in `root`, which is one of them.
/// Fails, with the others left out, at the first for which `check` does.
template <mlir::WalkOrder order = mlir::WalkOrder::PostOrder, typename Check>
mlir::LogicalResult checkOps(mlir::Operation *root, Check check) {
  return llvm::failure(
      root->walk<order>([&](CallbackArg<Check> op) -> mlir::WalkResult {
            return check(op);
          })
          .wasInterrupted());
}

/// Returns true if `holds` is true for an op of its type in `root`.
template <typename Predicate>
bool anyOp(mlir::Operation *root, Predicate holds) {
  return failed(checkOps(root, [&](CallbackArg<Predicate> op) {
    return llvm::failure(holds(op));
  }));
}

/// Returns the ops of this type in `root`, those in an op before it.
template <typename Op> llvm::SmallVector<Op> collectOps(mlir::Operation *root) {
  llvm::SmallVector<Op> ops;
  root->walk([&](Op op) { ops.push_back(op); });
  return ops;
}

/// Returns those ops for which `holds` is true.
template <typename Predicate>
auto collectOpsIf(mlir::Operation *root, Predicate holds) {
  auto ops = collectOps<CallbackArg<Predicate>>(root);
  llvm::erase_if(ops, [&](CallbackArg<Predicate> op) { return !holds(op); });
  return ops;
}

} // namespace tonno

#endif // TONNO_DIALECT_WALKS_H
