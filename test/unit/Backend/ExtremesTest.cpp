//===- Largest and smallest, with NaN -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "LoadedKernel.h"
#include "RunnableChips.h"

#include "tonno/Backend/Compile.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tonno;

namespace {

constexpr int rows = 4, columns = 200;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class ExtremesTest : public KernelTest,
                     public ::testing::WithParamInterface<const char *> {
protected:
  Artifact compile(const std::string &text) {
    auto module = parse(text);
    auto backend = createBackend({"host", GetParam()});
    EXPECT_TRUE(backend);
    auto artifact = compileCandidate(**backend, *module, "f");
    EXPECT_TRUE(succeeded(artifact)) << message;
    return std::move(*artifact);
  }
};

/// Returns a kernel of the largest or smallest element of each row, with
/// vectors of all sizes and a remainder for 200 columns.
std::string rowExtreme(const std::string &op, const std::string &first) {
  return R"(
func.func @f(%a: tensor<4x200xf32>) -> tensor<4xf32> {
  %z = arith.constant )" +
         first + R"( : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<4x200xf32>) outs(%i : tensor<4xf32>)
    attrs = {tonno.lowering_config = {subgroup = [1, 32]}} {
  ^bb0(%x: f32, %o: f32):
    %s = arith.)" +
         op + R"( %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
})";
}

TEST_P(ExtremesTest, OfRowsFindNaNWhereverItIs) {
  alignas(64) static float x[rows * columns];
  alignas(64) float found[16];
  for (bool isLargest : {true, false}) {
    LoadedKernel kernel(compile(isLargest
                                    ? rowExtreme("maximumf", "0xFF800000")
                                    : rowExtreme("minimumf", "0x7F800000")));
    for (int place = 0; place < rows * columns; ++place) {
      for (int i = 0; i < rows * columns; ++i)
        x[i] = float(i * 37 % 101) - 50;
      x[place] = nan;
      kernel({x, found});
      for (int row = 0; row < rows; ++row) {
        const float *begin = x + row * columns, *end = begin + columns;
        if (place / columns == row)
          EXPECT_TRUE(std::isnan(found[row])) << place;
        else
          EXPECT_EQ(found[row], isLargest ? *std::max_element(begin, end)
                                          : *std::min_element(begin, end));
      }
    }
    std::fill(std::begin(x), std::end(x), isLargest ? -infinity : infinity);
    kernel({x, found});
    EXPECT_EQ(found[0], x[0]);
  }
}

TEST_P(ExtremesTest, BesideAConstantKeepNaNAndSigns) {
  auto artifact = compile(R"(
#id = affine_map<(i) -> (i)>
func.func @f(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e, %e : tensor<64xf32>, tensor<64xf32>)
      attrs = {tonno.lowering_config = {workgroup = [32]}} {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %m = arith.maximumf %a, %zero : f32
    %n = arith.minimumf %one, %a : f32
    linalg.yield %m, %n : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xf32>
})");
  LoadedKernel kernel(artifact);
  alignas(64) float x[64] = {nan, -nan, infinity, -infinity, -0.0F,
                             0,   2,    -2,       1};
  alignas(64) float above[64], below[64];
  kernel({x, above, below});
  for (int i : {0, 1}) {
    EXPECT_TRUE(std::isnan(above[i]));
    EXPECT_TRUE(std::isnan(below[i]));
  }
  EXPECT_EQ(above[2], infinity);
  EXPECT_EQ(below[2], 1);
  EXPECT_EQ(above[3], 0);
  EXPECT_EQ(below[3], -infinity);
  EXPECT_EQ(above[4], 0);
  EXPECT_FALSE(std::signbit(above[4]));
  EXPECT_TRUE(std::signbit(below[4]));
  EXPECT_EQ(above[6], 2);
  EXPECT_EQ(below[6], 1);
  EXPECT_EQ(above[7], 0);
  EXPECT_EQ(below[7], -2);
  EXPECT_EQ(above[8], 1);
  EXPECT_EQ(below[8], 1);
}

INSTANTIATE_TEST_SUITE_P(Chips, ExtremesTest,
                         ::testing::ValuesIn(chipsToRunOn()));

} // namespace
