//===- Attention in one launch --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionKernels.h"
#include "Workbench.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

using Softmax = AttentionKernel::Softmax;
using Mask = AttentionKernel::Mask;

/// How a chip computes it.
struct Way {
  std::string chip, config;
};

// Several subgroups, and several steps over the keys. Tiles don't divide the
// extents.
const std::vector<Way> ways = {
    {"sm_80",
     R"(instruction = "mma_16x8x16", subgroup = [0, 0, 16, 0, 0],
        workgroup = [0, 0, 32, 0, 0], reduction = [0, 0, 0, 0, 16],
        stages = 3, copy = "async")"},
    {"sm_90",
     R"(instruction = "mma_16x8x16", subgroup = [0, 0, 32, 0, 0],
        workgroup = [0, 0, 64, 0, 0], reduction = [0, 0, 0, 0, 32],
        stages = 2)"},
    {"gfx942",
     R"(instruction = "mfma_16x16x16", subgroup = [0, 0, 16, 0, 0],
        workgroup = [0, 0, 32, 0, 0], reduction = [0, 0, 0, 0, 16],
        stages = 2)"},
    {"gfx942",
     R"(instruction = "mfma_32x32x8", subgroup = [0, 0, 32, 0, 0],
        workgroup = [0, 0, 64, 0, 0], reduction = [0, 0, 0, 0, 32],
        stages = 1)"},
    {"gfx950",
     R"(instruction = "mfma_16x16x32", subgroup = [0, 0, 32, 0, 0],
        workgroup = [0, 0, 32, 0, 0], reduction = [0, 0, 0, 0, 32],
        stages = 2)"},
    {"gfx1201",
     R"(instruction = "wmma_16x16x16", subgroup = [0, 0, 16, 0, 0],
        workgroup = [0, 0, 32, 0, 0], reduction = [0, 0, 0, 0, 32],
        stages = 2)"},
};

std::vector<AttentionKernel> allAttention() {
  return {
      {.name = "Plain"},
      {.name = "BFloat16", .type = "bf16"},
      {.name = "Groups", .groups = 3, .queries = 16},
      {.name = "Long", .heads = 1, .queries = 20, .keys = 200, .columns = 64},
      {.name = "Deep", .heads = 1, .depth = 100, .columns = 130},
      {.name = "FewKeys", .keys = 5},
      {.name = "TwoRows", .queries = 2, .keys = 70},
      {.name = "Generics", .softmax = Softmax::generics},
      {.name = "NarrowSoftmax", .softmax = Softmax::narrow},
      {.name = "KeysFirst", .keys = 48, .hasKeysFirst = true},
      {.name = "Transposed", .isProductTransposed = true},
      {.name = "Bias", .softmax = Softmax::generics, .mask = Mask::bias},
      {.name = "Masked", .mask = Mask::later},
      {.name = "MaskedGenerics",
       .softmax = Softmax::generics,
       .mask = Mask::later},
      // The last rows have no key at all: they are NaN, or averages.
      {.name = "MaskedRows",
       .queries = 60,
       .keys = 40,
       .softmax = Softmax::generics,
       .mask = Mask::later,
       .replacesNaN = true},
      {.name = "Causal", .queries = 70, .keys = 60, .mask = Mask::causal},
      {.name = "CausalFinite",
       .queries = 70,
       .keys = 60,
       .mask = Mask::causal,
       .isFinite = true},
      {.name = "Band",
       .queries = 70,
       .keys = 80,
       .softmax = Softmax::generics,
       .mask = Mask::band,
       .isFinite = true},
      {.name = "BandNarrow",
       .queries = 100,
       .keys = 90,
       .mask = Mask::band,
       .isFinite = true,
       .replacesNaN = true},
      {.name = "MaskedRowsLowest",
       .queries = 60,
       .keys = 40,
       .mask = Mask::laterLowest},
  };
}

class AttentionTest : public testing::TestWithParam<AttentionKernel> {
protected:
  Workbench workbench;
};

} // namespace

/// In two of the ways each, in all of them together.
TEST_P(AttentionTest, ComputesWhatItMust) {
  std::vector<AttentionKernel> all = allAttention();
  size_t number =
      std::ranges::find(all, GetParam().name, &AttentionKernel::name) -
      all.begin();
  for (size_t first : {number, number + ways.size() / 2}) {
    const Way &way = ways[first % ways.size()];
    SCOPED_TRACE(way.chip + " " + way.config);
    std::string text = GetParam().write(way.config + ", softmax = \"online\"");
    auto lowered = workbench.lower(text, way.chip);
    ASSERT_TRUE(lowered.ok()) << lowered.error().message;
    EXPECT_EQ(lowered->plan.launches.size(), 1u);
    auto artifact = workbench.emit(std::move(*lowered), way.chip);
    ASSERT_TRUE(artifact.ok()) << artifact.error().message;
    auto verified = workbench.verify(text, *artifact, {1});
    EXPECT_TRUE(verified.ok()) << verified.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, AttentionTest, testing::ValuesIn(allAttention()),
    [](const testing::TestParamInfo<AttentionKernel> &info) {
      return info.param.name;
    });

/// At sizes that tiles divide, that they don't, and that are less than one.
TEST(DynamicAttentionTest, ComputesWhatItMust) {
  Workbench workbench;
  AttentionKernel kernel = {
      .name = "Dynamic", .mask = Mask::bias, .isDynamic = true};
  for (const Way &way : {ways[0], ways[3]}) {
    SCOPED_TRACE(way.chip + " " + way.config);
    std::string text = kernel.write(way.config + ", softmax = \"online\"");
    auto artifact = workbench.compile(text, way.chip);
    ASSERT_TRUE(artifact.ok()) << artifact.error().message;
    EXPECT_EQ(artifact->plan.launches.size(), 1u);
    for (auto [queries, keys] : {std::pair(64, 64), {37, 81}, {1, 3}}) {
      auto verified = workbench.verifyAt(text, *artifact,
                                         {{"M", queries}, {"N", keys}}, {1});
      EXPECT_TRUE(verified.ok()) << verified.error().message;
    }
  }
}
