//===- Arguments that hold positions --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

using namespace tonno;

namespace {

class IndexArgumentsTest : public KernelTest {
protected:
  /// Returns the data of a kernel's second argument: "" if any data will do,
  /// else the derived data, or the question to the user.
  std::string inputOf(const std::string &arguments, const std::string &body) {
    auto module =
        parse("func.func @f(" + arguments + ") -> f32 { " + body + " }");
    message = "";
    auto plan = launchPlan(*module->getOps<mlir::func::FuncOp>().begin());
    if (failed(plan))
      return message;
    auto &input = plan->buffers[1].input;
    return input ? input->text() : "";
  }
};

constexpr char table[] = "%t: tensor<10x20xf32>, %i: tensor<4xi32>";
constexpr char buffer[] = "%t: memref<10x20xf32>, %i: memref<4xi32>";
constexpr char question[] =
    "argument 1 indexes this op after arithmetic; state in-bounds data by "
    "'--inputs=arg1=integers(LOW, HIGH)' or tonno.input = "
    "#tonno.input<\"integers(LOW, HIGH)\">";
constexpr char first[] = "%c0 = arith.constant 0 : index"
                         " %e = tensor.extract %i[%c0] : tensor<4xi32> ";
constexpr char second[] = "%c0 = arith.constant 0 : index"
                          " %e = memref.load %i[%c0] : memref<4xi32> ";

TEST_F(IndexArgumentsTest, OtherIntegersMayBeAnything) {
  EXPECT_EQ(inputOf(table, std::string(first) +
                               "%r = arith.sitofp %e : i32 to f32"
                               " return %r : f32"),
            "");
}

TEST_F(IndexArgumentsTest, TheSmallestExtentCounts) {
  EXPECT_EQ(inputOf(table, std::string(first) +
                               "%x = arith.index_cast %e : i32 to index"
                               " %r = tensor.extract %t[%c0, %x] : "
                               "tensor<10x20xf32> return %r : f32"),
            "integers(0, 19)");
  EXPECT_EQ(inputOf(table, std::string(first) +
                               "%w = arith.extsi %e : i32 to i64"
                               " %x = arith.index_cast %w : i64 to index"
                               " %r = tensor.extract %t[%x, %x] : "
                               "tensor<10x20xf32> return %r : f32"),
            "integers(0, 9)");
  EXPECT_EQ(inputOf(buffer, std::string(second) +
                                "%x = arith.index_castui %e : i32 to index"
                                " %r = memref.load %t[%x, %c0] : "
                                "memref<10x20xf32> return %r : f32"),
            "integers(0, 9)");
}

TEST_F(IndexArgumentsTest, PartsMustFitIn) {
  EXPECT_EQ(
      inputOf(table,
              std::string(first) +
                  "%x = arith.index_cast %e : i32 to index"
                  " %s = tensor.extract_slice %t[%c0, %x] [1, 8] [1, 2] : "
                  "tensor<10x20xf32> to tensor<8xf32>"
                  " %r = tensor.extract %s[%c0] : tensor<8xf32>"
                  " return %r : f32"),
      "integers(0, 5)");
  EXPECT_EQ(inputOf(buffer, std::string(second) +
                                "%x = arith.index_cast %e : i32 to index"
                                " %v = vector.load %t[%x, %x] : "
                                "memref<10x20xf32>, vector<16xf32>"
                                " %r = vector.extract %v[0] : f32 from "
                                "vector<16xf32> return %r : f32"),
            "integers(0, 4)");
}

TEST_F(IndexArgumentsTest, SmallTypesHoldLess) {
  EXPECT_EQ(inputOf("%t: tensor<1000xf32>, %i: i8",
                    "%x = arith.index_cast %i : i8 to index"
                    " %r = tensor.extract %t[%x] : tensor<1000xf32>"
                    " return %r : f32"),
            "integers(0, 127)");
}

TEST_F(IndexArgumentsTest, PositionsMayBeOfIndexType) {
  EXPECT_EQ(inputOf("%t: tensor<1000xf32>, %i: index",
                    "%r = tensor.extract %t[%i] : tensor<1000xf32>"
                    " return %r : f32"),
            "integers(0, 999)");
}

TEST_F(IndexArgumentsTest, FollowsStructuredOpsAndCopies) {
  EXPECT_EQ(
      inputOf(buffer,
              "%c0 = arith.constant 0 : index"
              " %m = memref.alloc() : memref<4xi32>"
              " linalg.copy ins(%i : memref<4xi32>) outs(%m : memref<4xi32>)"
              " %s = memref.subview %m[0] [2] [1] : memref<4xi32> to "
              "memref<2xi32, strided<[1]>>"
              " %e = memref.load %s[%c0] : memref<2xi32, strided<[1]>>"
              " %x = arith.index_cast %e : i32 to index"
              " %r = memref.load %t[%x, %c0] : memref<10x20xf32>"
              " return %r : f32"),
      "integers(0, 9)");
  EXPECT_EQ(inputOf("%t: tensor<10x20xf32>, %i: tensor<4x2xi32>",
                    "%g = tensor.gather %t[%i] gather_dims([0, 1]) : "
                    "(tensor<10x20xf32>, tensor<4x2xi32>) -> tensor<4xf32>"
                    " %c0 = arith.constant 0 : index"
                    " %r = tensor.extract %g[%c0] : tensor<4xf32>"
                    " return %r : f32"),
            "integers(0, 9)");
  EXPECT_EQ(inputOf("%t: tensor<10x20xf32>, %i: tensor<4x1xi32>",
                    "%c0 = arith.constant 0 : index"
                    " %v = arith.constant dense<1.0> : tensor<4x10x1xf32>"
                    " %s = tensor.scatter %v into %t[%i] scatter_dims([1]) "
                    "unique : (tensor<4x10x1xf32>, tensor<10x20xf32>, "
                    "tensor<4x1xi32>) -> tensor<10x20xf32>"
                    " %r = tensor.extract %s[%c0, %c0] : tensor<10x20xf32>"
                    " return %r : f32"),
            "integers(0, 19)");
}

TEST_F(IndexArgumentsTest, FollowsAffineAccesses) {
  EXPECT_EQ(inputOf(buffer, std::string(second) +
                                "%x = arith.index_cast %e : i32 to index"
                                " %r = affine.load %t[symbol(%x), 0] : "
                                "memref<10x20xf32> return %r : f32"),
            "integers(0, 9)");
  EXPECT_EQ(inputOf(buffer, std::string(second) +
                                "%x = arith.index_cast %e : i32 to index"
                                " %r = affine.load %t[symbol(%x) + 1, 0] : "
                                "memref<10x20xf32> return %r : f32"),
            question);
}

TEST_F(IndexArgumentsTest, AsksWhereArithmeticComesFirst) {
  std::string sum = std::string(first) + "%d = arith.addi %e, %e : i32"
                                         " %x = arith.index_cast %d : i32 to "
                                         "index ";
  EXPECT_EQ(inputOf(table, sum + "%r = tensor.extract %t[%x, %c0] : "
                                 "tensor<10x20xf32> return %r : f32"),
            question);
  // Answered, it is not asked.
  EXPECT_EQ(inputOf("%t: tensor<10x20xf32>, %i: tensor<4xi32> {tonno.input = "
                    "#tonno.input<\"integers(0, 4)\">}",
                    sum + "%r = tensor.extract %t[%x, %c0] : tensor<10x20xf32>"
                          " return %r : f32"),
            "integers(0, 4)");
}

/// Clamps %e to the rows up to `last`, and reads one.
std::string clampTo(int last) {
  return "%c9 = arith.constant " + std::to_string(last) +
         " : i32 %z = arith.constant 0 : i32"
         " %low = arith.maxsi %e, %z : i32 %in = arith.minsi %low, %c9 : i32"
         " %x = arith.index_cast %in : i32 to index ";
}

TEST_F(IndexArgumentsTest, ClampedIndicesMayBeOutOfBounds) {
  const char *read = "%r = tensor.extract %t[%x, %c0] : tensor<10x20xf32>"
                     " return %r : f32";
  EXPECT_EQ(inputOf(table, first + clampTo(9) + read), "integers(-1, 10)");
  EXPECT_EQ(inputOf(table, first + clampTo(10) + read), question);
  const char *part = "%s = tensor.extract_slice %t[%x, 0] [3, 20] [1, 1] : "
                     "tensor<10x20xf32> to tensor<3x20xf32>"
                     " %r = tensor.extract %s[%c0, %c0] : tensor<3x20xf32>"
                     " return %r : f32";
  EXPECT_EQ(inputOf(table, first + clampTo(7) + part), "integers(-1, 8)");
  EXPECT_EQ(inputOf(table, first + clampTo(8) + part), question);
  // Elsewhere it is not clamped.
  EXPECT_EQ(inputOf(table, first + clampTo(9) +
                               "%y = arith.index_cast %e : i32 to index"
                               " %r = tensor.extract %t[%x, %y] : "
                               "tensor<10x20xf32> return %r : f32"),
            "integers(0, 19)");
}

TEST_F(IndexArgumentsTest, ClampsAreFollowedThroughTensors) {
  auto text = [](const std::string &clamped, const std::string &outside) {
    return "%c0 = arith.constant 0 : index %c9 = arith.constant 9 : i32"
           " %z = arith.constant 0 : i32 %empty = tensor.empty() : "
           "tensor<4xi32>"
           " %low = linalg.map ins(%i : tensor<4xi32>) outs(%empty : "
           "tensor<4xi32>) (%k: i32, %o: i32) { %m = arith.maxsi %k, %z : i32"
           " linalg.yield %m : i32 }"
           " %in = linalg.map ins(%low : tensor<4xi32>) outs(%empty : "
           "tensor<4xi32>) (%k: i32, %o: i32) { %m = arith.minsi %k, %c9 : i32"
           " linalg.yield " +
           clamped +
           " : i32 }"
           " %two = tensor.expand_shape %in [[0, 1]] output_shape [2, 2] : "
           "tensor<4xi32> into tensor<2x2xi32>"
           " %e0 = tensor.extract %two[%c0, %c0] : tensor<2x2xi32>"
           " %one = tensor.from_elements %e0, " +
           outside +
           " : tensor<2xi32> %e = tensor.extract %one[%c0] : tensor<2xi32>"
           " %x = arith.index_cast %e : i32 to index"
           " %r = tensor.extract %t[%x, %c0] : tensor<10x20xf32>"
           " return %r : f32";
  };
  EXPECT_EQ(inputOf(table, text("%m", "%z")), "integers(-1, 10)");
  EXPECT_EQ(inputOf(table, text("%k", "%z")), question);
  EXPECT_EQ(
      inputOf(table, "%c10 = arith.constant 10 : i32 " + text("%m", "%c10")),
      question);
}

TEST_F(IndexArgumentsTest, WhatALoopAddsUpIsNotBounded) {
  EXPECT_EQ(
      inputOf(table, std::string(first) + clampTo(9) +
                         "%c1 = arith.constant 1 : index"
                         " %c1i = arith.constant 1 : i32"
                         " %begin = tensor.from_elements %in : tensor<1xi32>"
                         " %sum = scf.for %j = %c0 to %c1 step %c1 "
                         "iter_args(%s = %begin) -> tensor<1xi32> {"
                         " %old = tensor.extract %s[%c0] : tensor<1xi32>"
                         " %new = arith.addi %old, %c1i : i32"
                         " %put = tensor.insert %new into %s[%c0] : "
                         "tensor<1xi32> scf.yield %put : tensor<1xi32> }"
                         " %end = tensor.extract %sum[%c0] : tensor<1xi32>"
                         " %y = arith.index_cast %end : i32 to index"
                         " %r = tensor.extract %t[%y, %c0] : tensor<10x20xf32>"
                         " return %r : f32"),
      question);
}

TEST_F(IndexArgumentsTest, AsksWhereALoopCountsByIt) {
  EXPECT_EQ(
      inputOf(buffer,
              std::string(second) +
                  "%x = arith.index_cast %e : i32 to index"
                  " %c1 = arith.constant 1 : index %z = arith.constant 0.0 : "
                  "f32 %r = scf.for %j = %c0 to %x step %c1 iter_args(%s = %z)"
                  " -> f32 { %v = memref.load %t[%c0, %j] : memref<10x20xf32>"
                  " %a = arith.addf %s, %v : f32 scf.yield %a : f32 }"
                  " return %r : f32"),
      question);
}

} // namespace
