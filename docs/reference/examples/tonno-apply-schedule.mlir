// tonno-opt --tonno-apply-schedule
module attributes {transform.with_named_sequence} {
  func.func @f(%a: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32>
      attributes {tonno.schedule = @__transform_main} {
    %r = linalg.exp ins(%a : tensor<32x32xf32>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
    return %r : tensor<32x32xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %e = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %e tile_sizes [8, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
