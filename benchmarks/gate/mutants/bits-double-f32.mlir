// Integers are the bits of numbers: any, and not finite ones.

func.func @kernel(%bits: tensor<256xi32>) -> tensor<256xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%bits : tensor<256xi32>) outs(%e : tensor<256xf32>) (%b: i32, %o: f32) {
    %x = arith.bitcast %b : i32 to f32
    %y = arith.mulf %x, %two : f32
    linalg.yield %y : f32
  }
  return %r : tensor<256xf32>
}

// A sum.
func.func @right_sum(%bits: tensor<256xi32>) -> tensor<256xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%bits : tensor<256xi32>) outs(%e : tensor<256xf32>) (%b: i32, %o: f32) {
    %x = arith.bitcast %b : i32 to f32
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
  return %r : tensor<256xf32>
}

// The exponent is one more, as it is of no number that is large, tiny or 0.
func.func @wrong_exponent(%bits: tensor<256xi32>) -> tensor<256xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%bits : tensor<256xi32>) outs(%e : tensor<256xf32>) (%b: i32, %o: f32) {
    %one = arith.constant 0x00800000 : i32
    %c = arith.addi %b, %one : i32
    %y = arith.bitcast %c : i32 to f32
    linalg.yield %y : f32
  }
  return %r : tensor<256xf32>
}

// The sign is lost.
func.func @wrong_sign(%bits: tensor<256xi32>) -> tensor<256xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%bits : tensor<256xi32>) outs(%e : tensor<256xf32>) (%b: i32, %o: f32) {
    %mask = arith.constant 0x7FFFFFFF : i32
    %c = arith.andi %b, %mask : i32
    %x = arith.bitcast %c : i32 to f32
    %y = arith.mulf %x, %two : f32
    linalg.yield %y : f32
  }
  return %r : tensor<256xf32>
}

// The upper half of the bits, as in bf16.
func.func @wrong_bf16(%bits: tensor<256xi32>) -> tensor<256xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %r = linalg.map ins(%bits : tensor<256xi32>) outs(%e : tensor<256xf32>) (%b: i32, %o: f32) {
    %mask = arith.constant 0xFFFF0000 : i32
    %c = arith.andi %b, %mask : i32
    %x = arith.bitcast %c : i32 to f32
    %y = arith.mulf %x, %two : f32
    linalg.yield %y : f32
  }
  return %r : tensor<256xf32>
}
