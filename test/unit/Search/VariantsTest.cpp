//===- Tests for a few configurations for many shapes ---------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Variants.h"

#include <gtest/gtest.h>

using namespace tonno;

/// Shapes in a line, a factor of two apart.
static ShapeTimes
makeTimes(std::vector<std::vector<std::optional<double>>> times) {
  ShapeTimes made;
  size_t count = times.size();
  made.times = std::move(times);
  made.weights.assign(count, 1.0 / static_cast<double>(count));
  for (size_t i = 0; i < count; ++i) {
    made.cells.push_back(i);
    auto &distances = made.distances.emplace_back();
    for (size_t j = 0; j < count; ++j)
      distances.push_back(i < j ? static_cast<double>(j - i)
                                : static_cast<double>(i - j));
  }
  return made;
}

TEST(Variants, OneSufficesWhereItIsGoodEnough) {
  auto times = makeTimes({{1.0, 1.04}, {1.04, 1.0}, {1.0, 1.03}});
  VariantChoice choice = chooseVariants(times, {4, 1.05});
  EXPECT_EQ(choice.configurations, std::vector<size_t>{0});
  EXPECT_EQ(choice.ofCells, (std::vector<size_t>{0, 0, 0}));
}

TEST(Variants, EachShapeHasAGoodOne) {
  auto times = makeTimes({{1.0, 2.0, 1.5}, {2.0, 1.0, 1.5}, {2.0, 1.0, 1.5}});
  VariantChoice choice = chooseVariants(times, {4, 1.05});
  EXPECT_EQ(choice.configurations.size(), 2u);
  for (size_t shape = 0; shape < 3; ++shape)
    EXPECT_EQ(choice.configurations[choice.ofCells[shape]], shape ? 1u : 0u);
}

TEST(Variants, TheLimitIsOnTheNumber) {
  auto times = makeTimes(
      {{1.0, 3.0, 2.0, 1.3}, {3.0, 1.0, 2.0, 1.3}, {3.0, 2.0, 1.0, 1.3}});
  VariantChoice choice = chooseVariants(times, {1, 1.05});
  EXPECT_EQ(choice.configurations, std::vector<size_t>{3});
}

TEST(Variants, ShapesThatBarAConfigurationTakeTheFirst) {
  auto times = makeTimes({{3.0, 1.0}, {1.0, std::nullopt}, {1.2, 1.0}});
  times.isBarred = {{}, {false, true}, {}};
  EXPECT_EQ(times.getTaken(0, 1), 1u);
  EXPECT_EQ(times.getTaken(1, 1), 0u);
  EXPECT_DOUBLE_EQ(times.regret(1, 1), 1.0);
  VariantChoice choice = chooseVariants(times, {4, 1.05});
  EXPECT_EQ(choice.configurations, std::vector<size_t>{1});
  times.isBarred.clear();
  times.times[1][1] = 3.0;
  choice = chooseVariants(times, {4, 1.05});
  EXPECT_EQ(choice.configurations.size(), 2u);
}

TEST(Variants, HeavyShapesDecide) {
  auto times = makeTimes({{1.0, 1.2}, {1.2, 1.0}});
  times.weights = {0.1, 0.9};
  VariantChoice choice = chooseVariants(times, {1, 1.5});
  EXPECT_EQ(choice.configurations, std::vector<size_t>{1});
}

TEST(Variants, RegretIsEstimatedFromTheNearestShape) {
  auto times = makeTimes({{2.0, 4.0}, {1.0, std::nullopt}, {3.0, 3.0}});
  EXPECT_DOUBLE_EQ(times.best(2), 3.0);
  EXPECT_DOUBLE_EQ(times.regret(0, 1), 2.0);
  EXPECT_DOUBLE_EQ(times.regret(1, 1), 2.0 * 1.05);
  EXPECT_GT(makeTimes({{1.0, std::nullopt}}).regret(0, 1), 10);
}

TEST(Variants, ShapesOfACellHaveOneVariant) {
  auto times = makeTimes({{1.0, 1.1, 9.0}, {2.0, 1.1, 1.0}});
  times.cells = {0, 0};
  VariantChoice choice = chooseVariants(times, {4, 1.05});
  EXPECT_EQ(choice.configurations, std::vector<size_t>{1});
  EXPECT_EQ(choice.ofCells, std::vector<size_t>{0});
}

TEST(Variants, KeptOnesStayWhereTheyAreTheBest) {
  auto times = makeTimes({{1.0, 1.04, 1.5}, {1.0, 1.04, 1.5}, {2.0, 2.0, 1.0}});
  VariantChoice free = chooseVariants(times, {4, 1.05});
  EXPECT_EQ(free.configurations, (std::vector<size_t>{0, 2}));
  VariantChoice choice = chooseVariants(times, {4, 1.05, {1}});
  EXPECT_EQ(choice.configurations, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(choice.ofCells, (std::vector<size_t>{0, 0, 1}));
  // A limit below their number drops none.
  choice = chooseVariants(times, {1, 1.05, {1, 2}});
  EXPECT_EQ(choice.configurations, (std::vector<size_t>{1, 2}));
}
