//===- Processes of a tuning run ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_PROCESSES_H
#define TONNO_TUNER_PROCESSES_H

#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Session/WorkerPool.h"
#include "tonno/Tuner/TuneModule.h"
#include "tonno/Tuner/TuneRequest.h"
#include <string>
#include <vector>

namespace tonno {

/// Finds the program `name`: beside the file that contains this code (a tool,
/// or the plugin), else in the `bin` folder beside that file's folder, else by
/// PATH.
std::string findTool(const std::string &name);

/// Returns the command that the user gave, or else the tool of this name.
std::vector<std::string> commandOr(std::vector<std::string> given,
                                   const std::string &tool);

/// Returns the command that starts the worker of a target: `worker`, or else
/// tonno-worker; for OpenCL the runner, which knows the device's driver.
std::vector<std::string>
workerCommandFor(const std::string &target, const std::string &device,
                 const std::vector<std::string> &worker,
                 const std::vector<std::string> &runner);

/// Returns the command of a worker, by default tonno-worker, that loads
/// plugins.
std::vector<std::string> withPlugins(const std::vector<std::string> &worker,
                                     const std::vector<std::string> &dialects,
                                     const std::vector<std::string> &passes);

/// Creates `jobs` workers, by the command that the options name.
WorkerPool createWorkers(const TunerOptions &options);

/// Creates the runner of the options' device, which reports waits to the
/// observer.
RunnerProcess createRunner(const TunerOptions &options, TuneObserver &observer);

/// Returns the runner's description of the device. If there is no device, the
/// Error has a remedy.
Result<DeviceDescription> findDevice(Runner &runner,
                                     const TunerOptions &options);

/// Returns the chip to compile for: the options', or for a GPU with `native`,
/// that of the runner's device.
Result<std::string> findChip(const TunerOptions &options);

/// Returns the options of a request, with the chip to compile for.
Result<TunerOptions> resolveWithChip(const TuneRequest &request);

} // namespace tonno

#endif // TONNO_TUNER_PROCESSES_H
