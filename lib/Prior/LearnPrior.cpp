//===- Learning a prior from recordings -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/LearnPrior.h"
#include "tonno/Prior/PriorSearch.h"
#include "tonno/Space/Random.h"
#include "PriorCovariance.h"
#include "PriorPool.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace tonno;

/// Points of each source that scales are chosen by, and in all: the cost of
/// each choice is cubic.
static constexpr size_t mostOfSource = 40;
static constexpr size_t mostInAll = 800;

PriorSource tonno::makePriorSource(const Recording &recording) {
  const RecordingOrigin &origin = recording.origin();
  std::string chip = origin.chip.empty() ? origin.device : origin.chip;
  // Files of other tools tell the device by their names only.
  if (chip.empty())
    if (size_t end = recording.name().find("__"); end != std::string::npos)
      chip = recording.name().substr(end + 2);
  PriorSource source = {
      recording.name(),
      makePriorTask(recording.space(), origin.features, std::move(chip)),
      {}};
  PriorKnobOrder order(recording.space(), source.task);
  for (const RecordedTrial &trial : recording.trials()) {
    PriorPoint point = {order.values(recording.space(), trial.configuration),
                        mostLoss};
    if (trial.ok())
      point.loss =
          std::min(std::log(trial.seconds / recording.bestSeconds()), mostLoss);
    source.points.push_back(std::move(point));
  }
  return source;
}

std::vector<PriorSource>
tonno::makePriorSources(std::span<const Recording> recordings) {
  std::vector<PriorSource> sources;
  for (const Recording &recording : recordings)
    sources.push_back(makePriorSource(recording));
  return sources;
}

static void sortByLoss(std::vector<PriorPoint> &points) {
  std::ranges::sort(points, [](const PriorPoint &a, const PriorPoint &b) {
    return a.loss < b.loss || (a.loss == b.loss && a.values < b.values);
  });
}

/// Keeps the best third of `most` points, and as many others as fit, drawn, in
/// the order of their losses.
static void thin(PriorSource &source, size_t most) {
  sortByLoss(source.points);
  if (source.points.size() <= most)
    return;
  Random random(1);
  auto others = std::span(source.points).subspan(most / 3);
  random.shuffle(others);
  source.points.resize(most);
  sortByLoss(source.points);
}

namespace {

/// Chooses the scales of a prior.
class ScaleSearch {
public:
  explicit ScaleSearch(std::span<const PriorSource> sources) {
    if (sources.empty())
      return;
    size_t most =
        std::clamp<size_t>(mostInAll / sources.size(), 1, mostOfSource);
    for (PriorSource source : sources) {
      thin(source, most);
      parts.push_back(std::move(source));
    }
  }

  PriorScales run(PriorScales scales) {
    double best = computeLikelihood(scales);
    for (double step : {1.6, 1.25, 1.1})
      for (int round = 0; round < 2; ++round)
        for (double PriorScales::*member : members)
          for (double factor : {step, 1 / step}) {
            PriorScales tried = scales;
            tried.*member *= factor;
            tried.chipCorrelation = std::min(tried.chipCorrelation, 0.98);
            double likelihood = computeLikelihood(tried);
            if (likelihood <= best)
              continue;
            best = likelihood;
            scales = tried;
          }
    return scales;
  }

private:
  static constexpr std::array members = {
      &PriorScales::shared,      &PriorScales::own,
      &PriorScales::noise,       &PriorScales::mean,
      &PriorScales::tileLength,  &PriorScales::sizeLength,
      &PriorScales::otherLength, &PriorScales::chipCorrelation};

  /// Returns the logarithm of the density of all losses, but for a constant,
  /// with a weak prior of the scales.
  double computeLikelihood(const PriorScales &scales) const {
    PriorCovariance covariance(scales);
    std::vector<EncodedTask> encoded;
    std::vector<double> losses;
    for (const PriorSource &source : parts) {
      std::vector<std::vector<Json>> values;
      for (const PriorPoint &point : source.points) {
        values.push_back(point.values);
        losses.push_back(point.loss - scales.mean);
      }
      encoded.push_back(covariance.encode(source.task, values));
    }
    Eigen::MatrixXd all = covariance.computeAll(encoded);
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> inPlace(all);
    if (inPlace.info() != Eigen::Success)
      return -std::numeric_limits<double>::infinity();
    Eigen::VectorXd whitened =
        Eigen::Map<const Eigen::VectorXd>(losses.data(), all.rows());
    all.triangularView<Eigen::Lower>().solveInPlace(whitened);
    double density =
        (-whitened.squaredNorm() / 2) - all.diagonal().array().log().sum();
    PriorScales usual;
    for (double PriorScales::*member : members) {
      double z = std::log(scales.*member / usual.*member);
      density -= z * z / 2;
    }
    return density;
  }

  std::vector<PriorSource> parts;
};

} // namespace

/// Returns the share of losses in the 95 % intervals of models that do not know
/// their kernel, but for its first point.
static double computeCoverage(const Prior &prior) {
  size_t inside = 0, all = 0;
  for (const PriorSource &source : prior.sources) {
    Prior others = prior;
    std::erase_if(others.sources, [&](const PriorSource &each) {
      return areOfOneKernel(each.task, source.task) &&
             (each.task.chip == source.task.chip || each.points.empty());
    });
    PriorModel model(others, source.task);
    if (model.sources().empty())
      continue;
    // A point in the middle stands for the default.
    const PriorPoint &known = source.points[source.points.size() / 3];
    model.observe(known.values, known.loss);
    std::vector<std::vector<Json>> asked;
    for (const PriorPoint &point : source.points)
      asked.push_back(point.values);
    auto predictions = model.predict(asked);
    for (size_t i = 0; i < predictions.size(); ++i) {
      double deviation =
          std::hypot(predictions[i].deviation, prior.scales.noise);
      // Observed losses count from the best that is observed.
      double error = source.points[i].loss - known.loss - predictions[i].loss;
      inside += std::abs(error) <= 1.96 * deviation;
      ++all;
    }
  }
  return all == 0 ? 0 : static_cast<double>(inside) / static_cast<double>(all);
}

Prior tonno::learnPrior(std::vector<PriorSource> sources,
                        const LearnOptions &options) {
  Prior prior;
  std::ranges::sort(sources, [](const PriorSource &a, const PriorSource &b) {
    return std::pair(b.points.size(), a.name) <
           std::pair(a.points.size(), b.name);
  });
  for (PriorSource &source : sources)
    if (std::ranges::find(prior.sources, source.task, &PriorSource::task) ==
        prior.sources.end())
      prior.sources.push_back(std::move(source));
  std::ranges::sort(prior.sources, {}, &PriorSource::name);
  size_t most = options.pointsPerSource;
  do {
    for (PriorSource &source : prior.sources)
      thin(source, most);
    most = most * 4 / 5;
  } while (formatPrior(prior).size() > options.mostBytes && most > 10);
  prior.scales = ScaleSearch(prior.sources).run(PriorScales());
  prior.coverage = computeCoverage(prior);
  return prior;
}
