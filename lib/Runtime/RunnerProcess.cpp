//===- RunnerProcess.cpp - A runner in a process of its own ---------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/RunnerProcess.h"

#include <algorithm>

using namespace tonno;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What the peer, whoever it is, says under this key; null if nothing.
static Json member(const Json &message, const char *key) {
  auto found = message.find(key);
  return found == message.end() ? Json() : *found;
}

Result<Json> RunnerProcess::ask(const Json &message, const char *answer) {
  if (!process) {
    auto child = Subprocess::spawn(command);
    if (!child)
      return child.error();
    process.emplace(std::move(*child));
  }
  auto failed = [&](const std::string &why) {
    process.reset();
    return Error{"the runner '" + command[0] + "' " + why};
  };
  if (auto sent = process->send(message); !sent)
    return failed("ended at once: " + process->terminate(/*closed=*/true));
  auto reply = process->receive(inSeconds(limitSeconds));
  if (!reply) {
    switch (reply.error()) {
    case FrameFailure::closed:
      return failed("ended: " + process->terminate(/*closed=*/true));
    case FrameFailure::timed_out:
      return failed("gave no answer within " +
                    std::to_string(static_cast<int>(limitSeconds)) + " s");
    case FrameFailure::malformed:
      return failed("does not speak tonno's protocol");
    }
  }
  if (auto error = decode<std::string>(member(*reply, "error")))
    return Error{*error};
  if (!reply->contains(answer))
    return failed("does not speak tonno's protocol");
  return reply->at(answer);
}

Result<DeviceDescription> RunnerProcess::device() {
  auto reply = ask({{"device", Json::object()}}, "device");
  if (!reply)
    return reply.error();
  auto description = decode<DeviceDescription>(*reply);
  if (!description)
    return Error{"'" + command[0] + "' is no tonno-runner: it answered " +
                 reply->dump()};
  return description;
}

Result<void> RunnerProcess::open(const RunnerSession &opened) {
  session = opened;
  longestRunSeconds = 0;
  return reopen();
}

Result<void> RunnerProcess::reopen() {
  auto begin = Clock::now();
  auto reply = ask({{"open", *session}}, "opened");
  if (!reply)
    return reply.error().prefixed("while running the reference");
  openSeconds = secondsSince(begin);
  return {};
}

/// The protocol's own work is known from what came back; a candidate may be 20
/// times slower than that before it counts as hanging.
double RunnerProcess::runLimit(const RunRequest &request) const {
  double limit = std::clamp(20 * longestRunSeconds + openSeconds, 5.0, 30.0);
  if (request.kind == RunRequest::Kind::compare)
    limit += 10 * session->protocol.testSeconds;
  return limit;
}

RunResult RunnerProcess::run(const RunRequest &request) {
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
    if (auto opened = reopen(); !opened)
      return ended(Status::lost,
                   "the runner can't be restarted: " + opened.error().message);
  begin = Clock::now();
  if (auto sent = process->send({{"run", request}}); !sent)
    return ended(Status::lost, "the runner went away: " +
                                   process->terminate(/*closed=*/true));
  double limit = runLimit(request);
  auto reply = process->receive(inSeconds(limit));
  if (!reply) {
    switch (reply.error()) {
    case FrameFailure::closed:
      return ended(Status::fault, "crashed while running: " +
                                      process->terminate(/*closed=*/true));
    case FrameFailure::timed_out:
      return ended(Status::hang, "did not end within " +
                                     std::to_string(static_cast<int>(limit)) +
                                     " s");
    case FrameFailure::malformed:
      return ended(Status::fault, "garbled the runner's answer");
    }
  }
  auto result = decode<RunResult>(member(*reply, "result"));
  if (!result)
    return ended(Status::lost,
                 "the runner's answer: " + result.error().message);
  longestRunSeconds = std::max(longestRunSeconds, result->seconds);
  return *result;
}
