// tonno-opt --tonno-lower-copies
memref.global "private" constant @ones : memref<4xf32> = dense<1.0>
func.func @copy(%a: memref<4x4xf32, strided<[8, 1]>>, %b: memref<4x4xf32>, %c: memref<4xf32>) {
  memref.copy %a, %b : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
  %ones = memref.get_global @ones : memref<4xf32>
  memref.copy %ones, %c : memref<4xf32> to memref<4xf32>
  return
}
