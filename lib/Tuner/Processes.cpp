//===- Processes of a tuning run ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/Processes.h"
#include "WorkerProcess.h"

#include "llvm/ADT/StringExtras.h"
#include <atomic>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace tonno;

/// Returns the tool, plugin or library that this function was linked into.
static fs::path ownFile() {
  std::error_code ignored;
  fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  Dl_info info;
  // The loader knows the main program only by the name in argv[0].
  if (::dladdr(reinterpret_cast<void *>(&ownFile), &info) && info.dli_fname)
    if (fs::path file = fs::canonical(info.dli_fname, ignored); !ignored)
      return file;
  return self;
}

std::string tonno::findTool(const std::string &name) {
  // bin/tonno-tune, lib/TonnoPlugin.so, or lib/tonno/libtonno.so
  fs::path folder = ownFile().parent_path();
  fs::path above = folder.parent_path();
  for (const fs::path &candidate : {folder / name, above / "bin" / name,
                                    above.parent_path() / "bin" / name})
    if (::access(candidate.c_str(), X_OK) == 0)
      return candidate.string();
  return name;
}

Command tonno::firstOr(const std::vector<Command> &given,
                       const std::string &tool) {
  return given.empty() ? Command{findTool(tool)} : given.front();
}

std::vector<Command>
tonno::workerCommandsFor(const std::string &target, const std::string &device,
                         const std::vector<Command> &workers,
                         const std::vector<Command> &runners) {
  if (target != openClTarget)
    return workers.empty() ? std::vector<Command>{{findTool("tonno-worker")}}
                           : workers;
  // The driver that compiles is where the device is.
  auto command = runnerCommand(firstOr(runners, "tonno-runner"), device);
  command.push_back("--compile");
  return {std::move(command)};
}

std::vector<Command>
tonno::withPlugins(std::vector<Command> workers,
                   const std::vector<std::string> &dialects,
                   const std::vector<std::string> &passes) {
  if (workers.empty())
    workers.push_back({findTool("tonno-worker")});
  for (Command &command : workers) {
    for (const std::string &plugin : dialects)
      command.push_back("--load-dialect-plugin=" + plugin);
    for (const std::string &plugin : passes)
      command.push_back("--load-pass-plugin=" + plugin);
  }
  return workers;
}

WorkerPool tonno::createWorkers(const TunerOptions &options,
                                TuneObserver &observer) {
  auto commands =
      workerCommandsFor(options.target, options.device(),
                        options.workerCommands, options.runnerCommands);
  // Where each command is on another machine, this does no harm.
  for (llvm::StringRef device : options.devices)
    if (options.target != openClTarget && device.consume_front("host:"))
      for (Command &command : commands)
        command.push_back("--avoid-core=" + device.str());
  WorkerLimits limits;
  limits.startSeconds = options.startSeconds;
  auto isAbandoned = std::make_shared<std::atomic<bool>>(false);
  Cancelled cancelled = [isAbandoned, interrupted = options.interrupted] {
    return *isAbandoned || (interrupted && interrupted());
  };
  size_t jobs = std::max<size_t>(options.jobs, commands.size());
  std::vector<std::unique_ptr<Compiler>> workers;
  for (size_t i = 0; i < jobs; ++i)
    workers.push_back(std::make_unique<WorkerProcess>(
        commands[i % commands.size()], limits, cancelled));
  WorkerPool::Callbacks callbacks;
  callbacks.warn = [&observer](const std::string &text) {
    observer.warn(text);
  };
  callbacks.abandon = [isAbandoned](bool isTrue) { *isAbandoned = isTrue; };
  if (options.interrupted)
    callbacks.interrupted = options.interrupted;
  return WorkerPool(std::move(workers), std::move(callbacks));
}

static RunnerLimits getRunnerLimits(const TunerOptions &options) {
  RunnerLimits limits;
  limits.referenceSeconds = options.referenceSeconds;
  limits.startSeconds = options.startSeconds;
  return limits;
}

Patience tonno::makePatience(const TunerOptions &options,
                             TuneObserver &observer,
                             std::shared_ptr<CallQueue> calls) {
  Patience patience =
      makePatience(options.whenBusy, options.effort.budget, observer);
  patience.report = [calls = std::move(calls),
                     report = patience.report](const std::string &text) {
    calls->call([report, text] { report(text); });
  };
  return patience;
}

RunnerProcess tonno::createRunner(const TunerOptions &options,
                                  TuneObserver &observer,
                                  std::shared_ptr<CallQueue> calls) {
  return RunnerProcess(
      runnerCommand(firstOr(options.runnerCommands, "tonno-runner"),
                    options.device()),
      getRunnerLimits(options),
      {options.interrupted,
       [&observer, calls = std::move(calls)](const std::string &holder) {
         calls->call([&observer, holder] { observer.waiting(holder); });
       }});
}

/// Returns a command as users know it; of one word, its file name.
static std::string nameCommand(const Command &command) {
  return command.size() == 1
             ? std::filesystem::path(command.front()).filename().string()
             : llvm::join(command, " ");
}

/// Returns what users know a runner by: "cuda:1", or its command where several
/// machines have one device each.
static std::string nameRunner(const TunerOptions &options, size_t index) {
  size_t commands = options.runnerCommands.size();
  std::string command =
      commands > 1 ? nameCommand(options.runnerCommands[index]) : "";
  if (options.devices.size() == 1 && commands > 1)
    return command;
  return options.devices[index] +
         (command.empty() ? "" : " of '" + command + "'");
}

RunnerPool tonno::createRunners(const TunerOptions &options,
                                TuneObserver &observer) {
  auto calls = std::make_shared<CallQueue>();
  Patience patience = makePatience(options, observer, calls);
  RunnerProcess::Listener listener = {
      options.interrupted, [calls, &observer](const std::string &holder) {
        // References of the pool's own runners take turns on the host.
        if (!isStartedByThis(holder))
          calls->call([&observer, holder] { observer.waiting(holder); });
      }};
  size_t count =
      std::max(options.devices.size(), options.runnerCommands.size());
  std::vector<RunnerPool::Device> devices;
  for (size_t i = 0; i < count; ++i) {
    Command command = options.runnerCommands.size() > 1
                          ? options.runnerCommands[i]
                          : firstOr(options.runnerCommands, "tonno-runner");
    const std::string &device =
        options.devices.size() > 1 ? options.devices[i] : options.device();
    devices.push_back(
        {std::make_unique<PatientProcess>(
             RunnerProcess(runnerCommand(std::move(command), device),
                           getRunnerLimits(options), listener),
             patience, options.interrupted),
         nameRunner(options, i)});
  }
  return RunnerPool(
      std::move(devices),
      [&observer](const std::string &message) { observer.warn(message); },
      options.interrupted, std::move(calls));
}

Result<DeviceDescription> tonno::findDevice(Runner &runner,
                                            const TunerOptions &options) {
  auto device = runner.device();
  if (device || options.interrupted())
    return device;
  Error error = device.error();
  if (!options.runnerCommands.empty())
    error.message += "; set the command that starts it by '--runner-command'";
  if (options.target == "nvptx" || options.target == "amdgpu")
    error.message += "; without the GPU, '--compile-only' compiles candidates, "
                     "'--device=sim' verifies them, and '--bundle' writes them "
                     "for another machine";
  return error;
}

Result<std::string> tonno::findChip(const TunerOptions &options) {
  bool isGpu = options.target == "nvptx" || options.target == "amdgpu";
  if (options.chip != "native" || !isGpu)
    return options.chip;
  if (options.results && !options.results->kernels.empty())
    return options.results->kernels.front().identity.chip;
  if (options.compileOnly || options.isSimulated())
    return Error{"'--target=" + options.target +
                 "' needs a GPU to compile for; name it by '--chip', such as " +
                 (options.target == "nvptx" ? "sm_90" : "gfx942")};
  TuneObserver nobody;
  RunnerPool runner = createRunners(options, nobody);
  auto device = findDevice(runner, options);
  if (!device)
    return device.error();
  if (device->chip.empty())
    return Error{"the device " + device->name +
                 " does not report its chip; name it by '--chip'"};
  return device->chip;
}

Result<TunerOptions> tonno::resolveWithChip(const TuneRequest &request) {
  auto options = TONNO_TRY(request.resolve());
  options.chip = TONNO_TRY(findChip(options));
  return options;
}
