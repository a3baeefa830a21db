//===- A session proposes the same for any number of jobs -----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/TuningSession.h"
#include "tonno/Session/WorkerPool.h"
#include "tonno/Strategies/Strategies.h"

#include "Engine/Fakes.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace tonno;

namespace {

SearchSpace twoKnobs() {
  std::vector<Option> options;
  for (int option = 0; option < 30; ++option)
    options.emplace_back(option);
  return SearchSpace({{"X", options, 0}, {"Y", options, 0}});
}

/// Compiles a point to its two values.
class PointCompiler : public FakeCompiler {
public:
  void submit(const Json &values) override { submitted.push_back(values); }
  Compilation next() override {
    Json values = std::move(submitted.front());
    submitted.pop_front();
    Compilation compilation;
    compilation.artifact.emplace();
    compilation.artifact->binary = {values.at("X").get<uint8_t>(),
                                    values.at("Y").get<uint8_t>()};
    return compilation;
  }

private:
  std::deque<Json> submitted;
};

/// Replays the recorded result of a point.
class RecordedRunner : public FakeRunner {
public:
  RunResult run(const RunRequest &request) override {
    if (request.kind != RunRequest::Kind::measure)
      return request.kind == RunRequest::Kind::choose
                 ? rankedAs(std::vector<double>(request.finalists.size(), 0.1))
             : request.kind == RunRequest::Kind::compare
                 ? comparedAs(Verdict::faster, 2)
                 : RunResult();
    double x = request.candidate.binary.at(0);
    double y = request.candidate.binary.at(1);
    if (std::fmod(x * 7 + y, 11) == 0 && x > 0)
      return failedAs(Status::wrong, "as recorded");
    return measuredAs(1 + std::pow(x - 21, 2) / 500 + std::pow(y - 8, 2) / 300 +
                      0.1 * std::sin(3 * x + y));
  }
};

std::vector<std::pair<Configuration, std::string>>
trialsWith(unsigned jobs, const std::string &strategy) {
  SearchSpace space = twoKnobs();
  std::vector<std::unique_ptr<Compiler>> compilers;
  for (unsigned i = 0; i < jobs; ++i)
    compilers.push_back(std::make_unique<PointCompiler>());
  WorkerPool compiler(std::move(compilers));
  RecordedRunner runner;
  TrialLog nobody;
  auto search = createStrategy(strategy, LegalSpace::create(space), /*seed=*/5);
  TuningSession session(space, compiler, &runner, **search, nobody,
                        RunnerSession(), {60, 1e6}, pendingFor(jobs),
                        [] { return false; });
  auto outcome = session.run();
  EXPECT_TRUE(outcome.ok());
  std::vector<std::pair<Configuration, std::string>> trials;
  for (const Trial &trial : outcome->trials)
    trials.emplace_back(trial.configuration, trial.reason);
  return trials;
}

} // namespace

TEST(Jobs, TheirNumberDoesNotChangeWhatIsTried) {
  for (std::string strategy : {"ensemble", "genetic", "random"}) {
    auto one = trialsWith(1, strategy);
    EXPECT_EQ(one.size(), 60u);
    EXPECT_EQ(trialsWith(2, strategy), one) << strategy;
    EXPECT_EQ(trialsWith(4, strategy), one) << strategy;
  }
}

TEST(Jobs, KeepTheirCompilersBusy) {
  for (unsigned jobs = 1; jobs < 100; ++jobs)
    EXPECT_GE(pendingFor(jobs), jobs);
}
