//===- Efficiency of several workers and devices --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs sessions by tonno's own loop and pools, on compilers and devices that
// sleep for recorded times. Reports the efficiency: the work of all compilers
// or of all devices, whichever is more, divided by their number and by the time
// of the session; and what the session lost where one of them ends meanwhile.

#include "tonno/Core/File.h"
#include "tonno/Engine/RunnerPool.h"
#include "tonno/Engine/TuningSession.h"
#include "tonno/Session/WorkerPool.h"
#include "tonno/Strategies/Strategies.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace tonno;

namespace {

struct Durations {
  double compile, run;
};

/// The work that was done, and what ends after how many requests.
struct Machines {
  std::vector<Durations> durations;
  std::atomic<size_t> compiled = 0, timed = 0;
  std::atomic<int64_t> compileMicroseconds = 0, runMicroseconds = 0;
  size_t workerEndsAfter = SIZE_MAX, deviceEndsAfter = SIZE_MAX;

  const Durations &of(size_t candidate) const {
    return durations[candidate % durations.size()];
  }
};

} // namespace

static void spend(double seconds, std::atomic<int64_t> &sum) {
  auto time = std::chrono::microseconds(static_cast<int64_t>(1e6 * seconds));
  std::this_thread::sleep_for(time);
  sum += time.count();
}

static size_t getCandidate(const Artifact &artifact) {
  return (size_t{artifact.binary.at(0)} << 8) + artifact.binary.at(1);
}

namespace {

class SleepingCompiler : public Compiler {
public:
  SleepingCompiler(Machines &machines, bool ends)
      : machines(machines), ends(ends) {}

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &) override {
    return CompilerDescription();
  }
  Result<Problem, LocatedError> reference(ReferenceCpu) override {
    return Problem();
  }
  void submit(const Json &values) override {
    candidate =
        64 * values.at("X").get<size_t>() + values.at("Y").get<size_t>();
  }
  Compilation next() override {
    ++machines.compiled;
    if (ends && machines.compiled > machines.workerEndsAfter)
      alive = false;
    if (!alive)
      return {Status::lost, "the worker has ended", std::nullopt, 0};
    Compilation compilation;
    compilation.seconds = machines.of(candidate).compile;
    spend(compilation.seconds, machines.compileMicroseconds);
    compilation.artifact.emplace();
    compilation.artifact->binary = {static_cast<uint8_t>(candidate >> 8),
                                    static_cast<uint8_t>(candidate)};
    return compilation;
  }
  bool isAlive() const override { return alive; }

private:
  Machines &machines;
  bool ends, alive = true;
  size_t candidate = 0;
};

class SleepingRunner : public Runner {
public:
  SleepingRunner(Machines &machines, size_t number, bool ends)
      : machines(machines), number(number), ends(ends) {}

  Result<DeviceDescription> device() override {
    if (!isAlive())
      return Error{"the device has ended"};
    return DeviceDescription{"simulated", "machine", std::to_string(number)};
  }
  Result<void> open(const RunnerSession &) override {
    return isAlive() ? Result<void>() : Error{"the device has ended"};
  }
  RunResult run(const RunRequest &request) override;

private:
  bool isAlive() const {
    return !ends || machines.timed <= machines.deviceEndsAfter;
  }

  Machines &machines;
  size_t number;
  bool ends;
};

} // namespace

/// Returns a candidate's seconds, the same on each device: a bowl with bumps,
/// so that the search goes on.
static double getSeconds(size_t candidate) {
  auto x = static_cast<double>(candidate / 64),
       y = static_cast<double>(candidate % 64);
  double bump = std::sin(12.9898 * x + 78.233 * y) * 43758.5453;
  return 0.8 + (x - 41) * (x - 41) / 4000 + (y - 18) * (y - 18) / 3000 +
         0.2 * (bump - std::floor(bump));
}

static double getRatio(size_t candidate) {
  return getSeconds(candidate) / getSeconds(/*the default*/ 0);
}

RunResult SleepingRunner::run(const RunRequest &request) {
  RunResult result;
  if (request.kind == RunRequest::Kind::choose)
    for (size_t i = 0; i < request.finalists.size(); ++i) {
      double ratio = getRatio(getCandidate(request.finalists[i]));
      result.finalists.push_back({i, std::log(ratio), 1});
    }
  std::ranges::sort(result.finalists, {}, &Finalist::behind);
  if (request.kind == RunRequest::Kind::compare) {
    result.comparison.emplace();
    result.comparison->verdict = Verdict::faster;
    result.comparison->rounds = 64;
    result.comparison->speedup = 1 / getRatio(getCandidate(request.candidate));
  }
  if (request.kind != RunRequest::Kind::measure)
    return result;
  ++machines.timed;
  if (!isAlive()) {
    result.status = Status::lost;
    result.message = "the device has ended";
    return result;
  }
  size_t candidate = getCandidate(request.candidate);
  spend(machines.of(candidate).run, machines.runMicroseconds);
  double ratio = getRatio(candidate), seconds = getSeconds(candidate),
         ofDefault = getSeconds(0);
  result.measurement =
      Measurement{{8, seconds, seconds, seconds, seconds},
                  {8, ofDefault, ofDefault, ofDefault, ofDefault},
                  ratio,
                  {0.99 * ratio, 1.01 * ratio}};
  return result;
}

static std::vector<Durations> readDurations() {
  auto text = readFile(DURATIONS);
  auto json = text ? parseJson(*text) : Result<Json>(text.error());
  if (!json) {
    std::fprintf(stderr, "error: %s\n", json.error().message.c_str());
    std::exit(1);
  }
  std::vector<Durations> durations;
  for (const Json &trial : json->at("trials"))
    durations.push_back({trial.at(0).get<double>(), trial.at(1).get<double>()});
  return durations;
}

/// Returns 64 x 64 configurations.
static SearchSpace makeSpace() {
  std::vector<Option> options;
  for (int option = 0; option < 64; ++option)
    options.emplace_back(option);
  return SearchSpace({{"X", options, 0}, {"Y", options, 0}});
}

/// Runs a session on as many compilers as devices, the last of which may end.
static void runSession(Machines &machines, size_t count, size_t trials,
                       const std::string &strategyName, uint64_t seed,
                       const char *what) {
  std::vector<std::unique_ptr<Compiler>> compilers;
  std::vector<RunnerPool::Device> devices;
  for (size_t i = 0; i < count; ++i) {
    bool isLast = i + 1 == count;
    compilers.push_back(std::make_unique<SleepingCompiler>(machines, isLast));
    devices.push_back({std::make_unique<SleepingRunner>(machines, i, isLast),
                       std::to_string(i)});
  }
  WorkerPool compiler(std::move(compilers));
  RunnerPool runner(std::move(devices));
  SearchSpace space = makeSpace();
  auto strategy = createStrategy(strategyName, LegalSpace::create(space), seed);
  TrialLog log;
  RunnerSession opened;
  if (!runner.open(opened))
    std::exit(1);
  TuningSession session(
      space, compiler, &runner, **strategy, log, opened, {trials, 1e6},
      pendingFor(static_cast<unsigned>(count), count), [] { return false; });
  session.setDevices(runner);
  double begin = steadySeconds();
  auto outcome = session.run();
  double elapsed = steadySeconds() - begin;
  if (!outcome) {
    std::fprintf(stderr, "error: %s\n", outcome.error().message.c_str());
    std::exit(1);
  }
  auto lost = std::ranges::count(outcome->trials, Status::lost, &Trial::status);
  double work =
      1e-6 * static_cast<double>(std::max(machines.compileMicroseconds.load(),
                                          machines.runMicroseconds.load()));
  std::printf("%-18s %8zu %8zu %8.2f %10.3f %6td   %s\n", what, count,
              outcome->trials.size(), elapsed,
              work / static_cast<double>(count) / elapsed, lost,
              space.values(outcome->chosen).dump().c_str());
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  size_t trials = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 400;
  std::string strategy = argc > 2 ? argv[2] : "ensemble";
  uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  const std::vector<Durations> durations = readDurations();
  std::printf("%zu trials by %s, seed %llu\n%-18s %8s %8s %8s %10s %6s   %s\n",
              trials, strategy.c_str(), static_cast<unsigned long long>(seed),
              "", "each", "trials", "seconds", "efficiency", "lost", "chosen");
  for (size_t count : {1, 2, 4, 8}) {
    Machines machines{durations};
    runSession(machines, count, trials, strategy, seed, "");
  }
  for (size_t after : {trials / 4, trials / 2}) {
    Machines worker{durations};
    worker.workerEndsAfter = after;
    runSession(worker, 4, trials, strategy, seed, "a worker ends");
    Machines device{durations};
    device.deviceEndsAfter = after;
    runSession(device, 4, trials, strategy, seed, "a device ends");
  }
  return 0;
}
