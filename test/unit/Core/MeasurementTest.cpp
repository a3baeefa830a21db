//===- Measurements and comparisons as JSON -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Measurement.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

TEST(Verdict, EachHasItsName) {
  const char *names[] = {"faster", "tie", "no-baseline", "interrupted"};
  for (size_t i = 0; i < std::size(names); ++i) {
    auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(toString(verdict), names[i]);
    EXPECT_EQ(*decode<Verdict>(Json(verdict)), verdict);
  }
  EXPECT_FALSE(decode<Verdict>("slower").ok());
}

TEST(Comparison, ComesBackFromText) {
  Comparison comparison{Verdict::no_baseline, {5, 1, 2, 3, 4},
                        {6, 2, 3, 4, 5},      1.5,
                        {1.25, 1.75},         64};
  comparison.shownSpeedup = 1.125;
  comparison.cacheState = CacheState::warm;
  comparison.otherSpeedup = Speedup{0.75, {0.5, 0.875}};
  auto back = decode<Comparison>(Json::parse(Json(comparison).dump()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->verdict, Verdict::no_baseline);
  EXPECT_EQ(back->seconds.q1, 2);
  EXPECT_EQ(back->baselineSeconds.n, 6u);
  EXPECT_EQ(back->speedupInterval.low, 1.25);
  EXPECT_EQ(back->speedupInterval.high, 1.75);
  EXPECT_EQ(back->shownSpeedup, 1.125);
  EXPECT_EQ(back->cacheState, CacheState::warm);
  ASSERT_TRUE(back->otherSpeedup);
  EXPECT_EQ(back->otherSpeedup->ratio, 0.75);
  EXPECT_EQ(back->otherSpeedup->interval.high, 0.875);
  EXPECT_EQ(back->rounds, 64u);
  comparison.shownSpeedup.reset(); // as of older records
  comparison.cacheState = CacheState::cold;
  comparison.otherSpeedup.reset();
  back = decode<Comparison>(Json::parse(Json(comparison).dump()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_FALSE(back->shownSpeedup);
}

TEST(Measurement, ComesBackFromText) {
  Measurement m{{5, 1, 2, 3, 4}, {6, 2, 3, 4, 5}, 0.9, {0.8, 1.0}};
  auto back = decode<Measurement>(Json::parse(Json(m).dump()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->seconds.median, 3);
  EXPECT_EQ(back->baselineSeconds.q3, 5);
  EXPECT_EQ(back->ratio, 0.9);
  EXPECT_EQ(back->ratioInterval.low, 0.8);
  EXPECT_FALSE(decode<Measurement>({{"ratio", 1}}).ok());
}

/// Returns the error of decoding the value's JSON with one member changed.
template <typename T>
static std::string refusal(const T &value, const char *pointer,
                           const Json &member) {
  Json json = value;
  json[Json::json_pointer(pointer)] = member;
  auto back = decode<T>(json);
  return back ? "taken" : back.error().message;
}

TEST(Comparison, NumbersThatNoTestGivesAreRefused) {
  Comparison comparison{
      Verdict::faster, {5, 1, 2, 3, 4}, {6, 2, 3, 4, 5}, 1.5, {1.25, 1.75}, 64};
  EXPECT_EQ(refusal(comparison, "/speedup", -2),
            "'speedup' is -2.0; a speedup is more than 0");
  EXPECT_THAT(refusal(comparison, "/speedup", 0), HasSubstr("'speedup' is 0"));
  EXPECT_EQ(refusal(comparison, "/seconds/median", -1),
            "'seconds.median' is -1.0; no time is negative");
  EXPECT_THAT(refusal(comparison, "/baseline_seconds/min", -1),
              HasSubstr("'baseline_seconds.min' is -1"));
  EXPECT_THAT(refusal(comparison, "/shown_speedup", -1),
              HasSubstr("'shown_speedup' is -1"));
  EXPECT_EQ(refusal(comparison, "/speedup", "fast"),
            "speedup: type must be number, but is string");
  EXPECT_EQ(refusal(comparison, "/seconds/n", -1),
            "seconds/n: not an integer of 64 bits without a sign");
  EXPECT_EQ(refusal(comparison, "/speedup", 0.5), "taken");
}

TEST(Measurement, NumbersThatNoTrialGivesAreRefused) {
  Measurement m{{5, 1, 2, 3, 4}, {6, 2, 3, 4, 5}, 0.9, {0.8, 1.0}};
  EXPECT_THAT(refusal(m, "/seconds/q1", -1), HasSubstr("'seconds.q1' is -1"));
  EXPECT_THAT(refusal(m, "/ratio", -1), HasSubstr("'ratio' is -1"));
  EXPECT_EQ(refusal(m, "/ratio", 1.5), "taken");
}
