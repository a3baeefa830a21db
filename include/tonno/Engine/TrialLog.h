//===- Observers of a session ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_TRIALLOG_H
#define TONNO_ENGINE_TRIALLOG_H

#include "tonno/Core/Trial.h"
#include "tonno/Engine/Runner.h"
#include "tonno/Engine/SessionState.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// Observes the trials of a session, and may know trials of earlier ones.
class TrialLog {
public:
  virtual ~TrialLog() = default;
  /// Returns the trial that this session has made of the configuration before
  /// it was resumed. It is taken for made now.
  virtual std::optional<Trial> replay(const Configuration &) { return {}; }
  /// Returns true if a trial is left to be replayed.
  virtual bool hasPast() const { return false; }
  /// Returns why a trial that is replayed as ok has failed since, if it has.
  virtual std::optional<Failure> failedSince(const Configuration &) const {
    return {};
  }
  /// Returns a failure of another session that would happen again.
  virtual std::optional<Trial> recall(const Configuration &) { return {}; }
  /// Records a finished trial. `incumbent` is the best ok trial so far, null
  /// before the first.
  virtual void record(const Trial &trial, const Trial *incumbent) {}
  /// Records that a trial that was ok has failed since.
  virtual void amend(const Trial &trial) {}
  /// Reports a failed candidate, which was not just pruned. It ran as in
  /// `request`, by a runner of this session, or did not compile. A recalled
  /// trial has no binary in its request.
  virtual void failed(const Trial &trial, const RunnerSession &session,
                      const RunRequest *request) {}
  virtual void warn(const std::string &message) {}
  /// Reports how far the session is: at the start of each phase, and after each
  /// trial.
  virtual void advance(const SessionState &state) {}
};

/// Calls a list of logs one after the other; the first that knows a trial
/// answers.
class TrialLogs final : public TrialLog {
public:
  TrialLogs(std::initializer_list<TrialLog *> logs = {}) : logs(logs) {}
  void add(TrialLog &log) { logs.push_back(&log); }

  std::optional<Trial> replay(const Configuration &configuration) override {
    return first([&](TrialLog &log) { return log.replay(configuration); });
  }
  bool hasPast() const override {
    for (const TrialLog *log : logs)
      if (log->hasPast())
        return true;
    return false;
  }
  std::optional<Failure>
  failedSince(const Configuration &configuration) const override {
    return first([&](TrialLog &log) { return log.failedSince(configuration); });
  }
  std::optional<Trial> recall(const Configuration &configuration) override {
    return first([&](TrialLog &log) { return log.recall(configuration); });
  }
  void record(const Trial &trial, const Trial *incumbent) override {
    for (TrialLog *log : logs)
      log->record(trial, incumbent);
  }
  void amend(const Trial &trial) override {
    for (TrialLog *log : logs)
      log->amend(trial);
  }
  void failed(const Trial &trial, const RunnerSession &session,
              const RunRequest *request) override {
    for (TrialLog *log : logs)
      log->failed(trial, session, request);
  }
  void warn(const std::string &message) override {
    for (TrialLog *log : logs)
      log->warn(message);
  }
  void advance(const SessionState &state) override {
    for (TrialLog *log : logs)
      log->advance(state);
  }

private:
  template <typename Ask>
  auto first(Ask &&ask) const -> decltype(ask(std::declval<TrialLog &>())) {
    for (TrialLog *log : logs)
      if (auto known = ask(*log))
        return known;
    return {};
  }

  std::vector<TrialLog *> logs;
};

} // namespace tonno

#endif // TONNO_ENGINE_TRIALLOG_H
