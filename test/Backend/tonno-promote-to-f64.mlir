// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-promote-to-f64 | FileCheck %s

// CHECK-LABEL: func.func @mixed(
// CHECK-SAME:    %{{.+}}: tensor<4x4xf64>, %{{.+}}: tensor<4x4xf64>) -> tensor<4x4xf64>
// CHECK-NOT: tonno
// CHECK-NOT: f16
// CHECK-NOT: f32
// CHECK: arith.constant 5.000000e-01 : f64
// CHECK: arith.constant dense<[1.000000e+00, 2.500000e-01]> : tensor<2xf64>
// CHECK: arith.mulf
// CHECK-NOT: arith.extf
func.func @mixed(%a: tensor<4x4xf16>, %b: tensor<4x4xf16>) -> tensor<4x4xf32> attributes {tonno.tuned = {trials = 1}} {
  %half = arith.constant 0.5 : f32
  %table = arith.constant dense<[1.0, 0.25]> : tensor<2xbf16>
  %e = tensor.empty() : tensor<4x4xf32>
  %i = linalg.fill ins(%half : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"], tonno.lowering_config = {workgroup = [2, 2]}
  } ins(%a, %b : tensor<4x4xf16>, tensor<4x4xf16>) outs(%i : tensor<4x4xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %p = arith.mulf %x, %y : f16
    %w = arith.extf %p : f16 to f32
    %s = arith.addf %w, %z : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @integers(
// CHECK-SAME:    tensor<4xi32>
func.func @integers(%a: tensor<4xi32>) -> tensor<4xi32> {
  return %a : tensor<4xi32>
}

// -----

func.func @bits(%a: f32) -> i32 {
  // expected-error @+1 {{reads the bits of a floating-point number}}
  %r = arith.bitcast %a : f32 to i32
  return %r : i32
}

// -----

func.func @bytes(%a: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{views bytes as floating-point numbers, which a reference in f64 cannot reproduce; name another reference by 'tonno.reference'}}
  %v = memref.view %a[%c0][] : memref<64xi8> to memref<16xf32>
  return
}

// -----

func.func @resource() -> tensor<2xf32> {
  // expected-error @+1 {{uses a resource that the module does not have}}
  %r = arith.constant dense_resource<numbers> : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @buffers(
// CHECK-SAME:    %{{.+}}: memref<4x4xf64, strided<[8, 1]>>)
func.func @buffers(%a: memref<4x4xf32, strided<[8, 1]>>) {
  // CHECK: memref.get_global @table : memref<2xf64>
  // CHECK: vector.transfer_read {{.*}} vector<4xf64>
  %t = memref.get_global @table : memref<2xf32>
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0, %c0], %z : memref<4x4xf32, strided<[8, 1]>>, vector<4xf32>
  vector.transfer_write %v, %a[%c0, %c0] : vector<4xf32>, memref<4x4xf32, strided<[8, 1]>>
  return
}
// CHECK: memref.global {{.*}} memref<2xf64> = dense<[1.000000e+00, 2.000000e+00]>
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>

// -----

// CHECK-LABEL: func.func @fromBits(
// CHECK-SAME:    %[[BITS:.+]]: i32, %{{.+}}: vector<4xi16>) -> (f64, vector<2xf64>)
func.func @fromBits(%bits: i32, %halves: vector<4xi16>) -> (f32, vector<2xf32>) {
  // CHECK: %[[X:.*]] = arith.bitcast %[[BITS]] : i32 to f32
  // CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : f32 to f64
  // CHECK: vector.bitcast %{{.*}} : vector<4xi16> to vector<2xf32>
  // CHECK: arith.extf %{{.*}} : vector<2xf32> to vector<2xf64>
  // CHECK: return %[[WIDE]]
  %x = arith.bitcast %bits : i32 to f32
  %v = vector.bitcast %halves : vector<4xi16> to vector<2xf32>
  return %x, %v : f32, vector<2xf32>
}

// -----

// CHECK-LABEL: func.func @complex(
// CHECK: arith.constant dense<[(1.000000e+00,2.000000e+00), (5.000000e-01,0.000000e+00)]> : tensor<2xcomplex<f64>>
func.func @complex() -> tensor<2xcomplex<f32>> {
  %c = arith.constant dense<[(1.0, 2.0), (0.5, 0.0)]> : tensor<2xcomplex<f32>>
  return %c : tensor<2xcomplex<f32>>
}

// -----

func.func @reinterpret(%a: f16) -> bf16 {
  // expected-error @+1 {{reads the bits of a floating-point number}}
  %r = arith.bitcast %a : f16 to bf16
  return %r : bf16
}

// -----

// What is rounded on the way stays rounded; what is returned is rounded later.
// CHECK-LABEL: func.func @roundings(
// CHECK: %[[N:.+]] = arith.truncf %{{.+}} : f64 to f8E5M2
// CHECK: %[[W:.+]] = arith.extf %[[N]] : f8E5M2 to f64
// CHECK: %[[Y:.+]] = arith.addf %[[W]], %[[W]] : f64
// CHECK: linalg.yield %[[Y]] : f64
func.func @roundings(%a: tensor<4xf32>) -> tensor<4xf8E4M3FN> {
  %e = tensor.empty() : tensor<4xf8E4M3FN>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%a : tensor<4xf32>) outs(%e : tensor<4xf8E4M3FN>) {
  ^bb0(%x: f32, %old: f8E4M3FN):
    %n = arith.truncf %x : f32 to f8E5M2
    %w = arith.extf %n : f8E5M2 to f32
    %y = arith.addf %w, %w : f32
    %z = arith.truncf %y : f32 to f8E4M3FN
    linalg.yield %z : f8E4M3FN
  } -> tensor<4xf8E4M3FN>
  return %r : tensor<4xf8E4M3FN>
}

// -----

// CHECK-LABEL: func.func @between_ops(
// CHECK: arith.truncf %{{.+}} : f64 to f4E2M1FN
// CHECK: arith.extf %{{.+}} : f4E2M1FN to f64
// CHECK: arith.mulf
func.func @between_ops(%a: memref<4xf32>, %n: memref<4xf4E2M1FN>, %c: memref<4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%a : memref<4xf32>) outs(%n : memref<4xf4E2M1FN>) {
  ^bb0(%x: f32, %old: f4E2M1FN):
    %r = arith.truncf %x : f32 to f4E2M1FN
    linalg.yield %r : f4E2M1FN
  }
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%n : memref<4xf4E2M1FN>) outs(%c : memref<4xf32>) {
  ^bb0(%x: f4E2M1FN, %old: f32):
    %w = arith.extf %x : f4E2M1FN to f32
    %s = arith.mulf %w, %w : f32
    linalg.yield %s : f32
  }
  return
}
