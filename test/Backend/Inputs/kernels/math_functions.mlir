#id = affine_map<(i, j) -> (i, j)>
func.func @math_functions(%a: tensor<16x32xf32> {tonno.input = #tonno.input<"uniform(0.5, 2)">}) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x32xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = math.exp %x : f32
    %1 = math.log %x : f32
    %2 = math.tanh %x : f32
    %3 = math.erf %x : f32
    %4 = math.sin %x : f32
    %5 = math.cos %x : f32
    %6 = math.powf %x, %x : f32
    %7 = math.sqrt %x : f32
    %8 = math.rsqrt %x : f32
    %9 = math.atan2 %x, %0 : f32
    %10 = math.expm1 %x : f32
    %11 = math.log1p %x : f32
    %12 = math.cbrt %x : f32
    %13 = math.floor %x : f32
    %14 = math.exp2 %x : f32
    %15 = math.sinh %x : f32
    %s0 = arith.addf %0, %1 : f32
    %s1 = arith.addf %s0, %2 : f32
    %s2 = arith.addf %s1, %3 : f32
    %s3 = arith.addf %s2, %4 : f32
    %s4 = arith.addf %s3, %5 : f32
    %s5 = arith.addf %s4, %6 : f32
    %s6 = arith.addf %s5, %7 : f32
    %s7 = arith.addf %s6, %8 : f32
    %s8 = arith.addf %s7, %9 : f32
    %s9 = arith.addf %s8, %10 : f32
    %s10 = arith.addf %s9, %11 : f32
    %s11 = arith.addf %s10, %12 : f32
    %s12 = arith.addf %s11, %13 : f32
    %s13 = arith.addf %s12, %14 : f32
    %s14 = arith.addf %s13, %15 : f32
    linalg.yield %s14 : f32
  } -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}
