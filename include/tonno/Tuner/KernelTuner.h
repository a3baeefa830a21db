//===- Tunes one kernel ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_KERNELTUNER_H
#define TONNO_TUNER_KERNELTUNER_H

#include "tonno/Engine/TuningSession.h"
#include "tonno/Session/KernelRates.h"
#include "tonno/Tuner/TuneModule.h"
#include "tonno/Tuner/TuningProblem.h"

#include <map>

namespace tonno {

/// A search that differs from that of the effort.
struct SearchPlan {
  Budget budget;
  /// Null for the effort's strategy, which begins at what is known of the
  /// kernel.
  std::unique_ptr<SearchStrategy> strategy = nullptr;
  /// Values to decide for, untested, if the plan was interrupted, or the search
  /// ended before it tried a candidate.
  std::optional<Json> bestSoFar = {};
  /// Points that the effort's strategy begins at, before what is known of the
  /// kernel.
  std::vector<StartingPoint> startingPoints = {};
  /// The legal points, set for the effort's strategy.
  std::shared_ptr<const LegalSpace> space = nullptr;
};

/// Replaces the effort's search of a kernel.
struct SearchPlanner {
  /// Called if no decision is known, before the search.
  std::function<Result<SearchPlan, LocatedError>()> plan;
  /// Describes the search beside the effort, for the key of the decision.
  Json about;
  /// The kernel's part of the seconds of a model's budget. The key of its
  /// decision has no seconds: the decision holds for parts that are hardly
  /// larger, and for all if its search ended by itself. A decision of a session
  /// of the kernel's own stays the latest.
  std::optional<double> seconds = {};
  /// Ends a search that expects less than this share of the kernel's time.
  std::optional<double> leastGain = {};
  /// Ends a search whose best reaches this share of the machine's limit.
  std::optional<double> stopAtLimit = {};
};

/// Returns how a kernel is searched, for the key of its decision: an effort, as
/// the options and the planner change it.
Json describeSearch(Json effort, const TunerOptions &options,
                    const SearchPlanner *planner = nullptr);

/// Decides kernels in turn: from records, or by a session.
class KernelTuner {
public:
  /// Creates a tuner. The compiler must have the problem's kernel open during
  /// `tune`. Trials are taken on `devices`, of which the runner is the first;
  /// null: on that.
  KernelTuner(const TunerOptions &options, Compiler &compiler, Runner &runner,
              TuneObserver &observer, RunnerPool *devices = nullptr)
      : options(options), observer(observer), compiler(compiler),
        runner(runner), devices(devices) {}

  /// Opens the cache. The Error has a remedy.
  Result<void> open();
  Result<KernelOutcome, LocatedError>
  tune(const TuningProblem &problem, const SearchPlanner *planner = nullptr);
  /// Returns the decision that this run or the cache has for the planner's
  /// search; none, without a search, if there is none.
  Result<std::optional<KernelOutcome>, LocatedError>
  recall(const TuningProblem &problem, const SearchPlanner &planner);
  /// Compares a configuration with the reference in f64, on one set of inputs.
  /// The reference may run for this many seconds. A failure is kept as a
  /// trial's is.
  Result<RunResult, LocatedError> verify(const TuningProblem &problem,
                                         const Configuration &configuration,
                                         double seconds);
  /// Returns the cache; call `open` first.
  RecordStore &records() { return *store; }
  /// Returns a bundle's result for the kernel; null if there is none.
  const BundleResult *findResult(const std::string &kernel) const;

private:
  Result<void, LocatedError> decide(const TuningProblem &problem,
                                    const SearchPlanner *planner,
                                    KernelOutcome &outcome);
  KernelOutcome describe(const TuningProblem &problem,
                         const SearchPlanner *planner) const;
  Result<bool, LocatedError> recallKnown(const TuningProblem &problem,
                                         const SearchPlanner *planner,
                                         KernelOutcome &outcome);
  void warnOfNewSession(const std::string &message,
                        const SearchPlanner *planner);
  std::optional<DecisionRecord> findKnown(const TuningProblem &problem,
                                          const std::string &key);
  void warnOfContention(const KernelOutcome &outcome);
  Result<void, LocatedError> recallFromEqualKernel(DecisionRecord decision,
                                                   KernelOutcome &outcome);
  Result<bool, LocatedError> recall(DecisionRecord decision, const char *source,
                                    const TuningProblem &problem,
                                    KernelOutcome &outcome);
  Result<RunResult, LocatedError> verify(const RunRequest &request,
                                         const RunnerSession &judged);
  Result<void, LocatedError> search(const TuningProblem &problem,
                                    const SearchPlanner *planner,
                                    SearchPlan plan, KernelOutcome &outcome);
  Result<std::unique_ptr<SearchStrategy>, LocatedError>
  createSearch(const TuningProblem &problem, SearchPlan &plan,
               SessionJournal &journal, size_t pending, KernelOutcome &outcome);
  void beginWithPrior(const TuningProblem &problem,
                      const std::shared_ptr<const LegalSpace> &space,
                      std::unique_ptr<SearchStrategy> &strategy,
                      KernelOutcome &outcome);
  void applyPredicted(const TuningProblem &problem, KernelOutcome &outcome);
  std::string checkPredicted(const TuningProblem &problem, const Json &values);
  Result<void, LocatedError> applyKnown(const TuningProblem &problem,
                                        KernelOutcome &outcome);
  Result<void, LocatedError> chooseFromFront(KernelOutcome &outcome);
  Result<void, LocatedError> take(const BundleResult &result,
                                  const TuningProblem &problem,
                                  KernelOutcome &outcome);
  Json describeSearch(const std::string &kernel,
                      const SearchPlanner *planner) const;
  void keepProblem(const ProblemIdentity &identity,
                   const KernelFeatures &features);
  void keep(const TuningProblem &problem, const SearchPlanner *planner,
            KernelOutcome &outcome);
  void warn(const std::string &message) { observer.warn(message); }
  /// Returns what else ends the search of the problem.
  SearchStops createStops(const TuningProblem &problem,
                          const SearchPlanner *planner);
  /// Returns the device's peaks for the problem's work; none if it is unknown.
  std::optional<DevicePeaks> findPeaks(const TuningProblem &problem,
                                       uint32_t threads);

  const TunerOptions &options;
  TuneObserver &observer;
  Compiler &compiler;
  Runner &runner;
  RunnerPool *devices;
  std::unique_ptr<RecordStore> store;
  std::optional<PeakFinder> peaks;               ///< of the runner's device
  std::map<std::string, DecisionRecord> decided; ///< of this run, by key
  bool hasRemarked = false, isTiming = false;
  bool hasContinued = false; ///< a session of a model, or warned that it hasn't
};

} // namespace tonno

#endif // TONNO_TUNER_KERNELTUNER_H
