//===- What becomes of a mutant -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Trial.h"

#include <array>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;

/// Of a mutant that runs and runs: on a processor, since on a busy machine all
/// others may take long, too.
static constexpr unsigned secondsToRun = 20;

static Outcome run(Workbench &workbench, const std::string &text,
                   const std::string &chip, Workbench::Lowered mutant,
                   const std::vector<uint64_t> &seeds) {
  auto artifact = workbench.emit(std::move(mutant), chip);
  if (!artifact)
    return {"not compiled: " + artifact.error().message};
  for (uint64_t seed : seeds)
    if (auto verified = workbench.verify(text, *artifact, {seed}); !verified)
      return {std::string(toString(verified.error().status)), seed};
  return {"ok"};
}

static std::string readAll(int descriptor) {
  std::string text;
  std::array<char, 256> buffer;
  while (true) {
    ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count <= 0)
      return text;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
}

Outcome tonno::tryMutant(Workbench &workbench, const std::string &text,
                         const std::string &chip,
                         const Workbench::Lowered &lowered,
                         const Mutation &mutation,
                         const std::vector<uint64_t> &seeds) {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0)
    return {"no pipe"};
  pid_t child = fork();
  if (child == 0) {
    rlimit processor = {secondsToRun, secondsToRun};
    setrlimit(RLIMIT_CPU, &processor);
    alarm(30 * secondsToRun); // for what sleeps
    Workbench::Lowered mutant = lowered.clone();
    mutation.apply(mutant);
    Outcome outcome = run(workbench, text, chip, std::move(mutant), seeds);
    std::string message = std::to_string(outcome.seed) + " " + outcome.status;
    ssize_t written = write(ends[1], message.data(), message.size());
    _exit(written == static_cast<ssize_t>(message.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string message = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  size_t space = message.find(' ');
  if (space == std::string::npos || status != 0)
    return {"ended"};
  return {message.substr(space + 1), std::stoull(message.substr(0, space))};
}
