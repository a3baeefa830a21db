// tonno-opt --tonno-round-each-op --arith-emulate-unsupported-floats="source-types=bf16 target-type=f32"
func.func @f(%x: bf16, %y: bf16) -> bf16 {
  %p = arith.mulf %x, %y : bf16
  %s = arith.addf %p, %x : bf16
  return %s : bf16
}
