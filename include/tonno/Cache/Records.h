//===- Records of trials and decisions ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_RECORDS_H
#define TONNO_CACHE_RECORDS_H

#include "tonno/Core/DeviceCondition.h"
#include "tonno/Core/Measurement.h"
#include "tonno/Core/Trial.h"
#include "tonno/Space/SearchSpace.h"

#include <map>
#include <optional>
#include <string>

namespace tonno {

/// Everything but the configuration that a stored time depends on. Every member
/// is part of the keys, so that a change of any member misses.
struct ProblemIdentity {
  std::string kernelHash; ///< of the kernel with its knobs reduced to names
  std::string triple, chip, features;
  std::string backend; ///< Backend::fingerprint
  std::string device;  ///< name of the device the times belong to
  Json policy;         ///< how it is measured and verified

  /// Returns the SHA-256 of the canonical JSON of the identity and the
  /// configuration's values. Options are not part of it, so adding one keeps
  /// all trials.
  std::string trialKey(const Json &values) const;
  /// Returns the SHA-256 of the identity, the space and the search. Dimensions
  /// count if a constraint names them.
  std::string decisionKey(const SearchSpace &space, const Json &search) const;
  /// Returns the key of the latest decision in the space, independent of search
  /// and timing.
  std::string latestKey(const SearchSpace &space) const;
  /// Returns the key of the best configurations, independent of the space, the
  /// search and the timing.
  std::string bestKey() const;
};

/// A stored trial. The configuration is kept by value.
struct TrialRecord {
  Json values;
  Status status = Status::ok;
  std::string message;
  std::optional<Measurement> measurement;
  ResourceUsage usage;
  std::string artifactHash;

  static TrialRecord of(const Trial &trial, const SearchSpace &space);
};

/// Returns true if the same trial would have this outcome again, so that the
/// outcome can be stored.
bool isLasting(Status status);

/// A stored winner; with verdict `tie`, the default.
struct DecisionRecord {
  std::string kernel; ///< its name, which is part of the artifact
  Json values;
  std::string artifactHash;
  Comparison comparison;
  uint64_t trials = 0; ///< that the session ran, the baseline's among them
  uint64_t seed = 0;
  std::string strategy;
  std::string versions; ///< of tonno and LLVM
  /// Conditions that made the times less certain (Runtime/Environment.h).
  std::map<std::string, std::string> environment = {};
  std::optional<DeviceCondition> condition = {}; ///< after the last times
  /// Seconds of the budget, if these ended the search of a kernel in a model;
  /// none if more seconds would not have continued it.
  std::optional<double> endedBySeconds = {};
};

void mapFields(JsonFields &fields, ProblemIdentity &identity);
void mapFields(JsonFields &fields, TrialRecord &record);
void mapFields(JsonFields &fields, DecisionRecord &record);

} // namespace tonno

#endif // TONNO_CACHE_RECORDS_H
