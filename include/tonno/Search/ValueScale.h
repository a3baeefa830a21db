//===- Values as ratios ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_VALUESCALE_H
#define TONNO_SEARCH_VALUESCALE_H

#include "tonno/Search/SearchStrategy.h"

namespace tonno {

/// Lets a strategy search for the least value instead of the least time.
///
/// Strategies take logarithms of ratios, and quotients of them; values may be
/// zero or negative. So a value v is reported as the ratio
///
///   1 + (v - best) / spread
///
/// where `best` is the least value so far and `spread` the median of what the
/// others are above it. The best has the ratio 1, and half of the others are
/// below 2. Values that are shifted, or scaled by a positive factor, are
/// searched in the same way. If all values are equal, all ratios are 1.
///
/// The scale follows the values: all trials are observed again if a value is
/// far below the best of the scale, or if the number of values has doubled.
class ValueScale : public SearchStrategy {
public:
  explicit ValueScale(std::unique_ptr<SearchStrategy> strategy)
      : strategy(std::move(strategy)) {}

  std::vector<Configuration> propose(size_t n) override {
    return strategy->propose(n);
  }
  /// Observes trials whose measurement's ratio is the value.
  void observe(std::span<const Trial> trials) override;
  std::string explain(const Configuration &candidate) const override {
    return strategy->explain(candidate);
  }
  bool hasConverged() const override { return strategy->hasConverged(); }

private:
  void fit();
  double getRatio(double value) const;
  Trial rescale(Trial trial) const;

  std::unique_ptr<SearchStrategy> strategy;
  std::vector<Trial> observed;
  size_t numFitted = 0; ///< trials of which the scale is
  double best = 0, spread = 1;
};

} // namespace tonno

#endif // TONNO_SEARCH_VALUESCALE_H
