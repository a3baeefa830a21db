//===- A space, as users see it -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_SPACEREPORT_H
#define TONNO_SEARCH_SPACEREPORT_H

#include "tonno/Space/LegalSpace.h"

#include <string>
#include <vector>

namespace tonno {

/// Properties of a space that are known before the search.
struct SpaceReport {
  SearchSpace space;
  LegalCount legal;
  /// Constraints that the diagram does not have, whose breach is found by
  /// trying.
  std::vector<std::string> tangled;
  size_t diagramBytes = 0;
  double seconds = 0; ///< that building and counting took
  std::vector<Configuration> drawn;
};

/// Reports on a space with this many distinct legal points, or as many as there
/// are, drawn with the uniformity of the count's exactness.
SpaceReport reportSpace(const SearchSpace &space, size_t draws, uint64_t seed);

/// Prints several lines, the first of which continues after a name.
std::string printSpace(const SpaceReport &report);

void to_json(Json &json, const SpaceReport &report);

} // namespace tonno

#endif // TONNO_SEARCH_SPACEREPORT_H
