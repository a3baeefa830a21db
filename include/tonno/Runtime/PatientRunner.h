//===- A runner that tries again ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_PATIENTRUNNER_H
#define TONNO_RUNTIME_PATIENTRUNNER_H

#include "tonno/Engine/Runner.h"

#include <functional>
#include <optional>
#include <string_view>

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
  std::function<void(const std::string &)> tell = [](const std::string &) {};
};

/// Asks a runner again, a little later, where others disturbed what it timed,
/// or where it went away: outages are often short.
class PatientRunner : public Runner {
public:
  /// Waits no longer, and asks no more, once `cancelled` says so.
  explicit PatientRunner(
      Runner &runner, Patience patience = {},
      std::function<bool()> cancelled = [] { return false; },
      std::function<void(double)> sleep = sleepSeconds)
      : runner(runner), patience(std::move(patience)),
        cancelled(std::move(cancelled)), sleep(std::move(sleep)) {}

  Result<DeviceDescription> device() override { return runner.device(); }
  /// Again only for a problem that could be opened before: of what can't be at
  /// all, its user hears at once.
  Result<void> open(const RunnerSession &session) override;
  RunResult run(const RunRequest &request) override;

private:
  static void sleepSeconds(double seconds);

  class Attempts;

  RunResult attempt(const RunRequest &request);
  /// Again while others disturb what is timed, as far as there is patience. A
  /// device that another process holds was waited for: that is the result.
  RunResult runAlone(const RunRequest &request, const Attempts &attempts);

  /// Ends early if it is cancelled; false then.
  bool pause(double seconds) const;

  Runner &runner;
  Patience patience;
  std::function<bool()> cancelled;
  std::function<void(double)> sleep;
  std::string openedReference; ///< hash of the last problem's
  bool isAccepting = false;    ///< what is timed while others use the device
  double secondsToWait = 0;    ///< for others, of what this problem has
  bool hasTold = false;
};

} // namespace tonno

#endif // TONNO_RUNTIME_PATIENTRUNNER_H
