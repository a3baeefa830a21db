//===- Kernels of every kind of loop --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReferenceKernels.h"

#include <initializer_list>

using Extents = std::initializer_list<int>;

/// Returns a shape such as "2x3xf64".
static std::string shape(Extents extents, const std::string &element) {
  std::string text;
  for (int extent : extents)
    text += std::to_string(extent) + "x";
  return text + element;
}

static std::string tensor(Extents extents, const std::string &element = "f64") {
  return "tensor<" + shape(extents, element) + ">";
}

/// Returns a function of %a and %b that accumulates into a tensor of zeros, %i.
static std::string sum(const std::string &a, const std::string &b,
                       const std::string &result, const std::string &op,
                       const std::string &element = "f64") {
  std::string zero = element[0] == 'f' ? "0.0" : "0";
  return "func.func @f(%a: " + a + ", %b: " + b + ") -> " + result +
         " { %z = arith.constant " + zero + " : " + element +
         " %e = tensor.empty() : " + result +
         " %i = linalg.fill ins(%z : " + element + ") outs(%e : " + result +
         ") -> " + result + " %r = linalg." + op + " ins(%a, %b : " + a + ", " +
         b + ") outs(%i : " + result + ") -> " + result +
         " return %r : " + result + " }";
}

static std::string matmul(int m, int n, int k,
                          const std::string &element = "f64") {
  return sum(tensor({m, k}, element), tensor({k, n}, element),
             tensor({m, n}, element), "matmul", element);
}

/// Returns a linalg.generic on memrefs of these types.
static std::string generic(const std::string &arguments,
                           const std::string &maps,
                           const std::string &iterators,
                           const std::string &operands,
                           const std::string &body) {
  return "func.func @f(" + arguments + ") { linalg.generic {indexing_maps = [" +
         maps + "], iterator_types = [" + iterators + "]} " + operands + " { " +
         body + " } return }";
}

static void addProducts(std::vector<TestedKernel> &kernels) {
  auto add = [&](const std::string &name, std::string text, bool isShared) {
    kernels.push_back({name, std::move(text), isShared});
  };
  const int extents[][3] = {{1, 1, 1},      {5, 7, 3},      {64, 64, 64},
                            {67, 530, 133}, {3, 1100, 301}, {130, 4, 257},
                            {1, 513, 200},  {200, 1, 150},  {37, 41, 1}};
  for (auto [m, n, k] : extents)
    add("matmul_" + std::to_string(m) + "_" + std::to_string(n) + "_" +
            std::to_string(k),
        matmul(m, n, k), m * n > 1);
  add("matmul_i32", matmul(33, 70, 140, "i32"), true);
  add("matmul_i64", matmul(9, 130, 20, "i64"), true);
  for (const char *maps :
       {"affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>",
        "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>",
        "affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>"})
    add("matmul_transposed_" + std::to_string(kernels.size()),
        sum(tensor({131, 131}), tensor({131, 131}), tensor({131, 131}),
            "matmul indexing_maps = [" + std::string(maps) +
                ", affine_map<(m, n, k) -> (m, n)>]"),
        true);
  add("batch_matmul",
      sum(tensor({3, 21, 140}), tensor({3, 140, 70}), tensor({3, 21, 70}),
          "batch_matmul"),
      true);
  add("matvec", sum(tensor({77, 301}), tensor({301}), tensor({77}), "matvec"),
      true);
  add("vecmat", sum(tensor({301}), tensor({301, 600}), tensor({600}), "vecmat"),
      true);
  add("dot", sum(tensor({1001}), tensor({1001}), tensor({}), "dot"), false);
  add("conv_nhwc",
      sum(tensor({2, 12, 11, 5}), tensor({3, 3, 5, 7}), tensor({2, 5, 5, 7}),
          "conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}"),
      true);
  add("conv_nchw",
      sum(tensor({2, 5, 12, 19}), tensor({7, 5, 3, 3}), tensor({2, 7, 10, 17}),
          "conv_2d_nchw_fchw"),
      true);
  add("conv_depthwise",
      sum(tensor({1, 12, 11, 70}), tensor({3, 3, 70}), tensor({1, 10, 9, 70}),
          "depthwise_conv_2d_nhwc_hwc"),
      true);
  add("pooling_max",
      sum(tensor({1, 12, 11, 70}), tensor({3, 3}), tensor({1, 10, 9, 70}),
          "pooling_nhwc_max"),
      true);
}

static void addReductions(std::vector<TestedKernel> &kernels) {
  auto add = [&](const std::string &name, const std::string &combiner, int rows,
                 int columns, int dimension) {
    int kept = dimension == 0 ? columns : rows;
    std::string in = tensor({rows, columns}), out = tensor({kept});
    kernels.push_back(
        {name, "func.func @f(%a: " + in + ", %b: " + out + ") -> " + out +
                   " { %r = linalg.reduce { arith." + combiner +
                   " } ins(%a : " + in + ") outs(%b : " + out +
                   ") dimensions = [" + std::to_string(dimension) +
                   "] return %r : " + out + " }"});
  };
  add("row_sum", "addf", 90, 333, 1);
  add("column_sum", "addf", 333, 90, 0);
  add("row_max", "maximumf", 90, 333, 1);
  add("row_least", "minnumf", 90, 333, 1);
  add("row_product", "mulf", 90, 3, 1);
  kernels.push_back(
      {"softmax",
       "func.func @f(%a: tensor<33x75xf64>) -> tensor<33x75xf64> { %e = "
       "tensor.empty() : tensor<33x75xf64> %r = linalg.softmax dimension(1) "
       "ins(%a : tensor<33x75xf64>) outs(%e : tensor<33x75xf64>) -> "
       "tensor<33x75xf64> return %r : tensor<33x75xf64> }",
       true, false});
}

static void addElementwise(std::vector<TestedKernel> &kernels) {
  kernels.push_back(
      {"transpose",
       "func.func @f(%a: tensor<3x70x130xf64>) -> tensor<130x3x70xf64> { %e = "
       "tensor.empty() : tensor<130x3x70xf64> %r = linalg.transpose ins(%a : "
       "tensor<3x70x130xf64>) outs(%e : tensor<130x3x70xf64>) permutation = "
       "[2, 0, 1] return %r : tensor<130x3x70xf64> }"});
  kernels.push_back(
      {"broadcast",
       "func.func @f(%a: tensor<37xf64>, %s: f64) -> tensor<5x37x66xf64> { %e "
       "= tensor.empty() : tensor<5x37x66xf64> %r = linalg.generic "
       "{indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) "
       "-> (i, j, k)>], iterator_types = [\"parallel\", \"parallel\", "
       "\"parallel\"]} ins(%a : tensor<37xf64>) outs(%e : "
       "tensor<5x37x66xf64>) { ^bb0(%x: f64, %o: f64): %n = linalg.index 2 : "
       "index %m = arith.index_cast %n : index to i64 %y = arith.sitofp %m : "
       "i64 to f64 %v = arith.addf %x, %y : f64 %w = arith.mulf %v, %s : f64 "
       "linalg.yield %w : f64 } -> tensor<5x37x66xf64> return %r : "
       "tensor<5x37x66xf64> }"});
  kernels.push_back(
      {"compare",
       "func.func @f(%a: tensor<1500xf64>, %b: tensor<1500xi1>) -> "
       "tensor<1500xi1> { %z = arith.constant 0.0 : f64 %e = tensor.empty() : "
       "tensor<1500xi1> %r = linalg.map ins(%a, %b : tensor<1500xf64>, "
       "tensor<1500xi1>) outs(%e : tensor<1500xi1>) (%x: f64, %y: i1, %o: i1) "
       "{ "
       "%c = arith.cmpf olt, %x, %z : f64 %d = arith.xori %c, %y : i1 "
       "linalg.yield %d : i1 } return %r : tensor<1500xi1> }"});
  kernels.push_back(
      {"gather",
       "func.func @f(%a: tensor<4x90xf64>, %n: tensor<50xi64>) -> "
       "tensor<50x90xf64> { %e = tensor.empty() : tensor<50x90xf64> %r = "
       "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, "
       "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
       "\"parallel\"]} ins(%n : tensor<50xi64>) outs(%e : tensor<50x90xf64>) "
       "{ ^bb0(%x: i64, %o: f64): %i = arith.index_cast %x : i64 to index %j = "
       "linalg.index 1 : index %v = tensor.extract %a[%i, %j] : "
       "tensor<4x90xf64> linalg.yield %v : f64 } -> tensor<50x90xf64> return "
       "%r : tensor<50x90xf64> }",
       true, true, /*takesIndices=*/true});
  // The second product reads the first one's result in the workspace.
  kernels.push_back(
      {"chain",
       "func.func @f(%a: tensor<40x40xf64>) -> tensor<40x40xf64> { %z = "
       "arith.constant 0.0 : f64 %e = tensor.empty() : tensor<40x40xf64> %i = "
       "linalg.fill ins(%z : f64) outs(%e : tensor<40x40xf64>) -> "
       "tensor<40x40xf64> %p = linalg.matmul ins(%a, %a : tensor<40x40xf64>, "
       "tensor<40x40xf64>) outs(%i : tensor<40x40xf64>) -> tensor<40x40xf64> "
       "%q = linalg.matmul ins(%p, %a : tensor<40x40xf64>, "
       "tensor<40x40xf64>) outs(%i : tensor<40x40xf64>) -> tensor<40x40xf64> "
       "%r = linalg.matmul ins(%q, %p : tensor<40x40xf64>, "
       "tensor<40x40xf64>) outs(%p : tensor<40x40xf64>) -> tensor<40x40xf64> "
       "return %r : tensor<40x40xf64> }"});
}

static void addBuffers(std::vector<TestedKernel> &kernels) {
  std::string parallel = "\"parallel\", \"parallel\"";
  std::string same = "affine_map<(i, j) -> (i, j)>";
  kernels.push_back(
      {"strided",
       generic("%a: memref<30x40xf64, strided<[100, 2]>>, %b: memref<30x40xf64,"
               " strided<[1, 30]>>",
               same + ", " + same, parallel,
               "ins(%a : memref<30x40xf64, strided<[100, 2]>>) outs(%b : "
               "memref<30x40xf64, strided<[1, 30]>>)",
               "^bb0(%x: f64, %o: f64): %v = arith.addf %x, %x : f64 "
               "linalg.yield %v : f64")});
  kernels.push_back(
      {"in_place",
       generic("%b: memref<50x60xf64>", same, parallel,
               "outs(%b : memref<50x60xf64>)",
               "^bb0(%o: f64): %v = arith.mulf %o, %o : f64 linalg.yield %v "
               ": f64")});
  // The order of the rows shows in the results.
  kernels.push_back(
      {"shifted_in_place",
       "func.func @f(%b: memref<51x60xf64>) { %x = memref.subview %b[1, 0] "
       "[50, 60] [1, 1] : memref<51x60xf64> to memref<50x60xf64, strided<[60, "
       "1], offset: 60>> %y = memref.subview %b[0, 0] [50, 60] [1, 1] : "
       "memref<51x60xf64> to memref<50x60xf64, strided<[60, 1]>> "
       "linalg.generic {indexing_maps = [" +
           same + ", " + same + "], iterator_types = [" + parallel +
           "]} ins(%y : memref<50x60xf64, strided<[60, 1]>>) outs(%x : "
           "memref<50x60xf64, strided<[60, 1], offset: 60>>) { ^bb0(%p: f64, "
           "%o: f64): linalg.yield %p : f64 } return }",
       false});
  kernels.push_back(
      {"gathered_in_place",
       "func.func @f(%b: memref<50x60xf64>) { %c7 = arith.constant 7 : index "
       "linalg.generic {indexing_maps = [" +
           same + "], iterator_types = [" + parallel +
           "]} outs(%b : memref<50x60xf64>) { ^bb0(%o: f64): %i = linalg.index "
           "0 : index %x = memref.load %b[%i, %c7] : memref<50x60xf64> %v = "
           "arith.addf %x, %o : f64 linalg.yield %v : f64 } return }",
       false});
  // Whatever was written last stays.
  kernels.push_back(
      {"overwritten",
       generic("%a: memref<50x60xf64>, %b: memref<50xf64>",
               same + ", affine_map<(i, j) -> (i)>", parallel,
               "ins(%a : memref<50x60xf64>) outs(%b : memref<50xf64>)",
               "^bb0(%x: f64, %o: f64): linalg.yield %x : f64")});
  kernels.push_back(
      {"sum_that_decides",
       "func.func @f(%a: memref<20x30xf64>, %s: memref<f64>, %b: "
       "memref<20x30xf64>) { linalg.reduce { arith.addf } ins(%a : "
       "memref<20x30xf64>) outs(%s : memref<f64>) dimensions = [0, 1] %v = "
       "memref.load %s[] : memref<f64> linalg.fill ins(%v : f64) outs(%b : "
       "memref<20x30xf64>) return }",
       false});
  kernels.push_back(
      {"parallel_loops",
       "func.func @f(%a: memref<9x20xf64>, %b: memref<9x20xf64>) { %c0 = "
       "arith.constant 0 : index %c1 = arith.constant 1 : index %c2 = "
       "arith.constant 2 : index %c9 = arith.constant 9 : index %c20 = "
       "arith.constant 20 : index scf.parallel (%i, %j) = (%c0, %c1) to (%c9, "
       "%c20) step (%c1, %c2) { %x = memref.load %a[%i, %j] : "
       "memref<9x20xf64> memref.store %x, %b[%i, %j] : memref<9x20xf64> } "
       "scf.for %i = %c0 to %c9 step %c1 { %x = memref.load %b[%i, %c1] : "
       "memref<9x20xf64> memref.store %x, %b[%i, %c0] : memref<9x20xf64> } "
       "scf.forall (%i) in (9) { %x = memref.load %b[%i, %c0] : "
       "memref<9x20xf64> memref.store %x, %b[%i, %c2] : memref<9x20xf64> } "
       "return }",
       false});
  // If threads shared the iterations, they would share the workspace.
  kernels.push_back(
      {"parallel_loops_with_scratch",
       "func.func @f(%a: memref<90x200xf64>, %b: memref<90x200xf64>) { "
       "scf.forall (%i) in (90) { %s = memref.alloc() : memref<200xf64> %x = "
       "memref.subview %a[%i, 0] [1, 200] [1, 1] : memref<90x200xf64> to "
       "memref<200xf64, strided<[1], offset: ?>> %y = memref.subview %b[%i, 0] "
       "[1, 200] [1, 1] : memref<90x200xf64> to memref<200xf64, strided<[1], "
       "offset: ?>> linalg.exp ins(%x : memref<200xf64, strided<[1], offset: "
       "?>>) outs(%s : memref<200xf64>) linalg.copy ins(%s : memref<200xf64>) "
       "outs(%y : memref<200xf64, strided<[1], offset: ?>>) } return }",
       false, false});
}

std::vector<TestedKernel> testedKernels() {
  std::vector<TestedKernel> kernels;
  addProducts(kernels);
  addReductions(kernels);
  addElementwise(kernels);
  addBuffers(kernels);
  return kernels;
}
