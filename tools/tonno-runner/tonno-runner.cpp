//===- Verifies and times candidates on a device --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BundleCommand.h"

#include "tonno/Core/PrintableText.h"
#include "tonno/Core/Version.h"
#include "tonno/OpenClC/Worker/OpenClWorker.h"
#include "tonno/Process/ProgramStart.h"
#include "tonno/Process/Subprocess.h"
#include "tonno/Process/Supervisor.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/PrintedOutput.h"
#include "tonno/Runtime/RunnerProcess.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <getopt.h>
#include <map>
#include <optional>
#include <string>
#include <unistd.h>

static constexpr char help[] =
    "OVERVIEW: loads, verifies and times tonno's artifacts on one device\n"
    "\n"
    "USAGE: tonno-runner [options]\n"
    "       tonno-runner --bundle=FILE [options]\n"
    "\n"
    "  --device=NAME   the device to use: host (default); cuda or hip, the\n"
    "                  first one, or cuda:1, cuda:GPU-<uuid>, as\n"
    "                  --list-devices shows them; opencl, the first device\n"
    "                  of OpenCL's, or opencl:1; sim, which runs GPU code\n"
    "                  for the CPU and verifies it, but times none, or\n"
    "                  sim:7 with a seed\n"
    "  --driver=PATH   the GPU driver's library, instead of the system's\n"
    "                  libcuda.so.1 or libamdhip64.so, or OpenCL's loader,\n"
    "                  instead of libOpenCL.so.1\n"
    "  --compile       compile kernels in OpenCL C for tonno-tune, by their\n"
    "                  device's driver, and run none\n"
    "  --bundle=FILE   tune the kernels of a bundle, which tonno-tune\n"
    "                  --compile-only --bundle made on any machine; its\n"
    "                  candidates are all verified and timed, by default on\n"
    "                  the first device that runs their code\n"
    "  -o FILE         with --bundle: where the results go, for tonno-tune\n"
    "                  --results; - (default) is standard output\n"
    "  --failures=DIR  with --bundle: leave a file of each candidate that\n"
    "                  fails here, for tonno-tune reproduce\n"
    "  --budget-seconds=S\n"
    "                  with --bundle: stop each kernel after S seconds\n"
    "  --when-busy=wait|measure|fail\n"
    "                  with --bundle: while other processes use the device,\n"
    "                  wait (default) for at most a third of the budget, or\n"
    "                  ten minutes, then measure beside them\n"
    "  --reference-seconds=S\n"
    "                  with --bundle: what one run of the reference may take;\n"
    "                  300 by default\n"
    "  --start-seconds=S\n"
    "                  with --bundle: what the process that candidates run in\n"
    "                  may take until the device is ready; 30 by default\n"
    "  --list-devices  list the devices: name for --device, model, chip, "
    "UUID,\n"
    "                  memory\n"
    "  --help          this text\n"
    "  --version       the version\n"
    "\n"
    "GPUs are counted among those that CUDA_VISIBLE_DEVICES,\n"
    "HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES leave.\n"
    "\n"
    "Started by tonno-tune, here or on another machine (--runner-command), it\n"
    "exchanges binary frames on standard input and output, and ends with its\n"
    "input. It needs neither MLIR nor LLVM.\n";

namespace {
struct Options {
  std::string device;
  bool runsBundle = false;
  tonno::BundleCommand bundle;
  tonno::DeviceOptions drivers;
  bool listsDevices = false;
  bool compiles = false;
};
} // namespace

static void print(const std::string &text) {
  std::fprintf(stderr, "tonno-runner: %s\n", tonno::toPrintable(text).c_str());
}

/// Parses a positive number; returns 0 for other texts.
static double positiveNumber(std::string_view text) {
  double number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  bool isWhole = error == std::errc() && end == text.data() + text.size();
  return isWhole && std::isfinite(number) && number > 0 ? number : 0;
}

/// Parses the options; returns an exit status if there is nothing left to do.
static tonno::Result<Options, int> parse(int argc, char **argv) {
  static const option known[] = {
      {"device", required_argument, nullptr, 'd'},
      {"driver", required_argument, nullptr, 'r'},
      {"bundle", required_argument, nullptr, 'b'},
      {"failures", required_argument, nullptr, 'f'},
      {"budget-seconds", required_argument, nullptr, 's'},
      {"when-busy", required_argument, nullptr, 'w'},
      {"reference-seconds", required_argument, nullptr, 'e'},
      {"start-seconds", required_argument, nullptr, 't'},
      {"compile", no_argument, nullptr, 'c'},
      {"list-devices", no_argument, nullptr, 'l'},
      {"help", no_argument, nullptr, 'h'},
      {"version", no_argument, nullptr, 'v'},
      {}};
  Options options;
  tonno::BundleCommand &bundle = options.bundle;
  const std::map<int, std::string *> texts = {{'d', &options.device},
                                              {'r', &options.drivers.driver},
                                              {'b', &bundle.bundle},
                                              {'o', &bundle.output},
                                              {'f', &bundle.failures}};
  const std::map<int, double *> limits = {
      {'s', &bundle.seconds},
      {'e', &bundle.limits.referenceSeconds},
      {'t', &bundle.limits.startSeconds}};
  for (int chosen, index = 0;
       (chosen = getopt_long(argc, argv, "ho:", known, &index)) != -1;) {
    if (auto text = texts.find(chosen); text != texts.end()) {
      *text->second = optarg;
      options.runsBundle |= chosen == 'b';
    } else if (auto limit = limits.find(chosen); limit != limits.end()) {
      *limit->second = positiveNumber(optarg);
      if (*limit->second == 0) {
        print(std::string("'--") + known[index].name + "' must be more than 0");
        return 2;
      }
    } else if (chosen == 'w') {
      auto way = tonno::parseWhenBusy(optarg);
      if (!way) {
        print("'--when-busy' must be wait, measure or fail");
        return 2;
      }
      bundle.whenBusy = *way;
    } else if (chosen == 'c') {
      options.compiles = true;
    } else if (chosen == 'l') {
      options.listsDevices = true;
    } else if (chosen == 'h') {
      std::fputs(help, stdout);
      return 0;
    } else if (chosen == 'v') {
      std::printf("tonno-runner %s\n", std::string(tonno::version()).c_str());
      return 0;
    } else {
      std::fputs("see 'tonno-runner --help'\n", stderr);
      return 2;
    }
  }
  if (optind < argc) {
    print(std::string("unexpected argument '") + argv[optind] +
          "'; see 'tonno-runner --help'");
    return 2;
  }
  return options;
}

static std::string orDash(const std::string &text) {
  return text.empty() ? "-" : text;
}

/// Formats bytes of memory, "143 GiB".
static std::string formatMemory(uint64_t bytes) {
  if (bytes == 0)
    return "-";
  return std::to_string((bytes + (uint64_t(1) << 29)) >> 30) + " GiB";
}

/// Prints one line for each device; on standard error, the reason for each kind
/// without devices.
static int printDevices(const tonno::DeviceOptions &options) {
  for (const tonno::DeviceList &list : tonno::listDevices(options)) {
    if (!list.problem.empty())
      std::fprintf(stderr, "%s: %s\n", list.kind.c_str(), list.problem.c_str());
    for (size_t i = 0; i < list.devices.size(); ++i) {
      const tonno::DeviceDescription &about = list.devices[i];
      std::string name = list.kind;
      if (about.kind != "host" && about.kind != "sim") // there may be more
        name += ":" + std::to_string(i);
      std::printf("%s  %s  %s  %s  %s\n", name.c_str(), about.name.c_str(),
                  orDash(about.chip).c_str(), about.uuid.c_str(),
                  formatMemory(about.memoryBytes).c_str());
    }
  }
  return 0;
}

/// Returns true if candidates run in this process. A GPU's driver may start
/// processes, which do not count as the candidates'.
static bool runsCandidatesHere(const std::string &device) {
  return device.starts_with("host") || device.starts_with("sim");
}

/// Serves as the process in which OpenCL drivers compile, beside the one that
/// runs candidates.
static int serveCompiler(const Options &options) {
  auto channel = tonno::claimFrameChannel();
  if (!channel) {
    print(channel.error().message);
    return 1;
  }
  const std::string &device = options.device;
  size_t colon = std::min(device.find(':'), device.size());
  return tonno::serveOpenClWorker(
      *channel, device.substr(std::min(colon + 1, device.size())),
      options.drivers.driver);
}

static int serve(const Options &options) {
  pid_t starter = ::getppid();
  std::optional<tonno::PrintedOutput> printed;
  if (runsCandidatesHere(options.device)) {
    auto output = tonno::PrintedOutput::create();
    if (!output) {
      print(output.error().message);
      return 1;
    }
    printed.emplace(std::move(*output));
    auto supervised =
        tonno::continueSupervised([&printed] { printed->forward(); });
    if (!supervised) {
      print(supervised.error().message);
      return 1;
    }
    starter = *supervised;
  }
  auto channel = tonno::claimFrameChannel(starter);
  if (!channel) {
    print(channel.error().message);
    return 1;
  }
  auto device = tonno::createDevice(options.device, options.drivers);
  if (!device) {
    print(device.error().message);
    return 2;
  }
  const tonno::DeviceDescription &about = (*device)->description();
  auto pin = [&] {
    if (auto pinned = tonno::pinToTimingCore(about.core); !pinned)
      print("warning: " + pinned.error().message + "; times are less steady");
  };
  // The reference runs on all cores, before anything is timed; that of one core
  // on it, as others are timed on other cores.
  if (about.core)
    pin();
  auto host = tonno::HostDevice::create(tonno::HostThreads::onAllowedCores());
  if (!host) {
    print(host.error().message);
    return 2;
  }
  // A GPU is timed by its own clock, and its driver's threads need room.
  if (about.kind == "host" && !about.core)
    pin();
  return tonno::serveRunner(
      *channel, std::move(*device), std::move(*host),
      [](const std::string &text) { print("warning: " + text); },
      printed ? &*printed : nullptr);
}

int main(int argc, char **argv) {
  tonno::beginProgram();
  auto options = TONNO_TRY(parse(argc, argv));
  if (options.listsDevices)
    return printDevices(options.drivers);
  if (options.runsBundle) {
    options.bundle.device = options.device;
    options.bundle.driver = options.drivers.driver;
    return tonno::runBundle(options.bundle);
  }
  if (options.device.empty())
    options.device = "host";
  if (isatty(STDIN_FILENO)) {
    print("not started by tonno-tune; see 'tonno-runner --help'");
    return 2;
  }
  return options.compiles ? serveCompiler(options) : serve(options);
}
