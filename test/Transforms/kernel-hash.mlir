// A kernel keeps its hash unless it computes something else.
// RUN: split-file %s %t
// DEFINE: %{input} =
// DEFINE: %{hash} = tonno-opt %{input} --tonno-extract -o /dev/null | grep '"hash"'

// REDEFINE: %{input} = %t/kernel.mlir
// RUN: %{hash} > %t/hash
// REDEFINE: %{input} = %t/renamed.mlir
// RUN: %{hash} | diff %t/hash -
// REDEFINE: %{input} = %t/more-options.mlir
// RUN: %{hash} | diff %t/hash -

// From bytecode, with locations in it, read by either tool.
// RUN: tonno-opt %t/kernel.mlir --emit-bytecode -o %t/ours.mlirbc
// REDEFINE: %{input} = %t/ours.mlirbc
// RUN: %{hash} | diff %t/hash -
// RUN: %mlir_opt_with_plugin %t/renamed.mlir --emit-bytecode -o %t/theirs.mlirbc
// REDEFINE: %{input} = %t/theirs.mlirbc
// RUN: %{hash} | diff %t/hash -
// RUN: tonno-opt %t/kernel.mlir --mlir-print-op-generic --mlir-print-debuginfo -o %t/generic.mlir
// REDEFINE: %{input} = %t/generic.mlir
// RUN: %{hash} | diff %t/hash -
// RUN: %mlir_opt_with_plugin %t/kernel.mlir --pass-pipeline='builtin.module(tonno-extract)' -o /dev/null | grep '"hash"' | diff %t/hash -

// A selected option or the result of tuning changes nothing either.
// RUN: tonno-opt %t/kernel.mlir --tonno-apply='set=BM=64 keep' -o %t/selected.mlir
// REDEFINE: %{input} = %t/selected.mlir
// RUN: %{hash} | diff %t/hash -

// What does: the callee's callee, the module's attributes, a knob's name, the
// type of its numbers.
// REDEFINE: %{input} = %t/other-callee.mlir
// RUN: %{hash} > %t/other
// RUN: not cmp %t/hash %t/other
// REDEFINE: %{input} = %t/other-module.mlir
// RUN: %{hash} > %t/other
// RUN: not cmp %t/hash %t/other
// REDEFINE: %{input} = %t/other-knob.mlir
// RUN: %{hash} > %t/other
// RUN: not cmp %t/hash %t/other
// RUN: sed 's/32, 64/32 : i32, 64 : i32/' %t/kernel.mlir > %t/other-type.mlir
// REDEFINE: %{input} = %t/other-type.mlir
// RUN: %{hash} > %t/other
// RUN: not cmp %t/hash %t/other

//--- kernel.mlir
#BM = #tonno.knob<"BM" from [32, 64]>
func.func private @inner(%x: f32) -> f32 { return %x : f32 }
func.func private @callee(%x: f32) -> f32 {
  %0 = call @inner(%x) : (f32) -> f32
  return %0 : f32
}
func.func @kernel(%x: f32, %m: memref<4xf32, #BM>) -> f32 attributes {x.k = #BM} {
  %0 = call @callee(%x) : (f32) -> f32
  %1 = arith.addf %0, %x : f32
  cf.br ^end(%1 : f32)
^end(%2: f32):
  return %2 : f32
}

//--- renamed.mlir
// Other names, places and bystanders; tuned before.
func.func private @bystander() { return }
func.func private @inner(%a: f32) -> f32 { return %a : f32 }
func.func private @callee(%b: f32) -> f32 {
  %c = call @inner(%b) : (f32) -> f32
  return %c : f32
}
func.func @kernel(%in: f32, %mem: memref<4xf32, #tonno.knob<"BM" from [32, 64]>>) -> f32
    attributes {tonno.tuned = {verdict = "tie"}, x.k = #tonno.knob<"BM" from [32, 64]>} {
  %called = call @callee(%in) : (f32) -> f32
  %sum = arith.addf %called, %in : f32
  cf.br ^bb7(%sum : f32)
^bb7(%out: f32):
  return %out : f32
}

//--- more-options.mlir
#BM = #tonno.knob<"BM" from [16, 32, 64] default 32>
func.func private @inner(%x: f32) -> f32 { return %x : f32 }
func.func private @callee(%x: f32) -> f32 {
  %0 = call @inner(%x) : (f32) -> f32
  return %0 : f32
}
func.func @kernel(%x: f32, %m: memref<4xf32, #BM>) -> f32 attributes {x.k = #BM} {
  %0 = call @callee(%x) : (f32) -> f32
  %1 = arith.addf %0, %x : f32
  cf.br ^end(%1 : f32)
^end(%2: f32):
  return %2 : f32
}

//--- other-callee.mlir
#BM = #tonno.knob<"BM" from [32, 64]>
func.func private @inner(%x: f32) -> f32 { %0 = arith.negf %x : f32 return %0 : f32 }
func.func private @callee(%x: f32) -> f32 {
  %0 = call @inner(%x) : (f32) -> f32
  return %0 : f32
}
func.func @kernel(%x: f32, %m: memref<4xf32, #BM>) -> f32 attributes {x.k = #BM} {
  %0 = call @callee(%x) : (f32) -> f32
  %1 = arith.addf %0, %x : f32
  cf.br ^end(%1 : f32)
^end(%2: f32):
  return %2 : f32
}

//--- other-module.mlir
#BM = #tonno.knob<"BM" from [32, 64]>
module attributes {x.a = 1} {
func.func private @inner(%x: f32) -> f32 { return %x : f32 }
func.func private @callee(%x: f32) -> f32 {
  %0 = call @inner(%x) : (f32) -> f32
  return %0 : f32
}
func.func @kernel(%x: f32, %m: memref<4xf32, #BM>) -> f32 attributes {x.k = #BM} {
  %0 = call @callee(%x) : (f32) -> f32
  %1 = arith.addf %0, %x : f32
  cf.br ^end(%1 : f32)
^end(%2: f32):
  return %2 : f32
}
}

//--- other-knob.mlir
#BN = #tonno.knob<"BN" from [32, 64]>
func.func private @inner(%x: f32) -> f32 { return %x : f32 }
func.func private @callee(%x: f32) -> f32 {
  %0 = call @inner(%x) : (f32) -> f32
  return %0 : f32
}
func.func @kernel(%x: f32, %m: memref<4xf32, #BN>) -> f32 attributes {x.k = #BN} {
  %0 = call @callee(%x) : (f32) -> f32
  %1 = arith.addf %0, %x : f32
  cf.br ^end(%1 : f32)
^end(%2: f32):
  return %2 : f32
}
