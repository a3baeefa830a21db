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

void PatientRunner::sleepSeconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

void PatientRunner::pause(double seconds) const {
  constexpr double sliceSeconds = 0.1;
  auto slices = static_cast<int>(std::ceil(seconds / sliceSeconds));
  for (int i = 0; i < slices && !cancelled(); ++i)
    sleep(seconds / slices);
}

RunResult PatientRunner::run(const RunRequest &request) {
  RunResult result = runner.run(request);
  for (double seconds : pauses) {
    if (result.status != Status::contended)
      break;
    pause(seconds);
    if (cancelled())
      break;
    result = runner.run(request);
  }
  return result;
}
