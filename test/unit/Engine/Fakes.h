//===- Fake compiler and runner -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_ENGINE_FAKES_H
#define TONNO_TEST_UNIT_ENGINE_FAKES_H

#include "tonno/Engine/TuningSession.h"

#include <functional>
#include <map>

namespace tonno {

/// Returns a space with one knob X from 0 to 9, 0 by default.
inline SearchSpace tenPoints() {
  return SearchSpace({{"X", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0}});
}

inline Compilation compiled(int binary) {
  Compilation compilation;
  compilation.artifact.emplace();
  compilation.artifact->binary = {static_cast<uint8_t>(binary)};
  compilation.seconds = 0.25;
  return compilation;
}

/// "Compiles" X to the byte X, or what a test says.
class FakeCompiler : public Compiler {
public:
  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &) override {
    return CompilerDescription();
  }
  Result<Problem, LocatedError> reference(ReferenceCpu) override {
    return Problem();
  }

  void submit(const Json &values) override {
    submitted.push_back(values.at("X").get<int>());
    pending.push_back(values.at("X").get<int>());
    mostOpen = std::max(mostOpen, pending.size());
  }
  Compilation next() override {
    int x = pending.front();
    pending.pop_front();
    return compile(x);
  }

  std::function<Compilation(int)> compile = compiled;
  std::vector<int> submitted;
  size_t mostOpen = 0;

private:
  std::deque<int> pending;
};

/// Returns a successful run, with this ratio to a baseline of a millisecond.
inline RunResult measuredAs(double ratio) {
  double seconds = 1e-3 * ratio;
  RunResult result;
  result.measurement = Measurement{{6, seconds, seconds, seconds, seconds},
                                   {6, 1e-3, 1e-3, 1e-3, 1e-3},
                                   ratio,
                                   {ratio - 0.01, ratio + 0.01}};
  result.seconds = 0.5;
  return result;
}

inline RunResult comparedAs(Verdict verdict, double speedup) {
  RunResult result;
  result.comparison =
      Comparison{verdict, {64, 1, 1, 1 / speedup, 1},       {64, 1, 1, 1, 1},
                 speedup, {speedup - 0.01, speedup + 0.01}, 64};
  return result;
}

/// Finals in the order of their finalists, each so far behind the winner, but
/// the first.
inline RunResult rankedAs(std::vector<double> behind) {
  RunResult result;
  behind.front() = 0;
  for (size_t i = 0; i < behind.size(); ++i)
    result.finalists.push_back({i, behind[i], 64});
  return result;
}

inline RunResult failedAs(Status status, const std::string &message) {
  RunResult result;
  result.status = status;
  result.message = message;
  return result;
}

/// Candidate x takes (10 - x) / 10 of the default's time; the test says so too.
class FakeRunner : public Runner {
public:
  Result<DeviceDescription> device() override { return DeviceDescription(); }
  Result<void> open(const RunnerSession &session) override {
    seeds.push_back(session.seed);
    allowances.push_back(session.oracle);
    return {};
  }

  RunResult run(const RunRequest &request) override {
    requests.push_back(request);
    if (request.kind == RunRequest::Kind::verify)
      return confirm(request.candidate.binary.at(0));
    if (request.kind == RunRequest::Kind::choose) {
      std::vector<int> finalists;
      for (const Artifact &finalist : request.finalists)
        finalists.push_back(finalist.binary.at(0));
      return choose(finalists);
    }
    int x = request.candidate.binary.at(0);
    if (request.kind == RunRequest::Kind::measure) {
      measured.push_back(x);
      return measure(x);
    }
    compared.push_back(x);
    return compare(x);
  }

  std::function<RunResult(int)> measure = [](int x) {
    return measuredAs((10 - x) / 10.0);
  };
  std::function<RunResult(int)> compare = [](int x) {
    return x == 0 ? comparedAs(Verdict::tie, 1)
                  : comparedAs(Verdict::faster, 10.0 / (10 - x));
  };
  std::function<RunResult(int)> confirm = [](int) { return RunResult(); };
  std::vector<uint64_t> seeds;           ///< that it was opened with
  std::vector<OracleOptions> allowances; ///< that it was opened with
  /// Ranks the finalists equally by default, which keeps the order of the
  /// trials.
  std::function<RunResult(const std::vector<int> &)> choose =
      [](const auto &finalists) {
        return rankedAs(std::vector<double>(finalists.size(), 0.01));
      };
  std::vector<RunRequest> requests;
  std::vector<int> measured, compared; ///< in order
};

} // namespace tonno

#endif // TONNO_TEST_UNIT_ENGINE_FAKES_H
