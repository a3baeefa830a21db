//===- Groups of ops that form kernels ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_KERNELS_KERNELGROUPS_H
#define TONNO_LIB_TRANSFORMS_KERNELS_KERNELGROUPS_H

#include "tonno/Transforms/DefaultSchedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <utility>

namespace tonno {

/// A producer joins the kernel of its only user if the kernel has at least this
/// many times its work: a kernel of its own would not repay its launch
/// and its trials.
inline constexpr int64_t cheapKernelRatio = 16;

/// Ops of a function that form a kernel.
struct KernelGroup {
  mlir::Operation *root; ///< the last one
  /// In the order of a walk from the root to its operands, so that equal groups
  /// have one order whatever stands between their ops.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The kernel's results: the root's, and others that are used outside.
  llvm::SmallVector<mlir::Value> results;
};

/// The treatment of the configurations that ops have.
enum class Configs {
  keep, ///< they decide what is fused, and kernels have them
  drop, ///< as if there were none
};

/// Returns the groups of ops that the schedule computes together, by default
/// where ops have no configuration; none if there are fewer than two.
llvm::SmallVector<KernelGroup> findKernelGroups(mlir::func::FuncOp function,
                                                const DefaultSchedule &schedule,
                                                Configs configs);

/// Returns the name that the locations of a group's ops state, as frontends
/// record it: of the last op that is in a scope, such as
/// `layer3.attention.scores`, else of the last op. Empty if that has none.
llvm::StringRef findSourceName(const KernelGroup &group);

/// Returns the values defined outside of the ops that they use, in order of
/// use.
llvm::SmallVector<mlir::Value>
findKernelInputs(llvm::ArrayRef<mlir::Operation *> ops);

/// Removes the configurations of a function's ops, and its constraints.
void dropDefaultSpace(mlir::func::FuncOp function);

/// Functions made of groups, each once: those that are equal up to names,
/// locations and the contents of arguments are one.
class DistinctKernels {
public:
  explicit DistinctKernels(Configs configs) : configs(configs) {}

  /// Adds a group's kernel, named `kernel_<number>`. Returns the number of its
  /// function, and whether it is new. The caller inserts new functions into a
  /// module.
  std::pair<size_t, bool> add(mlir::func::FuncOp function,
                              const KernelGroup &group);

  mlir::func::FuncOp operator[](size_t number) const { return kernels[number]; }
  size_t size() const { return kernels.size(); }

private:
  Configs configs;
  llvm::SmallVector<mlir::func::FuncOp> kernels;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_KERNELS_KERNELGROUPS_H
