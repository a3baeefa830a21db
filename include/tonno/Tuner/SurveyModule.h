//===- Surveys the kernels of a module ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_SURVEYMODULE_H
#define TONNO_TUNER_SURVEYMODULE_H

#include "tonno/Session/Bundle.h"
#include "tonno/Tuner/TuneModule.h"

#include "llvm/Support/raw_ostream.h"

namespace tonno {

/// The outcome of a survey of one kernel, at one of its shapes if it has
/// several.
struct SurveyOutcome {
  std::string kernel;
  std::vector<Dimension> sizes; ///< empty for a kernel of one shape
  SearchSpace space;
  std::string target, chip;
  bool isVerified = false; ///< ok says that results are right, too
  std::vector<Trial> trials;
  double seconds = 0;
  std::optional<BundledKernel> bundled; ///< if it was asked for
  size_t keptFailures = 0;              ///< of which there is a file
  std::string failureDirectory = {};    ///< where, if there are any
};

/// Compiles candidates of the module's kernels, and verifies them with the
/// device `sim`; times none, and leaves the module unchanged. On failure, a
/// located diagnostic was emitted.
mlir::FailureOr<std::vector<SurveyOutcome>>
surveyModule(mlir::ModuleOp module, const TunerOptions &options,
             TuneObserver &observer);

/// Prints a line for each candidate, with its status and its resources, the
/// default first; then each failure status with its first message, and the
/// directory of failure files.
void printSurvey(llvm::raw_ostream &stream, const SurveyOutcome &outcome);

} // namespace tonno

#endif // TONNO_TUNER_SURVEYMODULE_H
