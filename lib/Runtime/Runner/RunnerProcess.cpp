//===- A runner in a process of its own -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Process/Protocol.h"
#include "tonno/Runtime/Elements.h"
#include "Host/Confinement.h"
#include "Oracle/Oracle.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <random>

using namespace tonno;

static bool isInteger(ElementType type) {
  return !isFloatingPoint(type) && type != ElementType::i1;
}

/// Returns the arguments of such elements that are only read.
static std::vector<std::string>
getReadOnlyArguments(const Signature &signature,
                     bool (*isWanted)(ElementType)) {
  std::vector<std::string> names;
  for (const BufferSpec &buffer : signature)
    if (buffer.access == Access::read && isWanted(buffer.elementType))
      names.push_back(buffer.name);
  return names;
}

/// Returns ", perhaps by what arg0 or arg1 holds; state other data, ...".
static std::string adviseInputs(const std::vector<std::string> &names,
                                const std::string &data) {
  if (names.empty())
    return "";
  std::string list;
  for (size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return ", perhaps by the data of " + list +
         "; state other data, such as '--inputs=" + names.back() + "=" + data +
         "'";
}

/// Returns advice on a failed assertion: most assert indices; without integer
/// inputs, the reals are at fault.
static std::string adviseOnAssertion(const Signature &signature) {
  auto integers = getReadOnlyArguments(signature, isInteger);
  return "; an assertion of the kernel (cf.assert) fails" +
         (integers.empty()
              ? adviseInputs(getReadOnlyArguments(signature, isFloatingPoint),
                             "uniform(0.1, 1)")
              : adviseInputs(integers, "integers(0, 99)"));
}

static bool isOutsideOfBuffers(const ProcessEnd &end) {
  return end.signal == SIGSEGV || end.signal == SIGBUS ||
         end.exitStatus == runnerReachedBefore ||
         end.exitStatus == runnerReachedBehind;
}

/// Returns advice on a reference that crashed the runner, for the end of a
/// message. Drawn integers may be divisors of 0 or indices out of bounds.
static std::string adviseOnCrash(const ProcessEnd &end,
                                 const RunnerSession &session) {
  std::vector<std::string> integers =
      getReadOnlyArguments(session.signature, isInteger);
  std::string advice;
  if (end.signal == SIGFPE)
    advice = "; the reference divides an integer by 0" +
             adviseInputs(integers, "integers(1, 100)");
  else if (end.signal == SIGILL || end.signal == SIGTRAP) // LLVM's trap
    advice = adviseOnAssertion(session.signature);
  else if (isOutsideOfBuffers(end))
    advice = "; the reference accesses memory outside its buffers" +
             adviseInputs(integers, "integers(0, 99)");
  // A reference that computes in the candidates' types is the default
  // candidate.
  if (session.problem.isRounded && !session.problem.isVerifiedInParts)
    advice +=
        "; check that the default configuration accesses only its buffers "
        "('--arg'), for this '--global-size' and these '--inputs'";
  return advice;
}

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Draws a ticket that candidates, also earlier ones, can't know.
static uint64_t drawTicket() {
  std::random_device source;
  return uint64_t{source()} << 32 | source();
}

Result<void, FrameFailure> RunnerProcess::send(Json message,
                                               double silenceSeconds) {
  ticket = drawTicket();
  isWaiting = false;
  entrant.reset();
  message["ticket"] = ticket;
  return process->send(message, inSeconds(silenceSeconds), listener.cancelled);
}

Result<Json, FrameFailure> RunnerProcess::receive(double silenceSeconds) {
  for (;;) {
    double seconds =
        deadline && !isWaiting
            ? std::clamp(-secondsSince(*deadline), 0.0, silenceSeconds)
            : silenceSeconds;
    auto message = process->receiveWithin(seconds, listener.cancelled);
    if (!message)
      return message;
    auto answered = decodeMember<uint64_t>(*message, "ticket");
    if (!answered || *answered != ticket)
      return FrameFailure::malformed;
    if (!message->contains("alive"))
      return message;
    if (auto next = decodeMember<size_t>(*message, "entrant"))
      entrant = *next;
    isWaiting = message->contains("waiting");
    if (auto holder = decodeMember<std::string>(*message, "waiting");
        holder && !std::exchange(hasWaited, true))
      listener.waiting(*holder);
  }
}

/// Ends a runner that gave no answer.
static NoAnswer endSilent(Subprocess &process, FrameFailure failure,
                          const Cancelled &cancelled) {
  NoAnswer ended = process.terminate(failure);
  return cancelled() ? ended.duringInterrupt() : ended;
}

Result<Json> RunnerProcess::ask(const Json &message, const char *answer,
                                double silenceSeconds,
                                const std::string &lateRemedy,
                                const CrashRemedy &crashRemedy) {
  const std::string runner = "the runner '" + command[0] + "'";
  auto failed = [&](const std::string &message) {
    process.reset();
    return Error{message};
  };
  silence.reset();
  if (!process)
    return failed(runner + " lost its device at once");
  auto sent = send(message, silenceSeconds);
  auto reply =
      sent ? receive(silenceSeconds) : Result<Json, FrameFailure>(sent.error());
  if (!reply) {
    bool isLate = reply.error() == FrameFailure::timed_out;
    silence = endSilent(*process, reply.error(), listener.cancelled);
    return failed(silence->text(runner, silenceSeconds) +
                  (isLate        ? lateRemedy
                   : crashRemedy ? crashRemedy(silence->end)
                                 : ""));
  }
  if (reply->contains("ending"))
    process.reset();
  if (auto error = decodeMember<std::string>(*reply, "error"))
    return Error{*error};
  if (!reply->contains(answer))
    return failed(runner + " does not send tonno's frames");
  return reply->at(answer);
}

/// Returns true if runners exit so to report what a candidate did.
static bool isReportedByRunner(int exitStatus) {
  return exitStatus >= runnerLoaderCrashed && exitStatus <= runnerWroteInput;
}

/// Returns true if something else than the kernel may be to blame.
static bool mayBeOthers(const NoAnswer &silence) {
  return silence.mayBeExternal() &&
         !(silence.end.exitStatus &&
           isReportedByRunner(*silence.end.exitStatus));
}

Result<DeviceDescription> RunnerProcess::device() {
  auto description = process ? describe() : start();
  bool isRetried = !description && silence && silence->isSignalled() &&
                   !listener.cancelled();
  return isRetried ? start() : description;
}

Result<DeviceDescription> RunnerProcess::start() {
  silence.reset();
  process.emplace(TONNO_TRY(Subprocess::spawn(command, Ending::asked)));
  return describe();
}

Result<DeviceDescription> RunnerProcess::describe() {
  auto reply =
      TONNO_TRY(ask({{"device", makeGreeting()}}, "device", limits.startSeconds,
                    startRemedy(command, "tonno-runner")));
  auto description = decode<DeviceDescription>(reply);
  if (!description)
    return Error{"'" + command[0] + "' is not a tonno-runner: the answer is " +
                 reply.dump(-1, ' ', false, Json::error_handler_t::replace)};
  deviceKind = description->kind;
  return description;
}

Result<void> RunnerProcess::open(const RunnerSession &opened) {
  // Restart the process, which earlier candidates may have corrupted.
  if (session)
    process.reset();
  session = opened;
  keptPasses = makeFileForPasses();
  baselineSeconds = 0;
  return reopen(opened.waitSeconds);
}

/// Adds the time that the runner may wait for its device, if it is limited.
static Json limitWait(Json message, double waitSeconds) {
  if (std::isfinite(waitSeconds))
    message["wait_seconds"] = waitSeconds;
  return message;
}

Result<void> RunnerProcess::reopen(double waitSeconds) {
  auto begin = Clock::now();
  auto opened = openOnce(waitSeconds);
  if (opened || !silence || !mayBeOthers(*silence) || listener.cancelled())
    return opened;
  opened = openOnce(std::max(0.0, waitSeconds - secondsSince(begin)));
  if (opened || !silence || !mayBeOthers(*silence))
    return opened;
  bool isKilled = silence->cause == NoAnswer::Cause::killed;
  return Error{opened.error().message + "; the previous runner ended as well" +
               (isKilled ? "; check that there is enough memory" : "")};
}

Result<void> RunnerProcess::openOnce(double waitSeconds) {
  if (!process)
    if (auto started = device(); !started) {
      silence.reset(); // it was started twice
      return started.error();
    }
  auto begin = Clock::now();
  // A reference that computes in the candidates' types is the default
  // candidate.
  const Problem &problem = session->problem;
  const std::string faster = problem.isRounded && !problem.isVerifiedInParts
                                 ? "'--knob=NAME=... default ...'"
                                 : "'--reference=@function'";
  if (std::isfinite(session->openSeconds))
    deadline = inSeconds(session->openSeconds);
  Json message = {{"open", *session}};
  if (keptPasses.valid())
    message["passes_file"] = getProcPath(keptPasses);
  auto reply = ask(
      limitWait(std::move(message), waitSeconds), "opened",
      limits.referenceSeconds,
      "; raise the limit by '--reference-seconds=<s>', or name a faster "
      "reference by " +
          faster,
      [this](const ProcessEnd &end) { return adviseOnCrash(end, *session); });
  bool isOver = deadline && Clock::now() >= *deadline;
  deadline.reset();
  if (!reply && isOver && silence && !isWaiting)
    return Error{
        "the reference takes longer than the budget's " +
        formatLimit(session->openSeconds) +
        "; increase '--budget-seconds', or name a faster reference by " +
        faster};
  if (!reply && silence)
    return reply.error().prefixed(whileRunningReference);
  if (!reply)
    return reply.error();
  openSeconds = secondsSince(begin);
  return {};
}

double RunnerProcess::launchLimit() const {
  if (baselineSeconds == 0)
    return limits.launchSeconds;
  return std::clamp(20 * baselineSeconds + openSeconds, limits.minLaunchSeconds,
                    limits.launchSeconds);
}

/// Describes the failure of a candidate that ended the runner, or gave no
/// answer within `seconds`.
static Failure classifyRunnerFailure(const NoAnswer &silence, double seconds) {
  using Cause = NoAnswer::Cause;
  switch (silence.cause) {
  case Cause::crashed:
    if (silence.end.exitStatus == runnerLoaderCrashed)
      return {Status::load_error, "the binary crashes as it is loaded"};
    if (silence.end.exitStatus == runnerReachedBefore)
      return {Status::out_of_bounds,
              "accessed memory before the start of a buffer"};
    if (silence.end.exitStatus == runnerReachedBehind)
      return {Status::out_of_bounds,
              "accessed memory past the end of a buffer"};
    if (silence.end.exitStatus == runnerWroteInput)
      return {Status::out_of_bounds, "wrote into an input"};
    return {Status::fault, "crashed while running: " + silence.end.text};
  case Cause::out_of_memory:
    return {Status::out_of_memory, "crashed for lack of memory"};
  case Cause::killed:
    return {Status::out_of_memory,
            "the runner was killed, perhaps for lack of memory"};
  case Cause::ended:
    return {Status::lost, "the runner was ended: " + silence.end.text};
  case Cause::closed:
    return {Status::fault, "closed the runner's channel"};
  case Cause::timed_out:
    return {Status::hang,
            "a launch did not end within " + formatLimit(seconds)};
  case Cause::garbled:
    return {Status::fault, "corrupted the runner's answer"};
  case Cause::cancelled:
    break;
  }
  return {Status::lost, "interrupted"};
}

/// Returns true if the candidate's code can signal the runner: a GPU's code
/// can't.
bool RunnerProcess::mayCandidateSignal() const {
  return deviceKind == "host" || deviceKind == "sim";
}

/// Runs the request, and repeats it if the failure may be environmental: a
/// faulty candidate fails again.
RunResult RunnerProcess::run(const RunRequest &request) {
  Attempts attempts;
  RunResult result = runOnce(request, attempts);
  bool isChoice = request.kind == RunRequest::Kind::choose;
  bool isAnonymous = isChoice && !result.failedEntrant &&
                     result.status != Status::ok &&
                     result.status != Status::contended;
  if (!(attempts.mayBeOthersFault || isAnonymous) || listener.cancelled())
    return result;
  RunRequest again = request;
  again.announcesEntrants = isChoice;
  return runOnce(again, attempts);
}

RunResult RunnerProcess::runOnce(const RunRequest &request,
                                 Attempts &attempts) {
  attempts.mayBeOthersFault = false;
  auto begin = Clock::now();
  auto ended = [&](Status status, const std::string &why) {
    process.reset();
    RunResult result;
    result.status = status;
    result.message = why;
    result.seconds = secondsSince(begin);
    return result;
  };
  if (!session)
    return ended(Status::lost, "the runner was not opened");
  if (!process)
    if (auto opened = reopen(request.waitSeconds); !opened)
      return ended(Status::lost,
                   "cannot restart the runner: " + opened.error().message);
  begin = Clock::now();
  auto sent = send(limitWait({{"run", request}}, request.waitSeconds),
                   limits.sendSeconds);
  // The runner ended after its last answer, before this candidate ran.
  attempts.mayBeOthersFault = !sent && sent.error() == FrameFailure::closed;
  if (attempts.mayBeOthersFault)
    return ended(Status::lost, "the runner went away: " +
                                   process->terminate(/*closed=*/true).text);
  if (!sent && sent.error() == FrameFailure::timed_out)
    return ended(Status::lost, "the runner does not accept requests");
  double limit =
      request.launchSeconds > 0 ? request.launchSeconds : launchLimit();
  auto reply = sent ? receive(limit) : Result<Json, FrameFailure>(sent.error());
  if (!reply) {
    NoAnswer end = endSilent(*process, reply.error(), listener.cancelled);
    attempts.mayBeOthersFault = mayBeOthers(end);
    Failure failure = classifyRunnerFailure(end, limit);
    bool isSuspect = end.cause == NoAnswer::Cause::ended && !isWaiting &&
                     mayCandidateSignal();
    if (isSuspect && std::exchange(attempts.wasSignalled, true))
      failure = {Status::fault,
                 "ends the runner by " + end.end.text + ", each time it runs"};
    RunResult result = ended(failure.status, failure.message);
    if (failure.status == Status::hang)
      result.launchSeconds = limit;
    if (entrant && *entrant <= request.finalists.size())
      result.failedEntrant = entrant;
    return result;
  }
  if (reply->contains("ending"))
    process.reset();
  auto result = decodeMember<RunResult>(*reply, "result");
  if (!result)
    return ended(Status::lost,
                 "the runner's answer: " + result.error().message);
  // A lost runner may have been ended by another process.
  attempts.mayBeOthersFault = result->status == Status::lost;
  if (result->failedEntrant > request.finalists.size())
    result->failedEntrant.reset();
  if (result->measurement)
    baselineSeconds = result->measurement->baselineSeconds.median;
  return *result;
}

std::vector<std::string> tonno::runnerCommand(std::vector<std::string> command,
                                              const std::string &device) {
  if (device != "host")
    command.push_back("--device=" + device);
  return command;
}
