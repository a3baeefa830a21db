//===- Candidates built and timed in this process -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/Frontend.h"
#include "tonno/Core/Duration.h"
#include "SessionParts.h"

#include <deque>

using namespace tonno;

namespace {

/// Locks the device of a session's samples.
class SamplingLock {
public:
  explicit SamplingLock(const FrontendSession &session) : session(session) {}

  /// Returns the lock; none if there is nothing to lock or nothing can be
  /// locked, of which the log is warned once. Fails if the wait has ended.
  Result<std::optional<DeviceLock>, DeviceLockFailure> take(double mostSeconds);

private:
  void warnOnce(const std::string &message) {
    if (!std::exchange(hasWarned, true))
      session.log.warn(message);
  }

  const FrontendSession &session;
  bool hasWarned = false;
};

/// A frontend as compiler and runner of a session. A binary is the text of the
/// program, or of the configuration's values if the program equals no other.
class FrontendRunner : public Compiler, public Runner {
public:
  FrontendRunner(Frontend &frontend, const FrontendSession &session)
      : frontend(frontend), about(session), lock(session),
        session(session.space, *this, this, session.strategy, session.log,
                RunnerSession(), session.budget, session.batch,
                session.interrupted) {
    SearchStops stops;
    stops.isStopped = session.isStopped;
    this->session.setStops(std::move(stops));
  }

  Result<SessionOutcome> tune() { return session.run(); }

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &) override {
    return LocatedError{"opened already"};
  }
  Result<Problem, LocatedError> reference(ReferenceCpu) override {
    return LocatedError{"there is no reference"};
  }
  void submit(const Json &values) override {
    submitted.push_back(*about.space.configuration(values));
  }
  Compilation next() override;

  Result<DeviceDescription> device() override { return DeviceDescription(); }
  Result<void> open(const RunnerSession &) override { return {}; }
  RunResult run(const RunRequest &request) override;

private:
  std::vector<Result<std::string, Failure>> build();
  static std::string getText(const Artifact &artifact) {
    return {artifact.binary.begin(), artifact.binary.end()};
  }
  const Configuration &get(const Artifact &artifact) const {
    return built.at(getText(artifact));
  }
  Result<void, Failure> judge(const RunRequest &request, RunResult &result);
  Result<void, Failure> measure(const RunRequest &request, RunResult &result);
  Measurement recordTrial(const RunRequest &request, double sample);
  Result<void, Failure> choose(const RunRequest &request, RunResult &result);
  Result<void, Failure> repeat(const RunRequest &request, RunResult &result);
  Result<void, Failure> playOverlapping(const RunRequest &request,
                                        RunResult &result);
  void addContender(const Artifact &candidate, const Measurement &measurement);
  Result<void, Failure> compare(const RunRequest &request, RunResult &result);

  Frontend &frontend;
  const FrontendSession &about;
  std::vector<Configuration> submitted;
  std::deque<Compilation> compiled;
  std::map<std::string, Configuration> built; ///< the first one of a binary
  std::optional<UnpairedMeasurement> baseline;
  /// A candidate that may play unpaired finals.
  struct Contender {
    std::string text; ///< of the binary
    UnpairedRange range;
    std::vector<double> samples;
  };
  std::vector<Contender> contenders;
  std::vector<double> latestSamples; ///< of the last unpaired measurement
  double bestSeconds = std::numeric_limits<double>::infinity();
  double samplingSeconds = 0; ///< of unpaired measurements
  /// Samples of candidates that measure themselves, by the text of the binary.
  std::map<std::string, double> trials;
  uint64_t numRepeats = 0; ///< of `repeatBest`, if it fails and runs again
  SamplingLock lock;
  double begin = steadySeconds();
  TuningSession session;
};

/// Runs the sampler of a finals and remembers whose turn it was.
class EntrantSampler : public Sampler {
public:
  explicit EntrantSampler(Sampler &sampler) : sampler(sampler) {}
  Result<double, Failure> sample(size_t entrant) override {
    running = entrant;
    return sampler.sample(entrant);
  }
  Result<double, Failure> warm(size_t entrant) override {
    running = entrant;
    return sampler.warm(entrant);
  }
  double clockSeconds() const override { return sampler.clockSeconds(); }
  size_t batch() const override { return sampler.batch(); }
  void expectSeconds(double least, double most) override {
    sampler.expectSeconds(least, most);
  }
  Result<void, Failure> redraw() override {
    running.reset();
    return sampler.redraw();
  }
  Result<void, Failure> reload() override {
    running.reset();
    return sampler.reload();
  }

  /// Returns the failure of a candidate that was timed beside the baseline:
  /// lost if the baseline failed, which is not the candidate's fault.
  Failure attributeFailure(Failure failure) const {
    if (running != 0)
      return failure;
    return {Status::lost, "the default failed beside it: " + failure.message};
  }

  std::optional<size_t> running;

private:
  Sampler &sampler;
};

/// Runs a sampler of candidates that measure themselves, and counts its calls.
class CountingSampler : public EntrantSampler {
public:
  CountingSampler(Sampler &sampler, uint64_t &calls)
      : EntrantSampler(sampler), calls(calls) {}
  Result<double, Failure> sample(size_t entrant) override {
    ++calls;
    return EntrantSampler::sample(entrant);
  }

private:
  uint64_t &calls;
};

} // namespace

std::vector<Result<std::string, Failure>> FrontendRunner::build() {
  if (!about.lock || !about.lock->coversBuilding())
    return frontend.build(submitted);
  auto held = lock.take(about.budget.secondsToWait(steadySeconds() - begin));
  if (held)
    return frontend.build(submitted);
  RunResult result = getDeviceHeld(*held.error().holder);
  return std::vector<Result<std::string, Failure>>(
      submitted.size(), Failure{result.status, result.message});
}

Compilation FrontendRunner::next() {
  if (compiled.empty()) {
    auto results = build();
    for (size_t i = 0; i != submitted.size(); ++i) {
      Compilation &made = compiled.emplace_back();
      if (!results.at(i)) {
        made.status = results[i].error().status;
        made.message = results[i].error().message;
        continue;
      }
      std::string text = *std::move(results[i]);
      if (text.empty())
        text = about.space.values(submitted[i]).dump();
      made.artifact.emplace();
      made.artifact->binary.assign(text.begin(), text.end());
      built.try_emplace(std::move(text), submitted[i]);
    }
    submitted.clear();
  }
  Compilation made = std::move(compiled.front());
  compiled.pop_front();
  return made;
}

static Measurement getMeasurement(const UnpairedMeasurement &candidate,
                                  const UnpairedMeasurement &baseline) {
  Measurement measured;
  measured.seconds = candidate.distribution;
  measured.baselineSeconds = baseline.distribution;
  measured.ratio = candidate.seconds / baseline.seconds;
  measured.ratioInterval = {measured.ratio, measured.ratio};
  return measured;
}

Result<void, Failure> FrontendRunner::measure(const RunRequest &request,
                                              RunResult &result) {
  TimingPolicy policy = frontend.policy();
  if (policy.isPaired)
    session.setProtocol(policy.paired);
  else if (policy.repeated && policy.repeated->calls > 0)
    session.decideByRepeats(policy.repeated->maxCandidates);
  else if (policy.unpairedFinals)
    session.decideByFinals(policy.unpairedFinals->maxCandidates);
  else
    session.decideByTrials();
  auto sampler = TONNO_TRY(
      frontend.sampler({{get(request.baseline), get(request.candidate)}}));
  TrialSampler &samples = *sampler;
  auto first = TONNO_TRY(samples.launchFirst());
  if (policy.isPaired) {
    EntrantSampler inTurn(samples);
    auto paired = measurePaired(inTurn, policy.paired, request.incumbentHigh,
                                first >= policy.paired.longLaunchSeconds
                                    ? TrialLength::longLaunches
                                    : TrialLength::usual);
    if (!paired)
      return inTurn.attributeFailure(paired.error());
    result.measurement = paired->measurement;
    if (paired->status == Status::pruned)
      return Failure{Status::pruned, "clearly slower than the incumbent"};
  } else if (policy.repeated) {
    result.measurement = recordTrial(request, first);
  } else {
    auto isDisturbed = [&](std::span<const double> taken) {
      return samples.isDisturbed(taken);
    };
    UnpairedLimits limits;
    if (baseline)
      limits.bestSeconds =
          std::min(bestSeconds, request.incumbentHigh * baseline->seconds);
    limits.isTimeUp = [&] { return session.isTimeUp(); };
    auto alone = TONNO_TRY(
        measureUnpaired(samples, policy.unpaired, first, limits, isDisturbed));
    if (!baseline)
      baseline = alone;
    samplingSeconds += alone.samplingSeconds;
    latestSamples = alone.samples;
    result.measurement = getMeasurement(alone, *baseline);
    if (policy.unpairedFinals) {
      auto [low, high] = alone.range().interval;
      result.measurement->ratioInterval = {low / baseline->seconds,
                                           high / baseline->seconds};
    }
    if (alone.isPruned)
      return Failure{Status::pruned, "a run takes " +
                                         formatSeconds(alone.seconds) +
                                         ", and the best so far " +
                                         formatSeconds(limits.bestSeconds)};
  }
  return samples.verifyLast();
}

/// Returns the measurement of a candidate by a single sample.
Measurement FrontendRunner::recordTrial(const RunRequest &request,
                                        double sample) {
  trials[getText(request.candidate)] = sample;
  UnpairedMeasurement alone = {sample, Distribution::of({sample})};
  if (!baseline)
    baseline = alone;
  Measurement measured = getMeasurement(alone, *baseline);
  if (about.objective == Objective::value) {
    measured.ofValues = true;
    measured.ratio = sample;
    measured.ratioInterval = {sample, sample};
  }
  return measured;
}

/// Notes a candidate whose trial is ok, and releases the candidate that can't
/// play finals any more.
void FrontendRunner::addContender(const Artifact &candidate,
                                  const Measurement &measurement) {
  size_t most = frontend.policy().unpairedFinals->maxCandidates;
  bestSeconds = std::min(bestSeconds, measurement.ratio * baseline->seconds);
  contenders.push_back({getText(candidate),
                        {measurement.ratio, measurement.ratioInterval},
                        latestSamples});
  std::vector<UnpairedRange> ranges;
  for (const Contender &each : contenders)
    ranges.push_back(each.range);
  std::vector<size_t> kept = findContenders(ranges, most);
  for (size_t i = contenders.size(); i-- > 0;)
    if (std::ranges::find(kept, i) == kept.end()) {
      frontend.release(built.at(contenders[i].text));
      contenders.erase(contenders.begin() + static_cast<ptrdiff_t>(i));
    }
}

Result<void, Failure> FrontendRunner::playOverlapping(const RunRequest &request,
                                                      RunResult &result) {
  std::vector<Configuration> entrants = {get(request.baseline)};
  std::vector<std::vector<double>> before;
  for (const Artifact &finalist : request.finalists) {
    entrants.push_back(get(finalist));
    auto contender =
        std::ranges::find(contenders, getText(finalist), &Contender::text);
    if (contender == contenders.end()) // equal times may be ranked otherwise
      return Failure{Status::lost, "a finalist was released"};
    before.push_back(contender->samples);
  }
  auto sampler = TONNO_TRY(frontend.sampler(entrants));
  EntrantSampler samples(*sampler);
  auto ranking = playUnpairedFinals(
      samples, before, *frontend.policy().unpairedFinals,
      std::min(samplingSeconds, request.seconds), about.seed);
  if (!ranking) {
    result.failedEntrant = samples.running;
    return ranking.error();
  }
  result.finalists = *std::move(ranking);
  return {};
}

Result<void, Failure> FrontendRunner::repeat(const RunRequest &request,
                                             RunResult &result) {
  std::vector<Configuration> entrants = {get(request.baseline)};
  std::vector<double> before;
  for (const Artifact &finalist : request.finalists) {
    entrants.push_back(get(finalist));
    auto trial = trials.find(getText(finalist));
    if (trial == trials.end()) { // made before the session was resumed
      auto again =
          TONNO_TRY(frontend.sampler({{get(request.baseline), get(finalist)}}));
      double sample = TONNO_TRY(again->launchFirst());
      trial = trials.emplace(getText(finalist), sample).first;
    }
    before.push_back(trial->second);
  }
  auto sampler = TONNO_TRY(frontend.sampler(entrants));
  RepeatOptions options = *frontend.policy().repeated;
  options.calls -= std::min(options.calls, numRepeats);
  CountingSampler samples(*sampler, numRepeats);
  auto best = repeatBest(samples, before, options, request.seconds, about.seed);
  if (!best) {
    result.failedEntrant = samples.running;
    return best.error();
  }
  result.finalists = {{best->candidate, 0, best->estimate.n}};
  if (best->estimate.n > 0)
    result.measurement.emplace().seconds = best->estimate;
  return {};
}

Result<void, Failure> FrontendRunner::choose(const RunRequest &request,
                                             RunResult &result) {
  TimingPolicy policy = frontend.policy();
  if (policy.repeated)
    return repeat(request, result);
  if (policy.unpairedFinals)
    return playOverlapping(request, result);
  std::vector<Configuration> entrants = {get(request.baseline)};
  for (const Artifact &finalist : request.finalists)
    entrants.push_back(get(finalist));
  auto sampler = TONNO_TRY(frontend.sampler(entrants));
  ProtocolOptions options = policy.paired;
  options.finalsSeconds = std::min(options.finalsSeconds, request.seconds);
  EntrantSampler samples(*sampler);
  auto ranking =
      chooseByHalving(samples, request.finalists.size(), options, about.seed);
  if (!ranking) {
    result.failedEntrant = samples.running;
    return ranking.error();
  }
  result.finalists = *std::move(ranking);
  return {};
}

Result<void, Failure> FrontendRunner::compare(const RunRequest &request,
                                              RunResult &result) {
  auto sampler = TONNO_TRY(
      frontend.sampler({{get(request.baseline), get(request.candidate)}}));
  ProtocolOptions options = frontend.policy().paired;
  options.testSeconds = std::min(options.testSeconds, request.seconds);
  EntrantSampler inTurn(*sampler);
  auto comparison = compareWithBaseline(inTurn, options, about.seed);
  if (!comparison)
    return inTurn.attributeFailure(comparison.error());
  result.comparison = *comparison;
  return sampler->verifyLast();
}

Result<void, Failure> FrontendRunner::judge(const RunRequest &request,
                                            RunResult &result) {
  switch (request.kind) {
  case RunRequest::Kind::measure:
    TONNO_TRY(measure(request, result));
    if (frontend.policy().unpairedFinals)
      addContender(request.candidate, *result.measurement);
    return {};
  case RunRequest::Kind::choose:
    return choose(request, result);
  case RunRequest::Kind::compare:
    return compare(request, result);
  case RunRequest::Kind::verify:
    return {}; // what the test ran last is verified
  case RunRequest::Kind::peaks:
  case RunRequest::Kind::results:
    return {}; // none are known of what a frontend runs
  }
  return {};
}

Result<std::optional<DeviceLock>, DeviceLockFailure>
SamplingLock::take(double mostSeconds) {
  constexpr double signSeconds = 0.1; // within which Ctrl-C ends the wait
  if (!session.lock)
    return std::optional<DeviceLock>();
  double begin = steadySeconds();
  bool isTold = false;
  DeviceLockWait wait;
  wait.waiting = [&](const std::string &holder) {
    if (steadySeconds() - begin >= session.lock->toldSeconds &&
        !std::exchange(isTold, true))
      session.lock->waiting(holder);
  };
  wait.signSeconds = signSeconds;
  wait.mostSeconds = mostSeconds;
  wait.threadSeconds = session.lock->threadSeconds;
  wait.isStopped = session.interrupted;
  auto held = DeviceLock::acquire(session.lock->device, wait);
  if (held)
    return std::optional(std::move(*held));
  if (held.error().isOfThread)
    warnOnce("another process timed on the device meanwhile");
  else if (held.error().holder)
    return held.error();
  else
    warnOnce(held.error().message);
  return std::optional<DeviceLock>();
}

RunResult FrontendRunner::run(const RunRequest &request) {
  auto held = lock.take(request.waitSeconds);
  if (!held)
    return getDeviceHeld(*held.error().holder);
  double begin = steadySeconds();
  RunResult result;
  if (auto judged = judge(request, result); !judged) {
    result.status = judged.error().status;
    result.message = judged.error().message;
    if (result.status != Status::pruned)
      result.measurement.reset();
  }
  result.seconds = steadySeconds() - begin;
  return result;
}

EnumNames tonno::getEnumNames(Objective) {
  static constexpr std::string_view names[] = {"time", "value"};
  return {"objective", names};
}

Result<SessionOutcome> tonno::tuneFrontend(Frontend &frontend,
                                           const FrontendSession &session) {
  return FrontendRunner(frontend, session).tune();
}
