// RUN: tonno-opt %s --tonno-form-kernels=chip=x86_64-linux-gnu:znver4 --split-input-file | FileCheck %s
// RUN: not tonno-opt %s --tonno-form-kernels=chip=pentium12 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: {{.*}}pentium12

// Equal layers share a kernel. It contains the constant, the fill and the
// broadcast; the product's bias and the maximum are fused with it.
// CHECK-LABEL: func.func @mlp(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<64x64xf32>, %[[W0:[^:]*]]: {{[^,]*}}, %[[W1:[^:]*]]: {{[^,]*}}, %[[B:[^:]*]]:
// CHECK-NEXT:    %[[H:.*]] = call @mlp.kernel_0(%[[X]], %[[W0]], %[[B]])
// CHECK-NEXT:    %[[R:.*]] = call @mlp.kernel_0(%[[H]], %[[W1]], %[[B]])
// CHECK-NEXT:    return %[[R]]
// CHECK:       func.func private @mlp.kernel_0(
// CHECK-DAG:     arith.constant
// CHECK-DAG:     linalg.fill
// CHECK-DAG:     linalg.broadcast
// CHECK-DAG:     linalg.matmul
// CHECK:         linalg.add
// CHECK:         linalg.max
// CHECK-NOT:   func.func
func.func @mlp(%x: tensor<64x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %b: tensor<64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %bias = linalg.broadcast ins(%b : tensor<64xf32>) outs(%empty : tensor<64x64xf32>) dimensions = [0]
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a0 = linalg.add ins(%p0, %bias : tensor<64x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r0 = linalg.max ins(%a0, %init : tensor<64x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%r0, %w1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a1 = linalg.add ins(%p1, %bias : tensor<64x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r1 = linalg.max ins(%a1, %init : tensor<64x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r1 : tensor<64x64xf32>
}

// -----

// Kernels are named by location. What stands between the ops does not make them
// different, nor does which slice they read.
// CHECK-LABEL: func.func @heads(
// CHECK:         %[[S0:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0]
// CHECK-NEXT:    %[[P0:.*]] = call @heads.attention.scores(%[[S0]],
// CHECK-NEXT:    %[[S1:.*]] = tensor.extract_slice %{{.*}}[1, 0, 0]
// CHECK-NEXT:    call @heads.attention.scores(%[[S1]], %[[P0]])
// CHECK:       func.func private @heads.attention.scores(
// CHECK-NOT:     tensor.extract_slice
// CHECK:         linalg.matmul
// CHECK-NOT:   func.func
func.func @heads(%x: tensor<2x64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.extract_slice %x[0, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<2x64x64xf32> to tensor<64x64xf32>
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p0 = linalg.matmul ins(%s0, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32> loc("attention.scores")
  %s1 = tensor.extract_slice %x[1, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<2x64x64xf32> to tensor<64x64xf32>
  %p1 = linalg.matmul ins(%s1, %p0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32> loc("second")
  return %p1 : tensor<64x64xf32>
}

// -----

// A name with a scope says more than that of the last op.
// CHECK-LABEL: func.func @scopes(
// CHECK:         call @scopes.layer0.dot(
// CHECK-NEXT:    call @scopes.max(
func.func @scopes(%x: tensor<64x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x64xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i0 : tensor<64x64xf32>) -> tensor<64x64xf32> loc("layer0.dot")
  %r0 = linalg.max ins(%p0, %i0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32> loc("max")
  %e1 = tensor.empty() : tensor<64x32xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p1 = linalg.matmul ins(%r0, %w1 : tensor<64x64xf32>, tensor<64x32xf32>) outs(%i1 : tensor<64x32xf32>) -> tensor<64x32xf32> loc("dot")
  %r1 = linalg.max ins(%p1, %i1 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e1 : tensor<64x32xf32>) -> tensor<64x32xf32> loc("max")
  return %r1 : tensor<64x32xf32>
}

// -----

// A kernel's result is written where it is padded, so no kernel contains the
// pad. An argument is copied by the kernel that reads it.
// CHECK-LABEL: func.func @pads(
// CHECK:         %[[P0:.*]] = call @pads.kernel_0(%{{[^:]*}}, %{{[^:]*}}) : (tensor<1x30x30x16xf32>
// CHECK-NEXT:    %[[P1:.*]] = tensor.pad %[[P0]]
// CHECK:         call @pads.kernel_1(%[[P1]], {{.*}}) : (tensor<1x32x32x32xf32>
// CHECK:       func.func private @pads.kernel_0(
// CHECK:         tensor.pad
// CHECK:       func.func private @pads.kernel_1(
// CHECK-NOT:     tensor.pad
func.func @pads(%x: tensor<1x30x30x16xf32>, %w0: tensor<3x3x16x32xf32>, %w1: tensor<3x3x32x16xf32>) -> tensor<1x30x30x16xf32> {
  %zero = arith.constant 0.0 : f32
  %x1 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x30x30x16xf32> to tensor<1x32x32x16xf32>
  %e0 = tensor.empty() : tensor<1x30x30x32xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x30x30x32xf32>) -> tensor<1x30x30x32xf32>
  %p0 = linalg.conv_2d_nhwc_hwcf ins(%x1, %w0 : tensor<1x32x32x16xf32>, tensor<3x3x16x32xf32>) outs(%i0 : tensor<1x30x30x32xf32>) -> tensor<1x30x30x32xf32>
  %x2 = tensor.pad %p0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x30x30x32xf32> to tensor<1x32x32x32xf32>
  %e1 = tensor.empty() : tensor<1x30x30x16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x30x30x16xf32>) -> tensor<1x30x30x16xf32>
  %p1 = linalg.conv_2d_nhwc_hwcf ins(%x2, %w1 : tensor<1x32x32x32xf32>, tensor<3x3x32x16xf32>) outs(%i1 : tensor<1x30x30x16xf32>) -> tensor<1x30x30x16xf32>
  return %p1 : tensor<1x30x30x16xf32>
}

// -----

// Several slices of one tensor are part of the kernel that reads them.
// CHECK-LABEL: func.func @stencil(
// CHECK-NEXT:    %[[D:.*]] = call @stencil.kernel_0(%{{[^,]*}}) : (tensor<4098xf32>)
// CHECK-NEXT:    %[[E:.*]] = tensor.expand_shape %[[D]]
// CHECK-NEXT:    call @stencil.kernel_1(%[[E]])
// CHECK:       func.func private @stencil.kernel_0(
// CHECK-COUNT-2: tensor.extract_slice
// CHECK:       func.func private @stencil.kernel_1(
func.func @stencil(%x: tensor<4098xf32>) -> tensor<4096xf32> {
  %empty = tensor.empty() : tensor<4096xf32>
  %left = tensor.extract_slice %x[0] [4096] [1] : tensor<4098xf32> to tensor<4096xf32>
  %right = tensor.extract_slice %x[2] [4096] [1] : tensor<4098xf32> to tensor<4096xf32>
  %d = linalg.sub ins(%left, %right : tensor<4096xf32>, tensor<4096xf32>) outs(%empty : tensor<4096xf32>) -> tensor<4096xf32>
  %square = tensor.expand_shape %d [[0, 1]] output_shape [64, 64] : tensor<4096xf32> into tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %t = linalg.transpose ins(%square : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
  %flat = tensor.collapse_shape %t [[0, 1]] : tensor<64x64xf32> into tensor<4096xf32>
  return %flat : tensor<4096xf32>
}

// -----

// A vector op beside a product is no kernel, but a product is, although its
// result is only copied to the places of a larger tensor.
// CHECK-LABEL: func.func @cheap(
// CHECK-NEXT:    %[[P:.*]] = call @cheap.kernel_0({{.*}} -> tensor<64x64xf32>
// CHECK-NEXT:    call @cheap.kernel_1(%{{.*}}, %[[P]]) : (tensor<64xf32>, tensor<64x64xf32>)
// CHECK:       func.func private @cheap.kernel_0(
// CHECK:         linalg.matmul
// CHECK:       func.func private @cheap.kernel_1(
// CHECK:         linalg.exp {{.*}}tensor<64xf32>
// CHECK:         linalg.matmul
// CHECK-NOT:   func.func
func.func @cheap(%x: tensor<64x64xf32>, %v: tensor<64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %small = tensor.empty() : tensor<64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = linalg.exp ins(%v : tensor<64xf32>) outs(%small : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.broadcast ins(%e : tensor<64xf32>) outs(%empty : tensor<64x64xf32>) dimensions = [1]
  %s = linalg.matmul ins(%b, %p : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

// -----

// Kernels in a loop are called in the loop. The fill around it is repeated in
// the kernel.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[X:[^:]*]]: {{[^,]*}}, %[[W:[^:]*]]:
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for {{.*}} iter_args(%[[H:.*]] = %[[X]])
// CHECK:           func.call @loop.kernel_0(%[[H]], %[[W]])
// CHECK:           scf.yield
// CHECK:         call @loop.kernel_1(
func.func @loop(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%h = %x) -> tensor<64x64xf32> {
    %p = linalg.matmul ins(%h, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %p : tensor<64x64xf32>
  }
  %e = linalg.exp ins(%r : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %e : tensor<64x64xf32>
}

// -----

// Callees become part of kernels. One group is no model, and knobs belong to
// their function.
// CHECK-LABEL: func.func @single(
// CHECK:         linalg.matmul
// CHECK-NOT:     call
// CHECK-LABEL: func.func @marked(
// CHECK:         tonno.lowering_config
// CHECK-NOT:     call
func.func @single(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %init: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
func.func @marked(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %init: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %p = linalg.matmul {tonno.lowering_config = {workgroup = [#tonno.knob<"BM" from [8, 16]>, 0, 0]}} ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = linalg.matmul ins(%p, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// -----

// A function with one group keeps its calls.
// CHECK-LABEL: func.func @one_call(
// CHECK-NEXT:    call @product(
func.func private @product(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
func.func @one_call(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %p = call @product(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// -----

// Kernels keep the attributes that compiling and measuring them read. A shared
// kernel has the contents of arguments of all of its calls. Callees that became
// part of kernels are erased.
// CHECK-NOT:   @layer
// CHECK-LABEL: func.func @attributes(
// CHECK:         %[[P:.*]] = call @attributes.kernel_0(
// CHECK-NEXT:    %[[Q:.*]] = call @attributes.kernel_0(
// CHECK-NEXT:    return %[[P]], %[[Q]]
// CHECK:       func.func private @attributes.kernel_0(
// CHECK-SAME:    %{{[^:]*}}: tensor<64x64xf32> {tonno.input = #tonno.input<"uniform(0, 1)">},
// CHECK-SAME:    %{{[^:]*}}: tensor<64x64xf32> {tonno.input = #tonno.input<"uniform(0, 1)">})
// CHECK-SAME:    attributes {tonno.fp_contract = "fast"}
// CHECK-NOT:   func.func
func.func private @layer(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
func.func @attributes(%x: tensor<64x64xf32>, %w: tensor<64x64xf32> {tonno.input = #tonno.input<"uniform(0, 1)">})
    -> (tensor<64x64xf32>, tensor<64x64xf32>) attributes {tonno.fp_contract = "fast"} {
  %p = call @layer(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = call @layer(%w, %p) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Data that are declared for an argument hold for its views; a permutation for
// those with all elements. So does an alignment, without an offset. A kernel of
// several calls has the least alignment of them, and is promised constant
// contents only if all of them are.
// CHECK-LABEL: func.func @views(
// CHECK:       func.func private @views.kernel_0(
// CHECK-SAME:    %{{[^:]*}}: tensor<64x64xf32> {tonno.alignment = 32 : i64, tonno.input = #tonno.input<"uniform(0, 1)">},
// CHECK-SAME:    %{{[^:]*}}: tensor<64x64xf32> {tonno.constant, tonno.input = #tonno.input<"uniform(2, 3)">})
// CHECK:       func.func private @views.kernel_1(
// CHECK-SAME:    %{{[^:]*}}: tensor<1024xf32>, %{{[^:]*}}: tensor<1024xi64>, %{{[^:]*}}: tensor<1024xi64> {tonno.input = #tonno.input<"permutation">})
func.func @views(%x: tensor<4096xf32> {tonno.alignment = 64 : i64, tonno.constant, tonno.input = #tonno.input<"uniform(0, 1)">},
                 %y: tensor<4096xf32> {tonno.alignment = 32 : i64},
                 %w: tensor<65x64xf32> {tonno.alignment = 64 : i64, tonno.constant, tonno.input = #tonno.input<"uniform(2, 3)">},
                 %a: tensor<32x32xf32> {tonno.input = #tonno.input<"npy(\22a.npy\22)">},
                 %i: tensor<1025xi64> {tonno.input = #tonno.input<"permutation">},
                 %j: tensor<32x32xi64> {tonno.input = #tonno.input<"permutation">})
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<1024xi64>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x2 = tensor.expand_shape %x [[0, 1]] output_shape [64, 64] : tensor<4096xf32> into tensor<64x64xf32>
  %y2 = tensor.expand_shape %y [[0, 1]] output_shape [64, 64] : tensor<4096xf32> into tensor<64x64xf32>
  %w2 = tensor.extract_slice %w[1, 0] [64, 64] [1, 1] : tensor<65x64xf32> to tensor<64x64xf32>
  %p = linalg.matmul ins(%x2, %w2 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = linalg.matmul ins(%y2, %w2 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a1 = tensor.collapse_shape %a [[0, 1]] : tensor<32x32xf32> into tensor<1024xf32>
  %i1 = tensor.extract_slice %i[0] [1024] [1] : tensor<1025xi64> to tensor<1024xi64>
  %j1 = tensor.collapse_shape %j [[0, 1]] : tensor<32x32xi64> into tensor<1024xi64>
  %n = tensor.empty() : tensor<1024xi64>
  %s = linalg.map ins(%a1, %i1, %j1 : tensor<1024xf32>, tensor<1024xi64>, tensor<1024xi64>) outs(%n : tensor<1024xi64>) (%u: f32, %v: i64, %k: i64, %o: i64) {
    %f = arith.fptosi %u : f32 to i64
    %g = arith.addi %f, %v : i64
    %h = arith.addi %g, %k : i64
    linalg.yield %h : i64
  }
  return %p, %q, %s : tensor<64x64xf32>, tensor<64x64xf32>, tensor<1024xi64>
}

// -----

// An op with side effects is in no kernel, and neither are the ops that are
// fused with it.
// CHECK-LABEL: func.func @effects(
// CHECK:         linalg.exp
// CHECK:         memref.store
// CHECK:         call @effects.kernel_0(
// CHECK:       func.func private @effects.kernel_0(
// CHECK:         linalg.matmul
// CHECK-NOT:   func.func
#same = affine_map<(i, j) -> (i, j)>
func.func @effects(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %m: memref<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %empty = tensor.empty() : tensor<64x64xf32>
  %e = linalg.exp ins(%x : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.generic {tonno.lowering_config = {fuse = [8, 0]}, indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%e : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    memref.store %in, %m[%i, %j] : memref<64x64xf32>
    linalg.yield %in : f32
  } -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%w : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s, %p : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// The module's only schedule lowers the function, which is not split.
// CHECK-LABEL: func.func @scheduled(
// CHECK-NOT:     call
// CHECK:         return
module attributes {transform.with_named_sequence} {
  func.func @scheduled(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %p = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%w : tensor<64x64xf32>) -> tensor<64x64xf32>
    %q = linalg.matmul ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%w : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// -----

// Dead ops form no kernels.
// CHECK-LABEL: func.func @dead(
// CHECK-NEXT:    %[[P:.*]] = call
// CHECK-NEXT:    %[[Q:.*]] = call
// CHECK-NEXT:    return %[[P]], %[[Q]]
func.func @dead(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %p = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%w : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.matmul ins(%w, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = linalg.matmul ins(%w, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%w : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
}
