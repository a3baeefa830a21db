//===- Each kind of knob, as models see it --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Encoding.h"

#include <cmath>
#include <gmock/gmock.h>
#include <string>

using namespace tonno;
using testing::ElementsAre;
using testing::FloatNear;
using testing::IsEmpty;

static SearchSpace spaceOfOptions(const std::vector<std::string> &knobs) {
  std::vector<Knob> list;
  for (const std::string &options : knobs)
    list.push_back({"k" + std::to_string(list.size()),
                    Json::parse(options).get<std::vector<Option>>(), 0});
  return SearchSpace(std::move(list));
}

static Encoding encodingOf(const std::string &options) {
  return Encoding(spaceOfOptions({options}));
}

/// Returns the only column of a space with one knob, for each option.
static std::vector<float> coordinatesOf(const std::string &options) {
  Encoding encoding = encodingOf(options);
  std::vector<float> all;
  for (uint32_t i = 0; i < encoding.options(0); ++i) {
    float coordinate = -1;
    encoding.coordinates({{i}}, {&coordinate, 1});
    all.push_back(coordinate);
  }
  return all;
}

static std::vector<int> binsOf(const Encoding &encoding,
                               const Configuration &point) {
  std::vector<uint8_t> row(encoding.columns());
  encoding.bins(point, row);
  return {row.begin(), row.end()};
}

TEST(Encoding, TellsKindsFromOptions) {
  auto kind = [](const std::string &options) {
    return encodingOf(options).kind(0);
  };
  EXPECT_EQ(kind("[1, 2, 4]"), KnobKind::ordered);
  EXPECT_EQ(kind("[0, 1]"), KnobKind::ordered);
  EXPECT_EQ(kind("[-3, 7]"), KnobKind::ordered);
  EXPECT_EQ(kind("[false, true]"), KnobKind::boolean);
  EXPECT_EQ(kind(R"(["row", "column"])"), KnobKind::categorical);
  EXPECT_EQ(kind(R"([1, "auto"])"), KnobKind::categorical);
  EXPECT_EQ(kind("[false, 1]"), KnobKind::categorical);
  EXPECT_EQ(kind(R"([{"mlir": "#a"}, {"mlir": "#b"}])"), KnobKind::categorical);
  EXPECT_EQ(kind("[[0, 1, 2], [2, 1, 0]]"), KnobKind::permutation);
  EXPECT_EQ(kind("[[0, 1, 2], [2, 2, 0]]"), KnobKind::categorical);
  EXPECT_EQ(kind("[[0, 1], [2, 1, 0]]"), KnobKind::categorical);
  EXPECT_EQ(kind("[[0, -1], [1, 0]]"), KnobKind::categorical);
  EXPECT_EQ(kind("[[1, 2], [2, 1]]"), KnobKind::categorical);
  EXPECT_EQ(kind("[[4, 8], [8, 4]]"), KnobKind::categorical);
}

TEST(Encoding, OrdersByValueNotByPlace) {
  Encoding encoding = encodingOf("[32, 8, 128, 16]");
  std::vector<uint32_t> ranks;
  for (uint32_t option = 0; option < 4; ++option) {
    ranks.push_back(encoding.rank(0, option));
    EXPECT_EQ(encoding.optionAt(0, encoding.rank(0, option)), option);
    EXPECT_THAT(binsOf(encoding, {{option}}),
                ElementsAre(static_cast<int>(ranks.back())));
  }
  EXPECT_THAT(ranks, ElementsAre(2, 0, 3, 1));
  EXPECT_THAT(encoding.columnLevels(), ElementsAre(4));
  EXPECT_THAT(encoding.neighbours(0, 0, 1), ElementsAre(3, 2)); // 16, 128
  EXPECT_THAT(encoding.neighbours(0, 1, 1), ElementsAre(3));    // 16
  EXPECT_THAT(encoding.neighbours(0, 1, 2), ElementsAre(3, 0)); // 16, 32
  EXPECT_THAT(encoding.neighbours(0, 2, 1000), ElementsAre(1, 3, 0));
}

TEST(Encoding, ScalesByLogarithmWhereOptionsMultiply) {
  EXPECT_THAT(coordinatesOf("[1, 2, 4, 8, 16]"),
              ElementsAre(0, .25, .5, .75, 1));
  EXPECT_THAT(coordinatesOf("[1, 2, 16]"), ElementsAre(0, .25, 1));
  EXPECT_THAT(coordinatesOf("[1, 3, 9]"),
              ElementsAre(0, FloatNear(.5, 1e-6), 1));
  EXPECT_THAT(coordinatesOf("[1, 2, 3, 4, 5]"),
              ElementsAre(0, .25, .5, .75, 1));
  EXPECT_THAT(
      coordinatesOf("[16, 32, 48, 64]"),
      ElementsAre(0, FloatNear(1 / 3.F, 1e-6), FloatNear(2 / 3.F, 1e-6), 1));
  // Zero has no logarithm.
  EXPECT_THAT(coordinatesOf("[0, 1, 2, 4]"), ElementsAre(0, .25, .5, 1));
  EXPECT_THAT(coordinatesOf("[false, true]"), ElementsAre(0, 1));
  EXPECT_THAT(coordinatesOf("[true, false]"), ElementsAre(1, 0));
}

/// Returns the distance between the coordinates of two points.
static double distanceOf(const Encoding &encoding, const Configuration &one,
                         const Configuration &other) {
  std::vector<float> here(encoding.columns()), there(encoding.columns());
  encoding.coordinates(one, here);
  encoding.coordinates(other, there);
  double sum = 0;
  for (size_t i = 0; i < here.size(); ++i)
    sum += std::pow(static_cast<double>(here[i]) - there[i], 2);
  return std::sqrt(sum);
}

TEST(Encoding, CategoricalKnobsHaveAColumnForEachOption) {
  Encoding encoding(spaceOfOptions({"[5, 6, 7]", R"(["a", "b", "c"])"}));
  EXPECT_THAT(encoding.columnKnobs(), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(encoding.columnLevels(), ElementsAre(3, 2, 2, 2));
  EXPECT_EQ(encoding.firstColumn(1), 1u);
  EXPECT_THAT(binsOf(encoding, {{2, 1}}), ElementsAre(2, 0, 1, 0));
  EXPECT_NEAR(distanceOf(encoding, {{0, 0}}, {{0, 2}}), 1, 1e-6);
  EXPECT_NEAR(distanceOf(encoding, {{0, 0}}, {{2, 2}}), std::sqrt(2.0), 1e-6);
  EXPECT_FALSE(encoding.isOrdered(1));
  EXPECT_THAT(encoding.neighbours(1, 1, 1), ElementsAre(0, 2));
}

TEST(Encoding, PermutationsAreTheirPositions) {
  Encoding encoding =
      encodingOf("[[0, 1, 2], [2, 0, 1], [1, 0, 2], [2, 1, 0]]");
  // Positions of 0, 1 and 2 in [2, 0, 1].
  EXPECT_THAT(binsOf(encoding, {{1}}), ElementsAre(1, 2, 0));
  EXPECT_NEAR(distanceOf(encoding, {{0}}, {{3}}), 1, 1e-6);
  EXPECT_LT(distanceOf(encoding, {{0}}, {{2}}), 0.6);
  EXPECT_THAT(encoding.neighbours(0, 0, 1), ElementsAre(2, 3)); // exchanges
  // If no options differ by an exchange, all are equally near.
  EXPECT_THAT(encodingOf("[[0, 1, 2], [2, 0, 1]]").neighbours(0, 0, 1),
              ElementsAre(1));
}

TEST(Encoding, KnobsWithOneOptionHaveNoColumns) {
  Encoding encoding(spaceOfOptions({"[4]", "[1, 2, 4]", R"(["x"])"}));
  EXPECT_THAT(encoding.columnKnobs(), ElementsAre(1));
  EXPECT_THAT(binsOf(encoding, {{0, 2, 0}}), ElementsAre(2));
  EXPECT_THAT(encoding.neighbours(0, 0, 3), IsEmpty());
  EXPECT_THAT(encoding.neighbours(2, 0, 3), IsEmpty());
  Encoding none((SearchSpace()));
  EXPECT_EQ(none.columns(), 0u);
  EXPECT_EQ(distanceOf(none, {}, {}), 0);
}

static Encoding manyOptions(bool areNumbers, uint32_t count) {
  Knob knob{"k", {}, 0};
  for (uint32_t i = 0; i < count; ++i)
    knob.options.push_back(areNumbers ? Option(count - i)
                                      : Option(std::to_string(i)));
  return Encoding(SearchSpace({knob}));
}

TEST(Encoding, ManyOptionsShareBins) {
  Encoding encoding = manyOptions(/*areNumbers=*/true, 65536);
  EXPECT_THAT(encoding.columnLevels(), ElementsAre(256));
  EXPECT_THAT(binsOf(encoding, {{0}}), ElementsAre(255)); // the largest
  EXPECT_THAT(binsOf(encoding, {{65535}}), ElementsAre(0));
  EXPECT_EQ(encoding.rank(0, 0), 65535u);
  for (uint32_t rank = 1; rank < 65536; rank += 97)
    EXPECT_LE(binsOf(encoding, {{encoding.optionAt(0, rank - 1)}})[0],
              binsOf(encoding, {{encoding.optionAt(0, rank)}})[0]);
  // 256 options need not.
  EXPECT_THAT(binsOf(manyOptions(true, 256), {{255}}), ElementsAre(0));
  EXPECT_THAT(binsOf(manyOptions(true, 256), {{254}}), ElementsAre(1));
}

TEST(Encoding, CategoricalKnobsWithTooManyOptionsAreTakenAsListed) {
  EXPECT_EQ(manyOptions(/*areNumbers=*/false, 64).columns(), 64u);
  Encoding encoding = manyOptions(/*areNumbers=*/false, 65);
  EXPECT_EQ(encoding.columns(), 1u);
  EXPECT_FALSE(encoding.isOrdered(0));
  EXPECT_THAT(binsOf(encoding, {{40}}), ElementsAre(40));
}

TEST(Encoding, WritesRowsOfManyPoints) {
  Encoding encoding(spaceOfOptions({"[1, 2, 4]", "[false, true]"}));
  std::vector<Configuration> points = {{{0, 1}}, {{2, 0}}, {{1, 1}}};
  Rows<uint8_t> bins = encoding.bins(points);
  Rows<float> coordinates = encoding.coordinates(points);
  ASSERT_EQ(bins.size(), 3u);
  ASSERT_EQ(coordinates.size(), 3u);
  EXPECT_THAT(bins[1], ElementsAre(2, 0));
  EXPECT_THAT(coordinates[2], ElementsAre(.5, 1));
}
