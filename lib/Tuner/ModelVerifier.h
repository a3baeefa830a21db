//===- Verifies kernels of a model ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_MODELVERIFIER_H
#define TONNO_LIB_TUNER_MODELVERIFIER_H

#include "ModelContext.h"
#include "ModelValues.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace tonno {

/// Verifies what the sessions of kernels leave open: winners on the model's own
/// values, and the defaults of kernels without a session. The model is compared
/// with these defaults only. What there is no time for is named in the outcome.
class ModelVerifier {
public:
  ModelVerifier(ModelContext &context, ModelKernels &formed,
                ModelOutcome &outcome)
      : context(context), formed(formed), outcome(outcome) {}

  /// Verifies the configurations that are compared in the model: all winners,
  /// then others, those of kernels that take most of the time first. Leaves the
  /// reserved seconds of the budget. Fails if a default fails.
  Result<void, LocatedError> verifyWinners(double reserved);

  /// Compares the defaults of kernels that had no session with their references
  /// in f64, those that take most of the time first. Leaves the reserved
  /// seconds of the budget. Fails if a default computes wrong results.
  Result<void, LocatedError> verifyDefaults(double reserved);

  /// Returns the configurations of a tuned kernel that are compared with its
  /// default in the model, the winner first. Once verification there began:
  /// those that passed.
  std::vector<Json> findAlternatives(const ModelKernelOutcome &kernel) const;

private:
  Result<void, LocatedError> verifyDefault(double seconds,
                                           ModelKernelOutcome &kernel);
  Result<void, LocatedError> verifyInModel(const ModelKernel &kernel,
                                           std::span<const Json> configurations,
                                           const ModelValues &values,
                                           double reserved,
                                           ModelKernelOutcome &winner);
  bool isOver(double reserved) const;
  std::string describeKernel(const ModelKernelOutcome &kernel) const;

  ModelContext &context;
  ModelKernels &formed;
  ModelOutcome &outcome;
  /// Values of the configurations of kernels that passed in the model, of
  /// kernels whose verification there began.
  std::map<std::string, std::vector<Json>> passed;
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_MODELVERIFIER_H
