//===- Tests for the parser of constraints --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Constraint.h"
#include "ConstraintTree.h"
#include "RepeatedText.h"

#include <gmock/gmock.h>

using namespace tonno;
using constraint::Expression;
using constraint::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static const char *nameOf(Kind kind) {
  constexpr const char *names[] = {
      "int", "bool", "string", "knob", "element", "neg", "not", "+",
      "-",   "*",    "//",     "ceil", "mod",     "==",  "!=",  "<",
      "<=",  ">",    ">=",     "and",  "or",      "if"};
  return names[static_cast<size_t>(kind)];
}

/// Prints (operator operand...), so that precedence shows.
static std::string show(const Expression &node) {
  switch (node.kind) {
  case Kind::integer:
    return std::to_string(node.number);
  case Kind::boolean:
    return node.number ? "true" : "false";
  case Kind::string:
    return "'" + node.text + "'";
  case Kind::knob:
    return node.text;
  case Kind::element:
    return node.text + "[" + std::to_string(node.number) + "]";
  default:
    break;
  }
  std::string text = std::string("(") + nameOf(node.kind);
  for (const Expression &operand : node.operands)
    text += " " + show(operand);
  return text + ")";
}

static std::string tree(std::string_view text) {
  auto parsed = Constraint::parse(text);
  return parsed ? show(parsed->expression()) : parsed.error().text();
}

static std::string refusalOfText(std::string_view text) {
  auto parsed = Constraint::parse(text);
  return parsed ? "parsed as " + show(parsed->expression())
                : parsed.error().text();
}

TEST(Constraint, ProductsBindMoreThanSums) {
  EXPECT_EQ(tree("a + b * c == 1"), "(== (+ a (* b c)) 1)");
  EXPECT_EQ(tree("a * b + c == 1"), "(== (+ (* a b) c) 1)");
  EXPECT_EQ(tree("(a + b) * c == 1"), "(== (* (+ a b) c) 1)");
  EXPECT_EQ(tree("-a * b == - - c"), "(== (* (neg a) b) (neg (neg c)))");
}

TEST(Constraint, ArithmeticGoesFromLeftToRight) {
  EXPECT_EQ(tree("a - b - c < d"), "(< (- (- a b) c) d)");
  EXPECT_EQ(tree("a floordiv b * c ceildiv d mod e < f"),
            "(< (mod (ceil (* (// a b) c) d) e) f)");
}

TEST(Constraint, ConditionsBindInTheirOrder) {
  EXPECT_EQ(tree("a == 1 or b == 2 and c == 3"),
            "(or (== a 1) (and (== b 2) (== c 3)))");
  EXPECT_EQ(tree("not a == b and c"), "(and (not (== a b)) c)");
  EXPECT_EQ(tree("not not a"), "(not (not a))");
  EXPECT_EQ(tree("a or b, c or d"), "(and (or a b) (or c d))");
}

TEST(Constraint, OperandsOfOneJoinAreOneNode) {
  EXPECT_EQ(tree("a and b and c"), "(and a b c)");
  EXPECT_EQ(tree("a or b or c"), "(or a b c)");
  EXPECT_EQ(tree("a, b, c"), "(and a b c)");
  EXPECT_EQ(tree("a and b, c"), "(and (and a b) c)");
}

TEST(Constraint, EveryComparisonIsRead) {
  for (const char *each : {"==", "!=", "<", "<=", ">", ">="})
    EXPECT_EQ(tree(std::string("a") + each + "b"),
              std::string("(") + each + " a b)");
}

TEST(Constraint, ConditionalsTakeAllThatFollows) {
  EXPECT_EQ(tree("if a then b == 1 else c == 2 or d"),
            "(if a (== b 1) (or (== c 2) d))");
  EXPECT_EQ(tree("4 * if a then 1 else 2 + 3 == x"),
            "(* 4 (if a 1 (== (+ 2 3) x)))");
  EXPECT_EQ(tree("(if a then 1 else 2) == x"), "(== (if a 1 2) x)");
}

TEST(Constraint, LeavesAreRead) {
  EXPECT_EQ(tree("true"), "true");
  EXPECT_EQ(tree("false"), "false");
  EXPECT_EQ(tree("s == 'it\"s'"), "(== s 'it\"s')");
  EXPECT_EQ(tree("s == \"it's\""), "(== s 'it's')");
  EXPECT_EQ(tree("s == ''"), "(== s '')");
  EXPECT_EQ(tree("order[2] == 1"), "(== order[2] 1)");
  EXPECT_EQ(tree("`tile.m`[0] == `and`"), "(== tile.m[0] and)");
  EXPECT_EQ(tree("`a``b`"), "a`b");
  EXPECT_EQ(tree("_a1Z"), "_a1Z");
  EXPECT_EQ(tree("\t\r\na\n"), "a");
}

TEST(Constraint, IntegersAreOf64Bits) {
  EXPECT_EQ(tree("a == 9223372036854775807"), "(== a 9223372036854775807)");
  EXPECT_EQ(tree("a == -9223372036854775808"), "(== a -9223372036854775808)");
  EXPECT_EQ(tree("a == -007"), "(== a -7)");
  EXPECT_THAT(refusalOfText("a == 9223372036854775808"),
              HasSubstr("column 6: the integer needs more than 64 bits"));
  EXPECT_THAT(refusalOfText("a == -9223372036854775809"),
              HasSubstr("column 7: "));
  EXPECT_THAT(refusalOfText("a == 99999999999999999999999"),
              HasSubstr("column 6: "));
}

TEST(Constraint, WordsWithinNamesAreNames) {
  EXPECT_EQ(tree("android or modern"), "(or android modern)");
}

TEST(Constraint, KeepsItsTextAndKnobs) {
  auto parsed = Constraint::parse(" b mod `a b` == 0, order[1] == b ");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->text(), " b mod `a b` == 0, order[1] == b ");
  EXPECT_THAT(parsed->getNames(), ElementsAre("b", "a b", "order"));
  EXPECT_THAT(Constraint::parse("1 == 1")->getNames(), IsEmpty());
}

/// Lists the source text of each node of the tree.
static void listSpans(const std::string &text, const Expression &node,
                      std::vector<std::string> &spans) {
  EXPECT_EQ(node.column(), node.begin + 1);
  spans.push_back(text.substr(node.begin, node.end - node.begin));
  for (const Expression &operand : node.operands)
    listSpans(text, operand, spans);
}

TEST(Constraint, NodesKnowTheirText) {
  std::string text = " not (a+ -1)*b[0]  < -c or if d then true else s=='x' ";
  auto parsed = Constraint::parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().text();
  std::vector<std::string> spans;
  listSpans(text, parsed->expression(), spans);
  EXPECT_THAT(spans, ElementsAre("not (a+ -1)*b[0]  < -c or "
                                 "if d then true else s=='x'",
                                 "not (a+ -1)*b[0]  < -c", "(a+ -1)*b[0]  < -c",
                                 "(a+ -1)*b[0]", "(a+ -1)", "a", "-1", "b[0]",
                                 "-c", "c", "if d then true else s=='x'", "d",
                                 "true", "s=='x'", "s", "'x'"));
}

struct Refused {
  const char *text;
  const char *why; ///< how the error begins
};

class ConstraintRefusal : public testing::TestWithParam<Refused> {};

TEST_P(ConstraintRefusal, SaysWhereAndWhatToWrite) {
  EXPECT_EQ(refusalOfText(GetParam().text), GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    Text, ConstraintRefusal,
    testing::Values(
        Refused{"", "column 1: expected a condition such as "
                    "`BM mod 16 == 0`, but the text is empty"},
        Refused{"  ", "column 3: expected a condition such as "
                      "`BM mod 16 == 0`, but the text is empty"},
        Refused{"a ==", "column 5: expected a knob, an integer, a string or "
                        "`(`, but found the end"},
        Refused{"a == 1,", "column 8: expected a knob, an integer, a string or "
                           "`(`, but found the end"},
        Refused{"a == * 2", "column 6: expected a knob, an integer, a string "
                            "or `(`, but found `*`"},
        Refused{"a == 1 b", "column 8: expected an operator, `and`, `or`, `,` "
                            "or the end, but found `b`"},
        Refused{"a == 1)", "column 7: nothing opens this `)`"},
        Refused{"(a == 1", "column 8: expected `)` to close the parenthesis, "
                           "but found the end"},
        Refused{"(a, b)",
                "column 3: write `and` instead of `,` within parentheses"},
        Refused{"a == not b", "column 6: `not` within a comparison needs "
                              "parentheses: `(not ...)`"},
        Refused{"order[b]", "column 7: expected the index of an element, an "
                            "integer from 0, but found `b`"},
        Refused{"order[-1] == 0", "column 7: expected the index of an element, "
                                  "an integer from 0, but found `-`"},
        Refused{"order[1", "column 8: expected `]` after the index, but found "
                           "the end"},
        Refused{"if a then b", "column 12: expected `else` of `if a then b "
                               "else c`, but found the end"},
        Refused{"if a, b", "column 5: expected `then` of `if a then b else "
                           "c`, but found `,`"}));

INSTANTIATE_TEST_SUITE_P(
    Comparisons, ConstraintRefusal,
    testing::Values(
        Refused{"1 <= BM*2 < 9 and x", "column 11: comparisons do not chain; "
                                       "write `1 <= BM*2 and BM*2 < 9`"},
        Refused{
            "a == b == c",
            "column 8: comparisons do not chain; write `a == b and b == c`"},
        Refused{
            "a < b < ",
            "column 7: comparisons do not chain; write `a < b and b < ...`"},
        Refused{
            "a < b < 1.5",
            "column 7: comparisons do not chain; write `a < b and b < ...`"}));

INSTANTIATE_TEST_SUITE_P(
    Words, ConstraintRefusal,
    testing::Values(
        Refused{"a && b", "column 3: write `and` instead of `&&`"},
        Refused{"a & b", "column 3: write `and` instead of `&`"},
        Refused{"a || b", "column 3: write `or` instead of `||`"},
        Refused{"!a", "column 1: write `not` instead of `!`"},
        Refused{"a = b", "column 3: write `==` for \"is equal to\""},
        Refused{"a % 2 == 0", "column 3: write `mod` instead of `%`"},
        Refused{"a / 2 == 0", "column 3: write `floordiv` instead of `/`"},
        Refused{"a // 2 == 0", "column 3: write `floordiv` instead of `//`"},
        Refused{"a \u2264 2", "column 3: write `<=` instead of `\u2264`"},
        Refused{"a =< 2", "column 3: write `<=` instead of `=<`"},
        Refused{"a; b", "column 2: write `,` instead of `;`"},
        Refused{"a == 0x10",
                "column 6: expected a decimal integer, but found `0x10`"},
        Refused{"a < 1.5", "column 5: numbers are integers: multiply both "
                           "sides instead of writing a fraction"},
        Refused{"s == 'x", "column 6: no ' ends this string"},
        Refused{"s == \"x'", "column 6: no \" ends this string"},
        Refused{"`ab", "column 1: no ` ends this name"},
        Refused{"`", "column 1: no ` ends this name"},
        Refused{"``", "column 1: expected a knob's name in the backquotes"},
        Refused{"a.b", "column 2: `.` has no meaning here; a name that "
                       "contains it is written in backquotes"},
        Refused{"a\xff", "column 2: byte 0xff has no meaning here; a name that "
                         "contains it is written in backquotes"}));

TEST(Constraint, NoInputOverflowsTheStack) {
  for (const char *opening : {"(", "-", "not ", "if ", "if a then ",
                              "if a then b else ", "-(", "not (", "a*("})
    EXPECT_THAT(refusalOfText(repeat(opening, 1000000)),
                HasSubstr("nests deeper"))
        << opening;
  EXPECT_THAT(refusalOfText(repeat("a + ", 1000000) + "a == 0"),
              HasSubstr("nests deeper than 256 operations"));
  EXPECT_THAT(refusalOfText(repeat("a == ", 1000000) + "0"),
              HasSubstr("chain"));
}

TEST(Constraint, WhatPeopleWriteIsNotTooDeep) {
  EXPECT_TRUE(
      Constraint::parse(repeat("(", 100) + "a" + repeat(")", 100)).ok());
  EXPECT_TRUE(Constraint::parse(repeat("a + ", 250) + "a == 0").ok());
  for (const char *separator : {", ", " and ", " or "})
    EXPECT_TRUE(
        Constraint::parse(repeat(std::string("a") + separator, 9999) + "a")
            .ok());
}

TEST(QuoteKnobName, ComesBack) {
  for (const char *name : {"BM", "_x9", "tile.m", "and", "if", "a b", "9a", "`",
                           "``", "a`b", "'", "\"", "\xff"}) {
    std::string quoted = quoteKnobName(name);
    auto parsed = Constraint::parse(quoted + " == 1");
    ASSERT_TRUE(parsed.ok()) << quoted << ": " << parsed.error().text();
    EXPECT_THAT(parsed->getNames(), ElementsAre(name));
  }
}

TEST(QuoteKnobName, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(quoteKnobName("BM"), "BM");
  EXPECT_EQ(quoteKnobName("modern"), "modern");
  EXPECT_EQ(quoteKnobName("mod"), "`mod`");
  EXPECT_EQ(quoteKnobName("tile.m"), "`tile.m`");
}

TEST(ConstraintTest, RenamesKnobsAndNothingElse) {
  auto parsed = Constraint::parse("if `a b` == 'BM' then BM*2 <= 64 "
                                  "else order[0] mod BM != 0");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(
      parsed->renamed([](const std::string &name) { return "k." + name; }),
      "if `k.a b` == 'BM' then `k.BM`*2 <= 64 "
      "else `k.order`[0] mod `k.BM` != 0");
  EXPECT_EQ(parsed->renamed([](const std::string &name) { return name; }),
            parsed->text());
}
