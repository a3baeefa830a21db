// Convolution of an i8 signal with three i8 taps, in i32: y[i] = sum over j of x[i + j] * w[j].

#sum = {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}
#map = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}
#map2 = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<130xi8>, %w: tensor<3xi8>) -> tensor<128xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<128xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<128xi32>) -> tensor<128xi32>
  %r = linalg.generic #sum ins(%x, %w : tensor<130xi8>, tensor<3xi8>) outs(%f : tensor<128xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<128xi32>
  return %r : tensor<128xi32>
}

// A product of two i8 fits in i16.
func.func @right_i16_products(%x: tensor<130xi8>, %w: tensor<3xi8>) -> tensor<128xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<128xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<128xi32>) -> tensor<128xi32>
  %r = linalg.generic #sum ins(%x, %w : tensor<130xi8>, tensor<3xi8>) outs(%f : tensor<128xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %ext, %ext_2 : i16
    %ext_3 = arith.extsi %mul : i16 to i32
    %add = arith.addi %o, %ext_3 : i32
    linalg.yield %add : i32
  } -> tensor<128xi32>
  return %r : tensor<128xi32>
}

// Two signal values in one word, one multiplication for both, the borrow repaired.
func.func @right_two_per_multiply(%x: tensor<130xi8>, %w: tensor<3xi8>) -> tensor<128xi32> {
  %i0 = arith.constant 0 : index
  %at = tensor.extract %w[%i0] : tensor<3xi8>
  %ext = arith.extsi %at : i8 to i32
  %i1 = arith.constant 1 : index
  %at_2 = tensor.extract %w[%i1] : tensor<3xi8>
  %ext_2 = arith.extsi %at_2 : i8 to i32
  %i2 = arith.constant 2 : index
  %at_3 = tensor.extract %w[%i2] : tensor<3xi8>
  %ext_3 = arith.extsi %at_3 : i8 to i32
  %s = tensor.extract_slice %x[0] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_2 = tensor.extract_slice %x[1] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_3 = tensor.extract_slice %x[2] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_4 = tensor.extract_slice %x[64] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_5 = tensor.extract_slice %x[65] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_6 = tensor.extract_slice %x[66] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %e = tensor.empty() : tensor<64xi32>
  %e_2 = tensor.empty() : tensor<64xi32>
  %r:2 = linalg.generic #map ins(%s, %s_2, %s_3, %s_4, %s_5, %s_6 : tensor<64xi8>, tensor<64xi8>, tensor<64xi8>, tensor<64xi8>, tensor<64xi8>, tensor<64xi8>)
      outs(%e, %e_2 : tensor<64xi32>, tensor<64xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i8, %d: i8, %g: i8, %h: i8, %o: i32, %o_2: i32):
    %ext_4 = arith.extsi %a : i8 to i32
    %ext_5 = arith.extsi %d : i8 to i32
    %c16 = arith.constant 16 : i32
    %shl = arith.shli %ext_5, %c16 : i32
    %add = arith.addi %ext_4, %shl : i32
    %mul = arith.muli %add, %ext : i32
    %ext_6 = arith.extsi %b : i8 to i32
    %ext_7 = arith.extsi %g : i8 to i32
    %shl_2 = arith.shli %ext_7, %c16 : i32
    %add_2 = arith.addi %ext_6, %shl_2 : i32
    %mul_2 = arith.muli %add_2, %ext_2 : i32
    %ext_8 = arith.extsi %c : i8 to i32
    %ext_9 = arith.extsi %h : i8 to i32
    %shl_3 = arith.shli %ext_9, %c16 : i32
    %add_3 = arith.addi %ext_8, %shl_3 : i32
    %mul_3 = arith.muli %add_3, %ext_3 : i32
    %shl_4 = arith.shli %mul, %c16 : i32
    %sar = arith.shrsi %shl_4, %c16 : i32
    %sub = arith.subi %mul, %sar : i32
    %sar_2 = arith.shrsi %sub, %c16 : i32
    %shl_5 = arith.shli %mul_2, %c16 : i32
    %sar_3 = arith.shrsi %shl_5, %c16 : i32
    %sub_2 = arith.subi %mul_2, %sar_3 : i32
    %sar_4 = arith.shrsi %sub_2, %c16 : i32
    %shl_6 = arith.shli %mul_3, %c16 : i32
    %sar_5 = arith.shrsi %shl_6, %c16 : i32
    %sub_3 = arith.subi %mul_3, %sar_5 : i32
    %sar_6 = arith.shrsi %sub_3, %c16 : i32
    %add_4 = arith.addi %sar, %sar_3 : i32
    %add_5 = arith.addi %add_4, %sar_5 : i32
    %add_6 = arith.addi %sar_2, %sar_4 : i32
    %add_7 = arith.addi %add_6, %sar_6 : i32
    linalg.yield %add_5, %add_7 : i32, i32
  } -> (tensor<64xi32>, tensor<64xi32>)
  %e_3 = tensor.empty() : tensor<128xi32>
  %p = tensor.insert_slice %r#0 into %e_3[0] [64] [1] : tensor<64xi32> into tensor<128xi32>
  %p_2 = tensor.insert_slice %r#1 into %p[64] [64] [1] : tensor<64xi32> into tensor<128xi32>
  return %p_2 : tensor<128xi32>
}

// Two values in one word, split after the taps are added. Shows when a result passes 32767: magnitudes above 104.
func.func @wrong_late_split(%x: tensor<130xi8>, %w: tensor<3xi8>) -> tensor<128xi32> {
  %i0 = arith.constant 0 : index
  %at = tensor.extract %w[%i0] : tensor<3xi8>
  %ext = arith.extsi %at : i8 to i32
  %i1 = arith.constant 1 : index
  %at_2 = tensor.extract %w[%i1] : tensor<3xi8>
  %ext_2 = arith.extsi %at_2 : i8 to i32
  %i2 = arith.constant 2 : index
  %at_3 = tensor.extract %w[%i2] : tensor<3xi8>
  %ext_3 = arith.extsi %at_3 : i8 to i32
  %s = tensor.extract_slice %x[0] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_2 = tensor.extract_slice %x[1] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_3 = tensor.extract_slice %x[2] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_4 = tensor.extract_slice %x[64] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_5 = tensor.extract_slice %x[65] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %s_6 = tensor.extract_slice %x[66] [64] [1] : tensor<130xi8> to tensor<64xi8>
  %e = tensor.empty() : tensor<64xi32>
  %e_2 = tensor.empty() : tensor<64xi32>
  %r:2 = linalg.generic #map ins(%s, %s_2, %s_3, %s_4, %s_5, %s_6 : tensor<64xi8>, tensor<64xi8>, tensor<64xi8>, tensor<64xi8>, tensor<64xi8>, tensor<64xi8>)
      outs(%e, %e_2 : tensor<64xi32>, tensor<64xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i8, %d: i8, %g: i8, %h: i8, %o: i32, %o_2: i32):
    %ext_4 = arith.extsi %a : i8 to i32
    %ext_5 = arith.extsi %d : i8 to i32
    %c16 = arith.constant 16 : i32
    %shl = arith.shli %ext_5, %c16 : i32
    %add = arith.addi %ext_4, %shl : i32
    %mul = arith.muli %add, %ext : i32
    %ext_6 = arith.extsi %b : i8 to i32
    %ext_7 = arith.extsi %g : i8 to i32
    %shl_2 = arith.shli %ext_7, %c16 : i32
    %add_2 = arith.addi %ext_6, %shl_2 : i32
    %mul_2 = arith.muli %add_2, %ext_2 : i32
    %ext_8 = arith.extsi %c : i8 to i32
    %ext_9 = arith.extsi %h : i8 to i32
    %shl_3 = arith.shli %ext_9, %c16 : i32
    %add_3 = arith.addi %ext_8, %shl_3 : i32
    %mul_3 = arith.muli %add_3, %ext_3 : i32
    %add_4 = arith.addi %mul, %mul_2 : i32
    %add_5 = arith.addi %add_4, %mul_3 : i32
    %shl_4 = arith.shli %add_5, %c16 : i32
    %sar = arith.shrsi %shl_4, %c16 : i32
    %sub = arith.subi %add_5, %sar : i32
    %sar_2 = arith.shrsi %sub, %c16 : i32
    linalg.yield %sar, %sar_2 : i32, i32
  } -> (tensor<64xi32>, tensor<64xi32>)
  %e_3 = tensor.empty() : tensor<128xi32>
  %p = tensor.insert_slice %r#0 into %e_3[0] [64] [1] : tensor<64xi32> into tensor<128xi32>
  %p_2 = tensor.insert_slice %r#1 into %p[64] [64] [1] : tensor<64xi32> into tensor<128xi32>
  return %p_2 : tensor<128xi32>
}

// Adds the first two products in i16. Shows only where both weights and both values are -128.
func.func @wrong_pairs_i16(%x: tensor<130xi8>, %w: tensor<3xi8>) -> tensor<128xi32> {
  %i0 = arith.constant 0 : index
  %at = tensor.extract %w[%i0] : tensor<3xi8>
  %i1 = arith.constant 1 : index
  %at_2 = tensor.extract %w[%i1] : tensor<3xi8>
  %i2 = arith.constant 2 : index
  %at_3 = tensor.extract %w[%i2] : tensor<3xi8>
  %s = tensor.extract_slice %x[0] [128] [1] : tensor<130xi8> to tensor<128xi8>
  %s_2 = tensor.extract_slice %x[1] [128] [1] : tensor<130xi8> to tensor<128xi8>
  %s_3 = tensor.extract_slice %x[2] [128] [1] : tensor<130xi8> to tensor<128xi8>
  %e = tensor.empty() : tensor<128xi32>
  %r = linalg.generic #map2 ins(%s, %s_2, %s_3 : tensor<128xi8>, tensor<128xi8>, tensor<128xi8>) outs(%e : tensor<128xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i16
    %ext_2 = arith.extsi %at : i8 to i16
    %mul = arith.muli %ext, %ext_2 : i16
    %ext_3 = arith.extsi %b : i8 to i16
    %ext_4 = arith.extsi %at_2 : i8 to i16
    %mul_2 = arith.muli %ext_3, %ext_4 : i16
    %add = arith.addi %mul, %mul_2 : i16
    %ext_5 = arith.extsi %add : i16 to i32
    %ext_6 = arith.extsi %c : i8 to i32
    %ext_7 = arith.extsi %at_3 : i8 to i32
    %mul_3 = arith.muli %ext_6, %ext_7 : i32
    %add_2 = arith.addi %ext_5, %mul_3 : i32
    linalg.yield %add_2 : i32
  } -> tensor<128xi32>
  return %r : tensor<128xi32>
}
