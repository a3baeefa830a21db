// RUN: tonno-opt %s --pass-pipeline='builtin.module(gpu.module(tonno-dynamic-shared-memory))' | FileCheck %s

// What upstream defines as an array of no bytes is declared; other globals, and
// memory that is not shared, stay.
// CHECK-LABEL: gpu.module @m
gpu.module @m {
  // CHECK: llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK: llvm.mlir.global internal @static() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
  llvm.mlir.global internal @static() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
  // CHECK: llvm.mlir.global internal @none() {addr_space = 1 : i32} : !llvm.array<0 x i8>
  llvm.mlir.global internal @none() {addr_space = 1 : i32} : !llvm.array<0 x i8>
}
