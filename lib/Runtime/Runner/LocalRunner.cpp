//===- A runner in this process -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Hash.h"
#include "tonno/Engine/Budget.h"
#include "tonno/Process/ProgramStart.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "Oracle/Oracle.h"
#include "Sampling/DeviceSampler.h"
#include "Sampling/EnergySampler.h"

#include <algorithm>
#include <chrono>
#include <limits>

using namespace tonno;

/// Launches per verification. Races showed in 1 of 100 launches: candidates
/// that may win are launched often, all others, for which launches are
/// expensive, once more.
static constexpr LaunchRepeats trialsRepeats;
static constexpr LaunchRepeats winnersRepeats{
    .least = 8, .most = 1000, .time = std::chrono::seconds(1)};

/// Least time of a computation that is worth keeping for the next runner.
static constexpr double leastSecondsToKeep = 0.2;

/// Makes the oracle, or loads the passes that the previous runner has kept.
static Result<Oracle> createOracle(const RunnerSession &session, Device &device,
                                   Device &host) {
  std::string key;
  if (!session.passesFile.empty()) {
    std::vector<uint8_t> bytes = Json::to_cbor(Json(session));
    key = sha256({reinterpret_cast<const char *>(bytes.data()), bytes.size()}) +
          " " + std::to_string(oracleVersion);
    if (auto kept = readPasses(session.passesFile, key))
      return Oracle(session.problem, session.signature, session.oracle,
                    std::move(*kept));
  }
  double begin = steadySeconds();
  // Each run of the reference allocates what the previous one has freed. Page
  // faults took half of the time for buffers of 2^25 elements.
  keepFreedMemory(std::numeric_limits<int>::max());
  auto oracle = Oracle::create(session.problem, session.signature, session.seed,
                               host, session.oracle);
  if (oracle && session.sameAs)
    TONNO_TRY(oracle->requireBits(device, *session.sameAs));
  double elapsed = steadySeconds() - begin;
  returnFreedMemory();
  // If the passes can't be kept, the next runner computes them anew.
  if (oracle && !key.empty() && elapsed >= leastSecondsToKeep)
    (void)storePasses(session.passesFile, key, oracle->allPasses());
  return oracle;
}

/// Returns true if an artifact with this plan is called as the signature says,
/// whatever the buffers are filled with.
static bool fits(const LaunchPlan &plan, Signature signature) {
  Signature own = plan.signature();
  for (Signature *each : {&own, &signature})
    for (BufferSpec &buffer : *each)
      buffer.input.reset();
  return own == signature;
}

static RunResult failed(const Failure &failure) {
  RunResult result;
  result.status = failure.status;
  result.message = failure.message;
  return result;
}

namespace {

class LocalRunner : public Runner {
public:
  LocalRunner(std::unique_ptr<Device> device, std::unique_ptr<Device> host,
              std::function<void(size_t)> announce)
      : itsDevice(std::move(device)), host(std::move(host)),
        announce(std::move(announce)) {}

  Result<DeviceDescription> device() override {
    return itsDevice->description();
  }

  Result<void> open(const RunnerSession &opened) override {
    if (opened.oracle.wantsEnergy())
      if (auto counter = itsDevice->energyCounter(); !counter)
        return Error{"energy cannot be measured: " + counter.error().message +
                     "; omit it from '--objective' and '--pareto'"};
    // The reference of OpenCL kernels is an OpenCL kernel too.
    bool isOpenCl = opened.problem.reference.target == openClTarget;
    auto made = createOracle(opened, *itsDevice, isOpenCl ? *itsDevice : *host);
    if (!made)
      return made.error().prefixed(whileRunningReference);
    session = opened;
    oracle.emplace(std::move(*made));
    rotation.reset(); // made by the first request that times
    return {};
  }

  RunResult run(const RunRequest &request) override {
    if (request.kind == RunRequest::Kind::peaks)
      return measurePeaks(request.peakQuery);
    if (!oracle)
      return failed({Status::lost, "the runner was not opened"});
    if (request.kind == RunRequest::Kind::results)
      return writeResults(request.directory);
    double start = steadySeconds();
    verifySeconds = 0;
    // Deferred from `open`: uploads would disturb timings of other processes.
    if (!rotation && request.kind != RunRequest::Kind::verify) {
      auto made = createRotation(session.protocol);
      if (!made)
        return failed(
            {made.error().status,
             "cannot make the buffers to time on: " + made.error().message});
      rotation.emplace(std::move(*made));
    }
    auto ran = request.kind == RunRequest::Kind::choose ? choose(request)
                                                        : runCandidate(request);
    RunResult result = ran ? std::move(*ran) : failed(ran.error());
    checkBuffers(result);
    if (result.measurement || result.comparison || !result.finalists.empty())
      result.condition = itsDevice->condition();
    result.seconds = steadySeconds() - start;
    result.verifySeconds = verifySeconds;
    return result;
  }

private:
  RunResult measurePeaks(const PeakQuery &query) {
    double begin = steadySeconds();
    RunResult result;
    result.peaks = itsDevice->measurePeaks(query);
    result.seconds = steadySeconds() - begin;
    return result;
  }

  RunResult writeResults(const std::filesystem::path &directory) {
    double begin = steadySeconds();
    const OraclePass &pass = oracle->allPasses().back();
    for (size_t i = 0; i < session.signature.size(); ++i) {
      if (!isOutput(session.signature[i]))
        continue;
      if (auto written = writeNpy(directory / (std::to_string(i) + ".npy"),
                                  session.signature[i], pass.rounded[i]);
          !written)
        return failed({Status::lost, written.error().message});
    }
    RunResult result;
    result.seconds = steadySeconds() - begin;
    return result;
  }

  Result<BufferRotation, Failure>
  createRotation(const ProtocolOptions &options) {
    return BufferRotation::create(*itsDevice, session.signature,
                                  oracle->timingInputs(), options,
                                  session.seed);
  }

  Result<DeviceSampler, Failure>
  createSampler(BufferRotation &buffers, const RunRequest &request,
                std::vector<const Artifact *> entrants,
                const ProtocolOptions &options, EntrantWatch *watch = nullptr) {
    auto sampler = TONNO_TRY(DeviceSampler::create(
        *itsDevice, buffers, std::move(entrants), options, watch));
    if (request.acceptContended)
      sampler.acceptContention();
    return sampler;
  }

  Result<RunResult, Failure> choose(const RunRequest &request) {
    std::vector<const Artifact *> entrants = {&request.baseline};
    for (const Artifact &finalist : request.finalists)
      entrants.push_back(&finalist);
    EntrantWatch watch;
    if (request.announcesEntrants) {
      watch.entering = announce;
      watch.checksInputs = true;
    }
    auto failedFinals = [&](const Failure &failure) {
      RunResult result = failed(failure);
      if (failure.status != Status::contended)
        result.failedEntrant = watch.running;
      return result;
    };
    auto sampler = createSampler(*rotation, request, std::move(entrants),
                                 session.protocol, &watch);
    if (!sampler)
      return failedFinals(sampler.error());
    ProtocolOptions options = session.protocol;
    options.finalsSeconds = std::min(options.finalsSeconds, request.seconds);
    auto chosen = chooseByHalving(*sampler, request.finalists.size(), options,
                                  session.seed);
    if (!chosen)
      return failedFinals(chosen.error());
    TONNO_TRY(sampler->checkContention());
    RunResult result;
    result.finalists = std::move(*chosen);
    return result;
  }

  /// Times the candidate beside the baseline for a verdict.
  Result<Comparison, Failure> compare(BufferRotation &buffers,
                                      const RunRequest &request,
                                      const ProtocolOptions &options) {
    auto sampler = TONNO_TRY(createSampler(
        buffers, request, {&request.baseline, &request.candidate}, options));
    auto comparison =
        TONNO_TRY(compareWithBaseline(sampler, options, session.seed));
    TONNO_TRY(sampler.checkContention());
    comparison.contended = sampler.isContended();
    comparison.overheadBound =
        comparison.seconds.median < itsDevice->overheadSeconds();
    return comparison;
  }

  /// Compares in the other cache state, in less time. Returns none if there was
  /// too little time, or if the device was disturbed.
  Result<std::optional<Speedup>, Failure>
  compareInOtherState(const RunRequest &request, double seconds) {
    ProtocolOptions options = session.protocol;
    options.cacheState = options.cacheState == CacheState::cold
                             ? CacheState::warm
                             : CacheState::cold;
    options.maxRounds = options.firstLook;
    options.testSeconds = std::min(0.1 * options.testSeconds, seconds);
    auto buffers = TONNO_TRY(createRotation(options));
    auto comparison = compare(buffers, request, options);
    bool isDisturbed =
        !comparison && comparison.error().status == Status::contended;
    if (!comparison && !isDisturbed)
      return comparison.error();
    if (isDisturbed || comparison->contended ||
        comparison->rounds < options.minRounds)
      return std::optional<Speedup>();
    return std::optional(
        Speedup{comparison->speedup, comparison->speedupInterval});
  }

  /// Compares the energy of launches.
  Result<RunResult, Failure> testEnergy(const RunRequest &request) {
    auto counter = itsDevice->energyCounter();
    if (!counter)
      return Failure{Status::lost, counter.error().message};
    ProtocolOptions options = makeEnergyProtocol(session.protocol);
    options.testSeconds = std::min(options.testSeconds, request.seconds);
    auto launches = TONNO_TRY(createSampler(
        *rotation, request, {&request.baseline, &request.candidate}, options));
    EnergySampler sampler(launches, **counter);
    RunResult result;
    result.comparison =
        TONNO_TRY(compareWithBaseline(sampler, options, session.seed));
    TONNO_TRY(launches.checkContention());
    result.comparison->contended = launches.isContended();
    return result;
  }

  Result<RunResult, Failure> test(const RunRequest &request) {
    if (request.ofEnergy)
      return testEnergy(request);
    double begin = steadySeconds();
    ProtocolOptions options = session.protocol;
    options.testSeconds = std::min(options.testSeconds, request.seconds);
    if (request.leastSpeedup)
      options = makeLimitProtocol(options, *request.leastSpeedup);
    auto comparison = TONNO_TRY(compare(*rotation, request, options));
    double elapsed = steadySeconds() - begin;
    // Caches keep little of a long launch that the next one needs.
    if (comparison.verdict == Verdict::faster && !request.leastSpeedup &&
        comparison.baselineSeconds.median < options.longLaunchSeconds)
      comparison.otherSpeedup =
          TONNO_TRY(compareInOtherState(request, request.seconds - elapsed));
    RunResult result;
    result.comparison = comparison;
    return result;
  }

  /// Verifies as the oracle does, and adds the time to `verifySeconds`.
  template <typename... Limits>
  Result<Verified, Failure>
  verify(Executable &executable, const LaunchPlan &plan,
         Verification verification, Limits... limits) {
    double begin = steadySeconds();
    auto made =
        oracle->verify(*itsDevice, executable, plan, verification, limits...);
    verifySeconds += steadySeconds() - begin;
    return made;
  }

  static RunResult refuseBits(const Verified &verified) {
    RunResult result = failed(*verified.otherBits);
    result.verifiedSeconds = verified.launchSeconds;
    return result;
  }

  /// Describes the freedom that a right candidate with other bits needs.
  const char *describeNeed(const Verified &verified) const {
    if (!verified.isOtherOnUsualInputs)
      return "other results for extreme inputs";
    return session.problem.reductionLength == 1 ? "other roundings"
                                                : "another order of summation";
  }

  Result<RunResult, Failure> runCandidate(const RunRequest &request) {
    const LaunchPlan &plan = request.candidate.plan;
    if (!fits(plan, session.signature))
      return Failure{
          Status::unlaunchable,
          "the candidate's arguments and results differ from the kernel's"};
    auto executable = TONNO_TRY(itsDevice->load(request.candidate));
    bool isTest = request.kind == RunRequest::Kind::compare;
    bool isTrial =
        request.kind == RunRequest::Kind::measure || request.isEarlier;
    auto made = TONNO_TRY(verify(
        *executable, plan, isTrial ? Verification::trial : Verification::winner,
        isTest && !isTrial ? winnersRepeats : trialsRepeats,
        session.protocol.longLaunchSeconds));
    if (made.otherBits && !request.acceptsOtherBits)
      return refuseBits(made);
    if (request.kind == RunRequest::Kind::verify)
      return RunResult();
    if (isTest)
      return test(request);
    auto sampler = TONNO_TRY(createSampler(
        *rotation, request, {&request.baseline, &request.candidate},
        session.protocol));
    bool isLong = made.made == Verification::brief;
    if (isLong) // its launches are verified as they are timed
      TONNO_TRY(
          sampler.checkLaunches([this, &request, first = BufferContents()](
                                    const BufferContents &outputs) mutable {
            return oracle->checkTimed(outputs, first, request.acceptsOtherBits);
          }));
    auto paired = TONNO_TRY(
        measurePaired(sampler, session.protocol, request.incumbentHigh,
                      isLong ? TrialLength::longLaunches : TrialLength::usual));
    TONNO_TRY(sampler.checkContention());
    if (paired.status == Status::ok)
      paired.measurement.events =
          TONNO_TRY(sampler.countEvents(firstCandidate));
    // A candidate that takes the lead may win, so it gets the passes that
    // trials omit.
    if (paired.status == Status::ok &&
        becomesIncumbent(paired.measurement, request.incumbentHigh,
                         session.protocol)) {
      auto rest = TONNO_TRY(
          verify(*executable, plan,
                 isLong ? Verification::afterBrief : Verification::afterTrial));
      if (rest.otherBits && !request.acceptsOtherBits)
        return refuseBits(rest);
    }
    RunResult result;
    result.status = paired.status;
    result.measurement = paired.measurement;
    result.measurement->contended = sampler.isContended();
    result.measurement->overheadBound =
        result.measurement->seconds.median < itsDevice->overheadSeconds();
    if (result.status == Status::pruned)
      result.message = "clearly slower than the incumbent";
    else if (request.acceptsOtherBits)
      result.message = describeNeed(made);
    return result;
  }

  /// Checks the buffers on which other candidates are timed, and drops them if
  /// a launch has changed them. A more specific status is kept.
  void checkBuffers(RunResult &result) {
    auto intact = rotation ? rotation->checkInputs() : Result<void, Failure>();
    if (intact)
      return;
    rotation.reset();
    bool isRight = result.status == Status::ok ||
                   result.status == Status::pruned ||
                   result.status == Status::contended;
    if (isRight)
      result = failed({intact.error().status,
                       intact.error().message + " while it was timed"});
  }

  std::unique_ptr<Device> itsDevice;
  std::unique_ptr<Device> host; ///< runs the reference
  std::function<void(size_t)> announce;
  RunnerSession session;
  std::optional<Oracle> oracle;
  std::optional<BufferRotation> rotation;
  double verifySeconds = 0; ///< of the current request
};

} // namespace

std::unique_ptr<Runner>
tonno::createLocalRunner(std::unique_ptr<Device> device,
                         std::unique_ptr<Device> host,
                         std::function<void(size_t)> announce) {
  return std::make_unique<LocalRunner>(std::move(device), std::move(host),
                                       std::move(announce));
}
