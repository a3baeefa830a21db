//===- Kernels compiled and verified --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKBENCH_H
#define TONNO_WORKBENCH_H

#include "tonno/Backend/Compile.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Space/SearchSpace.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>

namespace tonno {

/// Compiles kernels for simulated GPUs and compares their results with the
/// references, all in this process.
class Workbench {
public:
  Workbench();

  /// A kernel in the LLVM dialect, and how it is launched.
  struct Lowered {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    LaunchPlan plan;

    Lowered clone() const { return {module.get().clone(), plan}; }
  };
  /// Lowers the function `@f` of `text` for the chip.
  Result<Lowered> lower(const std::string &text, const std::string &chip);
  /// Changes a function behind tonno-map-to-gpu.
  using Edit = std::function<void(mlir::func::FuncOp)>;
  /// Lowers the function, edited.
  Result<Lowered> lower(const std::string &text, const std::string &chip,
                        const Edit &edit);
  /// Emits the binary of a lowered kernel for the chip.
  Result<Artifact> emit(Lowered lowered, const std::string &chip);
  Result<Artifact> compile(const std::string &text, const std::string &chip);

  /// Runs an artifact of `text` in the orders of threads of each seed; returns
  /// the first failure, if any.
  Result<void, Failure> verify(const std::string &text,
                               const Artifact &artifact,
                               const std::vector<uint64_t> &seeds);
  /// The same for an artifact of dynamic shapes, at these sizes.
  Result<void, Failure> verifyAt(const std::string &text, Artifact artifact,
                                 const std::vector<Dimension> &sizes,
                                 const std::vector<uint64_t> &seeds);

private:
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);
  struct ChipCompiler {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<CandidateCompiler> candidates; ///< as a worker keeps it
  };
  ChipCompiler &compiler(const std::string &chip);
  Result<const Problem *> problemOf(const std::string &text);
  Result<Runner *> runner(const Problem &problem, const Artifact &artifact,
                          uint64_t seed);
  Result<void, Failure> verify(const Problem &problem, const Artifact &artifact,
                               const std::vector<uint64_t> &seeds);

  mlir::MLIRContext context;
  std::string message; ///< the last diagnostic
  mlir::ScopedDiagnosticHandler handler;
  std::map<std::string, ChipCompiler> compilers; ///< by chip
  std::map<std::string, Problem> problems; ///< by text without configurations
  /// By text and sizes.
  std::map<std::pair<std::string, std::string>, Problem> problemsAtSizes;
  struct OpenRunner {
    std::unique_ptr<Runner> runner;
    const Problem *problem = nullptr; ///< what it was opened with
  };
  std::map<uint64_t, OpenRunner> runners; ///< by seed
};

} // namespace tonno

#endif // TONNO_WORKBENCH_H
