//===- All legal points, in order -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstrainedSpaces.h"

#include <gmock/gmock.h>
#include <random>

using namespace tonno;
using testing::ElementsAre;
using testing::SizeIs;

static std::vector<Configuration> listed(const SearchSpace &space) {
  std::vector<Configuration> points;
  LegalPoints legal(space);
  while (auto point = legal.next())
    points.push_back(*std::move(point));
  EXPECT_EQ(legal.next(), std::nullopt); // and stays at the end
  EXPECT_FALSE(legal.hasReachedStepLimit());
  return points;
}

static std::vector<Configuration> filtered(const SearchSpace &space) {
  std::vector<Configuration> points;
  for (uint64_t i = 0; i < space.size(); ++i)
    if (space.isLegal(space.at(i)))
      points.push_back(space.at(i));
  return points;
}

namespace {

/// Spaces of up to 7 knobs under constraints on a few of them each: often many
/// failures deep in the search are due to knobs far up.
class SpaceWriter {
public:
  explicit SpaceWriter(uint64_t seed) : random(seed) {}

  SearchSpace space() {
    std::vector<Knob> knobs;
    size_t count = 1 + random() % 7;
    for (size_t i = 0; i < count; ++i) {
      knobs.push_back({"k" + std::to_string(i), upTo(random() % 5), 0});
      knobs.back().defaultIndex =
          static_cast<uint32_t>(random() % knobs.back().options.size());
    }
    std::vector<std::string> constraints;
    for (size_t i = random() % 7; i > 0; --i)
      constraints.push_back(condition(count));
    return constrained(std::move(knobs), std::move(constraints));
  }

  uint64_t next() { return random(); }

private:
  std::string knob(size_t count) {
    return "k" + std::to_string(random() % count);
  }

  std::string condition(size_t count) {
    const char *operators[] = {" + ", " * ", " - "};
    const char *comparisons[] = {" == ", " != ", " < ", " >= "};
    std::string left = knob(count) + operators[random() % 3] + knob(count);
    std::string right =
        random() % 2 ? knob(count) : std::to_string(random() % 5);
    std::string text = left + comparisons[random() % 4] + right;
    if (random() % 4 == 0)
      text += (random() % 2 ? ", " : " or ") + condition(count);
    return text;
  }

  std::mt19937_64 random;
};

} // namespace

TEST(LegalPoints, AreWhatAFilterLeavesInItsOrder) {
  SpaceWriter writer(3);
  size_t legal = 0, all = 0;
  for (int i = 0; i < 1500; ++i) {
    SearchSpace space = writer.space();
    std::vector<Configuration> expected = filtered(space);
    ASSERT_EQ(listed(space), expected) << Json(space).dump();
    legal += expected.size();
    all += space.size();
  }
  EXPECT_GT(legal, all / 100); // or it would test little
  EXPECT_LT(legal, all / 2);
}

TEST(LegalPoints, FirstIsThatOfAFilter) {
  SpaceWriter writer(4);
  size_t found = 0;
  for (int i = 0; i < 1500; ++i) {
    SearchSpace space = writer.space();
    Configuration chosen = space.defaultConfiguration();
    std::vector<bool> isFixed(chosen.indices.size());
    for (size_t knob = 0; knob < isFixed.size(); ++knob)
      isFixed[knob] = writer.next() % 3 == 0;
    std::optional<Configuration> expected;
    for (const Configuration &point : filtered(space)) {
      bool agrees = true;
      for (size_t knob = 0; knob < isFixed.size(); ++knob)
        agrees &= !isFixed[knob] || point.indices[knob] == chosen.indices[knob];
      if (agrees && !expected)
        expected = point;
    }
    found += expected.has_value();
    ASSERT_EQ(space.firstLegal(isFixed), expected) << Json(space).dump();
  }
  EXPECT_GT(found, 300u);
  EXPECT_LT(found, 1200u);
}

TEST(LegalPoints, OfASpaceWithoutKnobs) {
  EXPECT_THAT(listed(SearchSpace()), ElementsAre(Configuration()));
  EXPECT_THAT(listed(constrained({}, {"1 < 2"})), SizeIs(1));
  EXPECT_THAT(listed(constrained({}, {"1 > 2"})), SizeIs(0));
  EXPECT_EQ(constrained({}, {"1 > 2"}).firstLegal({}), std::nullopt);
}

TEST(LegalPoints, NoneWhereConstraintsContradict) {
  std::vector<Knob> knobs = {{"a", upTo(9)}, {"b", upTo(9)}};
  EXPECT_THAT(listed(constrained(knobs, {"a < b", "b < a"})), SizeIs(0));
  EXPECT_THAT(listed(constrained(knobs, {"1 > 2"})), SizeIs(0));
}

TEST(LegalPoints, OfMoreKnobsThanBitsInAWord) {
  std::vector<Knob> knobs;
  for (int i = 0; i < 150; ++i)
    knobs.push_back({"k" + std::to_string(i), upTo(3)});
  std::vector<std::string> constraints = {"k0 + k149 == 6", "k70 * k140 == 9"};
  for (int i = 1; i < 149; ++i)
    if (i != 70 && i != 140)
      constraints.push_back("k" + std::to_string(i) + " < 1");
  EXPECT_THAT(listed(constrained(knobs, constraints)), SizeIs(1));
}

TEST(LegalPoints, KnobsWithoutAPartAreNotVaried) {
  // The last knob fails due to the first: 10^18 points lie between.
  std::vector<Knob> knobs;
  for (int i = 0; i < 20; ++i)
    knobs.push_back({"k" + std::to_string(i), upTo(9)});
  SearchSpace space = constrained(knobs, {"k0 + k19 == 18"});
  auto first = space.firstLegal(std::vector<bool>(20));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->indices[0], 9u);
  EXPECT_EQ(first->indices[10], 0u);
  EXPECT_EQ(first->indices[19], 9u);
  space = constrained(knobs, {"k0 + k19 == 19"});
  EXPECT_EQ(space.firstLegal(std::vector<bool>(20)), std::nullopt);
}

TEST(LegalPoints, GiveUpWhereAskedTo) {
  std::vector<Knob> knobs = {{"a", upTo(99)}, {"b", upTo(99)}};
  SearchSpace space = constrained(knobs, {"a + b > 197"});
  LegalPoints few(space, 1000), enough(space, 10200);
  EXPECT_EQ(few.next(), std::nullopt);
  EXPECT_TRUE(few.hasReachedStepLimit());
  EXPECT_TRUE(enough.next());
  EXPECT_FALSE(enough.hasReachedStepLimit());
}

/// Steps, not seconds: the machine that runs this may be busy.
static size_t countWithin(const SearchSpace &space, uint64_t steps,
                          size_t points) {
  LegalPoints legal(space, steps);
  size_t count = 0;
  for (; count < points; ++count) {
    auto point = legal.next();
    if (!point)
      break;
    EXPECT_TRUE(space.isLegal(*point));
  }
  return count;
}

TEST(LegalPoints, OfRealKernelsAreFoundFast) {
  EXPECT_GT(matmulSpace().size(), 1000000000000000u);
  EXPECT_EQ(countWithin(matmulSpace(), 100000, 1), 1u);
  EXPECT_EQ(countWithin(attentionSpace(), 100000, 1000), 1000u);
}

TEST(LegalPoints, OfARareSpaceAreAllFound) {
  SearchSpace space = matmulSpace();
  LegalPoints legal(space, 30000000);
  size_t count = 0;
  while (legal.next())
    ++count;
  EXPECT_FALSE(legal.hasReachedStepLimit());
  EXPECT_EQ(count, 4696848u);
}
