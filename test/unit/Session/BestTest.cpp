//===- Tests for the best of earlier sessions -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/DecisionStore.h"

#include "Engine/Fakes.h"
#include "MemoryStore.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {
class BestTest : public testing::Test {
protected:
  static Trial trialOf(uint32_t x, double ratio, Status status = Status::ok) {
    Trial trial;
    trial.configuration = {{x}};
    trial.status = status;
    if (status == Status::ok || status == Status::pruned)
      trial.measurement = measuredAs(ratio).measurement;
    return trial;
  }
  void keep(uint32_t winner, const std::vector<Trial> &trials) {
    auto kept =
        storeBest(store, identity, space, space.values({{winner}}), trials);
    EXPECT_TRUE(kept.ok());
  }
  std::vector<uint32_t> best() {
    std::vector<uint32_t> indices;
    for (const StartingPoint &point : findBest(store, identity, space))
      indices.push_back(point.configuration.indices[0]);
    return indices;
  }

  SearchSpace space = tenPoints();
  ProblemIdentity identity;
  MemoryStore store;
};
} // namespace

TEST_F(BestTest, WinnerComesFirstThenTheBestTrials) {
  EXPECT_THAT(best(), IsEmpty());
  keep(3, {trialOf(0, 1), trialOf(1, 0.9), trialOf(3, 0.7), trialOf(2, 0.6),
           trialOf(4, 0.1, Status::pruned), trialOf(5, 0.1, Status::wrong),
           trialOf(6, 0.8), trialOf(7, 0.95)});
  EXPECT_THAT(best(), ElementsAre(3, 2, 6, 1));
}

TEST_F(BestTest, LatestSessionComesFirstAndTheEldestIsForgotten) {
  keep(1, {trialOf(1, 0.5), trialOf(2, 0.6), trialOf(3, 0.7), trialOf(4, 0.8)});
  keep(5, {trialOf(5, 0.9), trialOf(2, 0.95)});
  EXPECT_THAT(best(), ElementsAre(5, 2, 1, 3, 4));
  keep(9, {trialOf(9, 0.1), trialOf(8, 0.2), trialOf(7, 0.3), trialOf(6, 0.4)});
  EXPECT_THAT(best(), ElementsAre(9, 8, 7, 6, 5, 2, 1, 3));
}

TEST_F(BestTest, PointsOfOtherSpacesAreLeftOut) {
  keep(7, {trialOf(7, 0.5), trialOf(2, 0.6)});
  space = SearchSpace({{"X", {0, 1, 2, 3}, 0}});
  EXPECT_THAT(best(), ElementsAre(2));
  space = SearchSpace({{"Y", {0, 1, 2, 3}, 0}});
  EXPECT_THAT(best(), IsEmpty());
}

TEST_F(BestTest, AreOfTheirKernelHoweverItWasTimed) {
  identity.policy = {{"protocol", 1}, {"oracle", 4}};
  keep(7, {trialOf(7, 0.5)});
  identity.policy["protocol"] = 2;
  EXPECT_THAT(best(), ElementsAre(7));
  identity.kernelHash = "another";
  EXPECT_THAT(best(), IsEmpty());
}

TEST_F(BestTest, RecordOfAnotherShapeIsAMiss) {
  for (const Json &record : {Json(), Json(5), Json{{"worst", {1}}}}) {
    store.records[identity.bestKey()] = record;
    EXPECT_THAT(best(), IsEmpty());
  }
}
