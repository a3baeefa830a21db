#all = affine_map<(i, j) -> (i, j)>

func.func @accumulate(%w: tensor<31x67xf32>, %x: tensor<31x67xf32>) -> tensor<31x67xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<31x67xf32> {
    %m = linalg.add ins(%w, %a : tensor<31x67xf32>, tensor<31x67xf32>) outs(%a : tensor<31x67xf32>) -> tensor<31x67xf32>
    scf.yield %m : tensor<31x67xf32>
  }
  return %r : tensor<31x67xf32>
}

func.func @new_each_time(%w: tensor<31x67xf32>, %x: tensor<31x67xf32>) -> tensor<31x67xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<31x67xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<31x67xf32> {
    %m = linalg.add ins(%w, %a : tensor<31x67xf32>, tensor<31x67xf32>) outs(%e : tensor<31x67xf32>) -> tensor<31x67xf32>
    scf.yield %m : tensor<31x67xf32>
  }
  return %r : tensor<31x67xf32>
}

func.func @product(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %tenth = arith.constant 0.1 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<32x32xf32> {
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    %m = linalg.matmul ins(%a, %y : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
    %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%m : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
    ^bb0(%v: f32, %o: f32):
      %p = arith.mulf %v, %tenth : f32
      linalg.yield %p : f32
    } -> tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}

func.func @largest(%x: tensor<4x31x67xf32>, %y: tensor<31xf32>) -> (tensor<31xf32>, tensor<31xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %y, %d = %y) -> (tensor<31xf32>, tensor<31xf32>) {
    %s = tensor.extract_slice %x[%i, 0, 0] [1, 31, 67] [1, 1, 1] : tensor<4x31x67xf32> to tensor<31x67xf32>
    %n = linalg.reduce { arith.maximumf } ins(%s : tensor<31x67xf32>) outs(%m : tensor<31xf32>) dimensions = [1]
    %o = linalg.sub ins(%m, %n : tensor<31xf32>, tensor<31xf32>) outs(%d : tensor<31xf32>) -> tensor<31xf32>
    scf.yield %n, %o : tensor<31xf32>, tensor<31xf32>
  }
  return %r#0, %r#1 : tensor<31xf32>, tensor<31xf32>
}

func.func @ping_pong(%x: tensor<34x34xf32>, %y: tensor<34x34xf32>) -> tensor<34x34xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %r:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<34x34xf32>, tensor<34x34xf32>) {
    %g = linalg.tanh ins(%a : tensor<34x34xf32>) outs(%b : tensor<34x34xf32>) -> tensor<34x34xf32>
    scf.yield %g, %a : tensor<34x34xf32>, tensor<34x34xf32>
  }
  return %r#0 : tensor<34x34xf32>
}

func.func @until(%x: tensor<32x33xf32>) -> tensor<32x33xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<32x33xf32>
  %r:2 = scf.while (%a = %x, %i = %c0) : (tensor<32x33xf32>, index) -> (tensor<32x33xf32>, index) {
    %c = arith.cmpi slt, %i, %c5 : index
    scf.condition(%c) %a, %i : tensor<32x33xf32>, index
  } do {
  ^bb0(%a: tensor<32x33xf32>, %i: index):
    %n = linalg.tanh ins(%a : tensor<32x33xf32>) outs(%e : tensor<32x33xf32>) -> tensor<32x33xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %n, %j : tensor<32x33xf32>, index
  }
  return %r#0 : tensor<32x33xf32>
}

func.func @branches(%x: tensor<31x67xf32>, %y: tensor<31x67xf32>) -> tensor<31x67xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<31x67xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> tensor<31x67xf32> {
    %m = arith.remui %i, %c2 : index
    %c = arith.cmpi eq, %m, %c0 : index
    %n = scf.if %c -> tensor<31x67xf32> {
      %s = linalg.add ins(%a, %y : tensor<31x67xf32>, tensor<31x67xf32>) outs(%e : tensor<31x67xf32>) -> tensor<31x67xf32>
      scf.yield %s : tensor<31x67xf32>
    } else {
      %s = linalg.sub ins(%a, %y : tensor<31x67xf32>, tensor<31x67xf32>) outs(%e : tensor<31x67xf32>) -> tensor<31x67xf32>
      scf.yield %s : tensor<31x67xf32>
    }
    scf.yield %n : tensor<31x67xf32>
  }
  return %r : tensor<31x67xf32>
}

func.func @swapped_in_one_branch(%x: tensor<31x67xf32>, %y: tensor<31x67xf32>) -> (tensor<31x67xf32>, tensor<31x67xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<31x67xf32>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<31x67xf32>, tensor<31x67xf32>) {
    %m = arith.remui %i, %c2 : index
    %c = arith.cmpi eq, %m, %c0 : index
    %n:2 = scf.if %c -> (tensor<31x67xf32>, tensor<31x67xf32>) {
      %s = linalg.add ins(%a, %b : tensor<31x67xf32>, tensor<31x67xf32>) outs(%e : tensor<31x67xf32>) -> tensor<31x67xf32>
      scf.yield %b, %s : tensor<31x67xf32>, tensor<31x67xf32>
    } else {
      scf.yield %b, %a : tensor<31x67xf32>, tensor<31x67xf32>
    }
    scf.yield %n#0, %n#1 : tensor<31x67xf32>, tensor<31x67xf32>
  }
  return %r#0, %r#1 : tensor<31x67xf32>, tensor<31x67xf32>
}

func.func @reordered(%x: tensor<34x34xf32>, %y: tensor<34x34xf32>) -> tensor<34x34xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<34x34xf32>
  %r:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<34x34xf32>) -> (tensor<34x34xf32>, index) {
    %c = arith.cmpi slt, %i, %c6 : index
    scf.condition(%c) %a, %i : tensor<34x34xf32>, index
  } do {
  ^bb0(%a: tensor<34x34xf32>, %i: index):
    %n = linalg.add ins(%a, %y : tensor<34x34xf32>, tensor<34x34xf32>) outs(%e : tensor<34x34xf32>) -> tensor<34x34xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %n : index, tensor<34x34xf32>
  }
  return %r#0 : tensor<34x34xf32>
}

func.func @fewer(%x: tensor<34x34xf32>, %y: tensor<34x34xf32>) -> tensor<34x34xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<34x34xf32>
  %r:2 = scf.while (%i = %c0, %a = %x, %b = %y) : (index, tensor<34x34xf32>, tensor<34x34xf32>) -> (index, tensor<34x34xf32>) {
    %c = arith.cmpi slt, %i, %c6 : index
    %n = linalg.add ins(%a, %b : tensor<34x34xf32>, tensor<34x34xf32>) outs(%e : tensor<34x34xf32>) -> tensor<34x34xf32>
    scf.condition(%c) %i, %n : index, tensor<34x34xf32>
  } do {
  ^bb0(%i: index, %a: tensor<34x34xf32>):
    %n = linalg.add ins(%a, %y : tensor<34x34xf32>, tensor<34x34xf32>) outs(%e : tensor<34x34xf32>) -> tensor<34x34xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %n, %a : index, tensor<34x34xf32>, tensor<34x34xf32>
  }
  return %r#1 : tensor<34x34xf32>
}

func.func @new_to_the_loop(%x: tensor<34x34xf32>, %y: tensor<34xf32>) -> (tensor<34x34xf32>, tensor<34xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<34xf32>
  %r:3 = scf.while (%i = %c0, %a = %x) : (index, tensor<34x34xf32>) -> (index, tensor<34xf32>, tensor<34x34xf32>) {
    %c = arith.cmpi slt, %i, %c6 : index
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<34xf32>) -> tensor<34xf32>
    %n = linalg.reduce { arith.addf } ins(%a : tensor<34x34xf32>) outs(%f : tensor<34xf32>) dimensions = [1]
    scf.condition(%c) %i, %n, %a : index, tensor<34xf32>, tensor<34x34xf32>
  } do {
  ^bb0(%i: index, %s: tensor<34xf32>, %a: tensor<34x34xf32>):
    %t = linalg.add ins(%s, %y : tensor<34xf32>, tensor<34xf32>) outs(%e : tensor<34xf32>) -> tensor<34xf32>
    %n = linalg.broadcast ins(%t : tensor<34xf32>) outs(%a : tensor<34x34xf32>) dimensions = [1]
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %n : index, tensor<34x34xf32>
  }
  return %r#2, %r#1 : tensor<34x34xf32>, tensor<34xf32>
}
