// expect: tuned
func.func @main_dispatch_2_quantized_matmul(%arg0: tensor<32x64xi8>, %arg1: tensor<64x24xi8>) -> tensor<32x24xi32> {
  %c-128_i32 = arith.constant -128 : i32
  %c3_i32 = arith.constant 3 : i32
  %c0_i32 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<32x24xi32>
  %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<32x24xi32>) -> tensor<32x24xi32>
  %2 = linalg.quantized_matmul ins(%arg0, %arg1, %c-128_i32, %c3_i32 : tensor<32x64xi8>, tensor<64x24xi8>, i32, i32) outs(%1 : tensor<32x24xi32>) -> tensor<32x24xi32>
  return %2 : tensor<32x24xi32>
}
