// expect: refused "a kernel has no state between launches"
// As torch-mlir lowers a buffer that the module changes: it outlives a call.
module {
  ml_program.global private mutable @calls(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<i64>) {
    %c1_i64 = arith.constant 1 : i64
    %0 = ml_program.global_load @calls : tensor<i64>
    %extracted = tensor.extract %0[] : tensor<i64>
    %1 = arith.addi %extracted, %c1_i64 : i64
    %inserted = tensor.insert %1 into %0[] : tensor<i64>
    ml_program.global_store @calls = %inserted : tensor<i64>
    %2 = tensor.empty() : tensor<16x16xf32>
    %3 = linalg.exp ins(%arg0 : tensor<16x16xf32>) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
    return %3, %inserted : tensor<16x16xf32>, tensor<i64>
  }
}
