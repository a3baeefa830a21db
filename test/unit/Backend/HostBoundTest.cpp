//===- The least time of code for x86 -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

#include "tonno/Backend/Compile.h"

using namespace tonno;

namespace {

class HostBoundTest : public KernelTest {
protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "time bounds of the host are those of x86-64";
#endif
  }

  ResourceUsage compile(const std::string &text,
                        const std::string &chip = "native") {
    auto backend = createBackend({"host", chip});
    EXPECT_TRUE(backend);
    auto module = parse(text);
    auto artifact = compileCandidate(**backend, *module, "f");
    EXPECT_TRUE(succeeded(artifact)) << message;
    return succeeded(artifact) ? artifact->usage : ResourceUsage();
  }

  /// Returns a product of M x 64 by 64 x 64, with tiles of these sizes in
  /// registers.
  static std::string product(int m, int rows, int columns) {
    std::string a = std::to_string(m) + "x64xf32";
    return "func.func @f(%a: tensor<" + a +
           ">, %b: tensor<64x64xf32>) -> tensor<" + a +
           "> {\n"
           "  %zero = arith.constant 0.0 : f32\n"
           "  %empty = tensor.empty() : tensor<" +
           a +
           ">\n"
           "  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<" +
           a + ">) -> tensor<" + a +
           ">\n"
           "  %c = linalg.matmul {tonno.lowering_config = {subgroup = [" +
           std::to_string(rows) + ", " + std::to_string(columns) +
           ", 0]}} ins(%a, %b : tensor<" + a +
           ">, tensor<64x64xf32>) outs(%init : tensor<" + a + ">) -> tensor<" +
           a + ">\n  return %c : tensor<" + a + ">\n}\n";
  }
};

TEST_F(HostBoundTest, ProductsHaveOneThatNoCoreBeats) {
  ResourceUsage usage = compile(product(64, 4, 16));
  ASSERT_TRUE(usage.timeBound);
  // Two operations of 16 lanes a cycle, and 10 GHz.
  EXPECT_GT(usage.timeBound->seconds, 64.0 * 64 * 64 / (32 * 10e9));
  // Bound for one lane at 0.1 GHz.
  EXPECT_LT(usage.timeBound->seconds, 64.0 * 64 * 64 / 0.1e9);
  EXPECT_GT(usage.instructions.value_or(0), 0u);
}

TEST_F(HostBoundTest, GrowsWithTheProblem) {
  ResourceUsage one = compile(product(64, 4, 16));
  ResourceUsage two = compile(product(128, 4, 16));
  ASSERT_TRUE(one.timeBound && two.timeBound);
  EXPECT_NEAR(two.timeBound->seconds / one.timeBound->seconds, 2, 0.5);
}

TEST_F(HostBoundTest, NarrowVectorsTakeLonger) {
  ResourceUsage wide = compile(product(64, 4, 16));
  ResourceUsage narrow = compile(product(64, 1, 4));
  ASSERT_TRUE(wide.timeBound && narrow.timeBound);
  EXPECT_GT(narrow.timeBound->seconds, 1.5 * wide.timeBound->seconds);
}

TEST_F(HostBoundTest, TheMixTellsVectorsReuseAndSpills) {
  ResourceUsage wide = compile(product(64, 4, 16));
  ResourceUsage narrow = compile(product(64, 1, 1));
  ResourceUsage spilling = compile(product(64, 32, 32));
  for (const ResourceUsage *usage : {&wide, &narrow, &spilling})
    ASSERT_TRUE(usage->vectorShare && usage->memoryShare && usage->stackShare &&
                usage->loopIntensity);
  EXPECT_GT(*wide.vectorShare, 0.5);
  EXPECT_LT(*narrow.vectorShare, *wide.vectorShare);
  EXPECT_LT(*narrow.loopIntensity, *wide.loopIntensity);
  EXPECT_LT(*wide.stackShare, 0.05);
  EXPECT_GT(*spilling.stackShare, *wide.stackShare + 0.1);
  EXPECT_LE(*spilling.stackShare, *spilling.memoryShare);
}

TEST_F(HostBoundTest, IsUnknownForWhatDoesNotMultiply) {
  ResourceUsage usage = compile(R"(
    func.func @f(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %empty = tensor.empty() : tensor<64x64xf32>
      %t = linalg.transpose ins(%a : tensor<64x64xf32>)
          outs(%empty : tensor<64x64xf32>) permutation = [1, 0]
      return %t : tensor<64x64xf32>
    })");
  EXPECT_FALSE(usage.timeBound);
  EXPECT_GT(usage.instructions.value_or(0), 0u);
}

TEST_F(HostBoundTest, IsUnknownForOtherChips) {
  ResourceUsage usage =
      compile(product(64, 4, 16), "x86_64-linux-gnu:x86-64-v2");
  EXPECT_FALSE(usage.timeBound);
}

} // namespace
