// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-kernel-buffers --tonno-mark-streams | FileCheck %s

// The result's buffer, not what is read.
// CHECK-LABEL: func.func @result(
// CHECK-SAME: tonno.buffers = [{alignment = 16 : i64, type = memref<8x32xf32>}, {alignment = 64 : i64, stream, type = memref<8x32xf32>}]
func.func @result(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %r = linalg.exp {tonno.lowering_config = {workgroup = [1, 16], stream = [0, 1]}} ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// -----

// CHECK-LABEL: func.func @buffer(
// CHECK-SAME: tonno.buffers = [{alignment = 64 : i64, type = memref<8x32xf32>}, {alignment = 64 : i64, stream, type = memref<8x32xf32>}]
func.func @buffer(%x: memref<8x32xf32>, %r: memref<8x32xf32>) {
  linalg.exp {tonno.lowering_config = {stream = [1, 0]}} ins(%x : memref<8x32xf32>) outs(%r : memref<8x32xf32>)
  return
}

// -----

// 0 is as if nothing was said.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT: stream,
func.func @kept(%x: memref<8x32xf32>, %r: memref<8x32xf32>) {
  linalg.exp {tonno.lowering_config = {stream = [0, 0]}} ins(%x : memref<8x32xf32>) outs(%r : memref<8x32xf32>)
  return
}

// -----

// What another op reads stays in the caches.
// CHECK-LABEL: func.func @between(
// CHECK-NOT: stream,
func.func @between(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %a = linalg.exp {tonno.lowering_config = {stream = [0, 1]}} ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = linalg.mul ins(%a, %a : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// -----

func.func @unresolved(%x: memref<8xf32>) {
  // expected-error @below {{knob "ST" is unresolved; run '--tonno-apply' first}}
  linalg.exp {tonno.lowering_config = {stream = [#tonno.knob<"ST" from [0, 1]>]}} ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  return
}
