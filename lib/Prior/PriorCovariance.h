//===- Covariances between configurations of different kernels ------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_PRIOR_PRIORCOVARIANCE_H
#define TONNO_LIB_PRIOR_PRIORCOVARIANCE_H

#include "tonno/Prior/Prior.h"

#include <Eigen/Core>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tonno {

/// Configurations of a task as coordinates: a row for each coordinate, a column
/// for each configuration. Coordinates are scaled to lengths of 1. Single
/// precision takes half the time, and losses are noisy.
using Coordinates = Eigen::MatrixXf;

/// Configurations of one task, encoded for covariances.
struct EncodedTask {
  struct Op {
    size_t family; ///< of kinds with the same coordinates
    std::string kind;
    double share; ///< of the task; the squares add up to 1
    Coordinates coordinates;
    std::vector<Eigen::Index> knobRows = {}; ///< of knobs that are numbers
  };

  PriorTask task;
  std::vector<Op> ops;
  Coordinates own; ///< of the knobs alone
  Eigen::Index size = 0;
};

/// Returns true for equal kernels, on any chips.
bool areOfOneKernel(const PriorTask &one, const PriorTask &other);

/// The covariance between losses of configurations, which may be of different
/// kernels and chips. An additive Gaussian process (D. Duvenaud et al.,
/// "Additive Gaussian processes", 2011): a kernel's loss is the sum over its
/// ops of functions of the op's sizes and settings, which are common to all ops
/// of one kind, and of a function of all knobs that only equal kernels have in
/// common. An unknown offset of each task makes losses relative.
class PriorCovariance {
public:
  /// Variance of tasks' offsets: losses of a new task are relative to one
  /// configuration, of which nothing is known.
  static constexpr double offsetVariance = 1;

  explicit PriorCovariance(PriorScales scales) : scales(scales) {}

  /// Encodes configurations of a task: values of its knobs.
  EncodedTask encode(const PriorTask &task,
                     std::span<const std::vector<Json>> points);

  /// Returns the covariances between two sets of configurations, without noise;
  /// `isSame`: of one source, whose offset they share.
  Eigen::MatrixXd compute(const EncodedTask &one, const EncodedTask &other,
                          bool isSame) const;
  /// Returns the covariances of all configurations of several sources with
  /// their noise; above the diagonal only within a source.
  Eigen::MatrixXd computeAll(std::span<const EncodedTask> sources) const;
  /// Returns the variance of each configuration of a task.
  Eigen::VectorXd computeVariances(const EncodedTask &task) const;

  /// Returns true if two tasks have anything in common.
  static bool areRelated(const EncodedTask &one, const EncodedTask &other);

  const PriorScales scales;

private:
  /// Ops that have coordinates in common.
  struct Family {
    std::string name;
    std::map<std::string, Eigen::Index> rows; ///< by coordinate
  };

  size_t findFamily(const std::string &name);
  float &cell(size_t family, const std::string &coordinate, Eigen::Index column,
              Coordinates &coordinates);
  void set(size_t family, const std::string &coordinate, double length,
           std::span<const Json *const> values, Coordinates &coordinates);
  void encodeOp(const OpFeatures &op, const PriorTask &task,
                std::span<const std::vector<Json>> points, EncodedTask &result);

  std::vector<Family> families;
};

} // namespace tonno

#endif // TONNO_LIB_PRIOR_PRIORCOVARIANCE_H
