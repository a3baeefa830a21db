//===- Models of the quality of points ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_MODELS_SURROGATE_H
#define TONNO_LIB_SEARCH_MODELS_SURROGATE_H

#include "tonno/Space/Encoding.h"
#include "tonno/Space/Random.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tonno {

/// A Gaussian process over the coordinates of an Encoding (C. E. Rasmussen and
/// C. K. I. Williams, "Gaussian processes for machine learning", 2006), which
/// knows how sure it is of what it predicts.
///
/// The kernel is Matern 5/2 of r, with a length scale l for each knob:
///
///   r^2 = sum over the knobs of (|difference of coordinates|^2 + h [they
///         differ]) / l^2
///
/// The second term, h = `hamming`, keeps neighbours apart that differ in one
/// knob by little: without it the process is too smooth near the end of a
/// search. The mean is that of the targets, the signal's variance follows from
/// the rest. Length scales and noise (relative to the signal's variance) are
/// kept from fit to fit: each tries `moves` random changes, and keeps those
/// that the targets, with log-normal priors, make more likely.
class GaussianProcess {
public:
  struct Options {
    double hamming = 0.25;
    size_t moves = 3;
    /// More are not used, to bound the cost, which is cubic: half of these with
    /// the highest targets, half the last ones.
    size_t mostPoints = 500;
  };

  struct Prediction {
    float mean;
    float variance; ///< of the function, without the noise
  };

  /// Creates a model of points whose coordinates belong to these knobs (see
  /// Encoding::columnKnobs); the columns of a knob are adjacent.
  GaussianProcess(std::span<const uint32_t> columnKnobs, Options options);
  explicit GaussianProcess(std::span<const uint32_t> columnKnobs)
      : GaussianProcess(columnKnobs, Options()) {}
  ~GaussianProcess();
  GaussianProcess(GaussianProcess &&) noexcept;
  GaussianProcess &operator=(GaussianProcess &&) noexcept;

  /// Fits the process to at least one point, with a finite target for each.
  void fit(const Rows<float> &points, std::span<const double> targets,
           Random &random);

  /// Predicts the targets of points. Precondition: `fit` was called.
  std::vector<Prediction> predict(const Rows<float> &points) const;

  /// Returns the length scale of each knob that has columns, in their order.
  std::span<const float> lengthScales() const;
  float noise() const;
  float signalVariance() const;

private:
  struct Model;
  std::unique_ptr<Model> model;
};

/// Points as models see them.
struct EncodedPoints {
  EncodedPoints(Rows<uint8_t> bins, Rows<float> coordinates)
      : bins(std::move(bins)), coordinates(std::move(coordinates)) {}
  EncodedPoints(const Encoding &encoding, std::span<const Configuration> points)
      : bins(encoding.bins(points)), coordinates(encoding.coordinates(points)) {
  }

  Rows<uint8_t> bins;
  Rows<float> coordinates;
};

/// The observations that a model is fitted to.
struct TrainingSet {
  EncodedPoints points;
  /// The quality of each point: the best ratio divided by the point's ratio, so
  /// that 1 is the best so far; 0 for failures, the predicted quality for
  /// pending points.
  std::vector<double> qualities;
  /// The ratio of each point; none if it failed or is pending.
  std::vector<std::optional<double>> ratios;
};

/// A model of how good points are.
class Surrogate {
public:
  virtual ~Surrogate() = default;

  virtual std::string_view name() const = 0;

  /// Fits the model to at least three points.
  virtual void fit(const TrainingSet &set, Random &random) = 0;

  /// Scores points by how promising they are; only the order of scores matters,
  /// unless they are improvements. Precondition: `fit` was called.
  virtual std::vector<double> score(const EncodedPoints &points) const = 0;

  /// Returns true if a score is the expected improvement over the best, as a
  /// share of the best's quality.
  virtual bool scoresImprovement() const { return false; }
};

/// Creates a model of points whose columns belong to these knobs (as
/// Encoding::columnKnobs).
using SurrogateFactory =
    std::unique_ptr<Surrogate>(std::span<const uint32_t> columnKnobs);

/// A regression forest: expected improvement, with the spread of its trees.
SurrogateFactory createForestSurrogate;
/// A classifier of the best: likelihood-free expected improvement.
SurrogateFactory createClassifierSurrogate;
/// A Gaussian process: expected improvement.
SurrogateFactory createProcessSurrogate;

} // namespace tonno

#endif // TONNO_LIB_SEARCH_MODELS_SURROGATE_H
