//===- Ops that become one GPU kernel -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_KERNELGROUP_H
#define TONNO_LIB_SCHEDULE_GPU_KERNELGROUP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <variant>
#include <vector>

namespace tonno {

/// Where a value comes from that an op of a group reads.
struct Source {
  enum class Kind {
    memory,   ///< a buffer, as it was before the group
    constant, ///< one value for every element
    result,   ///< what an earlier op of the group has computed
  };
  Kind kind = Kind::memory;
  mlir::Value value;   ///< the buffer, or the scalar
  size_t op = 0;       ///< of the group
  unsigned output = 0; ///< of that op
};

/// An op of a group.
struct GroupedOp {
  mlir::linalg::LinalgOp op;
  /// Of each of its loops: the dimension of the group's space.
  llvm::SmallVector<unsigned> dims;
  llvm::SmallVector<Source> inputs; ///< as its DPS inputs
  llvm::SmallVector<Source> inits;  ///< as its DPS inits
  /// Of each output: whether anything but the group reads it, or may.
  llvm::SmallVector<bool> isStored;
};

/// Consecutive structured ops on buffers that become one kernel. Threads
/// partition the group's space; what an op computes at a point of it is used at
/// that point only, so that it stays in the registers of that point's threads.
struct KernelGroup {
  enum class Kind {
    contraction, ///< a product summed up, then elementwise ops on the sums
    tiles,       ///< elementwise ops, and reductions over one dimension
    points,      ///< one op of any other form
  };
  Kind kind = Kind::points;
  llvm::SmallVector<int64_t> extents; ///< of the space
  std::optional<unsigned> reduced;    ///< tiles: the dimension
  llvm::SmallVector<GroupedOp> ops;
  /// Ops whose results are constants of the group's: they go with it.
  llvm::SmallVector<mlir::Operation *> absorbed;
};

/// Part of a kernel's body: a group, or other ops that go together.
using KernelPart =
    std::variant<KernelGroup, llvm::SmallVector<mlir::Operation *>>;

/// The parts of a function on buffers, in order. Two ops come into one group
/// only if that changes no result whichever of its threads is ahead of others.
/// An op with a configuration of its own is the only such op of its group.
/// Allocations, views and constants belong to no part.
std::vector<KernelPart> findParts(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_KERNELGROUP_H
