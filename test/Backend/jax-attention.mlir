// What JAX 0.10 makes of a causal jax.nn.dot_product_attention in bf16: with
// transpositions, broadcasts, unit dimensions and a mask it is one launch.

// RUN: tonno-opt %s --tonno-annotate="target=nvptx chip=sm_90" --tonno-apply --tonno-lower-nvptx=chip=sm_90 | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate="target=amdgpu chip=gfx942" --tonno-apply --tonno-lower-amdgpu=chip=gfx942 | FileCheck %s

// CHECK: tonno.launches = [{{{[^}]*}}symbol = "jxc_entry"}]
#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map5 = affine_map<(d0, d1, d2, d3) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1) -> ()>
#map8 = affine_map<(d0, d1) -> (d0, d1)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map15 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map16 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map17 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
module {
  func.func public @jxc(%arg0: tensor<2x128x4x64xbf16> loc("arg0"), %arg1: tensor<2x128x4x64xbf16> loc("arg1"), %arg2: tensor<2x128x4x64xbf16> loc("arg2")) -> (tensor<2x128x4x64xbf16> {jax.result_info = "result"}) {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0> : tensor<i32>
    %cst_3 = arith.constant dense<false> : tensor<i1>
    %cst_4 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_5 = arith.constant dense<-2.38197633E+38> : tensor<f32>
    %cst_6 = arith.constant dense<true> : tensor<i1>
    %cst_7 = arith.constant dense<1.250000e-01> : tensor<f32>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2], [3, 4]] output_shape [2, 128, 4, 1, 64] : tensor<2x128x4x64xbf16> into tensor<2x128x4x1x64xbf16>
    %0 = tensor.empty() : tensor<2x4x128x1x128xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x4x128x1x128xf32>) -> tensor<2x4x128x1x128xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %arg1 : tensor<2x128x4x1x64xbf16>, tensor<2x128x4x64xbf16>) outs(%1 : tensor<2x4x128x1x128xf32>) {
    ^bb0(%in: bf16 loc("-":3:10), %in_8: bf16 loc("-":2:58), %out: f32 loc("-":4:10)):
      %53 = arith.extf %in : bf16 to f32
      %54 = arith.extf %in_8 : bf16 to f32
      %55 = arith.mulf %53, %54 : f32
      %56 = arith.addf %out, %55 : f32
      linalg.yield %56 : f32
    } -> tensor<2x4x128x1x128xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_7 : tensor<f32>) outs(%0 : tensor<2x4x128x1x128xf32>) {
    ^bb0(%in: f32 loc("-":5:12), %out: f32 loc("-":6:10)):
      linalg.yield %in : f32
    } -> tensor<2x4x128x1x128xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<2x4x128x1x128xf32>, tensor<2x4x128x1x128xf32>) outs(%0 : tensor<2x4x128x1x128xf32>) {
    ^bb0(%in: f32 loc("-":4:10), %in_8: f32 loc("-":6:10), %out: f32 loc("-":7:10)):
      %53 = arith.mulf %in, %in_8 : f32
      linalg.yield %53 : f32
    } -> tensor<2x4x128x1x128xf32>
    %5 = tensor.empty() : tensor<2x4x128x128xi1>
    %6 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_6 : tensor<i1>) outs(%5 : tensor<2x4x128x128xi1>) {
    ^bb0(%in: i1 loc(unknown), %out: i1 loc("-":9:10)):
      linalg.yield %in : i1
    } -> tensor<2x4x128x128xi1>
    %7 = tensor.empty() : tensor<128x128xi1>
    %8 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_6 : tensor<i1>) outs(%7 : tensor<128x128xi1>) {
    ^bb0(%in: i1 loc(unknown), %out: i1 loc("-":11:10)):
      linalg.yield %in : i1
    } -> tensor<128x128xi1>
    %9 = tensor.empty() : tensor<128x128xi32>
    %10 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<128x128xi32>) {
    ^bb0(%out: i32 loc("-":40:10)):
      %53 = linalg.index 0 : index
      %54 = arith.index_cast %53 : index to i32
      linalg.yield %54 : i32
    } -> tensor<128x128xi32>
    %11 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<i32>) outs(%9 : tensor<128x128xi32>) {
    ^bb0(%in: i32 loc("-":41:10), %out: i32 loc("-":42:10)):
      linalg.yield %in : i32
    } -> tensor<128x128xi32>
    %12 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<128x128xi32>, tensor<128x128xi32>) outs(%9 : tensor<128x128xi32>) {
    ^bb0(%in: i32 loc("-":40:10), %in_8: i32 loc("-":42:10), %out: i32 loc("-":43:10)):
      %53 = arith.addi %in, %in_8 : i32
      linalg.yield %53 : i32
    } -> tensor<128x128xi32>
    %13 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<128x128xi32>) {
    ^bb0(%out: i32 loc("-":44:10)):
      %53 = linalg.index 1 : index
      %54 = arith.index_cast %53 : index to i32
      linalg.yield %54 : i32
    } -> tensor<128x128xi32>
    %14 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%12, %13 : tensor<128x128xi32>, tensor<128x128xi32>) outs(%7 : tensor<128x128xi1>) {
    ^bb0(%in: i32 loc("-":43:10), %in_8: i32 loc("-":44:10), %out: i1 loc("-":45:10)):
      %53 = arith.cmpi sge, %in, %in_8 : i32
      linalg.yield %53 : i1
    } -> tensor<128x128xi1>
    %15 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%7 : tensor<128x128xi1>) {
    ^bb0(%in: i1 loc("-":46:12), %out: i1 loc("-":47:10)):
      linalg.yield %in : i1
    } -> tensor<128x128xi1>
    %16 = linalg.generic {indexing_maps = [#map8, #map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%14, %8, %15 : tensor<128x128xi1>, tensor<128x128xi1>, tensor<128x128xi1>) outs(%7 : tensor<128x128xi1>) {
    ^bb0(%in: i1 loc("-":45:10), %in_8: i1 loc("-":11:10), %in_9: i1 loc("-":47:10), %out: i1 loc("-":48:10)):
      %53 = arith.select %in, %in_8, %in_9 : i1
      linalg.yield %53 : i1
    } -> tensor<128x128xi1>
    %17 = tensor.empty() : tensor<1x1x128x128xi1>
    %18 = linalg.generic {indexing_maps = [#map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<128x128xi1>) outs(%17 : tensor<1x1x128x128xi1>) {
    ^bb0(%in: i1 loc("-":48:10), %out: i1 loc("-":13:10)):
      linalg.yield %in : i1
    } -> tensor<1x1x128x128xi1>
    %19 = linalg.generic {indexing_maps = [#map10, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<1x1x128x128xi1>) outs(%5 : tensor<2x4x128x128xi1>) {
    ^bb0(%in: i1 loc("-":13:10), %out: i1 loc("-":14:10)):
      linalg.yield %in : i1
    } -> tensor<2x4x128x128xi1>
    %20 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %19 : tensor<2x4x128x128xi1>, tensor<2x4x128x128xi1>) outs(%5 : tensor<2x4x128x128xi1>) {
    ^bb0(%in: i1 loc("-":9:10), %in_8: i1 loc("-":14:10), %out: i1 loc("-":15:10)):
      %53 = arith.andi %in, %in_8 : i1
      linalg.yield %53 : i1
    } -> tensor<2x4x128x128xi1>
    %21 = tensor.empty() : tensor<2x4x128x128xf32>
    %22 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_5 : tensor<f32>) outs(%21 : tensor<2x4x128x128xf32>) {
    ^bb0(%in: f32 loc("-":16:14), %out: f32 loc("-":52:10)):
      linalg.yield %in : f32
    } -> tensor<2x4x128x128xf32>
    %23 = tensor.empty() : tensor<1x2x4x128x128xi1>
    %24 = linalg.generic {indexing_maps = [#map11, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x4x128x128xi1>) outs(%23 : tensor<1x2x4x128x128xi1>) {
    ^bb0(%in: i1 loc("-":15:10), %out: i1 loc("-":53:10)):
      linalg.yield %in : i1
    } -> tensor<1x2x4x128x128xi1>
    %25 = tensor.empty() : tensor<1x2x4x128x128xf32>
    %26 = linalg.generic {indexing_maps = [#map11, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x4x128x128xf32>) outs(%25 : tensor<1x2x4x128x128xf32>) {
    ^bb0(%in: f32 loc("-":52:10), %out: f32 loc("-":54:10)):
      linalg.yield %in : f32
    } -> tensor<1x2x4x128x128xf32>
    %27 = linalg.generic {indexing_maps = [#map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x128x1x128xf32>) outs(%25 : tensor<1x2x4x128x128xf32>) {
    ^bb0(%in: f32 loc("-":7:10), %out: f32 loc("-":55:10)):
      linalg.yield %in : f32
    } -> tensor<1x2x4x128x128xf32>
    %28 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%24, %27, %26 : tensor<1x2x4x128x128xi1>, tensor<1x2x4x128x128xf32>, tensor<1x2x4x128x128xf32>) outs(%25 : tensor<1x2x4x128x128xf32>) {
    ^bb0(%in: i1 loc("-":53:10), %in_8: f32 loc("-":55:10), %in_9: f32 loc("-":54:10), %out: f32 loc("-":56:10)):
      %53 = arith.select %in, %in_8, %in_9 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4x128x128xf32>
    %29 = tensor.empty() : tensor<1x2x4x128xf32>
    %30 = linalg.fill ins(%cst_0 : f32) outs(%29 : tensor<1x2x4x128xf32>) -> tensor<1x2x4x128xf32>
    %31 = linalg.generic {indexing_maps = [#map4, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%28 : tensor<1x2x4x128x128xf32>) outs(%30 : tensor<1x2x4x128xf32>) {
    ^bb0(%in: f32 loc("-":19:27), %out: f32 loc("-":19:27)):
      %53 = arith.maximumf %out, %in : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4x128xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%29 : tensor<1x2x4x128xf32>) {
    ^bb0(%in: f32 loc(unknown), %out: f32 loc("-":21:11)):
      linalg.yield %in : f32
    } -> tensor<1x2x4x128xf32>
    %33 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %31 : tensor<1x2x4x128xf32>, tensor<1x2x4x128xf32>) outs(%29 : tensor<1x2x4x128xf32>) {
    ^bb0(%in: f32 loc("-":21:11), %in_8: f32 loc("-":19:27), %out: f32 loc("-":22:11)):
      %53 = arith.maximumf %in, %in_8 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4x128xf32>
    %34 = tensor.empty() : tensor<1x2x4x128x1xf32>
    %35 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<1x2x4x128xf32>) outs(%34 : tensor<1x2x4x128x1xf32>) {
    ^bb0(%in: f32 loc("-":22:11), %out: f32 loc("-":23:11)):
      linalg.yield %in : f32
    } -> tensor<1x2x4x128x1xf32>
    %36 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<1x2x4x128x1xf32>) outs(%25 : tensor<1x2x4x128x128xf32>) {
    ^bb0(%in: f32 loc("-":23:11), %out: f32 loc("-":24:11)):
      linalg.yield %in : f32
    } -> tensor<1x2x4x128x128xf32>
    %37 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%28, %36 : tensor<1x2x4x128x128xf32>, tensor<1x2x4x128x128xf32>) outs(%25 : tensor<1x2x4x128x128xf32>) {
    ^bb0(%in: f32 loc("-":56:10), %in_8: f32 loc("-":24:11), %out: f32 loc("-":25:11)):
      %53 = arith.subf %in, %in_8 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4x128x128xf32>
    %38 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<1x2x4x128x128xf32>) outs(%25 : tensor<1x2x4x128x128xf32>) {
    ^bb0(%in: f32 loc("-":25:11), %out: f32 loc("-":26:11)):
      %53 = math.exp %in : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4x128x128xf32>
    %39 = linalg.fill ins(%cst_1 : f32) outs(%29 : tensor<1x2x4x128xf32>) -> tensor<1x2x4x128xf32>
    %40 = linalg.generic {indexing_maps = [#map4, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%38 : tensor<1x2x4x128x128xf32>) outs(%39 : tensor<1x2x4x128xf32>) {
    ^bb0(%in: f32 loc("-":28:27), %out: f32 loc("-":28:27)):
      %53 = arith.addf %out, %in : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4x128xf32>
    %41 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<1x2x4x128xf32>) outs(%34 : tensor<1x2x4x128x1xf32>) {
    ^bb0(%in: f32 loc("-":28:27), %out: f32 loc("-":29:11)):
      linalg.yield %in : f32
    } -> tensor<1x2x4x128x1xf32>
    %42 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<1x2x4x128x1xf32>) outs(%25 : tensor<1x2x4x128x128xf32>) {
    ^bb0(%in: f32 loc("-":29:11), %out: f32 loc("-":30:11)):
      linalg.yield %in : f32
    } -> tensor<1x2x4x128x128xf32>
    %43 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%38, %42 : tensor<1x2x4x128x128xf32>, tensor<1x2x4x128x128xf32>) outs(%25 : tensor<1x2x4x128x128xf32>) {
    ^bb0(%in: f32 loc("-":26:11), %in_8: f32 loc("-":30:11), %out: f32 loc("-":31:11)):
      %53 = arith.divf %in, %in_8 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4x128x128xf32>
    %44 = tensor.empty() : tensor<1x2x4x128x128xbf16>
    %45 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%43 : tensor<1x2x4x128x128xf32>) outs(%44 : tensor<1x2x4x128x128xbf16>) {
    ^bb0(%in: f32 loc("-":31:11), %out: bf16 loc("-":32:11)):
      %53 = arith.truncf %in : f32 to bf16
      linalg.yield %53 : bf16
    } -> tensor<1x2x4x128x128xbf16>
    %46 = tensor.empty() : tensor<2x4x64x1x128xbf16>
    %47 = linalg.fill ins(%cst : bf16) outs(%46 : tensor<2x4x64x1x128xbf16>) -> tensor<2x4x64x1x128xbf16>
    %48 = linalg.generic {indexing_maps = [#map15, #map16, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %45 : tensor<2x128x4x64xbf16>, tensor<1x2x4x128x128xbf16>) outs(%47 : tensor<2x4x64x1x128xbf16>) {
    ^bb0(%in: bf16 loc("-":2:90), %in_8: bf16 loc("-":32:11), %out: bf16 loc("-":33:11)):
      %53 = arith.mulf %in, %in_8 : bf16
      %54 = arith.addf %out, %53 : bf16
      linalg.yield %54 : bf16
    } -> tensor<2x4x64x1x128xbf16>
    %49 = tensor.empty() : tensor<1x2x128x4x64xbf16>
    %50 = linalg.generic {indexing_maps = [#map17, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%48 : tensor<2x4x64x1x128xbf16>) outs(%49 : tensor<1x2x128x4x64xbf16>) {
    ^bb0(%in: bf16 loc("-":33:11), %out: bf16 loc("-":34:11)):
      linalg.yield %in : bf16
    } -> tensor<1x2x128x4x64xbf16>
    %51 = tensor.empty() : tensor<2x128x4x1x64xbf16>
    %52 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<1x2x128x4x64xbf16>) outs(%51 : tensor<2x128x4x1x64xbf16>) {
    ^bb0(%in: bf16 loc("-":34:11), %out: bf16 loc("-":35:11)):
      linalg.yield %in : bf16
    } -> tensor<2x128x4x1x64xbf16>
    %collapsed = tensor.collapse_shape %52 [[0], [1], [2], [3, 4]] : tensor<2x128x4x1x64xbf16> into tensor<2x128x4x64xbf16>
    return %collapsed : tensor<2x128x4x64xbf16>
  }
}
