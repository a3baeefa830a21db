// A random number in [0, 1) of the upper bits of a hash.

func.func @kernel(%keys: tensor<256xi32>) -> tensor<256xf32> {
  %shift = arith.constant 9 : i32
  %one = arith.constant 1.0 : f32
  %exponent = arith.constant 0x3F800000 : i32
  %factor = arith.constant 1566083941 : i32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%keys : tensor<256xi32>) outs(%e : tensor<256xf32>) (%key: i32, %o: f32) {
    %hash = arith.muli %key, %factor : i32
    %mantissa = arith.shrui %hash, %shift : i32
    %bits = arith.ori %mantissa, %exponent : i32
    %x = arith.bitcast %bits : i32 to f32
    %u = arith.subf %x, %one : f32
    linalg.yield %u : f32
  }
  return %r : tensor<256xf32>
}

// As a fraction of 2^23.
func.func @right_fraction(%keys: tensor<256xi32>) -> tensor<256xf32> {
  %shift = arith.constant 9 : i32
  %one = arith.constant 1.0 : f32
  %exponent = arith.constant 0x3F800000 : i32
  %factor = arith.constant 1566083941 : i32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%keys : tensor<256xi32>) outs(%e : tensor<256xf32>) (%key: i32, %o: f32) {
    %hash = arith.muli %key, %factor : i32
    %mantissa = arith.shrui %hash, %shift : i32
    %x = arith.uitofp %mantissa : i32 to f32
    %part = arith.constant 0x34000000 : f32
    %u = arith.mulf %x, %part : f32
    linalg.yield %u : f32
  }
  return %r : tensor<256xf32>
}

// Shifted with the sign.
func.func @wrong_sign(%keys: tensor<256xi32>) -> tensor<256xf32> {
  %shift = arith.constant 9 : i32
  %one = arith.constant 1.0 : f32
  %exponent = arith.constant 0x3F800000 : i32
  %factor = arith.constant 1566083941 : i32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%keys : tensor<256xi32>) outs(%e : tensor<256xf32>) (%key: i32, %o: f32) {
    %hash = arith.muli %key, %factor : i32
    %mantissa = arith.shrsi %hash, %shift : i32
    %bits = arith.ori %mantissa, %exponent : i32
    %x = arith.bitcast %bits : i32 to f32
    %u = arith.subf %x, %one : f32
    linalg.yield %u : f32
  }
  return %r : tensor<256xf32>
}

// Seven bits of the mantissa are lost.
func.func @wrong_bf16(%keys: tensor<256xi32>) -> tensor<256xf32> {
  %shift = arith.constant 9 : i32
  %one = arith.constant 1.0 : f32
  %exponent = arith.constant 0x3F800000 : i32
  %factor = arith.constant 1566083941 : i32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%keys : tensor<256xi32>) outs(%e : tensor<256xf32>) (%key: i32, %o: f32) {
    %hash = arith.muli %key, %factor : i32
    %mantissa = arith.shrui %hash, %shift : i32
    %bits = arith.ori %mantissa, %exponent : i32
    %x = arith.bitcast %bits : i32 to f32
    %less = arith.truncf %x : f32 to bf16
    %y = arith.extf %less : bf16 to f32
    %u = arith.subf %y, %one : f32
    linalg.yield %u : f32
  }
  return %r : tensor<256xf32>
}

// The last bit is lost.
func.func @wrong_last_bit(%keys: tensor<256xi32>) -> tensor<256xf32> {
  %shift = arith.constant 9 : i32
  %one = arith.constant 1.0 : f32
  %exponent = arith.constant 0x3F800000 : i32
  %factor = arith.constant 1566083941 : i32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%keys : tensor<256xi32>) outs(%e : tensor<256xf32>) (%key: i32, %o: f32) {
    %hash = arith.muli %key, %factor : i32
    %mantissa = arith.shrui %hash, %shift : i32
    %mask = arith.constant -2 : i32
    %even = arith.andi %mantissa, %mask : i32
    %bits = arith.ori %even, %exponent : i32
    %x = arith.bitcast %bits : i32 to f32
    %u = arith.subf %x, %one : f32
    linalg.yield %u : f32
  }
  return %r : tensor<256xf32>
}
