//===- Points, counted and drawn ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diagram.h"
#include "Uniformity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace tonno;

namespace {

std::vector<Configuration> somePoints() {
  return {{{0, 0, 1}}, {{0, 1, 0}}, {{1, 0, 1}}, {{1, 1, 0}}, {{2, 1, 1}}};
}

TEST(Diagram, HoldsItsPointsAndNoOthers) {
  std::vector<Configuration> points = somePoints();
  Diagram diagram = Diagram::of(points, 3);
  EXPECT_TRUE(diagram.count() == 5);
  for (uint32_t a = 0; a < 3; ++a)
    for (uint32_t b = 0; b < 2; ++b)
      for (uint32_t c = 0; c < 2; ++c) {
        Configuration point = {{a, b, c}};
        EXPECT_EQ(diagram.contains(point),
                  std::find(points.begin(), points.end(), point) !=
                      points.end());
      }
}

TEST(Diagram, EqualPointsCountOnceAndEqualNodesAreOne) {
  std::vector<Configuration> points = somePoints();
  points.push_back(points.front());
  Diagram diagram = Diagram::of(points, 3);
  EXPECT_TRUE(diagram.count() == 5);
  // Options 0 and 1 of the first knob have equal continuations.
  EXPECT_EQ(diagram.nodes(), 5u); // the first; two of the second; two leaves
}

TEST(Diagram, WithoutPointsItIsEmpty) {
  Diagram diagram = Diagram::of({}, 3);
  EXPECT_TRUE(diagram.isEmpty());
  EXPECT_FALSE(diagram.contains({{0, 0, 0}}));
  RestrictedDraw restricted(diagram);
  EXPECT_EQ(restricted.restrict(std::vector<KnobRange>(3, {0, 0, true})), 0);
}

TEST(Diagram, WithoutKnobsThereIsOnePoint) {
  Diagram diagram = Diagram::of({{}}, 0);
  EXPECT_TRUE(diagram.count() == 1);
  EXPECT_TRUE(diagram.contains({}));
}

TEST(Diagram, DrawsAreUniform) {
  std::vector<Configuration> points = somePoints();
  Diagram diagram = Diagram::of(points, 3);
  Random random(7);
  std::map<Configuration, size_t> drawn;
  Configuration point = {{0, 0, 0}};
  for (int i = 0; i < 50000; ++i) {
    diagram.draw(random, point);
    ++drawn[point];
  }
  EXPECT_LT(chiSquare(drawn, points, 50000), 18.5); // 99.9 % of chi-square, 4
}

TEST(Diagram, RestrictedDrawsAreUniformWithinTheRanges) {
  std::vector<Configuration> points = somePoints();
  Diagram diagram = Diagram::of(points, 3);
  RestrictedDraw restricted(diagram);
  Random random(8);
  std::vector<KnobRange> ranges = {{1, 2, false}, {0, 0, true}, {0, 0, true}};
  std::map<Configuration, size_t> drawn;
  Configuration point = {{0, 0, 0}};
  for (int i = 0; i < 30000; ++i) {
    ASSERT_GT(restricted.restrict(ranges), 0);
    restricted.draw(random, point);
    ++drawn[point];
  }
  std::vector<Configuration> within(points.begin() + 2, points.end());
  EXPECT_LT(chiSquare(drawn, within, 30000), 13.8); // 99.9 %, 2

  ranges = {{2, 2, false}, {0, 0, false}, {0, 0, true}};
  EXPECT_EQ(restricted.restrict(ranges), 0);
}

TEST(Diagram, FindsTheCheapestPoint) {
  std::vector<Configuration> points = somePoints();
  Diagram diagram = Diagram::of(points, 3);
  std::vector<std::vector<double>> costs = {{3, 1, 2}, {0, 2.5}, {0, 2}};
  auto costOf = [&](const Configuration &point) {
    double sum = 0;
    for (size_t knob = 0; knob < 3; ++knob)
      sum += costs[knob][point.indices[knob]];
    return sum;
  };
  Configuration best = *std::min_element(
      points.begin(), points.end(),
      [&](const auto &a, const auto &b) { return costOf(a) < costOf(b); });
  EXPECT_EQ(diagram.cheapest(costs), best);
}

TEST(Diagram, IndependentKnobsMultiply) {
  Diagram::Forest forest;
  forest.children.resize(40);
  std::vector<uint32_t> roots;
  for (uint32_t knob = 0; knob < 40; ++knob)
    forest.roots.push_back(knob);
  Diagram::Builder builder(std::move(forest));
  std::vector<Diagram::Branch> branches;
  for (uint32_t option = 0; option < 8; ++option)
    branches.push_back({option, {}});
  for (uint32_t knob = 0; knob < 40; ++knob)
    roots.push_back(builder.node(knob, branches));
  Diagram diagram = builder.finish(std::move(roots));
  EXPECT_TRUE(diagram.count() == PointCount(1) << 120);
  EXPECT_EQ(static_cast<double>(diagram.points()), 0x1p120);
}

} // namespace
