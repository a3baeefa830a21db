//===- Times local sizes and chooses one ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_TUNING_H
#define TONNO_WORKGROUPS_TUNING_H

#include "tonno/Engine/Frontend.h"
#include "tonno/WorkGroups/AutotuneResult.h"

#include <optional>
#include <vector>

namespace tonno {

/// What a device's clock says of one launch, in microseconds.
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

/// What is asked of a tuner.
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

/// A launch waits this much longer than the shortest wait, in microseconds,
/// only if somebody else's work is before it.
inline constexpr double idleWaitUs = 1000;
/// Of one candidate's runs on an idle device, the longest takes no more than so
/// many times the shortest and what launching takes.
inline constexpr double idleSpread = 2;
/// How often a candidate's runs are taken again if they were disturbed.
inline constexpr uint64_t retakes = 2;
/// The device is busy if more than this share of the candidates stayed
/// disturbed, or one of them is the best or might be without.
inline constexpr double busyShare = 0.125;

/// Drains the queue; runs each legal candidate once untimed, since the first
/// run may compile, and then `runs` times; takes those again that others
/// disturbed; chooses the least mean. Where the launch takes longer than the
/// kernel even then, that is a group of 64 if one is among the candidates. A
/// candidate that fails is skipped. Paired, the best stays the one that others
/// are compared with unless another is shown to be faster.
/// Holds `lock` while it launches. Once `interrupted` returns true, nothing
/// more is launched. An Error is a question that can't be asked, or a queue
/// that fails.
Result<AutotuneResult> tuneWorkGroups(
    const TuningQuestion &question, Launcher &launcher,
    const std::optional<FrontendLock> &lock = std::nullopt,
    std::function<bool()> interrupted = [] { return false; });

/// Returns the default local size for the question, and measures nothing: the
/// size that paired candidates are compared with. The Error is a question that
/// can't be asked, or that no candidate is legal for.
Result<AutotuneResult> takeDefaultSize(const TuningQuestion &question);

} // namespace tonno

#endif // TONNO_WORKGROUPS_TUNING_H
