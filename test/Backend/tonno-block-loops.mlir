// RUN: tonno-opt %s --pass-pipeline='builtin.module(func.func(tonno-block-loops),canonicalize)' | FileCheck %s

// Parts for threads, terms for the cache, four rows and four terms at a time;
// along rows of both operands and of the result. The loop along rows loads no
// element of %a again.
// CHECK-LABEL: func.func @matmul(
// CHECK: scf.forall (%[[J:.+]], %[[I:.+]]) = (0, 0) to (1024, 512) step (512, 16)
// CHECK: scf.for %{{.+}} = %c0 to %c256 step %c128
// CHECK: affine.for %{{.+}} = 0 to 16 step 4
// CHECK-NEXT: affine.for %{{.+}} = 0 to 128 step 4
// CHECK-COUNT-16: affine.load %[[A:.+]][
// CHECK-NEXT: affine.for %{{.+}} = 0 to 512
// CHECK-NOT: affine.load %[[A]][
// CHECK-COUNT-16: arith.mulf %{{.+}}, %{{.+}} fastmath<contract>
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @matmul(%a: memref<512x256xf64>, %b: memref<256x1024xf64>, %c: memref<512x1024xf64>) {
  linalg.matmul ins(%a, %b : memref<512x256xf64>, memref<256x1024xf64>) outs(%c : memref<512x1024xf64>)
  return
}

// Rows of both operands are summed up: in any order, of sixteen sums.
// CHECK-LABEL: func.func @transposed(
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (512, 512) step (32, 128)
// CHECK: affine.for %{{.+}} = 0 to 32 step 4
// CHECK-NEXT: affine.for %{{.+}} = 0 to 128 step 4
// CHECK-NEXT: affine.for %{{.+}} = 0 to 128 {
// CHECK-COUNT-16: arith.addf %{{.+}}, %{{.+}} fastmath<reassoc,contract>
// CHECK-NOT: arith.addf
// CHECK: return
func.func @transposed(%a: memref<512x512xf64>, %b: memref<512x512xf64>, %c: memref<512x512xf64>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<512x512xf64>, memref<512x512xf64>) outs(%c : memref<512x512xf64>)
  return
}

// Of a small op only the order of the loops is chosen.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: scf.
// CHECK: affine.for %{{.+}} = 0 to 8 {
// CHECK-NEXT: affine.for %{{.+}} = 0 to 32 {
// CHECK-NEXT: affine.load
// CHECK-NEXT: affine.for %{{.+}} = 0 to 16 {
func.func @small(%a: memref<8x32xf64>, %b: memref<32x16xf64>, %c: memref<8x16xf64>) {
  linalg.matmul ins(%a, %b : memref<8x32xf64>, memref<32x16xf64>) outs(%c : memref<8x16xf64>)
  return
}

// Seven columns of pixels are one tile rather than six and one, and the loop
// around the one along rows is unrolled.
// CHECK-LABEL: func.func @convolution(
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (512, 7) step (64, 1)
// CHECK: affine.for %{{.+}} = 0 to 128 step 4 {
// CHECK-COUNT-28: arith.mulf
// CHECK-NOT: arith.mulf
func.func @convolution(%a: memref<1x9x9x512xf64>, %b: memref<3x3x512x512xf64>, %c: memref<1x7x7x512xf64>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x9x9x512xf64>, memref<3x3x512x512xf64>) outs(%c : memref<1x7x7x512xf64>)
  return
}

// What another row writes is read here.
// CHECK-LABEL: func.func @shifted(
// CHECK: linalg.copy
func.func @shifted(%b: memref<1025x512xf64>) {
  %from = memref.subview %b[0, 0] [1024, 512] [1, 1] : memref<1025x512xf64> to memref<1024x512xf64, strided<[512, 1]>>
  %to = memref.subview %b[1, 0] [1024, 512] [1, 1] : memref<1025x512xf64> to memref<1024x512xf64, strided<[512, 1], offset: 512>>
  linalg.copy ins(%from : memref<1024x512xf64, strided<[512, 1]>>) outs(%to : memref<1024x512xf64, strided<[512, 1], offset: 512>>)
  return
}
