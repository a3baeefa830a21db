// Rows of a table, whose numbers are clamped. Nothing says what they are.

#ids = affine_map<(i, j) -> (i)>
#rows = affine_map<(i, j) -> (i, j)>

func.func @kernel(%table: tensor<100x8xf32>, %ids: tensor<160xi32>) -> tensor<160x8xf32> {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %e = tensor.empty() : tensor<160x8xf32>
  %r = linalg.generic {indexing_maps = [#ids, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%ids : tensor<160xi32>) outs(%e : tensor<160x8xf32>) {
  ^bb0(%id: i32, %o: f32):
    %i = arith.index_cast %id : i32 to index
    %low = arith.maxsi %i, %c0 : index
    %row = arith.minsi %low, %c99 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%row, %j] : tensor<100x8xf32>
    linalg.yield %v : f32
  } -> tensor<160x8xf32>
  return %r : tensor<160x8xf32>
}

// The upper bound first.
func.func @right_order(%table: tensor<100x8xf32>, %ids: tensor<160xi32>) -> tensor<160x8xf32> {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %e = tensor.empty() : tensor<160x8xf32>
  %r = linalg.generic {indexing_maps = [#ids, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%ids : tensor<160xi32>) outs(%e : tensor<160x8xf32>) {
  ^bb0(%id: i32, %o: f32):
    %i = arith.index_cast %id : i32 to index
    %high = arith.minsi %i, %c99 : index
    %row = arith.maxsi %high, %c0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%row, %j] : tensor<100x8xf32>
    linalg.yield %v : f32
  } -> tensor<160x8xf32>
  return %r : tensor<160x8xf32>
}

// The last row is never read.
func.func @wrong_last(%table: tensor<100x8xf32>, %ids: tensor<160xi32>) -> tensor<160x8xf32> {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %e = tensor.empty() : tensor<160x8xf32>
  %r = linalg.generic {indexing_maps = [#ids, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%ids : tensor<160xi32>) outs(%e : tensor<160x8xf32>) {
  ^bb0(%id: i32, %o: f32):
    %i = arith.index_cast %id : i32 to index
    %c98 = arith.constant 98 : index
    %low = arith.maxsi %i, %c0 : index
    %row = arith.minsi %low, %c98 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%row, %j] : tensor<100x8xf32>
    linalg.yield %v : f32
  } -> tensor<160x8xf32>
  return %r : tensor<160x8xf32>
}

// Negative numbers are large ones without sign.
func.func @wrong_unsigned(%table: tensor<100x8xf32>, %ids: tensor<160xi32>) -> tensor<160x8xf32> {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %e = tensor.empty() : tensor<160x8xf32>
  %r = linalg.generic {indexing_maps = [#ids, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%ids : tensor<160xi32>) outs(%e : tensor<160x8xf32>) {
  ^bb0(%id: i32, %o: f32):
    %i = arith.index_cast %id : i32 to index
    %row = arith.minui %i, %c99 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%row, %j] : tensor<100x8xf32>
    linalg.yield %v : f32
  } -> tensor<160x8xf32>
  return %r : tensor<160x8xf32>
}

// Not clamped from above.
func.func @wrong_open(%table: tensor<100x8xf32>, %ids: tensor<160xi32>) -> tensor<160x8xf32> {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %e = tensor.empty() : tensor<160x8xf32>
  %r = linalg.generic {indexing_maps = [#ids, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%ids : tensor<160xi32>) outs(%e : tensor<160x8xf32>) {
  ^bb0(%id: i32, %o: f32):
    %i = arith.index_cast %id : i32 to index
    %row = arith.maxsi %i, %c0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%row, %j] : tensor<100x8xf32>
    linalg.yield %v : f32
  } -> tensor<160x8xf32>
  return %r : tensor<160x8xf32>
}

// Not clamped from below.
func.func @wrong_open_below(%table: tensor<100x8xf32>, %ids: tensor<160xi32>) -> tensor<160x8xf32> {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %e = tensor.empty() : tensor<160x8xf32>
  %r = linalg.generic {indexing_maps = [#ids, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%ids : tensor<160xi32>) outs(%e : tensor<160x8xf32>) {
  ^bb0(%id: i32, %o: f32):
    %i = arith.index_cast %id : i32 to index
    %row = arith.minsi %i, %c99 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%row, %j] : tensor<100x8xf32>
    linalg.yield %v : f32
  } -> tensor<160x8xf32>
  return %r : tensor<160x8xf32>
}
