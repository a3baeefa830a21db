// tonno-opt --tonno-size-arguments
func.func @double(%x: memref<?x8xf32>) {
  linalg.add ins(%x, %x : memref<?x8xf32>, memref<?x8xf32>) outs(%x : memref<?x8xf32>)
  return
}
