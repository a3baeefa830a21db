// tonno-opt --tonno-window-views
func.func @kernel(%x: memref<1x10x10x4xf32>, %w: memref<3x3x4x8xf32>, %y: memref<1x8x8x8xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<1x10x10x4xf32>, memref<3x3x4x8xf32>) outs(%y : memref<1x8x8x8xf32>)
  return
}
