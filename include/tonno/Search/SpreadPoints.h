//===- Points far from each other -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_SPREADPOINTS_H
#define TONNO_SEARCH_SPREADPOINTS_H

#include "tonno/Search/Encoding.h"
#include "tonno/Search/FreshPoints.h"

namespace tonno {

/// Chooses legal points one by one, each as far from all before as some draws
/// allow (greedy maximin).
class SpreadPoints {
public:
  /// A point that others are to be far from.
  void avoid(const Configuration &point, const Encoding &encoding);

  /// None: no fresh point was drawn.
  std::optional<Configuration> next(FreshPoints &fresh,
                                    const Encoding &encoding, Random &random);

private:
  struct Draw {
    Configuration point;
    double distance; ///< from the nearest of those before
  };

  std::vector<Configuration> before;
  std::vector<Draw> draws;
};

} // namespace tonno

#endif // TONNO_SEARCH_SPREADPOINTS_H
