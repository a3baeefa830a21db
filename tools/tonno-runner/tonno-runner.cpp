//===- tonno-runner.cpp - Verifies and times on one device ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/File.h"
#include "tonno/Core/Subprocess.h"
#include "tonno/Core/Version.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/RunnerServer.h"

#include <cstdio>
#include <getopt.h>
#include <string>
#include <unistd.h>

static constexpr char help[] =
    "OVERVIEW: loads, verifies and times tonno's artifacts on one device\n"
    "\n"
    "USAGE: tonno-runner [options]\n"
    "\n"
    "  --device=KIND  the device to use: host (default)\n"
    "  --help         this text\n"
    "  --version      the version\n"
    "\n"
    "Started by tonno-tune, here or on another machine (--runner-command), it\n"
    "speaks a binary protocol on standard input and output, and ends with its\n"
    "input. It needs neither MLIR nor LLVM.\n";

int main(int argc, char **argv) {
  tonno::openStandardDescriptors();
  static const option options[] = {{"device", required_argument, nullptr, 'd'},
                                   {"help", no_argument, nullptr, 'h'},
                                   {"version", no_argument, nullptr, 'v'},
                                   {}};
  std::string device = "host";
  for (int chosen;
       (chosen = getopt_long(argc, argv, "h", options, nullptr)) != -1;)
    switch (chosen) {
    case 'd':
      device = optarg;
      break;
    case 'h':
      std::fputs(help, stdout);
      return 0;
    case 'v':
      std::printf("tonno-runner %s\n", std::string(tonno::version()).c_str());
      return 0;
    default:
      std::fputs("See tonno-runner --help.\n", stderr);
      return 2;
    }
  if (optind < argc) {
    std::fprintf(stderr, "tonno-runner: takes no argument, but got '%s'\n",
                 argv[optind]);
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
    std::fprintf(stderr,
                 "tonno-runner: warning: %s; times will be less steady\n",
                 pinned.error().message.c_str());
  auto opened = tonno::createDevice(device);
  auto host = tonno::createDevice("host");
  for (const auto &each : {&opened, &host})
    if (!*each) {
      std::fprintf(stderr, "tonno-runner: %s\n", each->error().message.c_str());
      return 2;
    }
  return tonno::serveRunner(*channel, std::move(*opened), std::move(*host));
}
