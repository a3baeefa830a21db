// RUN: tonno-opt %s --tonno-store-in-bytes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: memref.global "private" constant @table : memref<4xi8> = dense<[1, 2, 15, 0]>
memref.global "private" constant @table : memref<4xf4E2M1FN> = dense<[0.5, 1.0, -6.0, 0.0]>
// CHECK-LABEL: func.func @accesses(
// CHECK-SAME: %[[A:.+]]: memref<64xi8>, %[[B:.+]]: memref<64xi8>, %{{.+}}: index, %[[V:.+]]: vector<8xi4>,
// CHECK: %[[X:.+]] = vector.load %[[A]][%{{.+}}] : memref<64xi8>, vector<8xi8>
// CHECK: %[[XBITS:.+]] = arith.trunci %[[X]] : vector<8xi8> to vector<8xi4>
// CHECK: %[[XREAL:.+]] = arith.bitcast %[[XBITS]] : vector<8xi4> to vector<8xf4E2M1FN>
// CHECK: %[[OTHER:.+]] = arith.extui %[[V]] : vector<8xi4> to vector<8xi8>
// CHECK: %[[Y:.+]] = vector.maskedload %[[B]][%{{.+}}], %{{.+}}, %[[OTHER]] : memref<64xi8>,
// CHECK: %[[YBITS:.+]] = arith.trunci %[[Y]] : vector<8xi8> to vector<8xi4>
// CHECK: %[[S:.+]] = memref.load %{{.+}}[%{{.+}}] : memref<4xi8>
// CHECK: %[[SBITS:.+]] = arith.trunci %[[S]] : i8 to i4
// CHECK: %[[SREAL:.+]] = arith.bitcast %[[SBITS]] : i4 to f4E2M1FN
// CHECK: %[[STORED:.+]] = arith.extui %[[YBITS]] : vector<8xi4> to vector<8xi8>
// CHECK: vector.store %[[STORED]], %[[B]]
// CHECK: return %[[XREAL]], %[[YBITS]], %[[SREAL]]
func.func @accesses(%a: memref<64xf4E2M1FN>, %b: memref<64xi4>, %i: index, %v: vector<8xi4>, %m: vector<8xi1>) -> (vector<8xf4E2M1FN>, vector<8xi4>, f4E2M1FN) {
  %table = memref.get_global @table : memref<4xf4E2M1FN>
  %x = vector.load %a[%i] : memref<64xf4E2M1FN>, vector<8xf4E2M1FN>
  %y = vector.maskedload %b[%i], %m, %v : memref<64xi4>, vector<8xi1>, vector<8xi4> into vector<8xi4>
  %s = memref.load %table[%i] : memref<4xf4E2M1FN>
  vector.store %y, %b[%i] : memref<64xi4>, vector<8xi4>
  return %x, %y, %s : vector<8xf4E2M1FN>, vector<8xi4>, f4E2M1FN
}

// -----

// What the schedule is told stays with the op.
// CHECK-LABEL: func.func @product(
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.+}}, %{{.+}} : memref<4x8xi8>, memref<8x2xi8>) outs(%{{.+}} : memref<4x2xi32>)
// CHECK-SAME: attrs = {tonno.lowering_config = {thread = [1, 2, 0]}}
// CHECK: ^bb0(%{{.+}}: i8, %{{.+}}: i8, %{{.+}}: i32):
// CHECK-DAG: arith.trunci %{{.+}} : i8 to i4
// CHECK-DAG: arith.extsi %{{.+}} : i4 to i32
// CHECK: linalg.generic
// CHECK: ^bb0(%[[X:.+]]: i8, %{{.+}}: i8):
// CHECK: %[[BITS:.+]] = arith.trunci %[[X]] : i8 to i4
// CHECK: %[[BYTE:.+]] = arith.extui %[[BITS]] : i4 to i8
// CHECK: linalg.yield %[[BYTE]] : i8
func.func @product(%a: memref<4x8xi4>, %b: memref<8x2xi4>, %c: memref<4x2xi32>, %d: memref<4x8xi4>) {
  linalg.matmul {tonno.lowering_config = {thread = [1, 2, 0]}} ins(%a, %b : memref<4x8xi4>, memref<8x2xi4>) outs(%c : memref<4x2xi32>)
  linalg.copy ins(%a : memref<4x8xi4>) outs(%d : memref<4x8xi4>)
  return
}

// -----

// What a loop passes on are elements, not bytes.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for {{.*}} -> (i2, memref<64xi8>)
// CHECK: %[[BYTE:.+]] = memref.load
// CHECK: %[[BITS:.+]] = arith.trunci %[[BYTE]] : i8 to i2
// CHECK: %[[SUM:.+]] = arith.addi %{{.+}}, %[[BITS]] : i2
// CHECK: scf.yield %[[SUM]], %{{.+}} : i2, memref<64xi8>
func.func @loop(%a: memref<64xi2>, %n: index, %x: i2) -> i2 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x, %m = %a) -> (i2, memref<64xi2>) {
    %y = memref.load %m[%i] : memref<64xi2>
    %t = arith.addi %s, %y : i2
    scf.yield %t, %m : i2, memref<64xi2>
  }
  return %r#0 : i2
}

// -----

// CHECK-LABEL: func.func @others(
// CHECK: memref.load %{{.+}} : memref<8xi1>
// CHECK: memref.load %{{.+}} : memref<8xf8E5M2>
func.func @others(%a: memref<8xi1>, %b: memref<8xf8E5M2>, %i: index) -> (i1, f8E5M2) {
  %x = memref.load %a[%i] : memref<8xi1>
  %y = memref.load %b[%i] : memref<8xf8E5M2>
  return %x, %y : i1, f8E5M2
}

// -----

func.func @atomic(%a: memref<8xi4>, %i: index, %x: i4) {
  // expected-error @below {{updates elements of less than 8 bits, which no chip does atomically; use a buffer of i8}}
  memref.atomic_rmw addi %x, %a[%i] : (i4, memref<8xi4>) -> i4
  return
}
