//===- A runner in this process -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/LocalRunner.h"
#include "tonno/Core/Hash.h"
#include "Oracle/Oracle.h"
#include "Sampling/DeviceSampler.h"

#include <algorithm>
#include <chrono>
#include <optional>

using namespace tonno;

/// How often a launch is repeated to see whether its results stay. Of what may
/// win it must be likely to show, and races were seen to show in 1 of 100
/// launches; of the many others a launch is dear.
static constexpr LaunchRepeats trialsRepeats;
static constexpr LaunchRepeats winnersRepeats{
    .least = 8, .most = 1000, .time = std::chrono::seconds(1)};

struct LocalRunner::State {
  std::unique_ptr<Device> device;
  std::unique_ptr<Device> host; ///< runs the reference
  std::function<void(size_t)> announce;
  RunnerSession session;
  std::optional<Oracle> oracle;
  std::optional<BufferRotation> rotation;
};

LocalRunner::LocalRunner(std::unique_ptr<Device> device,
                         std::unique_ptr<Device> host,
                         std::function<void(size_t)> announce)
    : state(std::make_unique<State>()) {
  state->device = std::move(device);
  state->host = std::move(host);
  state->announce = std::move(announce);
}
LocalRunner::~LocalRunner() = default;

Result<DeviceDescription> LocalRunner::device() {
  return state->device->description();
}

/// Least time of a computation that is kept for the next runner, as keeping it
/// costs time and memory.
static constexpr std::chrono::milliseconds leastWorthKeeping(200);

/// Makes the oracle, or takes over what the runner before has kept of it.
static Result<Oracle> createOracle(const RunnerSession &session, Device &host) {
  std::string key;
  if (!session.passesFile.empty()) {
    std::vector<uint8_t> bytes = Json::to_cbor(Json(session));
    key = sha256({reinterpret_cast<const char *>(bytes.data()), bytes.size()}) +
          " " + std::to_string(oracleVersion);
    if (auto kept = readPasses(session.passesFile, key))
      return Oracle(session.problem, session.signature, session.oracle,
                    std::move(*kept));
  }
  auto begin = std::chrono::steady_clock::now();
  auto oracle = Oracle::create(session.problem, session.signature, session.seed,
                               host, session.oracle);
  auto elapsed = std::chrono::steady_clock::now() - begin;
  // If it can't be kept, the next runner computes it anew.
  if (oracle && !key.empty() && elapsed >= leastWorthKeeping)
    (void)keepPasses(session.passesFile, key, oracle->allPasses());
  return oracle;
}

Result<void> LocalRunner::open(const RunnerSession &session) {
  // What OpenCL kernels are compared with is one of them.
  bool isOpenCl = session.problem.reference.target == openClTarget;
  auto oracle = TONNO_TRY(
      createOracle(session, isOpenCl ? *state->device : *state->host));
  state->session = session;
  state->oracle.emplace(std::move(oracle));
  state->rotation.reset(); // made by the first request that times
  return {};
}

static RunResult failed(const Failure &failure) {
  RunResult result;
  result.status = failure.status;
  result.message = failure.message;
  return result;
}

/// Whether an artifact with this plan is called as the signature says. What the
/// buffers are filled with is the session's to say, not the artifact's.
static bool fits(const LaunchPlan &plan, Signature signature) {
  Signature own = plan.signature();
  for (Signature *each : {&own, &signature})
    for (BufferSpec &buffer : *each)
      buffer.input.reset();
  return own == signature;
}

/// Which of the finalists is the best.
static RunResult choose(Device &device, BufferRotation &rotation,
                        const RunnerSession &session, const RunRequest &request,
                        const std::function<void(size_t)> &announce) {
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
  auto sampler = DeviceSampler::create(device, rotation, std::move(entrants),
                                       session.protocol, &watch);
  if (!sampler)
    return failedFinals(sampler.error());
  if (request.acceptContended)
    sampler->acceptContention();
  ProtocolOptions options = session.protocol;
  options.finalsSeconds = std::min(options.finalsSeconds, request.seconds);
  auto chosen = chooseByHalving(*sampler, request.finalists.size(), options,
                                session.seed);
  if (!chosen)
    return failedFinals(chosen.error());
  if (auto alone = sampler->checkContention(); !alone)
    return failed(alone.error());
  RunResult result;
  result.finalists = std::move(*chosen);
  return result;
}

/// Times the candidate beside the baseline for a verdict, on these buffers and
/// with these options.
static Result<Comparison, Failure>
compare(Device &device, BufferRotation &rotation, const RunRequest &request,
        const ProtocolOptions &options, uint64_t seed) {
  auto sampler = DeviceSampler::create(
      device, rotation, {&request.baseline, &request.candidate}, options);
  if (!sampler)
    return sampler.error();
  if (request.acceptContended)
    sampler->acceptContention();
  auto comparison = compareWithBaseline(*sampler, options, seed);
  if (!comparison)
    return comparison;
  TONNO_TRY(sampler->checkContention());
  comparison->contended = sampler->isContended();
  comparison->overheadBound =
      comparison->seconds.median < device.overheadSeconds();
  return comparison;
}

/// Tests the candidate with the other cache state, in less time. None if there
/// was not enough, or others used the device.
static Result<std::optional<Speedup>, Failure>
compareInOtherState(Device &device, const BufferContents &inputs,
                    const RunnerSession &session, const RunRequest &request,
                    double seconds) {
  ProtocolOptions options = session.protocol;
  options.cacheState = options.cacheState == CacheState::cold
                           ? CacheState::warm
                           : CacheState::cold;
  options.maxRounds = options.firstLook;
  options.testSeconds = std::min(0.1 * options.testSeconds, seconds);
  auto rotation = TONNO_TRY(BufferRotation::create(
      device, session.signature, inputs, options, session.seed));
  auto comparison = compare(device, rotation, request, options, session.seed);
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

/// Tests the candidate against the baseline.
static RunResult test(Device &device, const BufferContents &inputs,
                      BufferRotation &rotation, const RunnerSession &session,
                      const RunRequest &request) {
  auto begin = std::chrono::steady_clock::now();
  ProtocolOptions options = session.protocol;
  options.testSeconds = std::min(options.testSeconds, request.seconds);
  auto comparison = compare(device, rotation, request, options, session.seed);
  if (!comparison)
    return failed(comparison.error());
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  // Caches keep little of a long launch that the next one needs.
  if (comparison->verdict == Verdict::faster &&
      comparison->baselineSeconds.median < options.longLaunchSeconds) {
    auto other = compareInOtherState(device, inputs, session, request,
                                     request.seconds - elapsed.count());
    if (!other)
      return failed(other.error());
    comparison->otherSpeedup = *other;
  }
  RunResult result;
  result.comparison = *comparison;
  return result;
}

static RunResult runOn(Device &device, const Oracle &oracle,
                       std::optional<BufferRotation> &rotation,
                       const RunnerSession &session, const RunRequest &request,
                       const std::function<void(size_t)> &announce) {
  if (request.kind == RunRequest::Kind::choose)
    return choose(device, *rotation, session, request, announce);
  if (!fits(request.candidate.plan, session.signature))
    return failed({Status::unlaunchable,
                   "its arguments and results differ from the kernel's"});
  auto executable = device.load(request.candidate);
  if (!executable)
    return failed(executable.error());
  bool isTrial = request.kind == RunRequest::Kind::measure;
  bool isWinner = request.kind == RunRequest::Kind::compare;
  auto made =
      oracle.verify(device, **executable, request.candidate.plan,
                    isTrial ? Verification::trial : Verification::winner,
                    isWinner ? winnersRepeats : trialsRepeats,
                    session.protocol.longLaunchSeconds);
  if (!made)
    return failed(made.error());
  if (request.kind == RunRequest::Kind::verify)
    return {};
  if (isWinner)
    return test(device, oracle.timingInputs(), *rotation, session, request);
  auto sampler = DeviceSampler::create(device, *rotation,
                                       {&request.baseline, &request.candidate},
                                       session.protocol);
  if (!sampler)
    return failed(sampler.error());
  if (request.acceptContended)
    sampler->acceptContention();

  RunResult result;
  bool isLong = *made == Verification::brief;
  if (isLong) { // its launches are verified as they are timed
    auto check = [&oracle, first = BufferContents()](
                     const BufferContents &outputs) mutable {
      return oracle.checkTimed(outputs, first);
    };
    if (auto ready = sampler->checkLaunches(check); !ready)
      return failed(ready.error());
  }
  auto paired =
      measurePaired(*sampler, session.protocol, request.incumbentHigh,
                    isLong ? TrialLength::longLaunches : TrialLength::usual);
  if (!paired)
    return failed(paired.error());
  if (auto alone = sampler->checkContention(); !alone)
    return failed(alone.error());
  // What takes the lead by the timing protocol's rule may win: it gets the
  // passes that are left out of other trials.
  if (paired->status == Status::ok &&
      takesLead(paired->measurement, request.incumbentHigh, session.protocol))
    if (auto right = oracle.verify(device, **executable, request.candidate.plan,
                                   isLong ? Verification::afterBrief
                                          : Verification::afterTrial);
        !right)
      return failed(right.error());
  result.status = paired->status;
  result.measurement = paired->measurement;
  result.measurement->contended = sampler->isContended();
  result.measurement->overheadBound =
      result.measurement->seconds.median < device.overheadSeconds();
  if (result.status == Status::pruned)
    result.message = "clearly slower than the incumbent";
  return result;
}

/// What a launch did to the buffers that others are timed on: they get others.
/// A status that says more of the candidate stays.
static void checkBuffers(std::optional<BufferRotation> &rotation,
                         RunResult &result) {
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

RunResult LocalRunner::run(const RunRequest &request) {
  if (!state->oracle)
    return failed({Status::lost, "the runner was not opened"});
  auto start = std::chrono::steady_clock::now();
  // Not when it is opened: it writes to the device, which others may time on.
  if (!state->rotation && request.kind != RunRequest::Kind::verify) {
    auto rotation = BufferRotation::create(
        *state->device, state->session.signature, state->oracle->timingInputs(),
        state->session.protocol, state->session.seed);
    if (!rotation)
      return failed({rotation.error().status, "cannot make the buffers to time "
                                              "on: " +
                                                  rotation.error().message});
    state->rotation.emplace(std::move(*rotation));
  }
  RunResult result = runOn(*state->device, *state->oracle, state->rotation,
                           state->session, request, state->announce);
  checkBuffers(state->rotation, result);
  if (result.measurement || result.comparison || !result.finalists.empty())
    result.condition = state->device->condition();
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  result.seconds = elapsed.count();
  return result;
}
