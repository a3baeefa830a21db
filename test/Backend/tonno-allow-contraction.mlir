// RUN: tonno-opt %s --tonno-allow-contraction --split-input-file | FileCheck %s
// RUN: tonno-opt %s --tonno-round-each-op --split-input-file | FileCheck %s --check-prefix=ROUND

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The sum of a reduction and the product that it adds, not what else is there.
// CHECK-LABEL: func.func @variance(
// CHECK: %[[D:.+]] = arith.subf %{{.+}}, %{{.+}} : f32
// CHECK: %[[P:.+]] = arith.mulf %[[D]], %[[D]] fastmath<contract> : f32
// CHECK: arith.addf %{{.+}}, %[[P]] fastmath<contract> : f32
func.func @variance(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %d = arith.subf %a, %b : f32
    %p = arith.mulf %d, %d : f32
    %n = arith.addf %sum, %p : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Flags that an op has already stay.
// CHECK-LABEL: func.func @flags(
// CHECK: arith.mulf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK: arith.addf %{{.+}}, %{{.+}} fastmath<reassoc,contract> : f32
func.func @flags(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %p = arith.mulf %a, %a : f32
    %n = arith.addf %sum, %p fastmath<reassoc> : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @elementwise(
// CHECK: arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK: arith.addf %{{.+}}, %{{.+}} : f32
func.func @elementwise(%x: tensor<4x8xf32>, %s: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%s : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %a : f32
    %n = arith.addf %b, %p : f32
    linalg.yield %n : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Conversions have no flags at first.
// CHECK-LABEL: func.func @fast_conversion(
// CHECK: arith.extf %{{.+}} fastmath<contract> : bf16 to f32
func.func @fast_conversion(%x: bf16) -> f32 attributes {tonno.fp_contract = "fast"} {
  %r = arith.extf %x : bf16 to f32
  return %r : f32
}

// CHECK-LABEL: func.func @fast(
// CHECK: arith.mulf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK: arith.addf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK: llvm.fsub %{{.+}}, %{{.+}} {fastmathFlags = #llvm.fastmath<contract>} : f32
func.func @fast(%x: f32, %y: f32) -> f32 attributes {tonno.fp_contract = "fast"} {
  %p = arith.mulf %x, %y : f32
  %n = arith.addf %p, %x : f32
  %d = llvm.fsub %n, %y : f32
  return %d : f32
}

// -----

// The kernel that others are compared with rounds each operation.
// CHECK-LABEL: func.func @strict(
// CHECK: arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK: arith.addf %{{.+}}, %{{.+}} : f32
module attributes {tonno.strict} {
  func.func @strict(%x: f32, %y: f32) -> f32 attributes {tonno.fp_contract = "fast"} {
    %p = arith.mulf %x, %y : f32
    %n = arith.addf %p, %x : f32
    return %n : f32
  }
}

// -----

// ROUND-LABEL: func.func @roundings(
// ROUND: arith.truncf %{{.+}} : f32 to bf16
// ROUND: arith.truncf %{{.+}} fastmath<contract> : f32 to bf16
// ROUND: arith.truncf %{{.+}} : f32 to bf16
func.func @roundings(%x: f32, %y: f32) -> (bf16, bf16, bf16) {
  %p = arith.mulf %x, %y : f32
  %rp = arith.truncf %p fastmath<contract> : f32 to bf16
  %q = arith.mulf %x, %y fastmath<contract> : f32
  %rq = arith.truncf %q fastmath<contract> : f32 to bf16
  %rx = arith.truncf %x fastmath<contract> : f32 to bf16
  return %rp, %rq, %rx : bf16, bf16, bf16
}

// -----

// A comparison reads the number as it is rounded, unless it may be contracted;
// other ops don't.
// ROUND-LABEL: func.func @compare(
// ROUND:       %[[SUM:.+]] = arith.addf
// ROUND:       %[[NARROW:.+]] = arith.truncf %[[SUM]] fastmath<contract>
// ROUND-DAG:   %[[ROUNDED:.+]] = arith.extf %[[NARROW]] fastmath<none> : bf16 to f32
// ROUND-DAG:   %[[WIDE:.+]] = arith.extf %[[NARROW]] fastmath<contract> : bf16 to f32
// ROUND:       arith.cmpf ogt, %[[ROUNDED]],
// ROUND:       arith.cmpf olt, %[[WIDE]], {{.*}} fastmath<contract>
// ROUND:       arith.mulf %[[WIDE]],
func.func @compare(%x: f32, %y: f32) -> (i1, i1, f32) {
  %sum = arith.addf %x, %y fastmath<contract> : f32
  %narrow = arith.truncf %sum fastmath<contract> : f32 to bf16
  %wide = arith.extf %narrow fastmath<contract> : bf16 to f32
  %a = arith.cmpf ogt, %wide, %y : f32
  %b = arith.cmpf olt, %wide, %y fastmath<contract> : f32
  %c = arith.mulf %wide, %y : f32
  return %a, %b, %c : i1, i1, f32
}
