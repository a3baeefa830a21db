//===- Candidates without their times -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_SURVEY_H
#define TONNO_SESSION_SURVEY_H

#include "tonno/Runtime/Runner.h"
#include "tonno/Search/SearchStrategy.h"
#include "tonno/Session/Compiler.h"
#include "tonno/Session/TuningSession.h"

#include <deque>
#include <unordered_map>

namespace tonno {

/// Compiles candidates of one kernel, and verifies those that compile if there
/// is a runner, but times none: so nothing is decided. Compiler and runner are
/// open, the runner as `opened`. The default is the first, then what the
/// strategy proposes.
class Survey {
public:
  Survey(const SearchSpace &space, Compiler &compiler, Runner *runner,
         SearchStrategy &strategy, TrialLog &log, RunnerSession opened,
         Budget budget, size_t compileAhead, std::function<bool()> interrupted)
      : space(space), compiler(compiler), runner(runner), strategy(strategy),
        log(log), opened(std::move(opened)), budget(budget),
        compileAhead(compileAhead), interrupted(std::move(interrupted)) {}

  /// In the order they ended. The Error: candidates were lost one after the
  /// other, so it is not them.
  Result<std::vector<Trial>> run();

  /// Whether time or an interrupt ended the run, with candidates left to try.
  bool wasCut() const { return !compiling.empty(); }

private:
  void submit(const Configuration &configuration, std::string reason);
  Trial judge(const Configuration &configuration, Compilation compilation);

  const SearchSpace &space;
  Compiler &compiler;
  Runner *runner;
  SearchStrategy &strategy;
  TrialLog &log;
  RunnerSession opened;
  Budget budget;
  double start = 0; ///< of the run, by steadySeconds
  size_t compileAhead;
  std::function<bool()> interrupted;

  struct Submitted {
    Configuration configuration;
    std::string reason; ///< why it was proposed
  };
  std::deque<Submitted> compiling;
  std::vector<Trial> trials;
  std::unordered_map<std::string, size_t> trialByArtifact;
};

} // namespace tonno

#endif // TONNO_SESSION_SURVEY_H
