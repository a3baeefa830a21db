//===- Tuning of local sizes ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_TUNING_H
#define TONNO_WORKGROUPS_TUNING_H

#include "tonno/Engine/Frontend.h"
#include "tonno/WorkGroups/AutotuneResult.h"

#include <optional>
#include <vector>

namespace tonno {

/// Times of one launch by the device's clock, in microseconds.
struct LaunchTimes {
  double waitUs = 0; ///< from its enqueueing to its start
  double runUs = 0;  ///< from its start to its end
};

/// A kernel with its arguments, on a queue.
class Launcher {
public:
  virtual ~Launcher() = default;

  /// Waits for all that was enqueued before.
  virtual Result<void> drain() = 0;
  /// Runs the kernel once and waits for it; afterwards buffers hold what they
  /// did before. The Error is the launch's.
  virtual Result<LaunchTimes> launch(const WorkSize &localSize) = 0;
};

/// The question to a tuner.
struct TuningQuestion {
  WorkSize globalSize;
  std::optional<std::vector<WorkSize>> candidates =
      {};            ///< none: the default ones
  uint64_t runs = 3; ///< timed ones of each candidate, behind the first
  /// Candidates are timed in pairs with the default, play finals and are
  /// tested, as by `tonno-tune`. The default is a group of 64 if it is among
  /// them, else the largest below 64, else the first.
  bool isPaired = false;
  WorkGroupLimits limits = {};

  std::vector<WorkSize> candidatesOrDefault() const;
};

/// Excess wait of a launch over the shortest wait, in microseconds, above which
/// other work must have been on the device.
inline constexpr double idleWaitUs = 1000;
/// Limits the spread of one candidate's runs on an idle device: the longest
/// takes at most this many times the sum of the shortest and the launch
/// overhead.
inline constexpr double idleSpread = 2;
/// The number of times that a candidate's disturbed runs are repeated.
inline constexpr uint64_t retakes = 2;
/// The device is busy if more than this share of the candidates stayed
/// disturbed, or one of them is the best or might be without.
inline constexpr double busyShare = 0.125;

/// Drains the queue; runs each legal candidate once untimed, since the first
/// run may compile, and then `runs` times; repeats disturbed runs; chooses the
/// least mean. If launching still takes longer than the kernel, chooses a group
/// of 64 if that is a candidate. Skips candidates that fail. If paired, the
/// incumbent is replaced only by a candidate shown to be faster.
///
/// Holds `lock` while launching. Stops launching once `interrupted` returns
/// true. Fails if the question is invalid or the queue fails.
Result<AutotuneResult> tuneWorkGroups(
    const TuningQuestion &question, Launcher &launcher,
    const std::optional<FrontendLock> &lock = std::nullopt,
    std::function<bool()> interrupted = [] { return false; });

/// Returns the default local size for the question, and measures nothing: the
/// size that paired candidates are compared with. The Error is a question that
/// can't be asked, or that no candidate is legal for.
Result<AutotuneResult> chooseDefaultSize(const TuningQuestion &question);

} // namespace tonno

#endif // TONNO_WORKGROUPS_TUNING_H
