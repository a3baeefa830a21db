//===- A smooth surrogate -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Surrogate.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

using namespace tonno;

namespace {

// Single precision takes half the time of double, and the noise, at least 1e-5
// of the signal, is above what it loses.
using Matrix = Eigen::MatrixXf;
using Vector = Eigen::VectorXf;

/// The hyperparameters, which persist from fit to fit.
struct Scales {
  Vector lengths; ///< of each knob
  float noise = 0.01F;
};

/// The covariance matrix for some scales, decomposed, and what follows from it.
struct Decomposition {
  Matrix lower;    ///< L of K = L L^T; what is above the diagonal is arbitrary
  Vector whitened; ///< L^-1 targets
  double signalVariance = 0;
  double logPosterior = 0; ///< of the scales, but for a constant
};

} // namespace

struct GaussianProcess::Model {
  Options options;
  std::vector<Eigen::Index> firstColumns; ///< of each knob, and their end
  Scales scales;

  Matrix points;  ///< a row for each
  Vector targets; ///< less their mean
  double mean = 0;
  Decomposition fitted;
  Vector weights; ///< K^-1 targets

  float usualLength() const {
    return 0.6F * std::sqrt(static_cast<float>(firstColumns.size() - 1));
  }
  void squaredDistances(const Scales &scales, const float *point,
                        Eigen::Index first, Eigen::Ref<Vector> squares) const;
  double logPrior(const Scales &scales) const;
  bool decompose(const Scales &scales, Decomposition &result) const;
  void learnScales(Random &random);
  Scales moved(double step, Random &random) const;
};

GaussianProcess::GaussianProcess(std::span<const uint32_t> columnKnobs,
                                 Options options)
    : model(std::make_unique<Model>()) {
  model->options = options;
  for (size_t i = 0; i < columnKnobs.size(); ++i)
    if (i == 0 || columnKnobs[i] != columnKnobs[i - 1])
      model->firstColumns.push_back(static_cast<Eigen::Index>(i));
  auto knobs = static_cast<Eigen::Index>(model->firstColumns.size());
  model->firstColumns.push_back(static_cast<Eigen::Index>(columnKnobs.size()));
  model->scales.lengths = Vector::Constant(knobs, model->usualLength());
}

GaussianProcess::~GaussianProcess() = default;
GaussianProcess::GaussianProcess(GaussianProcess &&) noexcept = default;
GaussianProcess &
GaussianProcess::operator=(GaussianProcess &&) noexcept = default;

/// Computes the squared distances to the points from `first` on. Subtracts
/// before scaling, so that equal coordinates have distance zero.
void GaussianProcess::Model::squaredDistances(
    const Scales &scales, const float *point, Eigen::Index first,
    Eigen::Ref<Vector> squares) const {
  auto hamming = static_cast<float>(options.hamming);
  Eigen::Index count = squares.size();
  Vector ofKnob(count);
  squares.setZero();
  for (size_t knob = 0; knob + 1 < firstColumns.size(); ++knob) {
    ofKnob.setZero();
    for (Eigen::Index column = firstColumns[knob];
         column < firstColumns[knob + 1]; ++column) {
      const float *others = points.col(column).data() + first;
      float *sum = ofKnob.data();
      for (Eigen::Index i = 0; i < count; ++i)
        sum[i] += (others[i] - point[column]) * (others[i] - point[column]);
    }
    float length = scales.lengths[static_cast<Eigen::Index>(knob)];
    float factor = 1 / (length * length);
    const float *sum = ofKnob.data();
    float *all = squares.data();
    for (Eigen::Index i = 0; i < count; ++i)
      all[i] += factor * (sum[i] + (sum[i] > 0 ? hamming : 0));
  }
}

/// Replaces squared distances by Matern 5/2. Constant beyond a distance at
/// which the kernel vanishes: exp would give slow denormal numbers.
static void applyKernel(Eigen::Ref<Vector> squares) {
  auto r = squares.array();
  r = (5 * r).sqrt().min(40.0F);
  r = (1 + r + r.square() / 3) * (-r).exp();
}

double GaussianProcess::Model::logPrior(const Scales &scales) const {
  double sum = 0;
  for (float length : scales.lengths) {
    double z = std::log(length / usualLength()) / 0.8;
    sum -= z * z / 2;
  }
  double z = std::log(scales.noise / 0.01) / 1.5;
  return sum - (z * z / 2);
}

/// Decomposes the matrix; returns false if it is not positive definite, to this
/// precision.
bool GaussianProcess::Model::decompose(const Scales &scales,
                                       Decomposition &result) const {
  Eigen::Index count = targets.size();
  result.lower.resize(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    result.lower(i, i) = 1 + scales.noise;
    Vector point = points.row(i);
    auto below = result.lower.col(i).tail(count - i - 1);
    squaredDistances(scales, point.data(), i + 1, below);
    applyKernel(below);
  }
  Eigen::LLT<Eigen::Ref<Matrix>> inPlace(result.lower);
  if (inPlace.info() != Eigen::Success)
    return false;
  result.whitened = targets;
  result.lower.triangularView<Eigen::Lower>().solveInPlace(result.whitened);
  auto n = static_cast<double>(count);
  result.signalVariance =
      std::max(result.whitened.cast<double>().squaredNorm() / n, 1e-10);
  double halfLogDeterminant =
      result.lower.diagonal().cast<double>().array().log().sum();
  result.logPosterior = (-n / 2 * std::log(result.signalVariance)) -
                        halfLogDeterminant + logPrior(scales);
  return std::isfinite(result.logPosterior);
}

/// Returns the scales with some of them multiplied by about exp(step).
Scales GaussianProcess::Model::moved(double step, Random &random) const {
  Scales other = scales;
  for (float &length : other.lengths) {
    if (random.uniform() < 0.4)
      length *= static_cast<float>(std::exp(step * random.normal()));
    length = std::clamp(length, 0.05F, 30.0F);
  }
  if (random.uniform() < 0.3)
    other.noise *= static_cast<float>(std::exp(random.normal()));
  other.noise = std::clamp(other.noise, 1e-5F, 0.5F);
  return other;
}

void GaussianProcess::Model::learnScales(Random &random) {
  // Noise makes any matrix positive definite, and 0.5 is enough for all.
  while (!decompose(scales, fitted))
    scales.noise *= 10;
  Decomposition other;
  for (size_t move = 0; move < options.moves; ++move) {
    Scales tried = moved(move % 2 == 0 ? 0.9 : 0.3, random);
    if (!decompose(tried, other) || other.logPosterior <= fitted.logPosterior)
      continue;
    std::swap(fitted, other);
    scales = std::move(tried);
  }
}

/// Chooses `most` of the points, if there are more: half with the highest
/// targets, half the most recent of the others. Keeps their order.
static std::vector<size_t> chosen(std::span<const double> targets,
                                  size_t most) {
  std::vector<size_t> places(targets.size());
  std::iota(places.begin(), places.end(), 0);
  if (places.size() <= most)
    return places;
  auto middle = places.begin() + static_cast<ptrdiff_t>(most / 2);
  std::ranges::partial_sort(places, middle, {}, [&](size_t place) {
    return std::pair(-targets[place], targets.size() - place);
  });
  std::ranges::sort(middle, places.end(), std::greater());
  places.resize(most);
  std::ranges::sort(places);
  return places;
}

void GaussianProcess::fit(const Rows<float> &points,
                          std::span<const double> targets, Random &random) {
  assert(points.size() > 0 && points.size() == targets.size());
  Model &m = *model;
  std::vector<size_t> places = chosen(targets, m.options.mostPoints);
  auto count = static_cast<Eigen::Index>(places.size());
  m.points.resize(count, static_cast<Eigen::Index>(points.columns()));
  m.mean = 0;
  for (size_t place : places)
    m.mean += targets[place] / static_cast<double>(count);
  m.targets.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    size_t place = places[static_cast<size_t>(i)];
    m.targets[i] = static_cast<float>(targets[place] - m.mean);
    std::span<const float> row = points[place];
    for (size_t column = 0; column < row.size(); ++column)
      m.points(i, static_cast<Eigen::Index>(column)) = row[column];
  }
  m.learnScales(random);
  m.weights = m.fitted.whitened;
  m.fitted.lower.triangularView<Eigen::Lower>().transpose().solveInPlace(
      m.weights);
}

std::vector<GaussianProcess::Prediction>
GaussianProcess::predict(const Rows<float> &points) const {
  constexpr size_t block = 128; // columns that stay in the cache
  const Model &m = *model;
  std::vector<Prediction> predictions;
  predictions.reserve(points.size());
  for (size_t first = 0; first < points.size(); first += block) {
    auto count =
        static_cast<Eigen::Index>(std::min(block, points.size() - first));
    Matrix covariances(m.targets.size(), count);
    for (Eigen::Index i = 0; i < count; ++i) {
      auto column = covariances.col(i);
      m.squaredDistances(
          m.scales, points[first + static_cast<size_t>(i)].data(), 0, column);
      applyKernel(column);
    }
    Vector means = covariances.transpose() * m.weights;
    m.fitted.lower.triangularView<Eigen::Lower>().solveInPlace(covariances);
    Vector explained = covariances.colwise().squaredNorm();
    for (Eigen::Index i = 0; i < count; ++i)
      predictions.push_back({means[i] + static_cast<float>(m.mean),
                             static_cast<float>(m.fitted.signalVariance) *
                                 std::max(1 - explained[i], 1e-6F)});
  }
  return predictions;
}

std::span<const float> GaussianProcess::lengthScales() const {
  return {model->scales.lengths.data(),
          static_cast<size_t>(model->scales.lengths.size())};
}

float GaussianProcess::noise() const { return model->scales.noise; }

float GaussianProcess::signalVariance() const {
  return static_cast<float>(model->fitted.signalVariance);
}
