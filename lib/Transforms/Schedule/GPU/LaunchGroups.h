//===- Groups of ops that become one launch -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_LAUNCHGROUPS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_LAUNCHGROUPS_H

#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <variant>
#include <vector>

namespace tonno {

/// Two workgroups for each of about 100 compute units keep a GPU busy.
inline constexpr int64_t enoughWorkgroups = 200;

/// Source of a value that an op of a group reads.
struct Source {
  enum class Kind {
    memory,   ///< a buffer, with its contents before the group
    constant, ///< one value for every element
    result,   ///< the result of an earlier op of the group
  };
  Kind kind = Kind::memory;
  mlir::Value value;   ///< the buffer, or the scalar
  size_t op = 0;       ///< of the group
  unsigned output = 0; ///< of that op
};

/// An op of a group.
struct GroupedOp {
  /// Null for a linalg.softmax, and for a copy that bufferisation will make.
  mlir::linalg::LinalgOp op;
  /// The op that has the configuration: `op` or the softmax; null for a copy.
  mlir::Operation *anchor = nullptr;
  /// Dimension of the group's space for each of the op's loops.
  llvm::SmallVector<unsigned> dims;
  unsigned numReductions = 0;       ///< over the group's reduced dimension
  llvm::SmallVector<Source> inputs; ///< as its DPS inputs
  llvm::SmallVector<Source> inits;  ///< as its DPS inits
  /// True for each output that ops outside of the group read, or may read.
  llvm::SmallVector<bool> isStored;

  bool isConfigured() const;
};

/// Consecutive structured ops that become one launch. Threads partition its
/// space; values are used at the point where they are computed, in registers.
struct LaunchGroup {
  enum class Kind {
    contraction, ///< a product summed up, then elementwise ops on the sums
    tiles,       ///< elementwise ops, and reductions over one dimension
    points, ///< an op of any other form, then elementwise ops on its results
  };
  Kind kind = Kind::points;
  bool followsBranch = false;         ///< a launch branch is right before it
  llvm::SmallVector<int64_t> extents; ///< of the space, some dynamic
  /// The same as values; null for those that are not known yet.
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  std::optional<unsigned> reduced; ///< tiles: the dimension
  llvm::SmallVector<GroupedOp> ops;
  llvm::SmallVector<SpaceAccess> accesses; ///< of all its ops
  llvm::SmallVector<SpaceAccess> loads;    ///< from memory, each once
  /// Ops whose results are constants of the group's: they go with it.
  llvm::SmallVector<mlir::Operation *> absorbed;
};

/// Part of a kernel's body: a group, or other ops that go together.
using LaunchPart =
    std::variant<LaunchGroup, llvm::SmallVector<mlir::Operation *>>;

/// Returns true if a thread can compute the results of the group's first op at
/// a point in registers.
bool hasResultsAtPoints(const GroupedOp &first);

/// Returns the allocation, argument or tensor that a value is a view of.
mlir::Value getUnderlyingValue(mlir::Value value);

/// Returns the parts of a kernel's block, in order, without launch branches.
/// Ops join a group if that changes no result whichever thread is ahead; one at
/// most has a configuration. Allocations, views and constants belong to none.
/// On tensors it guesses which will share a buffer: a wrong guess costs a
/// launch.
std::vector<LaunchPart> findParts(mlir::Block &block);

/// Returns an operand's map with the group's dimensions for the op's loops.
mlir::AffineMap getMapInGroupSpace(const GroupedOp &member,
                                   mlir::OpOperand &operand, size_t numDims);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_LAUNCHGROUPS_H
