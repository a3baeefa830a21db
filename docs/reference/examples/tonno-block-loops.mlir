// tonno-opt --pass-pipeline='builtin.module(func.func(tonno-block-loops),canonicalize)'
func.func @matmul(%a: memref<512x256xf64>, %b: memref<256x1024xf64>, %c: memref<512x1024xf64>) {
  linalg.matmul ins(%a, %b : memref<512x256xf64>, memref<256x1024xf64>) outs(%c : memref<512x1024xf64>)
  return
}
