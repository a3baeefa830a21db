// Elementwise ops, broadcasts, transpositions, reductions and softmax: types, and
// sizes that no tile divides.

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

func.func @add_f32(%x: tensor<4096x1024xf32>, %y: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %e = tensor.empty() : tensor<4096x1024xf32>
  %r = linalg.add ins(%x, %y : tensor<4096x1024xf32>, tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}

func.func @add_f16(%x: tensor<4096x1024xf16>, %y: tensor<4096x1024xf16>) -> tensor<4096x1024xf16> {
  %e = tensor.empty() : tensor<4096x1024xf16>
  %r = linalg.add ins(%x, %y : tensor<4096x1024xf16>, tensor<4096x1024xf16>) outs(%e : tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  return %r : tensor<4096x1024xf16>
}

func.func @add_i8(%x: tensor<4096x1024xi8>, %y: tensor<4096x1024xi8>) -> tensor<4096x1024xi8> {
  %e = tensor.empty() : tensor<4096x1024xi8>
  %r = linalg.add ins(%x, %y : tensor<4096x1024xi8>, tensor<4096x1024xi8>) outs(%e : tensor<4096x1024xi8>) -> tensor<4096x1024xi8>
  return %r : tensor<4096x1024xi8>
}

func.func @add_odd(%x: tensor<999x1001xf32>, %y: tensor<999x1001xf32>) -> tensor<999x1001xf32> {
  %e = tensor.empty() : tensor<999x1001xf32>
  %r = linalg.add ins(%x, %y : tensor<999x1001xf32>, tensor<999x1001xf32>) outs(%e : tensor<999x1001xf32>) -> tensor<999x1001xf32>
  return %r : tensor<999x1001xf32>
}

func.func @add_bf16_odd(%x: tensor<999x1001xbf16>, %y: tensor<999x1001xbf16>) -> tensor<999x1001xbf16> {
  %e = tensor.empty() : tensor<999x1001xbf16>
  %r = linalg.add ins(%x, %y : tensor<999x1001xbf16>, tensor<999x1001xbf16>) outs(%e : tensor<999x1001xbf16>) -> tensor<999x1001xbf16>
  return %r : tensor<999x1001xbf16>
}

func.func @add_vector(%x: tensor<1000003xf32>, %y: tensor<1000003xf32>) -> tensor<1000003xf32> {
  %e = tensor.empty() : tensor<1000003xf32>
  %r = linalg.add ins(%x, %y : tensor<1000003xf32>, tensor<1000003xf32>) outs(%e : tensor<1000003xf32>) -> tensor<1000003xf32>
  return %r : tensor<1000003xf32>
}

func.func @broadcast_f32(%x: tensor<4096x1024xf32>, %scale: tensor<1024xf32>, %bias: tensor<4096xf32>) -> tensor<4096x1024xf32> {
  %e = tensor.empty() : tensor<4096x1024xf32>
  %r = linalg.generic {indexing_maps = [#mn, #n, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %bias : tensor<4096x1024xf32>, tensor<1024xf32>, tensor<4096xf32>) outs(%e : tensor<4096x1024xf32>) {
  ^bb0(%a: f32, %s: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %s : f32
    %q = arith.addf %p, %b : f32
    linalg.yield %q : f32
  } -> tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}

func.func @broadcast_bf16(%x: tensor<4096x1024xbf16>, %scale: tensor<1024xbf16>, %bias: tensor<4096xbf16>) -> tensor<4096x1024xbf16> {
  %e = tensor.empty() : tensor<4096x1024xbf16>
  %r = linalg.generic {indexing_maps = [#mn, #n, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %bias : tensor<4096x1024xbf16>, tensor<1024xbf16>, tensor<4096xbf16>) outs(%e : tensor<4096x1024xbf16>) {
  ^bb0(%a: bf16, %s: bf16, %b: bf16, %old: bf16):
    %p = arith.mulf %a, %s : bf16
    %q = arith.addf %p, %b : bf16
    linalg.yield %q : bf16
  } -> tensor<4096x1024xbf16>
  return %r : tensor<4096x1024xbf16>
}

func.func @broadcast_odd(%x: tensor<999x1001xf32>, %scale: tensor<1001xf32>, %bias: tensor<999xf32>) -> tensor<999x1001xf32> {
  %e = tensor.empty() : tensor<999x1001xf32>
  %r = linalg.generic {indexing_maps = [#mn, #n, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %bias : tensor<999x1001xf32>, tensor<1001xf32>, tensor<999xf32>) outs(%e : tensor<999x1001xf32>) {
  ^bb0(%a: f32, %s: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %s : f32
    %q = arith.addf %p, %b : f32
    linalg.yield %q : f32
  } -> tensor<999x1001xf32>
  return %r : tensor<999x1001xf32>
}

func.func @broadcast_f16_odd(%x: tensor<999x1001xf16>, %scale: tensor<1001xf16>, %bias: tensor<999xf16>) -> tensor<999x1001xf16> {
  %e = tensor.empty() : tensor<999x1001xf16>
  %r = linalg.generic {indexing_maps = [#mn, #n, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %bias : tensor<999x1001xf16>, tensor<1001xf16>, tensor<999xf16>) outs(%e : tensor<999x1001xf16>) {
  ^bb0(%a: f16, %s: f16, %b: f16, %old: f16):
    %p = arith.mulf %a, %s : f16
    %q = arith.addf %p, %b : f16
    linalg.yield %q : f16
  } -> tensor<999x1001xf16>
  return %r : tensor<999x1001xf16>
}

func.func @transpose_f32(%x: tensor<4096x1024xf32>) -> tensor<1024x4096xf32> {
  %e = tensor.empty() : tensor<1024x4096xf32>
  %r = linalg.transpose ins(%x : tensor<4096x1024xf32>) outs(%e : tensor<1024x4096xf32>) permutation = [1, 0]
  return %r : tensor<1024x4096xf32>
}

func.func @transpose_f16(%x: tensor<4096x1024xf16>) -> tensor<1024x4096xf16> {
  %e = tensor.empty() : tensor<1024x4096xf16>
  %r = linalg.transpose ins(%x : tensor<4096x1024xf16>) outs(%e : tensor<1024x4096xf16>) permutation = [1, 0]
  return %r : tensor<1024x4096xf16>
}

func.func @transpose_i8(%x: tensor<4096x1024xi8>) -> tensor<1024x4096xi8> {
  %e = tensor.empty() : tensor<1024x4096xi8>
  %r = linalg.transpose ins(%x : tensor<4096x1024xi8>) outs(%e : tensor<1024x4096xi8>) permutation = [1, 0]
  return %r : tensor<1024x4096xi8>
}

func.func @transpose_odd(%x: tensor<999x1001xf32>) -> tensor<1001x999xf32> {
  %e = tensor.empty() : tensor<1001x999xf32>
  %r = linalg.transpose ins(%x : tensor<999x1001xf32>) outs(%e : tensor<1001x999xf32>) permutation = [1, 0]
  return %r : tensor<1001x999xf32>
}

func.func @transpose_bf16_odd(%x: tensor<999x1001xbf16>) -> tensor<1001x999xbf16> {
  %e = tensor.empty() : tensor<1001x999xbf16>
  %r = linalg.transpose ins(%x : tensor<999x1001xbf16>) outs(%e : tensor<1001x999xbf16>) permutation = [1, 0]
  return %r : tensor<1001x999xbf16>
}

func.func @row_sum_f32(%x: tensor<4096x1024xf32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4096x1024xf32>) outs(%f : tensor<4096xf32>) dimensions = [1]
  return %r : tensor<4096xf32>
}

func.func @row_sum_f16(%x: tensor<4096x1024xf16>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %r = linalg.reduce ins(%x : tensor<4096x1024xf16>) outs(%f : tensor<4096xf32>) dimensions = [1]
    (%a: f16, %s: f32) {
      %w = arith.extf %a : f16 to f32
      %n = arith.addf %s, %w : f32
      linalg.yield %n : f32
    }
  return %r : tensor<4096xf32>
}

func.func @row_sum_i8(%x: tensor<4096x1024xi8>) -> tensor<4096xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4096xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4096xi32>) -> tensor<4096xi32>
  %r = linalg.reduce ins(%x : tensor<4096x1024xi8>) outs(%f : tensor<4096xi32>) dimensions = [1]
    (%a: i8, %s: i32) {
      %w = arith.extsi %a : i8 to i32
      %n = arith.addi %s, %w : i32
      linalg.yield %n : i32
    }
  return %r : tensor<4096xi32>
}

func.func @row_sum_odd(%x: tensor<999x1001xf32>) -> tensor<999xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<999xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<999xf32>) -> tensor<999xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<999x1001xf32>) outs(%f : tensor<999xf32>) dimensions = [1]
  return %r : tensor<999xf32>
}

func.func @row_sum_long(%x: tensor<8x1000000xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<8x1000000xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %r : tensor<8xf32>
}

func.func @row_sum_bf16_odd(%x: tensor<999x1001xbf16>) -> tensor<999xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<999xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<999xf32>) -> tensor<999xf32>
  %r = linalg.reduce ins(%x : tensor<999x1001xbf16>) outs(%f : tensor<999xf32>) dimensions = [1]
    (%a: bf16, %s: f32) {
      %w = arith.extf %a : bf16 to f32
      %n = arith.addf %s, %w : f32
      linalg.yield %n : f32
    }
  return %r : tensor<999xf32>
}

func.func @column_sum_f32(%x: tensor<4096x1024xf32>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4096x1024xf32>) outs(%f : tensor<1024xf32>) dimensions = [0]
  return %r : tensor<1024xf32>
}

func.func @column_sum_f16(%x: tensor<4096x1024xf16>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %r = linalg.reduce ins(%x : tensor<4096x1024xf16>) outs(%f : tensor<1024xf32>) dimensions = [0]
    (%a: f16, %s: f32) {
      %w = arith.extf %a : f16 to f32
      %n = arith.addf %s, %w : f32
      linalg.yield %n : f32
    }
  return %r : tensor<1024xf32>
}

func.func @column_sum_i8(%x: tensor<4096x1024xi8>) -> tensor<1024xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1024xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1024xi32>) -> tensor<1024xi32>
  %r = linalg.reduce ins(%x : tensor<4096x1024xi8>) outs(%f : tensor<1024xi32>) dimensions = [0]
    (%a: i8, %s: i32) {
      %w = arith.extsi %a : i8 to i32
      %n = arith.addi %s, %w : i32
      linalg.yield %n : i32
    }
  return %r : tensor<1024xi32>
}

func.func @column_sum_odd(%x: tensor<999x1001xf32>) -> tensor<1001xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1001xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1001xf32>) -> tensor<1001xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<999x1001xf32>) outs(%f : tensor<1001xf32>) dimensions = [0]
  return %r : tensor<1001xf32>
}

func.func @column_sum_bf16_odd(%x: tensor<999x1001xbf16>) -> tensor<1001xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1001xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1001xf32>) -> tensor<1001xf32>
  %r = linalg.reduce ins(%x : tensor<999x1001xbf16>) outs(%f : tensor<1001xf32>) dimensions = [0]
    (%a: bf16, %s: f32) {
      %w = arith.extf %a : bf16 to f32
      %n = arith.addf %s, %w : f32
      linalg.yield %n : f32
    }
  return %r : tensor<1001xf32>
}

func.func @softmax_f32(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %e = tensor.empty() : tensor<4096x1024xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}

func.func @softmax_f16(%x: tensor<4096x1024xf16>) -> tensor<4096x1024xf16> {
  %e = tensor.empty() : tensor<4096x1024xf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4096x1024xf16>) outs(%e : tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  return %r : tensor<4096x1024xf16>
}

func.func @softmax_bf16(%x: tensor<4096x1024xbf16>) -> tensor<4096x1024xbf16> {
  %e = tensor.empty() : tensor<4096x1024xbf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4096x1024xbf16>) outs(%e : tensor<4096x1024xbf16>) -> tensor<4096x1024xbf16>
  return %r : tensor<4096x1024xbf16>
}

func.func @softmax_odd(%x: tensor<999x1001xf32>) -> tensor<999x1001xf32> {
  %e = tensor.empty() : tensor<999x1001xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<999x1001xf32>) outs(%e : tensor<999x1001xf32>) -> tensor<999x1001xf32>
  return %r : tensor<999x1001xf32>
}

func.func @softmax_f16_odd(%x: tensor<999x1001xf16>) -> tensor<999x1001xf16> {
  %e = tensor.empty() : tensor<999x1001xf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<999x1001xf16>) outs(%e : tensor<999x1001xf16>) -> tensor<999x1001xf16>
  return %r : tensor<999x1001xf16>
}

func.func @softmax_long(%x: tensor<64x100000xf32>) -> tensor<64x100000xf32> {
  %e = tensor.empty() : tensor<64x100000xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<64x100000xf32>) outs(%e : tensor<64x100000xf32>) -> tensor<64x100000xf32>
  return %r : tensor<64x100000xf32>
}
