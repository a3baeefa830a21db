// tonno-opt --tonno-outline-loops=least-loops=2 --canonicalize
func.func @model(%a: memref<64xf32>, %b: memref<64xf32>) attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<64xf32>}, {alignment = 64 : i64, type = memref<64xf32>}]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %a[%i] : memref<64xf32>
    memref.store %x, %b[%i] : memref<64xf32>
  }
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %b[%i] : memref<64xf32>
    memref.store %x, %a[%i] : memref<64xf32>
  }
  return
}
