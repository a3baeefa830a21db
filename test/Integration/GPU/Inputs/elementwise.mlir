// Elementwise ops, broadcasts and transpositions of several types, over shapes
// that no tile divides.

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

func.func @scale_add_f32(%x: tensor<100x92xf32>, %y: tensor<100x92xf32>, %scale: tensor<92xf32>) -> tensor<100x92xf32> {
  %e = tensor.empty() : tensor<100x92xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %scale : tensor<100x92xf32>, tensor<100x92xf32>, tensor<92xf32>) outs(%e : tensor<100x92xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %o: f32):
    %p = arith.mulf %a, %s : f32
    %q = arith.addf %p, %b : f32
    linalg.yield %q : f32
  } -> tensor<100x92xf32>
  return %r : tensor<100x92xf32>
}

func.func @scale_add_f16_odd(%x: tensor<67x53xf16>, %y: tensor<67x53xf16>, %scale: tensor<53xf16>) -> tensor<67x53xf16> {
  %e = tensor.empty() : tensor<67x53xf16>
  %r = linalg.generic {indexing_maps = [#all, #all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %scale : tensor<67x53xf16>, tensor<67x53xf16>, tensor<53xf16>) outs(%e : tensor<67x53xf16>) {
  ^bb0(%a: f16, %b: f16, %s: f16, %o: f16):
    %p = arith.mulf %a, %s : f16
    %q = arith.addf %p, %b : f16
    linalg.yield %q : f16
  } -> tensor<67x53xf16>
  return %r : tensor<67x53xf16>
}

func.func @scale_add_bf16(%x: tensor<104x88xbf16>, %y: tensor<104x88xbf16>, %scale: tensor<88xbf16>) -> tensor<104x88xbf16> {
  %e = tensor.empty() : tensor<104x88xbf16>
  %r = linalg.generic {indexing_maps = [#all, #all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %scale : tensor<104x88xbf16>, tensor<104x88xbf16>, tensor<88xbf16>) outs(%e : tensor<104x88xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %s: bf16, %o: bf16):
    %p = arith.mulf %a, %s : bf16
    %q = arith.addf %p, %b : bf16
    linalg.yield %q : bf16
  } -> tensor<104x88xbf16>
  return %r : tensor<104x88xbf16>
}

func.func @scale_add_i8_odd(%x: tensor<35x77xi8>, %y: tensor<35x77xi8>, %scale: tensor<77xi8>) -> tensor<35x77xi8> {
  %e = tensor.empty() : tensor<35x77xi8>
  %r = linalg.generic {indexing_maps = [#all, #all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %scale : tensor<35x77xi8>, tensor<35x77xi8>, tensor<77xi8>) outs(%e : tensor<35x77xi8>) {
  ^bb0(%a: i8, %b: i8, %s: i8, %o: i8):
    %p = arith.muli %a, %s : i8
    %q = arith.addi %p, %b : i8
    linalg.yield %q : i8
  } -> tensor<35x77xi8>
  return %r : tensor<35x77xi8>
}

// A sigmoid, of what differs by row: with a call where the chip has no exp.
func.func @sigmoid_f32_odd(%x: tensor<67x53xf32>, %shift: tensor<67xf32>) -> tensor<67x53xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<67x53xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %shift : tensor<67x53xf32>, tensor<67xf32>) outs(%e : tensor<67x53xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %d = arith.subf %s, %a : f32
    %p = math.exp %d : f32
    %q = arith.addf %p, %one : f32
    %v = arith.divf %one, %q : f32
    linalg.yield %v : f32
  } -> tensor<67x53xf32>
  return %r : tensor<67x53xf32>
}

func.func @transpose_f32(%x: tensor<100x92xf32>) -> tensor<92x100xf32> {
  %e = tensor.empty() : tensor<92x100xf32>
  %r = linalg.transpose ins(%x : tensor<100x92xf32>) outs(%e : tensor<92x100xf32>) permutation = [1, 0]
  return %r : tensor<92x100xf32>
}

func.func @transpose_f16_odd(%x: tensor<67x53xf16>) -> tensor<53x67xf16> {
  %e = tensor.empty() : tensor<53x67xf16>
  %r = linalg.transpose ins(%x : tensor<67x53xf16>) outs(%e : tensor<53x67xf16>) permutation = [1, 0]
  return %r : tensor<53x67xf16>
}

func.func @transpose_i8(%x: tensor<80x112xi8>) -> tensor<112x80xi8> {
  %e = tensor.empty() : tensor<112x80xi8>
  %r = linalg.transpose ins(%x : tensor<80x112xi8>) outs(%e : tensor<112x80xi8>) permutation = [1, 0]
  return %r : tensor<112x80xi8>
}

func.func @transpose_bf16_3d(%x: tensor<5x34x27xbf16>) -> tensor<5x27x34xbf16> {
  %e = tensor.empty() : tensor<5x27x34xbf16>
  %r = linalg.transpose ins(%x : tensor<5x34x27xbf16>) outs(%e : tensor<5x27x34xbf16>) permutation = [0, 2, 1]
  return %r : tensor<5x27x34xbf16>
}
