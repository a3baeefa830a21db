//===- A runner with retries ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_PATIENTRUNNER_H
#define TONNO_RUNTIME_PATIENTRUNNER_H

#include "tonno/Engine/Runner.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>

namespace tonno {

/// Policy while other processes use the device.
enum class WhenBusy {
  wait,    ///< for them to end, for a while; then measure
  measure, ///< beside them: see RunRequest::acceptContended
  fail,    ///< after some seconds: a Failure `contended`
};

std::string_view toString(WhenBusy way);
std::optional<WhenBusy> parseWhenBusy(std::string_view text);

struct Patience {
  WhenBusy whenBusy = WhenBusy::fail;
  double seconds = 0; ///< to wait in all for one problem, if it waits
  std::function<void(const std::string &)> report = [](const std::string &) {};
};

/// Asks a runner again where others disturbed its times, or it went away.
class PatientRunner : public Runner {
public:
  /// Waits no longer, and asks no more, once `cancelled` says so.
  explicit PatientRunner(
      Runner &runner, Patience patience = {},
      std::function<bool()> cancelled = [] { return false; },
      std::function<void(double)> sleep =
          [](double seconds) {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
          })
      : runner(runner), patience(std::move(patience)),
        cancelled(std::move(cancelled)), sleep(std::move(sleep)) {}

  Result<DeviceDescription> device() override { return runner.device(); }
  /// Retries only a problem that was opened before.
  Result<void> open(const RunnerSession &session) override;
  RunResult run(const RunRequest &request) override;

private:
  RunResult attempt(const RunRequest &request);
  /// Retries while other processes disturb the timing, within the patience.
  /// `begin` is a time of steadySeconds.
  RunResult runAlone(const RunRequest &request, double begin);

  /// Pauses before attempts that began at `begin` are repeated, and sets how
  /// long the next may wait for the device. Returns false if the limit is
  /// reached, or waiting is of no use.
  bool mayRetry(double begin, double pauseSeconds, double allowed,
                double &waitSeconds) const;
  /// Ends early if it is cancelled; false then.
  bool pause(double seconds) const;

  Runner &runner;
  Patience patience;
  std::function<bool()> cancelled;
  std::function<void(double)> sleep;
  std::string openedReference; ///< hash of the last problem's
  bool isAccepting = false;    ///< what is timed while others use the device
  double secondsToWait = 0;    ///< for others, of what this problem has
  bool hasReported = false;
};

} // namespace tonno

#endif // TONNO_RUNTIME_PATIENTRUNNER_H
