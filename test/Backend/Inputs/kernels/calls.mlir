memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func private @inner(%x: f32) -> f32 {
  %r = math.sin %x : f32
  %s = math.atan2 %r, %x : f32
  %t = math.powf %r, %s : f32
  return %t : f32
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.map ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32, %o: f32) {
    %y = func.call @inner(%a) : (f32) -> f32
    linalg.yield %y : f32
  }
  return %r : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32> {tonno.input = #tonno.input<"uniform(0.5, 1)">}) -> tensor<4xf32> {
  %k = arith.constant dense<[0.5, 0.25, 0.125, 1.5]> : tensor<4xf32>
  %c = func.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %m = memref.get_global @table : memref<4xf32>
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.add ins(%c, %k : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %u = linalg.mul ins(%s, %t : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %u : tensor<4xf32>
}
