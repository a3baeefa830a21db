// RUN: tonno-opt %s --tonno-window-views | FileCheck %s

// CHECK-DAG: #[[IN:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d1, d5, d2, d6)>
// CHECK-DAG: #[[WEIGHTS:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG: #[[OUT:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>

// CHECK-LABEL: func.func @convolution(
// CHECK-SAME:    %[[X:.+]]: memref<2x13x27x64xf16>, %[[W:.+]]: memref<3x3x64x32xf16>, %[[Y:.+]]: memref<2x6x12x32xf32>
// CHECK:         %[[VIEW:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [2, 3, 6, 3, 12, 64], strides: [22464, 1728, 3456, 128, 128, 1]
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #[[WEIGHTS]], #[[OUT]]]
// CHECK-SAME:      ins(%[[VIEW]], %[[W]] : {{.*}}) outs(%[[Y]] : {{.*}}) attrs = {tonno.lowering_config = {instruction = "fma"}}
func.func @convolution(%x: memref<2x13x27x64xf16>, %w: memref<3x3x64x32xf16>, %y: memref<2x6x12x32xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>,
      tonno.lowering_config = {instruction = "fma"}}
      ins(%x, %w : memref<2x13x27x64xf16>, memref<3x3x64x32xf16>) outs(%y : memref<2x6x12x32xf32>)
  return
}

// Any number of images. Few channels are one loop with a window's pixels, to
// which no tile may put an end.
// CHECK-LABEL: func.func @images(
// CHECK:         memref.reinterpret_cast {{.*}} sizes: [%{{.+}}, 3, 8, 8, 12]
// CHECK-SAME:      to memref<?x3x8x8x12xf32, strided<[400, 40, 40, 4, 1]>>
// CHECK:         memref.reinterpret_cast {{.*}} sizes: [3, 12, 8], strides: [96, 8, 1]
// CHECK:         tonno.lowering_config = {reduction = [0, 0, 0, 0, 0, 16]}
// CHECK:         memref.reinterpret_cast {{.*}} sizes: [%{{.+}}, 3, 8, 3, 8, 4]
// CHECK:         tonno.lowering_config = {reduction = [0, 0, 0, 0, 0, 2, 4]}
func.func @images(%x: memref<?x10x10x4xf32>, %w: memref<3x3x4x8xf32>, %y: memref<?x8x8x8xf32>) {
  linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {reduction = [0, 0, 0, 0, 0, 0, 16]}}
      ins(%x, %w : memref<?x10x10x4xf32>, memref<3x3x4x8xf32>) outs(%y : memref<?x8x8x8xf32>)
  linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {reduction = [0, 0, 0, 0, 0, 2, 4]}}
      ins(%x, %w : memref<?x10x10x4xf32>, memref<3x3x4x8xf32>) outs(%y : memref<?x8x8x8xf32>)
  return
}

// No products of rows and columns, and strides that are not known.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     reinterpret_cast
// CHECK:         linalg.depthwise_conv_2d_nhwc_hwc
// CHECK:         linalg.pooling_nhwc_max
// CHECK:         linalg.conv_2d_nhwc_hwcf
func.func @others(%x: memref<1x10x10x4xf32>, %w: memref<3x3x4xf32>, %y: memref<1x8x8x4xf32>, %p: memref<3x3xf32>,
                  %a: memref<1x10x?x4xf32>, %b: memref<3x3x4x8xf32>, %c: memref<1x8x?x8xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : memref<1x10x10x4xf32>, memref<3x3x4xf32>) outs(%y : memref<1x8x8x4xf32>)
  linalg.pooling_nhwc_max ins(%x, %p : memref<1x10x10x4xf32>, memref<3x3xf32>) outs(%y : memref<1x8x8x4xf32>)
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x10x?x4xf32>, memref<3x3x4x8xf32>) outs(%c : memref<1x8x?x8xf32>)
  return
}
