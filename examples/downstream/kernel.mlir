// exp(x) by its series up to x^7. What may vary: the scheme, by a knob in the
// op, and the elements that are worked on at a time, by one in the pipeline.

#scheme = #tonno.knob<"scheme" from ["horner", "estrin"]>
#strip = #tonno.knob<"strip" from [0, 64, 1024, 8192]>

func.func @exp(%x: tensor<65536xf32>) -> tensor<65536xf32> attributes {
    tonno.pipeline = {passes = "builtin.module(func.func(poly-lower{strip=@strip@}))",
                      knobs = {strip = #strip}},
    tonno.reference = @exp_reference} {
  %y = poly.eval %x {scheme = #scheme, coefficients = [
      1.0 : f32, 1.0 : f32, 0.5 : f32, 0.166666667 : f32, 0.0416666667 : f32,
      0.00833333333 : f32, 0.00138888889 : f32, 0.000198412698 : f32]}
      : tensor<65536xf32>
  return %y : tensor<65536xf32>
}

// The same, written down naively.
func.func private @exp_reference(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %c0 = arith.constant 1.0 : f32
  %c1 = arith.constant 1.0 : f32
  %c2 = arith.constant 0.5 : f32
  %c3 = arith.constant 0.166666667 : f32
  %c4 = arith.constant 0.0416666667 : f32
  %c5 = arith.constant 0.00833333333 : f32
  %c6 = arith.constant 0.00138888889 : f32
  %c7 = arith.constant 0.000198412698 : f32
  %empty = tensor.empty() : tensor<65536xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<65536xf32>) outs(%empty : tensor<65536xf32>) {
  ^bb0(%v: f32, %out: f32):
    %p6 = arith.mulf %c7, %v : f32
    %s6 = arith.addf %p6, %c6 : f32
    %p5 = arith.mulf %s6, %v : f32
    %s5 = arith.addf %p5, %c5 : f32
    %p4 = arith.mulf %s5, %v : f32
    %s4 = arith.addf %p4, %c4 : f32
    %p3 = arith.mulf %s4, %v : f32
    %s3 = arith.addf %p3, %c3 : f32
    %p2 = arith.mulf %s3, %v : f32
    %s2 = arith.addf %p2, %c2 : f32
    %p1 = arith.mulf %s2, %v : f32
    %s1 = arith.addf %p1, %c1 : f32
    %p0 = arith.mulf %s1, %v : f32
    %s0 = arith.addf %p0, %c0 : f32
    linalg.yield %s0 : f32
  } -> tensor<65536xf32>
  return %y : tensor<65536xf32>
}
