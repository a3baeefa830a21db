//===- Strategies by name -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_STRATEGIES_STRATEGIES_H
#define TONNO_STRATEGIES_STRATEGIES_H

#include "tonno/Search/Replay.h"
#include "tonno/Search/SearchStrategy.h"

namespace tonno {

/// Returns the names that `createStrategy` knows.
std::vector<std::string_view> strategyNames();

/// Returns the names as a list: "a, b, c".
std::string strategyList();

/// Checks that a strategy of this name exists; the Error lists the known ones.
Result<void> checkStrategyName(std::string_view name);

/// Creates the strategy of this name over the space; fails like
/// `checkStrategyName`.
Result<std::unique_ptr<SearchStrategy>>
createStrategy(std::string_view name,
               const std::shared_ptr<const LegalSpace> &space, uint64_t seed);

/// Returns the strategies of createStrategy with these names. Fails on an
/// unknown name and on an empty list.
Result<std::vector<ReplayStrategy>>
namedStrategies(std::span<const std::string> names);

} // namespace tonno

#endif // TONNO_STRATEGIES_STRATEGIES_H
