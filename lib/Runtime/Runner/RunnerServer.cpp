//===- What a runner's process serves -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Frame.h"
#include "tonno/Core/Subprocess.h"
#include "tonno/Runtime/Device.h"
#include "tonno/Runtime/LocalRunner.h"
#include "tonno/Runtime/PrintedOutput.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "DeviceLock.h"
#include "Host/Confinement.h"
#include "Host/ThreadTeam.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

using namespace tonno;

namespace {

/// A device that calls `report` before each load and launch: a sign of life
/// for whoever waits, who can then bound a single launch instead of a whole
/// session of them.
class ReportingDevice : public Device {
public:
  ReportingDevice(std::unique_ptr<Device> device, std::function<void()> report)
      : device(std::move(device)), report(std::move(report)) {}

  const DeviceDescription &description() const override {
    return device->description();
  }
  Result<DeviceMemory, Failure> allocate(size_t bytes) override {
    return device->allocate(bytes);
  }
  void release(DeviceMemory memory) override { device->release(memory); }
  bool guardsBlocks() const override { return device->guardsBlocks(); }
  Result<void, Failure> setWritable(DeviceMemory memory,
                                    bool isWritable) override {
    return device->setWritable(memory, isWritable);
  }
  Result<void, Failure> upload(DevicePointer to,
                               std::span<const std::byte> from) override {
    return device->upload(to, from);
  }
  Result<void, Failure> download(std::span<std::byte> to,
                                 DevicePointer from) override {
    return device->download(to, from);
  }
  const std::byte *view(DevicePointer pointer) const override {
    return device->view(pointer);
  }
  Result<std::unique_ptr<Executable>, Failure>
  load(const Artifact &artifact) override {
    report();
    return device->load(artifact);
  }
  Result<void, Failure>
  launch(Executable &executable,
         std::span<const DevicePointer> buffers) override {
    report();
    return device->launch(executable, buffers);
  }
  Result<double, Failure>
  time(Executable &executable,
       std::span<const std::vector<DevicePointer>> batch) override {
    report();
    return device->time(executable, batch);
  }
  Result<bool, Failure> flush() override { return device->flush(); }
  std::optional<StolenSeconds> stolenSeconds() override {
    return device->stolenSeconds();
  }
  double overheadSeconds() const override { return device->overheadSeconds(); }
  std::optional<DeviceCondition> condition() override {
    return device->condition();
  }
  bool isLost() const override { return device->isLost(); }

private:
  std::unique_ptr<Device> device;
  std::function<void()> report;
};

} // namespace

static Json errorReply(const Error &error) {
  return {{"error", error.message}};
}

/// Whether it runs anything on several threads.
static bool hasTeam(const RunRequest &request) {
  auto needsTeam = [](const Artifact &artifact) {
    return std::ranges::any_of(
        artifact.plan.launches,
        [](const Launch &launch) { return launch.threads > 1; });
  };
  return needsTeam(request.candidate) || needsTeam(request.baseline) ||
         std::ranges::any_of(request.finalists, needsTeam);
}

/// What it asks to be run; none where it asks for something else.
static std::optional<Result<RunRequest>> runRequest(const Json &message) {
  auto run = message.find("run");
  if (run == message.end())
    return std::nullopt;
  return decode<RunRequest>(*run);
}

static Json replyTo(Runner &runner, const Json &message,
                    const std::optional<Result<RunRequest>> &request) {
  if (message.contains("device")) {
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
    // What this process is short of, the next request would be, too.
    if (result.status == Status::lost)
      reply["ending"] = true;
    return reply;
  }
  return errorReply({"unknown request"});
}

/// What the process is short of once a candidate has taken it, the candidate
/// has lost.
static void blameForLoss(Json &reply) {
  auto result = decodeMember<RunResult>(reply, "result");
  if (!result || result->status != Status::lost)
    return;
  result->status = Status::fault;
  result->message = "leaves other descriptors or limits, as no kernel may: " +
                    result->message;
  reply["result"] = *result;
}

/// Often enough for any limit, seldom enough to cost nothing.
static constexpr double aliveSeconds = 0.1;

namespace {

/// Answers one request. Whoever asked takes only what names the request: a
/// candidate can write to the channel, but does not know that.
class Answerer {
public:
  Answerer(int channel, const Json &request) : channel(channel) {
    if (auto given = request.find("ticket"); given != request.end())
      ticket = *given;
  }

  [[nodiscard]] bool send(Json message) const {
    message["ticket"] = ticket;
    return writeFrame(channel, message).ok();
  }

private:
  int channel;
  Json ticket;
};

/// Locks whatever a request runs code on, where that is timed.
class RequestLock {
public:
  explicit RequestLock(std::function<void(const std::string &)> warn)
      : warn(std::move(warn)) {}

  using Taken = Result<std::optional<DeviceLock>, DeviceLockFailure>;

  /// Held until it is destroyed; none where the request needs none, or where
  /// nothing can be locked, which is said once. Fails if the wait has ended.
  Taken take(const Json &message, const Answerer &answerer, Runner &runner,
             const DeviceDescription &host) {
    bool opens = message.contains("open"), runs = message.contains("run");
    auto device = runner.device();
    if ((!opens && !runs) || !device)
      return noLock();
    // The reference runs there, unless it is one of OpenCL's kernels. A CPU is
    // the host, whoever drives it.
    bool isOpenCl = device->kind == openClTarget;
    if (isOpenCl ? device->chip == "cpu" : opens)
      return lock(host, answerer, message);
    if (device->kind != "sim")
      return lock(*device, answerer, message);
    return noLock();
  }

private:
  static Taken noLock() { return std::optional<DeviceLock>(); }

  /// Returns how often to show life while waiting: several times within the
  /// limit of a launch, where the request has one, else seldom, so as not to
  /// disturb who times.
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
      // Whoever asked may have gone; nobody else would end the waiting.
      if (!answerer.send({{"alive", true}, {"waiting", holder}}))
        std::_Exit(1);
    };
    wait.signSeconds = signSeconds(message);
    if (auto most = decodeMember<double>(message, "wait_seconds"))
      wait.mostSeconds = *most;
    auto held = DeviceLock::acquire(device, wait);
    // Signals that end this process from now on may be the candidate's.
    if (held && hasWaited && !answerer.send({{"alive", true}}))
      std::_Exit(1);
    if (held)
      return std::optional(std::move(*held));
    if (held.error().holder)
      return held.error();
    if (!std::exchange(hasWarned, true))
      warn(held.error().message + "; other tuners may disturb the times");
    return noLock();
  }

  std::function<void(const std::string &)> warn;
  bool hasWarned = false;
};

} // namespace

/// To a request that has waited for its device in vain.
static Json replyInUse(const Json &message, const std::string &holder) {
  std::string text = "the budget's seconds ended the wait for the device, on "
                     "which another process times: " +
                     holder;
  if (message.contains("open"))
    return errorReply({text});
  RunResult result;
  result.status = Status::contended;
  result.deviceHeld = true;
  result.message = std::move(text);
  return {{"result", result}};
}

int tonno::serveRunner(const ProtocolChannel &channel,
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
  tellHowCandidatesCrash();
  // A GPU's driver may have processes of its own.
  std::string kind = device->description().kind;
  bool runsHere = kind == "host" || kind == "sim";
  if (runsHere)
    confineToThisProcess();
  const Device &timed = *device; // owned by the runner
  DeviceDescription hostDescription = host->description();
  RequestLock requestLock(std::move(warn));
  LocalRunner runner(
      std::make_unique<ReportingDevice>(std::move(device), tellAlive),
      std::make_unique<ReportingDevice>(std::move(host), tellAlive),
      [&](size_t entrant) {
        (void)current->send({{"alive", true}, {"entrant", entrant}});
      });
  for (;;) {
    auto message = readFrame(channel.input);
    if (!message)
      return message.error() == FrameFailure::closed ? 0 : 1;
    Answerer answerer(channel.output, *message);
    current = &answerer;
    Json reply;
    bool leavesSomething = false;
    {
      auto lock = requestLock.take(*message, answerer, runner, hostDescription);
      if (!lock) {
        if (!answerer.send(replyInUse(*message, *lock.error().holder)))
          return 1;
        continue;
      }
      auto request = runRequest(*message);
      // It stays loaded, which is no candidate's doing. Where there is none,
      // the candidate is told.
      if (runsHere && request && *request && hasTeam(**request))
        (void)ThreadTeam::ofProcess();
      ProcessInventory before;
      reply = replyTo(runner, *message, request);
      ProcessInventory after;
      bool runsCandidate = runsHere && message->contains("run");
      leavesSomething = runsCandidate && !after.isStill(before);
      if (runsCandidate && !after.hasSameResources(before))
        blameForLoss(reply);
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
