//===- Matrix instructions in schedules, verified -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixCells.h"
#include "Workbench.h"

#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>

using namespace tonno;

namespace {

struct Group {
  std::string name;
  std::vector<MatrixCell> cells;

  // NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for it.
  friend void PrintTo(const Group &group, std::ostream *stream) {
    *stream << group.name;
  }
};

/// Cells by their families.
std::vector<Group> groupCells() {
  std::map<std::string, std::vector<MatrixCell>> cells;
  for (MatrixCell &cell : matrixCells())
    cells[cell.family].push_back(std::move(cell));
  std::vector<Group> groups;
  for (auto &[name, ofGroup] : cells)
    groups.push_back({name, std::move(ofGroup)});
  return groups;
}

class MatrixUnitTest : public testing::TestWithParam<Group> {
protected:
  Workbench workbench;
};

} // namespace

TEST_P(MatrixUnitTest, ComputesWhatItMust) {
  for (const MatrixCell &cell : GetParam().cells) {
    auto start = std::chrono::steady_clock::now();
    auto artifact = workbench.compile(cell.text, cell.chip);
    if (!artifact) {
      ADD_FAILURE() << cell.name << ": " << artifact.error().message
                    << cell.text;
      continue;
    }
    auto verified = workbench.verify(cell.text, *artifact, {1, 2, 3});
    if (!verified) {
      ADD_FAILURE() << cell.name << ": " << toString(verified.error().status)
                    << ", " << verified.error().message;
      continue;
    }
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    std::printf("[ verified ] %s (%.0f ms)\n", cell.name.c_str(),
                elapsed.count() * 1000);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MatrixUnitTest,
                         testing::ValuesIn(groupCells()),
                         [](const testing::TestParamInfo<Group> &info) {
                           return info.param.name;
                         });

/// So that none gets lost.
TEST(MatrixUnitTest, HasThisManyCells) {
  EXPECT_EQ(matrixCells().size(), 485u);
}
