//===- Ablation of candidate selectors ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_SEARCH_RANKING_H
#define TONNO_BENCHMARKS_SEARCH_RANKING_H

#include "tonno/Search/Recording.h"

#include <span>
#include <string>

namespace tonno {

/// Returns the table of the LFBO work's ablation. Published pattern search,
/// which tries all candidates of a generation, is run on the recordings; in
/// each generation, each selector chooses some of the candidates, given all
/// earlier generations. The table has the improvement in percent of the best
/// chosen candidate over the best before, averaged over generations and
/// recordings, with the standard error over the runs.
std::string printRanking(std::span<const Recording> recordings, size_t seeds);

} // namespace tonno

#endif // TONNO_BENCHMARKS_SEARCH_RANKING_H
