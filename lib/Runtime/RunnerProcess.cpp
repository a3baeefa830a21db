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

Result<DeviceDescription> RunnerProcess::open(const RunnerSession &opened) {
  session = opened;
  return start();
}

Result<DeviceDescription> RunnerProcess::start() {
  process.reset();
  auto begin = Clock::now();
  auto child = Subprocess::spawn(command);
  if (!child)
    return child.error();
  process.emplace(std::move(*child));
  if (auto sent = process->send({{"open", *session}}); !sent) {
    std::string end = process->terminate(/*closed=*/true);
    process.reset();
    return Error{"the runner '" + command[0] + "' ended at once: " + end};
  }
  auto reply = process->receive(inSeconds(limitSeconds));
  if (!reply) {
    bool closed = reply.error() == FrameFailure::closed;
    std::string end = process->terminate(closed);
    process.reset();
    if (closed)
      return Error{"the reference or the runner '" + command[0] +
                   "' failed: " + end};
    if (reply.error() == FrameFailure::timed_out)
      return Error{"the reference did not end within " +
                   std::to_string(static_cast<int>(limitSeconds)) + " s"};
    return Error{"'" + command[0] + "' does not speak tonno's protocol"};
  }
  openSeconds = secondsSince(begin);
  if (reply->contains("error"))
    return Error{reply->at("error").get<std::string>()};
  return decode<DeviceDescription>(reply->value("device", Json()));
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
    if (auto started = start(); !started)
      return ended(Status::lost,
                   "the runner can't be restarted: " + started.error().message);
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
      return ended(Status::hang,
                   "did not end within " +
                       std::to_string(static_cast<int>(limit)) + " s");
    case FrameFailure::malformed:
      return ended(Status::fault, "garbled the runner's answer");
    }
  }
  auto result = decode<RunResult>(reply->value("result", Json()));
  if (!result)
    return ended(Status::lost,
                 "the runner's answer: " + result.error().message);
  longestRunSeconds = std::max(longestRunSeconds, result->seconds);
  return *result;
}
