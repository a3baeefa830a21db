// Indices take 32 bits where each is shown to fit.

// RUN: split-file %s %t
// DEFINE: %{choose} = --pass-pipeline='builtin.module(gpu.module(tonno-choose-index-width))'
// RUN: tonno-opt %t/fits.mlir %{choose} | FileCheck %s --check-prefix=NARROW
// RUN: tonno-opt %t/steps.mlir %{choose} | FileCheck %s --check-prefix=NARROW
// RUN: tonno-opt %t/grows.mlir %{choose} | FileCheck %s --check-prefix=WIDE
// RUN: tonno-opt %t/constant.mlir %{choose} | FileCheck %s --check-prefix=WIDE
// RUN: tonno-opt %t/loaded.mlir %{choose} | FileCheck %s --check-prefix=WIDE
// RUN: tonno-opt %t/last.mlir %{choose} | FileCheck %s --check-prefix=WIDE
// RUN: tonno-opt %t/unsigned.mlir %{choose} | FileCheck %s --check-prefix=WIDE
// RUN: tonno-opt %t/buffer.mlir %{choose} | FileCheck %s --check-prefix=WIDE
// NARROW: gpu.module @m attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
// WIDE: gpu.module @m attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>}

// End to end, values beyond 32 bits come out right.
// RUN: tonno-tune %t/kernels.mlir --target=nvptx --chip=sm_90 --device=sim --effort=exhaustive | FileCheck %s --check-prefix=RIGHT
// RUN: tonno-tune %t/kernels.mlir --target=amdgpu --chip=gfx942 --device=sim --effort=exhaustive | FileCheck %s --check-prefix=RIGHT
// RIGHT: @multiples for {{.*}}: 2 of 2 candidates compile and compute the right result
// RIGHT: @steps for {{.*}}: 2 of 2 candidates compile and compute the right result

//--- fits.mlir
gpu.module @m {
  gpu.func @f(%a: memref<1000x1000xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 3907, 1, 1>} {
    %c256 = arith.constant 256 : index
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %p = arith.muli %b, %c256 : index
    %i = arith.addi %p, %t : index
    gpu.return
  }
}
//--- steps.mlir
gpu.module @m {
  gpu.func @f(%a: memref<10xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1000 : index
    %c2 = arith.constant 2147480000 : index
    scf.for %i = %c0 to %c2 step %c1 {
    }
    gpu.return
  }
}
//--- grows.mlir
gpu.module @m {
  gpu.func @f(%a: memref<10xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c = arith.constant 100000000 : index
    %t = gpu.thread_id x
    %p = arith.muli %t, %c : index
    gpu.return
  }
}
//--- constant.mlir
gpu.module @m {
  gpu.func @f(%a: memref<10xf32>) kernel {
    %c = arith.constant 2147483648 : index
    gpu.return
  }
}
//--- loaded.mlir
gpu.module @m {
  gpu.func @f(%a: memref<10xi64>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %a[%c0] : memref<10xi64>
    %i = arith.index_cast %v : i64 to index
    gpu.return
  }
}
//--- last.mlir
// The number behind the last iteration is beyond 32 bits.
gpu.module @m {
  gpu.func @f(%a: memref<10xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 10000 : index
    %c2 = arith.constant 2147480000 : index
    scf.for %i = %c0 to %c2 step %c1 {
    }
    gpu.return
  }
}
//--- unsigned.mlir
// -1 as an unsigned number depends on the bits.
gpu.module @m {
  gpu.func @f(%a: memref<10xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %t = gpu.thread_id x
    %d = arith.subi %t, %c1 : index
    %r = arith.remui %d, %c10 : index
    gpu.return
  }
}
//--- buffer.mlir
gpu.module @m {
  gpu.func @f(%a: memref<3x1000000000xi8>) kernel {
    gpu.return
  }
}
//--- kernels.mlir
func.func @multiples(%a: tensor<100xi64>) -> tensor<100xi64> attributes {x = #tonno.knob<"U" from [1, 2]>} {
  %c = arith.constant 100000000 : index
  %e = tensor.empty() : tensor<100xi64>
  %u = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<100xi64>) outs(%e : tensor<100xi64>) {
  ^bb0(%x: i64, %o: i64):
    %i = linalg.index 0 : index
    %k = arith.muli %i, %c : index
    %q = arith.index_cast %k : index to i64
    %s = arith.addi %q, %x : i64
    linalg.yield %s : i64
  } -> tensor<100xi64>
  return %u : tensor<100xi64>
}
func.func @steps(%a: memref<1xi64>) attributes {x = #tonno.knob<"U" from [1, 2]>} {
  %n = arith.constant 5000000000 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1000000000 : index
  scf.for %i = %c0 to %n step %c1 {
    %q = arith.index_cast %i : index to i64
    memref.store %q, %a[%c0] : memref<1xi64>
  }
  return
}
