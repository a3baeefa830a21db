// RUN: tonno-opt %s --tonno-annotate="chip=znver4 threads=1,2,4" | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate="chip=znver4 threads=2" | FileCheck %s --check-prefix=TWO
// RUN: tonno-opt %s --tonno-annotate=chip=znver4 | FileCheck %s --check-prefix=NONE
// RUN: not tonno-opt %s --tonno-annotate="chip=znver4 threads=2,1" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tonno-opt %s --tonno-annotate="target=nvptx chip=sm_90 threads=2" 2>&1 | FileCheck %s --check-prefix=ORDER

// One knob for all ops of a kernel that so many threads can share, whoever
// configured them; of what is computed together, for the last one.
// ORDER: 'threads' must ascend, and applies only to the host
// NONE-NOT: threads
// CHECK-DAG: #T = #tonno.knob<"T" from [1, 2, 4] default 1>
// TWO-NOT: #T =

// CHECK-LABEL: func.func @apart(
// CHECK: linalg.matmul {tonno.lowering_config = {{{.*}}threads = #T
// CHECK: linalg.exp {tonno.lowering_config = {threads = #T, workgroup = [1, 16]}}
// TWO-LABEL: func.func @apart(
// TWO: linalg.matmul {tonno.lowering_config = {{{.*}}threads = 2
func.func @apart(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %e = tensor.empty() : tensor<256x256xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %c = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  %x = linalg.exp {tonno.lowering_config = {workgroup = [1, 16]}} ins(%a : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %c, %x : tensor<256x256xf32>, tensor<256x256xf32>
}

// CHECK-LABEL: func.func @together(
// CHECK: linalg.reduce
// CHECK-NOT: threads
// CHECK: linalg.generic
// CHECK: fuse = {{.*}}threads = #T
func.func @together(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %r = tensor.empty() : tensor<256xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<256xf32>) -> tensor<256xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<256x512xf32>) outs(%i : tensor<256xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<256x512xf32>, tensor<256xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<256x512xf32>
  return %d : tensor<256x512xf32>
}

// All of it is one sum.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT: threads
func.func @sum(%x: tensor<4096xf32>) -> tensor<f32> {
  %r = tensor.empty() : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<4096xf32>) outs(%i : tensor<f32>) dimensions = [0]
  return %s : tensor<f32>
}

// Of what a softmax stands for, too: with it a product that it reads.
// CHECK-LABEL: func.func @around_softmax(
// CHECK: linalg.matmul
// CHECK-NOT: threads
// CHECK: linalg.softmax
// CHECK-NOT: threads
// CHECK: linalg.matmul {tonno.lowering_config = {fuse = {{.*}}threads = #T
func.func @around_softmax(%q: tensor<64x32xf32>, %k: tensor<32x64xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.matmul ins(%q, %k : tensor<64x32xf32>, tensor<32x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = tensor.empty() : tensor<64x32xf32>
  %j = linalg.fill ins(%zero : f32) outs(%d : tensor<64x32xf32>) -> tensor<64x32xf32>
  %r = linalg.matmul ins(%p, %v : tensor<64x64xf32>, tensor<64x32xf32>) outs(%j : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// CHECK-LABEL: func.func @into_softmax(
// CHECK: linalg.matmul
// CHECK-NOT: threads
// CHECK: linalg.softmax {tonno.lowering_config = {fuse = {{.*}}threads = #T
func.func @into_softmax(%q: tensor<64x32xf32>, %k: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.matmul ins(%q, %k : tensor<64x32xf32>, tensor<32x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// Threads would take longer to start than this takes.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: threads
func.func @small(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
