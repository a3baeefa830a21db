//===- Candidates for another machine -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Bundle.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"
#include "tonno/Session/Reproduction.h"

#include "tonno/Engine/OracleOptions.h"
#include "Engine/Fakes.h"
#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Returns a bundle of X = 0, 3, 5 out of ten, of which 5 did not compile.
BundledKernel threeCandidates() {
  BundledKernel kernel;
  kernel.kernel = "product";
  kernel.space = tenPoints();
  kernel.compiled.versions = "tonno 0.1.0";
  kernel.identity = {
      "hash", "triple", "sm_90", "", "nvptx", "", {{"oracle", oracleVersion}}};
  kernel.effort = *parseEffort("quick");
  kernel.seed = 7;
  kernel.oracle.allowLowerPrecision = true;
  kernel.isComplete = true;
  for (int x : {0, 3})
    kernel.candidates.push_back({{{"X", x}}, compiled(x)});
  kernel.candidates.push_back(
      {{{"X", 5}}, {Status::compile_error, "too odd", std::nullopt, 1}});
  return kernel;
}

class Counting : public TuneObserver {
public:
  void record(const Trial &, const Trial *) override { ++tries; }
  void decided(const KernelOutcome &) override { ++decisions; }
  int tries = 0, decisions = 0;
};

class BundleTest : public testing::Test {
protected:
  Result<BundleResult> run(const BundledKernel &kernel) {
    return runBundled(kernel, runner, observer, options);
  }

  FakeRunner runner;
  Counting observer;
  BundleOptions options;
};

} // namespace

TEST_F(BundleTest, SurvivesTheFile) {
  Bundle bundle{"nvptx", {threeCandidates()}};
  auto back = decodeBundle(encodeBundle(bundle));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->target, "nvptx");
  ASSERT_EQ(back->kernels.size(), 1u);
  const BundledKernel &kernel = back->kernels.front();
  EXPECT_EQ(kernel.kernel, "product");
  EXPECT_EQ(kernel.space, tenPoints());
  EXPECT_EQ(kernel.seed, 7u);
  EXPECT_EQ(kernel.oracle, threeCandidates().oracle);
  EXPECT_EQ(kernel.effort.strategy, "ensemble");
  EXPECT_EQ(kernel.effort.budget.trials, 60u);
  EXPECT_EQ(kernel.identity.trialKey({}),
            threeCandidates().identity.trialKey({}));
  ASSERT_EQ(kernel.candidates.size(), 3u);
  EXPECT_EQ(kernel.candidates[1].compilation.artifact->hash(),
            compiled(3).artifact->hash());
  EXPECT_EQ(kernel.candidates[2].compilation.message, "too odd");
}

TEST_F(BundleTest, InfiniteBudgetSurvivesTheFile) {
  Bundle bundle{"host", {threeCandidates()}};
  bundle.kernels.front().effort = *parseEffort("exhaustive");
  auto back = decodeBundle(encodeBundle(bundle));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(effortJson(back->kernels.front().effort),
            effortJson(*parseEffort("exhaustive")));
}

TEST_F(BundleTest, EveryCutIsNoticed) {
  std::string bytes = encodeBundle({"nvptx", {threeCandidates()}});
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(decodeBundle(bytes.substr(0, length))) << length;
  EXPECT_FALSE(decodeBundle(bytes + "x"));
}

TEST_F(BundleTest, EveryFlippedBitIsNoticed) {
  std::string bytes = encodeBundle({"nvptx", {threeCandidates()}});
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    EXPECT_FALSE(decodeBundle(damaged)) << at;
  }
}

TEST_F(BundleTest, SaysWhatIsWrongWithTheFile) {
  std::string bytes = encodeBundle({"nvptx", {}});
  EXPECT_THAT(decodeBundle("module {}").error().message,
              HasSubstr("not a bundle"));
  bytes[std::string("tonno bundle ").size()] = '2';
  EXPECT_THAT(decodeBundle(bytes).error().message,
              HasSubstr("another version"));
}

TEST_F(BundleTest, RecorderKeepsWhatWasCompiled) {
  FakeCompiler compiler;
  BundledKernel kernel;
  RecordingCompiler recorder(compiler, kernel);
  recorder.submit({{"X", 4}});
  recorder.submit({{"X", 2}});
  EXPECT_EQ(recorder.next().artifact->hash(), compiled(4).artifact->hash());
  recorder.next();
  ASSERT_EQ(kernel.candidates.size(), 2u);
  EXPECT_EQ(kernel.candidates[0].values, Json({{"X", 4}}));
  EXPECT_EQ(kernel.candidates[1].compilation.artifact->hash(),
            compiled(2).artifact->hash());
}

TEST_F(BundleTest, TriesEachCandidateOnceAndTestsTheBest) {
  auto result = run(threeCandidates());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(runner.measured, ElementsAre(0, 3));
  EXPECT_THAT(runner.compared, ElementsAre(3));
  // The winner is verified again with the same allowances.
  ASSERT_GE(runner.allowances.size(), 2u);
  for (const OracleOptions &allowed : runner.allowances)
    EXPECT_EQ(allowed, threeCandidates().oracle);
  EXPECT_EQ(observer.tries, 3);
  EXPECT_EQ(observer.decisions, 1);
  EXPECT_EQ(result->decision.values, Json({{"X", 3}}));
  EXPECT_EQ(result->decision.artifactHash, compiled(3).artifact->hash());
  EXPECT_EQ(result->decision.seed, 7u);
  ASSERT_EQ(result->trials.size(), 3u);
  EXPECT_EQ(result->trials[2].status, Status::compile_error);
  EXPECT_EQ(result->trials[2].message, "too odd");
}

TEST_F(BundleTest, WhatFailsHereLeavesAFile) {
  TemporaryDirectory directory;
  options.failureDirectory = directory / "failures";
  options.device = "cuda:1";
  runner.measure = [](int x) {
    return x == 3 ? failedAs(Status::fault, "crashed") : measuredAs(1);
  };
  ASSERT_TRUE(run(threeCandidates()));
  // The failure to compile has its file on the compiling machine.
  ASSERT_EQ(directory.files().size(), 1u);
  auto read = decodeReproduction(*readFile(directory.files().front()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->status, Status::fault);
  EXPECT_EQ(read->device, "cuda:1");
  EXPECT_EQ(read->values, Json({{"X", 3}}));
  EXPECT_EQ(read->request->candidate.hash(), compiled(3).artifact->hash());
  EXPECT_EQ(read->runner->oracle, threeCandidates().oracle);
}

TEST_F(BundleTest, CandidatesOfOtherSpacesAreAnError) {
  BundledKernel kernel = threeCandidates();
  kernel.candidates.push_back({{{"X", 77}}, compiled(77)});
  auto result = run(kernel);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("77"));
}

TEST_F(BundleTest, VerifiersOfOtherVersionsAreAnError) {
  BundledKernel kernel = threeCandidates();
  kernel.identity.policy["oracle"] = oracleVersion + 1;
  auto result = run(kernel);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("verifies differently"));
  EXPECT_TRUE(runner.requests.empty());
}

TEST_F(BundleTest, EmptyKernelSurvivesTheFile) {
  auto back = decodeBundle(encodeBundle({"nvptx", {BundledKernel()}}));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(back->kernels.front().candidates.empty());
}

TEST_F(BundleTest, WhatWasCutShortIsNotConclusive) {
  EXPECT_TRUE(run(threeCandidates())->isConclusive);
  BundledKernel cut = threeCandidates();
  cut.isComplete = false;
  EXPECT_FALSE(run(cut)->isConclusive);
  options.seconds = 0;
  EXPECT_FALSE(run(threeCandidates())->isConclusive);
}

TEST_F(BundleTest, ResultsSurviveTheirText) {
  auto result = run(threeCandidates());
  ASSERT_TRUE(result);
  auto back =
      decodeResults(encodeResults({{*result}, {{"other", "all failed"}}}));
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->kernels.size(), 1u);
  EXPECT_EQ(back->failures.at("other"), "all failed");
  const BundleResult &read = back->kernels.front();
  EXPECT_EQ(read.identity.decisionKey(read.space, read.search),
            result->identity.decisionKey(result->space, result->search));
  EXPECT_EQ(Json(read.decision), Json(result->decision));
  EXPECT_EQ(Json(read.trials), Json(result->trials));
}

TEST_F(BundleTest, AnUnknownWordOfResultsIsNamedWithItsPlace) {
  auto result = run(threeCandidates());
  ASSERT_TRUE(result);
  Json json = *parseJson(encodeResults({{*result}, {}}));
  Json &comparison = json["kernels"][0]["decision"]["comparison"];
  ASSERT_TRUE(comparison.contains("verdict")) << json["kernels"][0]["decision"];
  comparison["verdict"] = "maybe";
  auto back = decodeResults(json.dump());
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().message,
            "the results are damaged: kernel @" + result->kernel +
                ": decision/comparison/verdict: unknown verdict 'maybe'");
}

TEST_F(BundleTest, ResultsWithImpossibleNumbersNameTheField) {
  auto result = run(threeCandidates());
  ASSERT_TRUE(result);
  BundleResult other = *result;
  other.decision.trials = other.trials.size() + 1;
  auto back = decodeResults(encodeResults({{other}, {}}));
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().message,
              testing::AllOf(HasSubstr("@" + result->kernel),
                             HasSubstr("'decision.trials' is ")));
  other = *result;
  other.decision.comparison.speedup = -1;
  back = decodeResults(encodeResults({{other}, {}}));
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().message, HasSubstr("'speedup' is -1"));
}

TEST_F(BundleTest, OtherTextsAreNoResults) {
  for (const char *text :
       {"", "{", "[]", "{}", R"({"format": 3})",
        R"({"format": "tonno results 1"})",
        R"({"format": "tonno results 1", "kernels": [], "failures": {}})"})
    EXPECT_FALSE(decodeResults(text)) << text;
}

TEST_F(BundleTest, ResultsOfAnotherProblemAreNotTaken) {
  BundleResult result;
  result.identity = threeCandidates().identity;
  result.space = tenPoints();
  EXPECT_TRUE(checkSameProblem(result, result.identity, tenPoints()));

  std::vector<std::pair<std::string, std::function<void(ProblemIdentity &)>>>
      changes = {
          {"its code", [](auto &identity) { identity.kernelHash = "x"; }},
          {"its target", [](auto &identity) { identity.triple = "x"; }},
          {"its target", [](auto &identity) { identity.chip = "x"; }},
          {"its target", [](auto &identity) { identity.features = "x"; }},
          {"the compiler", [](auto &identity) { identity.backend = "x"; }},
          {"verification policy", [](auto &identity) { identity.policy = 1; }},
      };
  for (const auto &[word, change] : changes) {
    ProblemIdentity other = result.identity;
    change(other);
    auto same = checkSameProblem(result, other, tenPoints());
    ASSERT_FALSE(same) << word;
    EXPECT_THAT(same.error().message, HasSubstr(word));
  }
  auto same = checkSameProblem(result, result.identity, SearchSpace());
  ASSERT_FALSE(same);
  EXPECT_THAT(same.error().message, HasSubstr("search space"));
}

/// Returns a bundle with the right checksum.
static std::string bundleOf(const std::string &payload) {
  return "tonno bundle 1\n" + sha256(payload) + "\n" + payload;
}

TEST_F(BundleTest, DeepNestIsRefused) {
  auto bundle = decodeBundle(bundleOf(std::string(1000000, '\x81')));
  ASSERT_FALSE(bundle);
  EXPECT_THAT(bundle.error().message, HasSubstr("deeper than 64 levels"));
  // Printing or comparing text of this depth overflows the stack.
  std::string nest = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_FALSE(decodeResults(
      R"({"format": "tonno results 1", "kernels": [], "failures": )" + nest +
      "}"));
}

TEST_F(BundleTest, LengthThatNoMemoryHasIsRefused) {
  EXPECT_FALSE(decodeBundle(bundleOf("\x9b\x7f" + std::string(7, '\xff'))));
}

TEST_F(BundleTest, ValuesThatAreNoTextAreNoneOfTheKernels) {
  BundledKernel kernel = threeCandidates();
  kernel.candidates.front().values = {{"X", "\xE9"}};
  auto result = run(kernel);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message,
              HasSubstr("not in its kernel's search space"));
}
