//===- Products on matrix units by their ops' roles -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_MATRIXPROGRAM_H
#define TONNO_MATRIXPROGRAM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tonno {

/// Numbers of a kernel that its code shows only folded.
struct MatrixFacts {
  int64_t rows = 0, columns = 0, depth = 0; ///< m, n, k
  int64_t stages = 1;
  int64_t subgroupSize = 0;
};

/// An access to memory.
struct MatrixAccess {
  mlir::Operation *op = nullptr;
  unsigned buffer = 0; ///< number of the operand; the indices follow it

  mlir::MemRefType type() const {
    return mlir::cast<mlir::MemRefType>(op->getOperand(buffer).getType());
  }
  unsigned numIndices() const {
    return static_cast<unsigned>(type().getRank());
  }
  mlir::Value index(unsigned i) const { return op->getOperand(buffer + 1 + i); }
  void setIndex(unsigned i, mlir::Value value) const {
    op->setOperand(buffer + 1 + i, value);
    dropAlignment();
  }
  /// Drops a promise that other indices may break: the result shall be wrong,
  /// not the access.
  void dropAlignment() const { op->removeAttr("alignment"); }
  mlir::Type elementType() const { return type().getElementType(); }
};
using MatrixAccesses = llvm::SmallVector<MatrixAccess>;

/// First launch of a function that runs matrix instructions, as
/// tonno-map-to-gpu leaves it. Ops are found by their function, so that the
/// schedule can change.
class MatrixProgram {
public:
  MatrixProgram(mlir::func::FuncOp function, const MatrixFacts &facts);

  MatrixFacts facts;
  mlir::gpu::LaunchOp launch;
  mlir::Value thread, workgroup;
  mlir::scf::ForOp loop; ///< over k
  mlir::Value step;      ///< its induction variable
  llvm::SmallVector<mlir::Operation *> barriers, products;
  /// Accesses of the left operand, argument 0, and of the right one, argument
  /// 1: loads from global memory, stores to and loads from shared memory.
  MatrixAccesses loads[2], fills[2], reads[2];
  /// Loads of the result's buffer, of other arguments, and stores of results.
  MatrixAccesses initLoads, otherLoads, stores;

  bool isInLoop(mlir::Operation *op) const {
    return loop->isProperAncestor(op);
  }
  MatrixAccesses inLoop(llvm::ArrayRef<MatrixAccess> accesses) const;
  MatrixAccesses beforeLoop(llvm::ArrayRef<MatrixAccess> accesses) const;

  /// Returns a builder at the start of the launch or of the loop.
  mlir::OpBuilder atStart();
  mlir::OpBuilder atStartOfLoop();

  /// Recomputes `value` with the values of `map`, by clones at the builder;
  /// returns `value` itself if it depends on none of them.
  mlir::Value recompute(mlir::OpBuilder &builder, mlir::Value value,
                        mlir::IRMapping &map);
  /// Recomputes indices of accesses and the conditions around them with `other`
  /// in place of `leaf`. Returns how many accesses have changed.
  size_t redirect(llvm::ArrayRef<MatrixAccess> accesses, mlir::Value leaf,
                  mlir::Value other);

  /// Returns the comparisons with a bound that guard accesses.
  llvm::SmallVector<mlir::arith::CmpIOp>
  guards(llvm::ArrayRef<MatrixAccess> accesses, int64_t bound);
  /// Returns the branches that give zeros where accesses do not happen.
  llvm::SmallVector<mlir::scf::IfOp>
  branches(llvm::ArrayRef<MatrixAccess> accesses);

  /// Returns the accumulators and the results of a product: one vector, or the
  /// registers of mma.sync.
  static llvm::SmallVector<mlir::Value> sumsBefore(mlir::Operation *product);
  static llvm::SmallVector<mlir::Value> sumsAfter(mlir::Operation *product);
  static void setSumsBefore(mlir::Operation *product,
                            llvm::ArrayRef<mlir::Value> sums);
  /// Returns the operands of a product's factor, left 0 or right 1.
  static llvm::MutableArrayRef<mlir::OpOperand> factor(mlir::Operation *product,
                                                       unsigned side);

private:
  void findRoles(mlir::func::FuncOp function);
};

/// Returns a vector or a scalar whose elements are all the same.
mlir::Value splatOf(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Type type, double number);
/// Returns a vector's elements in another order.
mlir::Value shuffled(mlir::OpBuilder &builder, mlir::Value vector,
                     llvm::function_ref<int64_t(int64_t)> source);

} // namespace tonno

#endif // TONNO_MATRIXPROGRAM_H
