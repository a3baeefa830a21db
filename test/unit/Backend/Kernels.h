//===- Kernels that the tests compile -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_BACKEND_KERNELS_H
#define TONNO_TEST_UNIT_BACKEND_KERNELS_H

#include "tonno/Backend/Backend.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

/// A context with all that backends need, which keeps the last diagnostic.
class KernelTest : public ::testing::Test {
protected:
  KernelTest()
      : context(registry(), mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          message = diagnostic.str();
        }) {}

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << message;
    return module;
  }

  mlir::MLIRContext context;
  std::string message;

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    tonno::registerBackendDialects(registry);
    return registry;
  }

  mlir::ScopedDiagnosticHandler handler;
};

inline constexpr char productText[] = R"(
func.func @product(%a: tensor<20x30xf32>, %b: tensor<30x10xf32>)
    -> tensor<20x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x10xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<20x10xf32>)
    -> tensor<20x10xf32>
  %c = linalg.matmul {tonno.lowering_config = {subgroup = [4, 8, 0]}}
    ins(%a, %b : tensor<20x30xf32>, tensor<30x10xf32>)
    outs(%i : tensor<20x10xf32>) -> tensor<20x10xf32>
  return %c : tensor<20x10xf32>
})";

#endif // TONNO_TEST_UNIT_BACKEND_KERNELS_H
