// tonno-opt --tonno-workspace
func.func @chain(%a: memref<100xf32>) attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<100xf32>}]} {
  %x = memref.alloc() : memref<100xf32>
  %y = memref.alloc() : memref<100xf32>
  %z = memref.alloc() : memref<50xf32>
  linalg.exp ins(%a : memref<100xf32>) outs(%x : memref<100xf32>)
  linalg.exp ins(%x : memref<100xf32>) outs(%y : memref<100xf32>)
  memref.dealloc %x : memref<100xf32>
  %part = memref.subview %y[0] [50] [1] : memref<100xf32> to memref<50xf32, strided<[1]>>
  linalg.exp ins(%part : memref<50xf32, strided<[1]>>) outs(%z : memref<50xf32>)
  %whole = memref.subview %a[0] [50] [1] : memref<100xf32> to memref<50xf32, strided<[1]>>
  linalg.copy ins(%z : memref<50xf32>) outs(%whole : memref<50xf32, strided<[1]>>)
  return
}
