// tonno-opt --tonno-split-load
func.func @scaled(%a: memref<64xf32>, %w: memref<64xf32>, %r: memref<64xf32>) attributes {tonno.buffers = [{alignment = 16 : i64, type = memref<64xf32>}, {alignment = 16 : i64, constant, type = memref<64xf32>}, {alignment = 64 : i64, type = memref<64xf32>}]} {
  %values = bufferization.to_tensor %a restrict : memref<64xf32> to tensor<64xf32>
  %weights = bufferization.to_tensor %w restrict : memref<64xf32> to tensor<64xf32>
  %empty = tensor.empty() : tensor<64xf32>
  %roots = linalg.rsqrt ins(%weights : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %product = linalg.mul ins(%values, %roots : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  bufferization.materialize_in_destination %product in restrict writable %r : (tensor<64xf32>, memref<64xf32>) -> ()
  return
}
