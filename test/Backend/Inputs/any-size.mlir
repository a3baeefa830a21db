func.func @mm(%a: tensor<?x64xf32> {tonno.dims = ["in", "K"]}, %b: tensor<64x96xf32>) -> tensor<?x96xf32> attributes {tonno.variants = [@mm.variant0, @mm.all]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %few = arith.cmpi sle, %m, %c16 : index
  %r = scf.if %few -> tensor<?x96xf32> {
    %0 = func.call @mm.variant0(%a, %b) : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
    scf.yield %0 : tensor<?x96xf32>
  } else {
    %0 = func.call @mm.all(%a, %b) : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
    scf.yield %0 : tensor<?x96xf32>
  }
  return %r : tensor<?x96xf32>
}
func.func private @mm.variant0(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [16, 32, 0], thread = [1, 4, 0], reduction = [0, 0, 16]}} ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
func.func private @mm.all(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
