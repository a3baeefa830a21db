#min = affine_map<(d0) -> (8, -d0 + 31)>

func.func @last_tile(%x: tensor<31x67xf32>) -> tensor<31x67xf32> {
  %o = tensor.empty() : tensor<31x67xf32>
  %z = arith.constant 0.0 : f32
  %r = scf.forall (%i) = (0) to (31) step (8) shared_outs(%a = %o) -> tensor<31x67xf32> {
    %m = affine.min #min(%i)
    %s = tensor.extract_slice %x[%i, 0] [%m, 67] [1, 1] : tensor<31x67xf32> to tensor<?x67xf32>
    %e1 = tensor.empty(%m) : tensor<?xf32>
    %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %u = linalg.reduce { arith.addf } ins(%s : tensor<?x67xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    %e = tensor.empty(%m) : tensor<?x67xf32>
    %t = linalg.broadcast ins(%u : tensor<?xf32>) outs(%e : tensor<?x67xf32>) dimensions = [1]
    %v = linalg.sub ins(%s, %t : tensor<?x67xf32>, tensor<?x67xf32>) outs(%e : tensor<?x67xf32>) -> tensor<?x67xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %a[%i, 0] [%m, 67] [1, 1] : tensor<?x67xf32> into tensor<31x67xf32>
    }
  }
  return %r : tensor<31x67xf32>
}

func.func @last_of_loop(%x: tensor<31x67xf32>) -> tensor<31x67xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %o = tensor.empty() : tensor<31x67xf32>
  %r = scf.for %i = %c0 to %c31 step %c8 iter_args(%a = %o) -> tensor<31x67xf32> {
    %left = arith.subi %c31, %i : index
    %m = arith.minsi %c8, %left : index
    %s = tensor.extract_slice %x[%i, 0] [%m, 67] [1, 1] : tensor<31x67xf32> to tensor<?x67xf32>
    %e = tensor.empty(%m) : tensor<?x67xf32>
    %t = linalg.tanh ins(%s : tensor<?x67xf32>) outs(%e : tensor<?x67xf32>) -> tensor<?x67xf32>
    %v = linalg.sub ins(%s, %t : tensor<?x67xf32>, tensor<?x67xf32>) outs(%e : tensor<?x67xf32>) -> tensor<?x67xf32>
    %q = tensor.insert_slice %v into %a[%i, 0] [%m, 67] [1, 1] : tensor<?x67xf32> into tensor<31x67xf32>
    scf.yield %q : tensor<31x67xf32>
  }
  return %r : tensor<31x67xf32>
}
