//===- tonno-tune reproduce -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "Terminal.h"

#include "tonno/Core/File.h"
#include "tonno/Core/Version.h"
#include "tonno/Session/Interrupt.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/Reproduce.h"

using namespace tonno;
namespace cl = llvm::cl;

ReproduceCommand::ReproduceCommand(OptionCategories &categories)
    : command("reproduce", "Reproduce a failure from the file that a session "
                           "left of it. Exit status: 0 if it happens again, 3 "
                           "if it does not, 1 if that can't be found out"),
      file(cl::Positional, cl::Required, cl::desc("<file>"), cl::sub(command),
           cl::cat(categories[OptionGroup::input])),
      attempts("attempts",
               cl::desc("Most runs until the failure happens; 1 by default"),
               cl::value_desc("n"), cl::init(1), cl::sub(command),
               cl::cat(categories[OptionGroup::verification])),
      processOptions(categories, processFlags, command) {
  categories.hideUnrelatedOptions(command);
}

static Result<Reproduction> read(const std::string &path) {
  auto bytes = TONNO_TRY(readNamedFile(path));
  auto reproduction = decodeReproduction(bytes);
  if (!reproduction)
    return reproduction.error().prefixed(path);
  return reproduction;
}

static void print(llvm::StringRef when, const Failure &failure) {
  answers() << "  " << when << toString(failure.status)
            << (failure.message.empty() ? "" : ": ") << failure.message << "\n";
  answers().flush();
}

int ReproduceCommand::run() const {
  auto request = processOptions.request();
  if (!request)
    return fail(request.error().message);
  auto reproduction = read(file);
  if (!reproduction)
    return fail(reproduction.error().message);
  answers() << "@" << reproduction->kernel << " "
            << printed(reproduction->values) << ", "
            << (reproduction->request
                    ? "run on " + reproduction->device
                    : "compiled for " + reproduction->source.chip)
            << " by " << reproduction->versions << "\n";
  auto workers = splitCommands("worker-command", request->workerCommands);
  auto runners = splitCommands("runner-command", request->runnerCommands);
  if (!workers || !runners)
    return fail((workers ? runners : workers).error().message);
  InterruptScope interrupts;
  ReproductionProcesses processes = {
      withPlugins(std::move(*workers), request->dialectPlugins,
                  request->passPlugins),
      std::move(*runners), request->startSeconds.value_or(defaultStartSeconds),
      [] { return InterruptScope::received() != 0; },
      [](const std::string &holder) {
        messages()
            << "note: waiting for another process that times on the device: "
            << holder << "\n";
      }};
  print("then  ", {reproduction->status, reproduction->message});
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    auto now = reproduce(*reproduction, processes);
    if (int signal = InterruptScope::received())
      return 128 + signal;
    if (!now)
      return fail(now.error().message);
    print("now   ", *now);
    if (now->status == reproduction->status) {
      answers() << "the failure happens again\n";
      return 0;
    }
  }
  answers() << "the failure does not happen again\n";
  return 3;
}
