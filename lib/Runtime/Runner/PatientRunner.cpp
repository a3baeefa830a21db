//===- PatientRunner.cpp - A runner that tries again ----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/PatientRunner.h"

#include <chrono>
#include <cmath>
#include <thread>

using namespace tonno;

/// Seconds before each further attempt: what others do is often short.
static constexpr double pauses[] = {0.5, 2};
/// The same of one that went away, whose machine or network may come back.
static constexpr double outagePauses[] = {0.5, 2, 8};
/// If it takes longer than this to find out that it is away, waiting more is
/// of no use.
static constexpr double longAttempt = 30;

void PatientRunner::sleepSeconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

bool PatientRunner::pause(double seconds) const {
  constexpr double sliceSeconds = 0.1;
  auto slices = static_cast<int>(std::ceil(seconds / sliceSeconds));
  for (int i = 0; i < slices && !cancelled(); ++i)
    sleep(seconds / slices);
  return !cancelled();
}

namespace {

/// Whether attempts that fail still fail soon.
class Attempts {
public:
  bool areShort() const {
    return std::chrono::steady_clock::now() - begin <
           std::chrono::duration<double>(longAttempt);
  }

private:
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

} // namespace

Result<void> PatientRunner::open(const RunnerSession &session) {
  Attempts attempts;
  std::string reference = session.problem.reference.hash();
  Result<void> opened = runner.open(session);
  for (double seconds : outagePauses) {
    if (opened || reference != openedReference || !attempts.areShort() ||
        !pause(seconds))
      break;
    opened = runner.open(session);
  }
  if (opened)
    openedReference = std::move(reference);
  return opened;
}

RunResult PatientRunner::run(const RunRequest &request) {
  Attempts attempts;
  RunResult result = runner.run(request);
  for (double seconds : pauses) {
    if (result.status != Status::contended || !pause(seconds))
      break;
    result = runner.run(request);
  }
  for (double seconds : outagePauses) {
    if (result.status != Status::lost || !attempts.areShort() ||
        !pause(seconds))
      break;
    result = runner.run(request);
  }
  return result;
}
