// Tensors and buffers, in and out, with constants and a scalar.
memref.global "private" constant @weights : memref<4xf32> = dense<[1.0, -2.0, 3.0, 0.5]>
func.func @mixed_buffers(%a: tensor<16x4xf32>, %state: memref<16x4xf32, strided<[8, 1]>>, %n: i32) -> (tensor<16x4xf32>, f32) {
  %shift = arith.constant dense<[0.5, 0.25, 0.125, -1.0]> : tensor<4xf32>
  %m = memref.get_global @weights : memref<4xf32>
  %w = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %s = bufferization.to_tensor %state restrict : memref<16x4xf32, strided<[8, 1]>> to tensor<16x4xf32>
  %e = tensor.empty() : tensor<16x4xf32>
  %k = arith.sitofp %n : i32 to f32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %s, %w, %shift : tensor<16x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<16x4xf32>) {
  ^bb0(%x: f32, %y: f32, %u: f32, %v: f32, %o: f32):
    %p = arith.mulf %x, %u : f32
    %q = arith.addf %p, %y : f32
    %t = arith.addf %q, %v : f32
    %z = arith.mulf %t, %k : f32
    linalg.yield %z : f32
  } -> tensor<16x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %state : (tensor<16x4xf32>, memref<16x4xf32, strided<[8, 1]>>) -> ()
  %c0 = arith.constant 0 : index
  %first = tensor.extract %r[%c0, %c0] : tensor<16x4xf32>
  return %r, %first : tensor<16x4xf32>, f32
}
