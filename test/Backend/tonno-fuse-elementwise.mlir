// RUN: tonno-opt %s --split-input-file --tonno-fuse-elementwise | FileCheck %s

// A chain becomes one op, which has the configuration of the last.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[A:[^:]+]]: tensor<8x16xf32>, %[[B:[^:]+]]: tensor<16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]], %[[A]] :
// CHECK-SAME: attrs = {tonno.lowering_config = {workgroup = [1, 16]}}
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: linalg.{{[a-x]}}
// CHECK: return
func.func @chain(%a: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %x = linalg.exp ins(%a : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%s: f32, %t: f32, %o: f32):
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<8x16xf32>
  %z = linalg.mul {tonno.lowering_config = {workgroup = [1, 16]}} ins(%y, %a : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %z : tensor<8x16xf32>
}

// -----

// What is summed up along rows is computed where it is.
// CHECK-LABEL: func.func @summed(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<8x16xf32>) outs(%arg1 : tensor<8xf32>) attrs = {tonno.lowering_config = {subgroup = [4, 16]}}
// CHECK: math.exp
// CHECK: arith.addf
func.func @summed(%a: tensor<8x16xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %x = linalg.exp ins(%a : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = linalg.reduce {arith.addf} ins(%x : tensor<8x16xf32>) outs(%s : tensor<8xf32>) dimensions = [1] {tonno.lowering_config = {subgroup = [4, 16]}}
  return %r : tensor<8xf32>
}

// -----

// Not what two ops use, what is configured, nor what a product would compute
// again for each of its columns.
// CHECK-LABEL: func.func @apart(
// CHECK: linalg.exp
// CHECK: linalg.matmul
// CHECK: linalg.log
// CHECK: linalg.negf
// CHECK: linalg.abs
func.func @apart(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %e = tensor.empty() : tensor<16x16xf32>
  %x = linalg.exp ins(%a : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %p = linalg.matmul ins(%x, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  %l = linalg.log ins(%p : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %n = linalg.negf {tonno.lowering_config = {workgroup = [1, 16]}} ins(%l : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.abs ins(%n : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %l, %m : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// Nor what would be read in another order, or begins with what its result has.
// CHECK-LABEL: func.func @orders(
// CHECK: linalg.transpose
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: linalg.abs
func.func @orders(%a: tensor<8x16xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %t = linalg.transpose ins(%a : tensor<8x16xf32>) outs(%e : tensor<16x8xf32>) permutation = [1, 0]
  %x = linalg.exp ins(%t : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x8xf32>) outs(%c : tensor<16x8xf32>) {
  ^bb0(%s: f32, %o: f32):
    %u = arith.addf %s, %o : f32
    linalg.yield %u : f32
  } -> tensor<16x8xf32>
  %r = linalg.abs ins(%g : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

// What a loop uses is computed once, before it.
// CHECK-LABEL: func.func @before_loop(
// CHECK: linalg.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: linalg.add
func.func @before_loop(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %e = tensor.empty() : tensor<8x16xf32>
  %x = linalg.exp ins(%a : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %b) -> tensor<8x16xf32> {
    %y = linalg.add ins(%x, %s : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s : tensor<8x16xf32>) -> tensor<8x16xf32>
    scf.yield %y : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}

// -----

// A constant for all elements is a part of each op that reads it, in however
// many layers: no buffer is filled with it.
// CHECK-LABEL: func.func @constant_of_layers(
// CHECK-NOT: tensor<f32>) outs
// CHECK: linalg.generic {{.*}} ins(%arg0
// CHECK: linalg.generic {{.*}} ins(%arg1
// CHECK: return
func.func @constant_of_layers(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %half = arith.constant dense<5.000000e-01> : tensor<f32>
  %e = tensor.empty() : tensor<64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%half : tensor<f32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<64xf32>
  %a = linalg.mul ins(%x, %c : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.mul ins(%y, %c : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// -----

// A broadcast along dimensions of extent 1, as JAX writes it.
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
// CHECK-LABEL: func.func @broadcast_of_ones(
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[MAP]], {{.*}}]{{.*}} ins(%arg0, %arg1 :
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @broadcast_of_ones(%a: tensor<4x8x16xf32>, %b: tensor<4x1x16xf32>) -> tensor<4x8x16xf32> {
  %e = tensor.empty() : tensor<4x8x16xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, 0, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : tensor<4x1x16xf32>) outs(%e : tensor<4x8x16xf32>) {
  ^bb0(%s: f32, %o: f32):
    linalg.yield %s : f32
  } -> tensor<4x8x16xf32>
  %r = linalg.add {tonno.lowering_config = {workgroup = [1, 1, 16]}} ins(%a, %w : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%e : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %r : tensor<4x8x16xf32>
}
