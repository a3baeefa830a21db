// `per_unit` limits the registers of the launch that it stands at.

// RUN: tonno-opt %s --tonno-lower-nvptx=chip=sm_90 | FileCheck %s --check-prefix=NVIDIA
// RUN: tonno-opt %s --tonno-lower-amdgpu=chip=gfx942 | FileCheck %s --check-prefix=AMD
// RUN: tonno-compile %s --target=nvptx --chip=sm_90 --emit=llvm -o - | FileCheck %s --check-prefix=LLVM
// RUN: tonno-compile %s --target=amdgpu --chip=gfx942 --emit=llvm -o - | FileCheck %s --check-prefix=LLVM-AMD

// 128 threads are 4 subgroups of 32, or 2 of 64.
// NVIDIA: llvm.func @products_entry_0(
// NVIDIA-NOT: nvvm.minctasm
// NVIDIA: llvm.func @products_entry_1({{.*}} nvvm.minctasm = 3 : i32
// AMD: llvm.func @products_entry_0(
// AMD-NOT: rocdl.waves_per_eu
// AMD: llvm.func @products_entry_1({{.*}} rocdl.waves_per_eu = 2 : i32
// LLVM: "nvvm.maxntid"="128,1,1" "nvvm.minctasm"="3"
// LLVM-AMD: "amdgpu-waves-per-eu"="2"
func.func @products(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %first = linalg.matmul {tonno.lowering_config = {per_unit = 1, workgroup = [64, 64, 0], reduction = [0, 0, 16], thread = [4, 8, 0]}}
      ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  %second = linalg.matmul {tonno.lowering_config = {per_unit = 3, workgroup = [64, 64, 0], reduction = [0, 0, 16], thread = [4, 8, 0]}}
      ins(%first, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %second : tensor<512x512xf32>
}
