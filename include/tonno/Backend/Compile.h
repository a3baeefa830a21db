//===- Kernels to artifacts -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_COMPILE_H
#define TONNO_BACKEND_COMPILE_H

#include "tonno/Backend/Backend.h"
#include "tonno/Core/Artifact.h"
#include "tonno/Core/Problem.h"

#include <memory>
#include <string>

namespace mlir {
class PassManager;
} // namespace mlir

namespace tonno {

/// Compiles candidates of one kernel, one after another, with the same passes:
/// to make them takes longer than to run them on a small kernel.
class CandidateCompiler {
public:
  CandidateCompiler(const Backend &backend, mlir::MLIRContext &context,
                    llvm::StringRef kernel);
  ~CandidateCompiler();

  /// Checks a kernel whose knobs are resolved and lowers it to the LLVM
  /// dialect, in place. The plan says how to run what `Backend::emit` makes of
  /// it.
  mlir::FailureOr<LaunchPlan> lower(mlir::ModuleOp module);

  /// Compiles a kernel whose knobs are resolved. `module` is the kernel's
  /// closure and is lowered in place: pass a clone to keep it.
  mlir::FailureOr<Artifact> compile(mlir::ModuleOp module);

  /// Compiles a function with a known signature: `plan` has the buffers and the
  /// launch; workspace is added.
  mlir::FailureOr<Artifact> compile(mlir::ModuleOp module, LaunchPlan plan);

private:
  mlir::LogicalResult lower(mlir::ModuleOp module, LaunchPlan &plan);

  const Backend &backend;
  std::string kernel;
  std::unique_ptr<mlir::PassManager> passes;
};

/// Calls `CandidateCompiler::lower` once.
mlir::FailureOr<LaunchPlan> lowerKernel(const Backend &backend,
                                        mlir::ModuleOp module,
                                        llvm::StringRef kernel);

/// Calls `CandidateCompiler::compile` once.
mlir::FailureOr<Artifact> compileCandidate(const Backend &backend,
                                           mlir::ModuleOp module,
                                           llvm::StringRef kernel);

/// Describes a kernel whose candidates are compared with its default
/// configuration; the artifact of the latter is left to the caller.
Problem describeAgainstDefault(mlir::func::FuncOp kernel);

/// Describes a kernel whose default is only run, and not compared with others.
Problem describeAsOwnReference(mlir::func::FuncOp kernel);

/// Compiles the reference of a kernel: the same closure without its schedule,
/// or the function named by `tonno.reference`, in f64, lowered to plain loops
/// for the host's architecture and this CPU. Leaves `module` unchanged; its
/// knobs need not be resolved.
mlir::FailureOr<Problem> compileReference(mlir::ModuleOp module,
                                          llvm::StringRef kernel,
                                          llvm::StringRef cpu = "native");

/// Compiles the kernel without its schedule, in its own types, lowered like the
/// reference.
mlir::FailureOr<Artifact> compilePlain(mlir::ModuleOp module,
                                       llvm::StringRef kernel,
                                       const LaunchPlan &plan);

} // namespace tonno

#endif // TONNO_BACKEND_COMPILE_H
