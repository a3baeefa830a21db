//===- Spaces with constraints --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstrainedSpaces.h"

#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

static std::vector<Knob> someKnobs() {
  return {{"BM", {32, 64, 128}, 0},
          {"BN", {16, 32}, 1},
          {"U", {0, 2, 4}, 0},
          {"tail", {"mask", "split"}, 0}};
}

static std::string refusalOfSpace(std::vector<std::string> constraints,
                                  std::vector<Knob> knobs = someKnobs()) {
  auto space = SearchSpace::create(std::move(knobs), std::move(constraints));
  return space ? "accepted"
               : std::to_string(space.error().index) + ": " +
                     space.error().text();
}

TEST(ConstrainedSpace, ChecksConstraintsInOrder) {
  SearchSpace space = constrained(
      someKnobs(), {"BM >= BN * 2", "tail == 'mask' or BN == 16, U != 4"});
  EXPECT_TRUE(space.isLegal({{0, 0, 0, 0}}));
  EXPECT_EQ(space.brokenConstraint({{0, 0, 0, 0}}), std::nullopt);
  EXPECT_EQ(space.brokenConstraint({{0, 1, 2, 1}}), 0u);
  EXPECT_EQ(space.brokenConstraint({{1, 1, 0, 1}}), 1u);
  EXPECT_EQ(space.brokenConstraint({{1, 1, 2, 0}}), 1u);
  EXPECT_FALSE(space.isLegal({{1, 1, 2, 0}}));
  EXPECT_EQ(space.size(), 36u); // legal or not
}

TEST(ConstrainedSpace, WithoutConstraintsAllIsLegal) {
  SearchSpace space = constrained(someKnobs(), {});
  EXPECT_TRUE(space.isLegal(space.at(35)));
  EXPECT_EQ(space, SearchSpace(someKnobs()));
}

TEST(ConstrainedSpace, ErrorsHaveIndexAndColumn) {
  EXPECT_EQ(refusalOfSpace({"BM == 32", "BM = 64"}),
            "1: column 4: write `==` for \"is equal to\"");
  EXPECT_EQ(refusalOfSpace({"BM == 32", "BM == 64 and BX > 2"}),
            "1: column 14: there is no knob BX; the knobs are: BM, BN, U, "
            "tail");
  EXPECT_EQ(refusalOfSpace({"tail == 'msk'"}),
            "0: column 9: \"msk\" is not an option of `tail`; its options are: "
            "[\"mask\",\"split\"]");
}

TEST(ConstrainedSpace, KnobsHaveNamesOfTheirOwn) {
  std::vector<Knob> knobs = someKnobs();
  knobs.push_back(knobs[1]);
  EXPECT_EQ(refusalOfSpace({}, knobs), "0: two knobs are named BN");
}

TEST(ConstrainedSpace, DivisionByZeroIsRefused) {
  EXPECT_EQ(refusalOfSpace({"BM > 0", "BN > 16 or 64 mod U == 0"}),
            "1: column 12: `64 mod U` divides by zero where U = 0; put a "
            "condition in front that excludes it, such as `U != 0`");
  EXPECT_EQ(refusalOfSpace({"1 ceildiv (BM - 32) == 0"}),
            "0: column 1: `1 ceildiv (BM - 32)` divides by zero where BM = 32; "
            "put a condition in front that excludes it, such as `(BM - 32) != "
            "0`");
  EXPECT_THAT(refusalOfSpace({"1 floordiv 0 == 0"}),
              HasSubstr("`1 floordiv 0` divides by zero; put"));
}

TEST(ConstrainedSpace, NoIntervalHidesAZero) {
  // U is 0, 2 or 4; each divisor is 0 at an end of its range.
  for (const char *divisor :
       {"U mod 5", "U mod 5 - 4", "(if U == 2 then 4 else 1) - 1",
        "(if U == 2 then 4 else 1) - 4", "(if U == 2 then 1 else 4) - 1",
        "(if U == 2 then 1 else 4) - 4", "U * U - 16", "-U + 4", "-U",
        "(U - 1) floordiv 2 + 1", "(U + 1) ceildiv 2 - 3", "U - 2 * U + 4"}) {
    std::string text = "1 mod (" + std::string(divisor) + ") == 0";
    EXPECT_THAT(refusalOfSpace({text}), HasSubstr("divides by zero where U = "))
        << text;
  }
}

TEST(ConstrainedSpace, GuardsExcludeDivisionByZero) {
  for (const char *guarded :
       {"U != 0, 64 mod U == 0", "U != 0 and 64 mod U == 0",
        "U == 0 or 64 mod U == 0", "if U > 0 then 64 mod U == 0 else true"})
    EXPECT_EQ(refusalOfSpace({guarded}), "accepted");
  EXPECT_EQ(refusalOfSpace({"U > 0", "64 mod U == 0"}), "accepted");
  EXPECT_EQ(refusalOfSpace({"U > 0", "BM mod U == 0"}), "accepted");
  // A guard on other knobs, or behind, guards nothing.
  EXPECT_THAT(refusalOfSpace({"U > 0 or BN == 16", "64 mod U == 0"}),
              HasSubstr("1: column 1: `64 mod U` divides"));
  EXPECT_THAT(refusalOfSpace({"64 mod U == 0", "U > 0"}),
              HasSubstr("0: column 1"));
}

TEST(ConstrainedSpace, OverflowIsRefused) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  std::vector<Knob> knobs = {{"L", {1, most}, 0}, {"N", {-1, 2}, 0}};
  EXPECT_EQ(refusalOfSpace({"(L + N) * 2 > 0"}, knobs),
            "0: column 1: `(L + N) * 2` needs more than 64 bits where L = "
            "9223372036854775807, N = -1; put a condition in front that "
            "excludes it");
  EXPECT_EQ(refusalOfSpace({"L floordiv N != 4, L - N > 0"}, knobs),
            "0: column 20: `L - N` needs more than 64 bits where L = "
            "9223372036854775807, N = -1; put a condition in front that "
            "excludes it");
  EXPECT_EQ(refusalOfSpace({"L == 1 or N == 2", "-L != L floordiv N"}, knobs),
            "accepted");
}

static std::vector<Knob> wideKnobs(int count, int64_t step) {
  std::vector<Knob> knobs;
  for (int i = 0; i < count; ++i) {
    knobs.push_back({"k" + std::to_string(i), {}, 0});
    for (int64_t option = 1; option <= 10; ++option)
      knobs.back().options.emplace_back(option * step);
  }
  return knobs;
}

TEST(ConstrainedSpace, ManyCombinationsAreProvedByIntervals) {
  std::string sum = "k0", product = "k0";
  for (int i = 1; i < 12; ++i) {
    sum += " + k" + std::to_string(i);
    product += " * k" + std::to_string(i);
  }
  // 10^12 points each.
  EXPECT_EQ(refusalOfSpace({"100 floordiv (" + sum + ") == 1, " + product +
                            " mod (" + sum + ") == 0"},
                           wideKnobs(12, 1)),
            "accepted");
  EXPECT_EQ(refusalOfSpace({"(if k0 == 1 then " + sum + " else -(" + product +
                            ")) ceildiv 7 != 1"},
                           wideKnobs(12, 1)),
            "accepted");
}

TEST(ConstrainedSpace, ManyCombinationsAreDrawnFrom) {
  std::string product = "k0";
  for (int i = 1; i < 12; ++i)
    product += " * k" + std::to_string(i);
  EXPECT_THAT(refusalOfSpace({product + " > 0"}, wideKnobs(12, 100)),
              AllOf(HasSubstr("0: column 1: `k0 * "),
                    HasSubstr("needs more than 64 bits where k0 = ")));
  EXPECT_THAT(refusalOfSpace({"k0 == 1, k1 + k2 + k3 + k4 + k5 + k6 + k7 > 9, "
                              "1 mod (k8 - k9) == 0"},
                             wideKnobs(12, 1)),
              HasSubstr("`1 mod (k8 - k9)` divides by zero where k8 = "));
}

TEST(ConstrainedSpace, WhatTheDrawsMissIsIllegal) {
  // Division by zero at only one of 10^12 points.
  std::string all = "k0 == 1";
  for (int i = 1; i < 12; ++i)
    all += " and k" + std::to_string(i) + " == 1";
  SearchSpace space =
      constrained(wideKnobs(12, 1), {"if " + all +
                                     " then 1 mod (k0 - 1) == 0 "
                                     "else true"});
  EXPECT_FALSE(space.isLegal(space.at(0)));
  EXPECT_EQ(space.brokenConstraint(space.at(0)), 0u);
  EXPECT_TRUE(space.isLegal(space.at(1)));
  EXPECT_EQ(LegalPoints(space).next(), space.at(1));
}

TEST(ConstrainedSpace, ConfigurationQuotesWhatItBreaks) {
  SearchSpace space = constrained(someKnobs(), {"U < 4", "BM >= BN * 2"});
  Json values = {{"BM", 32}, {"BN", 32}, {"U", 0}, {"tail", "mask"}};
  auto refused = space.configuration(values);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the constraint `BM >= BN * 2` does not "
                                     "hold where BM = 32, BN = 32");
  values["BN"] = 16;
  EXPECT_TRUE(space.configuration(values).ok());
}

TEST(ConstrainedSpace, KeepsItsConstraintsUnderAnotherDefault) {
  SearchSpace space = constrained(someKnobs(), {"U < 4"});
  SearchSpace other = space.withDefault({{2, 0, 1, 1}});
  EXPECT_EQ(other.defaultConfiguration(), (Configuration{{2, 0, 1, 1}}));
  EXPECT_EQ(space.defaultConfiguration(), (Configuration{{0, 1, 0, 0}}));
  EXPECT_EQ(other.constraints(), space.constraints());
  EXPECT_FALSE(other.isLegal({{0, 0, 2, 0}}));
}

TEST(ConstrainedSpace, ComesBackFromJson) {
  SearchSpace space = constrained(someKnobs(), {"U < 4", "BM >= BN * 2"});
  Json json = Json::parse(Json(space).dump());
  EXPECT_EQ(json["constraints"], Json({"U < 4", "BM >= BN * 2"}));
  auto back = decode<SearchSpace>(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, space);
  EXPECT_FALSE(back->isLegal({{0, 1, 0, 0}}));
  EXPECT_NE(*back, SearchSpace(someKnobs()));
  EXPECT_FALSE(Json(SearchSpace(someKnobs())).contains("constraints"));
}

TEST(ConstrainedSpace, JsonWithBadConstraintsIsRefused) {
  Json json = SearchSpace(someKnobs());
  json["constraints"] = {"U < 4", "BM = 2"};
  auto space = decode<SearchSpace>(json);
  ASSERT_FALSE(space.ok());
  EXPECT_THAT(space.error().message,
              HasSubstr("constraint \"BM = 2\", column 4: write `==`"));
  json["constraints"] = 4;
  EXPECT_FALSE(decode<SearchSpace>(json).ok());
  json["constraints"] = Json::array();
  json["knobs"].push_back(json["knobs"][0]);
  space = decode<SearchSpace>(json);
  ASSERT_FALSE(space.ok());
  EXPECT_THAT(space.error().message, HasSubstr("two knobs are named BM"));
}
