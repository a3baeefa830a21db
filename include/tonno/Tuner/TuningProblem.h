//===- The tuning problem of a kernel -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_TUNINGPROBLEM_H
#define TONNO_TUNER_TUNINGPROBLEM_H

#include "tonno/Backend/Backend.h"
#include "tonno/Cache/Records.h"
#include "tonno/Engine/Compiler.h"
#include "tonno/Engine/OracleOptions.h"
#include "tonno/Runtime/Device.h"
#include "tonno/Session/FailureKeepingLog.h"
#include "tonno/Session/SiblingStore.h"
#include "tonno/Timing/Protocol.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Tuner/TuneModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// A kernel's tuning problem: everything that its records depend on.
struct TuningProblem {
  CompilerSession source; ///< what the compiler was opened with
  SearchSpace space;
  /// The configuration selected in the input, if its knobs vary and it is
  /// legal.
  std::optional<Configuration> selected;
  CompilerDescription compiled;
  DeviceDescription device;
  ProblemIdentity identity;
  ProtocolOptions protocol; ///< of its measurements
  KernelFamily family;
  KernelFeatures features;
  /// Set where candidates are compared with the default instead of a reference
  /// in f64, as those of a model, whose kernels were compared with theirs.
  /// Without the artifact until the default was compiled.
  std::optional<Problem> againstDefault = {};
  /// The reference, if it was compiled before; else the compiler compiles it.
  std::shared_ptr<const Problem> reference = {};
};

/// Returns a log that leaves a file of each failure of the problem's candidates
/// where the options say; none if they name no directory. It refers to the
/// problem and the observer.
std::optional<FailureKeepingLog> createFailureLog(const TuningProblem &problem,
                                                  const TunerOptions &options,
                                                  TrialLog &observer);

/// Compiles what the problem's candidates are compared with.
Result<Problem, LocatedError> compileProblem(Compiler &compiler,
                                             const TuningProblem &problem);

/// Returns the session in which a runner judges candidates by the reference, or
/// by the default, which the compiler of the problem compiles here. A runner
/// waits for the device as long as the budget allows.
Result<RunnerSession, LocatedError>
createRunnerSession(Compiler &compiler, const TuningProblem &problem,
                    const TunerOptions &options);

/// Emits the error of another process, at its location in the input.
mlir::InFlightDiagnostic emitLocated(mlir::func::FuncOp kernel,
                                     const LocatedError &error);

/// Describes the measurement, the oracle's options and the inputs for the keys
/// of records. The oracle's version stands for its passes and bounds, which are
/// constants of its code. The Error names an input file that cannot be read.
Result<Json> policyJson(const ProtocolOptions &protocol,
                        const OracleOptions &oracle,
                        const Signature &signature);

/// Returns a warning for each input that is declared as one number: with such
/// inputs, most wrong results look right.
std::vector<std::string> findConstantInputs(const TuningProblem &problem);

/// Opens the kernel's closure in the compiler and describes the problem.
mlir::FailureOr<TuningProblem>
readProblem(mlir::func::FuncOp kernel, SelectedKnobs selected,
            const BackendRequest &request, Compiler &compiler,
            const DeviceDescription &device, const ProtocolOptions &protocol,
            const OracleOptions &oracle,
            std::optional<double> compileSeconds = std::nullopt,
            llvm::ArrayRef<Dimension> sizes = {});

/// Reads the kernel's space, at sizes or without constraints over dynamic
/// dimensions.
mlir::FailureOr<SearchSpace> readSpace(mlir::func::FuncOp kernel,
                                       const TunerOptions &options,
                                       llvm::ArrayRef<Dimension> sizes = {});

/// Opens the kernel's closure in the compiler as the options state.
mlir::FailureOr<TuningProblem>
readProblem(mlir::func::FuncOp kernel, const TunerOptions &options,
            Compiler &compiler, const DeviceDescription &device,
            llvm::ArrayRef<Dimension> sizes = {});

/// Reads a kernel of a model, whose knobs vary. It is timed with its data in
/// the caches, as they are in the model. The Error is the diagnostic that would
/// be emitted.
Result<TuningProblem> readModelKernel(mlir::func::FuncOp kernel,
                                      const TunerOptions &options,
                                      Compiler &compiler,
                                      const DeviceDescription &device);

/// Compiles a configuration of the opened kernel. The Error has its values.
Result<Artifact> compileConfiguration(Compiler &compiler, const Json &values);

/// Returns the hash of the binary compiled for a configuration of the opened
/// kernel. Entry points have the kernel's name, so kernels that differ in their
/// name only have different hashes.
Result<std::string, LocatedError> artifactHash(Compiler &compiler,
                                               const Json &values);

} // namespace tonno

#endif // TONNO_TUNER_TUNINGPROBLEM_H
