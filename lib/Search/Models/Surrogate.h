//===- Models of how good points are --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_MODELS_SURROGATE_H
#define TONNO_LIB_SEARCH_MODELS_SURROGATE_H

#include "tonno/Search/Encoding.h"
#include "tonno/Search/Random.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tonno {

/// Points as models see them.
struct EncodedPoints {
  EncodedPoints(const Encoding &encoding, std::span<const Configuration> points)
      : bins(encoding.bins(points)), coordinates(encoding.coordinates(points)) {
  }

  Rows<uint8_t> bins;
  Rows<float> coordinates;
};

/// What a model learns from.
struct TrainingSet {
  EncodedPoints points;
  /// Of each point: the best ratio over its own, so that 1 is the best so far;
  /// 0 if it failed; what is expected of it if it is pending.
  std::vector<double> qualities;
  /// None: it failed, or is pending.
  std::vector<std::optional<double>> ratios;
};

/// A model of how good points are.
class Surrogate {
public:
  virtual ~Surrogate() = default;

  virtual std::string_view name() const = 0;

  /// To at least three points.
  virtual void fit(const TrainingSet &set, Random &random) = 0;

  /// How promising each point is; only their order counts, unless they are
  /// improvements. Precondition: `fit` was called.
  virtual std::vector<double> score(const EncodedPoints &points) const = 0;

  /// Whether a score is by how much the point is expected to beat the best, as
  /// a share of the best's quality.
  virtual bool scoresImprovement() const { return false; }
};

/// A regression forest: expected improvement, with the spread of its trees.
std::unique_ptr<Surrogate> createForestSurrogate();

/// A classifier of the best: likelihood-free expected improvement.
std::unique_ptr<Surrogate> createClassifierSurrogate();

/// A Gaussian process: expected improvement.
std::unique_ptr<Surrogate>
createProcessSurrogate(std::span<const uint32_t> columnKnobs);

/// Boosted trees: the expected quality.
std::unique_ptr<Surrogate> createBoostedSurrogate();

} // namespace tonno

#endif // TONNO_LIB_SEARCH_MODELS_SURROGATE_H
