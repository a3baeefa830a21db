// tonno-opt --tonno-workspace --tonno-share-loops
func.func @f(%a: memref<64xf32>) attributes {tonno.buffers = [{alignment = 64 : i64, stream, type = memref<64xf32>}]} {
  %half = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  scf.forall (%i) = (0) to (64) step (32) {
    %own = memref.alloc() : memref<32xf32>
    %stack = memref.alloca() : memref<4xf32>
    %part = memref.subview %a[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
    %few = memref.subview %half[0] [4] [1] : memref<32xf32, strided<[1]>> to memref<4xf32, strided<[1]>>
    linalg.exp ins(%few : memref<4xf32, strided<[1]>>) outs(%stack : memref<4xf32>)
    linalg.exp ins(%part : memref<32xf32, strided<[1], offset: ?>>) outs(%own : memref<32xf32>)
    linalg.copy ins(%own : memref<32xf32>) outs(%part : memref<32xf32, strided<[1], offset: ?>>)
  } {tonno.threads = 2 : i64}
  return
}
