// RUN: tonno-opt %s --split-input-file --tonno-duplicate-inits | FileCheck %s
// RUN: tonno-opt %s --split-input-file --tonno-lower-nvptx=chip=sm_90 | FileCheck %s --check-prefix=LAUNCHES

// The first op keeps the fill, and each other one gets a clone.
// CHECK-LABEL: func.func @two(
// CHECK: %[[FILL:.*]] = linalg.fill {{.*}} outs(%[[EMPTY:.*]] :
// CHECK: linalg.reduce {{.*}} outs(%[[FILL]] : tensor<64xf32>)
// CHECK: %[[OTHER:.*]] = tensor.empty() : tensor<64xf32>
// CHECK: %[[CLONE:.*]] = linalg.fill {{.*}} outs(%[[OTHER]] :
// CHECK: linalg.reduce {{.*}} outs(%[[CLONE]] : tensor<64xf32>)
// CHECK: return
// Both reductions in one launch, and none that only writes zeros.
// LAUNCHES: tonno.launches = [{block = [256, 1, 1], buffers = [0, 1, 2, 3],
// LAUNCHES-NOT: block =
// LAUNCHES-SAME: symbol = "two_entry"}]
func.func @two(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<64x512xf32>) outs(%fill : tensor<64xf32>) dimensions = [1]
  %other = linalg.reduce {arith.addf} ins(%y : tensor<64x512xf32>) outs(%fill : tensor<64xf32>) dimensions = [1]
  return %sum, %other : tensor<64xf32>, tensor<64xf32>
}

// -----

// A fill that is returned, too, stays as it is; the reduction gets a clone.
// CHECK-LABEL: func.func @read(
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: %[[CLONE:.*]] = linalg.fill
// CHECK: linalg.reduce {{.*}} outs(%[[CLONE]] :
// CHECK: return %{{.*}}, %[[FILL]] :
func.func @read(%x: tensor<64x512xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<64x512xf32>) outs(%fill : tensor<64xf32>) dimensions = [1]
  return %sum, %fill : tensor<64xf32>, tensor<64xf32>
}

// -----

// %b may be computed over %a, which it is the last to read. %c has nothing in
// common with them.
// CHECK-LABEL: func.func @chains(
// CHECK: %[[EMPTY:.*]] = tensor.empty()
// CHECK: linalg.exp {{.*}} outs(%[[EMPTY]] :
// CHECK: linalg.exp {{.*}} outs(%[[EMPTY]] :
// CHECK: %[[OTHER:.*]] = tensor.empty()
// CHECK: linalg.exp {{.*}} outs(%[[OTHER]] :
// CHECK: linalg.exp {{.*}} outs(%[[OTHER]] :
func.func @chains(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %empty = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.exp ins(%a : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %c = linalg.exp ins(%y : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %d = linalg.exp ins(%c : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  return %b, %d : tensor<64xf32>, tensor<64xf32>
}

// -----

// A slice of the tensor is computed in its place, and inserted again: these
// stay together, and the whole op gets a clone.
// CHECK-LABEL: func.func @slice(
// CHECK: %[[EMPTY:.*]] = tensor.empty()
// CHECK: %[[OTHER:.*]] = tensor.empty()
// CHECK: linalg.exp {{.*}} outs(%[[OTHER]] :
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[EMPTY]]
// CHECK: linalg.exp {{.*}} outs(%[[SLICE]] :
// CHECK: tensor.insert_slice %{{.*}} into %[[EMPTY]]
func.func @slice(%x: tensor<64xf32>, %y: tensor<32xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %empty = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %s = tensor.extract_slice %empty[0] [32] [1] : tensor<64xf32> to tensor<32xf32>
  %b = linalg.exp ins(%y : tensor<32xf32>) outs(%s : tensor<32xf32>) -> tensor<32xf32>
  %c = tensor.insert_slice %b into %empty[0] [32] [1] : tensor<32xf32> into tensor<64xf32>
  return %a, %c : tensor<64xf32>, tensor<64xf32>
}

// -----

// Two tensors that slices are inserted into have nothing in common either. The
// slice that two ops compute their results in is cloned, too.
// CHECK-LABEL: func.func @insertions(
// CHECK-DAG: %[[EMPTY:.*]] = tensor.empty() : tensor<64xf32>
// CHECK-DAG: %[[SLICE:.*]] = tensor.extract_slice %[[EMPTY]]
// CHECK: %[[A:.*]] = linalg.exp {{.*}} outs(%[[SLICE]] :
// CHECK: tensor.insert_slice %[[A]] into %[[EMPTY]]
// CHECK-DAG: %[[OTHER:.*]] = tensor.empty() : tensor<64xf32>
// CHECK-DAG: %[[CLONE:.*]] = tensor.extract_slice %[[OTHER]]
// CHECK: %[[B:.*]] = linalg.exp {{.*}} outs(%[[CLONE]] :
// CHECK: tensor.insert_slice %[[B]] into %[[OTHER]]
func.func @insertions(%x: tensor<32xf32>, %y: tensor<32xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %empty = tensor.empty() : tensor<64xf32>
  %s = tensor.extract_slice %empty[0] [32] [1] : tensor<64xf32> to tensor<32xf32>
  %a = linalg.exp ins(%x : tensor<32xf32>) outs(%s : tensor<32xf32>) -> tensor<32xf32>
  %b = tensor.insert_slice %a into %empty[0] [32] [1] : tensor<32xf32> into tensor<64xf32>
  %c = linalg.exp ins(%y : tensor<32xf32>) outs(%s : tensor<32xf32>) -> tensor<32xf32>
  %d = tensor.insert_slice %c into %empty[0] [32] [1] : tensor<32xf32> into tensor<64xf32>
  return %b, %d : tensor<64xf32>, tensor<64xf32>
}

// -----

// A fill before a loop would be copied in each iteration. The fills of two
// loops have nothing in common.
// CHECK-LABEL: func.func @loops(
// CHECK-NOT: linalg.fill
// CHECK: scf.for
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FILL]])
// CHECK: %[[OTHER:.*]] = linalg.fill
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[OTHER]])
func.func @loops(%x: tensor<4x8xf32>, %n: index, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<4x8xf32>) {
    %a = scf.for %j = %c0 to %n step %c1 iter_args(%s = %fill) -> (tensor<4x8xf32>) {
      %b = linalg.exp ins(%x : tensor<4x8xf32>) outs(%s : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.yield %b : tensor<4x8xf32>
    }
    %c = scf.for %j = %c0 to %n step %c1 iter_args(%s = %fill) -> (tensor<4x8xf32>) {
      %d = linalg.exp ins(%a : tensor<4x8xf32>) outs(%s : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.yield %d : tensor<4x8xf32>
    }
    %e = linalg.add ins(%a, %c : tensor<4x8xf32>, tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %e : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}
