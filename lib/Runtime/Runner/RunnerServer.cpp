//===- Server side of the runner protocol ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Frame.h"
#include "tonno/Process/Protocol.h"
#include "tonno/Runtime/PrintedOutput.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "Host/Confinement.h"
#include "Host/ThreadTeam.h"

#include <algorithm>
#include <cstdlib>

using namespace tonno;

static Json errorReply(const Error &error) {
  return {{"error", error.message}};
}

/// Returns true if the request runs a launch on several threads.
static bool hasTeam(const RunRequest &request) {
  auto needsTeam = [](const Artifact &artifact) {
    return std::ranges::any_of(
        artifact.plan.launches,
        [](const Launch &launch) { return launch.threads > 1; });
  };
  return needsTeam(request.candidate) || needsTeam(request.baseline) ||
         std::ranges::any_of(request.finalists, needsTeam);
}

/// Decodes the request's artifacts and options; returns nothing if it runs
/// none.
static std::optional<Result<RunRequest>> runRequest(const Json &message) {
  auto run = message.find("run");
  if (run == message.end())
    return std::nullopt;
  return decode<RunRequest>(*run);
}

static Json replyTo(Runner &runner, const Json &message,
                    const std::optional<Result<RunRequest>> &request) {
  if (auto asked = message.find("device"); asked != message.end()) {
    if (auto known = checkGreeting(*asked, "the tuner"); !known)
      return errorReply(known.error());
    auto device = runner.device();
    return device ? Json{{"device", *device}} : errorReply(device.error());
  }
  if (auto open = message.find("open"); open != message.end()) {
    auto session = decode<RunnerSession>(*open);
    if (!session)
      return errorReply(session.error());
    session->passesFile = message.value("passes_file", "");
    auto opened = runner.open(*session);
    return opened ? Json{{"opened", true}} : errorReply(opened.error());
  }
  if (request) {
    if (!*request)
      return errorReply(request->error());
    RunResult result = runner.run(**request);
    Json reply = {{"result", result}};
    // A resource that this process lacks would be missing in the next request,
    // too.
    if (result.status == Status::lost)
      reply["ending"] = true;
    return reply;
  }
  return errorReply({"unknown request"});
}

/// Turns a loss into the candidate's fault if the candidate took the resource
/// that the process lacks.
static void attributeLossToCandidate(Json &reply) {
  auto result = decodeMember<RunResult>(reply, "result");
  if (!result || result->status != Status::lost)
    return;
  result->status = Status::fault;
  result->message = "changes descriptors or limits, which kernels must not: " +
                    result->message;
  reply["result"] = *result;
}

/// Often enough for any limit, seldom enough to cost nothing.
static constexpr double aliveSeconds = 0.1;

namespace {

/// Answers one request, by a ticket that candidates don't know.
struct Answerer {
  int channel;
  Json ticket;

  [[nodiscard]] bool send(Json message) const {
    message["ticket"] = ticket;
    return writeFrame(channel, message).ok();
  }
};

/// Locks whatever a request runs code on, where that is timed.
class RequestLock {
public:
  explicit RequestLock(std::function<void(const std::string &)> warn)
      : warn(std::move(warn)) {}

  using Taken = Result<std::optional<DeviceLock>, DeviceLockFailure>;

  /// Takes the lock that a request needs, if any; warns once where nothing can
  /// be locked. Fails if the wait has ended.
  Taken take(const Json &message, const Answerer &answerer, Runner &runner,
             const DeviceDescription &host) {
    bool opens = message.contains("open"), runs = message.contains("run");
    auto device = runner.device();
    if ((!opens && !runs) || !device)
      return noLock();
    // The reference runs on the host, but OpenCL's and that of a core. A CPU is
    // the host.
    bool isOpenCl = device->kind == openClTarget;
    if (isOpenCl ? device->chip == "cpu" : opens && !device->core)
      return lock(host, answerer, message);
    if (device->kind != "sim")
      return lock(*device, answerer, message);
    return noLock();
  }

private:
  static Taken noLock() { return std::optional<DeviceLock>(); }

  /// Returns how often to show life while waiting: several times within the
  /// limit of a launch, else seldom, so as not to disturb who times.
  static double signSeconds(const Json &message) {
    constexpr double most = 1, perLimit = 8;
    auto run = message.find("run");
    if (run == message.end())
      return most;
    auto limit = decodeMember<double>(*run, "launch_seconds");
    return limit && *limit > 0 ? std::min(most, *limit / perLimit) : most;
  }

  Taken lock(const DeviceDescription &device, const Answerer &answerer,
             const Json &message) {
    DeviceLockWait wait;
    bool hasWaited = false;
    wait.waiting = [&](const std::string &holder) {
      hasWaited = true;
      // The client may have ended; no other event would end the wait.
      if (!answerer.send({{"alive", true}, {"waiting", holder}}))
        std::_Exit(1);
    };
    wait.signSeconds = signSeconds(message);
    if (auto most = decodeMember<double>(message, "wait_seconds"))
      wait.mostSeconds = *most;
    auto held = DeviceLock::acquire(device.identity(), wait);
    // Signals that end this process from now on may be the candidate's.
    if (held && hasWaited && !answerer.send({{"alive", true}}))
      std::_Exit(1);
    if (held)
      return std::optional(std::move(*held));
    if (held.error().holder)
      return held.error();
    if (!std::exchange(hasWarned, true))
      warn(held.error().message);
    return noLock();
  }

  std::function<void(const std::string &)> warn;
  bool hasWarned = false;
};

} // namespace

/// Replies to a request whose wait for the device was in vain.
static Json replyInUse(const Json &message, const std::string &holder) {
  RunResult result = getDeviceHeld(holder);
  if (message.contains("open"))
    return errorReply({result.message});
  return {{"result", result}};
}

int tonno::serveRunner(const FrameChannel &channel,
                       std::unique_ptr<Device> device,
                       std::unique_ptr<Device> host,
                       std::function<void(const std::string &)> warn,
                       PrintedOutput *printed) {
  Deadline nextSign = Clock::now();
  const Answerer *current = nullptr;
  auto tellAlive = [&] {
    if (Clock::now() < nextSign)
      return;
    nextSign = inSeconds(aliveSeconds);
    // A peer that has gone is noticed when the answer is sent.
    (void)current->send({{"alive", true}});
  };
  if (printed)
    printed->capture();
  installCrashHandlers();
  // A GPU's driver may have processes of its own.
  std::string kind = device->description().kind;
  bool runsHere = kind == "host" || kind == "sim";
  if (runsHere)
    confineToThisProcess();
  const Device &timed = *device; // owned by the runner
  DeviceDescription hostDescription = host->description();
  RequestLock requestLock(std::move(warn));
  device->reportTo(tellAlive);
  host->reportTo(tellAlive);
  std::unique_ptr<Runner> runner = createLocalRunner(
      std::move(device), std::move(host), [&](size_t entrant) {
        (void)current->send({{"alive", true}, {"entrant", entrant}});
      });
  for (;;) {
    auto message = readFrame(channel.input);
    if (!message)
      return message.error() == FrameFailure::closed ? 0 : 1;
    auto ticket = message->find("ticket");
    Answerer answerer = {channel.output,
                         ticket == message->end() ? Json() : *ticket};
    current = &answerer;
    Json reply;
    bool leavesSomething = false;
    {
      auto lock =
          requestLock.take(*message, answerer, *runner, hostDescription);
      if (!lock) {
        if (!answerer.send(replyInUse(*message, *lock.error().holder)))
          return 1;
        continue;
      }
      auto request = runRequest(*message);
      // Starts the thread team before the inventory, as it outlives the
      // candidate.
      if (runsHere && request && *request && hasTeam(**request))
        (void)ThreadTeam::ofProcess();
      ProcessInventory before;
      reply = replyTo(*runner, *message, request);
      ProcessInventory after;
      bool runsCandidate = runsHere && message->contains("run");
      leavesSomething = runsCandidate && !after.isUnchangedSince(before);
      if (runsCandidate && !after.hasSameResources(before))
        attributeLossToCandidate(reply);
    }
    if (printed)
      printed->forward();
    bool ends = timed.isLost() || leavesSomething || reply.contains("ending") ||
                isCandidatesMemoryUsedUp();
    if (ends)
      reply["ending"] = true;
    if (!answerer.send(std::move(reply)) || ends)
      return 1;
  }
}
