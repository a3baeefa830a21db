// Convolution of an i8 signal with three i8 taps, in i32,
// which Winograd does with fewer products: y[i] = sum over j of x[i + j] * w[j].

#sum = {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}
#map = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
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

// Winograd F(2, 3) with doubled weights, transforms in i16, products in i32.
func.func @right_winograd(%x: tensor<130xi8>, %w: tensor<3xi8>) -> tensor<128xi32> {
  %i0 = arith.constant 0 : index
  %at = tensor.extract %w[%i0] : tensor<3xi8>
  %i1 = arith.constant 1 : index
  %at_2 = tensor.extract %w[%i1] : tensor<3xi8>
  %i2 = arith.constant 2 : index
  %at_3 = tensor.extract %w[%i2] : tensor<3xi8>
  %ext = arith.extsi %at : i8 to i16
  %ext_2 = arith.extsi %at_2 : i8 to i16
  %ext_3 = arith.extsi %at_3 : i8 to i16
  %add = arith.addi %ext, %ext : i16
  %add_2 = arith.addi %ext, %ext_2 : i16
  %add_3 = arith.addi %add_2, %ext_3 : i16
  %sub = arith.subi %ext, %ext_2 : i16
  %add_4 = arith.addi %sub, %ext_3 : i16
  %add_5 = arith.addi %ext_3, %ext_3 : i16
  %s = tensor.extract_slice %x[0] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %s_2 = tensor.extract_slice %x[1] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %s_3 = tensor.extract_slice %x[2] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %s_4 = tensor.extract_slice %x[3] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %e = tensor.empty() : tensor<64xi32>
  %e_2 = tensor.empty() : tensor<64xi32>
  %r:2 = linalg.generic #map ins(%s, %s_2, %s_3, %s_4 : tensor<64xi8>, tensor<64xi8>, tensor<64xi8>, tensor<64xi8>)
      outs(%e, %e_2 : tensor<64xi32>, tensor<64xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i8, %d: i8, %o: i32, %o_2: i32):
    %ext_4 = arith.extsi %b : i8 to i16
    %ext_5 = arith.extsi %c : i8 to i16
    %add_6 = arith.addi %ext_4, %ext_5 : i16
    %ext_6 = arith.extsi %add_6 : i16 to i32
    %ext_7 = arith.extsi %add_3 : i16 to i32
    %mul = arith.muli %ext_6, %ext_7 : i32
    %sub_2 = arith.subi %ext_5, %ext_4 : i16
    %ext_8 = arith.extsi %sub_2 : i16 to i32
    %ext_9 = arith.extsi %add_4 : i16 to i32
    %mul_2 = arith.muli %ext_8, %ext_9 : i32
    %ext_10 = arith.extsi %a : i8 to i16
    %sub_3 = arith.subi %ext_10, %ext_5 : i16
    %ext_11 = arith.extsi %sub_3 : i16 to i32
    %ext_12 = arith.extsi %add : i16 to i32
    %mul_3 = arith.muli %ext_11, %ext_12 : i32
    %add_7 = arith.addi %mul_3, %mul : i32
    %add_8 = arith.addi %add_7, %mul_2 : i32
    %c1 = arith.constant 1 : i32
    %sar = arith.shrsi %add_8, %c1 : i32
    %sub_4 = arith.subi %mul, %mul_2 : i32
    %ext_13 = arith.extsi %d : i8 to i16
    %sub_5 = arith.subi %ext_4, %ext_13 : i16
    %ext_14 = arith.extsi %sub_5 : i16 to i32
    %ext_15 = arith.extsi %add_5 : i16 to i32
    %mul_4 = arith.muli %ext_14, %ext_15 : i32
    %sub_6 = arith.subi %sub_4, %mul_4 : i32
    %sar_2 = arith.shrsi %sub_6, %c1 : i32
    linalg.yield %sar, %sar_2 : i32, i32
  } -> (tensor<64xi32>, tensor<64xi32>)
  %e_3 = tensor.empty() : tensor<128xi32>
  %p = tensor.insert_slice %r#0 into %e_3[0] [64] [2] : tensor<64xi32> into tensor<128xi32>
  %p_2 = tensor.insert_slice %r#1 into %p[1] [64] [2] : tensor<64xi32> into tensor<128xi32>
  return %p_2 : tensor<128xi32>
}

// Winograd with the transforms in i8. Shows when |x| passes 63 or |w| passes 42.
func.func @wrong_transforms_i8(%x: tensor<130xi8>, %w: tensor<3xi8>) -> tensor<128xi32> {
  %i0 = arith.constant 0 : index
  %at = tensor.extract %w[%i0] : tensor<3xi8>
  %i1 = arith.constant 1 : index
  %at_2 = tensor.extract %w[%i1] : tensor<3xi8>
  %i2 = arith.constant 2 : index
  %at_3 = tensor.extract %w[%i2] : tensor<3xi8>
  %add = arith.addi %at, %at : i8
  %add_2 = arith.addi %at, %at_2 : i8
  %add_3 = arith.addi %add_2, %at_3 : i8
  %sub = arith.subi %at, %at_2 : i8
  %add_4 = arith.addi %sub, %at_3 : i8
  %add_5 = arith.addi %at_3, %at_3 : i8
  %s = tensor.extract_slice %x[0] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %s_2 = tensor.extract_slice %x[1] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %s_3 = tensor.extract_slice %x[2] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %s_4 = tensor.extract_slice %x[3] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %e = tensor.empty() : tensor<64xi32>
  %e_2 = tensor.empty() : tensor<64xi32>
  %r:2 = linalg.generic #map ins(%s, %s_2, %s_3, %s_4 : tensor<64xi8>, tensor<64xi8>, tensor<64xi8>, tensor<64xi8>)
      outs(%e, %e_2 : tensor<64xi32>, tensor<64xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i8, %d: i8, %o: i32, %o_2: i32):
    %add_6 = arith.addi %b, %c : i8
    %ext = arith.extsi %add_6 : i8 to i32
    %ext_2 = arith.extsi %add_3 : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %sub_2 = arith.subi %c, %b : i8
    %ext_3 = arith.extsi %sub_2 : i8 to i32
    %ext_4 = arith.extsi %add_4 : i8 to i32
    %mul_2 = arith.muli %ext_3, %ext_4 : i32
    %sub_3 = arith.subi %a, %c : i8
    %ext_5 = arith.extsi %sub_3 : i8 to i32
    %ext_6 = arith.extsi %add : i8 to i32
    %mul_3 = arith.muli %ext_5, %ext_6 : i32
    %add_7 = arith.addi %mul_3, %mul : i32
    %add_8 = arith.addi %add_7, %mul_2 : i32
    %c1 = arith.constant 1 : i32
    %sar = arith.shrsi %add_8, %c1 : i32
    %sub_4 = arith.subi %mul, %mul_2 : i32
    %sub_5 = arith.subi %b, %d : i8
    %ext_7 = arith.extsi %sub_5 : i8 to i32
    %ext_8 = arith.extsi %add_5 : i8 to i32
    %mul_4 = arith.muli %ext_7, %ext_8 : i32
    %sub_6 = arith.subi %sub_4, %mul_4 : i32
    %sar_2 = arith.shrsi %sub_6, %c1 : i32
    linalg.yield %sar, %sar_2 : i32, i32
  } -> (tensor<64xi32>, tensor<64xi32>)
  %e_3 = tensor.empty() : tensor<128xi32>
  %p = tensor.insert_slice %r#0 into %e_3[0] [64] [2] : tensor<64xi32> into tensor<128xi32>
  %p_2 = tensor.insert_slice %r#1 into %p[1] [64] [2] : tensor<64xi32> into tensor<128xi32>
  return %p_2 : tensor<128xi32>
}

// Winograd with products in i16. Shows when (x1 + x2) * (w0 + w1 + w2) passes 32767: magnitudes above 73.
func.func @wrong_products_i16(%x: tensor<130xi8>, %w: tensor<3xi8>) -> tensor<128xi32> {
  %i0 = arith.constant 0 : index
  %at = tensor.extract %w[%i0] : tensor<3xi8>
  %i1 = arith.constant 1 : index
  %at_2 = tensor.extract %w[%i1] : tensor<3xi8>
  %i2 = arith.constant 2 : index
  %at_3 = tensor.extract %w[%i2] : tensor<3xi8>
  %ext = arith.extsi %at : i8 to i16
  %ext_2 = arith.extsi %at_2 : i8 to i16
  %ext_3 = arith.extsi %at_3 : i8 to i16
  %add = arith.addi %ext, %ext : i16
  %add_2 = arith.addi %ext, %ext_2 : i16
  %add_3 = arith.addi %add_2, %ext_3 : i16
  %sub = arith.subi %ext, %ext_2 : i16
  %add_4 = arith.addi %sub, %ext_3 : i16
  %add_5 = arith.addi %ext_3, %ext_3 : i16
  %s = tensor.extract_slice %x[0] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %s_2 = tensor.extract_slice %x[1] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %s_3 = tensor.extract_slice %x[2] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %s_4 = tensor.extract_slice %x[3] [64] [2] : tensor<130xi8> to tensor<64xi8>
  %e = tensor.empty() : tensor<64xi32>
  %e_2 = tensor.empty() : tensor<64xi32>
  %r:2 = linalg.generic #map ins(%s, %s_2, %s_3, %s_4 : tensor<64xi8>, tensor<64xi8>, tensor<64xi8>, tensor<64xi8>)
      outs(%e, %e_2 : tensor<64xi32>, tensor<64xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i8, %d: i8, %o: i32, %o_2: i32):
    %ext_4 = arith.extsi %b : i8 to i16
    %ext_5 = arith.extsi %c : i8 to i16
    %add_6 = arith.addi %ext_4, %ext_5 : i16
    %mul = arith.muli %add_6, %add_3 : i16
    %ext_6 = arith.extsi %mul : i16 to i32
    %sub_2 = arith.subi %ext_5, %ext_4 : i16
    %mul_2 = arith.muli %sub_2, %add_4 : i16
    %ext_7 = arith.extsi %mul_2 : i16 to i32
    %ext_8 = arith.extsi %a : i8 to i16
    %sub_3 = arith.subi %ext_8, %ext_5 : i16
    %mul_3 = arith.muli %sub_3, %add : i16
    %ext_9 = arith.extsi %mul_3 : i16 to i32
    %add_7 = arith.addi %ext_9, %ext_6 : i32
    %add_8 = arith.addi %add_7, %ext_7 : i32
    %c1 = arith.constant 1 : i32
    %sar = arith.shrsi %add_8, %c1 : i32
    %sub_4 = arith.subi %ext_6, %ext_7 : i32
    %ext_10 = arith.extsi %d : i8 to i16
    %sub_5 = arith.subi %ext_4, %ext_10 : i16
    %mul_4 = arith.muli %sub_5, %add_5 : i16
    %ext_11 = arith.extsi %mul_4 : i16 to i32
    %sub_6 = arith.subi %sub_4, %ext_11 : i32
    %sar_2 = arith.shrsi %sub_6, %c1 : i32
    linalg.yield %sar, %sar_2 : i32, i32
  } -> (tensor<64xi32>, tensor<64xi32>)
  %e_3 = tensor.empty() : tensor<128xi32>
  %p = tensor.insert_slice %r#0 into %e_3[0] [64] [2] : tensor<64xi32> into tensor<128xi32>
  %p_2 = tensor.insert_slice %r#1 into %p[1] [64] [2] : tensor<64xi32> into tensor<128xi32>
  return %p_2 : tensor<128xi32>
}
