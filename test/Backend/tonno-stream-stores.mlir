// RUN: tonno-opt %s --tonno-stream-stores=fence=true | FileCheck %s
// RUN: tonno-opt %s --tonno-stream-stores | FileCheck %s --check-prefix=PLAIN

// Vectors that go to the marked buffer, however far into it; then a fence.
// CHECK-LABEL: llvm.func @stores(
// CHECK: llvm.store %{{.*}}, %[[OTHER:.+]] {alignment = 4 : i64} : vector<16xf32>
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64, nontemporal} : vector<16xf32>
// CHECK: llvm.store %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.sse.sfence"()
// CHECK-NEXT: llvm.return
// PLAIN-LABEL: llvm.func @stores(
// PLAIN-COUNT-2: nontemporal
// PLAIN-NOT: sfence
llvm.func @stores(%x: !llvm.ptr, %r: !llvm.ptr, %v: vector<16xf32>, %s: f32) attributes {tonno.buffers = [
    {alignment = 64 : i64, type = memref<8x32xf32>}, {alignment = 64 : i64, stream, type = memref<8x32xf32>},
    {alignment = 64 : i64, type = memref<16xf32>}, {alignment = 64 : i64, type = memref<f32>}]} {
  llvm.store %v, %x {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  llvm.store %v, %r {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  %row = llvm.getelementptr %r[32] : (!llvm.ptr) -> !llvm.ptr, f32
  %next = llvm.getelementptr %row[16] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %v, %next {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  llvm.store %s, %r : f32, !llvm.ptr
  llvm.return
}

// Nothing is streamed: no fence.
// CHECK-LABEL: llvm.func @kept(
// CHECK-NOT: nontemporal
// CHECK-NOT: sfence
llvm.func @kept(%r: !llvm.ptr, %v: vector<16xf32>) attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<16xf32>}, {alignment = 64 : i64, type = memref<16xf32>}]} {
  llvm.store %v, %r {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  llvm.return
}

// Of threads, each orders what it has streamed. The mark is no longer there,
// which the translation to LLVM IR would warn of.
// CHECK-LABEL: llvm.func internal @shared.part(
// CHECK-NOT: tonno.stream
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<16xf32>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64, nontemporal} : vector<16xf32>
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.sse.sfence"()
// CHECK-NEXT: llvm.return
llvm.func internal @shared.part(%n: i64, %x: !llvm.ptr, %r: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, tonno.stream}, %v: vector<16xf32>) {
  %place = llvm.getelementptr %r[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %v, %x {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  llvm.store %v, %place {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  llvm.return
}
