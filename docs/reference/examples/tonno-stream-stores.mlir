// tonno-opt --tonno-stream-stores=fence=true
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
