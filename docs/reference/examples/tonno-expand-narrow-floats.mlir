// tonno-opt --tonno-expand-narrow-floats --canonicalize
func.func @scale(%x: f8E8M0FNU) -> f32 {
  %y = arith.extf %x : f8E8M0FNU to f32
  return %y : f32
}
