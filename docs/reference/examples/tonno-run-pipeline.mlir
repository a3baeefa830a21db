// tonno-opt --tonno-apply --tonno-run-pipeline
func.func @f(%a: memref<32xf32>) attributes {tonno.pipeline = {
    passes = "func.func(affine-loop-tile{tile-size=@T@})",
    knobs = {T = #tonno.knob<"T" from [8, 16]>}}} {
  affine.for %i = 0 to 32 {
    %x = affine.load %a[%i] : memref<32xf32>
    affine.store %x, %a[%i] : memref<32xf32>
  }
  return
}
