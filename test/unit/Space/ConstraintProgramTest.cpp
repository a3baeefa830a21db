//===- Types of constraints, and their values -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintProgram.h"
#include "RepeatedText.h"

#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using testing::ElementsAre;

static std::vector<Knob> knobsOfEachKind() {
  return {{"BM", {32, 64, 128}, 0},
          {"U", {-3, 0, 4}, 0},
          {"tail", {"mask", "split"}, 0},
          {"pack", {false, true}, 0},
          {"order", {Json{0, 1}, Json{1, 0}}, 0},
          {"pet", {"cat", "dog", Json{{"mlir", "unit"}}}, 0},
          {"depth", {"auto", 1, 2, true}, 0},
          {"L",
           {std::numeric_limits<int64_t>::min(),
            std::numeric_limits<int64_t>::max()},
           0},
          {"huge", {std::numeric_limits<uint64_t>::max(), 1}, 0},
          {"tile.m", {1, 2}, 0},
          {"mix", {Json{0, "x"}, Json{"y", 1}}, 0}};
}

static Result<ConstraintProgram, ConstraintError>
compile(const std::string &text) {
  auto parsed = Constraint::parse(text);
  if (!parsed)
    return parsed.error();
  return ConstraintProgram::compile(*parsed, knobsOfEachKind());
}

/// Returns the truth of the constraint for each option of its knob, if any: `h`
/// for holds, `b` for broken, `u` for undefined.
static std::string truths(const std::string &text) {
  auto program = compile(text);
  if (!program)
    return program.error().text();
  std::vector<Knob> knobs = knobsOfEachKind();
  EXPECT_LE(program->knobs().size(), 1u);
  size_t knob = program->knobs().empty() ? 0 : program->knobs()[0];
  size_t count = program->knobs().empty() ? 1 : knobs[knob].options.size();
  std::string all;
  for (uint32_t option = 0; option < count; ++option) {
    std::vector<uint32_t> options(knobs.size());
    options[knob] = option;
    all += "bhu"[static_cast<size_t>(program->evaluate(options))];
  }
  return all;
}

TEST(ConstraintProgram, ComparesIntegers) {
  EXPECT_EQ(truths("BM == 64"), "bhb");
  EXPECT_EQ(truths("BM != 64"), "hbh");
  EXPECT_EQ(truths("BM < 64"), "hbb");
  EXPECT_EQ(truths("BM <= 64"), "hhb");
  EXPECT_EQ(truths("BM > 64"), "bbh");
  EXPECT_EQ(truths("BM >= 64"), "bhh");
  EXPECT_EQ(truths("`tile.m` == 2"), "bh");
}

TEST(ConstraintProgram, QuotientsRoundAndRemaindersAreNeverNegative) {
  EXPECT_EQ(truths("-7 floordiv 2 == -4 and 7 floordiv -2 == -4 and "
                   "-7 floordiv -2 == 3 and 6 floordiv -2 == -3"),
            "h");
  EXPECT_EQ(truths("-7 ceildiv 2 == -3 and 7 ceildiv -2 == -3 and "
                   "-7 ceildiv -2 == 4 and 6 ceildiv -2 == -3"),
            "h");
  EXPECT_EQ(truths("-7 mod 3 == 2 and 7 mod -3 == 1 and -7 mod -3 == 2 and "
                   "-6 mod 3 == 0"),
            "h");
}

TEST(ConstraintProgram, EndsOf64BitsAreUndefinedOnlyWhereTheyMust) {
  EXPECT_EQ(truths("L + 1 > 0"), "bu");
  EXPECT_EQ(truths("L - 1 > 0"), "uh");
  EXPECT_EQ(truths("-L != 0"), "uh");
  EXPECT_EQ(truths("L * -1 != 0"), "uh");
  EXPECT_EQ(truths("L floordiv -1 != 0"), "uh");
  EXPECT_EQ(truths("L ceildiv -1 != 0"), "uh");
  EXPECT_EQ(truths("L mod -1 == 0"), "hh");
  EXPECT_EQ(truths("L mod L == 0"), "hh");
  EXPECT_EQ(truths("-1 mod L == 9223372036854775807"), "hb");
  EXPECT_EQ(truths("-1 floordiv L == 0"), "hb");
}

TEST(ConstraintProgram, DividesByZeroOnlyWhereItIsAsked) {
  EXPECT_EQ(truths("12 mod U == 0"), "huh");
  EXPECT_EQ(truths("12 floordiv U == -4"), "hub");
  EXPECT_EQ(truths("12 ceildiv U == 3"), "buh");
  EXPECT_EQ(truths("U != 0, 12 mod U == 0"), "hbh");
  EXPECT_EQ(truths("U != 0 and 12 mod U == 0"), "hbh");
  EXPECT_EQ(truths("U == 0 or 12 mod U == 0"), "hhh");
  EXPECT_EQ(truths("if U == 0 then false else 12 mod U == 0"), "hbh");
  EXPECT_EQ(truths("12 mod U == 0, U != 0"), "huh");
  EXPECT_EQ(truths("not 12 mod U == 0"), "bub");
}

TEST(ConstraintProgram, BooleansAreConditions) {
  EXPECT_EQ(truths("pack"), "bh");
  EXPECT_EQ(truths("not pack"), "hb");
  EXPECT_EQ(truths("pack == false"), "hb");
  EXPECT_EQ(truths("(BM > 32) != (BM > 64)"), "bhb");
  EXPECT_EQ(truths("true"), "h");
  EXPECT_EQ(truths("if pack then false else true"), "hb");
}

TEST(ConstraintProgram, StringsAreEqualOrNot) {
  EXPECT_EQ(truths("tail == 'mask'"), "hb");
  EXPECT_EQ(truths("\"mask\" != tail"), "bh");
  EXPECT_EQ(truths("tail == if tail == 'mask' then 'split' else 'mask'"), "bb");
  EXPECT_EQ(truths("(if pack then 'a' else 'b') == 'a'"), "bh");
}

TEST(ConstraintProgram, ElementsOfLists) {
  EXPECT_EQ(truths("order[0] == 1"), "bh");
  EXPECT_EQ(truths("order[0] < order[1]"), "hb");
  EXPECT_EQ(truths("mix[0] == 'y'"), "bh");
  EXPECT_EQ(truths("mix[1] == 1"), "bh");
  EXPECT_EQ(truths("order == order"), "hh");
}

TEST(ConstraintProgram, KnobsOfSeveralKinds) {
  EXPECT_EQ(truths("pet == 'cat'"), "hbb");
  EXPECT_EQ(truths("pet != 'cat'"), "bhh");
  EXPECT_EQ(truths("depth == 1"), "bhbb");
  EXPECT_EQ(truths("depth == true"), "bbbh");
  EXPECT_EQ(truths("depth == 'auto'"), "hbbb");
  EXPECT_EQ(truths("2 == depth"), "bbhb");
  EXPECT_EQ(truths("depth == 77"), "bbbb"); // a number may be none of them
  EXPECT_EQ(truths("depth == if true then 2 else 'auto'"), "bbhb");
  EXPECT_EQ(truths("depth == if true then 2 else 1"), "bbhb");
}

TEST(ConstraintProgram, TheDeepestAndTheLongestRun) {
  for (const std::string &text :
       {repeat("BM + ", 254) + "BM == 255 * BM",
        repeat("BM - (", 99) + "0" + repeat(")", 99) + " == BM",
        repeat("if BM > 9 then ", 99) + "true" + repeat(" else false", 99),
        repeat("not ", 98) + "(BM > 9)", repeat("BM > 9 and ", 9999) + "true",
        repeat("BM > 999 or ", 9999) + "true"}) {
    auto parsed = Constraint::parse(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().text();
    for (uint64_t limit : {0, 4096}) {
      auto program = ConstraintProgram::compile(*parsed, knobsOfEachKind(),
                                                {limit, limit});
      ASSERT_TRUE(program.ok()) << program.error().text();
      std::vector<uint32_t> options(knobsOfEachKind().size(), 1);
      EXPECT_EQ(program->evaluate(options), Truth::holds)
          << text.substr(0, 30) << ", limit " << limit;
    }
  }
}

TEST(ConstraintProgram, KnowsItsKnobsAndConjuncts) {
  auto program = compile("tail == 'mask', (pack and BM * U > 0), U != 1 or "
                         "pack");
  ASSERT_TRUE(program.ok());
  EXPECT_THAT(program->knobs(), ElementsAre(0, 1, 2, 3));
  ASSERT_EQ(program->conjuncts().size(), 4u);
  EXPECT_THAT(program->conjuncts()[0].knobs().members(), ElementsAre(2));
  EXPECT_THAT(program->conjuncts()[1].knobs().members(), ElementsAre(3));
  EXPECT_THAT(program->conjuncts()[2].knobs().members(), ElementsAre(0, 1));
  EXPECT_THAT(program->conjuncts()[3].knobs().members(), ElementsAre(1, 3));
}

struct IllTyped {
  const char *text;
  const char *why;
};

class ConstraintTypes : public testing::TestWithParam<IllTyped> {};

TEST_P(ConstraintTypes, AreChecked) {
  EXPECT_EQ(truths(GetParam().text), GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    Errors, ConstraintTypes,
    testing::Values(
        IllTyped{"BM mod 16 == 0, BX == 2",
                 "column 17: there is no knob BX; the knobs are: BM, U, tail, "
                 "pack, order, pet, depth, L, huge, `tile.m`, mix"},
        IllTyped{"BM", "column 1: expected a condition, and `BM` is an "
                       "integer; compare it with one, as in `BM <= 64`"},
        IllTyped{"BM == 1 and U", "column 13: expected a condition, and `U` is "
                                  "an integer; compare it with one, as in `BM "
                                  "<= 64`"},
        IllTyped{"tail", "column 1: expected a condition, and `tail` is a "
                         "string"},
        IllTyped{"not order",
                 "column 5: expected a condition, and `order` is a list or "
                 "another attribute"},
        IllTyped{"if BM then true else false",
                 "column 4: expected a condition, and `BM` is an integer; "
                 "compare it with one, as in `BM <= 64`"},
        IllTyped{"BM + pack == 1",
                 "column 6: expected an integer, and `pack` is a boolean"},
        IllTyped{"-tail == 1",
                 "column 2: expected an integer, and `tail` is a string"},
        IllTyped{"tail < 'split'",
                 "column 1: expected an integer, and `tail` is a string; "
                 "compare these only by `==` or `!=`"},
        IllTyped{"depth < 2",
                 "column 1: expected an integer, and `depth` is an integer or "
                 "a boolean or a string; compare these only by `==` or `!=`"},
        IllTyped{
            "huge < 2",
            "column 1: expected an integer, and `huge` is an integer or a list "
            "or another attribute; compare these only by `==` or `!=`"}));

INSTANTIATE_TEST_SUITE_P(
    Equality, ConstraintTypes,
    testing::Values(
        IllTyped{"tail == 'msak'",
                 "column 9: \"msak\" is not an option of `tail`; its options "
                 "are: [\"mask\",\"split\"]"},
        IllTyped{"tail == '\xff'", // no text, and printed all the same
                 "column 9: \"\xEF\xBF\xBD\" is not an option of `tail`; its "
                 "options are: [\"mask\",\"split\"]"},
        IllTyped{"'cow' != pet",
                 "column 1: \"cow\" is not an option of `pet`; its options "
                 "are: [\"cat\",\"dog\",{\"mlir\":\"unit\"}]"},
        IllTyped{"mix[0] == 'z'", "column 11: \"z\" is not an option of "
                                  "`mix[0]`; its options are: [0,\"y\"]"},
        IllTyped{"tail == 1", "column 1: `tail` is a string, and `1` is an "
                              "integer: they never agree"},
        IllTyped{"BM == pack", "column 1: `BM` is an integer, and `pack` is a "
                               "boolean: they never agree"},
        IllTyped{"depth == BM + 1", "column 10: `BM + 1` is an integer, and "
                                    "what it is compared with is not always "
                                    "one"}));

INSTANTIATE_TEST_SUITE_P(
    Lists, ConstraintTypes,
    testing::Values(
        IllTyped{"order[2] == 0",
                 "column 1: the option [0,1] of order has no element 2, "
                 "counted from 0"},
        IllTyped{"pet[0] == 'cat'",
                 "column 1: the option \"cat\" of pet is not a list"},
        IllTyped{"order == 1", "column 1: `order` is a list or another "
                               "attribute, and `1` is an integer: they never "
                               "agree"}));
