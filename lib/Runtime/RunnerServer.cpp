//===- RunnerServer.cpp - The runner's end of the protocol ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/RunnerServer.h"
#include "tonno/Core/Frame.h"
#include "tonno/Runtime/ReportingDevice.h"
#include "tonno/Runtime/Runner.h"

using namespace tonno;

static Json errorReply(const Error &error) {
  return {{"error", error.message}};
}

static Json replyTo(Runner &runner, const Json &message) {
  if (message.contains("device")) {
    auto device = runner.device();
    return device ? Json{{"device", *device}} : errorReply(device.error());
  }
  if (auto open = message.find("open"); open != message.end()) {
    auto session = decode<RunnerSession>(*open);
    if (!session)
      return errorReply(session.error());
    auto opened = runner.open(*session);
    return opened ? Json{{"opened", true}} : errorReply(opened.error());
  }
  if (auto run = message.find("run"); run != message.end()) {
    auto request = decode<RunRequest>(*run);
    if (!request)
      return errorReply(request.error());
    return {{"result", runner.run(*request)}};
  }
  return errorReply({"unknown request"});
}

/// Often enough for any limit, seldom enough to cost nothing.
static constexpr double aliveSeconds = 0.1;

int tonno::serveRunner(int channel, std::unique_ptr<Device> device,
                       std::unique_ptr<Device> host) {
  Deadline nextSign = Clock::now();
  auto tellAlive = [&] {
    if (Clock::now() < nextSign)
      return;
    nextSign = inSeconds(aliveSeconds);
    // A peer that has gone is noticed when the answer is sent.
    (void)writeFrame(channel, {{"alive", true}}).ok();
  };
  const Device &timed = *device; // owned by the runner
  LocalRunner runner(
      std::make_unique<ReportingDevice>(std::move(device), tellAlive),
      std::make_unique<ReportingDevice>(std::move(host), tellAlive));
  for (;;) {
    auto message = readFrame(channel);
    if (!message)
      return message.error() == FrameFailure::closed ? 0 : 1;
    Json reply = replyTo(runner, *message);
    if (timed.isLost())
      reply["ending"] = true;
    if (!writeFrame(channel, reply) || timed.isLost())
      return 1;
  }
}
