//===- Builds, verifies and times candidates ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_ENGINE_EVALUATOR_H
#define TONNO_LIB_ENGINE_EVALUATOR_H

#include "SessionParts.h"

#include "tonno/Engine/Compiler.h"
#include "tonno/Engine/RunnerPool.h"

#include <deque>
#include <map>

namespace tonno {

/// Makes trials of configurations: builds them, finds equal binaries, has the
/// others verified and timed. Keeps the binaries of those that are ok.
class Evaluator {
public:
  Evaluator(SessionContext &session, TrialLedger &ledger, BudgetClock &clock,
            Compiler &compiler, Runner *runner)
      : session(session), ledger(ledger), clock(clock), compiler(compiler),
        runner(runner) {}

  /// Starts to compile the configuration.
  void submit(const Configuration &configuration);
  /// Waits for the earliest submission, and evaluates the configuration, which
  /// was submitted then. The trial is to be added to the ledger next.
  Trial evaluateNext(const Configuration &configuration);

  /// Takes trials on these devices at the same time, of which the runner is the
  /// first, if there are several and the default is right on them.
  void useDevices(RunnerPool &devices);
  /// Waits until any submission is compiled, and makes it the earliest. Returns
  /// its place among those not evaluated until then; none if a device has ended
  /// its run before.
  std::optional<size_t> bringForwardCompiled();
  /// The two halves of `evaluateNext`. Returns the trial if it need not run; it
  /// is to be added to the ledger next. Else a device must be free.
  std::optional<Trial> begin(const Configuration &configuration);
  /// Waits for a candidate that was begun. Its trial is to be added next;
  /// none if another device is to run it.
  std::optional<Trial> finish();
  bool isRunning() const { return !running.empty(); }
  bool usesSeveral() const { return devices != nullptr; }
  /// Returns true if a device runs nothing.
  bool hasFreeDevice() const;
  /// Returns true if `finish` would not wait.
  bool hasFinished() const;
  /// Keeps the binary of the trial that was evaluated last, which was added.
  void keepArtifact();

  /// Sends a request to the runner, within the time to wait for other tuners.
  RunResult ask(RunRequest &request);
  /// Returns the request to compare a trial with the baseline.
  RunRequest makeTest(size_t trial, double seconds) const;
  /// Retries once if the failure may be environmental. How long to wait for
  /// other processes is the runner's to know.
  RunResult runWithRetry(RunRequest &request);
  /// Opens the runner anew.
  Result<void> reopen(RunnerSession session);

  /// Returns true if the trial's binary is available. Recompiles the binary of
  /// a trial from before the session was resumed; if that fails, the trial has
  /// failed.
  bool makeArtifact(size_t trial);
  const Artifact &artifact(size_t trial) const { return artifacts.at(trial); }
  /// Returns the threads that the trial's binary uses on the host; 1 if the
  /// binary is not available.
  uint32_t countThreads(size_t trial) const;

  /// Makes a trial again that was replayed.
  void measureAgain(size_t trial);

  /// Marks a trial that was ok as failed.
  void dismiss(size_t trial, const RunResult &result);
  /// Logs a failure of another session, whose binary is gone.
  void reportRecalled(const Trial &trial);

  /// The default, or the first trial that ran if that fails; what others are
  /// timed beside.
  std::optional<Artifact> baseline;
  /// Takes the last trial, which is replayed, as the baseline if there is none.
  /// The Error: its binary can't be made again.
  Result<void> restoreBaseline();

  std::optional<DeviceCondition> condition; ///< after the latest times
  SessionTimes
      times; ///< of compilers and runner, as far as they were waited for
  bool deviceHeld = false; ///< see the latest RunResult

private:
  /// A candidate that was compiled.
  struct Candidate {
    Trial trial;
    RunRequest request;
    bool isTwin = false; ///< an equal binary runs, or has just ended
  };

  double secondsToWait() const;
  /// Sets the trial's status if it need not run; false else.
  bool judgeWithoutRun(Candidate &candidate);
  Candidate prepare(const Configuration &configuration,
                    Compilation compilation);
  void start(Candidate candidate);
  void judge(Candidate &candidate, const RunResult &result);
  /// Returns the trial, whose binary is kept if it is added as ok.
  Trial take(Candidate candidate);
  std::optional<Trial> judgeTwins();
  bool isEqualRunning(const std::string &artifactHash) const;
  /// Adds what a request has taken.
  void account(const RunResult &result, double share);
  /// Returns true if the trial's time bound is so far above the best time that
  /// the trial need not be run. Then the trial says so.
  bool isPrunedByBound(Trial &trial) const;
  /// Returns true if the trial uses more of the objective's resource than the
  /// best, so that it need not be run. Then the trial says so.
  bool isPrunedByUsage(Trial &trial) const;
  Compilation nextCompiled();
  /// Waits for the compiler.
  Compilation awaitCompiler();
  Compilation compileNow(const Configuration &configuration);

  SessionContext &session;
  TrialLedger &ledger;
  BudgetClock &clock;
  Compiler &compiler;
  Runner *runner;
  RunnerPool *devices = nullptr;       ///< if trials are taken on several
  std::map<size_t, Candidate> running; ///< by ticket, the twins among them
  size_t lastTicket = 0;
  size_t numSubmitted = 0;       ///< and not evaluated
  std::deque<Compilation> early; ///< the first of those submitted
  std::optional<Artifact> latest;
  std::unordered_map<size_t, double> launchSeconds; ///< limits of those hung
  std::unordered_map<size_t, Artifact> artifacts;   ///< of ok trials
};

} // namespace tonno

#endif // TONNO_LIB_ENGINE_EVALUATOR_H
