//===- A kernel of dynamic shapes at known sizes ----------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_KERNELATSIZES_H
#define TONNO_BACKEND_KERNELATSIZES_H

#include "tonno/Backend/Compile.h"
#include "tonno/Space/SearchSpace.h"

namespace tonno {

/// A kernel whose dynamic dimensions, if there are any, have known sizes:
/// candidates take any size, and are run and verified at these.
class KernelAtSizes {
public:
  /// Creates the kernel from its closure. Fails, with a diagnostic, if a
  /// dynamic dimension has no size, or a size has no dimension.
  static mlir::FailureOr<KernelAtSizes> create(mlir::ModuleOp closure,
                                               llvm::StringRef kernel,
                                               llvm::ArrayRef<Dimension> sizes);

  /// Returns the signature of every candidate: the sizes are inputs behind the
  /// results.
  const Signature &signature() const { return buffers; }
  KernelWork computeWork() const;

  /// Compiles what candidates are verified against, for these sizes alone.
  mlir::FailureOr<Problem> compileReference(llvm::StringRef cpu) const;

  /// Makes the plan of a compiled candidate one for these sizes: with shapes,
  /// grids, and only the launches that run.
  mlir::LogicalResult fixSizes(Artifact &candidate) const;

private:
  mlir::ModuleOp getModule() const;
  mlir::LogicalResult fixLaunches(LaunchPlan &plan,
                                  const std::vector<Dimension> &known) const;

  mlir::ModuleOp closure; ///< if the kernel is static
  mlir::OwningOpRef<mlir::ModuleOp> specialized;
  std::string kernel;
  Signature buffers;
  Signature sizes; ///< those of `buffers` that are sizes
};

} // namespace tonno

#endif // TONNO_BACKEND_KERNELATSIZES_H
