// A process that has linked nothing yet can compile inline assembly: the parser
// of assembly is initialised with the target, not by lld.

// RUN: tonno-compile %s --emit=obj -o %t.o
// RUN: tonno-compile %s --emit=so -o %t.so
// RUN: llvm-nm %t.o | FileCheck %s
// CHECK: T twice_entry

func.func @twice(%a: memref<64xf32>, %r: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xf32>
    %y = arith.addf %x, %x : f32
    llvm.inline_asm has_side_effects "nop", "" : () -> ()
    affine.store %y, %r[%i] : memref<64xf32>
  }
  return
}
