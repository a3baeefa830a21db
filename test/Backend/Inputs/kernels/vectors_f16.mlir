func.func @vectors_f16(%a: memref<64xbf16>, %b: memref<64xf16>, %c: memref<64xbf16>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c16 {
    %x = vector.load %a[%i] : memref<64xbf16>, vector<16xbf16>
    %y = vector.load %b[%i] : memref<64xf16>, vector<16xf16>
    %u = arith.extf %x : vector<16xbf16> to vector<16xf32>
    %v = arith.extf %y : vector<16xf16> to vector<16xf32>
    %w = arith.mulf %u, %v : vector<16xf32>
    %r = arith.truncf %w : vector<16xf32> to vector<16xbf16>
    %s = arith.addf %r, %x : vector<16xbf16>
    vector.store %s, %c[%i] : memref<64xbf16>, vector<16xbf16>
  }
  return
}
