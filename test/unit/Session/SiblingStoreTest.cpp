//===- Tests for the best of sibling kernels ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/SiblingStore.h"
#include "tonno/Session/DecisionStore.h"

#include "Engine/Fakes.h"
#include "MemoryStore.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class SiblingStoreTest : public testing::Test {
protected:
  static ProblemIdentity kernelOf(int64_t size,
                                  const std::string &device = "here") {
    ProblemIdentity identity;
    identity.kernelHash = "matmul of " + std::to_string(size);
    identity.triple = "x86_64";
    identity.device = device;
    return identity;
  }
  static KernelFamily familyOf(int64_t size) {
    return {"matmul", {{size, size}, {size, 8}}};
  }

  /// Runs a session that finds these best candidates, in this order.
  void tune(const ProblemIdentity &identity, const KernelFamily &family,
            const std::vector<uint32_t> &best) {
    std::vector<Trial> trials;
    for (size_t i = 0; i < best.size(); ++i) {
      Trial trial;
      trial.configuration = {{best[i]}};
      trial.measurement =
          measuredAs(0.1 + static_cast<double>(i) / 100).measurement;
      trials.push_back(trial);
    }
    ASSERT_TRUE(storeBest(store, identity, space,
                          space.values({{best.front()}}), trials)
                    .ok());
    ASSERT_TRUE(registerSibling(store, {identity, family, space}).ok());
  }

  SiblingPoints find(const ProblemIdentity &identity,
                     const KernelFamily &family, size_t most = 6) {
    return findBestOfSiblings(store, {identity, family, space},
                              LegalSpace::create(space), most);
  }
  static std::vector<uint32_t> pointsOf(const SiblingPoints &found) {
    std::vector<uint32_t> points;
    for (const StartingPoint &point : found.points)
      points.push_back(point.configuration.indices[0]);
    return points;
  }

  SearchSpace space = tenPoints();
  MemoryStore store;
};

} // namespace

TEST_F(SiblingStoreTest, FindsTheBestOfAnotherShape) {
  EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64))), IsEmpty());
  tune(kernelOf(128), familyOf(128), {7, 3, 9});
  SiblingPoints found = find(kernelOf(64), familyOf(64));
  EXPECT_THAT(pointsOf(found), ElementsAre(7, 3, 9));
  EXPECT_EQ(found.points[1].reason, "number 2 of the best for 128x128, 128x8");
  EXPECT_THAT(found.siblings, ElementsAre("for 128x128, 128x8"));
}

TEST_F(SiblingStoreTest, IsNotItsOwnSiblingNorThatOfAnotherFamily) {
  tune(kernelOf(64), familyOf(64), {7, 3});
  EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64))), IsEmpty());
  KernelFamily other = familyOf(128);
  other.hash = "softmax";
  EXPECT_THAT(pointsOf(find(kernelOf(128), other)), IsEmpty());
  ProblemIdentity gpu = kernelOf(128);
  gpu.triple = "nvptx64";
  EXPECT_THAT(pointsOf(find(gpu, familyOf(128))), IsEmpty());
}

TEST_F(SiblingStoreTest, NearestComesFirstAndDevicesCountMore) {
  tune(kernelOf(1024), familyOf(1024), {1});
  tune(kernelOf(64, "there"), familyOf(64), {2});
  tune(kernelOf(256), familyOf(256), {3, 4});
  SiblingPoints found = find(kernelOf(64), familyOf(64));
  EXPECT_THAT(pointsOf(found), ElementsAre(3, 1, 2, 4));
  EXPECT_EQ(found.points[2].reason,
            "number 1 of the best for 64x64, 64x8 on there");
}

TEST_F(SiblingStoreTest, GivesAtMostSoManyEachOnceAndNotTheDefault) {
  tune(kernelOf(128), familyOf(128), {7, 0, 3, 9});
  tune(kernelOf(256), familyOf(256), {7, 5});
  EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64))),
              ElementsAre(7, 5, 3, 9));
  EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64), 2)), ElementsAre(7, 5));
}

TEST_F(SiblingStoreTest, PointsThatTheSpaceHasNotBecomeTheNearest) {
  tune(kernelOf(128), familyOf(128), {9, 4});
  space = SearchSpace({{"X", {0, 1, 2, 3, 4, 5, 6}, 0}});
  EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64))), ElementsAre(6, 4));
}

TEST_F(SiblingStoreTest, KnobsOfOtherNamesAreAnotherFamily) {
  tune(kernelOf(128), familyOf(128), {9});
  space = SearchSpace({{"Y", {0, 1, 2}, 0}});
  EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64))), IsEmpty());
}

TEST_F(SiblingStoreTest, RecordsThatCannotBeReadAreMisses) {
  tune(kernelOf(128), familyOf(128), {7});
  ProblemIdentity identity = kernelOf(64);
  KernelFamily family = familyOf(64);
  SiblingContext place = {identity, family, space};
  Json good = store.records[place.key()];
  Json halfGood = good;
  halfGood["siblings"].insert(halfGood["siblings"].begin(),
                              Json{{"device", 5}, {"shapes", "x"}});
  store.records[place.key()] = halfGood;
  EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64))), ElementsAre(7));
  for (const Json &record :
       {Json(), Json(5), Json{{"siblings", 5}}, Json{{"siblings", {{1}}}}}) {
    store.records[place.key()] = record;
    EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64))), IsEmpty());
  }
  store.records[place.key()] = good;
  for (const Json &record :
       {Json(5), Json{{"best", "x"}}, Json{{"best", {5, {{"Y", 1}}}}},
        Json{{"best", {{{"X", "text"}}}}}}) {
    store.records[kernelOf(128).bestKey()] = record;
    EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64))), IsEmpty());
  }
  store.records.erase(kernelOf(128).bestKey());
  EXPECT_THAT(pointsOf(find(kernelOf(64), familyOf(64))), IsEmpty());
}

TEST_F(SiblingStoreTest, RemembersTheLatestSiblingsOnce) {
  for (int64_t size = 1; size <= 40; ++size)
    tune(kernelOf(size), familyOf(size), {7});
  tune(kernelOf(40), familyOf(40), {8});
  ProblemIdentity identity = kernelOf(50);
  KernelFamily family = familyOf(50);
  Json record = store.records[SiblingContext{identity, family, space}.key()];
  EXPECT_EQ(record["siblings"].size(), 32u);
  EXPECT_EQ(record["siblings"][0]["shapes"], Json(familyOf(40).shapes));
  EXPECT_EQ(record["siblings"][1]["shapes"], Json(familyOf(39).shapes));
}
