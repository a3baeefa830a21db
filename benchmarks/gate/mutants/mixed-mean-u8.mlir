// The mean of unsigned i8.

#red = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]}
#v1 = {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types=["parallel"]}

func.func @kernel(%x: tensor<16x512xi8>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xi32>
  %t2 = arith.constant 0 : i32
  %t3 = linalg.fill ins(%t2 : i32) outs(%t1 : tensor<16xi32>) -> tensor<16xi32>
  %t4 = linalg.generic #red ins(%x : tensor<16x512xi8>) outs(%t3 : tensor<16xi32>) {
  ^bb0(%a0: i8, %o: i32):
    %v = arith.extui %a0 : i8 to i32
    %q = arith.addi %o, %v : i32
    linalg.yield %q : i32
  } -> tensor<16xi32>
  %t5 = tensor.empty() : tensor<16xf32>
  %t6 = linalg.generic #v1 ins(%t4 : tensor<16xi32>) outs(%t5 : tensor<16xf32>) {
  ^bb0(%a0: i32, %o: f32):
    %f = arith.uitofp %a0 : i32 to f32
    %n = arith.constant 0.001953125 : f32
    %q = arith.mulf %f, %n : f32
    linalg.yield %q : f32
  } -> tensor<16xf32>
  return %t6 : tensor<16xf32>
}

func.func @right_i24(%x: tensor<16x512xi8>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xi24>
  %t2 = arith.constant 0 : i24
  %t3 = linalg.fill ins(%t2 : i24) outs(%t1 : tensor<16xi24>) -> tensor<16xi24>
  %t4 = linalg.generic #red ins(%x : tensor<16x512xi8>) outs(%t3 : tensor<16xi24>) {
  ^bb0(%a0: i8, %o: i24):
    %v = arith.extui %a0 : i8 to i24
    %q = arith.addi %o, %v : i24
    linalg.yield %q : i24
  } -> tensor<16xi24>
  %t5 = tensor.empty() : tensor<16xf32>
  %t6 = linalg.generic #v1 ins(%t4 : tensor<16xi24>) outs(%t5 : tensor<16xf32>) {
  ^bb0(%a0: i24, %o: f32):
    %f = arith.uitofp %a0 : i24 to f32
    %n = arith.constant 0.001953125 : f32
    %q = arith.mulf %f, %n : f32
    linalg.yield %q : f32
  } -> tensor<16xf32>
  return %t6 : tensor<16xf32>
}

func.func @wrong_i16(%x: tensor<16x512xi8>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xi16>
  %t2 = arith.constant 0 : i16
  %t3 = linalg.fill ins(%t2 : i16) outs(%t1 : tensor<16xi16>) -> tensor<16xi16>
  %t4 = linalg.generic #red ins(%x : tensor<16x512xi8>) outs(%t3 : tensor<16xi16>) {
  ^bb0(%a0: i8, %o: i16):
    %v = arith.extui %a0 : i8 to i16
    %q = arith.addi %o, %v : i16
    linalg.yield %q : i16
  } -> tensor<16xi16>
  %t5 = tensor.empty() : tensor<16xf32>
  %t6 = linalg.generic #v1 ins(%t4 : tensor<16xi16>) outs(%t5 : tensor<16xf32>) {
  ^bb0(%a0: i16, %o: f32):
    %f = arith.uitofp %a0 : i16 to f32
    %n = arith.constant 0.001953125 : f32
    %q = arith.mulf %f, %n : f32
    linalg.yield %q : f32
  } -> tensor<16xf32>
  return %t6 : tensor<16xf32>
}

func.func @wrong_signed(%x: tensor<16x512xi8>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xi32>
  %t2 = arith.constant 0 : i32
  %t3 = linalg.fill ins(%t2 : i32) outs(%t1 : tensor<16xi32>) -> tensor<16xi32>
  %t4 = linalg.generic #red ins(%x : tensor<16x512xi8>) outs(%t3 : tensor<16xi32>) {
  ^bb0(%a0: i8, %o: i32):
    %v = arith.extsi %a0 : i8 to i32
    %q = arith.addi %o, %v : i32
    linalg.yield %q : i32
  } -> tensor<16xi32>
  %t5 = tensor.empty() : tensor<16xf32>
  %t6 = linalg.generic #v1 ins(%t4 : tensor<16xi32>) outs(%t5 : tensor<16xf32>) {
  ^bb0(%a0: i32, %o: f32):
    %f = arith.uitofp %a0 : i32 to f32
    %n = arith.constant 0.001953125 : f32
    %q = arith.mulf %f, %n : f32
    linalg.yield %q : f32
  } -> tensor<16xf32>
  return %t6 : tensor<16xf32>
}
