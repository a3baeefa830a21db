//===- Ops of other forms to verify ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"

using namespace tonno;

/// Two outputs, one of which is an index.
static const char *argmax = R"(
func.func @f(%a: tensor<$Mx$Nx$T>) -> (tensor<$Mx$T>, tensor<$Mxi32>) {
  %least = arith.constant $LEAST : $T
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<$Mx$T>
  %p = tensor.empty() : tensor<$Mxi32>
  %i = linalg.fill ins(%least : $T) outs(%e : tensor<$Mx$T>) -> tensor<$Mx$T>
  %j = linalg.fill ins(%zero : i32) outs(%p : tensor<$Mxi32>) -> tensor<$Mxi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<$Mx$Nx$T>) outs(%i, %j : tensor<$Mx$T>, tensor<$Mxi32>) {
  ^bb0(%x: $T, %o: $T, %q: i32):
    %k = linalg.index 1 : index
    %n = arith.index_cast %k : index to i32
    %c = $GREATER %x, %o : $T
    %s = arith.select %c, %x, %o : $T
    %t = arith.select %c, %n, %q : i32
    linalg.yield %s, %t : $T, i32
  } -> (tensor<$Mx$T>, tensor<$Mxi32>)
  return %r#0, %r#1 : tensor<$Mx$T>, tensor<$Mxi32>
})";

/// Images of $M by $N and $K channels, filters of 3 by 2.
static const char *convolution = R"(
func.func @f(%a: tensor<2x$Mx$Nx$Kx$T>, %w: tensor<3x2x$Kx5x$T>)
    -> tensor<2x$Px$Qx5x$A> {
  %z = arith.constant $ZERO : $A
  %e = tensor.empty() : tensor<2x$Px$Qx5x$A>
  %i = linalg.fill ins(%z : $A) outs(%e : tensor<2x$Px$Qx5x$A>)
    -> tensor<2x$Px$Qx5x$A>
  %r = linalg.conv_2d_nhwc_hwcf
    {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%a, %w : tensor<2x$Mx$Nx$Kx$T>, tensor<3x2x$Kx5x$T>)
    outs(%i : tensor<2x$Px$Qx5x$A>) -> tensor<2x$Px$Qx5x$A>
  return %r : tensor<2x$Px$Qx5x$A>
})";

/// A convolution of each channel by itself, without products of rows and
/// columns.
static const char *convolutionByDepth = R"(
func.func @f(%a: tensor<2x$Mx$Nx$Kx$T>, %w: tensor<3x2x$Kx$T>)
    -> tensor<2x$Px$Qx$Kx$A> {
  %z = arith.constant $ZERO : $A
  %e = tensor.empty() : tensor<2x$Px$Qx$Kx$A>
  %i = linalg.fill ins(%z : $A) outs(%e : tensor<2x$Px$Qx$Kx$A>)
    -> tensor<2x$Px$Qx$Kx$A>
  %r = linalg.depthwise_conv_2d_nhwc_hwc
    {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%a, %w : tensor<2x$Mx$Nx$Kx$T>, tensor<3x2x$Kx$T>)
    outs(%i : tensor<2x$Px$Qx$Kx$A>) -> tensor<2x$Px$Qx$Kx$A>
  return %r : tensor<2x$Px$Qx$Kx$A>
})";

static const char *gather = R"(
func.func @f(%t: tensor<$Mx$Nx$T>, %rows: tensor<$Kxi32>)
    -> tensor<$Kx$Nx$T> {
  %e = tensor.empty() : tensor<$Kx$Nx$T>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%rows : tensor<$Kxi32>) outs(%e : tensor<$Kx$Nx$T>) {
  ^bb0(%x: i32, %o: $T):
    %i = arith.index_cast %x : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%i, %j] : tensor<$Mx$Nx$T>
    linalg.yield %v : $T
  } -> tensor<$Kx$Nx$T>
  return %r : tensor<$Kx$Nx$T>
})";

/// Two launches: the first writes differences, which the second reads.
static const char *parallelLoops = R"(
func.func @f(%a: memref<$Mx$Nx$T>, %b: memref<$Mx$Nx$T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = arith.constant $M : index
  %n = arith.constant $N : index
  scf.parallel (%i, %j) = (%c0, %c1) to (%m, %n) step (%c2, %c1) {
    %p = arith.subi %j, %c1 : index
    %x = memref.load %a[%i, %p] : memref<$Mx$Nx$T>
    %y = memref.load %a[%i, %j] : memref<$Mx$Nx$T>
    %s = $SUB %y, %x : $T
    memref.store %s, %b[%i, %j] : memref<$Mx$Nx$T>
    scf.reduce
  }
  scf.parallel (%j) = (%c1) to (%n) step (%c1) {
    %p = arith.subi %j, %c1 : index
    %x = memref.load %b[%c0, %p] : memref<$Mx$Nx$T>
    memref.store %x, %a[%c0, %j] : memref<$Mx$Nx$T>
    scf.reduce
  }
  return
})";

/// A loop is run by one thread, between what many do.
static const char *serialLoop = R"(
func.func @f(%a: memref<$Mx$Nx$T>, %s: memref<$Nx$T>, %k: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant $M : index
  %z = arith.constant $ZERO : $T
  linalg.fill ins(%z : $T) outs(%s : memref<$Nx$T>)
  scf.for %i = %c0 to %m step %c1 {
    %row = memref.subview %a[%i, 0] [1, $N] [1, 1]
      : memref<$Mx$Nx$T> to memref<$Nx$T, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
        affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%row : memref<$Nx$T, strided<[1], offset: ?>>)
      outs(%s : memref<$Nx$T>) {
    ^bb0(%x: $T, %o: $T):
      %t = $SUB %x, %o : $T
      linalg.yield %t : $T
    }
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%s : memref<$Nx$T>) {
  ^bb0(%o: $T):
    %q = $FROMI32 %k : i32 to $T
    %t = $ADD %o, %q : $T
    linalg.yield %t : $T
  }
  return
})";

/// Each op needs all of the one before.
static const char *launches = R"(
func.func @f(%a: tensor<$Mx$Nx$T>) -> tensor<$Nx$T> {
  %z = arith.constant $ZERO : $T
  %ev = tensor.empty() : tensor<$Mx$T>
  %iv = linalg.fill ins(%z : $T) outs(%ev : tensor<$Mx$T>) -> tensor<$Mx$T>
  %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<$Mx$Nx$T>) outs(%iv : tensor<$Mx$T>) {
  ^bb0(%x: $T, %o: $T):
    %t = $ADD %o, %x : $T
    linalg.yield %t : $T
  } -> tensor<$Mx$T>
  %ew = tensor.empty() : tensor<$Nx$T>
  %iw = linalg.fill ins(%z : $T) outs(%ew : tensor<$Nx$T>) -> tensor<$Nx$T>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>,
      affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
    ins(%a, %sums : tensor<$Mx$Nx$T>, tensor<$Mx$T>) outs(%iw : tensor<$Nx$T>) {
  ^bb0(%x: $T, %y: $T, %o: $T):
    %d = $SUB %y, %x : $T
    %t = $MAX %o, %d : $T
    linalg.yield %t : $T
  } -> tensor<$Nx$T>
  return %r : tensor<$Nx$T>
})";

/// Fills in the words for floats, before those of every family.
static std::string forFloats(const char *text) {
  return fillIn(
      text, {{"$GREATER", "arith.cmpf ogt,"}, {"$FROMI32", "arith.sitofp"}});
}

std::vector<KernelFamily> tonno::loopFamilies() {
  std::vector<std::vector<int64_t>> shapes = {
      {16, 64}, {9, 33}, {1, 300}, {40, 2}};
  std::vector<std::string> types = {"f32", "f16", "f64"};
  return {
      {"argmax", forFloats(argmax), "MN", shapes, types, {""}},
      {"argmax_integers",
       fillIn(argmax, {{"$GREATER", "arith.cmpi sgt,"}}),
       "MN",
       shapes,
       {"i32", "i8"},
       {""}},
      {"convolution",
       convolution,
       "MNKPQ",
       {{9, 8, 3, 4, 7}, {3, 2, 4, 1, 1}, {11, 40, 1, 5, 39}},
       {"f32", "f16.f32", "i8.i32"},
       {""}},
      {"convolution_by_depth",
       convolutionByDepth,
       "MNKPQ",
       {{9, 8, 3, 4, 7}, {3, 2, 4, 1, 1}, {11, 40, 1, 5, 39}},
       {"f32", "f16.f32", "i8.i32"},
       {""}},
      {"gather",
       gather,
       "MNK",
       {{40, 64, 16}, {100, 1, 9}, {7, 33, 50}},
       {"f32", "f16", "i32"},
       {""}},
      {"parallel_loops",
       parallelLoops,
       "MN",
       shapes,
       {"f32", "f16", "i32"},
       {""}},
      {"serial_loop", forFloats(serialLoop), "MN", shapes, types, {""}},
      {"launches", launches, "MN", shapes, {"f32", "f16", "i32"}, {""}},
  };
}
