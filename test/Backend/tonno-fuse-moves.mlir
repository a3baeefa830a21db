// RUN: tonno-opt %s --mlir-print-local-scope --split-input-file --pass-pipeline='builtin.module(func.func(tonno-fuse-moves))' | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#kept = affine_map<(m, n) -> (m, 0)>
#scalar = affine_map<(m, n) -> ()>
#row = affine_map<(m, n) -> (m)>

// A chain of broadcasts, and a constant that fills a tensor.
// CHECK-LABEL: func @broadcasts
// CHECK-SAME:    %[[X:.*]]: tensor<8x16xf32>, %[[MEAN:.*]]: tensor<8xf32>
// CHECK:         %[[TWO:.*]] = arith.constant 2.0
// CHECK-NOT:     linalg.broadcast
// CHECK:         linalg.generic {{{.*}}affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME:      ins(%[[X]], %[[MEAN]] :
// CHECK:           %[[LESS:.*]] = arith.subf
// CHECK:           arith.mulf %[[LESS]], %[[TWO]]
// CHECK:         return
func.func @broadcasts(%x: tensor<8x16xf32>, %mean: tensor<8xf32>) -> tensor<8x16xf32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<8x16xf32>
  %ke = tensor.empty() : tensor<8x1xf32>
  %k = linalg.broadcast ins(%mean : tensor<8xf32>) outs(%ke : tensor<8x1xf32>) dimensions = [1]
  %wide = linalg.generic {indexing_maps = [#kept, #id], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<8x1xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %twos = linalg.generic {indexing_maps = [#scalar, #id], iterator_types = ["parallel", "parallel"]} ins(%two : tensor<f32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %wide, %twos : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %m = arith.mulf %d, %c : f32
    linalg.yield %m : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

// Factors may be transposed, but keep their dimensions. The configuration stays.
// CHECK-LABEL: func @factors
// CHECK-SAME:    %[[X:.*]]: tensor<16x32xf32>, %[[Y:.*]]: tensor<64x32xf32>, %[[ROW:.*]]: tensor<32xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic {{{.*}}affine_map<(d0, d1, d2) -> (d1, d2)>,
// CHECK-SAME:      ins(%[[X]], %[[Y]] :
// CHECK-SAME:      tonno.lowering_config = {workgroup = [8, 8, 0]}
// CHECK:         %[[WIDE:.*]] = linalg.broadcast ins(%[[ROW]]
// CHECK:         linalg.matmul ins(%[[X]], %[[WIDE]]
func.func @factors(%x: tensor<16x32xf32>, %y: tensor<64x32xf32>, %row: tensor<32xf32>, %a: tensor<16x64xf32>, %b: tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<32x64xf32>
  %t = linalg.transpose ins(%y : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) permutation = [1, 0]
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [8, 8, 0]}} ins(%x, %t : tensor<16x32xf32>, tensor<32x64xf32>) outs(%a : tensor<16x64xf32>) -> tensor<16x64xf32>
  %w = linalg.broadcast ins(%row : tensor<32xf32>) outs(%e : tensor<32x64xf32>) dimensions = [1]
  %s = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%b : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %r, %s : tensor<16x64xf32>, tensor<16x64xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#one = affine_map<(m) -> (m)>

// A sum along the broadcast dimension has its extent from nothing else; a
// result of the kernel, and a configured op, stay.
// CHECK-LABEL: func @kept
// CHECK-COUNT-3: linalg.broadcast
// CHECK:         linalg.generic {{.*}}"reduction"
func.func @kept(%x: tensor<8xf32>, %init: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %w = linalg.broadcast ins(%x : tensor<8xf32>) outs(%e : tensor<8x16xf32>) dimensions = [1]
  %v = linalg.broadcast ins(%x : tensor<8xf32>) outs(%e : tensor<8x16xf32>) dimensions = [1]
  %c = linalg.broadcast ins(%x : tensor<8xf32>) outs(%e : tensor<8x16xf32>) dimensions = [1] {tonno.lowering_config = {workgroup = [4, 4]}}
  %n = linalg.exp ins(%c : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%w : tensor<8x16xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %s, %v, %n : tensor<8xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

#id = affine_map<(b, m, n) -> (b, m, n)>
#pair = affine_map<(b, m, n) -> (m, n)>
#two = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func @mask
// CHECK-NOT:     tensor<8x16xi1>
// CHECK:         linalg.generic
// CHECK-SAME:      tensor<4x8x16xf32>
// CHECK-DAG:       %[[M:.*]] = linalg.index 1
// CHECK-DAG:       %[[N:.*]] = linalg.index 2
// CHECK:           arith.cmpi sge, %[[M]], %[[N]]
// CHECK:           arith.select
func.func @mask(%x: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %low = arith.constant 0xFF800000 : f32
  %me = tensor.empty() : tensor<8x16xi1>
  %mask = linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%me : tensor<8x16xi1>) {
  ^bb0(%o: i1):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %c = arith.cmpi sge, %m, %n : index
    linalg.yield %c : i1
  } -> tensor<8x16xi1>
  %e = tensor.empty() : tensor<4x8x16xf32>
  %r = linalg.generic {indexing_maps = [#pair, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%mask, %x : tensor<8x16xi1>, tensor<4x8x16xf32>) outs(%e : tensor<4x8x16xf32>) {
  ^bb0(%c: i1, %a: f32, %o: f32):
    %s = arith.select %c, %a, %low : f32
    linalg.yield %s : f32
  } -> tensor<4x8x16xf32>
  return %r : tensor<4x8x16xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#kept = affine_map<(m, n) -> (m, 0)>

// A mean keeps the reduced dimension with extent 1, which is dropped.
// CHECK-LABEL: func @kept
// CHECK-NOT:     tensor<8x1xf32>
// CHECK:         %[[SUM:.*]] = linalg.reduce
// CHECK:         %[[MEAN:.*]] = linalg.generic
// CHECK-SAME:      iterator_types = ["parallel"]} ins(%[[SUM]] : tensor<8xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1) -> (d0)>
// CHECK-SAME:      ins(%{{.*}}, %[[MEAN]] : tensor<8x16xf32>, tensor<8xf32>)
// CHECK-NOT:     linalg.generic
func.func @kept(%x: tensor<8x16xf32>, %zeros: tensor<8xf32>) -> tensor<8x16xf32> {
  %length = arith.constant 16.0 : f32
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<8x16xf32>) outs(%zeros : tensor<8xf32>) dimensions = [1]
  %ke = tensor.empty() : tensor<8x1xf32>
  %k = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%sum : tensor<8xf32>) outs(%ke : tensor<8x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x1xf32>
  %mean = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<8x1xf32>) outs(%ke : tensor<8x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %length : f32
    linalg.yield %q : f32
  } -> tensor<8x1xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %wide = linalg.generic {indexing_maps = [#kept, #id], iterator_types = ["parallel", "parallel"]} ins(%mean : tensor<8x1xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %r = linalg.sub ins(%x, %wide : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

#id = affine_map<(b, m) -> (b, m)>

// An argument's dimension of extent 1 is as good as any other, as is that of an
// op with a configuration.
// CHECK-LABEL: func @batch
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}} : tensor<1x16xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%{{.*}} : tensor<1x16xf32>)
// CHECK-SAME:      lowering_config
func.func @batch(%x: tensor<1x16xf32>, %y: tensor<16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %e = tensor.empty() : tensor<1x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x16xf32>) outs(%e : tensor<1x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.addf %a, %a : f32
    linalg.yield %q : f32
  } -> tensor<1x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m) -> (m)>, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<16xf32>) outs(%e : tensor<1x16xf32>) attrs = {tonno.lowering_config = {workgroup = [1, 16]}} {
  ^bb0(%a: f32, %o: f32):
    %q = arith.addf %a, %a : f32
    linalg.yield %q : f32
  } -> tensor<1x16xf32>
  return %r, %s : tensor<1x16xf32>, tensor<1x16xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#kept = affine_map<(m, n) -> (m, 0)>

// What reads a kept dimension reads its source, with a configuration or not.
// CHECK-LABEL: func @configured
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>,
// CHECK-SAME:      ins(%{{.*}} : tensor<8xf32>)
// CHECK-SAME:      lowering_config
func.func @configured(%x: tensor<8xf32>) -> tensor<8x16xf32> {
  %k = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [#kept, #id], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<8x1xf32>) outs(%e : tensor<8x16xf32>) attrs = {tonno.lowering_config = {workgroup = [1, 16]}} {
  ^bb0(%a: f32, %o: f32):
    %q = arith.addf %a, %a : f32
    linalg.yield %q : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
