// expect: refused "only signless integers"
// StableHLO's unsigned integers; linalg and arith have signless ones.
func.func @identity(%x: tensor<16xui32>) -> tensor<16xui32> {
  return %x : tensor<16xui32>
}
