//===- Sessions in simulated time -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimulatedSession.h"

#include "tonno/Search/SearchStrategy.h"
#include "tonno/Strategies/Strategies.h"

#include <cstdio>
#include <cstdlib>
#include <deque>

using namespace tonno;
using namespace tonno::trust;

namespace {

/// A candidate's binary is its number.
Artifact artifactOf(size_t candidate) {
  Artifact artifact;
  artifact.binary = {static_cast<uint8_t>(candidate & 0xff),
                     static_cast<uint8_t>(candidate >> 8)};
  return artifact;
}

size_t numberOf(const Artifact &artifact) {
  return artifact.binary[0] + (size_t{artifact.binary[1]} << 8);
}

class NumberCompiler : public Compiler {
public:
  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &) override {
    return CompilerDescription();
  }
  Result<Problem, LocatedError> reference(ReferenceCpu) override {
    return Problem();
  }
  void submit(const Json &values) override {
    submitted.push_back(values.at("candidate").get<size_t>());
  }
  Compilation next() override {
    Compilation compilation;
    compilation.artifact = artifactOf(submitted.front());
    submitted.pop_front();
    return compilation;
  }

private:
  std::deque<size_t> submitted;
};

class MachineSampler : public Sampler {
public:
  MachineSampler(Machine &machine, const std::vector<double> &logs,
                 std::vector<size_t> entrants, size_t &samples)
      : machine(machine), logs(logs), entrants(std::move(entrants)),
        samples(samples) {}

  Result<double, Failure> sample(size_t entrant) override {
    ++samples;
    size_t candidate = entrants[entrant];
    return machine.launch(candidate, logs[candidate]);
  }
  Result<void, Failure> redraw() override {
    machine.redraw();
    return {};
  }
  Result<void, Failure> reload() override { return {}; }

private:
  Machine &machine;
  const std::vector<double> &logs;
  std::vector<size_t> entrants;
  size_t &samples;
};

/// LocalRunner, but that nothing runs.
class SimulatedRunner : public Runner {
public:
  SimulatedRunner(Machine &machine, const std::vector<double> &logs,
                  const ProtocolOptions &protocol, uint64_t seed)
      : machine(machine), logs(logs), protocol(protocol), seed(seed) {}

  Result<DeviceDescription> device() override { return DeviceDescription(); }
  Result<void> open(const RunnerSession &) override { return {}; }
  RunResult run(const RunRequest &request) override;

  size_t samples = 0;

private:
  Machine &machine;
  const std::vector<double> &logs;
  const ProtocolOptions &protocol;
  uint64_t seed;
};

/// The simulated machine never fails.
template <typename T> T expect(Result<T, Failure> result) {
  if (!result) {
    std::fprintf(stderr, "error: %s\n", result.error().message.c_str());
    std::abort();
  }
  return std::move(*result);
}

} // namespace

RunResult SimulatedRunner::run(const RunRequest &request) {
  if (request.kind == RunRequest::Kind::verify)
    return {};
  bool isFinals = request.kind == RunRequest::Kind::choose;
  std::vector<size_t> entrants = {numberOf(request.baseline)};
  if (!isFinals)
    entrants.push_back(numberOf(request.candidate));
  for (const Artifact &finalist : request.finalists)
    entrants.push_back(numberOf(finalist));
  MachineSampler sampler(machine, logs, std::move(entrants), samples);
  RunResult result;
  if (isFinals) {
    result.finalists = expect(
        chooseByHalving(sampler, request.finalists.size(), protocol, seed));
  } else if (request.kind == RunRequest::Kind::compare) {
    result.comparison = expect(compareWithBaseline(sampler, protocol, seed));
  } else {
    PairedMeasurement paired =
        expect(measurePaired(sampler, protocol, request.incumbentHigh));
    result.status = paired.status;
    result.measurement = paired.measurement;
  }
  return result;
}

SimulatedOutcome trust::simulate(const Noise &noise, double launchSeconds,
                                 const std::vector<double> &logs,
                                 const ProtocolOptions &protocol,
                                 uint64_t seed) {
  Machine machine(noise, launchSeconds, seed);
  std::vector<Json> candidates;
  for (size_t i = 0; i < logs.size(); ++i)
    candidates.emplace_back(i);
  SearchSpace space({{"candidate", candidates, 0}});
  NumberCompiler compiler;
  SimulatedRunner runner(machine, logs, protocol, seed);
  auto strategy = createStrategy("random", LegalSpace::create(space), seed);
  TrialLog log;
  Budget budget;
  budget.trials = logs.size();
  budget.seconds = std::numeric_limits<double>::infinity();
  RunnerSession opened;
  opened.protocol = protocol;
  TuningSession session(space, compiler, &runner, **strategy, log, opened,
                        budget, /*compileAhead=*/1, [] { return false; });
  auto outcome = session.run();
  if (!outcome) {
    std::fprintf(stderr, "error: %s\n", outcome.error().message.c_str());
    std::abort();
  }
  return {outcome->comparison.verdict, outcome->chosen.indices.at(0),
          machine.timedSeconds(), runner.samples};
}
