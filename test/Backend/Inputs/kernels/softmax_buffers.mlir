func.func @softmax_buffers(%x: memref<64x100xf32>, %y: memref<64x100xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<64x100xf32>) outs(%y : memref<64x100xf32>)
  return
}
