//===- Elementwise ops to verify ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"

using namespace tonno;

static const char *add = R"(
func.func @f(%a: tensor<$Mx$Nx$T>, %b: tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$A> {
  %e = tensor.empty() : tensor<$Mx$Nx$A>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<$Mx$Nx$T>, tensor<$Mx$Nx$T>)
    outs(%e : tensor<$Mx$Nx$A>) $ATTRS {
  ^bb0(%x: $T, %y: $T, %o: $A):
    $XCAST
    $YCAST
    %s = $ADD $X, $Y : $A
    linalg.yield %s : $A
  } -> tensor<$Mx$Nx$A>
  return %r : tensor<$Mx$Nx$A>
})";

/// A row, a column and a number for all of a matrix.
static const char *broadcast = R"(
func.func @f(%a: tensor<$Mx$Nx$T>, %row: tensor<$Nx$T>, %column: tensor<$Mx$T>,
             %k: $T) -> tensor<$Mx$Nx$T> {
  %e = tensor.empty() : tensor<$Mx$Nx$T>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%a, %row, %column, %k : tensor<$Mx$Nx$T>, tensor<$Nx$T>, tensor<$Mx$T>,
        $T)
    outs(%e : tensor<$Mx$Nx$T>) $ATTRS {
  ^bb0(%x: $T, %y: $T, %z: $T, %w: $T, %o: $T):
    %p = $MUL %x, %w : $T
    %q = $SUB %p, %y : $T
    %s = $ADD %q, %z : $T
    linalg.yield %s : $T
  } -> tensor<$Mx$Nx$T>
  return %r : tensor<$Mx$Nx$T>
})";

static const char *transpose = R"(
func.func @f(%a: tensor<$Mx$Nx$T>) -> tensor<$Nx$Mx$T> {
  %e = tensor.empty() : tensor<$Nx$Mx$T>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<$Mx$Nx$T>) outs(%e : tensor<$Nx$Mx$T>) $ATTRS {
  ^bb0(%x: $T, %o: $T):
    linalg.yield %x : $T
  } -> tensor<$Nx$Mx$T>
  return %r : tensor<$Nx$Mx$T>
})";

/// Adds an operand and a transposed one.
static const char *addTransposed = R"(
func.func @f(%a: tensor<$Mx$Nx$T>, %b: tensor<$Nx$Mx$T>) -> tensor<$Nx$Mx$T> {
  %e = tensor.empty() : tensor<$Nx$Mx$T>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<$Mx$Nx$T>, tensor<$Nx$Mx$T>)
    outs(%e : tensor<$Nx$Mx$T>) $ATTRS {
  ^bb0(%x: $T, %y: $T, %o: $T):
    %s = $SUB %x, %y : $T
    linalg.yield %s : $T
  } -> tensor<$Nx$Mx$T>
  return %r : tensor<$Nx$Mx$T>
})";

/// A named op without a place for a configuration.
static const char *permute = R"(
func.func @f(%a: tensor<$Lx$Mx$Nx$T>) -> tensor<$SHAPEx$T> {
  %e = tensor.empty() : tensor<$SHAPEx$T>
  %r = linalg.transpose ins(%a : tensor<$Lx$Mx$Nx$T>)
    outs(%e : tensor<$SHAPEx$T>) permutation = [$PERMUTATION]
  return %r : tensor<$SHAPEx$T>
})";

/// Masks in memory, and chosen by them.
static const char *mask = R"(
func.func @f(%a: tensor<$Mx$Nx$T>, %b: tensor<$Mx$Nx$T>, %m: tensor<$Mx$Nxi1>)
    -> (tensor<$Mx$Nx$T>, tensor<$Mx$Nxi1>) {
  %e = tensor.empty() : tensor<$Mx$Nx$T>
  %n = tensor.empty() : tensor<$Mx$Nxi1>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%a, %b, %m : tensor<$Mx$Nx$T>, tensor<$Mx$Nx$T>, tensor<$Mx$Nxi1>)
    outs(%e, %n : tensor<$Mx$Nx$T>, tensor<$Mx$Nxi1>) $ATTRS {
  ^bb0(%x: $T, %y: $T, %c: i1, %o: $T, %q: i1):
    %s = arith.select %c, %x, %y : $T
    %true = arith.constant true
    %d = arith.xori %c, %true : i1
    linalg.yield %s, %d : $T, i1
  } -> (tensor<$Mx$Nx$T>, tensor<$Mx$Nxi1>)
  return %r#0, %r#1 : tensor<$Mx$Nx$T>, tensor<$Mx$Nxi1>
})";

/// Updates a buffer in place, twice, with strided rows.
static const char *inPlace = R"(
func.func @f(%a: memref<$Mx$Nx$T, strided<[80, 1]>>, %b: memref<$Mx$Nx$T>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<$Mx$Nx$T>) outs(%a : memref<$Mx$Nx$T, strided<[80, 1]>>)
    $ATTRS {
  ^bb0(%x: $T, %o: $T):
    %s = $SUB %o, %x : $T
    linalg.yield %s : $T
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<$Mx$Nx$T, strided<[80, 1]>>) outs(%b : memref<$Mx$Nx$T>) {
  ^bb0(%x: $T, %o: $T):
    %s = $MUL %x, %o : $T
    linalg.yield %s : $T
  }
  return
})";

static KernelFamily permutation(const std::string &name,
                                const std::string &shape,
                                const std::string &order) {
  return {"transpose_" + name,
          fillIn(permute, {{"$SHAPE", shape}, {"$PERMUTATION", order}}),
          "LMN",
          {{4, 32, 64}, {3, 17, 33}, {5, 1, 9}, {40, 3, 2}, {1, 6, 70}},
          {"f32", "f16", "i8", "f64"},
          {""}};
}

std::vector<KernelFamily> tonno::elementwiseFamilies() {
  std::vector<std::vector<int64_t>> shapes = {{32, 64}, {17, 33},  {1, 100},
                                              {50, 1},  {3, 1030}, {37, 12}};
  std::vector<std::string> configs = {
      "",
      "workgroup = [4, 64], thread = [1, 4]",
      "workgroup = [8, 16], thread = [2, 8]",
      "workgroup = [16, 10], thread = [4, 1]",
      "workgroup = [1, 0], thread = [1, 3]",
      "workgroup = [8, 64], subgroup = [4, 32]"};
  std::vector<std::string> transposing = {
      "", "workgroup = [32, 32], thread = [4, 1]",
      "workgroup = [16, 32], thread = [2, 4]",
      "workgroup = [10, 6], thread = [1, 2]", "workgroup = [64, 8]"};
  std::vector<std::string> plain = {"f32", "f16", "bf16", "i8", "i32", "f64"};
  return {
      {"add",
       add,
       "MN",
       shapes,
       {"f32", "f16", "bf16", "f16.f32", "bf16.f32", "i8.i32", "i8", "i64",
        "f64", "f8E4M3FN", "f8E8M0FNU.f32", "f6E3M2FN.f16", "f4E2M1FN", "i4"},
       configs},
      {"broadcast", broadcast, "MN", shapes, plain, configs},
      {"transpose", transpose, "MN", shapes, plain, transposing},
      {"add_transposed",
       addTransposed,
       "MN",
       shapes,
       {"f32", "f16", "i32"},
       transposing},
      permutation("021", "$Lx$Nx$M", "0, 2, 1"),
      permutation("102", "$Mx$Lx$N", "1, 0, 2"),
      permutation("120", "$Mx$Nx$L", "1, 2, 0"),
      permutation("201", "$Nx$Lx$M", "2, 0, 1"),
      permutation("210", "$Nx$Mx$L", "2, 1, 0"),
      {"mask", mask, "MN", shapes, {"f32", "f16", "i8"}, configs},
      {"in_place",
       inPlace,
       "MN",
       {{32, 64}, {17, 33}, {1, 80}, {50, 1}},
       {"f32", "f16", "i32"},
       configs},
  };
}
