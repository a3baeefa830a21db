//===- The time of each kernel of a model ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_MODELPROFILE_H
#define TONNO_LIB_TUNER_MODELPROFILE_H

#include "tonno/Transforms/ModelKernels.h"
#include "ModelContext.h"

#include <map>
#include <set>
#include <string>

namespace tonno {

/// Times kernels by default.
class ModelProfile {
public:
  /// Lists the kernels in the outcome and in `formed`, those with the most
  /// work first. All three outlive this.
  ModelProfile(ModelContext &context, ModelKernels &formed,
               ModelOutcome &outcome);

  /// Times kernels, in their order, until those timed have this share of all
  /// work, as long as the seconds suffice. Sorts the outcome by the time
  /// that all calls of a kernel take, which is estimated for kernels that are
  /// left.
  void extend(double share);

  bool isTimed(const std::string &kernel) const {
    return leastSeconds.contains(kernel);
  }
  bool cannotBeTimed(const std::string &kernel) const {
    return untimed.contains(kernel);
  }
  /// Returns the least seconds of a session of the kernel; if it was not timed,
  /// those of the shortest session.
  double getLeastSeconds(const std::string &kernel) const;

private:
  bool isDone(const std::string &kernel) const;
  void timeKernel(ModelKernelOutcome &kernel);
  std::optional<double> timeDefault(TuningProblem problem);
  void estimateShares(bool ofAll);

  ModelContext &context;
  ModelKernels &formed;
  ModelOutcome &outcome;
  double seconds = 0;                         ///< that this took
  std::map<std::string, double> work;         ///< of kernels, in all calls
  std::map<std::string, double> leastSeconds; ///< of a session of a kernel
  std::set<std::string> untimed;              ///< kernels that can't be timed
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_MODELPROFILE_H
