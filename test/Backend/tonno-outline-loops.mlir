// RUN: tonno-opt %s --tonno-outline-loops=least-loops=2 --split-input-file | FileCheck %s
// RUN: tonno-opt %s --tonno-outline-loops --split-input-file | FileCheck %s --check-prefix=FEW

// Each outer loop becomes a function with the buffers that it uses, and with
// what the kernel's arguments promise. Pure ops are computed again in it.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[A:.+]]: memref<64xf32>, %[[B:.+]]: memref<64xf32>, %[[BYTES:.+]]: memref<512xi8>)
// CHECK-NOT: scf.for
// CHECK: call @two.loop(%[[A]], %[[BYTES]]) : (memref<64xf32>, memref<512xi8>) -> ()
// CHECK: call @two.loop_0(%[[BYTES]], %[[B]]) : (memref<512xi8>, memref<64xf32>) -> ()
// CHECK: return
// CHECK: func.func private @two.loop_0(%{{.+}}: memref<512xi8> {{{.*}}}, %{{.+}}: memref<64xf32> {{{.*}}tonno.stream})
// CHECK: memref.view
// CHECK: scf.for
// CHECK: func.func private @two.loop(%{{.+}}: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias}, %{{.+}}: memref<512xi8> {llvm.align = 64 : i64, llvm.noalias}) attributes {{{.*}}passthrough = ["noinline", "tonno-separate"]}
// CHECK: memref.view
// CHECK: scf.for
// FEW-LABEL: func.func @two(
// FEW-NOT: call
// FEW: scf.for
// FEW: scf.for
func.func @two(%a: memref<64xf32>, %b: memref<64xf32>, %bytes: memref<512xi8>)
    attributes {tonno.buffers = [{alignment = 16 : i64, type = memref<64xf32>},
                                 {alignment = 16 : i64, stream, type = memref<64xf32>},
                                 {alignment = 64 : i64, type = memref<512xi8>}]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %view = memref.view %bytes[%c0][] : memref<512xi8> to memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %a[%i] : memref<64xf32>
    memref.store %x, %view[%i] : memref<64xf32>
  }
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %view[%i] : memref<64xf32>
    memref.store %x, %b[%i] : memref<64xf32>
  }
  return
}

// -----

// Loops with results stay, as do those with values that no pointer passes.
// CHECK-LABEL: func.func @stay(
// CHECK: scf.for {{.*}} iter_args
// CHECK: call @stay.loop(
// CHECK: call @stay.loop_0(
func.func @stay(%a: memref<64xf32>, %r: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> f32 {
    %x = memref.load %a[%i] : memref<64xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  scf.for %i = %c0 to %c64 step %c1 {
    memref.store %sum, %a[%i] : memref<64xf32>
  }
  scf.for %i = %c0 to %c64 step %c1 {
    memref.store %sum, %r[] : memref<f32>
  }
  return
}

// -----

// Numbers in bf16 are passed as integers.
// CHECK-LABEL: func.func @narrow(
// CHECK: %[[X:.*]] = memref.load {{.*}} : memref<64xbf16>
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X]] : bf16 to i16
// CHECK: call @narrow.loop({{.*}}%[[BITS]]{{.*}}) : ({{.*}}i16{{.*}}) -> ()
// CHECK: call @narrow.loop_0({{.*}}) : ({{.*}}vector<8xi16>{{.*}}) -> ()
// CHECK: func.func private @narrow.loop_0({{.*}}vector<8xi16>
// CHECK: arith.bitcast {{.*}} : vector<8xi16> to vector<8xbf16>
// CHECK: func.func private @narrow.loop({{.*}}%[[ARGUMENT:.*]]: i16
// CHECK: arith.bitcast %[[ARGUMENT]] : i16 to bf16
func.func @narrow(%a: memref<64xbf16>, %v: memref<8xvector<8xbf16>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %x = memref.load %a[%c0] : memref<64xbf16>
  %y = memref.load %v[%c0] : memref<8xvector<8xbf16>>
  scf.for %i = %c0 to %c64 step %c1 {
    memref.store %x, %a[%i] : memref<64xbf16>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %y, %v[%i] : memref<8xvector<8xbf16>>
  }
  return
}

// -----

// Functions that a team of threads calls are compiled one by one, too.
// CHECK-LABEL: func.func @team(
// CHECK: omp.parallel
// CHECK: call @team.loop(
// CHECK: func.func private @team.part({{.+}}) attributes {passthrough = ["noinline", "tonno-separate"]}
func.func @team(%a: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : i64
  %threads = arith.constant 2 : i32
  omp.parallel num_threads(%threads : i32) {
    func.call @team.part(%first, %a) : (i64, memref<64xf32>) -> ()
    omp.terminator
  }
  scf.for %i = %c0 to %c64 step %c1 {
    memref.store %zero, %a[%i] : memref<64xf32>
  }
  return
}
func.func private @team.part(%n: i64, %a: memref<64xf32>) attributes {passthrough = ["noinline"]} {
  return
}
