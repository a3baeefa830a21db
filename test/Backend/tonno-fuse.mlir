// RUN: tonno-opt %s --split-input-file --tonno-fuse --canonicalize --cse | FileCheck %s

// Rows of all that the last op uses, and in between the memory of a tile. 10
// rows by 4 leave 2.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.+]]: tensor<10x64xf32>
// CHECK-NOT: linalg.{{.*}}tensor<10
// CHECK: scf.for
// CHECK:   %[[TILE:.+]] = tensor.extract_slice %[[X]][%{{.*}}, 0] [4, 64] [1, 1]
// CHECK:   %[[ZEROS:.+]] = linalg.fill {{.*}} -> tensor<4xf32>
// CHECK:   %[[SUM:.+]] = linalg.reduce { arith.addf } ins(%[[TILE]] : tensor<4x64xf32>) outs(%[[ZEROS]] : tensor<4xf32>)
// CHECK-SAME: tonno.lowering_config = {subgroup = [4, 16]}
// CHECK:   linalg.generic {{.*}} ins(%[[TILE]], %[[SUM]] : tensor<4x64xf32>, tensor<4xf32>)
// CHECK-SAME: tonno.lowering_config = {workgroup = [1, 16]}
// CHECK-NOT: linalg.{{.*}}tensor<10
// CHECK: linalg.reduce { arith.addf } ins({{.*}} : tensor<2x64xf32>)
// CHECK-NOT: linalg.{{.*}}tensor<10
// CHECK: linalg.generic {{.*}} : tensor<2x64xf32>, tensor<2xf32>)
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @rows(%x: tensor<10x64xf32>) -> tensor<10x64xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<10xf32>
  %empty = tensor.empty() : tensor<10x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<10xf32>) -> tensor<10xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<10x64xf32>) outs(%zeros : tensor<10xf32>) dimensions = [1] {tonno.lowering_config = {subgroup = [4, 16]}}
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<10x64xf32>, tensor<10xf32>) outs(%empty : tensor<10x64xf32>)
      attrs = {tonno.lowering_config = {fuse = [4, 0], workgroup = [1, 16]}} {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %d = arith.divf %a, %s : f32
    linalg.yield %d : f32
  } -> tensor<10x64xf32>
  return %r : tensor<10x64xf32>
}

// -----

// What has two users among them is computed once.
// CHECK-LABEL: func.func @shared(
// CHECK: scf.for
// CHECK: linalg.exp
// CHECK-NOT: linalg.exp
// CHECK: linalg.reduce
// CHECK: linalg.div
// CHECK-NOT: linalg.exp
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @shared(%x: tensor<8x64xf32>, %zeros: tensor<8xf32>) -> tensor<8x64xf32> {
  %empty = tensor.empty() : tensor<8x64xf32>
  %e = linalg.exp ins(%x : tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  %sum = linalg.reduce { arith.addf } ins(%e : tensor<8x64xf32>) outs(%zeros : tensor<8xf32>) dimensions = [1]
  %wide = linalg.broadcast ins(%sum : tensor<8xf32>) outs(%empty : tensor<8x64xf32>) dimensions = [1]
  %r = linalg.div {tonno.lowering_config = {fuse = [2, 0]}} ins(%e, %wide : tensor<8x64xf32>, tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

// What every tile needs, and what others use, is computed before.
// CHECK-LABEL: func.func @apart(
// CHECK: linalg.reduce { arith.addf } ins({{.*}} : tensor<8x64xf32>)
// CHECK: linalg.exp ins({{.*}} : tensor<8x64xf32>)
// CHECK: scf.for
// CHECK-NOT: linalg.reduce
// CHECK-NOT: linalg.exp
// CHECK: linalg.generic {{.*}} : tensor<2x64xf32>, tensor<64xf32>)
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @apart(%x: tensor<8x64xf32>, %zeros: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %empty = tensor.empty() : tensor<8x64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf32>) outs(%zeros : tensor<64xf32>) dimensions = [0]
  %e = linalg.exp ins(%x : tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<8x64xf32>, tensor<64xf32>) outs(%empty : tensor<8x64xf32>)
      attrs = {tonno.lowering_config = {fuse = [2, 0]}} {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %d = arith.divf %a, %s : f32
    linalg.yield %d : f32
  } -> tensor<8x64xf32>
  return %r, %e : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// Threads share the rows; each goes by tiles of its part, in which all of the
// group is computed. One row is left over.
// CHECK-LABEL: func.func @shared(
// CHECK-NOT: linalg
// CHECK: scf.forall (%{{.+}}) = (0) to (128) step (64)
// CHECK:   scf.for
// CHECK:     linalg.exp ins({{.*}} : tensor<2x64xf32>)
// CHECK:     linalg.log {tonno.lowering_config = {workgroup = [1, 16]}} ins({{.*}} : tensor<2x64xf32>)
// CHECK: } {tonno.threads = 2 : i64}
// CHECK: linalg.exp ins({{.*}} : tensor<1x64xf32>)
// CHECK: linalg.log {tonno.lowering_config = {workgroup = [1, 16]}} ins({{.*}} : tensor<1x64xf32>)
func.func @shared(%x: tensor<129x64xf32>) -> tensor<129x64xf32> {
  %empty = tensor.empty() : tensor<129x64xf32>
  %e = linalg.exp ins(%x : tensor<129x64xf32>) outs(%empty : tensor<129x64xf32>) -> tensor<129x64xf32>
  %r = linalg.log {tonno.lowering_config = {fuse = [2, 0], workgroup = [1, 16], threads = 2}} ins(%e : tensor<129x64xf32>) outs(%empty : tensor<129x64xf32>) -> tensor<129x64xf32>
  return %r : tensor<129x64xf32>
}

// -----

// Half of 7 rows and one more is more than half of the columns.
// CHECK-LABEL: func.func @shared_columns(
// CHECK: scf.forall (%{{.+}}) = (0) to (64) step (32)
// CHECK:   linalg.exp ins({{.*}} : tensor<7x32xf32>)
// CHECK: } {tonno.threads = 2 : i64}
func.func @shared_columns(%x: tensor<7x64xf32>) -> tensor<7x64xf32> {
  %empty = tensor.empty() : tensor<7x64xf32>
  %e = linalg.exp ins(%x : tensor<7x64xf32>) outs(%empty : tensor<7x64xf32>) -> tensor<7x64xf32>
  %r = linalg.log {tonno.lowering_config = {fuse = [7, 0], workgroup = [1, 16], threads = 2}} ins(%e : tensor<7x64xf32>) outs(%empty : tensor<7x64xf32>) -> tensor<7x64xf32>
  return %r : tensor<7x64xf32>
}

// -----

// Only rows divide the sum, even if they are fewer than those of a tile.
// CHECK-LABEL: func.func @shared_rows_of_sum(
// CHECK-NOT: linalg.reduce
// CHECK: scf.forall (%{{.+}}) = (0) to (8) step (4)
// CHECK:   linalg.reduce {{.*}} ins({{.*}} : tensor<4x64xf32>)
// CHECK: } {tonno.threads = 2 : i64}
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @shared_rows_of_sum(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<8x64xf32>) outs(%zeros : tensor<8xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"], tonno.lowering_config = {fuse = [8, 0], workgroup = [1, 16], threads = 2}}
      ins(%x, %s : tensor<8x64xf32>, tensor<8xf32>) outs(%empty : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

// Columns of the last product do not divide the first one, which is shared by
// columns of its own, with the op between them.
// CHECK-LABEL: func.func @shared_apart(
// CHECK-NOT: linalg
// CHECK: scf.forall (%{{.+}}) = (0) to (256) step (128)
// CHECK:   linalg.matmul ins({{.*}} : tensor<1x256xf32>, tensor<256x128xf32>)
// CHECK:   linalg.exp {tonno.lowering_config = {workgroup = [1, 16]}} ins({{.*}} : tensor<1x128xf32>)
// CHECK: } {tonno.threads = 2 : i64}
// CHECK: scf.forall (%{{.+}}) = (0) to (512) step (256)
// CHECK:   linalg.matmul ins({{.*}} : tensor<1x256xf32>, tensor<256x256xf32>)
// CHECK: } {tonno.threads = 2 : i64}
func.func @shared_apart(%x: tensor<1x256xf32>, %v: tensor<256x256xf32>, %w: tensor<256x512xf32>) -> tensor<1x512xf32> {
  %zero = arith.constant 0.0 : f32
  %narrow = tensor.empty() : tensor<1x256xf32>
  %wide = tensor.empty() : tensor<1x512xf32>
  %i = linalg.fill ins(%zero : f32) outs(%narrow : tensor<1x256xf32>) -> tensor<1x256xf32>
  %j = linalg.fill ins(%zero : f32) outs(%wide : tensor<1x512xf32>) -> tensor<1x512xf32>
  %p = linalg.matmul ins(%x, %v : tensor<1x256xf32>, tensor<256x256xf32>) outs(%i : tensor<1x256xf32>) -> tensor<1x256xf32>
  %e = linalg.exp {tonno.lowering_config = {threads = 2, workgroup = [1, 16]}} ins(%p : tensor<1x256xf32>) outs(%narrow : tensor<1x256xf32>) -> tensor<1x256xf32>
  %q = linalg.matmul ins(%e, %w : tensor<1x256xf32>, tensor<256x512xf32>) outs(%j : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.log {tonno.lowering_config = {fuse = [1, 0], workgroup = [1, 16], threads = 2}} ins(%q : tensor<1x512xf32>) outs(%wide : tensor<1x512xf32>) -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}

// -----

// A thread's part reads one factor whole, unlike its tiles: the factor is
// computed by the same thread, and shared no more.
// CHECK-LABEL: func.func @shared_factor(
// CHECK-NOT: linalg.exp
// CHECK: scf.forall (%{{.+}}) in (2)
// CHECK:   linalg.exp {tonno.lowering_config = {workgroup = [1, 1, 16]}} ins({{.*}} : tensor<1x16x32xf32>)
// CHECK:   scf.for
// CHECK:     linalg.batch_matmul {{.*}} ins({{.*}} : tensor<1x4x16xf32>, tensor<1x16x32xf32>)
// CHECK: } {tonno.threads = 2 : i64}
func.func @shared_factor(%a: tensor<2x8x16xf32>, %b: tensor<2x16x32xf32>, %c: tensor<2x8x32xf32>) -> tensor<2x8x32xf32> {
  %empty = tensor.empty() : tensor<2x16x32xf32>
  %e = linalg.exp {tonno.lowering_config = {threads = 2, workgroup = [1, 1, 16]}} ins(%b : tensor<2x16x32xf32>) outs(%empty : tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
  %r = linalg.batch_matmul {tonno.lowering_config = {fuse = [1, 4, 0, 0], threads = 2, workgroup = [1, 4, 16, 0]}} ins(%a, %e : tensor<2x8x16xf32>, tensor<2x16x32xf32>) outs(%c : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  return %r : tensor<2x8x32xf32>
}

// -----

// What is read where it is written is what the tiles write to.
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[X:.+]]: tensor<8x64xf32>, %[[Y:.+]]: tensor<8x64xf32>
// CHECK: scf.for {{.*}} iter_args(%[[C:.+]] = %[[Y]])
// CHECK:   %[[E:.+]] = linalg.exp
// CHECK:   %[[WRITTEN:.+]] = tensor.extract_slice %[[C]]
// CHECK:   linalg.generic {{.*}} ins(%[[E]] : tensor<2x64xf32>) outs(%[[WRITTEN]] :
func.func @update(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %empty = tensor.empty() : tensor<8x64xf32>
  %e = linalg.exp {tonno.lowering_config = {workgroup = [1, 16]}} ins(%x : tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.add {tonno.lowering_config = {fuse = [2, 0], workgroup = [1, 16]}} ins(%e, %y : tensor<8x64xf32>, tensor<8x64xf32>) outs(%y : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

// Sums and products mix again and again: the last 7 pairs, of which tiling
// makes 1, 2, 4, ... and 64 copies, are computed with the result, the first before.
// CHECK-LABEL: func.func @rounds(
// CHECK-COUNT-2: linalg.{{add|mul}} ins({{.*}} : tensor<8x64xf32>, tensor<8x64xf32>)
// CHECK: scf.for
// CHECK-COUNT-14: linalg.{{add|mul}} ins({{.*}} : tensor<2x64xf32>, tensor<2x64xf32>)
// CHECK: linalg.add {tonno.lowering_config = {}}
// CHECK-NEXT: tensor.insert_slice
func.func @rounds(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %s1 = linalg.add ins(%x, %y : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p1 = linalg.mul ins(%x, %y : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s2 = linalg.add ins(%s1, %p1 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p2 = linalg.mul ins(%s1, %p1 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s3 = linalg.add ins(%s2, %p2 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p3 = linalg.mul ins(%s2, %p2 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s4 = linalg.add ins(%s3, %p3 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p4 = linalg.mul ins(%s3, %p3 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s5 = linalg.add ins(%s4, %p4 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p5 = linalg.mul ins(%s4, %p4 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s6 = linalg.add ins(%s5, %p5 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p6 = linalg.mul ins(%s5, %p5 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s7 = linalg.add ins(%s6, %p6 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p7 = linalg.mul ins(%s6, %p6 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s8 = linalg.add ins(%s7, %p7 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p8 = linalg.mul ins(%s7, %p7 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.add {tonno.lowering_config = {fuse = [2, 0]}} ins(%s8, %p8 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

// An op with `fuse` is not computed by the tiles of another one.
// CHECK-LABEL: func.func @two_roots(
// CHECK: %[[FIRST:.+]] = scf.for
// CHECK:   linalg.exp
// CHECK: scf.for
// CHECK:   tensor.extract_slice %[[FIRST]]
// CHECK:   linalg.tanh
// CHECK-NOT: linalg
func.func @two_roots(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %a = linalg.exp {tonno.lowering_config = {fuse = [4, 0]}} ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.tanh {tonno.lowering_config = {fuse = [2, 0]}} ins(%a : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

// What remains of a dynamic loop is one tile.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         scf.for %{{.*}} step %c8
// CHECK:           linalg.exp {{.*}}tensor<8x64xf32>
// CHECK:           linalg.max {{.*}}tensor<8x64xf32>
// CHECK:         scf.for %{{.*}} step %c8
// CHECK:           linalg.exp {{.*}}tensor<?x64xf32>
// CHECK:           linalg.max {{.*}}tensor<?x64xf32>
// CHECK-NOT:     scf.for
func.func @dynamic(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>, %e: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %p = linalg.exp ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.max {tonno.lowering_config = {fuse = [8, 0]}}
      ins(%p, %y : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
