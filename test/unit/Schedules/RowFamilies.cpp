//===- Reductions of rows to verify ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"

using namespace tonno;

/// Reduces one of the dimensions to sums or maxima, in the type of the words.
static const char *reduction = R"(
func.func @f(%a: tensor<$INx$T>) -> tensor<$OUT$A> {
  %z = arith.constant $FIRST : $A
  %e = tensor.empty() : tensor<$OUT$A>
  %i = linalg.fill ins(%z : $A) outs(%e : tensor<$OUT$A>) -> tensor<$OUT$A>
  %r = linalg.generic {indexing_maps = [$MAPIN, $MAPOUT],
      iterator_types = [$KINDS]}
    ins(%a : tensor<$INx$T>) outs(%i : tensor<$OUT$A>) $ATTRS {
  ^bb0(%x: $T, %o: $A):
    $XCAST
    %s = $OP $X, %o : $A
    linalg.yield %s : $A
  } -> tensor<$OUT$A>
  return %r : tensor<$OUT$A>
})";

/// Accumulates the rows' sums and sums of squares, then divides.
static const char *into = R"(
func.func @f(%a: memref<$Mx$Nx$T>, %s: memref<$Mx$T>, %q: memref<$Mx$Nx$T>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : memref<$Mx$Nx$T>) outs(%s : memref<$Mx$T>) $ATTRS {
  ^bb0(%x: $T, %o: $T):
    %t = $ADD %o, %x : $T
    linalg.yield %t : $T
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%a, %s : memref<$Mx$Nx$T>, memref<$Mx$T>) outs(%q : memref<$Mx$Nx$T>) {
  ^bb0(%x: $T, %y: $T, %o: $T):
    %t = $SUB %x, %y : $T
    linalg.yield %t : $T
  }
  return
})";

static const char *softmax = R"(
func.func @f(%a: tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$T> {
  %e = tensor.empty() : tensor<$Mx$Nx$T>
  %r = linalg.softmax dimension(1) ins(%a : tensor<$Mx$Nx$T>)
    outs(%e : tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$T>
  return %r : tensor<$Mx$Nx$T>
})";

static const char *softmaxOfBuffer = R"(
func.func @f(%a: memref<$Mx$Nx$T>, %r: memref<$Mx$Nx$T>) {
  linalg.softmax $CONFIG dimension(1) ins(%a : memref<$Mx$Nx$T>)
    outs(%r : memref<$Mx$Nx$T>)
  return
})";

static const char *softmaxByHand = R"(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @f(%a: tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$T> {
  %least = arith.constant $LEAST : $T
  %z = arith.constant $ZERO : $T
  %v = tensor.empty() : tensor<$Mx$T>
  %e = tensor.empty() : tensor<$Mx$Nx$T>
  %i = linalg.fill ins(%least : $T) outs(%v : tensor<$Mx$T>) -> tensor<$Mx$T>
  %m = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<$Mx$Nx$T>) outs(%i : tensor<$Mx$T>) $ATTRS {
  ^bb0(%x: $T, %o: $T):
    %s = arith.maximumf %x, %o : $T
    linalg.yield %s : $T
  } -> tensor<$Mx$T>
  %p = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
    ins(%a, %m : tensor<$Mx$Nx$T>, tensor<$Mx$T>)
    outs(%e : tensor<$Mx$Nx$T>) {
  ^bb0(%x: $T, %y: $T, %o: $T):
    %s = arith.subf %x, %y : $T
    %t = math.exp %s : $T
    linalg.yield %t : $T
  } -> tensor<$Mx$Nx$T>
  %j = linalg.fill ins(%z : $T) outs(%v : tensor<$Mx$T>) -> tensor<$Mx$T>
  %q = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
    ins(%p : tensor<$Mx$Nx$T>) outs(%j : tensor<$Mx$T>) {
  ^bb0(%x: $T, %o: $T):
    %s = arith.addf %x, %o : $T
    linalg.yield %s : $T
  } -> tensor<$Mx$T>
  %r = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
    ins(%p, %q : tensor<$Mx$Nx$T>, tensor<$Mx$T>)
    outs(%e : tensor<$Mx$Nx$T>) {
  ^bb0(%x: $T, %y: $T, %o: $T):
    %s = arith.divf %x, %y : $T
    linalg.yield %s : $T
  } -> tensor<$Mx$Nx$T>
  return %r : tensor<$Mx$Nx$T>
})";

static const char *layernorm = R"(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @f(%x: tensor<$Mx$Nx$T>, %gamma: tensor<$Nx$T>,
             %beta: tensor<$Nx$T>) -> tensor<$Mx$Nx$T> {
  %zero = arith.constant 0.0 : $T
  %n = arith.constant $N.0 : $T
  %eps = arith.constant 1.0e-1 : $T
  %v = tensor.empty() : tensor<$Mx$T>
  %e = tensor.empty() : tensor<$Mx$Nx$T>
  %z = linalg.fill ins(%zero : $T) outs(%v : tensor<$Mx$T>) -> tensor<$Mx$T>
  %sum = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<$Mx$Nx$T>) outs(%z : tensor<$Mx$T>) $ATTRS {
  ^bb0(%a: $T, %o: $T):
    %s = arith.addf %a, %o : $T
    linalg.yield %s : $T
  } -> tensor<$Mx$T>
  %square = linalg.generic {indexing_maps = [#id, #row, #row],
      iterator_types = ["parallel", "reduction"]}
    ins(%x, %sum : tensor<$Mx$Nx$T>, tensor<$Mx$T>) outs(%z : tensor<$Mx$T>) {
  ^bb0(%a: $T, %t: $T, %o: $T):
    %m = arith.divf %t, %n : $T
    %d = arith.subf %a, %m : $T
    %q = arith.mulf %d, %d : $T
    %s = arith.addf %q, %o : $T
    linalg.yield %s : $T
  } -> tensor<$Mx$T>
  %r = linalg.generic {indexing_maps = [#id, #row, #row, #column, #column, #id],
      iterator_types = ["parallel", "parallel"]}
    ins(%x, %sum, %square, %gamma, %beta : tensor<$Mx$Nx$T>, tensor<$Mx$T>,
        tensor<$Mx$T>, tensor<$Nx$T>, tensor<$Nx$T>)
    outs(%e : tensor<$Mx$Nx$T>) {
  ^bb0(%a: $T, %t: $T, %q: $T, %g: $T, %b: $T, %o: $T):
    %m = arith.divf %t, %n : $T
    %d = arith.subf %a, %m : $T
    %w = arith.divf %q, %n : $T
    %u = arith.addf %w, %eps : $T
    %i = math.rsqrt %u : $T
    %k = arith.mulf %d, %i : $T
    %h = arith.mulf %k, %g : $T
    %s = arith.addf %h, %b : $T
    linalg.yield %s : $T
  } -> tensor<$Mx$Nx$T>
  return %r : tensor<$Mx$Nx$T>
})";

static KernelFamily
reductionOf(const std::string &name, bool isMax, const std::string &mapOut,
            const std::string &out, const std::string &kinds,
            std::vector<std::vector<int64_t>> shapes,
            std::vector<std::string> types, std::vector<std::string> configs) {
  bool hasThree = shapes.front().size() == 3;
  std::string loops = hasThree ? "(i, j, k)" : "(i, j)";
  return {name,
          fillIn(reduction,
                 {{"$IN", hasThree ? "$Lx$Mx$N" : "$Mx$N"},
                  {"$OUT", out},
                  {"$FIRST", isMax ? "$LEAST" : "$ONE"},
                  {"$OP", isMax ? "$MAX" : "$ADD"},
                  {"$MAPIN", "affine_map<" + loops + " -> " + loops + ">"},
                  {"$MAPOUT", "affine_map<" + loops + " -> (" + mapOut + ")>"},
                  {"$KINDS", kinds}}),
          hasThree ? "LMN" : "MN",
          std::move(shapes),
          std::move(types),
          std::move(configs)};
}

std::vector<KernelFamily> tonno::rowFamilies() {
  // With tiles of 32 along rows, 700 elements exceed a thread's registers.
  std::vector<std::vector<int64_t>> shapes = {{16, 64}, {9, 33},  {1, 100},
                                              {40, 1},  {3, 700}, {2, 1500}};
  std::vector<std::string> configs = {
      "",
      "workgroup = [1, 0], reduction = [0, 32], thread = [0, 4]",
      "workgroup = [4, 0], reduction = [0, 64], thread = [1, 1]",
      "workgroup = [2, 0], reduction = [0, 256], thread = [2, 2]",
      "workgroup = [5, 0], reduction = [0, 12], thread = [1, 4]",
      "workgroup = [32, 0], reduction = [0, 1], thread = [1, 1]",
      "workgroup = [4, 0], reduction = [0, 64], subgroup = [4, 32]"};
  std::vector<std::vector<int64_t>> columnShapes = {
      {64, 32}, {33, 17}, {100, 1}, {1, 40}, {700, 5}};
  std::vector<std::string> columnConfigs = {
      "", "workgroup = [0, 32], reduction = [8, 0], thread = [2, 4]",
      "workgroup = [0, 16], reduction = [16, 0], thread = [1, 1]",
      "workgroup = [0, 6], reduction = [5, 0], thread = [1, 2]"};
  std::vector<std::string> sums = {"f32",    "f16.f32", "bf16.f32", "f16",
                                   "i8.i32", "i32",     "f64"};
  std::vector<std::string> maxima = {"f32", "f16", "bf16", "i8", "i32", "f64"};
  std::string alongRows = R"("parallel", "reduction")";
  std::string alongColumns = R"("reduction", "parallel")";
  return {
      reductionOf("row_sum", false, "i", "$Mx", alongRows, shapes, sums,
                  configs),
      reductionOf("row_max", true, "i", "$Mx", alongRows, shapes, maxima,
                  configs),
      reductionOf("column_sum", false, "j", "$Nx", alongColumns, columnShapes,
                  sums, columnConfigs),
      reductionOf("column_max", true, "j", "$Nx", alongColumns, columnShapes,
                  {"f32", "f16", "i32"}, columnConfigs),
      reductionOf("middle_sum", false, "i, k", "$Lx$Nx",
                  R"("parallel", "reduction", "parallel")",
                  {{4, 16, 8}, {3, 17, 5}, {1, 50, 1}, {2, 1, 33}},
                  {"f32", "f16.f32", "i32"}, {""}),
      reductionOf("full_sum", false, "", "", R"("reduction", "reduction")",
                  {{4, 16}, {3, 17}, {1, 5}}, {"f32", "i32"}, {""}),
      {"row_sum_into",
       into,
       "MN",
       shapes,
       {"f32", "f16", "i32", "f64"},
       configs},
      {"softmax", softmax, "MN", shapes, {"f32", "f16", "bf16"}, {""}},
      {"softmax_of_buffer",
       softmaxOfBuffer,
       "MN",
       {{16, 64}, {9, 33}},
       {"f32", "f16"},
       {"", "workgroup = [4, 0], reduction = [0, 64], thread = [1, 1]"}},
      {"softmax_by_hand",
       softmaxByHand,
       "MN",
       shapes,
       {"f32", "f16", "bf16"},
       configs},
      {"layernorm",
       layernorm,
       "MN",
       {{16, 64}, {9, 33}, {1, 100}, {3, 700}, {2, 1500}},
       {"f32", "f64"},
       configs},
  };
}
