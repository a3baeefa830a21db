// expect: verified
// What another compiler has lowered to the end, but for its buffers.
func.func @scale(%x: memref<64xf32>) {
  %base = memref.extract_aligned_pointer_as_index %x : memref<64xf32> -> index
  %address = arith.index_cast %base : index to i64
  %p = llvm.inttoptr %address : i64 to !llvm.ptr
  %two = llvm.mlir.constant(2.0 : f32) : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %n = arith.index_cast %i : index to i64
    %q = llvm.getelementptr %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %q : !llvm.ptr -> f32
    %w = llvm.fmul %v, %two : f32
    llvm.store %w, %q : f32, !llvm.ptr
  }
  return
}
