//===- Processes of a tuning run ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_PROCESSES_H
#define TONNO_TUNER_PROCESSES_H

#include "tonno/Engine/RunnerPool.h"
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

/// Returns the first command that the user gave, or else the tool of this name.
Command firstOr(const std::vector<Command> &given, const std::string &tool);

/// Returns the commands that start the workers of a target: `workers`, or else
/// tonno-worker; for OpenCL the runner, which knows the device's driver.
std::vector<Command> workerCommandsFor(const std::string &target,
                                       const std::string &device,
                                       const std::vector<Command> &workers,
                                       const std::vector<Command> &runners);

/// Returns commands of workers, by default tonno-worker, that load plugins.
std::vector<Command> withPlugins(std::vector<Command> workers,
                                 const std::vector<std::string> &dialects,
                                 const std::vector<std::string> &passes);

/// Creates `jobs` workers, by the options' commands in turn, and reports those
/// that are left out to the observer.
WorkerPool createWorkers(const TunerOptions &options, TuneObserver &observer);

/// Returns the options' patience, which is reported to the observer, by `calls`
/// if the runner is used in another thread.
Patience makePatience(const TunerOptions &options, TuneObserver &observer,
                      std::shared_ptr<CallQueue> calls);

/// Creates the runner of the options' first device, which reports waits to the
/// observer, by `calls` if it is used in another thread.
RunnerProcess
createRunner(const TunerOptions &options, TuneObserver &observer,
             std::shared_ptr<CallQueue> calls = std::make_shared<CallQueue>());

/// Creates the runners of all devices, which report waits to the observer and
/// ask again where others disturb their times.
RunnerPool createRunners(const TunerOptions &options, TuneObserver &observer);

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
