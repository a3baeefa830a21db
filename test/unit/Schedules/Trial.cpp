//===- Trial of a mutant --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Trial.h"

#include <array>
#include <functional>
#include <optional>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;

/// Processor time of a mutant that does not end. Wall-clock time would also
/// limit all others on a busy machine.
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

/// Runs the function in a child process and returns its result; nothing if the
/// process fails.
static std::optional<std::string>
runApart(const std::function<std::string()> &function) {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0)
    return std::nullopt;
  pid_t child = fork();
  if (child == 0) {
    rlimit processor = {secondsToRun, secondsToRun};
    setrlimit(RLIMIT_CPU, &processor);
    alarm(30 * secondsToRun); // for what sleeps
    std::string message = function();
    ssize_t written = write(ends[1], message.data(), message.size());
    _exit(written == static_cast<ssize_t>(message.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string message = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? std::optional(message) : std::nullopt;
}

Outcome tonno::tryMutant(Workbench &workbench, const std::string &text,
                         const std::string &chip,
                         const Workbench::Lowered &lowered,
                         const Mutation &mutation,
                         const std::vector<uint64_t> &seeds) {
  auto message = runApart([&] {
    Workbench::Lowered mutant = lowered.clone();
    mutation.apply(mutant);
    Outcome outcome = run(workbench, text, chip, std::move(mutant), seeds);
    return std::to_string(outcome.seed) + " " + outcome.status;
  });
  size_t space = message ? message->find(' ') : std::string::npos;
  if (space == std::string::npos)
    return {"ended"};
  return {message->substr(space + 1), std::stoull(message->substr(0, space))};
}

std::vector<std::string> tonno::tryEdit(Workbench &workbench,
                                        const std::string &text,
                                        const std::string &chip,
                                        const Workbench::Edit &edit,
                                        const std::vector<uint64_t> &seeds) {
  auto tryAll = [&](const std::vector<uint64_t> &chosen) {
    return runApart([&]() -> std::string {
      auto lowered = workbench.lower(text, chip, edit);
      if (!lowered)
        return "not lowered: " + lowered.error().message;
      auto artifact = workbench.emit(std::move(*lowered), chip);
      if (!artifact)
        return "not compiled: " + artifact.error().message;
      std::string statuses;
      for (uint64_t seed : chosen) {
        auto verified = workbench.verify(text, *artifact, {seed});
        statuses += (statuses.empty() ? "" : "\n") +
                    (verified ? std::string("ok")
                              : std::string(toString(verified.error().status)));
      }
      return statuses;
    });
  };
  std::vector<std::string> statuses;
  auto message = tryAll(seeds);
  if (!message) {
    for (uint64_t seed : seeds)
      statuses.push_back(tryAll({seed}).value_or("ended"));
    return statuses;
  }
  std::istringstream lines(*message);
  for (std::string line; std::getline(lines, line);)
    statuses.push_back(line);
  return statuses;
}
