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

/// Cells by their families.
std::map<std::string, std::vector<MatrixCell>> groupCells() {
  std::map<std::string, std::vector<MatrixCell>> groups;
  for (MatrixCell &cell : matrixCells())
    groups[cell.family].push_back(std::move(cell));
  return groups;
}

using Group = std::map<std::string, std::vector<MatrixCell>>::value_type;

class MatrixUnitTest : public testing::TestWithParam<Group> {
protected:
  Workbench workbench;
};

} // namespace

namespace std {
void PrintTo(const Group &group, ostream *stream) { *stream << group.first; }
} // namespace std

TEST_P(MatrixUnitTest, ComputesWhatItMust) {
  for (const MatrixCell &cell : GetParam().second) {
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
                           return info.param.first;
                         });

/// So that none gets lost.
TEST(MatrixUnitTest, HasThisManyCells) {
  EXPECT_EQ(matrixCells().size(), 200u);
}
