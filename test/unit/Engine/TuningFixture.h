//===- A session among fakes ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_ENGINE_TUNINGFIXTURE_H
#define TONNO_TEST_UNIT_ENGINE_TUNINGFIXTURE_H

#include "tonno/Engine/TuningSession.h"

#include "Fakes.h"

#include <gmock/gmock.h>

namespace tonno {

/// Proposes 1, 2, ... 9 and records its observations.
class CountingStrategy : public SearchStrategy {
public:
  std::vector<Configuration> propose(size_t n) override {
    std::vector<Configuration> proposed;
    for (; n > 0 && next < 10; --n)
      proposed.push_back({{next++}});
    return proposed;
  }
  void observe(std::span<const Trial> trials) override {
    for (const Trial &trial : trials)
      observed.push_back(trial.configuration.indices[0]);
  }

  bool hasConverged() const override { return converged; }

  uint32_t next = 1;
  std::vector<uint32_t> observed;
  bool converged = false;
};

class NotingLog : public TrialLog {
public:
  std::optional<Trial> recall(const Configuration &configuration) override {
    auto it = known.find(configuration.indices[0]);
    if (it == known.end())
      return std::nullopt;
    Trial trial;
    trial.configuration = configuration;
    trial.status = it->second;
    trial.message = "known";
    if (it->second != Status::compile_error)
      trial.artifactHash = "fe";
    return trial;
  }
  void record(const Trial &trial, const Trial *incumbent) override {
    recorded.push_back(trial.configuration.indices[0]);
    incumbents.push_back(
        incumbent ? static_cast<int>(incumbent->configuration.indices[0]) : -1);
  }

  void amend(const Trial &trial) override { amended.push_back(trial); }

  void advance(const SessionState &state) override { states.push_back(state); }

  void warn(const std::string &message) override {
    warnings.push_back(message);
  }

  std::vector<std::string> warnings;
  std::map<uint32_t, Status> known;
  std::vector<uint32_t> recorded;
  std::vector<int> incumbents;
  std::vector<Trial> amended;
  std::vector<SessionState> states;
};

class TuningSessionTest : public testing::Test {
protected:
  Result<SessionOutcome> tryRun() {
    TuningSession session(space, compiler, &runner, strategy, log, opened,
                          budget,
                          /*compileAhead=*/2, [this] { return interrupted(); });
    return session.run();
  }
  SessionOutcome run() {
    auto outcome = tryRun();
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome ? *outcome : SessionOutcome();
  }

  SearchSpace space = tenPoints();
  FakeCompiler compiler;
  FakeRunner runner;
  CountingStrategy strategy;
  NotingLog log;
  RunnerSession opened;
  Budget budget;
  std::function<bool()> interrupted = [] { return false; };
};

inline uint32_t chosen(const SessionOutcome &outcome) {
  return outcome.chosen.indices.at(0);
}

inline std::string hashOf(int binary) {
  return compiled(binary).artifact->hash();
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_ENGINE_TUNINGFIXTURE_H
