// RUN: tonno-opt %s --tonno-vectorize | FileCheck %s
// RUN: tonno-opt %s --tonno-vectorize=limit=64 | FileCheck %s --check-prefix=SMALL

// CHECK-LABEL: func.func @product(
// SMALL-LABEL: func.func @product(
func.func @product(%a: tensor<8x1xf32>, %b: tensor<1x32xf32>, %c: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // CHECK-NOT: linalg
  // CHECK: vector.contract {{.*}} : vector<8x1xf32>, vector<1x32xf32> into vector<8x32xf32>
  // SMALL: linalg.matmul
  %r = linalg.matmul ins(%a, %b : tensor<8x1xf32>, tensor<1x32xf32>) outs(%c : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// What does not fit into registers stays loops.
// CHECK-LABEL: func.func @large(
func.func @large(%a: f32, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // CHECK: linalg.fill
  %r = linalg.fill ins(%a : f32) outs(%b : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

// CHECK-LABEL: func.func @dynamic(
func.func @dynamic(%a: f32, %b: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: linalg.fill
  %r = linalg.fill ins(%a : f32) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// An i1 is a byte in memory, but a bit of a vector's image there.
// CHECK-LABEL: func.func @booleans(
func.func @booleans(%a: tensor<16xf32>, %b: tensor<16xf32>, %c: tensor<16xi1>) -> tensor<16xi1> {
  // CHECK: linalg.map
  %r = linalg.map { arith.cmpf {predicate = 4 : i64} } ins(%a, %b : tensor<16xf32>, tensor<16xf32>) outs(%c : tensor<16xi1>)
  return %r : tensor<16xi1>
}

// What is gathered from places that lie anywhere.
// CHECK-LABEL: func.func @gather(
#all = affine_map<(i) -> (i)>
func.func @gather(%t: tensor<100xf32>, %i: tensor<16xindex>, %c: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: vector.gather
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%i : tensor<16xindex>) outs(%c : tensor<16xf32>) {
  ^bb0(%a: index, %o: f32):
    %e = tensor.extract %t[%a] : tensor<100xf32>
    linalg.yield %e : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// Rows stay loops, in which LLVM sees that they lie side by side.
// CHECK-LABEL: func.func @gather_row(
#one = affine_map<(i, j) -> (i)>
#both = affine_map<(i, j) -> (i, j)>
func.func @gather_row(%t: tensor<100x16xf32>, %i: tensor<1xindex>, %c: tensor<1x16xf32>) -> tensor<1x16xf32> {
  // CHECK: linalg.generic
  %r = linalg.generic {indexing_maps = [#one, #both], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<1xindex>) outs(%c : tensor<1x16xf32>) {
  ^bb0(%a: index, %o: f32):
    %j = linalg.index 1 : index
    %e = tensor.extract %t[%a, %j] : tensor<100x16xf32>
    linalg.yield %e : f32
  } -> tensor<1x16xf32>
  return %r : tensor<1x16xf32>
}

// The largest of a step's and those before it: of two zeros either may be it.
// CHECK-LABEL: func.func @largest_in_lanes(
// CHECK: arith.maximumf {{.*}} fastmath<nsz> : vector<4x16xf32>
func.func @largest_in_lanes(%x: tensor<4x16xf32>, %most: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x16xf32>) outs(%most : tensor<4x16xf32>) {
  ^bb0(%a: f32, %m: f32):
    %c = arith.maximumf %a, %m : f32
    linalg.yield %c : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// Not elsewhere.
// CHECK-LABEL: func.func @relu(
// CHECK: arith.maximumf %{{[^ ]+}}, %{{[^ ]+}} : vector<4x16xf32>
func.func @relu(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>, %o: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.max ins(%x, %y : tensor<4x16xf32>, tensor<4x16xf32>) outs(%o : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// A product of numbers without a sign says so: the op on vectors knows none.
// CHECK-LABEL: func.func @unsigned_product(
// CHECK-COUNT-2: arith.extui {{.*}} to vector<{{.*}}xi32>
// CHECK: vector.contract {{.*}} : vector<{{.*}}xi32>, vector<{{.*}}xi32> into vector<4x16xi32>
func.func @unsigned_product(%a: tensor<4x1xi8>, %b: tensor<1x16xi8>, %c: tensor<4x16xi32>) -> tensor<4x16xi32> {
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<4x1xi8>, tensor<1x16xi8>) outs(%c : tensor<4x16xi32>) -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}

// Nor any of what turns integers into floats, or makes operands narrower.
// CHECK-LABEL: func.func @product_of_converted(
// CHECK-COUNT-2: arith.sitofp {{.*}} to vector<{{.*}}xf32>
// CHECK: vector.contract {{.*}} : vector<{{.*}}xf32>, vector<{{.*}}xf32> into vector<4x16xf32>
func.func @product_of_converted(%a: tensor<4x1xi8>, %b: tensor<1x16xi8>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x1xi8>, tensor<1x16xi8>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @product_of_narrowed(
// CHECK-COUNT-2: arith.truncf {{.*}} to vector<{{.*}}xf32>
// CHECK: vector.contract {{.*}} : vector<{{.*}}xf32>, vector<{{.*}}xf32> into vector<4x16xf32>
func.func @product_of_narrowed(%a: tensor<4x1xf64>, %b: tensor<1x16xf64>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x1xf64>, tensor<1x16xf64>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// A convolution along one dimension is vectorised by its maps, where they tell
// all of it.
// CHECK-LABEL: func.func @convolution(
// CHECK-NOT: linalg
// CHECK: vector.contract
func.func @convolution(%x: tensor<1x5x2xi8>, %w: tensor<3x2x4xi8>, %c: tensor<1x3x4xi32>) -> tensor<1x3x4xi32> {
  %r = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<1x5x2xi8>, tensor<3x2x4xi8>) outs(%c : tensor<1x3x4xi32>) -> tensor<1x3x4xi32>
  return %r : tensor<1x3x4xi32>
}

// Elements that become narrower.
// CHECK-LABEL: func.func @convolution_of_narrowed(
// CHECK: linalg.conv_1d_ncw_fcw
func.func @convolution_of_narrowed(%x: tensor<1x2x5xf32>, %w: tensor<4x2x3xf32>, %c: tensor<1x4x3xf16>) -> tensor<1x4x3xf16> {
  %r = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<1x2x5xf32>, tensor<4x2x3xf32>) outs(%c : tensor<1x4x3xf16>) -> tensor<1x4x3xf16>
  return %r : tensor<1x4x3xf16>
}

// Those of one channel that become anything else.
// CHECK-LABEL: func.func @convolution_of_converted(
// CHECK: linalg.conv_1d
func.func @convolution_of_converted(%x: tensor<5xi8>, %w: tensor<3xi8>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.conv_1d ins(%x, %w : tensor<5xi8>, tensor<3xi8>) outs(%c : tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
