// RUN: tonno-opt %s --tonno-decompose | FileCheck %s
// RUN: tonno-opt %s --tonno-decompose=by-part | FileCheck %s --check-prefix=PARTS
// RUN: tonno-opt %s --tonno-decompose=reciprocals | FileCheck %s --check-prefix=NARROW

// CHECK-LABEL: func.func @softmax(
// CHECK-NOT:     linalg.softmax
// CHECK:         arith.maxnumf
// CHECK:         math.exp
// CHECK:         arith.divf
func.func @softmax(%a: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %e = tensor.empty() : tensor<2x16xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<2x16xf32>) outs(%e : tensor<2x16xf32>) -> tensor<2x16xf32>
  return %r : tensor<2x16xf32>
}

// The configuration is that of its loops: one of the ops that have them gets it.
// CHECK-LABEL: func.func @configured_softmax(
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-SAME:    tonno.lowering_config = {reduction = [0, 8], workgroup = [1, 0]}
// CHECK:         arith.maxnumf
// CHECK-NOT:     lowering_config
// CHECK:         arith.divf
func.func @configured_softmax(%a: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %e = tensor.empty() : tensor<2x16xf32>
  %r = linalg.softmax {tonno.lowering_config = {workgroup = [1, 0], reduction = [0, 8]}} dimension(1) ins(%a : tensor<2x16xf32>) outs(%e : tensor<2x16xf32>) -> tensor<2x16xf32>
  return %r : tensor<2x16xf32>
}

// CHECK-LABEL: func.func @gather(
// CHECK-SAME:    %[[T:.+]]: tensor<10x20xf32>, %[[I:.+]]: tensor<4x1xi32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK:           %[[B:.+]] = linalg.index 0
// CHECK:           %[[ROW:.+]] = tensor.extract %[[I]][%[[B]], %{{.+}}]
// CHECK:           %[[CAST:.+]] = arith.index_cast %[[ROW]]
// CHECK:           %[[COLUMN:.+]] = linalg.index 1
// CHECK:           tensor.extract %[[T]][%[[CAST]], %[[COLUMN]]]
func.func @gather(%t: tensor<10x20xf32>, %i: tensor<4x1xi32>) -> tensor<4x20xf32> {
  %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<10x20xf32>, tensor<4x1xi32>) -> tensor<4x20xf32>
  return %r : tensor<4x20xf32>
}

// The same with the gathered dimension kept as 1.
// CHECK-LABEL: func.func @kept(
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]
// CHECK:           %[[ROW:.+]] = linalg.index 1
// CHECK:           tensor.extract %arg0[%[[ROW]], %{{.+}}]
func.func @kept(%t: tensor<10x20xf32>, %i: tensor<4x1xindex>) -> tensor<4x10x1xf32> {
  %r = tensor.gather %t[%i] gather_dims([1]) : (tensor<10x20xf32>, tensor<4x1xindex>) -> tensor<4x10x1xf32>
  return %r : tensor<4x10x1xf32>
}

// CHECK-LABEL: func.func @packed(
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.transpose
func.func @packed(%a: tensor<32x16xf32>) -> tensor<4x16x8xf32> {
  %e = tensor.empty() : tensor<4x16x8xf32>
  %r = linalg.pack %a inner_dims_pos = [0] inner_tiles = [8] into %e : tensor<32x16xf32> -> tensor<4x16x8xf32>
  return %r : tensor<4x16x8xf32>
}

// CHECK-LABEL: func.func @concat(
// CHECK-NOT:     tensor.concat
// CHECK:         tensor.insert_slice
// CHECK:         tensor.insert_slice
func.func @concat(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
  %r = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Of buffers it is taken apart on what they hold.
// CHECK-LABEL: func.func @buffers(
// CHECK-SAME:    %[[X:.+]]: memref<4x8xf32>
// CHECK:         %[[T:.+]] = bufferization.to_tensor %[[X]] restrict
// CHECK-NOT:     linalg.softmax
// CHECK:         linalg.generic {{.*}} ins(%[[T]]
// CHECK:         bufferization.materialize_in_destination %{{.+}} in restrict writable %[[X]]
func.func @buffers(%x: memref<4x8xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<4x8xf32>) outs(%x : memref<4x8xf32>)
  return
}

// Each part has what is for it; what lies between does not lie in the result.
// PARTS-LABEL: func.func @by_part(
// PARTS-SAME:    %[[A:.+]]: tensor<2x16xf32>
// PARTS:         %[[RESULT:.+]] = tensor.empty() : tensor<2x16xf32>
// PARTS:         linalg.generic {{.*}}["parallel", "reduction"]{{.*}}tonno.lowering_config = {subgroup = [2, 8]}
// PARTS:         %[[BETWEEN:.+]] = tensor.empty() : tensor<2x16xf32>
// PARTS:         linalg.generic {{.*}}outs(%[[BETWEEN]] : tensor<2x16xf32>) attrs = {tonno.lowering_config = {workgroup = [1, 16]}}
// PARTS:         linalg.generic {{.*}}["parallel", "reduction"]{{.*}}tonno.lowering_config = {subgroup = [2, 8]}
// PARTS:         linalg.generic {{.*}}outs(%[[RESULT]] : tensor<2x16xf32>) attrs = {tonno.lowering_config = {fuse = [2, 0], workgroup = [1, 16]}}
func.func @by_part(%a: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %e = tensor.empty() : tensor<2x16xf32>
  %r = linalg.softmax {tonno.lowering_config = {fuse = [2, 0], workgroup = [1, 16], subgroup = [2, 8]}} dimension(1) ins(%a : tensor<2x16xf32>) outs(%e : tensor<2x16xf32>) -> tensor<2x16xf32>
  return %r : tensor<2x16xf32>
}

// Of packing, the transposition has both levels.
// PARTS-LABEL: func.func @configured_pack(
// PARTS:         linalg.transpose {{.*}}{tonno.lowering_config = {subgroup = [1, 2, 8], workgroup = [2, 8, 8]}}
func.func @configured_pack(%a: tensor<32x16xf32>) -> tensor<4x16x8xf32> {
  %e = tensor.empty() : tensor<4x16x8xf32>
  %r = linalg.pack %a inner_dims_pos = [0] inner_tiles = [8] into %e {tonno.lowering_config = {workgroup = [2, 8, 8], subgroup = [1, 2, 8]}} : tensor<32x16xf32> -> tensor<4x16x8xf32>
  return %r : tensor<4x16x8xf32>
}

// What is computed where it is to be needs no writing back, unless a part of
// what was there is read later.
// CHECK-LABEL: func.func @written_back(
// CHECK:         scf.for {{.*}} iter_args(%[[X:[a-z0-9_]+]] = {{.*}}, %[[Y:[a-z0-9_]+]] =
// CHECK:           %[[FIRST:.+]] = linalg.exp ins(%[[X]] {{.*}} outs(%[[X]]
// CHECK:           %[[PART:.+]] = tensor.extract_slice %[[Y]]
// CHECK:           %[[SECOND:.+]] = linalg.exp {{.*}} outs(%[[Y]]
// CHECK:           tensor.insert_slice %[[PART]]
// CHECK-NOT:       in %[[X]]
// CHECK:           %[[BACK:.+]] = bufferization.materialize_in_destination %{{.+}} in %[[Y]]
// CHECK:           scf.yield %[[FIRST]], %[[BACK]]
func.func @written_back(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %m = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    %p = tensor.extract_slice %y[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %n = linalg.exp ins(%y : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
    %o = tensor.insert_slice %p into %n[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %k0 = bufferization.materialize_in_destination %m in %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %k1 = bufferization.materialize_in_destination %o in %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %k0, %k1 : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// Loops that were made around both begin with a copy.
// CHECK-LABEL: func.func @tiled_back(
// CHECK:         scf.for {{.*}} iter_args(%[[X:[a-z0-9_]+]] =
// CHECK:           %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK:           %[[TILES:.+]] = scf.for {{.*}} iter_args(%{{.+}} = %[[COPY]])
// CHECK:             tensor.extract_slice %[[X]]
// CHECK:           bufferization.materialize_in_destination %[[TILES]] in %[[X]]
func.func @tiled_back(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (tensor<8xf32>) {
    %t = scf.for %j = %c0 to %c8 step %c4 iter_args(%y = %x) -> (tensor<8xf32>) {
      %p = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %q = tensor.extract_slice %y[%j] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %n = linalg.exp ins(%p : tensor<4xf32>) outs(%q : tensor<4xf32>) -> tensor<4xf32>
      %o = tensor.insert_slice %n into %y[%j] [4] [1] : tensor<4xf32> into tensor<8xf32>
      scf.yield %o : tensor<8xf32>
    }
    %k = bufferization.materialize_in_destination %t in %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %k : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Of a scatter, loops over the positions insert a slice for each.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %[[ROWS:.+]]: tensor<5x1x8xf32>, %[[TABLE:.+]]: tensor<16x8xf32>, %[[WHERE:.+]]: tensor<5x1xi32>)
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[TO:.+]] = %[[TABLE]])
// CHECK-DAG:       %[[ROW:.+]] = tensor.extract_slice %[[ROWS]][%[[I]], 0, 0] [1, 1, 8]
// CHECK-DAG:       %[[AT:.+]] = tensor.extract %[[WHERE]][%[[I]], %{{.+}}]
// CHECK-DAG:       %[[OFFSET:.+]] = arith.index_cast %[[AT]]
// CHECK:           %[[INSERTED:.+]] = tensor.insert_slice %[[ROW]] into %[[TO]][%[[OFFSET]], 0] [1, 8]
// CHECK:           scf.yield %[[INSERTED]]
func.func @scatter(%rows: tensor<5x1x8xf32>, %table: tensor<16x8xf32>, %where: tensor<5x1xi32>) -> tensor<16x8xf32> {
  %r = tensor.scatter %rows into %table[%where] scatter_dims([0]) unique : (tensor<5x1x8xf32>, tensor<16x8xf32>, tensor<5x1xi32>) -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// Each copy is into an empty tensor of its own.
// CHECK-LABEL: func.func @copies(
// CHECK-SAME:    %[[A:.+]]: tensor<8xf32>, %[[B:.+]]: tensor<8xf32>)
// CHECK:         %[[ONE:.+]] = tensor.empty()
// CHECK:         %[[OTHER:.+]] = tensor.empty()
// CHECK:         bufferization.materialize_in_destination %[[A]] in %[[OTHER]]
// CHECK:         bufferization.materialize_in_destination %[[B]] in %[[ONE]]
func.func @copies(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %x = bufferization.materialize_in_destination %a in %e : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %y = bufferization.materialize_in_destination %b in %e : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  %n = linalg.sub ins(%m, %y : tensor<8xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %n : tensor<8xf32>
}

// GPUs compute 16-bit types in f32, and multiply by reciprocals.
// NARROW-LABEL: func.func @narrow_softmax(
// NARROW:         arith.maxnumf {{.*}} : f16
// NARROW:         arith.extf {{.*}} : f16 to f32
// NARROW:         math.exp {{.*}} fastmath<afn> : f32
// NARROW:         arith.addf {{.*}} : f32
// NARROW:         %[[SHARE:.+]] = arith.divf {{.*}} fastmath<arcp> : f32
// NARROW:         arith.truncf %[[SHARE]] : f32 to f16
func.func @narrow_softmax(%a: tensor<2x16xf16>, %e: tensor<2x16xf16>) -> tensor<2x16xf16> {
  %r = linalg.softmax dimension(1) ins(%a : tensor<2x16xf16>) outs(%e : tensor<2x16xf16>) -> tensor<2x16xf16>
  return %r : tensor<2x16xf16>
}
