//===- PatientRunner.cpp - A runner that tries again ----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/PatientRunner.h"

#include <chrono>
#include <thread>

using namespace tonno;

/// Seconds before each further attempt: what others do is often short.
static constexpr double pauses[] = {0.5, 2};

void PatientRunner::sleepSeconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

RunResult PatientRunner::run(const RunRequest &request) {
  RunResult result = runner.run(request);
  for (double pause : pauses) {
    if (result.status != Status::contended)
      break;
    sleep(pause);
    result = runner.run(request);
  }
  return result;
}
