//===- Tunes one kernel ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/KernelTuner.h"
#include "tonno/Prior/PredictFastest.h"
#include "tonno/Prior/PriorSearch.h"
#include "tonno/Search/RemainingGain.h"
#include "tonno/Session/CachedTrialLog.h"
#include "tonno/Session/JournaledTrialLog.h"
#include "tonno/Session/Progress.h"
#include "tonno/Session/TuneReport.h"
#include "tonno/Strategies/Strategies.h"
#include <algorithm>
#include <utility>

using namespace tonno;

/// Limit on the starting points of the kernel and of its siblings together.
static constexpr size_t mostStartingPoints = 6;
/// A decision that took this share of a part's seconds holds for the part: the
/// shares of kernels are measured, and so differ a little between runs.
static constexpr double sufficientShare = 0.8;

/// Returns the key of a session in the journal. The seed and the strategy are
/// part of the key, the budget is not.
static std::string sessionKey(const TuningProblem &problem,
                              const TunerOptions &options,
                              const SearchPlanner *planner) {
  Json about = {{"journal", options.effort.strategy}, {"seed", options.seed}};
  if (planner)
    about.update(planner->about);
  if (!options.prior.identity.empty())
    about["prior"] = options.prior.identity;
  if (options.timeBounds != TimeBounds::use)
    about["time_bounds"] = options.timeBounds;
  return problem.identity.decisionKey(problem.space, about).substr(0, 16);
}

/// Returns the journal's description of a new session.
static Json describeSession(const KernelOutcome &outcome,
                            const TuningProblem &problem,
                            const TunerOptions &options, const Budget &budget,
                            size_t pending,
                            std::span<const StartingPoint> startingPoints) {
  Json about = {{"kernel", outcome.kernel},
                {"chip", outcome.chip},
                {"device", problem.device.name},
                {"versions", problem.compiled.versions},
                {"strategy", options.effort.strategy},
                {"budget_trials", budget.trials},
                {"budget_seconds", budget.seconds},
                {"seed", options.seed},
                {"pending", pending},
                {"space", problem.space},
                {"cache_state", problem.protocol.cacheState},
                {"starting_points", Json::array()}};
  if (!problem.features.ops.empty())
    about["features"] = problem.features;
  if (problem.compiled.work != KernelWork())
    about["work"] = problem.compiled.work;
  for (const StartingPoint &point : startingPoints) {
    about["starting_points"].push_back(
        problem.space.values(point.configuration));
    about["starting_reasons"].push_back(point.reason);
  }
  return about;
}

/// Returns the kernel's family and identity, for the search of siblings; refers
/// to the problem.
static SiblingContext makeSiblingContext(const TuningProblem &problem) {
  return {problem.identity, problem.family, problem.space};
}

/// Returns the starting points of the search: those in the journal if a session
/// is resumed; else the configuration selected in the input, the best known
/// ones of the kernel, and those of its siblings. Records their number in the
/// outcome.
static std::vector<StartingPoint>
startingPoints(const SessionJournal &journal, RecordStore &store,
               const TuningProblem &problem,
               const std::shared_ptr<const LegalSpace> &space,
               KernelOutcome &outcome) {
  std::vector<StartingPoint> best =
      journal.past() ? journal.startingPoints(problem.space)
                     : findBest(store, problem.identity, problem.space);
  outcome.startingPoints = best.size();
  if (!journal.past() && problem.selected)
    best.insert(best.begin(), {*problem.selected, "selected in the input"});
  if (journal.past() || best.size() >= mostStartingPoints)
    return best;
  outcome.siblings =
      findBestOfSiblings(store, makeSiblingContext(problem), space,
                         mostStartingPoints - best.size());
  std::ranges::copy(outcome.siblings.points, std::back_inserter(best));
  return best;
}

Result<void> KernelTuner::open() {
  auto opened =
      openStore(options.getStoreChoice(),
                [this](const std::string &message) { warn(message); });
  if (!opened)
    return opened.error();
  store = std::move(*opened);
  return {};
}

std::optional<DevicePeaks> KernelTuner::findPeaks(const TuningProblem &problem,
                                                  uint32_t threads) {
  const KernelWork &work = problem.compiled.work;
  if (!getCompulsoryBytes(work))
    return std::nullopt;
  PeakQuery query = {threads, work.operand, work.sum};
  if (auto chip = findGpuChip(problem.device.chip))
    return findDataSheetPeaks(**chip, problem.device.name, query);
  if (problem.device.kind != "host")
    return std::nullopt;
  if (!peaks)
    peaks.emplace(store->local(), runner,
                  [this, device = problem.device](const PeakQuery &query,
                                                  double seconds) {
                    observer.measuredPeaks(device, query, seconds);
                  });
  return peaks->find(problem.device, query);
}

SearchStops KernelTuner::createStops(const TuningProblem &problem,
                                     const SearchPlanner *planner) {
  SearchStops stops;
  stops.leastGain = planner ? planner->leastGain : options.leastGain;
  if (auto share = planner ? planner->stopAtLimit : options.stopAtLimit)
    stops.isEnough = [this, &problem, share = *share](const Trial &incumbent,
                                                      uint32_t threads) {
      KernelRates rates = computeRates(
          problem.compiled.work, findPeaks(problem, threads),
          problem.protocol.cacheState, incumbent.measurement->seconds.median);
      return rates.share >= share;
    };
  return stops;
}

const BundleResult *KernelTuner::findResult(const std::string &kernel) const {
  return options.results ? options.results->find(kernel) : nullptr;
}

void KernelTuner::warnOfContention(const KernelOutcome &outcome) {
  if (outcome.decision.comparison.contended)
    warn("the decision of @" + outcome.kernel + " from " + outcome.source +
         " is contended: other processes used the device while it was "
         "measured; tuning measures it again");
}

/// Takes a decision that was made or checked in this run. One of an equal
/// kernel with another name holds for this one, but its artifact has that name
/// in it.
Result<void, LocatedError>
KernelTuner::recallFromEqualKernel(DecisionRecord decision,
                                   KernelOutcome &outcome) {
  outcome.source = "the cache";
  outcome.decision = std::move(decision);
  warnOfContention(outcome);
  if (outcome.decision.kernel == outcome.kernel)
    return {};
  auto hash = TONNO_TRY(artifactHash(compiler, outcome.decision.values));
  outcome.decision.kernel = outcome.kernel;
  outcome.decision.artifactHash = std::move(hash);
  return {};
}

/// Returns the request to compare a candidate with the reference, as a trial
/// does, and to time nothing.
static RunRequest makeVerification(Artifact candidate,
                                   const RunnerSession &judged) {
  RunRequest request;
  request.kind = RunRequest::Kind::verify;
  request.candidate = std::move(candidate);
  request.waitSeconds = judged.waitSeconds;
  return request;
}

Result<RunResult, LocatedError>
KernelTuner::verify(const RunRequest &request, const RunnerSession &judged) {
  if (auto opened = runner.open(judged); !opened)
    return LocatedError{opened.error().message};
  return runner.run(request);
}

Result<RunResult, LocatedError>
KernelTuner::verify(const TuningProblem &problem,
                    const Configuration &configuration, double seconds) {
  auto judged = TONNO_TRY(createRunnerSession(compiler, problem, options));
  judged.problem.isVerifiedInParts = true;
  judged.openSeconds = seconds;
  compiler.submit(problem.space.values(configuration));
  Compilation compilation = compiler.next();
  if (!compilation.artifact)
    return LocatedError{compilation.message};
  RunRequest request =
      makeVerification(std::move(*compilation.artifact), judged);
  auto verified = TONNO_TRY(verify(request, judged));
  if (verified.status != Status::ok && isLasting(verified.status))
    if (auto failures = createFailureLog(problem, options, observer)) {
      Trial trial;
      trial.configuration = configuration;
      trial.status = verified.status;
      trial.message = verified.message;
      failures->failed(trial, judged, &request);
    }
  return verified;
}

/// Returns true if the decision's search was long enough for the planner's.
static bool suffices(const DecisionRecord &decision,
                     const SearchPlanner *planner) {
  return !planner || !planner->seconds || !decision.endedBySeconds ||
         *decision.endedBySeconds >= sufficientShare * *planner->seconds;
}

/// Applies an earlier decision if its code equals the measured one, or else is
/// right; otherwise returns false after a warning. The decision of an equal
/// kernel with another name is applied under this name.
Result<bool, LocatedError> KernelTuner::recall(DecisionRecord decision,
                                               const char *source,
                                               const TuningProblem &problem,
                                               KernelOutcome &outcome) {
  std::string what = std::string(source) + "'s decision for @" +
                     outcome.kernel + ", " + formatValues(decision.values);
  auto refuse = [&](const std::string &why) -> Result<bool, LocatedError> {
    if (options.requiresCache())
      return LocatedError{what + ", is refused: " + why};
    warn(what + ", is refused: " + why);
    return false;
  };
  compiler.submit(decision.values);
  Compilation compilation = compiler.next();
  if (!compilation.artifact)
    return refuse("the configuration does not compile here: " +
                  compilation.message);
  std::string hash = compilation.artifact->hash();
  if (hash != decision.artifactHash) {
    const char *differs =
        "the code compiled here differs from the measured code";
    auto judged = TONNO_TRY(createRunnerSession(compiler, problem, options));
    auto verified = verify(
        makeVerification(std::move(*compilation.artifact), judged), judged);
    if (!verified)
      return verified.error();
    if (verified->status != Status::ok)
      return refuse(std::string(differs) + ", and fails: '" +
                    std::string(toString(verified->status)) +
                    "': " + verified->message);
    if (decision.kernel == outcome.kernel)
      warn(what + ": " + differs +
           "; the new code was verified, and the times are those of the "
           "measured code");
  }
  decision.kernel = outcome.kernel;
  decision.artifactHash = std::move(hash);
  outcome.source = source;
  outcome.decision = std::move(decision);
  warnOfContention(outcome);
  decided.insert_or_assign(outcome.key, outcome.decision);
  return true;
}

/// Lets the default strategy begin with the prior, if there is one that knows
/// anything of the kernel.
void KernelTuner::beginWithPrior(const TuningProblem &problem,
                                 const std::shared_ptr<const LegalSpace> &space,
                                 std::unique_ptr<SearchStrategy> &strategy,
                                 KernelOutcome &outcome) {
  auto prior = options.prior.find(problem.identity.triple);
  if (!prior || options.effort.strategy != ensembleName)
    return;
  auto begun = std::make_unique<PriorSearch>(
      space, *prior,
      makePriorTask(problem.space, problem.features, problem.identity.chip),
      std::move(strategy), options.seed);
  if (begun->knowsKernel())
    outcome.prior = {prior->name, begun->proposed()};
  strategy = std::move(begun);
}

/// Begins the journal's session at what is known of the kernel.
Result<std::unique_ptr<SearchStrategy>, LocatedError>
KernelTuner::createSearch(const TuningProblem &problem, SearchPlan &plan,
                          SessionJournal &journal, size_t pending,
                          KernelOutcome &outcome) {
  std::unique_ptr<SearchStrategy> strategy = std::move(plan.strategy);
  std::vector<StartingPoint> best;
  if (!strategy) {
    std::shared_ptr<const LegalSpace> space = plan.space =
        LegalSpace::create(problem.space);
    auto created = createStrategy(options.effort.strategy, space, options.seed);
    if (!created)
      return LocatedError{created.error().message};
    beginWithPrior(problem, space, *created, outcome);
    best = startingPoints(journal, *store, problem, space, outcome);
    if (!journal.past())
      best.insert(best.begin(), plan.startingPoints.begin(),
                  plan.startingPoints.end());
    strategy = std::make_unique<StartingPoints>(best, std::move(*created));
  }
  if (auto begun = journal.begin(describeSession(outcome, problem, options,
                                                 plan.budget, pending, best));
      !begun)
    warn(begun.error().message);
  return strategy;
}

/// Decides without a search: nothing is kept, as nothing was tested, and the
/// binary is not known, as an interrupted compiler takes no more.
static void decideUntested(const Json &values, const TunerOptions &options,
                           KernelOutcome &outcome) {
  outcome.decision.kernel = outcome.kernel;
  outcome.decision.values = values;
  outcome.decision.comparison.verdict = Verdict::interrupted;
  outcome.decision.seed = options.seed;
  outcome.decision.strategy = options.effort.strategy;
  outcome.searchEnd = SearchEnd::interrupted;
}

/// Returns true if the session ended before a candidate was looked at, so that
/// its outcome says nothing of them.
static bool hasTriedNothing(const KernelOutcome &outcome) {
  return outcome.searchEnd != SearchEnd::done &&
         outcome.searchEnd != SearchEnd::converged &&
         std::ranges::none_of(outcome.trials, [&](const Trial &trial) {
           return trial.configuration != outcome.space.defaultConfiguration() &&
                  isLasting(trial.status);
         });
}

Result<void, LocatedError> KernelTuner::search(const TuningProblem &problem,
                                               const SearchPlanner *planner,
                                               SearchPlan plan,
                                               KernelOutcome &outcome) {
  auto journal = SessionJournal::open(
      options.journal, sessionKey(problem, options, planner), outcome.kernel,
      options.resume, [this](const std::string &message) { warn(message); });
  if (!journal)
    return LocatedError{journal.error().message};
  if (options.resume && !journal->past())
    warnOfNewSession(journal->explainNewSession(outcome.kernel), planner);
  else
    hasContinued |= planner && options.resume;
  if (const DecisionRecord *decision = journal->decision(outcome.key);
      decision && suffices(*decision, planner)) {
    auto recalled =
        TONNO_TRY(recall(*decision, "the journal", problem, outcome));
    if (recalled)
      return {};
    return LocatedError{"the journal's decision for @" + outcome.kernel +
                        " is refused; tune without '--resume'"};
  }
  // As before, whatever the number of devices is now.
  size_t pending = journal->pending().value_or(
      pendingFor(options.jobs, devices ? devices->size() : 1));
  auto strategy =
      TONNO_TRY(createSearch(problem, plan, *journal, pending, outcome));
  auto judged = TONNO_TRY(createRunnerSession(compiler, problem, options));
  outcome.problem = std::make_shared<Problem>(judged.problem);
  judged.openSeconds = plan.budget.secondsToOpen();
  TrialLogs logs;
  std::optional<JournaledTrialLog> journaled;
  if (journal->journal())
    logs.add(journaled.emplace(*journal->journal(), journal->session(),
                               problem.space, observer));
  logs.add(observer);
  // A candidate that differs from the default may agree with the reference.
  ProblemIdentity identity = problem.identity;
  if (problem.againstDefault)
    identity.policy["reference"] = "default";
  // A core refuses threads, which the whole host does not.
  if (problem.device.core)
    identity.policy["cores"] = 1;
  keepProblem(identity, problem.features);
  CachedTrialLog cached(store->local(), identity, problem.space, observer);
  logs.add(cached);
  auto failures = createFailureLog(problem, options, observer);
  if (failures)
    logs.add(*failures);
  TuningSession session(problem.space, compiler, &runner, *strategy, logs,
                        judged, plan.budget, pending, options.interrupted);
  if (devices)
    session.setDevices(*devices);
  session.setTimeBounds(options.timeBounds);
  session.setStops(createStops(problem, planner));
  // Part of the session's time.
  if (auto opened = runner.open(judged); !opened)
    return LocatedError{opened.error().message};
  if (journal->past())
    outcome.pastTrials = journal->past()->trials.size();
  auto found = session.run();
  if (failures && failures->numKept() > 0) {
    outcome.keptFailures = failures->numKept();
    outcome.failureDirectory = options.failureDirectory;
  }
  if (!found) {
    LocatedError error = {found.error().message};
    // A session that was resumed may fail for what it resumed.
    if (journal->journal() && !journal->past() && !options.interrupted())
      if (auto kept =
              journal->journal()->fail(journal->session(), error.message);
          !kept)
        warn(kept.error().message);
    if (outcome.keptFailures > 0)
      error.note = "reproduce a failure by 'tonno-tune reproduce " +
                   options.failureDirectory + "/<file>'";
    return error;
  }
  outcome.decision = {outcome.kernel,
                      problem.space.values(found->chosen),
                      found->artifactHash,
                      found->comparison,
                      found->trials.size(),
                      options.seed,
                      options.effort.strategy,
                      problem.compiled.versions,
                      problem.device.environment,
                      found->condition};
  outcome.decision.otherBits = std::move(found->otherBits);
  outcome.decision.objective = found->objective;
  outcome.decision.front = std::move(found->front);
  if (found->tied)
    outcome.decision.tied = problem.space.values(*found->tied);
  // Where the kernel's part is larger, so is the gain that counts.
  bool wouldGoOn = found->searchEnd == SearchEnd::gain ||
                   (found->searchEnd == SearchEnd::budget &&
                    found->trials.size() < plan.budget.trials);
  if (planner && planner->seconds && wouldGoOn)
    outcome.decision.endedBySeconds = planner->seconds;
  outcome.trials = std::move(found->trials);
  outcome.isCutShort =
      found->isCutShort && found->comparison.verdict == Verdict::interrupted;
  if (found->isCutShort && journal->journal())
    warn("the session of @" + outcome.kernel +
         " is incomplete; continue it by the same command with '--resume'");
  outcome.phaseSeconds = std::move(found->phaseSeconds);
  outcome.decision.threads = found->threads;
  if (!options.interrupted())
    outcome.decision.peaks = findPeaks(problem, found->threads);
  if (plan.space && !found->objective &&
      found->comparison.verdict != Verdict::interrupted)
    outcome.decision.remainingGain =
        boundRemainingGain(*plan.space, outcome.trials, options.seed);
  outcome.searchEnd = found->searchEnd;
  outcome.sessionSeconds = found->seconds;
  outcome.proposingSeconds = found->proposingSeconds;
  bool isVain = planner && hasTriedNothing(outcome);
  if (isVain && plan.bestSoFar)
    decideUntested(*plan.bestSoFar, options, outcome);
  if (isVain)
    return {};
  if (found->isConclusive) {
    keep(problem, planner, outcome);
    Json took = {{"search_end", std::string(toString(found->searchEnd))},
                 {"session_seconds", found->seconds},
                 {"proposing_seconds", found->proposingSeconds},
                 {"threads", found->threads}};
    took.update(describeLimit(outcome));
    for (auto [phase, seconds] : outcome.phaseSeconds)
      took["phase_seconds"][std::string(toString(phase))] = seconds;
    // A contended decision can be repeated with --resume.
    if (auto ended = outcome.decision.comparison.contended
                         ? Result<void>()
                         : journal->end(outcome.key, outcome.decision, took);
        !ended)
      warn(ended.error().message);
  }
  if (auto kept = storeBest(*store, problem.identity, problem.space,
                            outcome.decision.values, outcome.trials);
      !kept)
    warn(kept.error().message);
  else if (auto listed = registerSibling(*store, makeSiblingContext(problem));
           !listed)
    warn(listed.error().message);
  return {};
}

/// Takes what was found on another machine, once it is known that the same
/// binary comes out here.
Result<void, LocatedError> KernelTuner::take(const BundleResult &result,
                                             const TuningProblem &problem,
                                             KernelOutcome &outcome) {
  if (auto same = checkSameProblem(result, problem.identity, problem.space);
      !same)
    return LocatedError{same.error().message};
  auto hash = TONNO_TRY(artifactHash(compiler, result.decision.values));
  if (hash != result.decision.artifactHash)
    return LocatedError{
        "the winner of @" + outcome.kernel + ", " +
        result.decision.values.dump() +
        ", compiles here to a binary other than the measured one"};
  outcome.source = "the results of a bundle";
  outcome.decision = result.decision;
  keepProblem(problem.identity, problem.features);
  for (TrialRecord trial : result.trials) {
    trial.problem = problem.identity.problemKey();
    if (!isLasting(trial.status))
      continue;
    if (auto stored = store->local().insert(
            problem.identity.trialKey(trial.values), trial);
        !stored) {
      warn(stored.error().message);
      break;
    }
  }
  if (result.isConclusive)
    keep(problem, /*planner=*/nullptr, outcome);
  return {};
}

/// Warns that a session begins that the user wanted to continue; of the
/// sessions of models once, unless another of them was continued.
void KernelTuner::warnOfNewSession(const std::string &message,
                                   const SearchPlanner *planner) {
  if (!planner || !std::exchange(hasContinued, true))
    warn(message);
}

/// Stores a problem's identity, which its trials name by key.
void KernelTuner::keepProblem(const ProblemIdentity &identity,
                              const KernelFeatures &features) {
  std::string key = identity.problemKey();
  RecordStore &local = store->local();
  if (local.find(key))
    return;
  if (auto kept = local.insert(key, ProblemRecord{identity, features}); !kept)
    warn(kept.error().message);
}

void KernelTuner::keep(const TuningProblem &problem,
                       const SearchPlanner *planner, KernelOutcome &outcome) {
  decided.insert_or_assign(outcome.key, outcome.decision);
  DecisionQuestion question = {problem.identity, problem.space,
                               describeSearch(outcome.kernel, planner)};
  auto kept =
      planner && planner->seconds &&
              findKnown(problem, problem.identity.latestKey(problem.space))
          ? storeOwnDecision(*store, question, outcome.decision)
          : storeDecision(*store, question, outcome.decision);
  if (!kept)
    warn(kept.error().message);
  else
    outcome.record = store->locate(outcome.key);
}

std::optional<DecisionRecord>
KernelTuner::findKnown(const TuningProblem &problem, const std::string &key) {
  return findDecision(*store, key, problem.space,
                      [this](const std::string &message) { warn(message); });
}

/// Returns the error that the cache has no decision. `circumstances` names the
/// properties that a decision is specific to.
static LocatedError refuseUncached(const KernelOutcome &outcome,
                                   const std::string &circumstances) {
  return {"the cache has no decision for @" + outcome.kernel + " with this " +
          circumstances + ", and " + outcome.mode.describe() +
          " measures nothing; tune it with '--mode=tune' first"};
}

/// Takes the default, without a decision.
static void applyDefault(const TuningProblem &problem, KernelOutcome &outcome) {
  outcome.isUnmeasured = true;
  outcome.decision.kernel = outcome.kernel;
  outcome.decision.values =
      problem.space.values(problem.space.defaultConfiguration());
}

/// Takes what a prior expects to be faster than the default, once it is known
/// to be right and within the user's limits; otherwise leaves the default. A
/// prior knows times, and nothing of other objectives.
void KernelTuner::applyPredicted(const TuningProblem &problem,
                                 KernelOutcome &outcome) {
  auto prior = options.prior.find(problem.identity.triple);
  if (!prior || problem.space.knobs().empty() || options.oracle.objective ||
      !options.oracle.front.empty())
    return;
  auto expected = predictFastest(
      problem.space, *prior,
      makePriorTask(problem.space, problem.features, problem.identity.chip),
      options.seed);
  if (!expected)
    return;
  Json values = problem.space.values(expected->configuration);
  std::string problemFound = checkPredicted(problem, values);
  if (options.interrupted())
    return;
  if (!problemFound.empty())
    return warn("the choice of the prior " + prior->name + " for @" +
                outcome.kernel + ", " + formatValues(values) +
                ", is refused: " + problemFound);
  outcome.decision.values = std::move(values);
  outcome.prior.name = prior->name;
  outcome.prior.expectedSpeedup = expected->speedup;
}

/// Limits what the verification of an unmeasured configuration may wait for
/// the device, and take to open.
static constexpr double secondsToVerify = 60;

/// Returns why an unmeasured configuration cannot be used; empty if it
/// compiles, is within the limits, and computes the right results of two draws
/// of data.
std::string KernelTuner::checkPredicted(const TuningProblem &problem,
                                        const Json &values) {
  compiler.submit(values);
  Compilation compilation = compiler.next();
  if (!compilation.artifact)
    return "the configuration does not compile: " + compilation.message;
  if (auto excess =
          findExcess(compilation.artifact->usage, options.oracle.limits))
    return *excess;
  auto judged = createRunnerSession(compiler, problem, options);
  if (!judged)
    return judged.error().message;
  judged->waitSeconds = judged->openSeconds = secondsToVerify;
  RunRequest request =
      makeVerification(std::move(*compilation.artifact), *judged);
  for (uint64_t seed : {options.seed, ~options.seed}) {
    judged->seed = seed;
    auto verified = verify(request, *judged);
    if (!verified)
      return verified.error().message;
    if (verified->status != Status::ok)
      return "'" + std::string(toString(verified->status)) +
             "': " + verified->message;
  }
  return {};
}

/// Applies the latest decision, whatever its effort, or else what a prior
/// expects to be the fastest, or else the defaults; used with effort none.
Result<void, LocatedError> KernelTuner::applyKnown(const TuningProblem &problem,
                                                   KernelOutcome &outcome) {
  outcome.key = problem.identity.latestKey(problem.space);
  if (auto known = findKnown(problem, outcome.key)) {
    auto recalled =
        TONNO_TRY(recall(std::move(*known), "the cache", problem, outcome));
    if (recalled)
      return {};
  }
  if (options.requiresCache())
    return refuseUncached(outcome, "compiler and device");
  applyDefault(problem, outcome);
  applyPredicted(problem, outcome);
  return {};
}

Result<bool, LocatedError>
KernelTuner::recallKnown(const TuningProblem &problem,
                         const SearchPlanner *planner, KernelOutcome &outcome) {
  if (auto twin = decided.find(outcome.key);
      twin != decided.end() && suffices(twin->second, planner)) {
    TONNO_TRY(recallFromEqualKernel(twin->second, outcome));
    return true;
  }
  auto known = findKnown(problem, outcome.key);
  if (!known || !suffices(*known, planner) ||
      (known->comparison.contended && !options.requiresCache()))
    return false;
  return recall(std::move(*known), "the cache", problem, outcome);
}

Result<std::optional<KernelOutcome>, LocatedError>
KernelTuner::recall(const TuningProblem &problem,
                    const SearchPlanner &planner) {
  KernelOutcome outcome = describe(problem, &planner);
  bool isKnown = TONNO_TRY(recallKnown(problem, &planner, outcome));
  hasContinued |= isKnown;
  return isKnown ? std::make_optional(std::move(outcome)) : std::nullopt;
}

Result<void, LocatedError> KernelTuner::decide(const TuningProblem &problem,
                                               const SearchPlanner *planner,
                                               KernelOutcome &outcome) {
  if (options.isOff()) {
    applyDefault(problem, outcome);
    return {};
  }
  if (const BundleResult *result = findResult(outcome.kernel))
    return take(*result, problem, outcome);
  if (options.effort.isNone)
    return applyKnown(problem, outcome);
  bool isKnown = TONNO_TRY(recallKnown(problem, planner, outcome));
  hasContinued |= isKnown && planner;
  if (isKnown)
    return {};
  if (options.requiresCache())
    return refuseUncached(outcome, "effort, compiler and device");
  for (const std::string &warning : findConstantInputs(problem))
    warn(warning);
  if (!problem.compiled.remark.empty() && !std::exchange(hasRemarked, true))
    warn(problem.compiled.remark);
  if (!std::exchange(isTiming, true))
    observer.timing(problem.device);
  SearchPlan plan = {options.effort.budget};
  if (planner)
    plan = TONNO_TRY(planner->plan());
  if (options.interrupted() && plan.bestSoFar) {
    decideUntested(*plan.bestSoFar, options, outcome);
    return {};
  }
  observer.started(outcome.kernel, problem.space, plan.budget);
  return search(problem, planner, std::move(plan), outcome);
}

Json tonno::describeSearch(Json effort, const TunerOptions &options,
                           const SearchPlanner *planner) {
  Json search = std::move(effort);
  if (!options.prior.identity.empty())
    search["prior"] = options.prior.identity;
  if (planner)
    search.update(planner->about);
  if (planner && planner->seconds)
    search.erase("budget_seconds");
  if (options.stopAtLimit)
    search["stop_at_limit"] = *options.stopAtLimit;
  if (!planner && options.leastGain)
    search["stop_at_gain"] = *options.leastGain;
  return search;
}

Json KernelTuner::describeSearch(const std::string &kernel,
                                 const SearchPlanner *planner) const {
  const BundleResult *result = findResult(kernel);
  return tonno::describeSearch(
      result ? result->search : effortJson(options.effort), options, planner);
}

KernelOutcome KernelTuner::describe(const TuningProblem &problem,
                                    const SearchPlanner *planner) const {
  KernelOutcome outcome;
  outcome.kernel = problem.source.kernel;
  outcome.space = problem.space;
  outcome.chip = problem.compiled.chip;
  outcome.device = problem.device;
  outcome.mode = options.mode;
  outcome.oracle = options.oracle;
  outcome.work = problem.compiled.work;
  outcome.key = problem.identity.decisionKey(
      problem.space, describeSearch(outcome.kernel, planner));
  return outcome;
}

/// Takes the point of the front that the user chooses, if the same binary comes
/// out here.
Result<void, LocatedError>
KernelTuner::chooseFromFront(KernelOutcome &outcome) {
  DecisionRecord &decision = outcome.decision;
  if (!decision.front) {
    warn("'--apply' has no front to choose from, as the session ended early; "
         "the best so far is taken");
    return {};
  }
  if (auto chosen = options.choice->apply(decision); !chosen)
    return LocatedError{"'--apply': " + chosen.error().message};
  auto hash = TONNO_TRY(artifactHash(compiler, decision.values));
  if (hash != decision.artifactHash)
    return LocatedError{"'--apply': " + formatValues(decision.values) +
                        " compiles here to a binary other than the measured "
                        "one; tune again with '--cache=off'"};
  return {};
}

Result<KernelOutcome, LocatedError>
KernelTuner::tune(const TuningProblem &problem, const SearchPlanner *planner) {
  KernelOutcome outcome = describe(problem, planner);
  TONNO_TRY(decide(problem, planner, outcome));
  if (options.choice && !outcome.isUnmeasured)
    TONNO_TRY(chooseFromFront(outcome));
  return outcome;
}
