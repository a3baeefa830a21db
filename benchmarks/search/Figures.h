//===- Figures of the search and their targets ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_SEARCH_FIGURES_H
#define TONNO_BENCHMARKS_SEARCH_FIGURES_H

#include "tonno/Search/Replay.h"
#include "KeptRuns.h"

namespace tonno {

/// Figure with its target.
struct Figure {
  std::string what, value, must, aim;
};

/// Returns the figures. The first strategy is tonno's; the others are compared
/// with it, all together or the one that a figure names. `clean` is the report
/// on this grid, without noise and with one pending; all other runs are made
/// here.
Result<std::vector<Figure>>
figuresOf(std::span<const Recording> recordings,
          std::span<const ReplayStrategy> strategies,
          const ReplayGridOptions &options, const KeptRuns &runs,
          const ReplayGrid &grid, const ReplayReport &clean);

/// Prints the cost of goals with each strategy, and its ratio to the first,
/// with intervals.
std::string printGoals(const ReplayReport &report);

std::string printFigures(const std::vector<Figure> &figures);

/// Returns the configurations of the sibling's fastest trials, at most `count`,
/// as points of the space, fastest first: to start a search of the same kernel
/// at another shape or on another device. Configurations that the space lacks
/// or that are illegal there are skipped. Empty if the knobs have other names.
std::vector<Configuration> bestOfSibling(const Recording &sibling,
                                         const LegalSpace &space, size_t count);

} // namespace tonno

#endif // TONNO_BENCHMARKS_SEARCH_FIGURES_H
