//===- Tests for the values that a model's kernels read -------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelValues.h"

#include "tonno/Backend/Backend.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Tuner/PrepareModule.h"
#include "Oracle/InputData.h"
#include "WorkerProcess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::Each;
using testing::SizeIs;

/// The loop doubles 1 three times; the last product reads 8.
static constexpr char text[] = R"mlir(
func.func @model(%h: tensor<16x16xf32> {tonno.input = #tonno.input<"constant(1)">},
                 %w: tensor<16x16xf32> {tonno.input = #tonno.input<"constant(0.125)">},
                 %v: tensor<16x32xf32> {tonno.input = #tonno.input<"constant(3)">})
    -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %doubled = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %h)
      -> (tensor<16x16xf32>) {
    %e = tensor.empty() : tensor<16x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>)
      -> tensor<16x16xf32>
    %p = linalg.matmul ins(%x, %w : tensor<16x16xf32>, tensor<16x16xf32>)
      outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %p : tensor<16x16xf32>
  }
  %e = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>)
    -> tensor<16x32xf32>
  %p = linalg.matmul ins(%doubled, %v : tensor<16x16xf32>, tensor<16x32xf32>)
    outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %p : tensor<16x32xf32>
}
)mlir";

namespace {

struct ModelValuesTest : testing::Test {
  ModelValuesTest() {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    context.appendDialectRegistry(registry);
    auto device = HostDevice::create(), host = HostDevice::create();
    runner = createLocalRunner(std::move(*device), std::move(*host));
  }

  /// Captures the values of the text's kernels.
  Result<ModelValues> capture(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(mlir::succeeded(prepareModule(*module, options)));
    auto model = module->lookupSymbol<mlir::func::FuncOp>("model");
    formed = formModelKernels(model, *findDefaultSchedule("host", "native"));
    llvm::SmallVector<const ModelKernel *> kernels;
    for (const ModelKernel &kernel : formed.kernels)
      kernels.push_back(&kernel);
    return ModelValues::capture(model, kernels, options, compiler, *runner,
                                *runner->device(), /*seconds=*/60);
  }

  /// Returns the first elements of the declared arguments of a kernel, whose
  /// other elements are equal.
  std::vector<double> read(const ModelValues &values, unsigned kernel) {
    auto declared = values.declare(formed.kernels[kernel]);
    if (!declared)
      return {};
    auto function = *declared->getOps<mlir::func::FuncOp>().begin();
    std::vector<double> first;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto input =
          function.getArgAttrOfType<InputAttr>(i, TonnoDialect::kInput);
      auto array = readNpy(InputSpec::parse(input.getText().str())->path);
      EXPECT_TRUE(array.ok());
      EXPECT_EQ(
          llvm::ArrayRef(array->shape),
          llvm::cast<mlir::RankedTensorType>(function.getArgumentTypes()[i])
              .getShape());
      EXPECT_THAT(array->values, Each(array->values.front()));
      first.push_back(array->values.front());
    }
    return first;
  }

  mlir::MLIRContext context;
  TunerOptions options;
  WorkerProcess compiler{{TONNO_WORKER}};
  std::unique_ptr<Runner> runner;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModelKernels formed;
};

TEST_F(ModelValuesTest, AreThoseOfTheModel) {
  auto values = capture(text);
  ASSERT_TRUE(values.ok()) << values.error().message;
  ASSERT_THAT(formed.kernels, SizeIs(2));
  EXPECT_EQ(read(*values, 0), (std::vector<double>{4, 0.125}))
      << "in the last iteration";
  EXPECT_EQ(read(*values, 1), (std::vector<double>{8, 3}));
}

TEST_F(ModelValuesTest, AreUnknownInLoopsOfUnknownLength) {
  std::string loop = text;
  auto replace = [&](const std::string &from, const std::string &to) {
    loop.replace(loop.find(from), from.size(), to);
  };
  replace(R"(%doubled = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %h)
      -> (tensor<16x16xf32>) {)",
          R"(%doubled, %n = scf.while (%b = %h, %j = %c0)
      : (tensor<16x16xf32>, index) -> (tensor<16x16xf32>, index) {
    %goes = arith.cmpi slt, %j, %c3 : index
    scf.condition(%goes) %b, %j : tensor<16x16xf32>, index
  } do {
  ^bb0(%x: tensor<16x16xf32>, %i: index):
    %next = arith.addi %i, %c1 : index)");
  replace("scf.yield %p : tensor<16x16xf32>",
          "scf.yield %p, %next : tensor<16x16xf32>, index");
  auto values = capture(loop);
  ASSERT_TRUE(values.ok()) << values.error().message;
  ASSERT_THAT(formed.kernels, SizeIs(2));
  EXPECT_FALSE(values->declare(formed.kernels[0]));
  EXPECT_EQ(read(*values, 1), (std::vector<double>{8, 3}));
}

} // namespace
