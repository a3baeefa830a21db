//===- Tests for the search of kernels in their model ---------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelSearch.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

Knob knob(const std::string &name) {
  return {name, {Option(int64_t{0}), Option(int64_t{1}), Option(int64_t{2})}};
}

/// A model of two kernels with a knob each, and the time that a configuration
/// takes, as a ratio to the default's.
struct ModelSearchTest : testing::Test {
  SearchSpace space{{knob("a.x"), knob("b.x")}};
  ModelSearch search{space,
                     {{"a", {{{"a.x", 1}}, {{"a.x", 2}}, {{"a.x", 0}}}},
                      {"b", {{{"b.x", 1}}, {{"b.x", 0}}}}}};

  /// Proposes all that the strategy has, and returns their values.
  std::vector<Json> propose() {
    pending = search.propose(10);
    std::vector<Json> values;
    for (const Configuration &each : pending)
      values.push_back(space.values(each));
    return values;
  }

  void observe(std::initializer_list<double> ratios) {
    std::vector<Trial> trials;
    for (double ratio : ratios) {
      Trial &trial = trials.emplace_back();
      trial.configuration = pending.at(trials.size() - 1);
      if (ratio > 0)
        trial.measurement.emplace().ratio = ratio;
      else
        trial.status = Status::wrong;
    }
    search.observe(trials);
  }

  static Json values(int a, int b) { return {{"a.x", a}, {"b.x", b}}; }

  std::vector<Configuration> pending;
};

TEST_F(ModelSearchTest, ReplacesKernelsOneByOneInTheBest) {
  EXPECT_THAT(propose(), ElementsAre(values(1, 1)));
  EXPECT_EQ(search.explain(pending.front()), "each kernel's best");
  EXPECT_THAT(search.propose(1), IsEmpty()) << "before its trial has ended";
  observe({0.8});
  EXPECT_THAT(propose(), ElementsAre(values(2, 1), values(0, 1)));
  EXPECT_EQ(search.explain(pending.front()), "another of a");
  observe({0.7, 0.9});
  EXPECT_THAT(propose(), ElementsAre(values(2, 0)));
  observe({0.75});
  EXPECT_THAT(propose(), IsEmpty());
}

TEST_F(ModelSearchTest, KeepsTheDefaultOfKernelsThatLose) {
  propose();
  observe({1.1});
  // The best is the default model still.
  EXPECT_THAT(propose(), ElementsAre(values(1, 0), values(2, 0)));
  observe({0 /* wrong */, 1.2});
  EXPECT_THAT(propose(), ElementsAre(values(0, 1)));
}

} // namespace
