//===- Records of trials and decisions ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_RECORDS_H
#define TONNO_CACHE_RECORDS_H

#include "tonno/Core/DeviceCondition.h"
#include "tonno/Core/DevicePeaks.h"
#include "tonno/Core/KernelFeatures.h"
#include "tonno/Core/Measurement.h"
#include "tonno/Core/Trial.h"
#include "tonno/Core/UsageLimit.h"
#include "tonno/Space/SearchSpace.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// Larger records are damaged: even that of a model with hundreds of knobs has
/// a hundredth of this.
inline constexpr uint64_t mostRecordBytes = uint64_t{4} << 20;

/// Everything but the configuration that a stored time depends on. Every member
/// is part of the keys, so that a change of any member misses.
struct ProblemIdentity {
  std::string kernelHash; ///< of the kernel with its knobs reduced to names
  std::string triple, chip, features;
  std::string backend; ///< Backend::fingerprint
  std::string device;  ///< name of the device the times belong to
  Json policy;         ///< how it is measured and verified

  /// Return the questions that records answer: the data that the keys below are
  /// hashes of.
  Json trialQuestion(const Json &values) const;
  Json decisionQuestion(const SearchSpace &space, const Json &search) const;
  Json latestQuestion(const SearchSpace &space) const;

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
  /// Returns the key of the record of this identity (ProblemRecord).
  std::string problemKey() const;
};

/// Returns the key of the record that answers a question.
std::string computeKey(const Json &question);

/// The member of a stored decision that has its question. Older ones have none.
inline constexpr const char *questionMember = "question";

/// The search of `latestQuestion`.
inline constexpr const char *latestSearch = "latest";

/// A stored identity, which trials name by its key.
struct ProblemRecord {
  ProblemIdentity identity;
  KernelFeatures features = {}; ///< no ops in older records
};

/// A stored trial. The configuration is kept by value.
struct TrialRecord {
  Json values;
  Status status = Status::ok;
  std::string message;
  std::optional<Measurement> measurement;
  ResourceUsage usage;
  std::string artifactHash;
  /// ProblemIdentity::problemKey, in the cache; older records have none.
  std::string problem = {};
  std::optional<double> verifiedSeconds = {}; ///< Trial's

  static TrialRecord of(const Trial &trial, const SearchSpace &space);
};

/// Returns true if the same trial would have this outcome again, so that the
/// outcome can be stored.
bool isLasting(Status status);

/// The gain that a user left by requiring the default's bits, as far as it is
/// known: times of trials, not of a test.
struct OtherBitsRecord {
  uint64_t candidates = 0; ///< that were right, but gave other bits
  uint64_t timed = 0;      ///< of these, the fastest as they were verified
  /// Values of the fastest one; none if none was faster than the winner.
  std::optional<Json> values = {};
  double seconds = 0; ///< its median
  Speedup speedup = {1, {1, 1}};
  std::string needs = {}; ///< "another order of summation"
};

/// The use of the resource that the winner has the least of.
struct ObjectiveRecord {
  Resource resource = Resource::workspace;
  uint64_t used = 0;         ///< by the winner, in the resource's unit
  uint64_t baselineUsed = 0; ///< by the default
  /// The default's use over the winner's by a test, if use is measured.
  std::optional<Speedup> gain = {};
};

/// A configuration that no other one beats in time and all resources that the
/// user named.
struct FrontPoint {
  Json values;
  std::string artifactHash;
  Comparison comparison; ///< with the default, by a test
  ResourceUsage usage;
  /// The same in joules of a launch; none if energy was not measured.
  std::optional<Comparison> energy = {};
};

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
  std::optional<OtherBitsRecord> otherBits = {}; ///< with `Bits::same`
  std::optional<ObjectiveRecord> objective = {}; ///< unless that is time
  /// The fastest first; none if no front was asked for.
  std::optional<std::vector<FrontPoint>> front = {};
  uint32_t threads = 1; ///< that the chosen configuration uses, on the host
  /// The device's, for the work's element types and these threads; none if
  /// they are unknown, and in older records.
  std::optional<DevicePeaks> peaks = {};
  /// The gain over the winner that no legal configuration is expected to
  /// exceed, at 95 %; none if nothing can be claimed.
  std::optional<double> remainingGain = {};
  /// Values of the candidate that was tested, if the test left the default.
  std::optional<Json> tied = {};
};

void mapFields(JsonFields &fields, ProblemIdentity &identity);
void mapFields(JsonFields &fields, ProblemRecord &record);
void mapFields(JsonFields &fields, TrialRecord &record);
void mapFields(JsonFields &fields, OtherBitsRecord &record);
void mapFields(JsonFields &fields, ObjectiveRecord &record);
void mapFields(JsonFields &fields, FrontPoint &point);
void mapFields(JsonFields &fields, DecisionRecord &record);

} // namespace tonno

#endif // TONNO_CACHE_RECORDS_H
