//===- Loops whose results are of few elements ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

#include "tonno/Backend/Compile.h"

using namespace tonno;

namespace {

class LoopDependencesTest : public KernelTest {
protected:
  bool isElementwise(const std::string &text) {
    auto module = parse(text);
    auto problem = compileReference(*module, "f");
    EXPECT_TRUE(succeeded(problem)) << message;
    return succeeded(problem) && problem->isElementwise;
  }

  bool isElementwiseLoop(const std::string &body) {
    return isElementwise("func.func @f(%a: memref<32x32xf32>, %r: "
                         "memref<32x32xf32>) { affine.for %i = 1 to 31 { "
                         "affine.for %j = 1 to 31 { " +
                         body + " } } return }");
  }
};

} // namespace

TEST_F(LoopDependencesTest, IterationsOfTheirOwnAreElementwise) {
  EXPECT_TRUE(isElementwiseLoop("%x = affine.load %a[%i, %j] : "
                                "memref<32x32xf32> %y = math.exp %x : f32 "
                                "affine.store %y, %r[%j, %i] : "
                                "memref<32x32xf32>"));
  // Accesses in place and to neighbours.
  EXPECT_TRUE(isElementwiseLoop("%x = affine.load %r[%i, %j] : "
                                "memref<32x32xf32> %z = affine.load %a[%i - "
                                "1, %j + 1] : memref<32x32xf32> %y = "
                                "arith.addf %x, %z : f32 affine.store %y, "
                                "%r[%i, %j] : memref<32x32xf32>"));
  EXPECT_TRUE(isElementwise(R"(
func.func @f(%a: tensor<32xf32>) -> tensor<32xf32> {
  %begin = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 32 : index
  %e = tensor.empty() : tensor<32xf32>
  %r = scf.for %i = %begin to %end step %step iter_args(%t = %e) -> tensor<32xf32> {
    %x = tensor.extract %a[%i] : tensor<32xf32>
    %y = math.exp %x : f32
    %s = tensor.insert %y into %t[%i] : tensor<32xf32>
    scf.yield %s : tensor<32xf32>
  }
  return %r : tensor<32xf32>
})"));
}

TEST_F(LoopDependencesTest, SumsAndRecurrencesAreNot) {
  EXPECT_FALSE(isElementwiseLoop("%x = affine.load %a[%i, %j] : "
                                 "memref<32x32xf32> %z = affine.load %r[%i, "
                                 "0] : memref<32x32xf32> %y = arith.addf %x, "
                                 "%z : f32 affine.store %y, %r[%i, 0] : "
                                 "memref<32x32xf32>"));
  EXPECT_FALSE(isElementwiseLoop("%x = affine.load %a[%i, %j] : "
                                 "memref<32x32xf32> %z = affine.load %r[%i, "
                                 "%j - 1] : memref<32x32xf32> %y = arith.addf "
                                 "%x, %z : f32 affine.store %y, %r[%i, %j] : "
                                 "memref<32x32xf32>"));
  EXPECT_FALSE(isElementwise(R"(
func.func @f(%a: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
  %begin = arith.constant 1 : index
  %step = arith.constant 1 : index
  %end = arith.constant 32 : index
  %r = scf.for %i = %begin to %end step %step iter_args(%t = %b) -> tensor<32xf32> {
    %before = arith.subi %i, %step : index
    %x = tensor.extract %t[%before] : tensor<32xf32>
    %y = math.exp %x : f32
    %s = tensor.insert %y into %t[%i] : tensor<32xf32>
    scf.yield %s : tensor<32xf32>
  }
  return %r : tensor<32xf32>
})"));
}
