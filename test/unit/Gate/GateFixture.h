//===- Cells of the correctness gate's table, as tests --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_GATE_GATEFIXTURE_H
#define TEST_UNIT_GATE_GATEFIXTURE_H

#include "gate/GateKernel.h"

#include "Sanitized.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>

namespace tonno::gate {

// GoogleTest looks for this name.
// NOLINTNEXTLINE(readability-identifier-naming)
inline void PrintTo(const Cell &cell, std::ostream *stream) {
  *stream << cell.types() << " with K = " << cell.k;
}

using GateCell = testing::TestWithParam<Cell>;

/// Returns the candidates with unexpected verdicts, with seed and reason.
inline std::vector<std::string>
misjudged(const GateKernel &kernel, const std::vector<Candidate> &candidates,
          bool isRight, uint64_t seeds) {
  std::vector<std::string> names;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    auto opened = OpenedKernel::open(kernel, seed);
    if (!opened)
      return {kernel.name + ": " + opened.error().message};
    for (const Candidate &candidate : candidates)
      if (auto verdict = opened->judge(candidate); verdict.ok() != isRight)
        names.push_back(kernel.name + ", " + candidate.name + ", seed " +
                        std::to_string(seed) + ": " +
                        (verdict ? "ok" : verdict.error().message));
  }
  return names;
}

/// Returns the number of seeds; few with a sanitizer, where each takes many
/// times as long and more of them detect nothing new.
inline uint64_t seedsHere(uint64_t seeds) {
  return isSanitized ? std::min<uint64_t>(seeds, 2) : seeds;
}

inline std::vector<Cell> allCells() {
  std::vector<Cell> cells;
  for (int64_t k : {16, 64, 256, 1024, 4096, 16384})
    for (const Cell &cell : cellsOf(k))
      cells.push_back(cell);
  return cells;
}

inline std::string cellName(const testing::TestParamInfo<Cell> &info) {
  std::string name = info.param.types();
  std::erase_if(name, [](char c) { return c == ' ' || c == ','; });
  return name + "K" + std::to_string(info.param.k);
}

} // namespace tonno::gate

#endif // TEST_UNIT_GATE_GATEFIXTURE_H
