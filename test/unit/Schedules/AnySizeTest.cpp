//===- Schedules of dynamic shapes, verified at many sizes ----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"
#include "Workbench.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// A kernel of dynamic shapes, its configurations, and the sizes to verify it
/// at.
struct AnySizeKernel {
  std::string name, text;
  std::vector<std::string> dimensions;
  std::vector<std::vector<int64_t>> sizes;
  /// Text for `$CONFIG`, and how the chips begin that it is for.
  std::vector<std::pair<std::string, std::string>> configs = {{"", ""}};
};

std::ostream &operator<<(std::ostream &stream, const AnySizeKernel &kernel) {
  return stream << kernel.name;
}

/// Corners, primes, and sizes beside multiples of tiles.
const std::vector<std::vector<int64_t>> oneSize = {{1},  {2},  {7},  {16}, {31},
                                                   {64}, {65}, {97}, {130}};
const std::vector<std::vector<int64_t>> twoSizes = {
    {1, 1}, {1, 70}, {70, 1}, {7, 5}, {64, 64}, {65, 63}, {33, 129}, {100, 20}};
const std::vector<std::vector<int64_t>> threeSizes = {
    {1, 1, 1},   {1, 64, 64}, {64, 64, 1},  {64, 64, 64},
    {65, 63, 7}, {7, 5, 70},  {70, 33, 17}, {40, 129, 33}};

/// The first lines of a product's body, for results of `$M` x `$N`.
const std::string product = R"(
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
)";

const std::string productOfRows = R"(
func.func @f(%a: tensor<?x48x$T> {tonno.dims = ["M", "K"]}, %b: tensor<48x36x$T>) -> tensor<?x36xf32> {
)" + product + R"(
  %m = tensor.dim %a, %c0 : tensor<?x48x$T>
  %e = tensor.empty(%m) : tensor<?x36xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x36xf32>) -> tensor<?x36xf32>
  %r = linalg.matmul $CONFIG ins(%a, %b : tensor<?x48x$T>, tensor<48x36x$T>)
      outs(%i : tensor<?x36xf32>) -> tensor<?x36xf32>
  return %r : tensor<?x36xf32>
}
)";

const std::string productOfAny = R"(
func.func @f(%a: tensor<?x?x$T> {tonno.dims = ["M", "K"]}, %b: tensor<?x?x$T> {tonno.dims = ["K", "N"]},
             %bias: tensor<?xf32> {tonno.dims = ["N"]}) -> tensor<?x?xf32> {
)" + product + R"(
  %m = tensor.dim %a, %c0 : tensor<?x?x$T>
  %n = tensor.dim %b, %c1 : tensor<?x?x$T>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul $CONFIG ins(%a, %b : tensor<?x?x$T>, tensor<?x?x$T>)
      outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %unused: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %o : tensor<?x?xf32>
}
)";

/// Calls a product with one configuration for few rows, another for more.
const std::string dispatch = R"(
func.func @f(%a: tensor<?x48xf16> {tonno.dims = ["M", "K"]}, %b: tensor<48x36xf16>) -> tensor<?x36xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %few = arith.constant 16 : index
  %some = arith.constant 64 : index
  %m = tensor.dim %a, %c0 : tensor<?x48xf16>
  %isFew = arith.cmpi sle, %m, %few : index
  %number = scf.if %isFew -> index {
    scf.yield %c0 : index
  } else {
    %isSome = arith.cmpi sle, %m, %some : index
    %other = scf.if %isSome -> index {
      scf.yield %c2 : index
    } else {
      scf.yield %c1 : index
    }
    scf.yield %other : index
  }
  %isFirst = arith.cmpi eq, %number, %c0 : index
  %r = scf.if %isFirst -> tensor<?x36xf32> {
    %0 = func.call @few(%a, %b) : (tensor<?x48xf16>, tensor<48x36xf16>) -> tensor<?x36xf32>
    scf.yield %0 : tensor<?x36xf32>
  } else {
    %isSecond = arith.cmpi eq, %number, %c1 : index
    %1 = scf.if %isSecond -> tensor<?x36xf32> {
      %2 = func.call @many(%a, %b) : (tensor<?x48xf16>, tensor<48x36xf16>) -> tensor<?x36xf32>
      scf.yield %2 : tensor<?x36xf32>
    } else {
      %2 = func.call @all(%a, %b) : (tensor<?x48xf16>, tensor<48x36xf16>) -> tensor<?x36xf32>
      scf.yield %2 : tensor<?x36xf32>
    }
    scf.yield %1 : tensor<?x36xf32>
  }
  return %r : tensor<?x36xf32>
}
)";

/// Returns a private copy of a product, without `$CONFIG`.
std::string variant(const std::string &name, const std::string &config) {
  return fillIn(productOfRows,
                {{"func.func @f(", "func.func private @" + name + "("},
                 {" {tonno.dims = [\"M\", \"K\"]}", ""},
                 {"$T", "f16"},
                 {"$CONFIG", config}});
}

const std::string fma =
    "{tonno.lowering_config = {workgroup = [16, 16, 0], thread = [2, 4, 0], "
    "reduction = [0, 0, 8]}}";
const std::string mfma =
    "{tonno.lowering_config = {instruction = \"mfma_16x16x16\", workgroup = "
    "[32, 32, 0], subgroup = [16, 16, 0], reduction = [0, 0, 32], order = 4}}";
const std::string mma =
    "{tonno.lowering_config = {instruction = \"mma_16x8x16\", workgroup = "
    "[32, 32, 0], subgroup = [16, 16, 0], reduction = [0, 0, 32], stages = 3, "
    "copy = \"async\", order = 4}}";

const std::string wgmma =
    "{tonno.lowering_config = {instruction = \"wgmma_64xNx16\", workgroup = "
    "[64, 32, 0], subgroup = [64, 32, 0], reduction = [0, 0, 32], stages = 4, "
    "copy = \"async\", order = 2}}";
const std::string tcgen05 =
    "{tonno.lowering_config = {instruction = \"tcgen05_128xNx16\", workgroup = "
    "[128, 32, 0], subgroup = [128, 32, 0], reduction = [0, 0, 32], stages = "
    "3, copy = \"async\", order = 2}}";
const std::vector<std::pair<std::string, std::string>> onMatrixUnits = {
    {"sm_90", mma}, {"gfx", mfma}, {"sm_90a", wgmma}, {"sm_100a", tcgen05}};

std::vector<AnySizeKernel> allKernels() {
  auto ofType = [](const std::string &text, const char *type) {
    return fillIn(text, {{"$T", type}});
  };
  return {
      {"rowsOfAProduct",
       ofType(productOfRows, "f32"),
       {"M"},
       oneSize,
       {{"", ""}, {"", fma}}},
      {"rowsOfAMatrixProduct",
       ofType(productOfRows, "f16"),
       {"M"},
       oneSize,
       onMatrixUnits},
      {"productOfAnySize",
       ofType(productOfAny, "f32"),
       {"M", "N", "K"},
       threeSizes,
       {{"", ""}, {"", fma}}},
      {"matrixProductOfAnySize",
       ofType(productOfAny, "f16"),
       {"M", "N", "K"},
       threeSizes,
       onMatrixUnits},
      {"dispatch",
       dispatch + variant("few", fma) + variant("many", "$CONFIG") +
           variant("all", ""),
       {"M"},
       oneSize,
       onMatrixUnits},
      {"softmax",
       R"(
func.func @f(%x: tensor<?x?xf32> {tonno.dims = ["M", "N"]}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax $CONFIG dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
)",
       {"M", "N"},
       twoSizes,
       {{"", ""},
        {"", "{tonno.lowering_config = {workgroup = [4, 0], reduction = [0, "
             "32], thread = [2, 2]}}"}}},
      {"columnSums",
       R"(
func.func @f(%x: tensor<?x?xf32> {tonno.dims = ["M", "N"]}) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
)",
       {"M", "N"},
       twoSizes},
      {"transpose",
       R"(
func.func @f(%x: tensor<?x?xf32> {tonno.dims = ["M", "N"]}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
)",
       {"M", "N"},
       twoSizes},
      // The rows are no multiple of vectors, but of known length.
      {"rowsInPlace",
       R"(
func.func @f(%x: memref<?x36xf32> {tonno.dims = ["M", "N"]}, %y: memref<?x36xf32> {tonno.dims = ["M", "N"]}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x36xf32>) outs(%y : memref<?x36xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}
)",
       {"M"},
       oneSize},
      // Rows begin anywhere.
      {"slice",
       R"(
func.func @f(%x: tensor<?x37xf32> {tonno.dims = ["M", "N"]}) -> tensor<?x36xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x37xf32>
  %s = tensor.extract_slice %x[0, 0] [%m, 36] [1, 1] : tensor<?x37xf32> to tensor<?x36xf32>
  %e = tensor.empty(%m) : tensor<?x36xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x36xf32>) outs(%e : tensor<?x36xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<?x36xf32>
  return %r : tensor<?x36xf32>
}
)",
       {"M"},
       oneSize},
      {"heads",
       R"(
func.func @f(%x: tensor<?x64xf32> {tonno.dims = ["M", "N"]}) -> tensor<8x?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 8, 8] : tensor<?x64xf32> into tensor<?x8x8xf32>
  %e = tensor.empty(%m) : tensor<8x?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (i, h, j)>, affine_map<(h, i, j) -> (h, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h : tensor<?x8x8xf32>) outs(%e : tensor<8x?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<8x?x8xf32>
  return %r : tensor<8x?x8xf32>
}
)",
       {"M"},
       oneSize},
      // The products are in a workspace, whose size the sizes give.
      {"softmaxOfAProduct",
       R"(
func.func @f(%a: tensor<?x32xf32> {tonno.dims = ["M", "K"]}, %b: tensor<32x?xf32> {tonno.dims = ["K", "N"]}) -> tensor<?x?xf32> {
)" + product +
           R"(
  %m = tensor.dim %a, %c0 : tensor<?x32xf32>
  %n = tensor.dim %b, %c1 : tensor<32x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x32xf32>, tensor<32x?xf32>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%p : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
)",
       {"M", "N"},
       twoSizes},
      // Two loops are reduced, both of any length.
      {"batchesSummedUp",
       R"(
func.func @f(%a: tensor<?x24x?xf32> {tonno.dims = ["B", "M", "K"]}, %b: tensor<?x?x20xf32> {tonno.dims = ["B", "K", "N"]}) -> tensor<24x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x20xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<24x20xf32>) -> tensor<24x20xf32>
  %r = linalg.batch_reduce_matmul $CONFIG ins(%a, %b : tensor<?x24x?xf32>, tensor<?x?x20xf32>) outs(%i : tensor<24x20xf32>) -> tensor<24x20xf32>
  return %r : tensor<24x20xf32>
}
)",
       {"B", "K"},
       {{1, 1}, {3, 1}, {1, 40}, {4, 16}, {5, 33}}},
      {"batches",
       R"(
func.func @f(%a: tensor<?x24x16xf32> {tonno.dims = ["B", "M", "K"]}, %b: tensor<?x16x20xf32> {tonno.dims = ["B", "K", "N"]}) -> tensor<?x24x20xf32> {
)" + product +
           R"(
  %n = tensor.dim %a, %c0 : tensor<?x24x16xf32>
  %e = tensor.empty(%n) : tensor<?x24x20xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x24x20xf32>) -> tensor<?x24x20xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<?x24x16xf32>, tensor<?x16x20xf32>) outs(%i : tensor<?x24x20xf32>) -> tensor<?x24x20xf32>
  return %r : tensor<?x24x20xf32>
}
)",
       {"B"},
       {{1}, {2}, {7}}},
      {"convolution",
       R"(
func.func @f(%x: tensor<?x10x10x4xf32> {tonno.dims = ["B", "H", "W", "C"]}, %w: tensor<3x3x4x8xf32>) -> tensor<?x8x8x8xf32> {
)" + product +
           R"(
  %n = tensor.dim %x, %c0 : tensor<?x10x10x4xf32>
  %e = tensor.empty(%n) : tensor<?x8x8x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x10x10x4xf32>, tensor<3x3x4x8xf32>) outs(%i : tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  return %r : tensor<?x8x8x8xf32>
}
)",
       {"B"},
       {{1}, {3}, {8}}},
      // Tiles go on from one line of pixels to the next, and to the next image.
      {"convolutionOnMatrixUnits",
       R"(
func.func @f(%x: tensor<?x9x9x16xf16> {tonno.dims = ["B", "H", "W", "C"]}, %w: tensor<3x3x16x24xf16>) -> tensor<?x7x7x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x9x9x16xf16>
  %e = tensor.empty(%n) : tensor<?x7x7x24xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7x7x24xf32>) -> tensor<?x7x7x24xf32>
  %r = linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {$CONFIG}} ins(%x, %w : tensor<?x9x9x16xf16>, tensor<3x3x16x24xf16>) outs(%i : tensor<?x7x7x24xf32>) -> tensor<?x7x7x24xf32>
  return %r : tensor<?x7x7x24xf32>
}
)",
       {"B"},
       {{1}, {3}},
       {{"sm_90",
         "instruction = \"mma_16x8x16\", workgroup = [0, 0, 32, 16, 0, 0, 0], "
         "subgroup = [0, 0, 16, 16, 0, 0, 0], copy = \"async\""},
        {"gfx", "instruction = \"mfma_16x16x16\", workgroup = [0, 0, 32, 32, "
                "0, 0, 0], subgroup = [0, 0, 16, 16, 0, 0, 0]"},
        {"sm_90a",
         "instruction = \"wgmma_64xNx16\", workgroup = [0, 0, 64, 24, 0, 0, "
         "0], subgroup = [0, 0, 64, 24, 0, 0, 0], copy = \"async\""},
        {"sm_100a",
         "instruction = \"tcgen05_128xNx16\", workgroup = [0, 0, 128, 32, 0, "
         "0, 0], subgroup = [0, 0, 128, 32, 0, 0, 0], copy = \"async\""}}},
  };
}

class AnySizeTest : public testing::TestWithParam<AnySizeKernel> {
protected:
  void verify(const std::string &text, const std::string &chip) {
    auto artifact = workbench.compile(text, chip);
    ASSERT_TRUE(artifact.ok()) << artifact.error().message;
    const AnySizeKernel &kernel = GetParam();
    for (const std::vector<int64_t> &sizes : kernel.sizes) {
      std::vector<Dimension> known;
      for (size_t i = 0; i < sizes.size(); ++i)
        known.push_back({kernel.dimensions[i], sizes[i]});
      auto verified = workbench.verifyAt(text, *artifact, known, {1});
      EXPECT_TRUE(verified.ok()) << "at " << formatDimensions(known, ", ")
                                 << ": " << verified.error().message;
    }
  }

  Workbench workbench;
};

} // namespace

TEST_P(AnySizeTest, ComputesWhatItMust) {
  for (const char *chip : {"sm_90", "gfx942", "sm_90a", "sm_100a"})
    for (const auto &[chips, config] : GetParam().configs)
      // The last two are for what only they have.
      if (std::string_view(chip).ends_with("a")
              ? chip == chips
              : std::string_view(chip).starts_with(chips)) {
        SCOPED_TRACE(std::string(chip) + " " + config);
        verify(fillIn(GetParam().text, {{"$CONFIG", config}}), chip);
      }
}

INSTANTIATE_TEST_SUITE_P(Kernels, AnySizeTest, testing::ValuesIn(allKernels()),
                         [](const testing::TestParamInfo<AnySizeKernel> &info) {
                           return info.param.name;
                         });
