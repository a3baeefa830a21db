// The choices of an upstream schedule are knobs, and its constraints
// constraints.

// RUN: tonno-opt %s --tonno-extract -o /dev/null | FileCheck %s --check-prefix=SPACE
// RUN: tonno-opt %s --tonno-apply | FileCheck %s --check-prefix=DEFAULT --implicit-check-not=constrain_params
// RUN: tonno-opt %s --tonno-apply='set=tile-m=32,N=8,order=1,animal=dog keep' > %t.kept.mlir
// RUN: FileCheck %s --check-prefix=KEEP < %t.kept.mlir
// RUN: tonno-opt %t.kept.mlir --tonno-extract -o /dev/null > %t.kept.json
// RUN: tonno-opt %s --tonno-extract -o /dev/null | diff - %t.kept.json
// RUN: tonno-opt %s --tonno-strip | mlir-opt | FileCheck %s --check-prefix=STRIP --implicit-check-not=tonno

// SPACE: "constraints": [
// SPACE-NEXT: "(N < 64)",
// SPACE-NEXT: "((`tile-m` * N) <= (256))",
// SPACE-NEXT: "(((`tile-m` mod N) == 0))"
// SPACE-NEXT: ],
// SPACE: "name": "tile-m",
// SPACE: "default": 4,
// SPACE-NEXT: "name": "N",
// SPACE: "default": "cat",
// SPACE-NEXT: "name": "animal",
// SPACE-NEXT: "options": [
// SPACE-NEXT: "cat",
// SPACE-NEXT: "dog",
// SPACE-NEXT: {
// SPACE-NEXT: "mlir": "unit"
// SPACE: "default": 0,
// SPACE-NEXT: "name": "order",
// SPACE-NEXT: "options": [
// SPACE-NEXT: 0,
// SPACE-NEXT: 1
// SPACE-NEXT: ]

// KEEP: transform.tune.knob<"tile-m"> = 32 : i64 from options = [16, 32]
// KEEP: transform.tune.knob<"N"> = 8 : i64 from options = #tonno.pow2<4 to 64>
// KEEP: transform.tune.knob<"animal"> = "dog" from
// KEEP: transform.smt.constrain_params
// KEEP: transform.tune.alternatives<"order"> selected_region = 1
// KEEP: transform.tune.alternatives<"inner"> selected_region = %

// DEFAULT: transform.tune.knob<"tile-m"> = 16 : i64 from
// DEFAULT: transform.tune.knob<"N"> = 4 : i64 from
// DEFAULT: transform.tune.alternatives<"order"> selected_region = 0

// STRIP: transform.tune.knob<"N"> = 4 : i64 from options = [4, 8, 16, 32, 64]

module attributes {transform.with_named_sequence} {
  func.func @payload(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>)
        outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
    return %0 : tensor<128x128xf32>
  }
  // Included once, so that its argument is the knob it is given.
  transform.named_sequence @limited(%n: !transform.param<i64> {transform.readonly}) {
    transform.smt.constrain_params(%n) : (!transform.param<i64>) -> () {
    ^bb0(%v: !smt.int):
      %c64 = smt.int.constant 64
      %ok = smt.int.cmp lt %v, %c64
      smt.assert %ok
    }
    transform.yield
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %m = transform.tune.knob<"tile-m"> options = [16, 32] -> !transform.param<i64>
    %n = transform.tune.knob<"N"> options = #tonno.pow2<4 to 64> -> !transform.param<i64>
    %animal = transform.tune.knob<"animal"> options = ["cat", "dog", unit] -> !transform.any_param
    %fixed = transform.tune.knob<"elsewhere"> = 4242 from options = affine_set<(d0) : (d0 - 2 >= 0)> -> !transform.any_param
    %limit = transform.param.constant 256 : i64 -> !transform.param<i64>
    %n2 = transform.smt.constrain_params(%m, %n, %limit) : (!transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.param<i64>) {
    ^bb0(%vm: !smt.int, %vn: !smt.int, %vl: !smt.int):
      %area = smt.int.mul %vm, %vn
      %fits = smt.int.cmp le %area, %vl
      smt.assert %fits
      %c0 = smt.int.constant 0
      %rest = smt.int.mod %vm, %vn
      %divides = smt.eq %rest, %c0 : !smt.int
      smt.assert %divides
      smt.yield %vn : !smt.int
    }
    transform.include @limited failures(propagate) (%n2) : (!transform.param<i64>) -> ()
    %mm = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled = transform.tune.alternatives<"order"> -> !transform.any_op {
      %t, %l = transform.structured.tile_using_for %mm tile_sizes [%m] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
      transform.yield %t : !transform.any_op
    }, {
      %t, %l = transform.structured.tile_using_for %mm tile_sizes [0, %n2] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
      transform.yield %t : !transform.any_op
    }
    %which = transform.param.constant 0 : i64 -> !transform.param<i64>
    transform.tune.alternatives<"inner"> selected_region = %which : !transform.param<i64> {
      transform.yield
    }
    transform.yield
  }
}
