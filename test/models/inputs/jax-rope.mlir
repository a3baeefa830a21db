// expect: tuned
// From jax_models.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
module @jit_rope attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x2x32xf32>, %arg1: tensor<16x16xf32>) -> (tensor<16x2x32xf32> {jax.result_info = "result"}) {
    %c16 = arith.constant 16 : index
    %0 = tensor.empty() : tensor<16x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = math.cos %in : f32
      linalg.yield %17 : f32
    } -> tensor<16x16xf32>
    %2 = tensor.empty() : tensor<16x1x16xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<16x16xf32>) outs(%2 : tensor<16x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x1x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = math.sin %in : f32
      linalg.yield %17 : f32
    } -> tensor<16x16xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<16x16xf32>) outs(%2 : tensor<16x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x1x16xf32>
    %extracted_slice = tensor.extract_slice %arg0[0, 0, 0] [16, 2, 16] [1, 1, 1] : tensor<16x2x32xf32> to tensor<16x2x16xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 0, 16] [16, 2, 16] [1, 1, 1] : tensor<16x2x32xf32> to tensor<16x2x16xf32>
    %6 = tensor.empty() : tensor<16x2x16xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<16x1x16xf32>) outs(%6 : tensor<16x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x2x16xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice, %7 : tensor<16x2x16xf32>, tensor<16x2x16xf32>) outs(%6 : tensor<16x2x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %17 = arith.mulf %in, %in_1 : f32
      linalg.yield %17 : f32
    } -> tensor<16x2x16xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<16x1x16xf32>) outs(%6 : tensor<16x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x2x16xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_0, %9 : tensor<16x2x16xf32>, tensor<16x2x16xf32>) outs(%6 : tensor<16x2x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %17 = arith.mulf %in, %in_1 : f32
      linalg.yield %17 : f32
    } -> tensor<16x2x16xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %10 : tensor<16x2x16xf32>, tensor<16x2x16xf32>) outs(%6 : tensor<16x2x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %17 = arith.subf %in, %in_1 : f32
      linalg.yield %17 : f32
    } -> tensor<16x2x16xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_0, %7 : tensor<16x2x16xf32>, tensor<16x2x16xf32>) outs(%6 : tensor<16x2x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %17 = arith.mulf %in, %in_1 : f32
      linalg.yield %17 : f32
    } -> tensor<16x2x16xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice, %9 : tensor<16x2x16xf32>, tensor<16x2x16xf32>) outs(%6 : tensor<16x2x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %17 = arith.mulf %in, %in_1 : f32
      linalg.yield %17 : f32
    } -> tensor<16x2x16xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %13 : tensor<16x2x16xf32>, tensor<16x2x16xf32>) outs(%6 : tensor<16x2x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %17 = arith.addf %in, %in_1 : f32
      linalg.yield %17 : f32
    } -> tensor<16x2x16xf32>
    %15 = tensor.empty() : tensor<16x2x32xf32>
    %16 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel", "parallel"]} outs(%15 : tensor<16x2x32xf32>) {
    ^bb0(%out: f32):
      %17 = linalg.index 0 : index
      %18 = linalg.index 1 : index
      %19 = linalg.index 2 : index
      %20 = arith.cmpi ult, %19, %c16 : index
      %21 = scf.if %20 -> (f32) {
        %extracted = tensor.extract %11[%17, %18, %19] : tensor<16x2x16xf32>
        scf.yield %extracted : f32
      } else {
        %22 = arith.subi %19, %c16 : index
        %extracted = tensor.extract %14[%17, %18, %22] : tensor<16x2x16xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %21 : f32
    } -> tensor<16x2x32xf32>
    return %16 : tensor<16x2x32xf32>
  }
}
