//===- Launches with some points for each thread -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"
#include "Workbench.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

struct PointsKernel {
  std::string name, text;
  unsigned launches = 1;
  /// Threads in all, each of which has some elements of the result.
  uint64_t threads = 0;
};

std::ostream &operator<<(std::ostream &stream, const PointsKernel &one) {
  return stream << one.name;
}

class PointsTest : public testing::TestWithParam<PointsKernel> {
protected:
  Workbench workbench;
};

} // namespace

/// Convolves each channel by itself, adds a bias, and returns sums and sums cut
/// off at zero. There are as few pixels as let a thread have eight channels.
static std::string makeDepthwise(int64_t pixels, int64_t channels,
                                 bool returnsSums) {
  std::string text = R"(
#all = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
func.func @f(%x: tensor<1x$INx$INx$Cxf16>, %k: tensor<3x2x$Cxf16>, %b: tensor<$Cxf16>)
    -> ($RESULTStensor<1x$Px$Px$Cxf16>) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x$Px$Px$Cxf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<1x$Px$Px$Cxf16>)
    -> tensor<1x$Px$Px$Cxf16>
  %sum = linalg.depthwise_conv_2d_nhwc_hwc
    {strides = dense<1> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}
    ins(%x, %k : tensor<1x$INx$INx$Cxf16>, tensor<3x2x$Cxf16>)
    outs(%i : tensor<1x$Px$Px$Cxf16>) -> tensor<1x$Px$Px$Cxf16>
  %r = linalg.generic {indexing_maps = [#all, #channel, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum, %b : tensor<1x$Px$Px$Cxf16>, tensor<$Cxf16>)
      outs(%e : tensor<1x$Px$Px$Cxf16>) {
  ^bb0(%s: f16, %c: f16, %o: f16):
    %t = arith.addf %s, %c : f16
    %u = arith.maximumf %t, %zero : f16
    linalg.yield %u : f16
  } -> tensor<1x$Px$Px$Cxf16>
  return $SUM%r : $RESULTStensor<1x$Px$Px$Cxf16>
})";
  return fillIn(text,
                {{"$RESULTS", returnsSums ? "tensor<1x$Px$Px$Cxf16>, " : ""},
                 {"$SUM", returnsSums ? "%sum, " : ""},
                 {"$IN", std::to_string(pixels + 2)},
                 {"$P", std::to_string(pixels)},
                 {"$C", std::to_string(channels)}});
}

/// The largest of windows, channels last or first.
static std::string makePooling(bool channelsLast, int64_t pixels) {
  std::string in = std::to_string(2 * pixels + 1), out = std::to_string(pixels);
  return fillIn(
      R"(
func.func @f(%x: tensor<$INxf32>) -> tensor<$OUTxf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<$OUTxf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%least : f32) outs(%e : tensor<$OUTxf32>) -> tensor<$OUTxf32>
  %r = linalg.pooling_$FORM_max
    {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<$INxf32>, tensor<3x3xf32>)
    outs(%i : tensor<$OUTxf32>) -> tensor<$OUTxf32>
  return %r : tensor<$OUTxf32>
})",
      {{"$FORM", channelsLast ? "nhwc" : "nchw"},
       {"$IN",
        channelsLast ? "1x" + in + "x" + in + "x32" : "1x32x" + in + "x" + in},
       {"$OUT", channelsLast ? "1x" + out + "x" + out + "x32"
                             : "1x32x" + out + "x" + out}});
}

/// Adds to places that depend on the reduced loop, in memory.
static const char *inMemory = R"(
#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (j)>
func.func @f(%x: memref<1x64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<1x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  }
  return
})";

static std::vector<PointsKernel> makeKernels() {
  return {
      {"Vectors", makeDepthwise(80, 64, false), 1, 80 * 80 * 64 / 8},
      {"BothResults", makeDepthwise(80, 64, true), 1, 80 * 80 * 64 / 8},
      {"HalfVectors", makeDepthwise(80, 44, false), 1, 80 * 80 * 44 / 4},
      {"Rows", makeDepthwise(172, 7, false), 1, 51968},
      {"OddChannels", makeDepthwise(9, 7, true), 1, 768},
      {"PoolingOfVectors", makePooling(true, 81), 1, 52736},
      {"PoolingOfRows", makePooling(false, 9), 1, 2816},
      {"InMemory", inMemory, 1, 1},
  };
}

TEST_P(PointsTest, ComputesWhatItMust) {
  const PointsKernel &given = GetParam();
  for (std::string chip : {"sm_90", "gfx942"}) {
    SCOPED_TRACE(chip);
    auto lowered = workbench.lower(given.text, chip);
    ASSERT_TRUE(lowered.ok()) << lowered.error().message;
    ASSERT_EQ(lowered->plan.launches.size(), given.launches);
    const LaunchGeometry &geometry = lowered->plan.launches[0].geometry;
    EXPECT_EQ(uint64_t(geometry.grid[0]) * geometry.block[0], given.threads);
    auto artifact = workbench.emit(std::move(*lowered), chip);
    ASSERT_TRUE(artifact.ok()) << artifact.error().message;
    auto verified = workbench.verify(given.text, *artifact, {1});
    EXPECT_TRUE(verified.ok()) << verified.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PointsTest, testing::ValuesIn(makeKernels()),
                         [](const testing::TestParamInfo<PointsKernel> &info) {
                           return info.param.name;
                         });
