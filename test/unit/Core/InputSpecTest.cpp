//===- Inputs as people write them ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/InputSpec.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

using InputKind = InputSpec::Kind;

static InputSpec parsed(const std::string &text) {
  auto input = InputSpec::parse(text);
  EXPECT_TRUE(input.ok()) << input.error().message;
  return input ? *input : InputSpec();
}

static std::string refusalOfInput(const std::string &text) {
  auto input = InputSpec::parse(text);
  return input ? "accepted" : input.error().message;
}

TEST(InputSpec, EachKindIsRead) {
  InputSpec uniform = parsed("uniform(-0.5, 2)");
  EXPECT_EQ(uniform.kind, InputKind::uniform);
  EXPECT_EQ(uniform.low, -0.5);
  EXPECT_EQ(uniform.high, 2);
  InputSpec normal = parsed("normal(200, 1e-3)");
  EXPECT_EQ(normal.kind, InputKind::normal);
  EXPECT_EQ(normal.mean, 200);
  EXPECT_EQ(normal.deviation, 1e-3);
  InputSpec integers = parsed("integers(0, 4095)");
  EXPECT_EQ(integers.kind, InputKind::integers);
  EXPECT_EQ(integers.low, 0);
  EXPECT_EQ(integers.high, 4095);
  EXPECT_EQ(parsed("permutation").kind, InputKind::permutation);
  EXPECT_EQ(parsed("constant(-7)").kind, InputKind::constant);
  EXPECT_EQ(parsed("constant(-7)").value, -7);
  EXPECT_EQ(parsed("npy(\"a b.npy\")").kind, InputKind::npy);
  EXPECT_EQ(parsed("npy(\"a b.npy\")").path, "a b.npy");
  EXPECT_FALSE(uniform.sorted);
}

TEST(InputSpec, AnythingMayBeSorted) {
  InputSpec sorted = parsed("sorted(integers(1, 9))");
  EXPECT_TRUE(sorted.sorted);
  EXPECT_EQ(sorted.kind, InputKind::integers);
  EXPECT_EQ(sorted.high, 9);
  EXPECT_TRUE(parsed("sorted(permutation)").sorted);
}

TEST(InputSpec, SpacesDoNotMatter) {
  EXPECT_EQ(parsed("  sorted ( uniform( 1 ,2 )  ) "),
            parsed("sorted(uniform(1,2))"));
}

TEST(InputSpec, FileNamesMayHoldQuotes) {
  EXPECT_EQ(parsed("npy('it is \"x\".npy')").path, "it is \"x\".npy");
  EXPECT_EQ(parsed("npy(\"a\\\"b\\\\c\")").path, "a\"b\\c");
  EXPECT_EQ(parsed("npy('a,b)')").path, "a,b)");
}

TEST(InputSpec, TextIsReadAsItself) {
  for (const char *text :
       {"uniform(-1, 1)", "normal(0, 0.1)", "integers(-5, 5)", "permutation",
        "constant(0.3)", "npy(\"x.npy\")", "sorted(permutation)",
        "sorted(npy(\"a\\\"b\\\\c\"))", "constant(5e-324)",
        "uniform(-1.7976931348623157e+308, 1.7976931348623157e+308)",
        "integers(-9007199254740992, 9007199254740992)"}) {
    EXPECT_EQ(parsed(text).text(), text);
    EXPECT_EQ(parsed(parsed(text).text()), parsed(text));
  }
}

TEST(InputSpec, UnknownOnesAreToldWhatThereIs) {
  std::string message = refusalOfInput("sorted(unifrm(0, 1))");
  EXPECT_THAT(message, HasSubstr("column 8: unknown input 'unifrm'"));
  EXPECT_THAT(message, HasSubstr("sorted(unifrm(0, 1))"));
  for (const char *known :
       {"uniform(low, high)", "normal(mean, stddev)", "integers(low, high)",
        "permutation", "constant(value)", "npy(\"file.npy\")", "sorted("})
    EXPECT_THAT(message, HasSubstr(known));
  EXPECT_THAT(refusalOfInput(""), HasSubstr("column 1: unknown input ''"));
  EXPECT_THAT(refusalOfInput("Uniform(0, 1)"),
              HasSubstr("unknown input 'Uniform'"));
}

TEST(InputSpec, ErrorsSayWhereAndWhatMayStandThere) {
  struct Row {
    const char *text;
    const char *message;
  };
  for (const Row &row :
       {Row{"uniform", "column 8: expected '(' as in uniform(low, high)"},
        Row{"uniform()", "column 9: expected a number"},
        Row{"uniform(1)", "column 10: expected ',' as in uniform(low, high)"},
        Row{"uniform(1, 2, 3)", "column 13: expected ')' as in uniform("},
        Row{"uniform(1, 2", "column 13: expected ')'"},
        Row{"uniform(1, two)", "column 12: expected a number"},
        Row{"constant(1, 2)", "column 11: expected ')' as in constant(value)"},
        Row{"constant(+1)", "column 10: expected a number"},
        Row{"permutation()", "column 12: expected nothing more"},
        Row{"permutation x", "column 13: expected nothing more"},
        Row{"uniform(2, 1)", "column 12: the upper end must be greater"},
        Row{"uniform(1, 1)", "column 12: the upper end must be greater"},
        Row{"integers(2, 1)", "column 13: the upper end is less"},
        Row{"integers(0.5, 1)", "column 10: expected an integer"},
        Row{"integers(0, 1.5)", "column 13: expected an integer"},
        Row{"integers(0, 1e17)", "magnitude up to 2^53"},
        Row{"normal(0, -1)", "column 11: the standard deviation is negative"},
        Row{"normal(nan, 1)", "column 8: the number must be finite"},
        Row{"uniform(-inf, 1)", "column 9: the number must be finite"},
        Row{"constant(1e999)", "column 10: the number must be finite"},
        Row{"npy(x.npy)", "column 5: expected the name of a file in quotes"},
        Row{"npy('x.npy\")", "column 5: the quote is not closed"},
        Row{"npy('x\\'", "column 5: the quote is not closed"},
        Row{"npy('')", "column 5: the name of the file is empty"},
        Row{"npy('x' 2)", "column 9: expected ')'"},
        Row{"sorted", "column 7: expected '('"},
        Row{"sorted(permutation", "column 19: expected ')'"},
        Row{"sorted(sorted(permutation))",
            "column 8: sorted(...) cannot be nested"},
        Row{"sorted(permutation))", "column 20: expected nothing more"}})
    EXPECT_THAT(refusalOfInput(row.text), HasSubstr(row.message)) << row.text;
}

TEST(InputSpec, OneIntegerIsARangeToo) {
  EXPECT_EQ(parsed("integers(3, 3)").low, 3);
  EXPECT_EQ(parsed("normal(1, 0)").deviation, 0);
}

TEST(InputSpec, JsonIsItsText) {
  Json json = parsed("sorted(integers(0, 7))");
  EXPECT_EQ(json, "sorted(integers(0, 7))");
  EXPECT_EQ(*decode<InputSpec>(json), parsed("sorted(integers(0, 7))"));
  auto wrong = decode<InputSpec>("integers(7, 0)");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("column 13"));
  EXPECT_FALSE(decode<InputSpec>(7).ok());
}
