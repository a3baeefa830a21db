//===- A model of a kernel that knows other kernels -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_PRIOR_PRIORMODEL_H
#define TONNO_LIB_PRIOR_PRIORMODEL_H

#include "tonno/Prior/Prior.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tonno {

/// The losses of a kernel's configurations, predicted from those of a prior's
/// sources and from the kernel's own: a Gaussian process over all of them
/// (PriorCovariance.h). Losses are logarithms of times, up to an
/// unknown offset.
class PriorModel {
public:
  struct Options {
    /// Limits the points of all sources, since the cost of a model is cubic.
    size_t mostPoints = 480;
    size_t mostSources = 8; ///< the nearest of those that are related
  };

  struct Prediction {
    double loss;
    double deviation; ///< but for the offset of all losses
  };

  PriorModel(const Prior &prior, PriorTask task, Options options);
  PriorModel(const Prior &prior, PriorTask task)
      : PriorModel(prior, std::move(task), Options()) {}
  ~PriorModel();
  PriorModel(PriorModel &&) noexcept;
  PriorModel &operator=(PriorModel &&) noexcept;

  /// Returns the names of the sources that the model uses, the nearest first.
  const std::vector<std::string> &sources() const;
  /// Returns the chip of each of them.
  const std::vector<std::string> &chips() const;
  /// Returns true if something is known: of sources, or of the kernel itself.
  bool canPredict() const;

  /// Adds a configuration of the kernel and the logarithm of its time over any
  /// fixed time; none if it failed. A configuration that is known is replaced.
  void observe(std::vector<Json> values, std::optional<double> logTime);

  /// Predicts losses alone, which takes a fraction of the time.
  std::vector<double>
  predictLosses(std::span<const std::vector<Json>> points) const;

  std::vector<Prediction>
  predict(std::span<const std::vector<Json>> points) const;

  /// Returns the logarithm of the likelihood of what was observed with the
  /// sources over that without them: positive if these told the truth.
  double logEvidence() const;

private:
  struct Model;
  std::unique_ptr<Model> model;
};

} // namespace tonno

#endif // TONNO_LIB_PRIOR_PRIORMODEL_H
