func.func @integers(%a: tensor<32x64xi8>, %b: tensor<64x48xi8>) -> tensor<32x48xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32x48xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<32x48xi32>) -> tensor<32x48xi32>
  %c = linalg.matmul ins(%a, %b : tensor<32x64xi8>, tensor<64x48xi8>) outs(%i : tensor<32x48xi32>) -> tensor<32x48xi32>
  return %c : tensor<32x48xi32>
}
