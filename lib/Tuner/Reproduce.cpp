//===- Reproduces a failure -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/Reproduce.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Tuner/Processes.h"
#include "OwnDirectory.h"
#include "WorkerProcess.h"

#include <optional>
#include <utility>

using namespace tonno;

static Result<Compilation>
compileAgain(const Reproduction &reproduction,
             const ReproductionProcesses &processes) {
  WorkerLimits limits;
  limits.startSeconds = processes.startSeconds;
  auto commands =
      workerCommandsFor(reproduction.source.target, reproduction.device,
                        processes.workers, processes.runners);
  WorkerProcess compiler(commands.front(), limits, processes.interrupted);
  if (auto opened = compiler.open(reproduction.source); !opened)
    return Error{opened.error().text()};
  compiler.submit(reproduction.values);
  return compiler.next();
}

static Result<Failure> runAgain(Reproduction reproduction,
                                const ReproductionProcesses &processes) {
  std::optional<OwnDirectory> inputs;
  if (!reproduction.files.empty()) {
    auto made = TONNO_TRY(OwnDirectory::create());
    inputs.emplace(std::move(made));
    TONNO_TRY(extractFiles(reproduction, inputs->path));
  }
  RunnerLimits limits;
  limits.startSeconds = processes.startSeconds;
  limits.referenceSeconds = reproduction.referenceSeconds;
  RunnerProcess::Listener listener;
  listener.cancelled = processes.interrupted;
  listener.waiting = processes.waiting;
  RunnerProcess runner(runnerCommand(firstOr(processes.runners, "tonno-runner"),
                                     reproduction.device),
                       limits, listener);
  TONNO_TRY(runner.open(*reproduction.runner));
  RunResult result = runner.run(*reproduction.request);
  return Failure{result.status, std::move(result.message)};
}

Result<Failure> tonno::reproduce(const Reproduction &reproduction,
                                 const ReproductionProcesses &processes) {
  bool isBinary =
      reproduction.request && !reproduction.request->candidate.binary.empty();
  if (isBinary)
    return runAgain(reproduction, processes);
  auto compiled = TONNO_TRY(compileAgain(reproduction, processes));
  if (!reproduction.request || !compiled.artifact)
    return Failure{compiled.status, std::move(compiled.message)};
  Reproduction whole = reproduction;
  whole.request->candidate = *compiled.artifact;
  if (whole.request->baseline.binary.empty())
    whole.request->baseline = *std::move(compiled.artifact);
  return runAgain(std::move(whole), processes);
}
