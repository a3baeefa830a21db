//===- Sessions in simulated time -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimulatedSession.h"

#include "tonno/Engine/Frontend.h"
#include "tonno/Strategies/Strategies.h"

#include <cstdio>
#include <cstdlib>

using namespace tonno;
using namespace tonno::trust;

namespace {

/// Launches candidates on a machine in simulated time.
class MachineSampler : public TrialSampler {
public:
  MachineSampler(Machine &machine, const std::vector<double> &logs,
                 std::vector<size_t> entrants, size_t &samples)
      : machine(machine), logs(logs), entrants(std::move(entrants)),
        samples(samples) {}

  /// Launches for the verification, which takes no simulated time.
  Result<double, Failure> launchFirst() override { return 0; }
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

/// Candidates that are numbers, each with the logarithm of its time.
class SimulatedKernel : public Frontend {
public:
  SimulatedKernel(Machine &machine, const std::vector<double> &logs,
                  const ProtocolOptions &protocol)
      : machine(machine), logs(logs), protocol(protocol) {}

  std::vector<Result<std::string, Failure>>
  build(std::span<const Configuration> configurations) override {
    return std::vector<Result<std::string, Failure>>(configurations.size(),
                                                     std::string());
  }
  TimingPolicy policy() const override { return {.paired = protocol}; }
  Result<std::unique_ptr<TrialSampler>, Failure>
  sampler(std::span<const Configuration> entrants) override {
    std::vector<size_t> numbers;
    for (const Configuration &configuration : entrants)
      numbers.push_back(configuration.indices.at(0));
    std::unique_ptr<TrialSampler> made = std::make_unique<MachineSampler>(
        machine, logs, std::move(numbers), samples);
    return made;
  }

  size_t samples = 0;

private:
  Machine &machine;
  const std::vector<double> &logs;
  const ProtocolOptions &protocol;
};

} // namespace

SimulatedOutcome trust::simulate(const Noise &noise, double launchSeconds,
                                 const std::vector<double> &logs,
                                 const ProtocolOptions &protocol,
                                 uint64_t seed) {
  Machine machine(noise, launchSeconds, seed);
  Knob candidate = {"candidate", {}, 0};
  for (size_t i = 0; i < logs.size(); ++i)
    candidate.options.emplace_back(i);
  SearchSpace space({candidate});
  SimulatedKernel kernel(machine, logs, protocol);
  auto strategy = createStrategy("random", LegalSpace::create(space), seed);
  TrialLog log;
  Budget budget{logs.size(), std::numeric_limits<double>::infinity()};
  auto outcome = tuneFrontend(kernel, {space, **strategy, log, budget, seed});
  if (!outcome) {
    std::fprintf(stderr, "error: %s\n", outcome.error().message.c_str());
    std::abort();
  }
  return {outcome->comparison.verdict, outcome->chosen.indices.at(0),
          machine.timedSeconds(), kernel.samples};
}
