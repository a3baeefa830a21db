//===- A model of a kernel that knows other kernels -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PriorModel.h"
#include "PriorCovariance.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace tonno;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Loss that is expected of each octave beyond what sources have.
static constexpr double lossBeyond = 0.3;

struct PriorModel::Model {
  PriorCovariance covariance;
  PriorTask task;
  std::vector<EncodedTask> sources = {};
  std::vector<std::string> names = {}, chips = {};
  MatrixXd lower = {};    ///< of the sources' covariances, L of K = L L^T
  VectorXd whitened = {}; ///< L^-1 of the sources' losses less the mean

  std::vector<std::vector<Json>> observed = {};
  std::vector<std::optional<double>> logTimes = {};

  struct Own;

  void take(const Prior &prior, Options options);
  Own encodeOwn();
  void decompose(const VectorXd &losses);
  MatrixXd covariancesWithSources(const EncodedTask &points) const;
  VectorXd observedLosses() const;
  VectorXd computeExcess(const EncodedTask &points) const;
  VectorXd computeMeans(const MatrixXd &whitenedColumns) const {
    return (whitenedColumns.transpose() * whitened).array() +
           covariance.scales.mean;
  }
};

/// Returns at most `most` of the points, the best among them: a third of them
/// first, then others spread over the order of losses.
static std::vector<PriorPoint> thin(const std::vector<PriorPoint> &points,
                                    size_t most) {
  if (points.size() <= most)
    return points;
  size_t first = most / 3;
  std::vector<PriorPoint> kept(points.begin(),
                               points.begin() + static_cast<ptrdiff_t>(first));
  size_t others = most - first;
  for (size_t i = 0; i < others; ++i)
    kept.push_back(points[first + (i * (points.size() - first) / others)]);
  return kept;
}

void PriorModel::Model::take(const Prior &prior, Options options) {
  EncodedTask own = covariance.encode(task, {});
  std::vector<const PriorSource *> related;
  std::vector<double> nearness;
  for (const PriorSource &source : prior.sources) {
    if (source.points.empty())
      continue;
    EncodedTask best =
        covariance.encode(source.task, {{source.points.front().values}});
    if (!PriorCovariance::areRelated(own, best))
      continue;
    // One configuration of both: only the sizes and other ops differ.
    PriorTask shared = task;
    shared.knobs = source.task.knobs;
    EncodedTask moved =
        covariance.encode(shared, {{source.points.front().values}});
    related.push_back(&source);
    nearness.push_back(covariance.compute(moved, best, false)(0, 0));
  }
  std::vector<size_t> order(related.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](size_t i) { return std::pair(-nearness[i], i); });
  order.resize(std::min(order.size(), options.mostSources));
  std::vector<double> losses;
  for (size_t i : order) {
    const PriorSource &source = *related[i];
    std::vector<std::vector<Json>> values;
    for (const PriorPoint &point :
         thin(source.points, options.mostPoints / order.size())) {
      values.push_back(point.values);
      losses.push_back(point.loss);
    }
    sources.push_back(covariance.encode(source.task, values));
    names.push_back(source.name);
    chips.push_back(source.task.chip);
  }
  decompose(
      Eigen::Map<VectorXd>(losses.data(), static_cast<Index>(losses.size())));
}

void PriorModel::Model::decompose(const VectorXd &losses) {
  lower = covariance.computeAll(sources);
  Eigen::LLT<Eigen::Ref<MatrixXd>> inPlace(lower);
  whitened = losses.array() - covariance.scales.mean;
  lower.triangularView<Eigen::Lower>().solveInPlace(whitened);
}

/// Returns L^-1 of the covariances of the sources with points of the kernel.
MatrixXd
PriorModel::Model::covariancesWithSources(const EncodedTask &points) const {
  MatrixXd columns(lower.rows(), points.size);
  Index row = 0;
  for (const EncodedTask &source : sources) {
    columns.middleRows(row, source.size) =
        covariance.compute(source, points, false);
    row += source.size;
  }
  lower.triangularView<Eigen::Lower>().solveInPlace(columns);
  return columns;
}

/// Returns the most octaves by which knobs of points, and sums and differences
/// of two knobs of an op, are beyond what any source has (the octagons of A.
/// Mine, "The octagon abstract domain", 2006). There, a smooth function goes on
/// as before, while registers run out.
VectorXd PriorModel::Model::computeExcess(const EncodedTask &points) const {
  VectorXd excess = VectorXd::Zero(points.size);
  auto add = [&](const EncodedTask::Op &op, Index i, Index j, float sign) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (const EncodedTask &source : sources)
      for (const EncodedTask::Op &other : source.ops) {
        if (other.family != op.family ||
            std::ranges::find(other.knobRows, i) == other.knobRows.end() ||
            std::ranges::find(other.knobRows, j) == other.knobRows.end())
          continue;
        auto seen = other.coordinates.row(i) + sign * other.coordinates.row(j);
        low = std::min(low, seen.minCoeff());
        high = std::max(high, seen.maxCoeff());
      }
    if (low > high)
      return;
    auto asked = op.coordinates.row(i) + sign * op.coordinates.row(j);
    Eigen::VectorXf beyond =
        (asked.array() - high).max(low - asked.array()).matrix().transpose();
    excess = excess.cwiseMax(beyond.cast<double>());
  };
  for (const EncodedTask::Op &op : points.ops)
    for (size_t i = 0; i < op.knobRows.size(); ++i) {
      add(op, op.knobRows[i], op.knobRows[i], 0);
      for (size_t j = i + 1; j < op.knobRows.size(); ++j)
        for (float sign : {1.0F, -1.0F})
          add(op, op.knobRows[i], op.knobRows[j], sign);
    }
  return excess * covariance.scales.tileLength;
}

/// Returns the observed losses; a failure is as far above the best as the
/// prior's failures are.
VectorXd PriorModel::Model::observedLosses() const {
  std::optional<double> best;
  for (const std::optional<double> &time : logTimes)
    if (time && (!best || *time < *best))
      best = time;
  VectorXd losses(static_cast<Index>(logTimes.size()));
  for (size_t i = 0; i < logTimes.size(); ++i)
    losses[static_cast<Index>(i)] =
        logTimes[i] ? std::min(*logTimes[i] - *best, mostLoss) : mostLoss;
  return losses;
}

PriorModel::PriorModel(const Prior &prior, PriorTask task, Options options)
    : model(new Model{PriorCovariance(prior.scales), std::move(task)}) {
  model->take(prior, options);
}

PriorModel::~PriorModel() = default;
PriorModel::PriorModel(PriorModel &&) noexcept = default;
PriorModel &PriorModel::operator=(PriorModel &&) noexcept = default;

const std::vector<std::string> &PriorModel::sources() const {
  return model->names;
}

const std::vector<std::string> &PriorModel::chips() const {
  return model->chips;
}

bool PriorModel::canPredict() const {
  return !model->sources.empty() || !model->observed.empty();
}

void PriorModel::observe(std::vector<Json> values,
                         std::optional<double> logTime) {
  auto known = std::ranges::find(model->observed, values);
  if (known != model->observed.end()) {
    model->logTimes[static_cast<size_t>(known - model->observed.begin())] =
        logTime;
    return;
  }
  model->observed.push_back(std::move(values));
  model->logTimes.push_back(logTime);
}

/// The observed configurations, given the sources.
struct PriorModel::Model::Own {
  EncodedTask points;
  MatrixXd known; ///< `covariancesWithSources`
  Eigen::LLT<MatrixXd> among;
  VectorXd weights; ///< of the covariances with them
};

PriorModel::Model::Own PriorModel::Model::encodeOwn() {
  Own own = {covariance.encode(task, observed), {}, {}, {}};
  own.known = covariancesWithSources(own.points);
  MatrixXd among = covariance.compute(own.points, own.points, true) -
                   own.known.transpose() * own.known;
  among.diagonal().array() += covariance.scales.noise * covariance.scales.noise;
  own.among.compute(among);
  own.weights = own.among.solve(observedLosses() - computeMeans(own.known));
  return own;
}

std::vector<double>
PriorModel::predictLosses(std::span<const std::vector<Json>> points) const {
  Model &m = *model;
  EncodedTask asked = m.covariance.encode(m.task, points);
  VectorXd losses =
      (lossBeyond * m.computeExcess(asked)).array() + m.covariance.scales.mean;
  VectorXd weights = m.whitened;
  if (!m.observed.empty()) {
    Model::Own own = m.encodeOwn();
    weights -= own.known * own.weights;
    losses += m.covariance.compute(asked, own.points, true) * own.weights;
  }
  m.lower.triangularView<Eigen::Lower>().transpose().solveInPlace(weights);
  Index row = 0;
  for (const EncodedTask &source : m.sources) {
    losses += m.covariance.compute(asked, source, false) *
              weights.segment(row, source.size);
    row += source.size;
  }
  return {losses.begin(), losses.end()};
}

std::vector<PriorModel::Prediction>
PriorModel::predict(std::span<const std::vector<Json>> points) const {
  Model &m = *model;
  EncodedTask asked = m.covariance.encode(m.task, points);
  MatrixXd known = m.covariancesWithSources(asked);
  VectorXd losses =
      m.computeMeans(known) + (lossBeyond * m.computeExcess(asked));
  VectorXd variances = m.covariance.computeVariances(asked) -
                       known.colwise().squaredNorm().transpose();
  if (m.observed.empty()) {
    variances.array() -= PriorCovariance::offsetVariance;
  } else {
    Model::Own own = m.encodeOwn();
    MatrixXd between = m.covariance.compute(own.points, asked, true) -
                       own.known.transpose() * known;
    losses += between.transpose() * own.weights;
    own.among.matrixL().solveInPlace(between);
    variances -= between.colwise().squaredNorm().transpose();
  }
  std::vector<Prediction> predictions;
  for (Index i = 0; i < losses.size(); ++i)
    predictions.push_back({losses[i], std::sqrt(std::max(variances[i], 1e-9))});
  return predictions;
}

/// Returns the logarithm of a normal density, but for a constant.
static double computeLogDensity(const MatrixXd &covariances,
                                const VectorXd &residuals) {
  Eigen::LLT<MatrixXd> decomposed(covariances);
  MatrixXd lower = decomposed.matrixL();
  VectorXd whitened = decomposed.matrixL().solve(residuals);
  return (-whitened.squaredNorm() / 2) - lower.diagonal().array().log().sum();
}

double PriorModel::logEvidence() const {
  Model &m = *model;
  if (m.observed.size() < 2 || m.sources.empty())
    return 0;
  EncodedTask own = m.covariance.encode(m.task, m.observed);
  MatrixXd known = m.covariancesWithSources(own);
  MatrixXd without = m.covariance.compute(own, own, true);
  without.diagonal().array() +=
      m.covariance.scales.noise * m.covariance.scales.noise;
  VectorXd losses = m.observedLosses();
  return computeLogDensity(without - known.transpose() * known,
                           losses - m.computeMeans(known)) -
         computeLogDensity(without, losses.array() - m.covariance.scales.mean);
}
