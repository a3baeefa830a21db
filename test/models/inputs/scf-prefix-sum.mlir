// expect: verified
func.func @prefix(%x: tensor<256xf32>) -> tensor<256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %r:2 = scf.for %i = %c0 to %c256 step %c1 iter_args(%sum = %zero, %out = %e) -> (f32, tensor<256xf32>) {
    %v = tensor.extract %x[%i] : tensor<256xf32>
    %s = arith.addf %sum, %v : f32
    %o = tensor.insert %s into %out[%i] : tensor<256xf32>
    scf.yield %s, %o : f32, tensor<256xf32>
  }
  return %r#1 : tensor<256xf32>
}
