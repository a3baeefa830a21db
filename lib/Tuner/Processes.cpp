//===- Processes of a tuning run ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/Processes.h"
#include "WorkerProcess.h"
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

std::vector<std::string> tonno::commandOr(std::vector<std::string> given,
                                          const std::string &tool) {
  if (given.empty())
    given.push_back(findTool(tool));
  return given;
}

std::vector<std::string>
tonno::workerCommandFor(const std::string &target, const std::string &device,
                        const std::vector<std::string> &worker,
                        const std::vector<std::string> &runner) {
  if (target != openClTarget)
    return commandOr(worker, "tonno-worker");
  // The driver that compiles is where the device is.
  auto command = runnerCommand(commandOr(runner, "tonno-runner"), device);
  command.push_back("--compile");
  return command;
}

std::vector<std::string>
tonno::withPlugins(const std::vector<std::string> &worker,
                   const std::vector<std::string> &dialects,
                   const std::vector<std::string> &passes) {
  std::vector<std::string> command = commandOr(worker, "tonno-worker");
  for (const std::string &plugin : dialects)
    command.push_back("--load-dialect-plugin=" + plugin);
  for (const std::string &plugin : passes)
    command.push_back("--load-pass-plugin=" + plugin);
  return command;
}

WorkerPool tonno::createWorkers(const TunerOptions &options) {
  auto command = workerCommandFor(options.target, options.device,
                                  options.workerCommand, options.runnerCommand);
  WorkerLimits limits;
  limits.startSeconds = options.startSeconds;
  std::vector<std::unique_ptr<Compiler>> workers;
  for (unsigned i = 0; i < options.jobs; ++i)
    workers.push_back(
        std::make_unique<WorkerProcess>(command, limits, options.interrupted));
  return WorkerPool(std::move(workers));
}

RunnerProcess tonno::createRunner(const TunerOptions &options,
                                  TuneObserver &observer) {
  RunnerLimits limits;
  limits.referenceSeconds = options.referenceSeconds;
  limits.startSeconds = options.startSeconds;
  return RunnerProcess(
      runnerCommand(commandOr(options.runnerCommand, "tonno-runner"),
                    options.device),
      limits, {options.interrupted, [&observer](const std::string &holder) {
                 observer.waiting(holder);
               }});
}

Result<DeviceDescription> tonno::findDevice(Runner &runner,
                                            const TunerOptions &options) {
  auto device = runner.device();
  if (device || options.interrupted())
    return device;
  Error error = device.error();
  if (!options.runnerCommand.empty())
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
  RunnerProcess runner = createRunner(options, nobody);
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
