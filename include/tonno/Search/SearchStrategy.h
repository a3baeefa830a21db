//===- Who proposes candidates --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_SEARCHSTRATEGY_H
#define TONNO_SEARCH_SEARCHSTRATEGY_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Trial.h"
#include "tonno/Search/LegalSpace.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

/// Proposes candidates and learns from their trials. Deterministic for a seed
/// and a sequence of calls.
class SearchStrategy {
public:
  virtual ~SearchStrategy() = default;

  /// Up to n configurations: legal, distinct, and proposed at no time before.
  /// None means that the strategy is done: nothing is left, or it converged.
  virtual std::vector<Configuration> propose(size_t n) = 0;

  /// Tells what became of proposed candidates, in any order, failures too; and
  /// of the baseline, which nobody proposed and which is not to be proposed.
  virtual void observe(std::span<const Trial> trials) = 0;

  /// Why it proposed a candidate that was not observed yet, in a few words;
  /// empty: it had no reason but its order.
  virtual std::string explain(const Configuration &candidate) const {
    return {};
  }

  /// Whether it proposes no more because it expects too little of what is left,
  /// not because nothing is left.
  virtual bool hasConverged() const { return false; }
};

/// The names that `createStrategy` knows.
std::vector<std::string_view> strategyNames();

/// The same as "a, b, c".
std::string strategyList();

/// An unknown name is an Error that lists the known ones.
Result<void> checkStrategyName(std::string_view name);

/// The strategy of this name over the space, or the Error of
/// `checkStrategyName`.
Result<std::unique_ptr<SearchStrategy>>
createStrategy(std::string_view name,
               const std::shared_ptr<const LegalSpace> &space, uint64_t seed);

} // namespace tonno

#endif // TONNO_SEARCH_SEARCHSTRATEGY_H
