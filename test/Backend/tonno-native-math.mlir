// RUN: tonno-opt %s --pass-pipeline='builtin.module(gpu.module(tonno-native-math))' | FileCheck %s --check-prefixes=CHECK,NVIDIA
// RUN: tonno-opt %s --pass-pipeline='builtin.module(gpu.module(tonno-native-math{target=amdgpu}))' | FileCheck %s --check-prefixes=CHECK,AMD

gpu.module @m {
  // Only `afn` gives the chip's own, less accurate functions.
  // CHECK-LABEL: func.func @approximate(
  // CHECK-SAME:    %[[X:.+]]: f32, %[[Y:.+]]: f32
  // NVIDIA:        llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[X]])
  // AMD:           llvm.call_intrinsic "llvm.amdgcn.exp2"(%[[X]])
  // CHECK:         math.exp2 %[[X]] : f32
  // NVIDIA:        %[[R:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[Y]])
  // AMD:           %[[R:.+]] = llvm.call_intrinsic "llvm.amdgcn.rcp"(%[[Y]])
  // CHECK:         arith.mulf %[[X]], %[[R]] : f32
  // CHECK:         arith.divf %[[X]], %[[Y]] : f32
  func.func @approximate(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
    %a = math.exp2 %x fastmath<afn> : f32
    %b = math.exp2 %x : f32
    %c = arith.divf %x, %y fastmath<afn> : f32
    %d = arith.divf %x, %y : f32
    return %a, %b, %c, %d : f32, f32, f32, f32
  }

  // CHECK-LABEL: func.func @of_vectors(
  // NVIDIA-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
  // AMD-COUNT-4: llvm.call_intrinsic "llvm.amdgcn.exp2"
  // CHECK:       vector.from_elements
  func.func @of_vectors(%x: vector<4xf32>) -> vector<4xf32> {
    %a = math.exp2 %x fastmath<afn> : vector<4xf32>
    return %a : vector<4xf32>
  }

  // A divisor that elements share has one reciprocal, if `arcp` allows it.
  // CHECK-LABEL: func.func @shared(
  // CHECK-SAME:    %[[X:.+]]: vector<4xf32>, %[[S:.+]]: f32
  // CHECK:         %[[R:.+]] = arith.divf %{{.+}}, %[[S]] : f32
  // CHECK:         %[[V:.+]] = vector.broadcast %[[R]]
  // CHECK:         arith.mulf %[[X]], %[[V]] : vector<4xf32>
  // CHECK:         arith.divf %{{.+}}, %{{.+}} : vector<4xf32>
  // CHECK:         arith.divf %{{.+}}, %{{.+}} fastmath<arcp> : vector<4xf32>
  func.func @shared(%x: vector<4xf32>, %s: f32, %y: vector<4xf32>)
      -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
    %v = vector.broadcast %s : f32 to vector<4xf32>
    %a = arith.divf %x, %v fastmath<arcp> : vector<4xf32>
    %b = arith.divf %x, %v : vector<4xf32>
    %c = arith.divf %x, %y fastmath<arcp> : vector<4xf32>
    return %a, %b, %c : vector<4xf32>, vector<4xf32>, vector<4xf32>
  }
}
