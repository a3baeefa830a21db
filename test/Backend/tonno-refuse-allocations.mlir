// RUN: tonno-opt %s --verify-diagnostics --tonno-refuse-allocations

func.func @kernel() {
  // expected-error @+1 {{this needs scratch memory of type 'memref<4xf32>'; kernels with intermediate buffers are not supported}}
  %a = memref.alloc() : memref<4xf32>
  return
}
