//===- Integer powers of floats -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "LoadedKernel.h"

#include "tonno/Backend/Compile.h"

#include <cmath>

using namespace tonno;

namespace {

using PowersTest = KernelTest;

TEST_F(PowersTest, OfFloatsByIntegers) {
  auto module = parse(R"(
func.func @f(%x: tensor<16xf32>, %n: tensor<16xi32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.map {math.fpowi}
    ins(%x, %n : tensor<16xf32>, tensor<16xi32>) outs(%e : tensor<16xf32>)
  return %r : tensor<16xf32>
})");
  auto problem = compileReference(*module, "f");
  ASSERT_TRUE(succeeded(problem)) << message;
  auto backend = createBackend({"host", "native"});
  auto candidate = compileCandidate(**backend, *module, "f");
  ASSERT_TRUE(succeeded(candidate)) << message;
  alignas(64) double wide[16], wideResult[16];
  alignas(64) float x[16], result[16];
  alignas(64) int32_t n[16];
  for (int i = 0; i < 16; ++i) {
    wide[i] = x[i] = float(i - 7) / 4;
    n[i] = i % 7 - 3;
  }
  LoadedKernel reference(problem->reference), kernel(*candidate);
  reference({wide, n, wideResult});
  kernel({x, n, result});
  for (int i = 0; i < 16; ++i) {
    double power = std::pow(wide[i], n[i]);
    EXPECT_DOUBLE_EQ(wideResult[i], power) << i;
    EXPECT_FLOAT_EQ(result[i], float(power)) << i;
  }
}

// A reference in f64 is compiled twice, by the same passes.
TEST_F(PowersTest, OfIntegersByIntegers) {
  auto module = parse(R"(
func.func @f(%x: f32, %n: i32) -> f32 {
  %i = math.ipowi %n, %n : i32
  %f = arith.sitofp %i : i32 to f32
  %t = math.tanh %x : f32
  %r = arith.mulf %t, %f : f32
  return %r : f32
})");
  auto problem = compileReference(*module, "f");
  ASSERT_TRUE(succeeded(problem)) << message;
  ASSERT_TRUE(problem->nudged.has_value());
  alignas(64) double x = 0.5, result, nudged;
  alignas(64) int32_t n = 3;
  LoadedKernel(problem->reference)({&x, &n, &result});
  EXPECT_DOUBLE_EQ(result, 27 * std::tanh(0.5));
  LoadedKernel (*problem->nudged)({&x, &n, &nudged});
  EXPECT_NEAR(nudged, result, 1e-4);
}

} // namespace
