//===- The launches of a kernel -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_EXPECTEDLAUNCHES_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_EXPECTEDLAUNCHES_H

#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// An op that becomes a part of a launch.
struct LaunchedOp {
  /// A linalg op or a linalg.softmax; null for a copy that bufferisation will
  /// make.
  mlir::Operation *op = nullptr;
  /// Of each of its loops: the dimension of the launch's space.
  llvm::SmallVector<unsigned> dims;
  unsigned numReductions = 0; ///< over the launch's reduced dimension
};

/// Ops of a kernel that GPUs' schedule will compute in one launch.
struct ExpectedLaunch {
  enum class Kind {
    contraction, ///< tiles in shared memory; its op is the first
    tiles,       ///< elementwise ops, and reductions over one dimension
    points,      ///< one op of any other form
  };
  Kind kind = Kind::points;
  llvm::SmallVector<int64_t> extents; ///< of the space
  std::optional<unsigned> reduced;    ///< tiles: the dimension
  llvm::SmallVector<LaunchedOp> ops;
  llvm::SmallVector<SpaceAccess> accesses; ///< of all its ops
  llvm::SmallVector<SpaceAccess> loads;    ///< from memory, each once
};

/// The launches of a kernel on tensors or buffers, in order, as
/// `tonno-map-to-gpu` will find them when all are buffers: by the same rules,
/// and by guesses about which tensors will share a buffer. A wrong guess costs
/// a launch more or less, no right result.
std::vector<ExpectedLaunch> expectLaunches(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_EXPECTEDLAUNCHES_H
