// A kernel has the same launches with a default space as without: the op that
// speaks for a launch is configured, the others join it.

// RUN: tonno-opt %s -split-input-file --tonno-lower-nvptx=chip=sm_90 | FileCheck %s
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=nvptx chip=sm_90" --tonno-apply --tonno-lower-nvptx=chip=sm_90 | FileCheck %s
// RUN: tonno-opt %s -split-input-file --tonno-lower-amdgpu=chip=gfx942 | FileCheck %s
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=amdgpu chip=gfx942" --tonno-apply --tonno-lower-amdgpu=chip=gfx942 | FileCheck %s

// Who speaks.
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=nvptx chip=sm_90" | FileCheck %s --check-prefix=SPEAKS --implicit-check-not=lowering_config

// A product, and what is done with its sums: the product speaks for both.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "product_entry"}]
// SPEAKS: linalg.matmul{{.*}}lowering_config
#all = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
func.func @product(%a: tensor<96x64xf32>, %b: tensor<64x80xf32>, %bias: tensor<80xf32>) -> tensor<96x80xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x80xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<96x80xf32>) -> tensor<96x80xf32>
  %r = linalg.matmul ins(%a, %b : tensor<96x64xf32>, tensor<64x80xf32>) outs(%f : tensor<96x80xf32>) -> tensor<96x80xf32>
  %s = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<96x80xf32>, tensor<80xf32>) outs(%e : tensor<96x80xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %sum = arith.addf %x, %y : f32
    linalg.yield %sum : f32
  } -> tensor<96x80xf32>
  return %s : tensor<96x80xf32>
}

// -----

// The argument is copied first.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "product_onto_argument_entry_0"}, {{{[^}]*}}symbol = "product_onto_argument_entry_1"}]
// SPEAKS: linalg.matmul{{.*}}lowering_config
func.func @product_onto_argument(%a: tensor<96x64xf32>, %b: tensor<64x80xf32>, %c: tensor<96x80xf32>) -> tensor<96x80xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<96x64xf32>, tensor<64x80xf32>) outs(%c : tensor<96x80xf32>) -> tensor<96x80xf32>
  return %r : tensor<96x80xf32>
}

// -----

// The fill that two products share is a part of the launch of each.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "two_products_entry_0"}, {{{[^}]*}}symbol = "two_products_entry_1"}]
// SPEAKS: linalg.matmul{{.*}}lowering_config
// SPEAKS: linalg.matmul{{.*}}lowering_config
func.func @two_products(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x = linalg.exp ins(%r : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.matmul ins(%x, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

// -----

// What does not need a product's sums does not wait for them.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "unrelated_entry_0"}, {{{[^}]*}}symbol = "unrelated_entry_1"}]
// SPEAKS: linalg.matmul{{.*}}lowering_config
// SPEAKS: linalg.exp{{.*}}lowering_config
func.func @unrelated(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x = linalg.exp ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r, %x : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// All that a softmax becomes, and what comes before it.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "scaled_softmax_entry"}]
// SPEAKS: linalg.softmax{{.*}}lowering_config
func.func @scaled_softmax(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %e = tensor.empty() : tensor<64x96xf32>
  %s = linalg.add ins(%x, %x : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %r = linalg.softmax dimension(1) ins(%s : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}

// -----

// Rows need all of a product's sums.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "softmax_of_product_entry_0"}, {{{[^}]*}}symbol = "softmax_of_product_entry_1"}]
// SPEAKS: linalg.matmul{{.*}}lowering_config
// SPEAKS: linalg.softmax{{.*}}lowering_config
func.func @softmax_of_product(%a: tensor<64x64xf32>, %b: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %s = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x96xf32>) outs(%f : tensor<64x96xf32>) -> tensor<64x96xf32>
  %r = linalg.softmax dimension(1) ins(%s : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}

// -----

// A sum, one value made of it for each row, and both used on rows.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "norm_entry"}]
// SPEAKS: linalg.reduce{{.*}}lowering_config
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>
#each = affine_map<(m) -> (m)>
func.func @norm(%x: tensor<64x96xf32>, %gamma: tensor<96xf32>) -> tensor<64x96xf32> {
  %zero = arith.constant 0.0 : f32
  %length = arith.constant 96.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x96xf32>) outs(%zeros : tensor<64xf32>) dimensions = [1]
  %means = tensor.empty() : tensor<64xf32>
  %mean = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]} ins(%sum : tensor<64xf32>) outs(%means : tensor<64xf32>) {
  ^bb0(%s: f32, %o: f32):
    %m = arith.divf %s, %length : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %gamma : tensor<64x96xf32>, tensor<64xf32>, tensor<96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: f32, %m: f32, %g: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %p = arith.mulf %d, %g : f32
    linalg.yield %p : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}

// -----

// The mean takes the place of the sum, which each thread has in a register.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "norm_in_place_entry"}]
// SPEAKS: linalg.reduce{{.*}}lowering_config
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#each = affine_map<(m) -> (m)>
func.func @norm_in_place(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %zero = arith.constant 0.0 : f32
  %length = arith.constant 96.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x96xf32>) outs(%zeros : tensor<64xf32>) dimensions = [1]
  %mean = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]} ins(%sum : tensor<64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%s: f32, %o: f32):
    %m = arith.divf %s, %length : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<64x96xf32>, tensor<64xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}

// -----

// One fill for two sums, of which each repeats it.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "shared_fill_entry"}]
// SPEAKS: linalg.reduce{{.*}}lowering_config
func.func @shared_fill(%x: tensor<64x96xf32>, %y: tensor<64x96xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<64x96xf32>) outs(%zeros : tensor<64xf32>) dimensions = [1]
  %b = linalg.reduce { arith.addf } ins(%y : tensor<64x96xf32>) outs(%zeros : tensor<64xf32>) dimensions = [1]
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// -----

// What is read crosswise must be there.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "turned_entry_0"}, {{{[^}]*}}symbol = "turned_entry_1"}]
// SPEAKS: linalg.exp{{.*}}lowering_config
// SPEAKS: linalg.transpose{{.*}}lowering_config
func.func @turned(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %s = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = tensor.empty() : tensor<64x64xf32>
  %r = linalg.transpose ins(%s : tensor<64x64xf32>) outs(%g : tensor<64x64xf32>) permutation = [1, 0]
  return %r : tensor<64x64xf32>
}

// -----

// The copy of the argument comes between.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "exp_then_sum_onto_argument_entry_0"}, {{{[^}]*}}symbol = "exp_then_sum_onto_argument_entry_1"}, {{{[^}]*}}symbol = "exp_then_sum_onto_argument_entry_2"}]
// SPEAKS: linalg.exp{{.*}}lowering_config
// SPEAKS: linalg.reduce{{.*}}lowering_config
func.func @exp_then_sum_onto_argument(%x: tensor<64x96xf32>, %c: tensor<64xf32>) -> (tensor<64xf32>, tensor<64x96xf32>) {
  %e = tensor.empty() : tensor<64x96xf32>
  %s = linalg.exp ins(%x : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %r = linalg.reduce { arith.addf } ins(%s : tensor<64x96xf32>) outs(%c : tensor<64xf32>) dimensions = [1]
  return %r, %s : tensor<64xf32>, tensor<64x96xf32>
}

// -----

// Of one launch, only one dimension is reduced.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "rows_and_columns_entry_0"}, {{{[^}]*}}symbol = "rows_and_columns_entry_1"}]
// SPEAKS: linalg.reduce{{.*}}lowering_config
// SPEAKS: linalg.reduce{{.*}}lowering_config
func.func @rows_and_columns(%x: tensor<64x96xf32>) -> (tensor<64xf32>, tensor<96xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %columns = tensor.empty() : tensor<96xf32>
  %zeros2 = linalg.fill ins(%zero : f32) outs(%columns : tensor<96xf32>) -> tensor<96xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<64x96xf32>) outs(%zeros : tensor<64xf32>) dimensions = [1]
  %b = linalg.reduce { arith.addf } ins(%x : tensor<64x96xf32>) outs(%zeros2 : tensor<96xf32>) dimensions = [0]
  return %a, %b : tensor<64xf32>, tensor<96xf32>
}

// -----

// A convolution is a product, too.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "convolution_entry"}]
// SPEAKS: linalg.conv_2d_nhwc_hwcf{{.*}}lowering_config
func.func @convolution(%x: tensor<1x34x34x8xf32>, %k: tensor<3x3x8x16xf32>) -> tensor<1x32x32x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x32x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x34x34x8xf32>, tensor<3x3x8x16xf32>) outs(%f : tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  %s = linalg.exp ins(%r : tensor<1x32x32x16xf32>) outs(%e : tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  return %s : tensor<1x32x32x16xf32>
}

// -----

// What has a thread for each point takes the ops on its results along. It has
// no configuration, nor have they.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "by_depth_entry"}]
func.func @by_depth(%x: tensor<1x34x34x8xf32>, %k: tensor<3x3x8xf32>) -> tensor<1x32x32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x32x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x32x8xf32>) -> tensor<1x32x32x8xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : tensor<1x34x34x8xf32>, tensor<3x3x8xf32>) outs(%f : tensor<1x32x32x8xf32>) -> tensor<1x32x32x8xf32>
  %s = linalg.exp ins(%r : tensor<1x32x32x8xf32>) outs(%e : tensor<1x32x32x8xf32>) -> tensor<1x32x32x8xf32>
  return %s : tensor<1x32x32x8xf32>
}

// -----

// Scalars that are arguments.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "scalar_entry"}]
// SPEAKS: linalg.exp{{.*}}lowering_config
#all = affine_map<(m, n) -> (m, n)>
func.func @scalar(%x: tensor<64x64xf32>, %a: tensor<f32>, %b: f32) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %s = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %v = tensor.extract %a[] : tensor<f32>
  %w = arith.addf %v, %b : f32
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = arith.mulf %p, %w : f32
    linalg.yield %q : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// What is seen as a part is no longer used at the same points.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "views_entry_0"}, {{{[^}]*}}symbol = "views_entry_1"}]
// SPEAKS: linalg.exp{{.*}}lowering_config
// SPEAKS: linalg.add{{.*}}lowering_config
func.func @views(%x: tensor<64x64xf32>, %y: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %s = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h = tensor.extract_slice %s[0, 0] [64, 32] [1, 1] : tensor<64x64xf32> to tensor<64x32xf32>
  %f = tensor.empty() : tensor<64x32xf32>
  %r = linalg.add ins(%h, %y : tensor<64x32xf32>, tensor<64x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// On buffers, fills name what the next op begins with.
// CHECK: tonno.launches = [{{{[^}]*}}symbol = "on_buffers_entry"}]
// SPEAKS: linalg.reduce{{.*}}lowering_config
func.func @on_buffers(%x: memref<64x96xf32>, %y: memref<64x96xf32>, %s: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.exp ins(%x : memref<64x96xf32>) outs(%y : memref<64x96xf32>)
  linalg.fill ins(%zero : f32) outs(%s : memref<64xf32>)
  linalg.reduce { arith.addf } ins(%y : memref<64x96xf32>) outs(%s : memref<64xf32>) dimensions = [1]
  linalg.exp ins(%y : memref<64x96xf32>) outs(%x : memref<64x96xf32>)
  return
}
