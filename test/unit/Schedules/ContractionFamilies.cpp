//===- Sums of products to verify -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"

#include <algorithm>

using namespace tonno;

namespace {

/// A sum of products by the letters of its operands' dimensions: "mk,kn->mn".
struct Product {
  std::string left, right, result;
  std::string loops; ///< parallel ones first
};

} // namespace

static Product parseProduct(const std::string &spec) {
  size_t comma = spec.find(','), arrow = spec.find("->");
  Product product = {spec.substr(0, comma),
                     spec.substr(comma + 1, arrow - comma - 1),
                     spec.substr(arrow + 2), ""};
  std::string all = product.left + product.right;
  for (bool isParallel : {true, false})
    for (char letter : all) {
      bool inResult = product.result.find(letter) != std::string::npos;
      if (inResult == isParallel &&
          product.loops.find(letter) == std::string::npos)
        product.loops += letter;
    }
  return product;
}

static std::string separated(const std::string &letters) {
  std::string list;
  for (char letter : letters)
    list += (list.empty() ? "" : ", ") + std::string(1, letter);
  return list;
}

static std::string shapeOf(const std::string &letters) {
  std::string shape;
  for (char letter : letters)
    shape += std::string("$") + static_cast<char>(std::toupper(letter)) + "x";
  return shape;
}

static std::string mapOf(const Product &product, const std::string &letters) {
  return "affine_map<(" + separated(product.loops) + ") -> (" +
         separated(letters) + ")>";
}

/// Returns a linalg.generic from tensors %a, %b and %i to %c.
static std::string genericProduct(const Product &product) {
  std::string kinds;
  for (char letter : product.loops)
    kinds +=
        std::string(kinds.empty() ? "" : ", ") +
        (product.result.find(letter) != std::string::npos ? "\"parallel\""
                                                          : "\"reduction\"");
  return fillIn(R"(
  %c = linalg.generic {indexing_maps = [$LEFT, $RIGHT, $RESULT],
                       iterator_types = [$KINDS]}
    ins(%a, %b : $TA, $TB) outs(%i : $TC) $ATTRS {
  ^bb0(%x: $T, %y: $T, %s: $A):
    $XCAST
    $YCAST
    %p = $MUL $X, $Y : $A
    %t = $ADD %s, %p : $A
    linalg.yield %t : $A
  } -> $TC)",
                {{"$LEFT", mapOf(product, product.left)},
                 {"$RIGHT", mapOf(product, product.right)},
                 {"$RESULT", mapOf(product, product.result)},
                 {"$KINDS", kinds}});
}

/// Returns a function of %a, %b and `arguments` that returns %r, or %c if
/// nothing follows.
static std::string productOf(const std::string &spec,
                             const std::string &arguments = "",
                             const std::string &after = "") {
  Product product = parseProduct(spec);
  bool isMatmul = spec == "mk,kn->mn";
  std::string text = R"(
func.func @f(%a: $TA, %b: $TB$ARGUMENTS) -> $TC {
  %z = arith.constant $ZERO : $A
  %e = tensor.empty() : $TC
  %i = linalg.fill ins(%z : $A) outs(%e : $TC) -> $TC)";
  text += isMatmul ? R"(
  %c = linalg.matmul $CONFIG ins(%a, %b : $TA, $TB) outs(%i : $TC) -> $TC)"
                   : genericProduct(product);
  text += after + "\n  return " + (after.empty() ? "%c" : "%r") + " : $TC\n}";
  return fillIn(text, {{"$TA", "tensor<" + shapeOf(product.left) + "$T>"},
                       {"$TB", "tensor<" + shapeOf(product.right) + "$T>"},
                       {"$TC", "tensor<" + shapeOf(product.result) + "$A>"},
                       {"$ARGUMENTS", arguments}});
}

static const char *biasRelu = R"(
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%c, %bias : $TC, tensor<$Nx$A>) outs(%e : $TC) {
  ^bb0(%x: $A, %y: $A, %o: $A):
    %s = $ADD %x, %y : $A
    %t = $MAX %s, %z : $A
    linalg.yield %t : $A
  } -> $TC)";

/// The residual is read where the result goes.
static const char *residual = R"(
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%c, %old : $TC, $TC) outs(%e : $TC) {
  ^bb0(%x: $A, %y: $A, %o: $A):
    %k = $MUL %x, %scale : $A
    %s = $SUB %y, %k : $A
    linalg.yield %s : $A
  } -> $TC)";

/// Accumulates into a given buffer.
static const char *accumulate = R"(
func.func @f(%a: memref<$Mx$Kx$T>, %b: memref<$Kx$Nx$T>, %c: memref<$Mx$Nx$A>) {
  linalg.matmul $CONFIG ins(%a, %b : memref<$Mx$Kx$T>, memref<$Kx$Nx$T>)
    outs(%c : memref<$Mx$Nx$A>)
  return
})";

/// The result of one is the operand of another.
static const char *chain = R"(
func.func @f(%a: tensor<$Mx$Kx$T>, %b: tensor<$Kx$Nx$T>, %d: tensor<$Nx$Kx$T>)
    -> tensor<$Mx$Kx$T> {
  %z = arith.constant $ZERO : $T
  %e = tensor.empty() : tensor<$Mx$Nx$T>
  %i = linalg.fill ins(%z : $T) outs(%e : tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$T>
  %c = linalg.matmul $CONFIG
    ins(%a, %b : tensor<$Mx$Kx$T>, tensor<$Kx$Nx$T>)
    outs(%i : tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$T>
  %e2 = tensor.empty() : tensor<$Mx$Kx$T>
  %i2 = linalg.fill ins(%z : $T) outs(%e2 : tensor<$Mx$Kx$T>) -> tensor<$Mx$Kx$T>
  %r = linalg.matmul $CONFIG
    ins(%c, %d : tensor<$Mx$Nx$T>, tensor<$Nx$Kx$T>)
    outs(%i2 : tensor<$Mx$Kx$T>) -> tensor<$Mx$Kx$T>
  return %r : tensor<$Mx$Kx$T>
})";

std::vector<KernelFamily> tonno::contractionFamilies() {
  std::vector<std::vector<int64_t>> shapes = {
      {64, 64, 32}, {33, 65, 17}, {7, 5, 3},   {1, 40, 24},
      {40, 1, 24},  {16, 48, 1},  {20, 72, 50}};
  std::vector<std::vector<int64_t>> fewShapes = {
      {64, 32, 32}, {19, 37, 23}, {4, 1, 9}, {70, 24, 40}};
  std::vector<std::string> configs = {
      "",
      "workgroup = [32, 32, 0], reduction = [0, 0, 8], thread = [4, 4, 0]",
      "workgroup = [16, 64, 0], reduction = [0, 0, 16], thread = [1, 8, 0]",
      "workgroup = [64, 32, 0], reduction = [0, 0, 4], subgroup = [16, 32, 0]",
      "workgroup = [12, 6, 0], reduction = [0, 0, 7], thread = [3, 2, 0]",
      "thread = [4, 2, 0]"};
  std::vector<std::string> floats = {"f32", "f16.f32", "bf16.f32", "f16"};
  std::vector<std::string> some = {"f32", "f16.f32", "i8.i32"};
  return {
      {"matmul",
       productOf("mk,kn->mn"),
       "MNK",
       shapes,
       {"f32", "f16.f32", "f16", "bf16.f32", "bf16", "i8.i32", "i32", "f64",
        "f8E4M3FN.f32", "f8E5M2FNUZ.f32", "f8E5M2", "f4E2M1FN.f32", "i4.i32"},
       configs},
      {"matmul_bias_relu",
       productOf("mk,kn->mn", ", %bias: tensor<$Nx$A>", biasRelu), "MNK",
       shapes, floats, configs},
      {"matmul_residual",
       productOf("mk,kn->mn", ", %old: $TC, %scale: $A", residual), "MNK",
       fewShapes, floats, configs},
      {"matmul_accumulate",
       accumulate,
       "MNK",
       shapes,
       {"f32", "f16.f32", "f16", "i8.i32", "f64"},
       configs},
      {"matmul_transposed_a", productOf("km,kn->mn"), "MNK", fewShapes, some,
       configs},
      {"matmul_transposed_b", productOf("mk,nk->mn"), "MNK", fewShapes, some,
       configs},
      {"matmul_transposed_result", productOf("mk,kn->nm"), "MNK", fewShapes,
       some, configs},
      {"matmul_chain", chain, "MNK", fewShapes, {"f32", "f16", "i32"}, configs},
      {"batch_matmul",
       productOf("bmk,bkn->bmn"),
       "BMNK",
       {{2, 32, 32, 16}, {3, 17, 33, 9}, {1, 6, 5, 4}, {5, 1, 8, 8}},
       some,
       {"",
        "workgroup = [1, 16, 32, 0], reduction = [0, 0, 0, 8], "
        "thread = [0, 2, 4, 0]",
        "workgroup = [0, 32, 16, 0], thread = [0, 4, 4, 0]"}},
      {"two_reduced_loops",
       productOf("mjk,jkn->mn"),
       "MNJK",
       {{32, 32, 3, 16}, {17, 33, 5, 9}, {6, 5, 1, 4}, {9, 20, 2, 1}},
       some,
       {"", "workgroup = [16, 32, 0, 0], reduction = [0, 0, 0, 8], "
            "thread = [2, 4, 0, 0]"}},
      {"two_loops_of_rows",
       productOf("jmk,kn->jmn"),
       "JMNK",
       {{3, 17, 33, 9}, {2, 5, 20, 8}},
       some,
       {"", "workgroup = [0, 16, 32, 0], thread = [0, 2, 4, 0]"}},
      {"two_loops_of_columns",
       productOf("mk,kjn->mjn"),
       "MJNK",
       {{17, 3, 20, 9}, {5, 2, 33, 8}},
       some,
       {"", "workgroup = [16, 0, 32, 0], thread = [2, 0, 4, 0]"}},
  };
}
