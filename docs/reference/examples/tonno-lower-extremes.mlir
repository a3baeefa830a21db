// tonno-opt --tonno-lower-extremes
func.func @constant(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %r = arith.minimumf %one, %x : vector<16xf32>
  return %r : vector<16xf32>
}
