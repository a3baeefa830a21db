// tonno-opt --tonno-store-in-bytes
memref.global "private" constant @table : memref<4xf4E2M1FN> = dense<[0.5, 1.0, -6.0, 0.0]>
func.func @accesses(%a: memref<64xf4E2M1FN>, %b: memref<64xi4>, %i: index, %v: vector<8xi4>, %m: vector<8xi1>) -> (vector<8xf4E2M1FN>, vector<8xi4>, f4E2M1FN) {
  %table = memref.get_global @table : memref<4xf4E2M1FN>
  %x = vector.load %a[%i] : memref<64xf4E2M1FN>, vector<8xf4E2M1FN>
  %y = vector.maskedload %b[%i], %m, %v : memref<64xi4>, vector<8xi1>, vector<8xi4> into vector<8xi4>
  %s = memref.load %table[%i] : memref<4xf4E2M1FN>
  vector.store %y, %b[%i] : memref<64xi4>, vector<8xi4>
  return %x, %y, %s : vector<8xf4E2M1FN>, vector<8xi4>, f4E2M1FN
}
