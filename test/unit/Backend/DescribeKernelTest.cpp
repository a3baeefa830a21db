//===- Features of kernels ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/DescribeKernel.h"
#include "tonno/Backend/Backend.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

class DescribeKernelTest : public testing::Test {
protected:
  DescribeKernelTest()
      : context(registry(), mlir::MLIRContext::Threading::DISABLED) {}

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    return registry;
  }

  KernelFeatures describe(const std::string &arguments,
                          const std::string &body) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "#MR = #tonno.knob<\"MR\" from [2, 4]>\n"
        "#NR = #tonno.knob<\"NR\" from [8, 16]>\n"
        "#BM = #tonno.knob<\"BM\" from [32, 64]>\n"
        "func.func @kernel(" +
            arguments + ") {\n" + body + "\n  return\n}",
        &context);
    EXPECT_TRUE(module);
    return module
               ? describeKernel(*module->getOps<mlir::func::FuncOp>().begin())
               : KernelFeatures();
  }

  /// Describes the only op of a kernel, as JSON.
  Json describeOne(const std::string &arguments, const std::string &body) {
    KernelFeatures features = describe(arguments, body);
    EXPECT_EQ(features.ops.size(), 1U);
    return features.ops.empty() ? Json() : Json(features.ops.front());
  }

  mlir::MLIRContext context;
};

constexpr const char *product =
    "%a: tensor<64x48xf32>, %b: tensor<48x32xf32>, %c: tensor<64x32xf32>";

} // namespace

TEST_F(DescribeKernelTest, NamesLoopsOfAProduct) {
  Json op = describeOne(product, R"(
  %r = linalg.matmul {tonno.lowering_config = {
      subgroup = [#MR, #NR, 0], workgroup = [#BM, 0, 0], pack = [0, 1, 0]}}
      ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>)
      outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>)");
  EXPECT_EQ(op["kind"], "contraction");
  EXPECT_EQ(op["bits"], 32);
  EXPECT_EQ(op["sizes"], (Json{{"m", 64}, {"n", 32}, {"k", 48}}));
  EXPECT_EQ(op["settings"], (Json{{"subgroup.m", {{"knob", "MR"}}},
                                  {"subgroup.n", {{"knob", "NR"}}},
                                  {"subgroup.k", 48},
                                  {"workgroup.m", {{"knob", "BM"}}},
                                  {"workgroup.n", 32},
                                  {"workgroup.k", 48},
                                  {"reduction.k", 48},
                                  {"pack.n", 1},
                                  {"row.0", "k"},
                                  {"row.1", "n"}}));
}

TEST_F(DescribeKernelTest, ProductsOfTransposedFactorsDiffer) {
  Json op = describeOne(
      "%a: tensor<64x48xf32>, %b: tensor<32x48xf32>, %c: tensor<64x32xf32>", R"(
  %r = linalg.matmul indexing_maps = [
      affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>]
      {tonno.lowering_config = {subgroup = [#MR, 0, 0]}}
      ins(%a, %b : tensor<64x48xf32>, tensor<32x48xf32>)
      outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>)");
  EXPECT_EQ(op["settings"]["row.1"], "k");
}

TEST_F(DescribeKernelTest, NamesLoopsOfConvolutions) {
  Json op = describeOne("%x: tensor<1x10x12x4xf32>, %w: tensor<3x3x4x8xf32>, "
                        "%y: tensor<1x8x10x8xf32>",
                        R"(
  %r = linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {
      subgroup = [1, 1, #MR, #NR, 0, 0, 0]}}
      ins(%x, %w : tensor<1x10x12x4xf32>, tensor<3x3x4x8xf32>)
      outs(%y : tensor<1x8x10x8xf32>) -> tensor<1x8x10x8xf32>)");
  EXPECT_EQ(op["kind"], "convolution");
  EXPECT_EQ(op["sizes"], (Json{{"b", 1},
                               {"m1", 8},
                               {"m", 10},
                               {"n", 8},
                               {"t1", 3},
                               {"t", 3},
                               {"k", 4}}));
  EXPECT_EQ(op["settings"]["subgroup.m"], (Json{{"knob", "MR"}}));
}

TEST_F(DescribeKernelTest, TellsKindsOfOtherOps) {
  auto kindOf = [&](const std::string &maps, const std::string &types,
                    const std::string &result) {
    return describeOne(
        "%x: tensor<64x32xf32>, %y: " + result,
        "  %r = linalg.generic {indexing_maps = [" + maps +
            "], iterator_types = [" + types +
            "]} ins(%x : tensor<64x32xf32>) outs(%y : " + result +
            ") attrs = {tonno.lowering_config = {subgroup = [#MR, 0]}} {\n"
            "  ^bb0(%a: f32, %b: f32):\n    %c = arith.addf %a, %b : f32\n"
            "    linalg.yield %c : f32\n  } -> " +
            result)["kind"];
  };
  std::string same = "affine_map<(i, j) -> (i, j)>, ";
  EXPECT_EQ(kindOf(same + "affine_map<(i, j) -> (i)>",
                   R"("parallel", "reduction")", "tensor<64xf32>"),
            "reduction pr");
  EXPECT_EQ(kindOf(same + "affine_map<(i, j) -> (j)>",
                   R"("reduction", "parallel")", "tensor<32xf32>"),
            "reduction rp");
  EXPECT_EQ(kindOf(same + "affine_map<(i, j) -> (i, j)>",
                   R"("parallel", "parallel")", "tensor<64x32xf32>"),
            "elementwise");
  EXPECT_EQ(kindOf(same + "affine_map<(i, j) -> (j, i)>",
                   R"("parallel", "parallel")", "tensor<32x64xf32>"),
            "transposition");
}

TEST_F(DescribeKernelTest, TilesOfAGroupAreThoseOfItsOps) {
  KernelFeatures features = describe(product, R"(
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [#MR, #NR, 0]}}
      ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>)
      outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
  %s = linalg.exp {tonno.lowering_config = {
      fuse = [#BM, 0], workgroup = [1, #NR]}}
      ins(%r : tensor<64x32xf32>) outs(%c : tensor<64x32xf32>)
      -> tensor<64x32xf32>)");
  ASSERT_EQ(features.ops.size(), 2U);
  OpSetting knob = {Json(), "BM"};
  EXPECT_EQ(features.ops[0].settings["workgroup.m"], knob);
  EXPECT_EQ(features.ops[1].settings["within.p1"], knob);
  EXPECT_EQ(features.ops[1].settings["workgroup.p0"].knob, "NR");
}

TEST_F(DescribeKernelTest, OpsWithoutAConfigurationAreLeftOut) {
  EXPECT_TRUE(describe(product, R"(
  %r = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>)
      outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>)")
                  .ops.empty());
}

TEST_F(DescribeKernelTest, DynamicSizesAreZero) {
  Json op = describeOne("%x: tensor<?x32xf32>, %y: tensor<?x32xf32>", R"(
  %r = linalg.exp {tonno.lowering_config = {workgroup = [#MR, #NR]}}
      ins(%x : tensor<?x32xf32>) outs(%y : tensor<?x32xf32>)
      -> tensor<?x32xf32>)");
  EXPECT_EQ(op["sizes"], (Json{{"p1", 0}, {"p0", 32}}));
}

TEST_F(DescribeKernelTest, FeaturesAreReadBack) {
  KernelFeatures features = describe(product, R"(
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [#MR, 4, 0]}}
      ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>)
      outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>)");
  auto read = decode<KernelFeatures>(Json(features));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, features);
}
