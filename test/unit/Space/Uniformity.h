//===- Test statistic for uniform draws -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_SEARCH_UNIFORMITY_H
#define TONNO_TEST_UNIT_SEARCH_UNIFORMITY_H

#include "tonno/Core/Configuration.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace tonno {

/// Returns the chi-square statistic of draws that should be uniform over the
/// points, which are distinct. Other points among them are a failure.
inline double chiSquare(const std::map<Configuration, size_t> &drawn,
                        const std::vector<Configuration> &points,
                        size_t draws) {
  double expected = static_cast<double>(draws) / points.size();
  double sum = 0;
  size_t found = 0;
  for (const Configuration &point : points) {
    auto it = drawn.find(point);
    double count = it == drawn.end() ? 0 : it->second;
    found += it != drawn.end();
    sum += (count - expected) * (count - expected) / expected;
  }
  EXPECT_EQ(found, drawn.size()) << "points were drawn that are not there";
  return sum;
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_SEARCH_UNIFORMITY_H
