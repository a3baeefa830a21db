//===- What selecting candidates is worth ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_SEARCH_RANKING_H
#define TONNO_BENCHMARKS_SEARCH_RANKING_H

#include "tonno/Search/Recording.h"

#include <span>
#include <string>

namespace tonno {

/// The ablation of the LFBO work: published pattern search is run on the
/// recordings; of each of its generations, of which it tries all candidates,
/// each selector may choose some, knowing all generations before. Printed is by
/// how many percent the best of these improves on the best before, on average
/// over generations and recordings, with the standard error over the runs.
std::string printRanking(std::span<const Recording> recordings, size_t seeds);

} // namespace tonno

#endif // TONNO_BENCHMARKS_SEARCH_RANKING_H
