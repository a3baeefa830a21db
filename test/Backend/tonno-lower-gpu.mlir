// RUN: tonno-opt %s --split-input-file --tonno-lower-nvptx=chip=sm_90 | FileCheck %s --check-prefixes=CHECK,NVPTX
// RUN: tonno-opt %s --split-input-file --tonno-lower-amdgpu=chip=gfx942 | FileCheck %s --check-prefixes=CHECK,AMDGPU

// What two launches share is workspace, and the launches are listed.
// CHECK: module attributes {
// CHECK-SAME: tonno.buffers = [{alignment = 16 : i64, type = memref<64x64xf32>}, {alignment = 64 : i64, type = memref<64x64xf32>}, {alignment = 64 : i64, type = memref<16384xi8>}]
// CHECK-SAME: tonno.launches = [{block = [{{[0-9]+}}, 1, 1], buffers = [{{0, 2|2, 0}}], grid = [{{[0-9]+}}, 1, 1], shared_bytes = 0 : i64, symbol = "two_entry_0"}
// CHECK-SAME: {block = [{{[0-9]+}}, 1, 1], buffers = [{{1, 2|2, 1}}], {{.*}}symbol = "two_entry_1"}]
// CHECK: gpu.module @two_device
// CHECK-SAME: #dlti.dl_spec<index = 32 : i32>
// CHECK: llvm.func @two_entry_0(%{{.*}}: !llvm.ptr {llvm.align = {{16|64}} : i64, llvm.noalias}
// NVPTX-SAME: nvvm.kernel
// AMDGPU-SAME: rocdl.kernel
// NVPTX: nvvm.read.ptx.sreg.tid.x
// AMDGPU: rocdl.workitem.id.x
func.func @two(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %t = linalg.map {math.absf} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
  %y = linalg.transpose ins(%t : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
  return %y : tensor<64x64xf32>
}

// -----

// Indices of more elements than 32 bits can count take 64.
// CHECK: gpu.module @large_device
// CHECK-SAME: #dlti.dl_spec<index = 64 : i32>
func.func @large(%x: tensor<65536x32768xf32>) -> tensor<65536x32768xf32> {
  %e = tensor.empty() : tensor<65536x32768xf32>
  %t = linalg.map {math.absf} ins(%x : tensor<65536x32768xf32>) outs(%e : tensor<65536x32768xf32>)
  return %t : tensor<65536x32768xf32>
}

// -----

// Mathematics that GPUs have needs no library; the rest is the vendors' own.
// CHECK-LABEL: llvm.func @math_entry
// CHECK: llvm.call_intrinsic "llvm.sqrt"
// CHECK: llvm.call_intrinsic "llvm.floor"
// CHECK-NOT: llvm.call @
func.func @math(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.sqrt %a : f32
    %f = math.floor %s : f32
    %g = math.exp %f : f32
    linalg.yield %g : f32
  } -> tensor<64xf32>
  return %t : tensor<64xf32>
}
