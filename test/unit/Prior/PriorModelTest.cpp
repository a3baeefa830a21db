// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PriorModel.h"
#include "Prior/MadeSources.h"

#include <gtest/gtest.h>

using namespace tonno;

static Prior makePrior(std::vector<PriorSource> sources) {
  Prior prior;
  prior.name = "made";
  prior.sources = std::move(sources);
  return prior;
}

static double predictLoss(const PriorModel &model, int64_t rows,
                          int64_t columns) {
  return model.predictLosses({{{rows, columns}}}).front();
}

TEST(PriorModel, KnowsTheBestTileOfAProductFromAnotherSize) {
  PriorModel model(makePrior({makeSource("256", 256)}),
                   {makeProduct(512, "X."), "a", {"X.MR", "X.NR"}});
  EXPECT_EQ(model.sources(), std::vector<std::string>{"256"});
  EXPECT_LT(predictLoss(model, 8, 16), predictLoss(model, 1, 64) - 0.3);
}

TEST(PriorModel, LeavesSourcesOutThatShareNoKindOfOp) {
  PriorSource reduction = makeSource("sum", 256);
  reduction.task.features.ops.front().kind = "reduction pr";
  PriorModel model(makePrior({reduction}),
                   {makeProduct(512), "a", {"MR", "NR"}});
  EXPECT_TRUE(model.sources().empty());
  EXPECT_FALSE(model.canPredict());
}

TEST(PriorModel, KernelsWithoutOpsShareTheirKnobs) {
  PriorSource source = makeSource("convolution", 256, "one");
  source.task.features = {};
  PriorModel same(makePrior({source}), {{}, "other", {"MR", "NR"}});
  EXPECT_LT(predictLoss(same, 8, 16), predictLoss(same, 1, 64) - 0.2);
  PriorModel different(makePrior({source}), {{}, "other", {"MR", "WPT"}});
  EXPECT_FALSE(different.canPredict());
}

TEST(PriorModel, LittleIsExpectedBeyondWhatSourcesHave) {
  PriorSource source = makeSource("256", 256);
  // Larger tiles are better, but those of more than 64 elements are unknown.
  std::erase_if(source.points, [](PriorPoint &point) {
    auto rows = point.values[0].get<double>();
    auto columns = point.values[1].get<double>();
    point.loss = std::max(0.0, 1 - (0.15 * std::log2(rows * columns)));
    return rows * columns > 64;
  });
  PriorModel model(makePrior({source}), {makeProduct(512), "a", {"MR", "NR"}});
  EXPECT_LT(predictLoss(model, 8, 8), predictLoss(model, 32, 64) - 0.3);
  EXPECT_LT(predictLoss(model, 2, 32), predictLoss(model, 2, 128) - 0.2);
}

TEST(PriorModel, TextOptionsAreToldApart) {
  PriorSource source = {"text", {{}, "one", {"order"}}, {}};
  source.points = {{{"row"}, 0}, {{"column"}, 1.5}};
  PriorModel model(makePrior({source}), {{}, "one", {"order"}});
  std::vector<double> losses = model.predictLosses({{{"row"}, {"column"}}});
  EXPECT_LT(losses[0], losses[1] - 0.1);
}

TEST(PriorModel, BothPredictionsAgree) {
  PriorModel model(makePrior({makeSource("256", 256)}),
                   {makeProduct(512), "b", {"MR", "NR"}});
  std::vector<std::vector<Json>> asked = {{8, 16}, {1, 64}, {32, 4}};
  for (int numObserved = 0; numObserved < 3; ++numObserved) {
    std::vector<double> losses = model.predictLosses(asked);
    std::vector<PriorModel::Prediction> whole = model.predict(asked);
    for (size_t i = 0; i < asked.size(); ++i)
      EXPECT_NEAR(losses[i], whole[i].loss, 1e-3);
    model.observe({2 << numObserved, 8}, 0.5 * numObserved);
  }
}

TEST(PriorModel, OwnTimesCorrectSources) {
  PriorModel model(makePrior({makeSource("256", 256)}),
                   {makeProduct(512), "b", {"MR", "NR"}});
  double before = predictLoss(model, 8, 16) - predictLoss(model, 4, 16);
  EXPECT_LT(before, 0);
  model.observe({4, 16}, 0.0);
  model.observe({8, 16}, 1.0);
  EXPECT_GT(predictLoss(model, 8, 16) - predictLoss(model, 4, 16),
            before + 0.3);
}

TEST(PriorModel, FailuresAreWorseThanTheSlowestTime) {
  PriorModel model(makePrior({}), {makeProduct(256), "a", {"MR", "NR"}});
  model.observe({8, 16}, 0.0);
  model.observe({8, 32}, 0.4);
  model.observe({32, 32}, std::nullopt);
  EXPECT_GT(predictLoss(model, 32, 32), predictLoss(model, 8, 32) + 0.3);
}

TEST(PriorModel, EvidenceTellsTruthFromLies) {
  PriorTask task = {makeProduct(512), "a", {"MR", "NR"}};
  PriorModel truth(makePrior({makeSource("256", 256)}), task);
  PriorModel lie(makePrior({makeSource("256", 256, "a", /*isOpposite=*/true)}),
                 task);
  for (PriorModel *model : {&truth, &lie}) {
    EXPECT_EQ(model->logEvidence(), 0);
    for (int64_t rows : {1, 4, 16})
      model->observe({rows, 16}, computeLoss(double(rows), 16));
  }
  EXPECT_GT(truth.logEvidence(), 0.5);
  EXPECT_LT(lie.logEvidence(), -0.5);
}
