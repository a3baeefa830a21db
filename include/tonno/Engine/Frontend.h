//===- Candidates built and timed in this process -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_FRONTEND_H
#define TONNO_ENGINE_FRONTEND_H

#include "tonno/Engine/TuningSession.h"
#include "tonno/Process/DeviceLock.h"
#include "tonno/Timing/Repeats.h"
#include "tonno/Timing/Unpaired.h"

#include <memory>
#include <span>

namespace tonno {

/// Samples of a trial: of the baseline, and of a candidate behind it.
class TrialSampler : public Sampler {
public:
  /// Launches the candidate for the first time and verifies its results.
  virtual Result<double, Failure> launchFirst() = 0;
  /// Verifies the results of the candidate's last sample.
  virtual Result<void, Failure> verifyLast() { return {}; }
  /// Returns true if others used the device while these samples of the
  /// candidate were taken; they are then taken again.
  virtual bool isDisturbed(std::span<const double> samples) { return false; }
};

/// The unit of samples, by which candidates are ranked; less is better.
enum class Objective {
  time,  ///< seconds
  value, ///< any finite number; see Search/ValueScale.h
};

EnumNames getEnumNames(Objective);
inline std::optional<Objective> parseObjective(std::string_view text) {
  return parseEnum<Objective>(text);
}

/// The policy by which candidates are timed and the best is chosen.
struct TimingPolicy {
  /// Pairs each candidate with the baseline, followed by finals and a test. If
  /// false, candidates are timed alone, and the least estimate is chosen.
  bool isPaired = true;
  ProtocolOptions paired = {};
  UnpairedOptions unpaired = {};
  /// Finals decide if estimates by `unpaired` overlap.
  std::optional<UnpairedFinalsOptions> unpairedFinals = {};
  /// Candidates measure themselves: the first sample alone is a trial, and
  /// `repeatBest` decides. In place of `unpaired`.
  std::optional<RepeatOptions> repeated = {};
};

/// Builds and times the candidates of one kernel in this process. No candidate
/// is kept from doing harm to it.
class Frontend {
public:
  virtual ~Frontend() = default;
  /// Builds several configurations at once. Returns for each its failure, or
  /// the text of its program. Configurations with equal programs are timed
  /// once, by a sampler of the first that was built. An empty text equals no
  /// other.
  virtual std::vector<Result<std::string, Failure>>
  build(std::span<const Configuration> configurations) = 0;
  /// Returns the policy; called after a build.
  virtual TimingPolicy policy() const = 0;
  /// Returns a sampler of configurations that were built. While it lives, they
  /// have the device.
  virtual Result<std::unique_ptr<TrialSampler>, Failure>
  sampler(std::span<const Configuration> entrants) = 0;
  /// Frees the build of a configuration that is not sampled any more. Called
  /// during unpaired finals for candidates that dropped out.
  virtual void release(const Configuration &configuration) {}
};

/// The lock under which a frontend's samples are taken.
struct FrontendLock {
  DeviceIdentity device;
  /// Reports, once for each wait, who has had the device for `toldSeconds`.
  std::function<void(const std::string &holder)> waiting;
  double toldSeconds = 10;
  /// Limits the wait for another thread of this process: what that thread times
  /// may need something timed itself. Then the session goes on, and warns.
  double threadSeconds = 60;
  /// Returns true if a frontend may time candidates while it builds them. Then
  /// the lock is held there, too.
  std::function<bool()> coversBuilding = [] { return false; };
};

/// Space, strategy and limits of the session of a frontend's kernel.
struct FrontendSession {
  const SearchSpace &space;
  SearchStrategy &strategy;
  TrialLog &log;
  Budget budget;
  uint64_t seed = 0; ///< of the rounds' order
  /// Candidates that are built at once.
  size_t batch = 1;
  /// Values need a policy that is `repeated`, and a strategy with a ValueScale.
  /// A measurement's ratio is then the value, and its seconds are of values.
  Objective objective = Objective::time;
  std::function<bool()> interrupted = [] { return false; };
  /// Returns true if the search is to end with what it has found.
  std::function<bool()> isStopped = {};
  /// Held from a sampler's first launch to its last. The budget's seconds limit
  /// the wait. None locks nothing.
  std::optional<FrontendLock> lock = {};
};

/// Tunes a frontend's kernel by `TuningSession::run`. Under an unpaired policy
/// the verdict is `no_baseline`.
Result<SessionOutcome> tuneFrontend(Frontend &frontend,
                                    const FrontendSession &session);

} // namespace tonno

#endif // TONNO_ENGINE_FRONTEND_H
