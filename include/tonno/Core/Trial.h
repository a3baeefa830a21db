//===- A candidate and its outcome ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_TRIAL_H
#define TONNO_CORE_TRIAL_H

#include "tonno/Core/Configuration.h"
#include "tonno/Core/Measurement.h"
#include "tonno/Core/ResourceUsage.h"
#include "tonno/Core/Status.h"

#include <optional>
#include <string>

namespace tonno {

/// A candidate with what became of it: status, measurement, resource usage and
/// the time it cost.
struct Trial {
  Configuration configuration;
  Status status = Status::ok;
  std::string message;                    ///< why, unless ok
  std::optional<Measurement> measurement; ///< of a trial that is ok or pruned
  ResourceUsage usage;
  std::string artifactHash; ///< empty if it did not compile
  double compileSeconds = 0;
  double runSeconds = 0;     ///< verifying and measuring
  bool isRecalled = false;   ///< its failure was known, and it was not run
  double sessionSeconds = 0; ///< of its session, when it had ended
  std::string reason = {};   ///< why it was proposed, if its strategy said so
  /// Lower bound of the ratio to the baseline, if bounded.
  std::optional<double> ratioBound = {};
  /// Seconds of the shortest launch that was verified, if `different_bits`.
  std::optional<double> verifiedSeconds = {};
  std::string device = {}; ///< that took it, if its session has several
  size_t place = 0;        ///< of a replayed trial, in its journal

  bool ok() const { return status == Status::ok; }
};

} // namespace tonno

#endif // TONNO_CORE_TRIAL_H
