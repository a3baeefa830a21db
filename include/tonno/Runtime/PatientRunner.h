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

/// Asks a runner again, a little later, where others disturbed what it timed,
/// or where it went away: outages are often short.
class PatientRunner : public Runner {
public:
  /// Waits no longer, and asks no more, once `cancelled` says so.
  explicit PatientRunner(
      Runner &runner, std::function<bool()> cancelled = [] { return false; },
      std::function<void(double)> sleep = sleepSeconds)
      : runner(runner), cancelled(std::move(cancelled)),
        sleep(std::move(sleep)) {}

  Result<DeviceDescription> device() override { return runner.device(); }
  /// Again only for a problem that could be opened before: of what can't be at
  /// all, its user hears at once.
  Result<void> open(const RunnerSession &session) override;
  RunResult run(const RunRequest &request) override;

private:
  static void sleepSeconds(double seconds);

  /// Ends early if it is cancelled; false then.
  bool pause(double seconds) const;

  Runner &runner;
  std::function<bool()> cancelled;
  std::function<void(double)> sleep;
  std::string openedReference; ///< hash of the last problem's
};

} // namespace tonno

#endif // TONNO_RUNTIME_PATIENTRUNNER_H
