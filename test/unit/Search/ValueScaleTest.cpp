//===- Values as ratios ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/ValueScale.h"

#include "Spaces.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::Optional;

namespace {

/// Remembers the latest ratio of each point.
class Listener : public SearchStrategy {
public:
  explicit Listener(std::vector<std::optional<double>> &ratios)
      : ratios(ratios) {}
  std::vector<Configuration> propose(size_t) override { return {}; }
  void observe(std::span<const Trial> trials) override {
    for (const Trial &trial : trials) {
      size_t point = trial.configuration.indices.front();
      ratios.resize(std::max(ratios.size(), point + 1));
      ratios[point] = trial.measurement
                          ? std::optional(trial.measurement->ratio)
                          : std::nullopt;
    }
  }

private:
  std::vector<std::optional<double>> &ratios;
};

} // namespace

static Trial getTrial(uint32_t point, std::optional<double> value) {
  Trial trial;
  trial.configuration.indices = {point};
  if (value)
    trial.measurement.emplace().ratio = *value;
  else
    trial.status = Status::fault;
  return trial;
}

/// Returns the ratios that a strategy knows in the end.
static std::vector<std::optional<double>>
getRatios(const std::vector<std::optional<double>> &values) {
  std::vector<std::optional<double>> ratios;
  ValueScale scale(std::make_unique<Listener>(ratios));
  for (uint32_t point = 0; point < values.size(); ++point) {
    Trial trial = getTrial(point, values[point]);
    scale.observe({&trial, 1});
  }
  return ratios;
}

TEST(ValueScale, TheBestIsOneAndTheMedianOfTheOthersTwo) {
  EXPECT_THAT(getRatios({0, -4, -2, 4}),
              ElementsAre(Optional(DoubleEq(2)), Optional(DoubleEq(1)),
                          Optional(DoubleEq(1.5)), Optional(DoubleEq(3))));
}

TEST(ValueScale, FailuresHaveNone) {
  EXPECT_THAT(
      getRatios({-1, std::nullopt, 1}),
      ElementsAre(Optional(DoubleEq(1)), std::nullopt, Optional(DoubleEq(2))));
}

TEST(ValueScale, EqualValuesAreOne) {
  EXPECT_THAT(getRatios({-7, -7}),
              ElementsAre(Optional(DoubleEq(1)), Optional(DoubleEq(1))));
}

TEST(ValueScale, ExtremeValuesStayFinite) {
  for (std::optional<double> ratio : getRatios({1e308, -1e308, 5e-324, 0})) {
    ASSERT_TRUE(ratio);
    EXPECT_GT(*ratio, 0);
    EXPECT_LE(*ratio, 1e12);
  }
}

TEST(ValueScale, FollowsValuesFarBelow) {
  std::vector<std::optional<double>> values;
  for (int i = 0; i < 40; ++i)
    values.emplace_back(i % 4);
  values.emplace_back(-1000);
  EXPECT_THAT(getRatios(values).back(), Optional(DoubleEq(1)));
  EXPECT_GT(getRatios(values).front(), 1.9);
}
