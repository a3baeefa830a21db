//===- Every schedule on every chip, verified -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"
#include "PairwiseSample.h"
#include "Workbench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace tonno;

namespace {

/// Returns one chip of each way in which threads are generated. With
/// $TONNO_EVERY_CHIP, as scripts/test_every_chip.sh sets it, all of them: the
/// others differ in limits and instructions that MatrixUnitTest chooses.
std::vector<std::string> listChips() {
  if (std::getenv("TONNO_EVERY_CHIP"))
    return {"sm_80",  "sm_90",  "sm_100", "sm_120",
            "gfx942", "gfx950", "gfx1100"};
  return {"sm_90", "gfx942", "gfx1100"};
}

const std::vector<std::string> chips = listChips();

/// Kernel as it is compiled for one chip.
struct Cell {
  std::vector<int64_t> shape;
  std::string type, config, chip;
};

std::string nameOf(const KernelFamily &family, const Cell &cell) {
  std::string extents;
  for (int64_t extent : cell.shape)
    extents += (extents.empty() ? "" : "x") + std::to_string(extent);
  return family.name + " " + extents + " " + cell.type + " " + cell.chip +
         " {" + cell.config + "}";
}

/// Returns cells of a family that cover each pair of chip, shape, types and
/// configuration.
std::vector<Cell> cellsOf(const KernelFamily &family) {
  std::vector<Cell> cells;
  for (const auto &point :
       samplePairs({family.shapes.size(), family.types.size(),
                    family.configs.size(), chips.size()}))
    cells.push_back({family.shapes[point[0]], family.types[point[1]],
                     family.configs[point[2]], chips[point[3]]});
  return cells;
}

class MatrixTest : public testing::TestWithParam<KernelFamily> {
protected:
  /// Returns true if the cell computes the right results, in two orders of
  /// threads.
  bool isRight(const Cell &cell) {
    std::string text = GetParam().write(cell.shape, cell.type, cell.config);
    auto artifact = workbench.compile(text, cell.chip);
    if (!artifact) {
      ADD_FAILURE() << nameOf(GetParam(), cell) << ": "
                    << artifact.error().message << text;
      return false;
    }
    auto verified = workbench.verify(text, *artifact, {1, 2});
    if (!verified)
      ADD_FAILURE() << nameOf(GetParam(), cell) << ": "
                    << toString(verified.error().status) << ", "
                    << verified.error().message;
    return verified.ok();
  }

  Workbench workbench;
};

} // namespace

TEST_P(MatrixTest, ComputesWhatItMust) {
  std::vector<Cell> cells = cellsOf(GetParam());
  size_t verified = 0;
  for (const Cell &cell : cells) {
    auto start = std::chrono::steady_clock::now();
    if (!isRight(cell))
      continue;
    ++verified;
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    std::printf("[ verified ] %s (%.0f ms)\n", nameOf(GetParam(), cell).c_str(),
                elapsed.count() * 1000);
  }
  EXPECT_EQ(verified, cells.size());
}

INSTANTIATE_TEST_SUITE_P(Families, MatrixTest, testing::ValuesIn(allFamilies()),
                         [](const testing::TestParamInfo<KernelFamily> &info) {
                           return info.param.name;
                         });

/// So that none gets lost.
TEST(MatrixTest, HasThisManyCells) {
  size_t cells = 0;
  for (const KernelFamily &family : allFamilies())
    cells += cellsOf(family).size();
  EXPECT_EQ(cells, std::getenv("TONNO_EVERY_CHIP") ? 1655u : 1094u);
}

/// The kernels that the host's backend is tested with. Some are refused, and
/// say why: they branch, or values other than buffers cross launches, or their
/// mathematics needs a vendor's library.
TEST(KernelFilesTest, ComputeWhatTheyMustOrAreRefused) {
  const std::vector<std::string> reasons = {
      "has branches; launches must be in one block",
      "computes a value that other launches use", "device libraries"};
  Workbench workbench;
  size_t verifiedKernels = 0;
  for (const auto &file : std::filesystem::directory_iterator(KERNELS)) {
    std::stringstream stream;
    stream << std::ifstream(file.path()).rdbuf();
    std::string name = file.path().stem();
    std::string text = fillIn(stream.str(), {{"@" + name + "(", "@f("}});
    for (const char *chip : {"sm_90", "gfx942"}) {
      auto artifact = workbench.compile(text, chip);
      if (!artifact) {
        const std::string &message = artifact.error().message;
        EXPECT_TRUE(std::ranges::any_of(reasons,
                                        [&](const std::string &text) {
                                          return message.find(text) !=
                                                 std::string::npos;
                                        }))
            << name << " for " << chip << ": " << message;
        std::printf("[ refused  ] %s for %s: %s\n", name.c_str(), chip,
                    message.c_str());
        continue;
      }
      auto verified = workbench.verify(text, *artifact, {1, 2});
      EXPECT_TRUE(verified.ok())
          << name << " for " << chip << ": " << verified.error().message;
      ++verifiedKernels;
    }
  }
  EXPECT_GE(verifiedKernels, 48u);
}
