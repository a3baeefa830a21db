// RUN: tonno-opt %s --tonno-strip | FileCheck %s --check-prefix=STRIP
// RUN: tonno-opt %s --tonno-inline-calls=kernel=rows --tonno-size-arguments=kernel=rows | FileCheck %s --check-prefix=LOWER
// RUN: tonno-opt %s --tonno-specialize-shapes="kernel=rows shapes=R=5" | FileCheck %s --check-prefix=FIVE

// A kernel that dispatches becomes the one that takes all sizes.
// STRIP-NOT:     variant
// STRIP-LABEL: func.func @rows(
// STRIP-NOT:     tonno.tuned
// STRIP:         linalg.exp {tonno.lowering_config = {workgroup = [16, 0]}}
// STRIP-NOT:     @rows.all

// Each branch writes into the result's buffer.
// LOWER-NOT:   func.func private
// LOWER-LABEL: func.func @rows(
// LOWER:         %[[N:.*]] = arith.index_cast
// LOWER-NOT:     tensor.dim
// LOWER:         %[[FEW:.*]] = arith.cmpi sle, %[[N]],
// LOWER:         scf.if %[[FEW]] {
// LOWER:           linalg.exp {tonno.lowering_config = {workgroup = [4, 0]}}
// LOWER:           bufferization.materialize_in_destination
// LOWER:         } else {
// LOWER:           linalg.exp {tonno.lowering_config = {workgroup = [#T, 0]}}
// LOWER:           bufferization.materialize_in_destination
// LOWER:         }

// At a known size, one variant is left.
// FIVE-NOT:   tonno.variants
// FIVE-LABEL: func.func @rows(%{{.*}}: tensor<5x32xf32>
// FIVE-NOT:     scf.if
// FIVE:         call @rows.variant0
// FIVE-NOT:     call

func.func private @rows.variant0(%x: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %0 = linalg.exp {tonno.lowering_config = {workgroup = [4, 0]}} ins(%x : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
func.func private @rows.all(%x: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %0 = linalg.exp {tonno.lowering_config = {workgroup = [#tonno.knob<"T" = 16 from [4, 16]>, 0]}} ins(%x : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
func.func @rows(%x: tensor<?x32xf32> {tonno.dims = ["R", "C"]}) -> tensor<?x32xf32> attributes {tonno.tuned = {}, tonno.variants = [@rows.variant0, @rows.all]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  %c9 = arith.constant 9 : index
  %few = arith.cmpi sle, %n, %c9 : index
  %r = scf.if %few -> tensor<?x32xf32> {
    %0 = func.call @rows.variant0(%x) : (tensor<?x32xf32>) -> tensor<?x32xf32>
    scf.yield %0 : tensor<?x32xf32>
  } else {
    %0 = func.call @rows.all(%x) : (tensor<?x32xf32>) -> tensor<?x32xf32>
    scf.yield %0 : tensor<?x32xf32>
  }
  return %r : tensor<?x32xf32>
}
