// tonno-opt --tonno-inline-calls="kernel=kernel"
func.func private @twice(%x: f32) -> f32 {
  %r = arith.addf %x, %x : f32
  return %r : f32
}
func.func @kernel(%x: f32) -> f32 {
  %r = call @twice(%x) : (f32) -> f32
  return %r : f32
}
