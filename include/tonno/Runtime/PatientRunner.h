//===- PatientRunner.h - A runner that tries again ------------ -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_PATIENTRUNNER_H
#define TONNO_RUNTIME_PATIENTRUNNER_H

#include "tonno/Runtime/Runner.h"

#include <functional>

namespace tonno {

/// Asks a runner again, a little later, where others disturbed what it timed.
class PatientRunner : public Runner {
public:
  explicit PatientRunner(Runner &runner,
                         std::function<void(double)> sleep = sleepSeconds)
      : runner(runner), sleep(std::move(sleep)) {}

  Result<DeviceDescription> device() override { return runner.device(); }
  Result<void> open(const RunnerSession &session) override {
    return runner.open(session);
  }
  RunResult run(const RunRequest &request) override;

private:
  static void sleepSeconds(double seconds);

  Runner &runner;
  std::function<void(double)> sleep;
};

} // namespace tonno

#endif // TONNO_RUNTIME_PATIENTRUNNER_H
