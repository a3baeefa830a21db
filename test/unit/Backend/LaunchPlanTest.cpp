//===- LaunchPlanTest.cpp - Launch plans and headers ----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "tonno/Backend/Emission.h"

using namespace tonno;

namespace {

class LaunchPlanTest : public KernelTest {
protected:
  mlir::FailureOr<LaunchPlan> plan(llvm::StringRef text) {
    module = parse(text);
    auto functions = module->getOps<mlir::func::FuncOp>();
    return launchPlan(*functions.begin());
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(LaunchPlanTest, ArgumentsThenResults) {
  auto found = plan("func.func @f(%a: tensor<2x3xf32>, %s: bf16) -> (i1, "
                    "tensor<4xi64>) { %r = arith.constant true "
                    "%t = arith.constant dense<0> : tensor<4xi64> "
                    "return %r, %t : i1, tensor<4xi64> }");
  ASSERT_TRUE(succeeded(found)) << message;
  LaunchPlan expected;
  expected.buffers = {
      {"arg0", ElementType::f32, {2, 3}, Access::read, 64},
      {"arg1", ElementType::bf16, {}, Access::read, 64},
      {"result0", ElementType::i1, {}, Access::write, 64},
      {"result1", ElementType::i64, {4}, Access::write, 64},
  };
  expected.launches = {{"f_entry", {0, 1, 2, 3}, {}}};
  EXPECT_EQ(*found, expected);

  std::string header = cHeader(*found, "f");
  EXPECT_NE(header.find("static inline void f(const float *arg0, const "
                        "uint16_t *arg1, uint8_t *result0, int64_t *result1)"),
            std::string::npos)
      << header;
}

TEST_F(LaunchPlanTest, RefusesWhatHasNoBuffer) {
  EXPECT_TRUE(failed(plan("func.func private @f(tensor<2xf32>)")));
  EXPECT_EQ(message, "kernel 'f' has no body");
  EXPECT_TRUE(failed(plan("func.func @f(%a: tensor<2xf32>) { return }")));
  EXPECT_EQ(message, "kernel 'f' has no result");
  EXPECT_TRUE(failed(plan("func.func @f(%a: index) -> index { return %a : "
                          "index }")));
  EXPECT_EQ(message, "kernel 'f' has argument 0 of type 'index': only ranked "
                     "tensors and scalars are supported");
}

} // namespace
