//===- Points that nobody tried -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_FRESHPOINTS_H
#define TONNO_SEARCH_FRESHPOINTS_H

#include "tonno/Search/LegalSpace.h"

#include <unordered_set>

namespace tonno {

/// The legal points that were neither proposed nor observed.
class FreshPoints {
public:
  explicit FreshPoints(std::shared_ptr<const LegalSpace> space)
      : sampler(std::move(space)) {}

  bool isFresh(const Configuration &point) const {
    return !taken.contains(point) && sampler.space().contains(point);
  }

  /// The point is fresh no longer. Returns whether it was.
  bool take(const Configuration &point);

  /// Uniform among the fresh points, where drawing legal ones is; it stays
  /// fresh. None: there are none, or they are few of too many legal ones to
  /// list, and were not found in as many draws as are affordable.
  std::optional<Configuration> draw(Random &random);

  /// To draw points that need not be fresh.
  LegalSampler &legal() { return sampler; }
  const LegalSpace &space() const { return sampler.space(); }

private:
  std::optional<Configuration> draw(size_t mostDraws, Random &random);
  std::optional<Configuration> drawListed(Random &random);

  LegalSampler sampler;
  std::unordered_set<Configuration, ConfigurationHash> taken;

  /// All fresh points, and others that were, once drawing finds hardly any.
  std::optional<std::vector<Configuration>> listed;
  bool triesList = true;
};

} // namespace tonno

#endif // TONNO_SEARCH_FRESHPOINTS_H
