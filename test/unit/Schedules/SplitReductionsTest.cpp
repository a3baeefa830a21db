//===- Reductions in parts ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"
#include "Workbench.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// A reduction, and how many launches it becomes.
struct SplitReduction {
  std::string name, input, output, dimensions;
  std::string type = "f32", combiner = "arith.addf", first = "0.0";
  std::string config = {}; ///< empty: none
  size_t launches = 2;
};

std::ostream &operator<<(std::ostream &stream, const SplitReduction &one) {
  return stream << one.name;
}

std::vector<SplitReduction> allReductions() {
  std::vector<SplitReduction> all = {
      // Over several loops, without a configuration.
      {"Whole", "512x96x", "", "0, 1"},
      {"WholeOfPrimes", "131x127x", "", "0, 1", "f32", "arith.addf", "0.0", "",
       3},
      {"WholeOfUnits", "1x70000x1x", "", "0, 1, 2"},
      {"BatchAndPixels", "4x6x11x13x", "6x", "0, 2, 3"},
      {"Around", "5x64x33x", "64x", "0, 2"},
      {"FirstOfThree", "9x33x64x", "64x", "0, 1", "f32", "arith.addf", "0.0",
       "", 1},
      {"FirstIsKept", "512x96x", "", "0, 1", "f32", "arith.addf", "3.0"},
      {"Narrow", "64x200x", "", "0, 1", "f16"},
      {"SmallWhole", "8x8x", "", "0, 1", "f32", "arith.addf", "0.0", "", 1},
  };
  auto add = [&](SplitReduction one) { all.push_back(std::move(one)); };
  for (const char *parts : {"2", "16", "1024"}) {
    std::string split = std::string("split = ") + parts;
    add({std::string("Rows") + parts, "3x20011x", "3x", "1", "f32",
         "arith.addf", "0.0",
         "workgroup = [1, 0], reduction = [0, 512], thread = [1, 4], " + split,
         3});
    add({std::string("Columns") + parts, "6144x40x", "40x", "0", "f32",
         "arith.addf", "1.0",
         "workgroup = [0, 8], reduction = [16, 0], thread = [4, 1], " + split});
    add({std::string("Middle") + parts, "2x2048x33x", "2x33x", "1", "i32",
         "arith.maxsi", "-7", split});
  }
  add({"Maximum", "100003x", "", "0", "f32", "arith.maximumf", "-3.0e38",
       "reduction = [1024], thread = [4], split = 64", 3});
  add({"Bits", "40000x", "", "0", "i32", "arith.xori", "5", "split = 32"});
  add({"AsManyPartsAsElements", "64x8x", "8x", "0", "f32", "arith.addf", "0.0",
       "split = 64"});
  add({"MoreParts", "24x8x", "8x", "0", "f32", "arith.addf", "0.0",
       "split = 512"});
  return all;
}

std::string writeKernel(const SplitReduction &one) {
  return fillIn(R"(
func.func @f(%x: tensor<$IN>) -> tensor<$OUT> {
  %first = arith.constant $FIRST : $T
  %e = tensor.empty() : tensor<$OUT>
  %i = linalg.fill ins(%first : $T) outs(%e : tensor<$OUT>) -> tensor<$OUT>
  %r = linalg.reduce ins(%x : tensor<$IN>) outs(%i : tensor<$OUT>)
      dimensions = [$DIMENSIONS] $CONFIG
    (%a: $T, %o: $T) {
      %s = $COMBINER %a, %o : $T
      linalg.yield %s : $T
    }
  return %r : tensor<$OUT>
}
)",
                {{"$IN", one.input + one.type},
                 {"$OUT", one.output + one.type},
                 {"$DIMENSIONS", one.dimensions},
                 {"$CONFIG", one.config.empty() ? ""
                                                : "{tonno.lowering_config = {" +
                                                      one.config + "}}"},
                 {"$COMBINER", one.combiner},
                 {"$FIRST", one.first},
                 {"$T", one.type}});
}

class SplitReductionsTest : public testing::TestWithParam<SplitReduction> {
protected:
  Workbench workbench;
};

} // namespace

TEST_P(SplitReductionsTest, ComputesWhatItMust) {
  std::string text = writeKernel(GetParam());
  for (const char *chip : {"sm_90", "gfx942"}) {
    SCOPED_TRACE(chip);
    auto lowered = workbench.lower(text, chip);
    ASSERT_TRUE(lowered.ok()) << lowered.error().message;
    EXPECT_EQ(lowered->plan.launches.size(), GetParam().launches);
    auto artifact = workbench.emit(std::move(*lowered), chip);
    ASSERT_TRUE(artifact.ok()) << artifact.error().message;
    auto verified = workbench.verify(text, *artifact, {1, 2});
    EXPECT_TRUE(verified.ok()) << verified.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, SplitReductionsTest, testing::ValuesIn(allReductions()),
    [](const testing::TestParamInfo<SplitReduction> &info) {
      return info.param.name;
    });

TEST(SplitReductions, AnOpThatCannotBeSplitIsRefused) {
  Workbench workbench;
  SplitReduction two{"", "8x8x", "", "0, 1"};
  two.config = "split = 4";
  auto lowered = workbench.lower(writeKernel(two), "sm_90");
  ASSERT_FALSE(lowered.ok());
  EXPECT_NE(lowered.error().message.find("'split'"), std::string::npos)
      << lowered.error().message;
}
