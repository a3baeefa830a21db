//===- The most promising points of a space -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_PRIOR_PRIORPOOL_H
#define TONNO_LIB_PRIOR_PRIORPOOL_H

#include "tonno/Search/CandidatePool.h"
#include "PriorModel.h"

namespace tonno {

/// The order of a task's knobs in a space.
class PriorKnobOrder {
public:
  PriorKnobOrder(const SearchSpace &space, const PriorTask &task);

  /// Returns a value for each knob of the task.
  std::vector<Json> values(const SearchSpace &space,
                           const Configuration &point) const;

private:
  std::vector<size_t> places;
};

/// The points of a space that were not taken yet.
class PriorPool {
public:
  PriorPool(std::shared_ptr<const LegalSpace> space, const PriorTask &task)
      : fresh(std::move(space)), encoding(fresh.space().space()),
        order(fresh.space().space(), task) {}

  std::vector<Json> values(const Configuration &point) const {
    return order.values(fresh.space().space(), point);
  }
  /// Marks the point as no longer fresh. Returns true if it was fresh.
  bool take(const Configuration &point) { return fresh.take(point); }

  /// Returns the fresh point with the smallest prediction, `caution` deviations
  /// added, that some draws and rounds of improvement find; none if no point is
  /// fresh.
  std::optional<Configuration> findBest(const PriorModel &model, double caution,
                                        Random &random);

private:
  FreshPoints fresh;
  Encoding encoding;
  PriorKnobOrder order;
};

} // namespace tonno

#endif // TONNO_LIB_PRIOR_PRIORPOOL_H
