// tonno-opt --tonno-kernel-buffers --tonno-mark-streams
func.func @result(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %r = linalg.exp {tonno.lowering_config = {workgroup = [1, 16], stream = [0, 1]}} ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
