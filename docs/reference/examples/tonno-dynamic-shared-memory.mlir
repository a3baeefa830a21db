// tonno-opt --pass-pipeline='builtin.module(gpu.module(tonno-dynamic-shared-memory))'
gpu.module @m {
  llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @static() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
  llvm.mlir.global internal @none() {addr_space = 1 : i32} : !llvm.array<0 x i8>
}
