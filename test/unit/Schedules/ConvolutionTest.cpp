//===- Convolutions on FMA and matrix units -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"
#include "Workbench.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

struct Convolution {
  std::string name, input, weights, output, op, windows;
  std::string type = "f16", sum = "f32";
  std::string config = {}; ///< besides the instruction
  size_t launches = 1;
};

std::ostream &operator<<(std::ostream &stream, const Convolution &one) {
  return stream << one.name;
}

std::vector<Convolution> allConvolutions() {
  const std::string nhwc = "linalg.conv_2d_nhwc_hwcf";
  auto windows = [](int stride, int dilation) {
    return "strides = dense<" + std::to_string(stride) +
           "> : tensor<2xi64>, dilations = dense<" + std::to_string(dilation) +
           "> : tensor<2xi64>";
  };
  return {
      {"Plain", "1x5x20x16x", "3x3x16x32x", "1x3x18x32x", nhwc, windows(1, 1)},
      {"Strided", "2x11x13x8x", "3x3x8x24x", "2x5x6x24x", nhwc, windows(2, 1)},
      {"Dilated", "2x6x8x16x", "3x3x16x17x", "2x2x4x17x", nhwc, windows(1, 2)},
      {"ManyImages", "36x3x3x16x", "2x2x16x16x", "36x2x2x16x", nhwc,
       windows(1, 1)},
      // Pixels and channels of a window's row are one loop.
      {"FewChannels", "2x11x13x3x", "5x6x3x24x", "2x4x4x24x", nhwc,
       windows(2, 1)},
      {"FewDilated", "1x10x12x4x", "3x5x4x16x", "1x6x4x16x", nhwc,
       windows(1, 2)},
      // Channels are summed up in parts, which another launch adds.
      {"Parts", "2x5x6x64x", "3x3x64x32x", "2x3x4x32x", nhwc, windows(1, 1),
       "f16", "f32", "reduction = [0, 0, 0, 0, 0, 0, 16], split = 4", 2},
      {"UnevenParts", "1x5x6x37x", "3x2x37x16x", "1x2x5x16x", nhwc,
       "strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : "
       "tensor<2xi64>",
       "f16", "f32", "reduction = [0, 0, 0, 0, 0, 0, 16], split = 2", 3},
      {"Unit", "1x8x8x16x", "1x1x16x8x", "1x8x8x8x", nhwc, windows(1, 1)},
      {"Bytes", "2x5x6x32x", "3x3x32x16x", "2x3x4x16x", nhwc, windows(1, 1),
       "i8", "i32"},
      {"Single", "2x5x20x8x", "3x3x8x16x", "2x3x18x16x", nhwc, windows(1, 1),
       "f32", "f32"},
      {"Rounded", "2x5x20x16x", "3x3x16x16x", "2x3x18x16x", nhwc, windows(1, 1),
       "f16", "f16"},
      {"ChannelsFirst", "2x16x5x20x", "16x16x3x3x", "2x16x3x18x",
       "linalg.conv_2d_nchw_fchw", windows(1, 1)},
      {"Groups", "1x6x6x2x16x", "2x8x3x3x16x", "1x4x4x2x8x",
       "linalg.conv_2d_nhwgc_gfhwc", windows(1, 1)},
  };
}

class ConvolutionTest : public testing::TestWithParam<Convolution> {
protected:
  Workbench workbench;
};

} // namespace

/// Adds a bias, which the sums' launch does, too.
static const char *kernel = R"(
func.func @f(%x: tensor<$IN>, %w: tensor<$WEIGHTS>, %b: tensor<$OUT>) -> tensor<$OUT> {
  %zero = arith.constant $ZERO : $SUM
  %e = tensor.empty() : tensor<$OUT>
  %i = linalg.fill ins(%zero : $SUM) outs(%e : tensor<$OUT>) -> tensor<$OUT>
  %r = $OP {$WINDOWS, tonno.lowering_config = {$CONFIG}}
      ins(%x, %w : tensor<$IN>, tensor<$WEIGHTS>) outs(%i : tensor<$OUT>) -> tensor<$OUT>
  %s = linalg.add ins(%r, %b : tensor<$OUT>, tensor<$OUT>) outs(%e : tensor<$OUT>) -> tensor<$OUT>
  return %s : tensor<$OUT>
}
)";

TEST_P(ConvolutionTest, ComputesWhatItMust) {
  const Convolution &given = GetParam();
  bool isInteger = given.sum == "i32";
  for (auto [chip, instruction] :
       {std::pair("sm_90", isInteger ? "mma_16x8x32" : "mma_16x8x16"),
        {"gfx942", isInteger ? "mfma_16x16x32" : "mfma_16x16x16"},
        {"sm_90", "fma"}}) {
    if (given.type == "f32" && std::string(instruction) != "fma")
      continue;
    SCOPED_TRACE(std::string(chip) + " " + instruction);
    std::string text = fillIn(
        kernel,
        {{"$IN", given.input + given.type},
         {"$WEIGHTS", given.weights + given.type},
         {"$OUT", given.output + given.sum},
         {"$ZERO", isInteger ? "0" : "0.0"},
         {"$OP", given.op},
         {"$WINDOWS", given.windows},
         {"$CONFIG", "instruction = \"" + std::string(instruction) + "\"" +
                         (given.config.empty() ? "" : ", " + given.config)},
         {"$SUM", given.sum}});
    auto lowered = workbench.lower(text, chip);
    ASSERT_TRUE(lowered.ok()) << lowered.error().message;
    EXPECT_EQ(lowered->plan.launches.size(), given.launches);
    auto artifact = workbench.emit(std::move(*lowered), chip);
    ASSERT_TRUE(artifact.ok()) << artifact.error().message;
    auto verified = workbench.verify(text, *artifact, {1});
    EXPECT_TRUE(verified.ok()) << verified.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ConvolutionTest,
                         testing::ValuesIn(allConvolutions()),
                         [](const testing::TestParamInfo<Convolution> &info) {
                           return info.param.name;
                         });

TEST(Convolution, ChannelsOfASliceAreNotOneLoopWithPixels) {
  Workbench workbench;
  const char *text = R"(
func.func @f(%x: tensor<1x5x6x37xf16>, %w: tensor<3x2x37x16xf16>, %i: tensor<1x2x5x16xf32>) -> tensor<1x2x5x16xf32> {
  %a = tensor.extract_slice %x[0, 0, 0, 32] [1, 5, 6, 4] [1, 1, 1, 1] : tensor<1x5x6x37xf16> to tensor<1x5x6x4xf16>
  %b = tensor.extract_slice %w[0, 0, 32, 0] [3, 2, 4, 16] [1, 1, 1, 1] : tensor<3x2x37x16xf16> to tensor<3x2x4x16xf16>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%a, %b : tensor<1x5x6x4xf16>, tensor<3x2x4x16xf16>) outs(%i : tensor<1x2x5x16xf32>) -> tensor<1x2x5x16xf32>
  return %r : tensor<1x2x5x16xf32>
}
)";
  auto artifact = workbench.compile(text, "sm_90");
  ASSERT_TRUE(artifact.ok()) << artifact.error().message;
  auto verified = workbench.verify(text, *artifact, {1});
  EXPECT_TRUE(verified.ok()) << verified.error().message;
}
