// tonno-opt --tonno-approximate-math
func.func @kernel(%x: vector<16xf32>) -> vector<16xf32> {
  %a = math.exp %x : vector<16xf32>
  return %a : vector<16xf32>
}
