// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-kernel-buffers | FileCheck %s

// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %[[A:.+]]: memref<4x8xf32>, %[[S:.+]]: memref<f32>,
// CHECK-SAME:    %[[OUT:.+]]: memref<4x8xf32>)
// CHECK-SAME:    tonno.buffers = [{alignment = 16 : i64, type = memref<4x8xf32>}, {alignment = 16 : i64, type = memref<f32>}, {alignment = 64 : i64, type = memref<4x8xf32>}]
func.func @add(%a: tensor<4x8xf32>, %s: f32) -> tensor<4x8xf32> {
  // CHECK-DAG: %[[TENSOR:.+]] = bufferization.to_tensor %[[A]] restrict :
  // CHECK-DAG: %[[SCALAR:.+]] = memref.load %[[S]][]
  // CHECK:     %[[FILLED:.+]] = linalg.fill ins(%[[SCALAR]]
  // CHECK:     %[[SUM:.+]] = linalg.add ins(%[[TENSOR]], %[[FILLED]]
  // CHECK:     bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[OUT]]
  // CHECK:     return{{$}}
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.add ins(%a, %f : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// An argument is read only: where an op would write into it, it is copied.
// CHECK-LABEL: func.func @accumulate(
func.func @accumulate(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[C:.+]] = bufferization.to_tensor %arg2 restrict :
  // CHECK: %[[EMPTY:.+]] = tensor.empty()
  // CHECK: %[[COPY:.+]] = bufferization.materialize_in_destination %[[C]] in %[[EMPTY]]
  // CHECK: linalg.matmul {{.*}} outs(%[[COPY]]
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// Two results of one op are begun with tensors of their own.
// CHECK-LABEL: func.func @moments(
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @moments(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[FIRST:.+]] = linalg.fill
  // CHECK: %[[EMPTY:.+]] = tensor.empty()
  // CHECK: %[[SECOND:.+]] = linalg.fill {{.*}} outs(%[[EMPTY]] :
  // CHECK: linalg.generic {{.*}} outs(%[[FIRST]], %[[SECOND]] :
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f, %f : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %m: f32, %n: f32):
    %t = arith.addf %a, %m : f32
    %u = arith.maximumf %a, %n : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What a loop hands on goes back to where it came from, if it is new.
// CHECK-LABEL: func.func @carried(
func.func @carried(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: scf.for {{.*}} iter_args(%[[X:[a-z0-9_]+]] = {{.*}}, %[[Y:[a-z0-9_]+]] =
  // CHECK:   %[[NEW:.+]] = linalg.exp ins(%[[X]]
  // CHECK:   %[[OLD:.+]] = linalg.add {{.*}} outs(%[[Y]]
  // CHECK:   %[[BACK:.+]] = bufferization.materialize_in_destination %[[NEW]] in %[[X]]
  // CHECK:   scf.yield %[[BACK]], %[[OLD]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %a) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %n = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %o = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n, %o : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// What is read after another is computed over it is written back, too.
// CHECK-LABEL: func.func @read_later(
func.func @read_later(%s: tensor<8x4xf32>, %a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: scf.for {{.*}} iter_args(%[[M:[a-z0-9_]+]] = {{.*}}, %[[D:[a-z0-9_]+]] =
  // CHECK:   %[[NEW:.+]] = linalg.reduce {{.*}} outs(%[[M]] :
  // CHECK:   %[[STEP:.+]] = linalg.sub ins(%[[M]], %[[NEW]] {{.*}} outs(%[[D]] :
  // CHECK:   %[[BACK:.+]] = bufferization.materialize_in_destination %[[NEW]] in %[[M]]
  // CHECK:   scf.yield %[[BACK]], %[[STEP]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %a, %d = %a) -> (tensor<8xf32>, tensor<8xf32>) {
    %n = linalg.reduce { arith.maximumf } ins(%s : tensor<8x4xf32>) outs(%m : tensor<8xf32>) dimensions = [1]
    %o = linalg.sub ins(%m, %n : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n, %o : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// What changes places is copied before the first of them is written to.
// CHECK-LABEL: func.func @swapped(
func.func @swapped(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: scf.for {{.*}} iter_args(%[[X:[a-z0-9_]+]] = {{.*}}, %[[Y:[a-z0-9_]+]] =
  // CHECK-NEXT: %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[X]])
  // CHECK-NEXT: %[[FIRST:.+]] = bufferization.materialize_in_destination %[[Y]] in %[[X]]
  // CHECK-NEXT: %[[SECOND:.+]] = bufferization.materialize_in_destination %[[COPY]] in %[[Y]]
  // CHECK-NEXT: scf.yield %[[FIRST]], %[[SECOND]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    scf.yield %y, %x : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A loop that reads what it began with as it goes begins with a copy.
// CHECK-LABEL: func.func @nested(
func.func @nested(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: scf.for {{.*}} iter_args(%[[X:[a-z0-9_]+]] =
  // CHECK:   %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[X]])
  // CHECK:   %[[INNER:.+]] = scf.for {{.*}} iter_args(%[[Y:[a-z0-9_]+]] = %[[COPY]])
  // CHECK:     linalg.mul ins(%[[X]], %[[X]] {{.*}} outs(%[[Y]] :
  // CHECK:   bufferization.materialize_in_destination %[[INNER]] in %[[X]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (tensor<8xf32>) {
    %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%y = %x) -> (tensor<8xf32>) {
      %n = linalg.mul ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %n : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// What branches yield is written back there, so that one that changes nothing
// writes nothing.
// CHECK-LABEL: func.func @branches(
func.func @branches(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: scf.for {{.*}} iter_args(%[[X:[a-z0-9_]+]] = {{.*}}, %[[Y:[a-z0-9_]+]] =
  // CHECK:   %[[NEXT:.+]]:2 = scf.if
  // CHECK:     %[[SUM:.+]] = linalg.add ins(%[[X]], %[[X]]
  // CHECK:     %[[BACK:.+]] = bufferization.materialize_in_destination %[[SUM]] in %[[X]]
  // CHECK:     scf.yield %[[BACK]], %[[Y]]
  // CHECK:     %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[X]])
  // CHECK:     %[[FIRST:.+]] = bufferization.materialize_in_destination %[[Y]] in %[[X]]
  // CHECK:     %[[SECOND:.+]] = bufferization.materialize_in_destination %[[COPY]] in %[[Y]]
  // CHECK:     scf.yield %[[FIRST]], %[[SECOND]]
  // CHECK:   scf.yield %[[NEXT]]#0, %[[NEXT]]#1
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %n:2 = scf.if %c -> (tensor<8xf32>, tensor<8xf32>) {
      %s = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %s, %y : tensor<8xf32>, tensor<8xf32>
    } else {
      scf.yield %y, %x : tensor<8xf32>, tensor<8xf32>
    }
    scf.yield %n#0, %n#1 : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// After them, where it is read again.
// CHECK-LABEL: func.func @read_after_branches(
func.func @read_after_branches(%a: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  // CHECK: scf.for {{.*}} iter_args(%[[X:[a-z0-9_]+]] =
  // CHECK:   %[[NEXT:.+]] = scf.if
  // CHECK-NOT: materialize
  // CHECK:   linalg.sub
  // CHECK:   %[[BACK:.+]] = bufferization.materialize_in_destination %[[NEXT]] in %[[X]]
  // CHECK:   scf.yield %[[BACK]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %a) -> (tensor<8xf32>, tensor<8xf32>) {
    %n = scf.if %c -> tensor<8xf32> {
      %s = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %s : tensor<8xf32>
    } else {
      scf.yield %x : tensor<8xf32>
    }
    %s = linalg.sub ins(%n, %x : tensor<8xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n, %s : tensor<8xf32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// Both blocks of an scf.while hand on.
// CHECK-LABEL: func.func @until(
func.func @until(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: scf.while (%[[X:.+]] = %{{.+}}, %{{.+}} = %
  // CHECK:   scf.condition(%{{.+}}) %[[X]],
  // CHECK: ^bb0(%[[Y:.+]]: tensor<8xf32>,
  // CHECK:   %[[NEW:.+]] = linalg.exp ins(%[[Y]]
  // CHECK:   %[[BACK:.+]] = bufferization.materialize_in_destination %[[NEW]] in %[[Y]]
  // CHECK:   scf.yield %[[BACK]],
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.while (%x = %a, %i = %c0) : (tensor<8xf32>, index) -> (tensor<8xf32>, index) {
    %c = arith.cmpi slt, %i, %c4 : index
    scf.condition(%c) %x, %i : tensor<8xf32>, index
  } do {
  ^bb0(%y: tensor<8xf32>, %i: index):
    %e = tensor.empty() : tensor<8xf32>
    %n = linalg.exp ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %n, %j : tensor<8xf32>, index
  }
  return %r#0 : tensor<8xf32>
}

// -----

// A tensor gets one position in both blocks, and one that is new to the loop
// what it begins with.
// CHECK-LABEL: func.func @positions(
func.func @positions(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  // CHECK: %[[EMPTY:.+]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[R:.+]]:3 = scf.while (%[[I:.+]] = %{{.+}}, %[[X:.+]] = %{{.+}}, %[[P:.+]] = %[[EMPTY]]) :
  // CHECK-SAME: (index, tensor<8xf32>, tensor<4xf32>) -> (index, tensor<8xf32>, tensor<4xf32>)
  // CHECK:   %[[BACK:.+]] = bufferization.materialize_in_destination %{{.+}} in %[[P]]
  // CHECK:   scf.condition(%{{.+}}) %[[I]], %[[X]], %[[BACK]] :
  // CHECK: ^bb0(%{{.+}}: index, %[[Y:.+]]: tensor<8xf32>, %[[Q:.+]]: tensor<4xf32>):
  // CHECK:   %[[NEW:.+]] = linalg.exp ins(%[[Y]]
  // CHECK:   %[[BACK:.+]] = bufferization.materialize_in_destination %[[NEW]] in %[[Y]]
  // CHECK:   scf.yield %{{.+}}, %[[BACK]], %[[Q]] :
  // CHECK: materialize_in_destination %[[R]]#1 in
  // CHECK: materialize_in_destination %[[R]]#2 in
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:3 = scf.while (%i = %c0, %x = %a) : (index, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>, index) {
    %c = arith.cmpi slt, %i, %c4 : index
    %s = tensor.extract_slice %x[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %p = linalg.exp ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.condition(%c) %p, %x, %i : tensor<4xf32>, tensor<8xf32>, index
  } do {
  ^bb0(%p: tensor<4xf32>, %y: tensor<8xf32>, %i: index):
    %e = tensor.empty() : tensor<8xf32>
    %n = linalg.exp ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %n : index, tensor<8xf32>
  }
  return %r#1, %r#0 : tensor<8xf32>, tensor<4xf32>
}

// -----

// Memrefs stay as they are, beside scalars. An argument's alignment is the stated
// one, else the default of its type.
// CHECK-LABEL: func.func @mixed(
// CHECK-SAME:    %[[A:.+]]: memref<4x8xf32, strided<[16, 1]>>, %{{.+}}: memref<8xf32>, %[[C:.+]]: memref<i1>, %[[OUT:.+]]: memref<i32>)
// CHECK-SAME:    {alignment = 8 : i64, type = memref<4x8xf32, strided<[16, 1]>>}, {alignment = 64 : i64, type = memref<8xf32>}, {alignment = 16 : i64, type = memref<i1>}, {alignment = 64 : i64, type = memref<i32>}
func.func @mixed(%a: memref<4x8xf32, strided<[16, 1]>> {tonno.alignment = 8 : i64}, %b: memref<8xf32>, %c: i1) -> i32 {
  %f = arith.constant 0.0 : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: linalg.fill {{.*}} outs(%[[A]] :
  linalg.fill ins(%f : f32) outs(%a : memref<4x8xf32, strided<[16, 1]>>)
  cf.cond_br %c, ^one, ^zero
^one:
  // CHECK: memref.store %c1_i32, %[[OUT]]
  // CHECK-NEXT: return{{$}}
  return %one : i32
^zero:
  // CHECK: memref.store %c0_i32, %[[OUT]]
  // CHECK-NEXT: return{{$}}
  return %zero : i32
}

// -----

// expected-error @+1 {{kernel 'dynamic' takes or returns 'tensor<?xf32>': only tensors and memrefs of static shape and scalars have a buffer}}
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

// -----

// expected-error @+1 {{takes or returns 'memref<4xf32, strided<[1], offset: 4>>': offsets are not supported; remove the offset, and pass a pointer to the first element}}
func.func @offset(%a: memref<4xf32, strided<[1], offset: 4>>) {
  return
}

// -----

// expected-error @+1 {{dynamic strides are not supported; state them, as in strided<[128, 1]>}}
func.func @stride(%a: memref<4x4xf32, strided<[?, 1]>>) {
  return
}

// -----

// expected-error @+1 {{negative strides are not supported; reverse the buffer inside the kernel}}
func.func @backwards(%a: memref<4xf32, strided<[-1]>>) {
  return
}

// -----

// expected-error @+1 {{the layout has no strides; use strided<[...]>}}
func.func @layout(%a: memref<4xf32, affine_map<(i) -> (i mod 2)>>) {
  return
}

// -----

// expected-error @+1 {{memory spaces are not supported; remove the memory space}}
func.func @space(%a: memref<4xf32, 3>) {
  return
}

// -----

// expected-error @+1 {{kernel 'result' returns 'memref<4xf32>'; take it as an argument and write into it}}
func.func @result(%a: memref<4xf32>) -> memref<4xf32> {
  return %a : memref<4xf32>
}

// -----

// Only public functions are kernels.
// CHECK-LABEL: func.func private @helper(
// CHECK-SAME:    %{{.+}}: tensor<4xf32>) -> tensor<4xf32>
func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// Two results are computed in memory of their own: a fill is repeated, and
// what one is computed over is copied for it.
// CHECK-LABEL: func.func @filled_once(
func.func @filled_once(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[FIRST:.+]] = linalg.fill
  // CHECK: linalg.matmul {{.*}} outs(%[[FIRST]] :
  // CHECK: %[[EMPTY:.+]] = tensor.empty()
  // CHECK: %[[SECOND:.+]] = linalg.fill {{.*}} outs(%[[EMPTY]] :
  // CHECK: linalg.matmul {{.*}} outs(%[[SECOND]] :
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.matmul ins(%a, %c : tensor<4x8xf32>, tensor<8x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @over_another(
func.func @over_another(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[TANH:.+]] = linalg.tanh
  // CHECK: %[[EMPTY:.+]] = tensor.empty()
  // CHECK: %[[COPY:.+]] = bufferization.materialize_in_destination %[[TANH]] in %[[EMPTY]]
  // CHECK: %[[SUM:.+]] = linalg.add ins({{.*}}, %[[TANH]] : {{.*}}) outs(%[[COPY]] :
  // CHECK-DAG: bufferization.materialize_in_destination %[[SUM]] in restrict writable %arg1
  // CHECK-DAG: bufferization.materialize_in_destination %[[TANH]] in restrict writable %arg2
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.tanh ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.add ins(%x, %a : tensor<8xf32>, tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

// Of different tensors, branches hand on copies, of which none is another's.
// CHECK-LABEL: func.func @either(
func.func @either(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  // CHECK: %[[X:.+]] = bufferization.to_tensor %arg0
  // CHECK: %[[TANH:.+]] = linalg.tanh
  // CHECK: scf.if
  // CHECK:   %[[FIRST:.+]] = bufferization.alloc_tensor() copy(%[[TANH]])
  // CHECK:   scf.yield %[[FIRST]]
  // CHECK:   %[[SECOND:.+]] = bufferization.alloc_tensor() copy(%[[X]])
  // CHECK:   scf.yield %[[SECOND]]
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.tanh ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    scf.yield %a : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  %s = linalg.add ins(%r, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// Upstream would give a map that reads what it writes a buffer without it.
// CHECK-LABEL: func.func @map(
func.func @map(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[COPY:.+]] = bufferization.materialize_in_destination
  // CHECK: linalg.generic {{.*}} outs(%[[COPY]] : {{.*}} attrs = {tonno.lowering_config = {workgroup = [4]}}
  // CHECK: linalg.map
  %a = linalg.map ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {tonno.lowering_config = {workgroup = [4]}} (%in: f32, %out: f32) {
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  %e = tensor.empty() : tensor<8xf32>
  %b = linalg.map { arith.mulf } ins(%a, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %b : tensor<8xf32>
}

// -----

// A constant of one number that is written over or copied is a fill; one that
// is read is not.
// CHECK-LABEL: func.func @constants(
func.func @constants(%a: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<8x8xf32>) {
  // CHECK-NOT: dense<1.0
  // CHECK:     %[[ONES:.+]] = linalg.fill
  // CHECK:     %[[SUM:.+]] = linalg.matmul ins(%{{.+}}, %[[TWOS:.+]] : {{.*}} outs(%[[ONES]] :
  // CHECK:     %[[THREES:.+]] = linalg.fill
  // CHECK:     tensor.concat dim(0) %[[SUM]], %[[THREES]]
  // CHECK:     %[[FOURS:.+]] = linalg.fill
  // CHECK:     materialize_in_destination %[[FOURS]]
  %ones = arith.constant dense<1.0> : tensor<8x8xf32>
  %twos = arith.constant dense<2.0> : tensor<8x8xf32>
  %threes = arith.constant dense<3.0> : tensor<8x8xf32>
  %fours = arith.constant dense<4.0> : tensor<8x8xf32>
  %s = linalg.matmul ins(%a, %twos : tensor<8x8xf32>, tensor<8x8xf32>) outs(%ones : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = tensor.concat dim(0) %s, %threes : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %r, %fours : tensor<16x8xf32>, tensor<8x8xf32>
}
