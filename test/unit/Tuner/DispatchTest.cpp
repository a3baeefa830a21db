//===- Constraints over sizes choose variants -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Dispatch.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Transforms/SpecializeShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace mlir;
using namespace tonno;
using testing::HasSubstr;

namespace {

/// A kernel with a constraint over its sizes M and N.
class DispatchTest : public testing::Test {
protected:
  DispatchTest() {
    context.loadDialect<TonnoDialect, func::FuncDialect, arith::ArithDialect,
                        linalg::LinalgDialect, scf::SCFDialect,
                        tensor::TensorDialect>();
  }

  void parse(const std::string &constraint) {
    module = parseSourceString<ModuleOp>(
        R"mlir(
      func.func @k(%x: tensor<?x?xf32> {tonno.dims = ["M", "N"]},
                   %y: tensor<?x?x8xf32> {tonno.dims = ["M", "N", "K"]})
          -> tensor<?x?xf32> attributes {
          x.tail = #tonno.knob<"tail" from ["mask", "split"]>,
          x.order = #tonno.knob<"order" from [[0, 1], [1, 0]]>,
          tonno.constraints = [#tonno.constraint<")mlir" +
            constraint + R"mlir(">]} {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %m = tensor.dim %x, %c0 : tensor<?x?xf32>
        %n = tensor.dim %x, %c1 : tensor<?x?xf32>
        %e = tensor.empty(%m, %n) : tensor<?x?xf32>
        %0 = linalg.exp {tonno.lowering_config = {workgroup =
            [#tonno.knob<"T" from [1, 4, 6]>, 0]}}
            ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
        return %0 : tensor<?x?xf32>
      }
    )mlir",
        ParserConfig(&context));
    ASSERT_TRUE(module);
    space = *extractSearchSpace(*extractClosure(kernel()));
  }

  func::FuncOp kernel() { return module->lookupSymbol<func::FuncOp>("k"); }

  /// Returns true if the constraint holds, by the space at these sizes.
  bool holds(int64_t m, int64_t n, const Configuration &configuration) {
    std::vector<Dimension> sizes = {{"M", m}, {"N", n}};
    auto extracted = extractSpace(extractClosure(kernel())->getOperation(),
                                  SelectedKnobs::vary, sizes);
    return extracted->space.isLegal(configuration);
  }

  OwningOpRef<ModuleOp> dispatch(ArrayRef<Configuration> variants) {
    OwningOpRef<ModuleOp> copy = module->clone();
    DispatchTable table;
    table.axes = {{"M", 1, {40}}, {"N", 2, {9}}};
    table.variants = {0};
    auto made = makeDispatch(copy->lookupSymbol<func::FuncOp>("k"), space,
                             variants, table);
    return succeeded(made) ? std::move(copy) : OwningOpRef<ModuleOp>();
  }

  /// Returns the functions that the kernel calls at these sizes.
  std::vector<std::string> callees(ModuleOp dispatching, int64_t m, int64_t n) {
    OwningOpRef<ModuleOp> fixed = dispatching.clone();
    std::vector<Dimension> sizes = {{"M", m}, {"N", n}};
    EXPECT_TRUE(succeeded(specializeShapes(*fixed, "k", sizes)));
    std::vector<std::string> names;
    fixed->lookupSymbol<func::FuncOp>("k").walk(
        [&](func::CallOp call) { names.push_back(call.getCallee().str()); });
    return names;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  SearchSpace space;
};

TEST_F(DispatchTest, VariantsAreCalledWhereConstraintsHold) {
  for (const char *text :
       {"M mod T == 0", "M ceildiv T <= 3 or N == 5",
        "(M + T - 1) floordiv T <= 3", "tail == 'mask' or M mod 2 == 0",
        "if tail == 'mask' then M >= 2 * N else M floordiv T != N",
        "not (M mod T == 0) and N > 2", "M mod T == 0, N mod 3 == 0",
        "order[0] == 1 or (M * N) mod T == 0", "T * K > M + N - 3",
        "if M > 10 then N mod T == 0 else M != 7",
        "T != 6, M < 20 and (2 - T) mod 4 == 2",
        "tail != 'mask' or M <= -1 + N"}) {
    SCOPED_TRACE(text);
    parse(text);
    size_t variants = 0, others = 0;
    for (uint64_t i = 0; i < space.size(); ++i) {
      Configuration configuration = space.at(i);
      if (configuration == space.defaultConfiguration() ||
          !space.isLegal(configuration))
        continue;
      auto dispatching = dispatch(configuration);
      ASSERT_TRUE(dispatching);
      for (int64_t m : {1, 2, 6, 7, 8, 12, 24, 40})
        for (int64_t n : {2, 3, 5, 9}) {
          bool isVariant = holds(m, n, configuration);
          ++(isVariant ? variants : others);
          EXPECT_THAT(callees(*dispatching, m, n),
                      testing::ElementsAre(isVariant ? "k.variant0" : "k.all"))
              << "M=" << m << " N=" << n << " "
              << space.values(configuration).dump();
        }
    }
    EXPECT_GT(variants, 0u);
    EXPECT_GT(others, 0u);
  }
}

TEST_F(DispatchTest, SizesOutsideOfTheRangeAreNotTested) {
  parse("M mod T == 0");
  Configuration configuration = space.at(space.size() - 1);
  auto dispatching = dispatch(configuration);
  EXPECT_EQ(callees(*dispatching, 36, 9),
            std::vector<std::string>{"k.variant0"});
  EXPECT_EQ(callees(*dispatching, 42, 9), std::vector<std::string>{"k.all"});
  EXPECT_EQ(callees(*dispatching, 36, 1), std::vector<std::string>{"k.all"});
}

TEST_F(DispatchTest, TheDefaultHasNoConditions) {
  parse("M mod T == 5");
  auto dispatching = dispatch(space.defaultConfiguration());
  EXPECT_EQ(callees(*dispatching, 7, 3),
            std::vector<std::string>{"k.variant0"});
  EXPECT_TRUE(holds(7, 3, space.defaultConfiguration()));
}

TEST_F(DispatchTest, QuotientsOfSizesAreRefused) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  for (auto [text, why] :
       {std::pair("N mod M == 0", "divides by a size, or by a number below 1"),
        {"(M - N) mod T == 0", "divides what may be negative"},
        {"(if M > 10 then N else M) mod 2 == 0",
         "chooses between numbers by a size"},
        {"(if M > 8 then 'mask' else 'split') == tail",
         "has the value \"mask\" outside of a comparison"}}) {
    parse(text);
    EXPECT_FALSE(dispatch(space.at(space.size() - 1)));
    EXPECT_THAT(message,
                HasSubstr("constraint \"" + std::string(text) + "\" " + why +
                          ", which a kernel that dispatches cannot "
                          "test"));
  }
}

} // namespace
