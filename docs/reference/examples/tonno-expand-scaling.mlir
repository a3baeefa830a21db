// tonno-opt --tonno-expand-scaling
func.func @extend(%x: f4E2M1FN, %s: f8E8M0FNU) -> f32 {
  %y = arith.scaling_extf %x, %s : f4E2M1FN, f8E8M0FNU to f32
  return %y : f32
}
