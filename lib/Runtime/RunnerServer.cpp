//===- RunnerServer.cpp - The runner's end of the protocol ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/RunnerServer.h"
#include "tonno/Runtime/Runner.h"
#include "tonno/Core/Frame.h"

using namespace tonno;

int tonno::serveRunner(int channel) {
  LocalRunner runner;
  for (;;) {
    auto message = readFrame(channel);
    if (!message)
      return message.error() == FrameFailure::closed ? 0 : 1;
    Json reply;
    if (auto open = message->find("open"); open != message->end()) {
      auto session = decode<RunnerSession>(*open);
      auto device = session ? runner.open(*session)
                            : Result<DeviceDescription>(session.error());
      reply = device ? Json{{"device", *device}}
                     : Json{{"error", device.error().message}};
    } else if (auto run = message->find("run"); run != message->end()) {
      auto request = decode<RunRequest>(*run);
      if (!request)
        return 1;
      reply = {{"result", runner.run(*request)}};
    } else {
      return 1;
    }
    if (!writeFrame(channel, reply))
      return 1;
  }
}
