// RUN: tonno-opt %s --split-input-file --tonno-tile --canonicalize | FileCheck %s

// Cache tiles over rows and columns, then over the reduction; register tiles
// with columns outermost and the reduction innermost.
// CHECK-LABEL: func.func @levels(
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:.+]] = arith.constant 8 : index
// CHECK-DAG: %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.+]] = arith.constant 64 : index
// CHECK: scf.for {{.*}} step %[[C32]]
// CHECK:   scf.for {{.*}} step %[[C64]]
// CHECK:     scf.for {{.*}} step %[[C16]]
// CHECK:       scf.for {{.*}} step %[[C32]]
// CHECK:         scf.for {{.*}} step %[[C8]]
// CHECK:           scf.for {{.*}} step %[[C1]]
// CHECK:             linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x32xf32>)
// CHECK-NOT: linalg.matmul
// CHECK-NOT: tonno.lowering_config
func.func @levels(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [32, 64, 0], reduction = [0, 0, 16], subgroup = [8, 32, 0]}}
    ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// -----

// 10 rows by 8 leave 2; 50 columns by 32 leave 18, which are padded to 32:
// vectors of other lengths than powers of two are slow, and many short ones,
// too. Every shape is static.
// CHECK-LABEL: func.func @rests(
// CHECK-NOT: ?x
// CHECK: linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x32xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [30, 18] [1, 1] : tensor<30x18xf32> into tensor<30x32xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [8, 18] [1, 1] : tensor<8x18xf32> into tensor<8x32xf32>
// CHECK: linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x32xf32>)
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [8, 18] [1, 1] : tensor<8x32xf32> to tensor<8x18xf32>
// CHECK: linalg.matmul ins({{.*}} : tensor<2x1xf32>, tensor<1x32xf32>)
// CHECK: linalg.matmul ins({{.*}} : tensor<2x1xf32>, tensor<1x32xf32>)
// CHECK-NOT: linalg.matmul
func.func @rests(%a: tensor<10x30xf32>, %b: tensor<30x50xf32>, %c: tensor<10x50xf32>) -> tensor<10x50xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [8, 32, 0]}}
    ins(%a, %b : tensor<10x30xf32>, tensor<30x50xf32>) outs(%c : tensor<10x50xf32>) -> tensor<10x50xf32>
  return %r : tensor<10x50xf32>
}

// -----

// Tiles as large as the loops, or larger, make no loops.
// CHECK-LABEL: func.func @clamped(
// CHECK-NOT: scf.for
// CHECK: linalg.matmul ins({{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
func.func @clamped(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [4, 64, 0], reduction = [0, 0, 8], subgroup = [0, 0, 0]}}
    ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// A matrix product that says nothing is tiled modestly; other ops stay whole.
// CHECK-LABEL: func.func @unconfigured(
// CHECK: scf.for
// CHECK: linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x32xf32>)
// CHECK: linalg.add ins({{.*}} : tensor<64x64xf32>, tensor<64x64xf32>)
func.func @unconfigured(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.add ins(%r, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

// -----

// Goto's loops: columns, the reduction, rows; B is packed outside of the loop
// over rows, A inside. Panels of 16 columns and of 4 rows, each with what is
// summed up in order.
// CHECK-LABEL: func.func @packed(
// CHECK-DAG: %[[C8:.+]] = arith.constant 8 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.+]] = arith.constant 64 : index
// CHECK-NOT: linalg.pack
// CHECK: scf.for {{.*}} step %[[C32]]
// CHECK:   scf.for {{.*}} step %[[C8]]
// CHECK:     linalg.transpose ins({{.*}} : tensor<1x1x16xf32>)
// CHECK:     scf.for {{.*}} step %[[C64]]
// CHECK:       linalg.transpose ins({{.*}} : tensor<1x4x8xf32>) outs({{.*}} : tensor<1x8x4xf32>)
// CHECK:       linalg.generic {{.*}} ins({{.*}} : tensor<1x1x4xf32>, tensor<1x1x16xf32>) outs({{.*}} : tensor<1x4x1x16xf32>)
// CHECK-NOT: linalg.generic
func.func @packed(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %r = linalg.matmul {tonno.lowering_config = {
        workgroup = [64, 32, 0], reduction = [0, 0, 8], subgroup = [4, 16, 0],
        pack = [1, 1, 0], interchange = [1, 2, 0]}}
    ins(%a, %b : tensor<128x64xf32>, tensor<64x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// -----

// Only B is packed: A is read where it is, in blocks of 4 rows.
// CHECK-LABEL: func.func @packed_columns(
// CHECK: tensor.expand_shape %arg0 {{\[\[}}0, 1], [2]] output_shape [4, 4, 32]
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x4x1xf32>, tensor<1x1x16xf32>)
func.func @packed_columns(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>, %c: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [4, 16, 0], pack = [0, 1, 0]}}
    ins(%a, %b : tensor<16x32xf32>, tensor<32x64xf32>) outs(%c : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// -----

// A constant argument is packed whole, and blocks of two of its panels are read.
// CHECK-LABEL: func.func @packed_constant(
//       CHECK: %[[WHOLE:.+]] = scf.for {{.*}} -> (tensor<6x64x16xf32>)
//       CHECK: scf.for %[[N:[^ ]+]] = {{.*}} -> (tensor<32x96xf32>)
//       CHECK: %[[PANEL:.+]] = affine.apply #{{.+}}(%[[N]])
//       CHECK: scf.for %[[K:[^ ]+]] = %{{.+}} to %{{.+}} step
//       CHECK: tensor.extract_slice %[[WHOLE]][%[[PANEL]], %[[K]], 0] [2, 32, 16] [1, 1, 1]
//   CHECK-NOT: linalg.transpose
//       CHECK: return
#constant = [{alignment = 16 : i64, type = memref<32x64xf32>}, {alignment = 16 : i64, constant, type = memref<64x96xf32>}, {alignment = 64 : i64, type = memref<32x96xf32>}]
func.func @packed_constant(%a: memref<32x64xf32>, %b: memref<64x96xf32>, %c: memref<32x96xf32>) attributes {tonno.buffers = #constant} {
  %x = bufferization.to_tensor %a restrict : memref<32x64xf32> to tensor<32x64xf32>
  %w = bufferization.to_tensor %b restrict : memref<64x96xf32> to tensor<64x96xf32>
  %empty = tensor.empty() : tensor<32x96xf32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x96xf32>) -> tensor<32x96xf32>
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [16, 32, 0], reduction = [0, 0, 32], subgroup = [4, 16, 0], pack = [0, 1, 0], interchange = [1, 2, 0]}}
    ins(%x, %w : tensor<32x64xf32>, tensor<64x96xf32>) outs(%init : tensor<32x96xf32>) -> tensor<32x96xf32>
  bufferization.materialize_in_destination %r in restrict writable %c : (tensor<32x96xf32>, memref<32x96xf32>) -> ()
  return
}

// -----

// Panels do not divide its rows: blocks are packed in each call.
// CHECK-LABEL: func.func @ragged_constant(
//       CHECK: scf.for
//   CHECK-NOT: affine.apply
//       CHECK: linalg.transpose
//   CHECK-NOT: affine.apply
//       CHECK: return
#ragged = [{alignment = 16 : i64, type = memref<32x64xf32>}, {alignment = 16 : i64, constant, type = memref<64x40xf32>}, {alignment = 64 : i64, type = memref<32x40xf32>}]
func.func @ragged_constant(%a: memref<32x64xf32>, %b: memref<64x40xf32>, %c: memref<32x40xf32>) attributes {tonno.buffers = #ragged} {
  %x = bufferization.to_tensor %a restrict : memref<32x64xf32> to tensor<32x64xf32>
  %w = bufferization.to_tensor %b restrict : memref<64x40xf32> to tensor<64x40xf32>
  %empty = tensor.empty() : tensor<32x40xf32>
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [16, 32, 0], reduction = [0, 0, 32], subgroup = [4, 16, 0], pack = [0, 1, 0], interchange = [1, 2, 0]}}
    ins(%x, %w : tensor<32x64xf32>, tensor<64x40xf32>) outs(%empty : tensor<32x40xf32>) -> tensor<32x40xf32>
  bufferization.materialize_in_destination %r in restrict writable %c : (tensor<32x40xf32>, memref<32x40xf32>) -> ()
  return
}

// -----

// Wide panels of what is turned are turned in parts.
// CHECK-LABEL: func.func @packed_turned(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<1x16x16xf32>) outs(%{{.*}} : tensor<1x16x16xf32>)
// CHECK-NOT: linalg.transpose
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @packed_turned(%a: tensor<16x64xf32>, %b: tensor<128x64xf32>, %c: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %r = linalg.matmul indexing_maps = [#a, #b, #c] {tonno.lowering_config = {subgroup = [4, 64, 0], pack = [0, 1, 0]}}
    ins(%a, %b : tensor<16x64xf32>, tensor<128x64xf32>) outs(%c : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}

// -----

// Panels of indices, a line of each row at a time, as of other words.
// CHECK-LABEL: func.func @packed_indices(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<1x4x8xindex>) outs(%{{.*}} : tensor<1x8x4xindex>)
func.func @packed_indices(%a: tensor<16x64xindex>, %b: tensor<64x128xindex>, %c: tensor<16x128xindex>) -> tensor<16x128xindex> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<16x64xindex>, tensor<64x128xindex>) outs(%c : tensor<16x128xindex>)
    attrs = {tonno.lowering_config = {subgroup = [4, 16, 0], pack = [1, 0, 0]}} {
  ^bb0(%x: index, %y: index, %s: index):
    %p = arith.muli %x, %y : index
    %q = arith.addi %s, %p : index
    linalg.yield %q : index
  } -> tensor<16x128xindex>
  return %r : tensor<16x128xindex>
}

// -----

// In whatever order the operands have their dimensions; of a batch, one product
// at a time.
// CHECK-LABEL: func.func @packed_batch(
// CHECK: linalg.transpose ins({{.*}} : tensor<1x1x1x16xf32>)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x1x1x4xf32>, tensor<1x1x1x16xf32>) outs({{.*}} : tensor<1x1x4x1x16xf32>)
func.func @packed_batch(%a: tensor<2x32x16xf32>, %b: tensor<2x32x64xf32>, %c: tensor<2x16x64xf32>) -> tensor<2x16x64xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(b, m, n, k) -> (b, k, m)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<2x32x16xf32>, tensor<2x32x64xf32>) outs(%c : tensor<2x16x64xf32>)
    attrs = {tonno.lowering_config = {workgroup = [1, 0, 0, 0], subgroup = [1, 4, 16, 0], pack = [0, 1, 1, 0]}} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x16x64xf32>
  return %r : tensor<2x16x64xf32>
}

// -----

// Blocks of 6 rows are of 8, whole tiles. What register tiles leave over has
// panels of its own, but of what it reads once it has none.
// CHECK-LABEL: func.func @packed_rests(
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x1x4xf32>, tensor<1x1x16xf32>)
// CHECK-NOT: linalg.transpose {{.*}} tensor<1x1x16xf32>
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x1x2xf32>, tensor<1x1x16xf32>)
// CHECK-NOT: linalg.generic
func.func @packed_rests(%a: tensor<18x32xf32>, %b: tensor<32x64xf32>, %c: tensor<18x64xf32>) -> tensor<18x64xf32> {
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [6, 0, 0], subgroup = [4, 16, 0], pack = [1, 1, 0]}}
    ins(%a, %b : tensor<18x32xf32>, tensor<32x64xf32>) outs(%c : tensor<18x64xf32>) -> tensor<18x64xf32>
  return %r : tensor<18x64xf32>
}

// -----

// What the op extends is so in its copy, and read as wide as the sum.
// CHECK-LABEL: func.func @packed_bf16(
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x1x16xbf16>) outs({{.*}} : tensor<1x1x16xf32>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: bf16, %{{.+}}: f32):
// CHECK-NEXT: arith.extf %[[X]] : bf16 to f32
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x4x1xbf16>, tensor<1x1x16xf32>)
// CHECK-NEXT: ^bb0(%[[A:.+]]: bf16, %[[B:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT: arith.mulf %[[WIDE]], %[[B]] : f32
func.func @packed_bf16(%a: tensor<16x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [4, 16, 0], pack = [0, 1, 0]}}
    ins(%a, %b : tensor<16x32xbf16>, tensor<32x64xbf16>) outs(%c : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// -----

// Pairs of steps side by side: of i8 as i16, in which processors multiply them.
// A is read by pairs where it is. The step that is left over has none.
// CHECK-DAG: #[[READ:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d0, d2)>
// CHECK-DAG: #[[ROWS:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[COLUMNS:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @pairs(
// CHECK: linalg.generic {indexing_maps = [#[[READ]], #{{.+}}], {{.*}} ins({{.*}} : tensor<1x2x1x16xi8>) outs({{.*}} : tensor<1x1x16x2xi16>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: i8, %{{.+}}: i16):
// CHECK-NEXT: arith.extsi %[[X]] : i8 to i16
// CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #[[COLUMNS]], #{{.+}}], {{.*}} ins({{.*}} : tensor<4x2xi8>, tensor<16x2xi16>) outs({{.*}} : tensor<4x16xi32>)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x4x1xi8>, tensor<1x1x16xi32>)
// CHECK-NOT: linalg.generic
func.func @pairs(%a: tensor<16x33xi8>, %b: tensor<33x64xi8>, %c: tensor<16x64xi32>) -> tensor<16x64xi32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [4, 16, 0], pack = [0, 1, 2]}}
    ins(%a, %b : tensor<16x33xi8>, tensor<33x64xi8>) outs(%c : tensor<16x64xi32>) -> tensor<16x64xi32>
  return %r : tensor<16x64xi32>
}

// -----

// Of numbers without a sign nothing is as large as one in i16. Both are packed.
// CHECK-LABEL: func.func @unsigned_pairs(
// CHECK: arith.extui %{{.+}} : i8 to i16
// CHECK: arith.extui %{{.+}} : i8 to i16
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<4x2xi16>, tensor<16x2xi16>) outs({{.*}} : tensor<4x16xi32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.extsi %{{.+}} : i16 to i32
// CHECK-NEXT: arith.extsi %{{.+}} : i16 to i32
func.func @unsigned_pairs(%a: tensor<16x32xi8>, %b: tensor<32x64xi8>, %c: tensor<16x64xi32>) -> tensor<16x64xi32> {
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>, tonno.lowering_config = {subgroup = [4, 16, 0], pack = [1, 1, 2]}}
    ins(%a, %b : tensor<16x32xi8>, tensor<32x64xi8>) outs(%c : tensor<16x64xi32>) -> tensor<16x64xi32>
  return %r : tensor<16x64xi32>
}

// -----

// Where nothing is packed, nothing is read by pairs.
// CHECK-LABEL: func.func @no_pairs(
// CHECK: linalg.matmul ins({{.*}} : tensor<4x1xi8>, tensor<1x16xi8>)
func.func @no_pairs(%a: tensor<16x32xi8>, %b: tensor<32x64xi8>, %c: tensor<16x64xi32>) -> tensor<16x64xi32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [4, 16, 0], pack = [0, 0, 2]}}
    ins(%a, %b : tensor<16x32xi8>, tensor<32x64xi8>) outs(%c : tensor<16x64xi32>) -> tensor<16x64xi32>
  return %r : tensor<16x64xi32>
}

// -----

// Within a window one step at a time, so that what is read is a plain tile: of
// a convolution a product of matrices, of every other pixel. Loops of one step
// are gone.
// CHECK-DAG: #[[PIXELS:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[FILTERS:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @convolution(
// CHECK: %[[TILE:.+]] = tensor.extract_slice %{{.*}} [1, 1, 7, 1] [1, 1, 1, 1]
// CHECK: %[[STRIDED:.+]] = tensor.extract_slice %[[TILE]][0, 0, 0, 0] [1, 1, 4, 1] [1, 1, 2, 1]
// CHECK: linalg.generic {indexing_maps = [#[[PIXELS]], #[[FILTERS]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins({{.*}} : tensor<4x1xf32>, tensor<1x16xf32>) outs({{.*}} : tensor<4x16xf32>)
// CHECK-NOT: linalg.conv
func.func @convolution(%x: tensor<1x17x17x8xf32>, %w: tensor<3x3x8x16xf32>, %z: tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, tonno.lowering_config = {subgroup = [1, 1, 4, 16, 1, 1, 1]}}
    ins(%x, %w : tensor<1x17x17x8xf32>, tensor<3x3x8x16xf32>) outs(%z : tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  return %r : tensor<1x8x8x16xf32>
}

// -----

// Each channel by itself: nothing is left to sum up in a tile.
// CHECK-LABEL: func.func @depthwise(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins({{.*}} : tensor<4x16xf32>, tensor<16xf32>) outs({{.*}} : tensor<4x16xf32>)
func.func @depthwise(%x: tensor<1x10x10x16xf32>, %w: tensor<3x3x16xf32>, %z: tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc {tonno.lowering_config = {subgroup = [1, 1, 4, 16, 1, 1]}}
    ins(%x, %w : tensor<1x10x10x16xf32>, tensor<3x3x16xf32>) outs(%z : tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  return %r : tensor<1x8x8x16xf32>
}

// -----

// Of loops in another order than the result's: no tile is transposed.
// CHECK-LABEL: func.func @planes(
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<2x16xf32>, tensor<f32>) outs({{.*}} : tensor<2x16xf32>)
func.func @planes(%x: tensor<1x8x18x18xf32>, %w: tensor<8x3x3xf32>, %z: tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32> {
  %r = linalg.depthwise_conv_2d_nchw_chw {tonno.lowering_config = {subgroup = [1, 2, 16, 1, 1, 1], workgroup = [1, 4, 0, 1, 0, 0]}}
      ins(%x, %w : tensor<1x8x18x18xf32>, tensor<8x3x3xf32>) outs(%z : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  return %r : tensor<1x8x16x16xf32>
}

// -----

// Windows that are read whole stay what they are.
// CHECK-LABEL: func.func @whole_windows(
// CHECK: linalg.conv_1d ins({{.*}} : tensor<12xf32>, tensor<5xf32>)
func.func @whole_windows(%x: tensor<36xf32>, %w: tensor<5xf32>, %z: tensor<32xf32>) -> tensor<32xf32> {
  %r = linalg.conv_1d {tonno.lowering_config = {workgroup = [8, 0]}}
    ins(%x, %w : tensor<36xf32>, tensor<5xf32>) outs(%z : tensor<32xf32>) -> tensor<32xf32>
  return %r : tensor<32xf32>
}

// -----

// In memory as well, where rows need not lie side by side.
// CHECK-LABEL: func.func @buffers(
// CHECK: memref.subview {{.*}} [1, 1, 4, 1] [1, 1, 2, 1]
// CHECK: linalg.generic {{.*}} ins({{.*}} : memref<4x1xf32, strided<[16, 1]{{.*}}>, memref<1x16xf32, strided<[384, 1]{{.*}}>) outs({{.*}} : memref<4x16xf32
func.func @buffers(%x: memref<1x17x17x8xf32>, %w: memref<3x3x8x16xf32>, %z: memref<1x8x8x16xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, tonno.lowering_config = {subgroup = [1, 1, 4, 16, 1, 1, 1]}}
    ins(%x, %w : memref<1x17x17x8xf32>, memref<3x3x8x16xf32>) outs(%z : memref<1x8x8x16xf32>)
  return
}

// -----

// Sums along rows: in lanes, which are added up in the end. What the lanes leave
// over has fewer.
// CHECK-LABEL: func.func @lanes(
// CHECK: linalg.fill {{.*}} -> tensor<4x16xf32>
// CHECK: scf.for
// CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins({{.*}} : tensor<4x16xf32>) outs({{.*}} : tensor<4x16xf32>)
// CHECK: linalg.reduce ins({{.*}} : tensor<4x16xf32>) outs({{.*}} : tensor<4xf32>) dimensions = [1]
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<4x2xf32>)
func.func @lanes(%x: tensor<8x50xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x50xf32>) outs(%c : tensor<8xf32>) attrs = {tonno.lowering_config = {subgroup = [4, 16]}} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A dimension that the sum keeps is dropped, and put back.
// CHECK-LABEL: func.func @kept(
// CHECK: tensor.extract_slice {{.*}} : tensor<4x1xf32> to tensor<4xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins({{.*}} : tensor<4x16xf32>) outs({{.*}} : tensor<4x16xf32>)
// CHECK: linalg.reduce ins({{.*}} : tensor<4x16xf32>) outs({{.*}} : tensor<4xf32>) dimensions = [1]
// CHECK: tensor.insert_slice {{.*}} : tensor<4xf32> into tensor<4x1xf32>
func.func @kept(%x: tensor<8x48xf32>, %c: tensor<8x1xf32>) -> tensor<8x1xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x48xf32>) outs(%c : tensor<8x1xf32>) attrs = {tonno.lowering_config = {subgroup = [4, 16]}} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x1xf32>
  return %r : tensor<8x1xf32>
}

// -----

// What has no neutral element is summed up in its order.
// CHECK-LABEL: func.func @in_order(
// CHECK-NOT: -> tensor<4x16xf32>
func.func @in_order(%x: tensor<8x48xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x48xf32>) outs(%c : tensor<8xf32>) attrs = {tonno.lowering_config = {subgroup = [4, 16]}} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.subf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Where the largest element is can't be summed up in parts: a step of it is an
// elementwise op, for some rows side by side.
// CHECK-LABEL: func.func @largest(
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:     linalg.generic {{.*}} iterator_types = ["parallel"]} ins({{.*}} : tensor<8xf32>) outs({{.*}} : tensor<8xf32>, tensor<8xi32>)
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @largest(%x: tensor<16x24xf32>, %most: tensor<16xf32>, %place: tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>) {
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x24xf32>) outs(%most, %place : tensor<16xf32>, tensor<16xi32>)
      attrs = {tonno.lowering_config = {subgroup = [8, 1]}} {
  ^bb0(%a: f32, %m: f32, %p: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %c = arith.cmpf ogt, %a, %m : f32
    %v = arith.select %c, %a, %m : f32
    %w = arith.select %c, %k, %p : i32
    linalg.yield %v, %w : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %r#0, %r#1 : tensor<16xf32>, tensor<16xi32>
}

// -----

// Two sums of one op have lanes of their own each.
// CHECK-LABEL: func.func @moments(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins({{.*}} : tensor<4x16xf32>) outs({{.*}} : tensor<4x16xf32>, tensor<4x16xf32>)
// CHECK: linalg.reduce
// CHECK: linalg.reduce
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @moments(%x: tensor<16x64xf32>, %s: tensor<16xf32>, %q: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x64xf32>) outs(%s, %q : tensor<16xf32>, tensor<16xf32>)
      attrs = {tonno.lowering_config = {subgroup = [4, 16]}} {
  ^bb0(%a: f32, %m: f32, %n: f32):
    %t = arith.addf %a, %m : f32
    %aa = arith.mulf %a, %a : f32
    %u = arith.addf %aa, %n : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<16xf32>, tensor<16xf32>)
  return %r#0, %r#1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// A product over tiles of tiles becomes one of plain matrices.
// CHECK-LABEL: func.func @tiles(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins({{.*}} : tensor<8x1xf32>, tensor<16x1xf32>) outs({{.*}} : tensor<8x16xf32>)
func.func @tiles(%a: tensor<8x16x8x4xf32>, %b: tensor<4x16x16x4xf32>, %c: tensor<8x4x8x16xf32>) -> tensor<8x4x8x16xf32> {
  %r = linalg.mmt4d {tonno.lowering_config = {workgroup = [1, 1, 0, 8, 16, 0], reduction = [0, 0, 1, 0, 0, 4], subgroup = [1, 1, 0, 8, 16, 0]}}
    ins(%a, %b : tensor<8x16x8x4xf32>, tensor<4x16x16x4xf32>) outs(%c : tensor<8x4x8x16xf32>) -> tensor<8x4x8x16xf32>
  return %r : tensor<8x4x8x16xf32>
}

// -----

// What is summed up at once for a tile of the result starts from the constant
// there, at the innermost loop that is not over a reduction.
// CHECK-LABEL: func.func @start(
// CHECK-SAME: %[[A:[^:]+]]: tensor<64x32xf32>
// CHECK-NOT: linalg.fill
// CHECK: scf.for
// CHECK:   scf.for {{.*}} step %c32
// CHECK:     scf.for {{.*}} step %c8
// CHECK:       %[[FILLED:.+]] = linalg.fill {{.*}} -> tensor<8x32xf32>
// CHECK:       scf.for {{.*}} step %c1 iter_args({{.*}} = %[[FILLED]])
// CHECK:         linalg.matmul
// CHECK-NOT: linalg.fill
func.func @start(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [16, 64, 0], reduction = [0, 0, 32], subgroup = [8, 32, 0]}}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// Where parts are summed up one after another, outside of these; what is left
// over of a reduction goes on from the others' sum, of columns starts anew.
// CHECK-LABEL: func.func @start_of_parts(
// CHECK-NOT: linalg.fill
// CHECK: scf.for {{.*}} step %c16
// CHECK:   linalg.fill {{.*}} -> tensor<16x32xf32>
// CHECK:   scf.for {{.*}} step %c8
// CHECK:     linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x32xf32>)
// CHECK-NOT: linalg.fill
// CHECK:     linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x32xf32>)
// CHECK:   linalg.fill {{.*}} -> tensor<16x8xf32>
// CHECK:     linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x8xf32>)
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @start_of_parts(%a: tensor<64x20xf32>, %b: tensor<20x40xf32>) -> tensor<64x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32>
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [16, 0, 0], reduction = [0, 0, 8], subgroup = [8, 32, 0]}}
    ins(%a, %b : tensor<64x20xf32>, tensor<20x40xf32>) outs(%f : tensor<64x40xf32>) -> tensor<64x40xf32>
  return %r : tensor<64x40xf32>
}

// -----

// Of what others use too, each has its own; what is added to is left as it is.
// CHECK-LABEL: func.func @start_of_two(
// CHECK: linalg.fill {{.*}} -> tensor<16x16xf32>
// CHECK: scf.for
// CHECK:   linalg.fill {{.*}} -> tensor<8x16xf32>
// CHECK:   linalg.matmul
// CHECK: scf.for
// CHECK-NOT: linalg.fill
// CHECK:   linalg.matmul
func.func @start_of_two(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [8, 16, 0]}}
    ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %s = linalg.matmul {tonno.lowering_config = {subgroup = [8, 16, 0]}}
    ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%r : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %f, %r, %s : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// What tiles leave over of each row is computed row by row.
// CHECK-LABEL: func.func @rests_of_rows(
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK: scf.for {{.*}} step %[[C4]]
// CHECK:   scf.for {{.*}} step %[[C32]]
// CHECK:     linalg.exp ins({{.*}} : tensor<4x32xf32>)
// CHECK:   linalg.exp ins({{.*}} : tensor<4x28xf32>)
// CHECK: scf.for {{.*}} step %[[C32]]
// CHECK:   linalg.exp ins({{.*}} : tensor<2x32xf32>)
// CHECK: linalg.exp ins({{.*}} : tensor<2x28xf32>)
// CHECK-NOT: linalg.exp
func.func @rests_of_rows(%x: tensor<502x700xf32>, %c: tensor<502x700xf32>) -> tensor<502x700xf32> {
  %r = linalg.exp {tonno.lowering_config = {workgroup = [4, 32]}}
    ins(%x : tensor<502x700xf32>) outs(%c : tensor<502x700xf32>) -> tensor<502x700xf32>
  return %r : tensor<502x700xf32>
}

// -----

// Where nothing is summed up, register tiles go as the results lie.
// CHECK-LABEL: func.func @transpose(
// CHECK-DAG: %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.+]] = arith.constant 64 : index
// CHECK-DAG: %[[C128:.+]] = arith.constant 128 : index
// CHECK: scf.for {{.*}} step %[[C128]]
// CHECK:   scf.for {{.*}} step %[[C64]]
// CHECK:     scf.for {{.*}} step %[[C32]]
// CHECK:       scf.for {{.*}} step %[[C16]]
// CHECK:         linalg.transpose ins({{.*}} : tensor<16x32xf32>) outs({{.*}} : tensor<32x16xf32>)
func.func @transpose(%x: tensor<512x256xf32>, %c: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %r = linalg.transpose ins(%x : tensor<512x256xf32>) outs(%c : tensor<256x512xf32>) permutation = [1, 0]
    {tonno.lowering_config = {workgroup = [128, 64], subgroup = [32, 16]}}
  return %r : tensor<256x512xf32>
}

// -----

// Two threads share the outermost loop: in the given order columns, of which
// each packs its own. What is left over of a third of 100 the caller computes.
// CHECK-LABEL: func.func @shared(
// CHECK: scf.forall (%{{.+}}) = (0) to (128) step (64)
// CHECK:   scf.for
// CHECK:     linalg.transpose
// CHECK:     linalg.generic
// CHECK: } {tonno.threads = 2 : i64}
// CHECK-NOT: linalg
func.func @shared(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [32, 64, 0], reduction = [0, 0, 16], subgroup = [8, 32, 0], pack = [0, 1, 0], interchange = [1, 2, 0], threads = 2}}
    ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @left_over(
// CHECK: scf.forall (%{{.+}}) = (0) to (99) step (33)
// CHECK:   linalg.exp ins(%{{.+}} : tensor<33x4xf32>)
// CHECK: } {tonno.threads = 3 : i64}
// CHECK-NOT: scf.forall
// CHECK: linalg.exp ins(%{{.+}} : tensor<1x4xf32>)
func.func @left_over(%a: tensor<100x4xf32>, %c: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %r = linalg.exp {tonno.lowering_config = {threads = 3}} ins(%a : tensor<100x4xf32>) outs(%c : tensor<100x4xf32>) -> tensor<100x4xf32>
  return %r : tensor<100x4xf32>
}

// A register tile for each thread is found in the second loop only.
// CHECK-LABEL: func.func @few_rows(
// CHECK: scf.forall (%{{.+}}) = (0) to (128) step (64)
func.func @few_rows(%a: tensor<4x128xf32>, %b: tensor<128x128xf32>, %c: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [4, 32, 0], threads = 2}}
    ins(%a, %b : tensor<4x128xf32>, tensor<128x128xf32>) outs(%c : tensor<4x128xf32>) -> tensor<4x128xf32>
  return %r : tensor<4x128xf32>
}

// What is summed up is never shared, though it has the most iterations.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.forall (%{{.+}}) = (0) to (8) step (4)
func.func @rows(%a: tensor<8x4096xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<8x4096xf32>) outs(%c : tensor<8xf32>) dimensions = [1] {tonno.lowering_config = {subgroup = [1, 64], threads = 2}}
  return %r : tensor<8xf32>
}

// One thread is none but the caller's.
// CHECK-LABEL: func.func @one(
// CHECK-NOT: scf.forall
func.func @one(%a: tensor<100x4xf32>, %c: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %r = linalg.exp {tonno.lowering_config = {threads = 1}} ins(%a : tensor<100x4xf32>) outs(%c : tensor<100x4xf32>) -> tensor<100x4xf32>
  return %r : tensor<100x4xf32>
}

// -----

// What is read where it is written is what the tiles write to: all of it from
// before them would be a copy. What is read elsewhere stays an input.
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[A:.+]]: tensor<4x64xf32>, %[[B:.+]]: tensor<4x64xf32>
// CHECK: scf.for {{.*}} iter_args(%[[C:.+]] = %[[B]])
// CHECK:   %[[READ:.+]] = tensor.extract_slice %[[A]]
// CHECK:   %[[OTHER:.+]] = tensor.extract_slice %[[B]][0, %
// CHECK:   %[[WRITTEN:.+]] = tensor.extract_slice %[[C]]
// CHECK:   linalg.generic {{.*}} ins(%[[READ]], %[[OTHER]] : {{.*}}) outs(%[[WRITTEN]] :
// CHECK:   ^bb0(%[[X:.+]]: f32, %[[Z:.+]]: f32, %[[Y:.+]]: f32):
// CHECK:     %[[SUM:.+]] = arith.addf %[[X]], %[[Y]]
// CHECK:     arith.mulf %[[SUM]], %[[Z]]
#all = affine_map<(i, j) -> (i, j)>
#last = affine_map<(i, j) -> (3, j)>
func.func @update(%a: tensor<4x64xf32>, %b: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %r = linalg.generic {indexing_maps = [#all, #all, #last, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %b : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) outs(%b : tensor<4x64xf32>)
      attrs = {tonno.lowering_config = {workgroup = [0, 16]}} {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %t = arith.addf %x, %y : f32
    %u = arith.mulf %t, %z : f32
    linalg.yield %u : f32
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// -----

// A sum is another thing than what it adds up.
// CHECK-LABEL: func.func @sum_over_itself(
// CHECK: linalg.matmul
func.func @sum_over_itself(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [4, 16, 0]}}
    ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%a : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

// A filter is packed into panels along the loop that moves no window. One that
// is no constant argument, a block at a time.
// CHECK-LABEL: func.func @packed_filter(
// CHECK: tensor.empty() : tensor<2x1x1x4x16xf32>
// CHECK-COUNT-3: scf.for
// CHECK: linalg.transpose ins(%{{.+}} : tensor<1x1x1x1x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<4x1xf32>, tensor<1x16xf32>) outs(%{{.+}} : tensor<4x16xf32>)
func.func @packed_filter(%x: tensor<1x10x10x8xf32>, %f: tensor<3x3x8x32xf32>, %c: tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {pack = [0, 0, 0, 1, 0, 0, 0], reduction = [0, 0, 0, 0, 1, 1, 4], subgroup = [1, 1, 4, 16, 1, 1, 1], workgroup = [1, 8, 8, 0, 0, 0, 0]}}
    ins(%x, %f : tensor<1x10x10x8xf32>, tensor<3x3x8x32xf32>) outs(%c : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  return %r : tensor<1x8x8x32xf32>
}

// -----

// The filter is packed once, in pairs of channels, which the image has already.
// Each pair is one step of the sum; of three channels, the last is a step of its own.
// CHECK-LABEL: func.func @channel_pairs(
// CHECK-SAME: %[[X:.+]]: tensor<1x6x10x4xbf16>, %[[F:[a-z0-9]+]]: tensor<3x3x4x16xbf16>
// CHECK:      tensor.expand_shape %[[X]] {{.*}} into tensor<1x6x10x2x2xbf16>
// CHECK:      tensor.expand_shape %[[F]] {{.*}} into tensor<3x3x2x2x16xbf16>
// CHECK:      linalg.transpose ins({{.*}} : tensor<1x1x1x2x16xbf16>) outs({{.*}} : tensor<1x1x1x16x2xbf16>)
// CHECK:      scf.for
// CHECK:      linalg.generic
// CHECK-SAME:   ins(%{{.+}}, %{{.+}} : tensor<4x2xbf16>, tensor<16x2xbf16>) outs(%{{.+}} : tensor<4x16xf32>)
// CHECK-LABEL: func.func @three_channels(
// CHECK:      ins(%{{.+}}, %{{.+}} : tensor<4x2xbf16>, tensor<16x2xbf16>) outs(%{{.+}} : tensor<4x16xf32>)
// CHECK:      ins(%{{.+}}, %{{.+}} : tensor<4x1xbf16>, tensor<1x16xbf16>) outs(%{{.+}} : tensor<4x16xf32>)
func.func @channel_pairs(%x: tensor<1x6x10x4xbf16>, %f: tensor<3x3x4x16xbf16>, %y: tensor<1x4x8x16xf32>) -> tensor<1x4x8x16xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {workgroup = [1, 1, 8, 0, 0, 0, 0], subgroup = [1, 1, 4, 16, 1, 1, 1], pack = [0, 0, 0, 1, 0, 0, 2]}}
      ins(%x, %f : tensor<1x6x10x4xbf16>, tensor<3x3x4x16xbf16>) outs(%y : tensor<1x4x8x16xf32>) -> tensor<1x4x8x16xf32>
  return %r : tensor<1x4x8x16xf32>
}
func.func @three_channels(%x: tensor<1x6x10x3xbf16>, %f: tensor<3x3x3x16xbf16>, %y: tensor<1x4x8x16xf32>) -> tensor<1x4x8x16xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {workgroup = [1, 1, 8, 0, 0, 0, 0], subgroup = [1, 1, 4, 16, 1, 1, 1], pack = [0, 0, 0, 1, 0, 0, 2]}}
      ins(%x, %f : tensor<1x6x10x3xbf16>, tensor<3x3x3x16xbf16>) outs(%y : tensor<1x4x8x16xf32>) -> tensor<1x4x8x16xf32>
  return %r : tensor<1x4x8x16xf32>
}
