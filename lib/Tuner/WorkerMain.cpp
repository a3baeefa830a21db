//===- The main function of a worker --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/WorkerMain.h"
#include "tonno/Core/Version.h"
#include "tonno/Process/Subprocess.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Tuner/Plugins.h"
#include "WorkerServer.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace tonno;

static constexpr char help[] =
    "OVERVIEW: compiles tonno's candidates\n"
    "\n"
    "USAGE: tonno-worker [--load-dialect-plugin=<file>]\n"
    "                    [--load-pass-plugin=<file>] [--avoid-core=<n>]...\n"
    "                    [--help] [--version]\n"
    "\n"
    "Started by tonno-tune (or by --worker-command), it exchanges\n"
    "binary frames on standard input and output, and ends with its input.\n";

static Result<int> parseCore(llvm::StringRef text) {
  int core = 0;
  if (text.getAsInteger(10, core) || core < 0)
    return Error{"'" + text.str() + "' is not the number of a core"};
  return core;
}

static Result<void> take(llvm::StringRef argument,
                         mlir::DialectRegistry &registry) {
  if (argument.consume_front("--load-dialect-plugin="))
    return loadPlugins({argument.str()}, {}, registry);
  if (argument.consume_front("--load-pass-plugin="))
    return loadPlugins({}, {argument.str()}, registry);
  return Error{"unknown argument '" + argument.str() + "'; see '--help'"};
}

int tonno::workerMain(int argc, char **argv, mlir::DialectRegistry &registry,
                      uint32_t candidatesPerProcess) {
  registerPipelinePasses();
  std::vector<int> timingCores;
  for (llvm::StringRef argument : llvm::ArrayRef(argv, argc).drop_front()) {
    if (argument == "--help" || argument == "-h") {
      llvm::outs() << help;
      return 0;
    }
    if (argument == "--version") {
      llvm::outs() << "tonno-worker " << version()
                   << " (LLVM " LLVM_VERSION_STRING ")\n";
      return 0;
    }
    auto refuse = [&](const Error &error) {
      llvm::errs() << argv[0] << ": " << error.message << "\n";
      return 2;
    };
    if (argument.consume_front("--avoid-core=")) {
      auto core = parseCore(argument);
      if (!core)
        return refuse(core.error());
      timingCores.push_back(*core);
      continue;
    }
    if (auto loaded = take(argument, registry); !loaded)
      return refuse(loaded.error());
    candidatesPerProcess = 1;
  }
  if (::isatty(STDIN_FILENO)) {
    llvm::errs() << argv[0] << ": not started by tonno-tune; see '--help'\n";
    return 2;
  }
  auto channel = claimFrameChannel();
  if (!channel) {
    llvm::errs() << argv[0] << ": " << channel.error().message << "\n";
    return 1;
  }
  if (auto moved = avoidTimingCores(std::move(timingCores)); !moved)
    llvm::errs() << argv[0] << ": warning: " << moved.error().message
                 << "; compiling disturbs the times\n";
  registerBackendDialects(registry);
  CompileLimits limits;
  limits.candidatesPerProcess = candidatesPerProcess;
  return serveWorker(*channel, registry, createBackend, limits);
}
