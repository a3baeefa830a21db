// RUN: split-file %s %t
// RUN: tonno-opt %t/gfx942.mlir --split-input-file --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{subgroup-size=64 shared-bytes=65536 chip=gfx942},canonicalize,cse))' | FileCheck %t/gfx942.mlir
// RUN: tonno-opt %t/sm_80.mlir --split-input-file --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{chip=sm_80},canonicalize,cse))' | FileCheck %t/sm_80.mlir
// RUN: tonno-opt %t/gfx1100.mlir --split-input-file --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{chip=gfx1100},canonicalize,cse))' | FileCheck %t/gfx1100.mlir

//--- gfx942.mlir

// Two stages in shared memory, four steps. A step loads the next tiles, then
// multiplies the current stage, then stores into the other stage. The right
// factor is the instruction's left operand, so that a lane has four sums of a
// row. Rows of the right factor run along its side: blocks are transposed in
// registers.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[LHS:[a-z0-9]*]]: memref<64x64xf16>, %[[RHS:[a-z0-9]*]]: memref<64x64xf16>, %[[OUT:[a-z0-9]*]]: memref<64x64xf32>
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[A:.*]] : memref<128x24xf16, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<128x24xf16, #gpu.address_space<workgroup>>)
// CHECK: vector.load %[[LHS]]
// CHECK-COUNT-2: vector.load %[[RHS]]
// CHECK: vector.store {{.*}}, %[[A]]
// CHECK-COUNT-2: vector.store {{.*}}, %[[B]]
// CHECK: gpu.barrier
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c4 step %c1 iter_args(%[[SUMS:.*]] = {{.*}}) -> (vector<16xf32>)
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[STEP]], %c1
// CHECK-NEXT: arith.remui %[[STEP]], %c2
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ult, %[[NEXT]], %c4
// CHECK: vector.load %[[LHS]][{{.*}}] {alignment = 16 : i64} : memref<64x64xf16>, vector<8xf16>
// CHECK-COUNT-2: vector.load %[[RHS]][{{.*}}] {alignment = 4 : i64} : memref<64x64xf16>, vector<2xf16>
// CHECK: %[[X:.*]] = vector.load %[[A]][{{.*}}] {alignment = 16 : i64}
// CHECK: %[[X0:.*]] = vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK: %[[X1:.*]] = vector.extract_strided_slice %[[X]] {offsets = [4], sizes = [4], strides = [1]}
// CHECK: %[[Y:.*]] = vector.load %[[B]][{{.*}}] {alignment = 16 : i64}
// CHECK: %[[Y0:.*]] = vector.extract_strided_slice %[[Y]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK: %[[Y1:.*]] = vector.extract_strided_slice %[[Y]] {offsets = [4], sizes = [4], strides = [1]}
// CHECK: %[[P0:.*]] = amdgpu.mfma 32x32x8 %[[Y0]] * %[[X0]] + %[[SUMS]] {{.*}} : vector<4xf16>, vector<4xf16>, vector<16xf32>
// CHECK: %[[P1:.*]] = amdgpu.mfma 32x32x8 %[[Y1]] * %[[X1]] + %[[P0]]
// CHECK-NOT: gpu.barrier
// CHECK: arith.remui %[[NEXT]], %c2
// CHECK: vector.store {{.*}}, %[[A]]
// CHECK-COUNT-2: vector.store {{.*}}, %[[B]]
// CHECK: gpu.barrier
// CHECK-NEXT: scf.yield %[[P1]]
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-4: vector.store {{.*}}, %[[OUT]][{{.*}}] {alignment = 16 : i64} : memref<64x64xf32>, vector<4xf32>
// CHECK-NOT: memref.store
// CHECK: gpu.terminator
func.func @rows(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<64x64xf16>}, {alignment = 64 : i64, type = memref<64x64xf16>}, {alignment = 64 : i64, type = memref<64x64xf32>}]} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x64xf32>)
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", workgroup = [64, 64, 0], subgroup = [32, 32, 0], reduction = [0, 0, 16]}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

// Both factors' rows run along k: 16 bytes at a time, with nothing to
// transpose. The sums begin with what is in the result.
// CHECK-LABEL: func.func @transposed
// CHECK: gpu.launch
// CHECK: vector.load {{.*}} : memref<32x32xi32>, vector<4xi32>
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<32x128xi8>, vector<16xi8>
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<32x128xi8>, vector<16xi8>
// CHECK-NOT: vector.from_elements {{.*}} i8
// CHECK: scf.for
// CHECK: amdgpu.mfma 16x16x32 {{.*}} : vector<8xi8>, vector<8xi8>, vector<4xi32>
// CHECK: vector.store {{.*}} : memref<32x32xi32>, vector<4xi32>
func.func @transposed(%a: memref<32x128xi8>, %b: memref<32x128xi8>, %c: memref<32x32xi32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<32x128xi8>}, {alignment = 64 : i64, type = memref<32x128xi8>}, {alignment = 64 : i64, type = memref<32x32xi32>}]} {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"],
                  tonno.lowering_config = {instruction = "mfma_16x16x32", workgroup = [32, 32, 0], subgroup = [16, 16, 0], reduction = [0, 0, 64]}}
      ins(%a, %b : memref<32x128xi8>, memref<32x128xi8>) outs(%c : memref<32x32xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %v = arith.extsi %x : i8 to i32
    %w = arith.extsi %y : i8 to i32
    %p = arith.muli %v, %w : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}

// -----

// What follows is computed on the sums; they are not stored.
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: %[[BIAS:[a-z0-9]*]]: memref<64xf32>, %[[OUT:[a-z0-9]*]]: memref<64x64xf32>
// CHECK-NOT: memref.alloc
// CHECK: gpu.launch
// CHECK: %[[SUMS:.*]] = scf.for
// CHECK: amdgpu.mfma
// CHECK: %[[SUM:.*]] = vector.extract_strided_slice %[[SUMS]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK: %[[ADDED:.*]] = vector.load %[[BIAS]]{{.*}} vector<4xf32>
// CHECK: %[[S:.*]] = arith.addf %[[SUM]], %[[ADDED]] : vector<4xf32>
// CHECK: %[[M:.*]] = arith.maximumf %[[S]]
// CHECK: vector.store %[[M]], %[[OUT]]
// CHECK: return
func.func @epilogue(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %bias: memref<64xf32>, %out: memref<64x64xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<64x64xf16>}, {alignment = 64 : i64, type = memref<64x64xf16>}, {alignment = 64 : i64, type = memref<64xf32>}, {alignment = 64 : i64, type = memref<64x64xf32>}]} {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<64x64xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<64x64xf32>)
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", workgroup = [64, 64, 0], subgroup = [32, 32, 0], reduction = [0, 0, 16]}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%sums : memref<64x64xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sums, %bias : memref<64x64xf32>, memref<64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// Guards where tiles do not divide: of rows, columns and k in the loads, of
// rows and columns in the stores. One stage needs a barrier before its tile is
// overwritten, too. Three blocks of rows are no multiple of the order.
// CHECK-LABEL: func.func @remainders
// CHECK-SAME: %[[LHS:[a-z0-9]*]]: memref<40x50xf16>, %[[RHS:[a-z0-9]*]]: memref<50x33xf16>, %[[OUT:[a-z0-9]*]]: memref<40x33xf32>
// CHECK: gpu.launch
// CHECK-SAME: workgroup({{.*}} : memref<16x40xf16, {{.*}}>, {{.*}} : memref<16x40xf16, {{.*}}>)
// CHECK: scf.for
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ult, %[[NEXT]], %c2
// CHECK: %[[AK:.*]] = arith.cmpi ult, %{{.*}}, %c50
// CHECK-NEXT: %[[WITHIN:.*]] = arith.andi %{{.*}}, %[[AK]] : i1
// CHECK-NEXT: %[[ALL:.*]] = arith.andi %[[MORE]], %[[WITHIN]]
// CHECK-NEXT: scf.if %[[ALL]] -> (vector<2xf16>)
// CHECK-NEXT: vector.load %[[LHS]]{{.*}} {alignment = 4 : i64}
// CHECK: memref.load %[[RHS]]
// CHECK: amdgpu.mfma 16x16x16
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK-NEXT: scf.yield
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-4: memref.store {{.*}}, %[[OUT]]
// CHECK: gpu.terminator
func.func @remainders(%a: memref<40x50xf16>, %b: memref<50x33xf16>, %c: memref<40x33xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<40x50xf16>}, {alignment = 64 : i64, type = memref<50x33xf16>}, {alignment = 64 : i64, type = memref<40x33xf32>}]} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<40x33xf32>)
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_16x16x16", workgroup = [16, 16, 0], subgroup = [16, 16, 0], reduction = [0, 0, 32], stages = 1, order = 2}}
      ins(%a, %b : memref<40x50xf16>, memref<50x33xf16>) outs(%c : memref<40x33xf32>)
  return
}

// -----

// Of 128 rows of workgroups, two run together: the row's last bit changes
// fastest.
// CHECK-LABEL: func.func @order
// CHECK: gpu.launch blocks(%[[ID:[a-z0-9]*]], {{.*}}%c8
// CHECK: %[[WITHIN:.*]] = arith.remui %[[ID]], %c2
// CHECK: %[[COLUMNS:.*]] = arith.divui %[[ID]], %c2
// CHECK: arith.remui %[[COLUMNS]], %c2
// CHECK: %[[ROWS:.*]] = arith.divui %[[COLUMNS]], %c2
// CHECK: %[[FIRST:.*]] = arith.muli %[[ROWS]], %c2
// CHECK: arith.addi %[[FIRST]], %[[WITHIN]]
func.func @order(%a: memref<64x32xf16>, %b: memref<32x32xf16>, %c: memref<64x32xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<64x32xf16>}, {alignment = 64 : i64, type = memref<32x32xf16>}, {alignment = 64 : i64, type = memref<64x32xf32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_16x16x16", workgroup = [16, 16, 0], subgroup = [16, 16, 0], reduction = [0, 0, 32], order = 2}}
      ins(%a, %b : memref<64x32xf16>, memref<32x32xf16>) outs(%c : memref<64x32xf32>)
  return
}

//--- sm_80.mlir

// Fragments are registers of 32 bits, each a lane's part of an 8 x 8 matrix,
// which ldmatrix loads four at a time: of the left factor two halves of the rows,
// then the next elements of k; of the right one, whose subgroup has 8 columns, two.
// Of rows of 64 bytes, each pair exchanges its chunks of 16 with a number of its
// own.
// CHECK-LABEL: func.func @registers
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[A:.*]] : memref<64x32xbf16, {{.*}}>, %[[B:.*]] : memref<32x32xbf16, {{.*}}>)
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = arith.remui %{{.*}}, %c8
// CHECK: %[[PAIR:.*]] = arith.divui %[[ROW]], %c2
// CHECK: %[[NUMBER:.*]] = arith.remui %[[PAIR]], %c4
// CHECK: %[[TURN:.*]] = arith.muli %[[NUMBER]], %c8
// CHECK: %[[CHUNK:.*]] = arith.xori %{{.*}}, %[[TURN]]
// CHECK: %[[X:.*]] = nvgpu.ldmatrix %[[A]][%{{.*}}, %[[CHUNK]]] {numTiles = 4 : i32, transpose = false}
// CHECK: %[[Y:.*]] = nvgpu.ldmatrix %[[B]][{{.*}}] {numTiles = 2 : i32, transpose = false}
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK: %[[SECOND:.*]] = arith.xori %[[CHUNK]], %c16
// CHECK: nvgpu.ldmatrix %[[A]][%{{.*}}, %[[SECOND]]]
// CHECK: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK-COUNT-2: vector.store {{.*}} : memref<32x16xf32>, vector<2xf32>
func.func @registers(%a: memref<32x64xbf16>, %b: memref<16x64xbf16>, %c: memref<32x16xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<32x64xbf16>}, {alignment = 64 : i64, type = memref<16x64xbf16>}, {alignment = 64 : i64, type = memref<32x16xf32>}]} {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"],
                  tonno.lowering_config = {instruction = "mma_16x8x16", workgroup = [32, 16, 0], subgroup = [16, 8, 0], reduction = [0, 0, 32]}}
      ins(%a, %b : memref<32x64xbf16>, memref<16x64xbf16>) outs(%c : memref<32x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %v = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Rows that run along the side stay so: their matrices are transposed.
// CHECK-LABEL: func.func @pairs
// CHECK: gpu.launch
// CHECK-SAME: workgroup({{.*}} : memref<128x32xf16, {{.*}}>, %[[B:.*]] : memref<64x32xf16, {{.*}}>)
// CHECK: nvgpu.ldmatrix %[[B]][{{.*}}] {numTiles = 4 : i32, transpose = true}
// CHECK: nvvm.mma.sync {{.*}} : (vector<2xf16>, vector<2xf16>, f32)
func.func @pairs(%a: memref<32x64xf16>, %b: memref<64x16xf16>, %c: memref<32x16xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<32x64xf16>}, {alignment = 64 : i64, type = memref<64x16xf16>}, {alignment = 64 : i64, type = memref<32x16xf32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "mma_16x8x16"}}
      ins(%a, %b : memref<32x64xf16>, memref<64x16xf16>) outs(%c : memref<32x16xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK: nvvm.mma.sync {{.*}}intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 32>
func.func @integers(%a: memref<32x64xi8>, %b: memref<64x16xi8>, %c: memref<32x16xi32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<32x64xi8>}, {alignment = 64 : i64, type = memref<64x16xi8>}, {alignment = 64 : i64, type = memref<32x16xi32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "mma_16x8x32"}}
      ins(%a, %b : memref<32x64xi8>, memref<64x16xi8>) outs(%c : memref<32x16xi32>)
  return
}

// -----

// Three stages: two tiles are on their way before the first step, then one more
// in each. Columns beyond the last are not read: they become zero.
// CHECK-LABEL: func.func @async
// CHECK-SAME: %[[LHS:[a-z0-9]*]]: memref<32x128xf16>, %[[RHS:[a-z0-9]*]]: memref<128x24xf16>
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[A:.*]] : memref<96x32xf16, {{.*}}>, %[[B:.*]] : memref<96x32xf16, {{.*}}>)
// CHECK: nvgpu.device_async_copy %[[LHS]][{{.*}}], %[[A]][{{.*}}], 8 {bypassL1}
// CHECK: %[[WITHIN:.*]] = arith.cmpi ult, %{{.*}}, %c24
// CHECK: %[[READ:.*]] = arith.select %[[WITHIN]], %c8, %c0
// CHECK: nvgpu.device_async_copy %[[RHS]][{{.*}}], %[[B]][{{.*}}], 8, %[[READ]] {bypassL1}
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvgpu.device_async_copy
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: nvvm.cp.async.commit.group
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c4
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: arith.remui %[[STEP]], %c3
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[STEP]], %c2
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ult, %[[NEXT]], %c4
// CHECK-NEXT: scf.if %[[MORE]]
// CHECK: arith.remui %[[NEXT]], %c3
// CHECK: nvgpu.device_async_copy
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.mma.sync
// CHECK-NOT: gpu.barrier
// CHECK: gpu.terminator
func.func @async(%a: memref<32x128xf16>, %b: memref<128x24xf16>, %c: memref<32x24xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<32x128xf16>}, {alignment = 64 : i64, type = memref<128x24xf16>}, {alignment = 64 : i64, type = memref<32x24xf32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "mma_16x8x16", workgroup = [32, 32, 0], subgroup = [16, 16, 0], reduction = [0, 0, 32], stages = 3, copy = "async"}}
      ins(%a, %b : memref<32x128xf16>, memref<128x24xf16>) outs(%c : memref<32x24xf32>)
  return
}

// -----

// Bytes can't be transposed by ldmatrix: the right factor goes by way of
// registers, one step ahead.
// CHECK-LABEL: func.func @one_async
// CHECK-SAME: %[[LHS:[a-z0-9]*]]: memref<32x128xi8>, %[[RHS:[a-z0-9]*]]: memref<128x16xi8>
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[A:.*]] : memref<{{.*}}>, %[[B:.*]] : memref<
// CHECK: nvgpu.device_async_copy %[[LHS]]
// CHECK: vector.load %[[RHS]]
// CHECK: vector.store {{.*}}, %[[B]]
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK: nvgpu.device_async_copy %[[LHS]]
// CHECK: vector.load %[[RHS]]
// CHECK: nvvm.mma.sync
// CHECK: vector.store {{.*}}, %[[B]]
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
func.func @one_async(%a: memref<32x128xi8>, %b: memref<128x16xi8>, %c: memref<32x16xi32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<32x128xi8>}, {alignment = 64 : i64, type = memref<128x16xi8>}, {alignment = 64 : i64, type = memref<32x16xi32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "mma_16x8x32", workgroup = [32, 16, 0], subgroup = [16, 16, 0], reduction = [0, 0, 32], stages = 3, copy = "async"}}
      ins(%a, %b : memref<32x128xi8>, memref<128x16xi8>) outs(%c : memref<32x16xi32>)
  return
}

// -----

// CHECK-LABEL: func.func @without
// CHECK-NOT: nvvm.mma.sync
// CHECK: arith.mulf
func.func @without(%a: memref<32x64xf16>, %b: memref<64x16xf16>, %c: memref<32x16xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<32x64xf16>}, {alignment = 64 : i64, type = memref<64x16xf16>}, {alignment = 64 : i64, type = memref<32x16xf32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "fma"}}
      ins(%a, %b : memref<32x64xf16>, memref<64x16xf16>) outs(%c : memref<32x16xf32>)
  return
}

//--- gfx1100.mlir

// A lane has all 16 elements of k, by two loads, and eight sums of a column.
// CHECK-LABEL: func.func @registers
// CHECK: scf.for
// CHECK-COUNT-2: vector.load {{.*}} : memref<64x40xbf16, {{.*}}>, vector<8xbf16>
// CHECK-COUNT-2: vector.load {{.*}} : memref<32x40xbf16, {{.*}}>, vector<8xbf16>
// CHECK: amdgpu.wmma 16x16x16 {{.*}} : vector<16xbf16>, vector<16xbf16>, vector<8xf32>
// CHECK-COUNT-8: memref.store {{.*}} : memref<32x16xf32>
func.func @registers(%a: memref<32x64xbf16>, %b: memref<16x64xbf16>, %c: memref<32x16xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<32x64xbf16>}, {alignment = 64 : i64, type = memref<16x64xbf16>}, {alignment = 64 : i64, type = memref<32x16xf32>}]} {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"],
                  tonno.lowering_config = {instruction = "wmma_16x16x16", workgroup = [32, 16, 0], subgroup = [16, 16, 0], reduction = [0, 0, 32]}}
      ins(%a, %b : memref<32x64xbf16>, memref<16x64xbf16>) outs(%c : memref<32x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %v = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}
