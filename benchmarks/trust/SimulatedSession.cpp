//===- Sessions in simulated time -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimulatedSession.h"

#include "tonno/Engine/RunnerPool.h"
#include "tonno/Strategies/Strategies.h"
#include "tonno/Timing/Finals.h"

#include <cstdio>
#include <cstdlib>
#include <deque>

using namespace tonno;
using namespace tonno::trust;

/// Candidates are numbers, as two bytes.
static Artifact makeArtifact(size_t candidate) {
  Artifact artifact;
  artifact.binary = {static_cast<uint8_t>(candidate >> 8),
                     static_cast<uint8_t>(candidate)};
  return artifact;
}

static size_t getCandidate(const Artifact &artifact) {
  return (size_t{artifact.binary.at(0)} << 8) + artifact.binary.at(1);
}

namespace {

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
    compilation.artifact = makeArtifact(submitted.front());
    submitted.pop_front();
    return compilation;
  }

private:
  std::deque<size_t> submitted;
};

/// Launches candidates on a machine in simulated time.
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

/// A device in simulated time.
class SimulatedRunner : public Runner {
public:
  SimulatedRunner(const Noise &noise, double launchSeconds,
                  const std::vector<double> &logs,
                  const ProtocolOptions &protocol, uint64_t seed, size_t number)
      : machine(noise, launchSeconds, seed + number), logs(logs),
        protocol(protocol), seed(seed),
        about{"simulated", "machine", std::to_string(number)} {}

  Result<DeviceDescription> device() override { return about; }
  Result<void> open(const RunnerSession &) override { return {}; }
  RunResult run(const RunRequest &request) override {
    RunResult result;
    if (auto done = runOnce(request, result); !done) {
      result.status = done.error().status;
      result.message = done.error().message;
    }
    return result;
  }

  Machine machine;
  size_t samples = 0;

private:
  MachineSampler makeSampler(const RunRequest &request,
                             std::span<const Artifact> candidates) {
    std::vector<size_t> entrants = {getCandidate(request.baseline)};
    for (const Artifact &candidate : candidates)
      entrants.push_back(getCandidate(candidate));
    return {machine, logs, std::move(entrants), samples};
  }
  Result<void, Failure> runOnce(const RunRequest &request, RunResult &result);

  const std::vector<double> &logs;
  const ProtocolOptions &protocol;
  uint64_t seed;
  DeviceDescription about;
};

} // namespace

Result<void, Failure> SimulatedRunner::runOnce(const RunRequest &request,
                                               RunResult &result) {
  if (request.kind == RunRequest::Kind::verify)
    return {}; // there is nothing to verify
  if (request.kind == RunRequest::Kind::choose) {
    MachineSampler sampler = makeSampler(request, request.finalists);
    result.finalists = TONNO_TRY(
        chooseByHalving(sampler, request.finalists.size(), protocol, seed));
    return {};
  }
  MachineSampler sampler =
      makeSampler(request, std::span(&request.candidate, 1));
  if (request.kind == RunRequest::Kind::compare)
    result.comparison = TONNO_TRY(compareWithBaseline(sampler, protocol, seed));
  if (request.kind == RunRequest::Kind::measure) {
    auto paired =
        TONNO_TRY(measurePaired(sampler, protocol, request.incumbentHigh));
    result.status = paired.status;
    result.measurement = paired.measurement;
  }
  return {};
}

SimulatedOutcome trust::simulate(const Noise &noise, double launchSeconds,
                                 const std::vector<double> &logs,
                                 const ProtocolOptions &protocol, uint64_t seed,
                                 size_t devices) {
  Knob candidate = {"candidate", {}, 0};
  for (size_t i = 0; i < logs.size(); ++i)
    candidate.options.emplace_back(i);
  SearchSpace space({candidate});
  NumberCompiler compiler;
  std::vector<RunnerPool::Device> pooled;
  std::vector<SimulatedRunner *> runners;
  for (size_t i = 0; i < devices; ++i) {
    auto runner = std::make_unique<SimulatedRunner>(noise, launchSeconds, logs,
                                                    protocol, seed, i);
    runners.push_back(runner.get());
    pooled.push_back({std::move(runner), "machine " + std::to_string(i)});
  }
  RunnerPool pool(std::move(pooled));
  RunnerSession opened;
  opened.protocol = protocol;
  opened.seed = seed;
  auto strategy = createStrategy("random", LegalSpace::create(space), seed);
  TrialLog log;
  Budget budget{logs.size(), std::numeric_limits<double>::infinity()};
  TuningSession session(space, compiler, &pool, **strategy, log, opened, budget,
                        pendingFor(1, devices), [] { return false; });
  session.setDevices(pool);
  auto isOpen = pool.open(opened);
  auto outcome = isOpen ? session.run() : isOpen.error();
  if (!outcome) {
    std::fprintf(stderr, "error: %s\n", outcome.error().message.c_str());
    std::abort();
  }
  SimulatedOutcome simulated = {outcome->comparison.verdict,
                                outcome->chosen.indices.at(0)};
  for (const SimulatedRunner *runner : runners) {
    simulated.timedSeconds += runner->machine.timedSeconds();
    simulated.samples += runner->samples;
  }
  return simulated;
}
