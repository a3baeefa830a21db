//===- Tuning knowledge as a file -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PRIOR_PRIOR_H
#define TONNO_PRIOR_PRIOR_H

#include "tonno/Core/Json.h"
#include "tonno/Core/KernelFeatures.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tonno {

/// A kernel on a chip, as a prior knows it.
struct PriorTask {
  KernelFeatures features;
  std::string chip; ///< its name for compilers, or else for people
  std::vector<std::string> knobs; ///< sorted

  bool operator==(const PriorTask &) const = default;
};

/// A configuration that was measured.
struct PriorPoint {
  std::vector<Json> values; ///< one for each knob
  /// Logarithm of its time over the best of the source, from 0 to `mostLoss`;
  /// `mostLoss` if it failed.
  double loss = 0;
};

/// Slower configurations are not told apart.
inline constexpr double mostLoss = 2;

/// Measurements of one kernel on one device.
struct PriorSource {
  std::string name;
  PriorTask task;
  std::vector<PriorPoint> points;
};

/// Hyperparameters of the model (lib/Prior/PriorModel.h). Lengths are in
/// octaves of a value, amplitudes in those of losses.
struct PriorScales {
  double shared = 0.35; ///< amplitude of what equal ops have in common
  double own = 0.2;     ///< of what only equal kernels have in common
  double noise = 0.08;
  double mean = 0.5;
  double tileLength = 1.5;
  double sizeLength = 4;
  double otherLength = 1; ///< of flags, text and bits
  /// Correlation between two chips of what is common to both.
  double chipCorrelation = 0.7;
};

/// Tuning knowledge: measured configurations of kernels, thinned, with the
/// hyperparameters of a model over all of them. Text; deterministic.
struct Prior {
  std::string name;
  PriorScales scales;
  /// Share of losses of kernels that were left out which are in the model's
  /// 95 % intervals; 0 if it is unknown.
  double coverage = 0;
  std::vector<PriorSource> sources;
};

/// A prior whose intervals hold less than this share of losses predicts nothing
/// that may be claimed.
inline constexpr double leastCoverage = 0.85;

void mapFields(JsonFields &fields, PriorTask &task);
void to_json(Json &json, const PriorPoint &point);
void from_json(const Json &json, PriorPoint &point);
void mapFields(JsonFields &fields, PriorSource &source);
void mapFields(JsonFields &fields, PriorScales &scales);

/// Formats a prior as text: a line for each source and each of its points.
std::string formatPrior(const Prior &prior);
/// Parses the text of a prior; the name is that of the file.
Result<Prior> parsePrior(const std::string &text, const std::string &name);
Result<Prior> readPrior(const std::filesystem::path &path);

} // namespace tonno

#endif // TONNO_PRIOR_PRIOR_H
