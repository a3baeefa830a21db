//===- Times without a clock ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_TIMING_FAKESAMPLER_H
#define TONNO_TEST_UNIT_TIMING_FAKESAMPLER_H

#include "tonno/Timing/Protocol.h"

#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <vector>

namespace tonno {

/// Gives what a function makes of the entrant and the number of the sample.
class ScriptedSampler : public Sampler {
public:
  using Script = std::function<double(size_t, size_t)>;
  explicit ScriptedSampler(Script script) : script(std::move(script)) {}

  Result<double, Failure> sample(size_t entrant) override {
    if (failAt && entrants.size() == *failAt)
      return Failure{Status::fault, "scripted"};
    entrants.push_back(entrant);
    return script(entrant, entrants.size() - 1);
  }
  Result<void, Failure> redraw() override {
    redrawnAt.push_back(entrants.size());
    return {};
  }
  Result<void, Failure> reload() override {
    if (reloadFails)
      return Failure{Status::load_error, "scripted"};
    return {};
  }

  size_t count(size_t entrant) const {
    return static_cast<size_t>(
        std::count(entrants.begin(), entrants.end(), entrant));
  }

  Script script;
  std::vector<size_t> entrants;
  std::vector<size_t> redrawnAt;
  std::optional<size_t> failAt;
  bool reloadFails = false;
};

/// A machine as the traces show them: samples with noise and sometimes a slow
/// outlier, a drift that is common to both entrants, and a layout that favours
/// one entrant until it is drawn anew.
class NoisySampler : public Sampler {
public:
  struct Machine {
    double speedup = 1;  ///< baseline / candidate
    double noise = 0.02; ///< relative standard deviation of a sample
    double layout = 0.005;
    double drift = 0.1;     ///< amplitude, over some hundred samples
    double outliers = 0.02; ///< their share; 1.5 times as slow
    double seconds = 1e-3;
  };

  NoisySampler(const Machine &machine, uint64_t seed)
      : machine(machine), generator(seed) {}

  Result<double, Failure> sample(size_t entrant) override {
    double log = machine.noise * normal(generator) +
                 machine.drift * std::sin(0.013 * static_cast<double>(++count));
    if (entrant == firstCandidate)
      log += placement - std::log(machine.speedup);
    if (uniform(generator) < machine.outliers)
      log += std::log(1.5);
    return machine.seconds * std::exp(log);
  }
  Result<void, Failure> redraw() override {
    placement = machine.layout * normal(generator);
    return {};
  }
  Result<void, Failure> reload() override { return {}; }

private:
  Machine machine;
  std::mt19937_64 generator;
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  double placement = 0;
  size_t count = 0;
};

} // namespace tonno

#endif // TONNO_TEST_UNIT_TIMING_FAKESAMPLER_H
