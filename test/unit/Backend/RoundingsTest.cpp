//===- Tests for roundings of kernels -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "LoadedKernel.h"
#include "RunnableChips.h"

#include "tonno/Backend/Compile.h"

#include "llvm/ADT/APFloat.h"

#include <random>
#include <regex>

using namespace tonno;

namespace {

class RoundingsTest : public KernelTest,
                      public ::testing::WithParamInterface<const char *> {
protected:
  /// Compiles @f of `text`, in which $T stands for `type`.
  mlir::FailureOr<Artifact> compile(const std::string &text, const char *type) {
    auto host = createBackend({"host", GetParam()});
    EXPECT_TRUE(host);
    auto module = parse(std::regex_replace(text, std::regex("\\$T"), type));
    auto artifact = compileCandidate(**host, *module, "f");
    EXPECT_TRUE(succeeded(artifact)) << message;
    return artifact;
  }
  /// Runs the kernel on the buffers and its workspace.
  static void run(const Artifact &artifact, std::vector<void *> buffers) {
    std::vector<std::vector<char>> workspaces;
    for (const BufferSpec &buffer : artifact.plan.buffers)
      if (buffer.access == Access::workspace)
        workspaces.emplace_back(buffer.bytes() + 64);
    for (std::vector<char> &workspace : workspaces)
      buffers.push_back(reinterpret_cast<void *>(
          (reinterpret_cast<uintptr_t>(workspace.data()) + 63) & ~63UL));
    LoadedKernel kernel(artifact);
    kernel(buffers);
  }
};

/// z - x * y of 64 elements.
constexpr char difference[] = R"(
#all = affine_map<(i) -> (i)>
func.func @f(%x: tensor<64x$T>, %y: tensor<64x$T>, %z: tensor<64x$T>)
    -> tensor<64x$T> {
  %e = tensor.empty() : tensor<64x$T>
  %r = linalg.generic {indexing_maps = [#all, #all, #all, #all],
                       iterator_types = ["parallel"],
                       tonno.lowering_config = {workgroup = [16]}}
      ins(%x, %y, %z : tensor<64x$T>, tensor<64x$T>, tensor<64x$T>)
      outs(%e : tensor<64x$T>) {
  ^bb0(%a: $T, %b: $T, %c: $T, %o: $T):
    %p = arith.mulf %a, %b : $T
    %d = arith.subf %c, %p : $T
    linalg.yield %d : $T
  } -> tensor<64x$T>
  return %r : tensor<64x$T>
})";

/// The inner product of 1024 elements, in both of the ways that it is written.
constexpr char products[] = R"(
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sums = affine_map<(i, j, k) -> (i, j)>
func.func @f(%x: tensor<4x1024x$T>, %y: tensor<1024x32x$T>)
    -> (tensor<4x32x$T>, tensor<4x32x$T>) {
  %zero = arith.constant 0.0 : $T
  %e = tensor.empty() : tensor<4x32x$T>
  %f = linalg.fill ins(%zero : $T) outs(%e : tensor<4x32x$T>) -> tensor<4x32x$T>
  %p = linalg.matmul ins(%x, %y : tensor<4x1024x$T>, tensor<1024x32x$T>)
                     outs(%f : tensor<4x32x$T>) -> tensor<4x32x$T>
  %q = linalg.generic {indexing_maps = [#left, #right, #sums],
                       iterator_types = ["parallel", "parallel", "reduction"],
                       tonno.lowering_config = {workgroup = [2, 16, 0],
                                                subgroup = [2, 16, 1]}}
      ins(%x, %y : tensor<4x1024x$T>, tensor<1024x32x$T>)
      outs(%f : tensor<4x32x$T>) {
  ^bb0(%a: $T, %b: $T, %s: $T):
    %t = arith.mulf %a, %b : $T
    %n = arith.addf %s, %t : $T
    linalg.yield %n : $T
  } -> tensor<4x32x$T>
  return %p, %q : tensor<4x32x$T>, tensor<4x32x$T>
})";

uint16_t bitsOf(const llvm::APFloat &number) {
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}

} // namespace

TEST_P(RoundingsTest, ProductAndDifferenceAreRoundedEach) {
  auto artifact = compile(difference, "f32");
  ASSERT_TRUE(succeeded(artifact));
  alignas(64) float x[64], y[64], z[64], result[64];
  std::mt19937 random(1);
  for (int i = 0; i < 64; ++i) {
    x[i] = std::uniform_real_distribution<float>(1, 2)(random);
    y[i] = std::uniform_real_distribution<float>(1, 2)(random);
    volatile float product = x[i] * y[i];
    z[i] = product;
    result[i] = 1;
  }
  run(*artifact, {x, y, z, result});
  for (float left : result)
    EXPECT_EQ(left, 0);
}

TEST_P(RoundingsTest, EachOpOfANarrowChainIsRounded) {
  for (const auto *type : {"f16", "bf16"}) {
    auto artifact = compile(difference, type);
    ASSERT_TRUE(succeeded(artifact));
    const llvm::fltSemantics &semantics =
        type[0] == 'f' ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
    alignas(64) uint16_t x[64], y[64], z[64], result[64] = {}, expected[64];
    std::mt19937 random(1);
    for (int i = 0; i < 64; ++i) {
      auto draw = [&] {
        llvm::APFloat number(
            std::uniform_real_distribution<double>(0.5, 2)(random));
        bool isInexact = false;
        number.convert(semantics, llvm::APFloat::rmNearestTiesToEven,
                       &isInexact);
        return number;
      };
      llvm::APFloat a = draw(), b = draw(), c = draw();
      x[i] = bitsOf(a);
      y[i] = bitsOf(b);
      z[i] = bitsOf(c);
      expected[i] = bitsOf(c - a * b);
    }
    run(*artifact, {x, y, z, result});
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(result[i], expected[i]) << type;
  }
}

// A sum of ones ends at 256 in bf16 and at 2048 in f16.
TEST_P(RoundingsTest, NarrowProductsAreSummedUpInF32) {
  for (const auto *type : {"f16", "bf16"}) {
    auto artifact = compile(products, type);
    ASSERT_TRUE(succeeded(artifact));
    const llvm::fltSemantics &semantics =
        type[0] == 'f' ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
    uint16_t three = bitsOf(llvm::APFloat(semantics, "3"));
    uint16_t sum = bitsOf(llvm::APFloat(semantics, "9216"));
    alignas(64) static uint16_t x[4 * 1024], y[1024 * 32];
    alignas(64) uint16_t p[4 * 32] = {}, q[4 * 32] = {};
    std::fill(std::begin(x), std::end(x), three);
    std::fill(std::begin(y), std::end(y), three);
    run(*artifact, {x, y, p, q});
    for (int i = 0; i < 4 * 32; ++i) {
      EXPECT_EQ(p[i], sum) << type;
      EXPECT_EQ(q[i], sum) << type;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, RoundingsTest, ::testing::ValuesIn(chipsToRunOn()));
