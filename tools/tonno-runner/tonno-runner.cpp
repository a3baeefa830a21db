//===- tonno-runner.cpp - Verifies and times on one device ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/Subprocess.h"
#include "tonno/Core/Version.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/RunnerServer.h"

#include <cstdio>
#include <string_view>
#include <unistd.h>

static constexpr char help[] =
    "OVERVIEW: loads, verifies and times tonno's artifacts on one device\n"
    "\n"
    "USAGE: tonno-runner [--help] [--version]\n"
    "\n"
    "Started by tonno-tune, here or on another machine (--runner-command), it\n"
    "speaks a binary protocol on standard input and output, and ends with its\n"
    "input. It needs neither MLIR nor LLVM.\n";

int main(int argc, char **argv) {
  for (std::string_view argument :
       std::span(argv + 1, static_cast<size_t>(argc - 1))) {
    if (argument == "--help" || argument == "-h") {
      std::fputs(help, stdout);
      return 0;
    }
    if (argument == "--version") {
      std::printf("tonno-runner %s\n", std::string(tonno::version()).c_str());
      return 0;
    }
    std::fprintf(stderr, "tonno-runner: unknown argument '%s'; see --help\n",
                 argv[1]);
    return 2;
  }
  if (isatty(STDIN_FILENO)) {
    std::fputs("tonno-runner: is started by tonno-tune; see --help\n", stderr);
    return 2;
  }
  auto channel = tonno::claimProtocolChannel();
  if (!channel) {
    std::fprintf(stderr, "tonno-runner: %s\n", channel.error().message.c_str());
    return 1;
  }
  if (auto pinned = tonno::pinToTimingCore(); !pinned)
    std::fprintf(stderr, "tonno-runner: warning: %s; times will be less steady\n",
                 pinned.error().message.c_str());
  return tonno::serveRunner(*channel);
}
