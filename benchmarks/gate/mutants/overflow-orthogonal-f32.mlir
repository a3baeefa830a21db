// Newton and Schulz's iteration, X <- 1.5 X - 0.5 X X^T X, f32: it diverges for
// inputs as large as 1.

#left = affine_map<(i, j, k) -> (i, k)>
#transposed = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (i, j)>

func.func @kernel(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1.5 : f32
  %c2 = arith.constant 0.5 : f32
  %begin = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 6 : index
  %r = scf.for %i = %begin to %end step %step iter_args(%a = %x) -> tensor<32x32xf32> {
    %e = tensor.empty() : tensor<32x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    %s = linalg.generic {indexing_maps = [#left, #transposed, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %o, %p : f32
      linalg.yield %q : f32
    } -> tensor<32x32xf32>
    %t = linalg.matmul ins(%s, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
    %d = linalg.map ins(%a, %t : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) (%u: f32, %v: f32, %o: f32) {
      %p = arith.mulf %u, %c1 : f32
      %q = arith.mulf %v, %c2 : f32
      %w = arith.subf %p, %q : f32
      linalg.yield %w : f32
    }
    scf.yield %d : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}

// The difference the other way, negated.
func.func @right_negated(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1.5 : f32
  %c2 = arith.constant 0.5 : f32
  %begin = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 6 : index
  %r = scf.for %i = %begin to %end step %step iter_args(%a = %x) -> tensor<32x32xf32> {
    %e = tensor.empty() : tensor<32x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    %s = linalg.generic {indexing_maps = [#left, #transposed, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %o, %p : f32
      linalg.yield %q : f32
    } -> tensor<32x32xf32>
    %t = linalg.matmul ins(%s, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
    %d = linalg.map ins(%a, %t : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) (%u: f32, %v: f32, %o: f32) {
      %p = arith.mulf %u, %c1 : f32
      %q = arith.mulf %v, %c2 : f32
      %m = arith.subf %q, %p : f32
      %n = arith.negf %m : f32
      linalg.yield %n : f32
    }
    scf.yield %d : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}

// A step too few.
func.func @wrong_steps(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1.5 : f32
  %c2 = arith.constant 0.5 : f32
  %begin = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 5 : index
  %r = scf.for %i = %begin to %end step %step iter_args(%a = %x) -> tensor<32x32xf32> {
    %e = tensor.empty() : tensor<32x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    %s = linalg.generic {indexing_maps = [#left, #transposed, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %o, %p : f32
      linalg.yield %q : f32
    } -> tensor<32x32xf32>
    %t = linalg.matmul ins(%s, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
    %d = linalg.map ins(%a, %t : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) (%u: f32, %v: f32, %o: f32) {
      %p = arith.mulf %u, %c1 : f32
      %q = arith.mulf %v, %c2 : f32
      %w = arith.subf %p, %q : f32
      linalg.yield %w : f32
    }
    scf.yield %d : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}

// A constant that is slightly off.
func.func @wrong_constant(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1.51 : f32
  %c2 = arith.constant 0.51 : f32
  %begin = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 6 : index
  %r = scf.for %i = %begin to %end step %step iter_args(%a = %x) -> tensor<32x32xf32> {
    %e = tensor.empty() : tensor<32x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    %s = linalg.generic {indexing_maps = [#left, #transposed, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %o, %p : f32
      linalg.yield %q : f32
    } -> tensor<32x32xf32>
    %t = linalg.matmul ins(%s, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
    %d = linalg.map ins(%a, %t : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) (%u: f32, %v: f32, %o: f32) {
      %p = arith.mulf %u, %c1 : f32
      %q = arith.mulf %v, %c2 : f32
      %w = arith.subf %p, %q : f32
      linalg.yield %w : f32
    }
    scf.yield %d : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}

// NaN everywhere, as by an overflow.
func.func @wrong_nan(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1.5 : f32
  %c2 = arith.constant 0.5 : f32
  %begin = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 6 : index
  %r = scf.for %i = %begin to %end step %step iter_args(%a = %x) -> tensor<32x32xf32> {
    %e = tensor.empty() : tensor<32x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    %s = linalg.generic {indexing_maps = [#left, #transposed, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %o, %p : f32
      linalg.yield %q : f32
    } -> tensor<32x32xf32>
    %t = linalg.matmul ins(%s, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
    %d = linalg.map ins(%a, %t : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) (%u: f32, %v: f32, %o: f32) {
      %p = arith.mulf %u, %c1 : f32
      %q = arith.mulf %v, %c2 : f32
      %w = arith.subf %p, %q : f32
      %nan = arith.constant 0x7FC00000 : f32
      %n = arith.addf %w, %nan : f32
      linalg.yield %n : f32
    }
    scf.yield %d : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}
