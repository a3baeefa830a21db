//===- Tests for the least work of kernels --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelWork.h"

#include "tonno/Backend/Backend.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace tonno;

static KernelWork workOf(const std::string &text) {
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  return computeKernelWork(*module, "k");
}

TEST(KernelWork, OfAProductIsItsMultiplyAddsAndBuffers) {
  KernelWork work = workOf(R"(
    func.func @k(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>, %unused: tensor<99xf32>,
                 %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %r = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>)
                         outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
      return %r : tensor<8x16xf32>
    })");
  EXPECT_EQ(work.macs, 8u * 4 * 16);
  EXPECT_EQ(work.operand, ElementType::f16);
  EXPECT_EQ(work.sum, ElementType::f32);
  EXPECT_EQ(work.bytesRead, 2u * (8 * 4 + 4 * 16));
  EXPECT_EQ(work.bytesWritten, 4u * 8 * 16);
}

TEST(KernelWork, LeavesOutWhatMayNotBeDone) {
  // One op in a loop, and one that reads a part of its input.
  KernelWork work = workOf(R"(
    func.func @k(%a: memref<8x8xf32>, %n: index, %y: memref<4x8xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>)
                      outs(%a : memref<8x8xf32>)
      }
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + 4, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%a : memref<8x8xf32>) outs(%y : memref<4x8xf32>) {
        ^bb0(%x: f32, %o: f32):
          linalg.yield %x : f32
      }
      return
    })");
  EXPECT_EQ(work.macs, 0u);
  EXPECT_EQ(work.bytesRead, 0u);
  EXPECT_EQ(work.bytesWritten, 4u * 4 * 8);
}

TEST(KernelWork, OfPoolingHasNoMultiplyAdds) {
  KernelWork work = workOf(R"(
    func.func @k(%x: tensor<1x8x8x4xf32>, %w: tensor<2x2xf32>, %o: tensor<1x7x7x4xf32>)
        -> tensor<1x7x7x4xf32> {
      %r = linalg.pooling_nhwc_sum ins(%x, %w : tensor<1x8x8x4xf32>, tensor<2x2xf32>)
                                   outs(%o : tensor<1x7x7x4xf32>) -> tensor<1x7x7x4xf32>
      return %r : tensor<1x7x7x4xf32>
    })");
  EXPECT_EQ(work.macs, 0u);
}

TEST(KernelWork, OfSoftmaxIsItsBuffers) {
  KernelWork work = workOf(R"(
    func.func @k(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %e = tensor.empty() : tensor<8x4xf32>
      %r = linalg.softmax dimension(1) ins(%x : tensor<8x4xf32>)
                                       outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
      return %r : tensor<8x4xf32>
    })");
  EXPECT_EQ(work.macs, 0u);
  EXPECT_EQ(work.bytesRead, 128u);
  EXPECT_EQ(work.bytesWritten, 128u);
}
