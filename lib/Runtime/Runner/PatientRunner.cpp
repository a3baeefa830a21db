//===- Runner that waits and retries --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/PatientRunner.h"
#include "tonno/Engine/Budget.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace tonno;

/// Seconds before the second attempt and, by growth, further ones.
static constexpr double firstPause = 0.5, pauseGrowth = 4, longestPause = 8;
/// Seconds for which each attempt may still wait for the device; unless
/// WhenBusy is `wait`, also the longest wait for disturbances to end.
static constexpr double shortPatience = 2.5;
/// Seconds before attempts with one whose machine may come back.
static constexpr double outagePauses[] = {0.5, 2, 8};
/// After such long attempts, waiting more is of no use.
static constexpr double longAttempt = 30;

// Names in the order of the enumeration.
static constexpr std::array<std::string_view, 3> ways = {"wait", "measure",
                                                         "fail"};

std::string_view tonno::toString(WhenBusy way) {
  return ways[static_cast<size_t>(way)];
}

std::optional<WhenBusy> tonno::parseWhenBusy(std::string_view text) {
  const auto *found = std::ranges::find(ways, text);
  if (found == ways.end())
    return std::nullopt;
  return static_cast<WhenBusy>(found - ways.begin());
}

bool PatientRunner::pause(double seconds) const {
  constexpr double sliceSeconds = 0.1;
  auto slices = static_cast<int>(std::ceil(seconds / sliceSeconds));
  for (int i = 0; i < slices && !cancelled(); ++i)
    sleep(seconds / slices);
  return !cancelled();
}

bool PatientRunner::mayRetry(double begin, double pauseSeconds, double allowed,
                             double &waitSeconds) const {
  if ((steadySeconds() - begin) >= longAttempt || !pause(pauseSeconds))
    return false;
  waitSeconds = allowed - (steadySeconds() - begin);
  return waitSeconds > 0;
}

/// Returns true if other load disturbed the run. A device held by another
/// process is waited for elsewhere.
static bool isDisturbed(const RunResult &result) {
  return result.status == Status::contended && !result.deviceHeld;
}

Result<void> PatientRunner::open(const RunnerSession &session) {
  double begin = steadySeconds();
  std::string reference = session.problem.reference.hash();
  Result<void> opened = runner.open(session);
  RunnerSession next = session;
  for (double seconds : outagePauses) {
    if (opened || reference != openedReference ||
        !mayRetry(begin, seconds, session.waitSeconds, next.waitSeconds))
      break;
    opened = runner.open(next);
  }
  if (opened && reference != openedReference) {
    openedReference = std::move(reference);
    isAccepting = patience.whenBusy == WhenBusy::measure;
    secondsToWait = patience.seconds;
    hasReported = false;
  }
  return opened;
}

RunResult PatientRunner::attempt(const RunRequest &request) {
  if (!isAccepting)
    return runner.run(request);
  RunRequest accepting = request;
  accepting.acceptContended = true;
  return runner.run(accepting);
}

RunResult PatientRunner::runAlone(const RunRequest &request, double begin) {
  RunResult result = attempt(request);
  if (!isDisturbed(result))
    return result;
  RunRequest again = request;
  auto limitWait = [&] {
    again.waitSeconds =
        std::max(request.waitSeconds - (steadySeconds() - begin),
                 std::min(shortPatience, request.waitSeconds));
  };
  bool mayWait = patience.whenBusy == WhenBusy::wait;
  double briefly = shortPatience;
  double &left = mayWait ? secondsToWait : briefly;
  for (double next = firstPause; isDisturbed(result);
       next = std::min(pauseGrowth * next, longestPause)) {
    if (mayWait)
      left -= result.seconds;
    if (left <= 0) {
      if (!mayWait)
        break;
      isAccepting = true;
      patience.report(result.message +
                      "; measuring beside them from now on: the time that they "
                      "take is subtracted where it is known, and the decision "
                      "is marked as contended");
      limitWait();
      return attempt(again);
    }
    if (mayWait && !std::exchange(hasReported, true))
      patience.report(result.message + "; waiting for up to " +
                      std::to_string(std::lround(left)) + " s for them to end");
    double seconds = std::min(next, left);
    if (!pause(seconds))
      break;
    left -= seconds;
    limitWait();
    result = attempt(again);
  }
  return result;
}

RunResult PatientRunner::run(const RunRequest &request) {
  double begin = steadySeconds();
  RunResult result = runAlone(request, begin);
  if (result.status != Status::lost)
    return result;
  RunRequest next = request;
  for (double seconds : outagePauses) {
    if (result.status != Status::lost ||
        !mayRetry(begin, seconds, request.waitSeconds, next.waitSeconds))
      break;
    result = attempt(next);
  }
  return result;
}
