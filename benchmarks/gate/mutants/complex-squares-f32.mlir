// Sums of the real parts of squares.

#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @kernel(%x: tensor<24x16xf32>, %y: tensor<24x16xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : tensor<24x16xf32>, tensor<24x16xf32>) outs(%f : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %c = complex.create %a, %b : complex<f32>
    %d = complex.mul %c, %c : complex<f32>
    %t = complex.re %d : complex<f32>
    %n = arith.addf %sum, %t : f32
    linalg.yield %n : f32
  } -> tensor<24xf32>
  return %r : tensor<24xf32>
}

// By the parts.
func.func @right_parts(%x: tensor<24x16xf32>, %y: tensor<24x16xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : tensor<24x16xf32>, tensor<24x16xf32>) outs(%f : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %a : f32
    %q = arith.mulf %b, %b : f32
    %t = arith.subf %p, %q : f32
    %n = arith.addf %sum, %t : f32
    linalg.yield %n : f32
  } -> tensor<24xf32>
  return %r : tensor<24xf32>
}

// The factors of a difference.
func.func @right_factors(%x: tensor<24x16xf32>, %y: tensor<24x16xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : tensor<24x16xf32>, tensor<24x16xf32>) outs(%f : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.addf %a, %b : f32
    %q = arith.subf %a, %b : f32
    %t = arith.mulf %p, %q : f32
    %n = arith.addf %sum, %t : f32
    linalg.yield %n : f32
  } -> tensor<24xf32>
  return %r : tensor<24xf32>
}

// Times the conjugate.
func.func @wrong_conjugate(%x: tensor<24x16xf32>, %y: tensor<24x16xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : tensor<24x16xf32>, tensor<24x16xf32>) outs(%f : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %c = complex.create %a, %b : complex<f32>
    %k = complex.conj %c : complex<f32>
    %d = complex.mul %c, %k : complex<f32>
    %t = complex.re %d : complex<f32>
    %n = arith.addf %sum, %t : f32
    linalg.yield %n : f32
  } -> tensor<24xf32>
  return %r : tensor<24xf32>
}

// The imaginary part.
func.func @wrong_part(%x: tensor<24x16xf32>, %y: tensor<24x16xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : tensor<24x16xf32>, tensor<24x16xf32>) outs(%f : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %c = complex.create %a, %b : complex<f32>
    %d = complex.mul %c, %c : complex<f32>
    %t = complex.im %d : complex<f32>
    %n = arith.addf %sum, %t : f32
    linalg.yield %n : f32
  } -> tensor<24xf32>
  return %r : tensor<24xf32>
}

// In bf16.
func.func @wrong_bf16(%x: tensor<24x16xf32>, %y: tensor<24x16xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : tensor<24x16xf32>, tensor<24x16xf32>) outs(%f : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %c = complex.create %a, %b : complex<f32>
    %d = complex.mul %c, %c : complex<f32>
    %re = complex.re %d : complex<f32>
    %less = arith.truncf %re : f32 to bf16
    %t = arith.extf %less : bf16 to f32
    %n = arith.addf %sum, %t : f32
    linalg.yield %n : f32
  } -> tensor<24xf32>
  return %r : tensor<24xf32>
}
