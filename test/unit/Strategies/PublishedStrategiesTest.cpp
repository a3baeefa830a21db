//===- Tests for published strategies -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ForestSearch.h"
#include "GeneticSearch.h"
#include "PatternSearch.h"
#include "RandomSearch.h"

#include "ConstrainedSpaces.h"
#include "Search/Spaces.h"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>

using namespace tonno;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

using Legal = std::shared_ptr<const LegalSpace>;

/// A strategy with its options.
struct Entry {
  std::string name;
  bool endsEarly; ///< before all points were proposed
  std::function<std::unique_ptr<SearchStrategy>(Legal, uint64_t)> create;
};

template <typename Strategy, typename... Options>
Entry entry(std::string name, bool endsEarly, Options... options) {
  return {std::move(name), endsEarly, [=](Legal legal, uint64_t seed) {
            return std::make_unique<Strategy>(std::move(legal), seed,
                                              options...);
          }};
}

class PublishedStrategy : public testing::TestWithParam<Entry> {
protected:
  std::unique_ptr<SearchStrategy> create(const SearchSpace &space,
                                         uint64_t seed = 1) {
    return GetParam().create(listLegal(space), seed);
  }
};

} // namespace

static std::vector<Entry> entries() {
  // Helion's effort "quick", and restarts.
  PatternSearch::Options quick = {
      .initial = 30, .copies = 2, .generations = 5, .restarts = true};
  LfboPatternSearch::Options quickLfbo, quickTree = LfboTreeSearch::published();
  quickLfbo.pattern = quickTree.pattern = quick;
  quickLfbo.pattern.patience = quickTree.pattern.patience = 1;
  LfboPatternSearch::Options mended = quickLfbo;
  mended.forgetsUnselected = true;
  GeneticSearch::Options restarts;
  restarts.generations = 5;
  restarts.restarts = true;
  return {
      entry<PatternSearch>("pattern", true),
      entry<PatternSearch>("patternQuick", false, quick),
      entry<LfboPatternSearch>("lfboPattern", true),
      entry<LfboPatternSearch>("lfboPatternQuick", false, quickLfbo),
      entry<LfboPatternSearch>("lfboPatternMended", false, mended),
      entry<LfboTreeSearch>("lfboTree", true, LfboTreeSearch::published()),
      entry<LfboTreeSearch>("lfboTreeQuick", false, quickTree),
      entry<GeneticSearch>("genetic", true),
      entry<GeneticSearch>("geneticRestarts", false, restarts),
      entry<ForestSearch>("forest", false),
  };
}

INSTANTIATE_TEST_SUITE_P(Strategies, PublishedStrategy,
                         testing::ValuesIn(entries()),
                         [](const auto &info) { return info.param.name; });

/// Returns a space of 1260 points, of which 700 or so are legal.
static SearchSpace tilesSpace() {
  return constrained({{"BM", powersOfTwo(8, 64)},
                      {"BN", powersOfTwo(1, 64)},
                      {"BK", powersOfTwo(1, 16)},
                      {"order", {"row", "column", "block"}},
                      {"num_warps", powersOfTwo(1, 4)}},
                     {"BM * BN <= 1024", "BK <= BN"});
}

/// Returns the time of a point, best at BM 32, BN 16, BK 4, "column" and 4
/// warps; some points fail.
static std::optional<double> timeIfOk(const Configuration &point) {
  const std::vector<uint32_t> &at = point.indices;
  if ((at[0] + at[1] + at[4]) % 7 == 6)
    return std::nullopt;
  auto away = [](double index, double best) { return std::abs(index - best); };
  return 1 + (0.2 * away(at[0], 2)) + (0.1 * away(at[1], 4)) +
         (0.15 * away(at[2], 2)) + (at[3] == 1 ? 0 : 0.3) +
         (0.1 * away(at[4], 2));
}

/// Tries up to `budget` points, with `most` pending; they are observed in an
/// order that depends on the seed. Returns them as proposed.
static std::vector<Configuration>
tune(SearchStrategy &strategy, size_t budget, size_t most, uint64_t seed,
     const std::function<std::optional<double>(const Configuration &)> &time) {
  Random random(seed);
  std::vector<Configuration> proposed, pending;
  while (true) {
    while (pending.size() < most && proposed.size() < budget) {
      size_t asked = std::min(most - pending.size(), budget - proposed.size());
      std::vector<Configuration> more = strategy.propose(asked);
      EXPECT_LE(more.size(), asked);
      if (more.empty())
        break;
      pending.insert(pending.end(), more.begin(), more.end());
      proposed.insert(proposed.end(), more.begin(), more.end());
    }
    if (pending.empty())
      return proposed;
    std::swap(pending[random.below(pending.size())], pending.back());
    Trial trial = trialOf(pending.back(), time(pending.back()));
    strategy.observe({&trial, 1});
    pending.pop_back();
  }
}

TEST_P(PublishedStrategy, ProposesLegalPointsOnceWhateverIsPending) {
  SearchSpace space = constrained({{"a", powersOfTwo(1, 64)},
                                   {"b", powersOfTwo(1, 64)},
                                   {"c", powersOfTwo(1, 16)},
                                   {"order", {"row", "column"}},
                                   {"num_warps", {4}}},
                                  {"a * b <= 256", "c <= b"});
  Legal legal = listLegal(space);
  for (size_t pending : {1, 64}) {
    auto strategy = create(space);
    std::vector<Configuration> points =
        tune(*strategy, 2000, pending, 5, timeIfOk);
    EXPECT_EQ(countDistinct(points), points.size());
    for (const Configuration &point : points)
      EXPECT_TRUE(space.isLegal(point));
    if (!GetParam().endsEarly)
      EXPECT_EQ(static_cast<double>(points.size()), legal->count().points);
    EXPECT_GE(points.size(), 80u);
    EXPECT_THAT(strategy->propose(3), IsEmpty()) << "after it was done";
  }
}

TEST_P(PublishedStrategy, EqualSeedsGiveEqualPoints) {
  for (size_t pending : {1, 16}) {
    auto one = create(tilesSpace(), 4), same = create(tilesSpace(), 4),
         other = create(tilesSpace(), 5);
    auto points = tune(*one, 150, pending, 2, timeIfOk);
    EXPECT_TRUE(points == tune(*same, 150, pending, 2, timeIfOk));
    EXPECT_FALSE(points == tune(*other, 150, pending, 2, timeIfOk));
  }
}

TEST_P(PublishedStrategy, ProposesAllWhereNothingIsObserved) {
  auto strategy = create(spaceOf({4, 9}));
  std::vector<Configuration> points = exhaust(*strategy, 3);
  EXPECT_EQ(points.size(), 36u);
  EXPECT_EQ(countDistinct(points), 36u);
}

TEST_P(PublishedStrategy, NeverProposesWhatWasObserved) {
  SearchSpace space = spaceOf({5, 6});
  auto strategy = create(space);
  std::vector<Trial> known = {trialOf(space.at(3), 0.5),
                              trialOf(space.at(7), std::nullopt)};
  strategy->observe(known);
  std::vector<Configuration> points =
      tune(*strategy, 100, 1, 3,
           [](const Configuration &point) { return 1.0 + point.indices[0]; });
  for (const Trial &trial : known)
    EXPECT_EQ(std::ranges::count(points, trial.configuration), 0);
  EXPECT_EQ(points.size(), 28u);
}

TEST_P(PublishedStrategy, EndsWhereEverythingFails) {
  auto strategy = create(tilesSpace());
  std::vector<Configuration> points =
      tune(*strategy, 1000, 4, 3,
           [](const Configuration &) { return std::nullopt; });
  EXPECT_EQ(countDistinct(points), points.size());
  EXPECT_GE(points.size(), 50u);
}

TEST_P(PublishedStrategy, TinySpacesAreTriedInFull) {
  for (const std::vector<size_t> &sizes :
       std::initializer_list<std::vector<size_t>>{{}, {1}, {2}, {1, 2}, {3}}) {
    SearchSpace space = spaceOf(sizes);
    auto strategy = create(space);
    EXPECT_THAT(
        tune(*strategy, 100, 1, 3, [](const Configuration &) { return 1.0; }),
        SizeIs(space.size()));
    EXPECT_THAT(strategy->propose(1), IsEmpty());
  }
}

TEST_P(PublishedStrategy, ProposesNothingWhereNothingIsLegal) {
  SearchSpace space =
      constrained({{"a", upTo(8)}, {"b", upTo(8)}}, {"a < b", "b < a"});
  auto strategy = create(space);
  EXPECT_THAT(strategy->propose(3), IsEmpty());
  EXPECT_THAT(strategy->propose(3), IsEmpty());
}

TEST_P(PublishedStrategy, ProposesNothingWhereNothingIsAskedFor) {
  auto strategy = create(tilesSpace());
  EXPECT_THAT(strategy->propose(0), IsEmpty());
  EXPECT_THAT(strategy->propose(1), SizeIs(1));
}

/// Returns the mean over seeds of the best time after `budget` trials.
static double meanBest(const Entry &entry, size_t budget, size_t pending) {
  double sum = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    auto strategy = entry.create(listLegal(tilesSpace()), seed);
    double best = 9;
    for (const Configuration &point :
         tune(*strategy, budget, pending, seed, timeIfOk))
      best = std::min(best, timeIfOk(point).value_or(9));
    sum += best / 8;
  }
  return sum;
}

TEST_P(PublishedStrategy, FindsBetterPointsThanRandomSearch) {
  Entry random = {"random", false, [](Legal legal, uint64_t seed) {
                    return std::make_unique<RandomSearch>(std::move(legal),
                                                          seed);
                  }};
  double drawn = meanBest(random, 150, 1);
  EXPECT_LT(meanBest(GetParam(), 150, 1), drawn - 0.02);
  EXPECT_LT(meanBest(GetParam(), 150, 8), drawn - 0.02);
}
