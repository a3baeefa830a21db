//===- A space whose points were all measured -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_RECORDING_H
#define TONNO_SEARCH_RECORDING_H

#include "tonno/Core/SearchSpace.h"
#include "tonno/Core/Status.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tonno {

/// What it took to measure one configuration, in seconds. Where a source knows
/// the sum alone, that is in `run`.
struct RecordedCost {
  double compile = 0;
  double run = 0;   ///< verifying and measuring
  double other = 0; ///< of the tuner itself

  double total() const { return compile + run + other; }
  bool operator==(const RecordedCost &) const = default;
};

/// A configuration with what became of it when somebody measured it.
struct RecordedTrial {
  Configuration configuration;
  Status status = Status::ok;
  double seconds = 0; ///< of the kernel: positive if ok, else 0
  RecordedCost cost;

  bool ok() const { return status == Status::ok; }
  bool operator==(const RecordedTrial &) const = default;
};

/// A tuning space of which points were measured, all or some, to search in it
/// without the device. These points are its legal ones; the space itself has
/// no constraints, since recordings don't tell them. It has at least one point,
/// and one that is ok.
///
/// The options of a knob are those that occur: sorted if all are numbers, or
/// all booleans, else in the order in which they occur. The default is the
/// first point.
class Recording {
public:
  const std::string &name() const { return title; } ///< for people
  const SearchSpace &space() const { return searchSpace; }

  /// In the recorded order, no configuration twice.
  const std::vector<RecordedTrial> &trials() const { return recorded; }
  std::vector<Configuration> points() const;

  /// The index of the trial of this configuration.
  std::optional<size_t> find(const Configuration &configuration) const;

  double bestSeconds() const { return best; }
  double worstSeconds() const { return worst; }
  size_t okCount() const { return valid; }

  /// Entries that broke constraints which are known without measuring: they are
  /// no points.
  size_t excluded() const { return excludedCount; }
  /// Entries that tell nothing of their configuration, since others used the
  /// device or the runner was lost: they are no points either.
  size_t disturbed() const { return disturbedCount; }
  /// What whoever uses it should know, such as that its file may have been cut
  /// off.
  const std::vector<std::string> &notes() const { return noteList; }

  void rename(std::string name) { title = std::move(name); }

private:
  friend class RecordingBuilder;
  Recording() = default;

  std::string title;
  SearchSpace searchSpace;
  std::vector<RecordedTrial> recorded;
  std::unordered_map<Configuration, size_t, ConfigurationHash> places;
  double best = 0, worst = 0;
  size_t valid = 0, excludedCount = 0, disturbedCount = 0;
  std::vector<std::string> noteList;
};

} // namespace tonno

#endif // TONNO_SEARCH_RECORDING_H
