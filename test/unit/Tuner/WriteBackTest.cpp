//===- Decisions become attributes ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WriteBack.h"

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace mlir;
using namespace tonno;
using testing::HasSubstr;

namespace {

class WriteBackTest : public testing::Test {
protected:
  WriteBackTest() {
    context.loadDialect<TonnoDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(R"mlir(
      func.func @kernel(%a: tensor<4xf32>) -> tensor<4xf32> attributes {
          tiles = [#tonno.knob<"X" from [1, 2, 4]>,
                   #tonno.knob<"Y" from ["a", "b"]>]} {
        return %a : tensor<4xf32>
      }
      func.func @other() { return }
    )mlir",
                                         ParserConfig(&context));
    kernel = module->lookupSymbol<func::FuncOp>("kernel");
    outcome.kernel = "kernel";
    outcome.space = *extractSearchSpace(*extractClosure(kernel));
    outcome.device = {"host", "A CPU", "0", 1};
    outcome.chip = "znver4";
    outcome.key = "beef";
    outcome.decision.values = {{"X", 4}, {"Y", "b"}};
    outcome.decision.artifactHash = "fe";
    outcome.decision.trials = 6;
    outcome.decision.versions = "tonno 0.1.0";
    outcome.decision.comparison = {Verdict::faster,
                                   {64, 1e-3, 1e-3, 1.5e-3, 2e-3},
                                   {64, 2e-3, 2e-3, 3e-3, 4e-3},
                                   2,
                                   {1.875, 2.125},
                                   64};
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, OpPrintingFlags().useLocalScope());
    return text;
  }

  DictionaryAttr tuned() {
    return kernel->getAttrOfType<DictionaryAttr>("tonno.tuned");
  }
  StringRef text(StringRef key) {
    auto value = tuned().getAs<StringAttr>(key);
    return value ? value.getValue() : "";
  }
  int64_t integer(StringRef key) {
    auto value = tuned().getAs<IntegerAttr>(key);
    return value ? value.getInt() : -1;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp kernel;
  KernelOutcome outcome;
};

} // namespace

TEST_F(WriteBackTest, SelectsTheOptions) {
  ASSERT_TRUE(succeeded(writeBack(kernel, outcome)));
  EXPECT_THAT(print(), HasSubstr("#tonno.knob<\"X\" = 4 from [1, 2, 4]>"));
  EXPECT_THAT(print(), HasSubstr("#tonno.knob<\"Y\" = \"b\" from"));
  EXPECT_TRUE(isResolved(kernel));
  EXPECT_FALSE(
      module->lookupSymbol<func::FuncOp>("other")->hasAttr("tonno.tuned"));
}

TEST_F(WriteBackTest, SaysWhereTheyComeFrom) {
  ASSERT_TRUE(succeeded(writeBack(kernel, outcome)));
  EXPECT_EQ(text("device"), "A CPU");
  EXPECT_EQ(text("chip"), "znver4");
  EXPECT_EQ(text("verdict"), "faster");
  EXPECT_EQ(text("key"), "beef");
  EXPECT_EQ(text("artifact"), "fe");
  EXPECT_EQ(text("versions"), "tonno 0.1.0");
  EXPECT_EQ(integer("trials"), 6);
  EXPECT_EQ(integer("median_ns"), 1500000);
  EXPECT_EQ(integer("baseline_ns"), 3000000);
  auto speedup = tuned().getAs<ArrayAttr>("speedup");
  ASSERT_TRUE(speedup && speedup.size() == 2);
  EXPECT_EQ(cast<FloatAttr>(speedup[0]).getValueAsDouble(), 1.875);
  EXPECT_EQ(cast<FloatAttr>(speedup[1]).getValueAsDouble(), 2.125);
}

TEST_F(WriteBackTest, TieHasTheTimesOfTheDefault) {
  outcome.decision.comparison.verdict = Verdict::tie;
  outcome.decision.values = {{"X", 1}, {"Y", "a"}};
  ASSERT_TRUE(succeeded(writeBack(kernel, outcome)));
  EXPECT_EQ(text("verdict"), "tie");
  EXPECT_EQ(integer("median_ns"), 3000000);
  EXPECT_EQ(integer("baseline_ns"), 3000000);
}

TEST_F(WriteBackTest, NoBaselineHasNoSpeedup) {
  outcome.decision.comparison.verdict = Verdict::no_baseline;
  outcome.decision.comparison.baselineSeconds = {};
  ASSERT_TRUE(succeeded(writeBack(kernel, outcome)));
  EXPECT_EQ(text("verdict"), "no-baseline");
  EXPECT_EQ(integer("median_ns"), 1500000);
  EXPECT_FALSE(tuned().contains("baseline_ns"));
  EXPECT_FALSE(tuned().contains("speedup"));
}

TEST_F(WriteBackTest, IsPlainAndReadAgain) {
  ASSERT_TRUE(succeeded(writeBack(kernel, outcome)));
  std::string before = print();
  module = parseSourceString<ModuleOp>(before, ParserConfig(&context));
  ASSERT_TRUE(module);
  EXPECT_EQ(print(), before);
}

TEST_F(WriteBackTest, NewDecisionReplacesTheOld) {
  ASSERT_TRUE(succeeded(writeBack(kernel, outcome)));
  outcome.decision.values = {{"X", 2}, {"Y", "a"}};
  outcome.decision.artifactHash = "fa";
  ASSERT_TRUE(succeeded(writeBack(kernel, outcome)));
  EXPECT_EQ(text("artifact"), "fa");
  EXPECT_THAT(print(), HasSubstr("#tonno.knob<\"X\" = 2 from [1, 2, 4]>"));
}

TEST_F(WriteBackTest, DecisionThatDoesNotFitIsAnErrorAndChangesNothing) {
  std::string before = print();
  for (const Json &values : {Json{{"X", 3}, {"Y", "a"}}, Json{{"X", 2}},
                             Json{{"X", 2}, {"Y", "a"}, {"Z", 1}}}) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
    outcome.decision.values = values;
    EXPECT_TRUE(failed(writeBack(kernel, outcome))) << values;
    EXPECT_THAT(message, HasSubstr("does not fit the kernel"));
    EXPECT_EQ(print(), before);
  }
}
