//===- The resource that the winner has the least of ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_ENGINE_OBJECTIVEORDER_H
#define TONNO_LIB_ENGINE_OBJECTIVEORDER_H

#include "tonno/Core/Trial.h"
#include "tonno/Engine/OracleOptions.h"

namespace tonno {

/// Orders the trials of a session by `OracleOptions::objective` and `front`.
class ObjectiveOrder {
public:
  /// Refers to the options.
  explicit ObjectiveOrder(const OracleOptions &options) : options(options) {}

  /// Returns true if trials are ordered by time. If the objective is energy,
  /// too: it is measured of the best only.
  bool isTime() const { return !getResource(); }

  /// Returns the bytes or the number that a compiled candidate uses of the
  /// resource: the same for all candidates if the objective is time, and the
  /// most if it is unknown.
  uint64_t getUsed(const ResourceUsage &usage) const;

  /// Returns why the resource cannot be the objective, given the usage of the
  /// default.
  std::optional<std::string> explainUnknown(const ResourceUsage &usage) const;

  /// Returns the trial as strategies are to see it: with a ratio of usages, to
  /// which the ratio of times adds little.
  Trial toScalar(Trial trial, const ResourceUsage &baseline) const;

  /// Returns why a candidate that was timed is above the limit on time, if its
  /// ratio to the baseline is at least `ratio`.
  std::optional<std::string> findExcess(double ratio) const;

  /// Returns true if `a` uses no more than `b` of each resource of the front.
  bool usesNoMore(const ResourceUsage &a, const ResourceUsage &b) const;

  /// Returns true if a front is kept: then slow candidates count, too.
  bool hasFront() const { return !options.front.empty(); }
  /// Returns true if a front is tested; to choose by energy, also if it is not
  /// kept.
  bool testsFront() const { return hasFront() || options.wantsEnergy(); }

  /// Returns the ratio above which a candidate of less usage than any other is
  /// of no interest.
  double mostRatio() const;

private:
  /// Returns the objective if it is known once a candidate is compiled.
  std::optional<Resource> getResource() const {
    return options.objective == Resource::energy ? std::nullopt
                                                 : options.objective;
  }

  const OracleOptions &options;
};

} // namespace tonno

#endif // TONNO_LIB_ENGINE_OBJECTIVEORDER_H
