//===- Reproduce.cpp - Has a failure again --------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/Reproduce.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/ToolPath.h"
#include "tonno/Tuner/WorkerProcess.h"

using namespace tonno;

static Result<Failure> compileAgain(const Reproduction &reproduction,
                                    const std::vector<std::string> &command) {
  WorkerProcess compiler(commandOr(command, "tonno-worker"));
  if (auto opened = compiler.open(reproduction.source); !opened)
    return Error{opened.error().text()};
  compiler.submit(reproduction.values);
  Compilation compilation = compiler.next();
  return Failure{compilation.status, std::move(compilation.message)};
}

static Result<Failure> runAgain(const Reproduction &reproduction,
                                const std::vector<std::string> &command) {
  RunnerProcess runner(runnerCommand(command, reproduction.device));
  if (auto opened = runner.open(*reproduction.runner); !opened)
    return opened.error();
  RunResult result = runner.run(*reproduction.request);
  return Failure{result.status, std::move(result.message)};
}

Result<Failure>
tonno::reproduce(const Reproduction &reproduction,
                 const std::vector<std::string> &workerCommand,
                 const std::vector<std::string> &runnerCommand) {
  return reproduction.request ? runAgain(reproduction, runnerCommand)
                              : compileAgain(reproduction, workerCommand);
}
