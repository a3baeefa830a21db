//===- TuneModule.cpp - Tunes the kernels of a module ---------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/TuneModule.h"
#include "tonno/Runtime/PatientRunner.h"
#include "tonno/Session/CachedTrialLog.h"
#include "tonno/Session/FailureKeepingLog.h"
#include "tonno/Session/JournaledTrialLog.h"
#include "tonno/Tuner/KernelProblem.h"
#include "tonno/Tuner/KernelSelection.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/WriteBack.h"
#include "SessionStart.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace tonno;

namespace {

/// Tunes the kernels of one module; one runner serves them all.
class ModuleTuner {
public:
  ModuleTuner(ModuleOp module, const TuneOptions &options,
              TuneObserver &observer);

  LogicalResult open();
  /// Finds what keeps a kernel from being tuned, before an hour goes into
  /// others.
  LogicalResult check(func::FuncOp kernel) {
    return LogicalResult(read(kernel));
  }
  FailureOr<KernelOutcome> tune(func::FuncOp kernel);

private:
  FailureOr<KernelProblem> read(func::FuncOp kernel);
  LogicalResult decide(func::FuncOp kernel, const KernelProblem &problem,
                       KernelOutcome &outcome);
  std::optional<DecisionRecord> findKnown(const KernelProblem &problem,
                                          const std::string &key);
  LogicalResult refuseUncached(func::FuncOp kernel, StringRef circumstances);
  LogicalResult recall(func::FuncOp kernel, DecisionRecord decision,
                       KernelOutcome &outcome);
  LogicalResult search(func::FuncOp kernel, const KernelProblem &problem,
                       KernelOutcome &outcome);
  LogicalResult applyKnown(func::FuncOp kernel, const KernelProblem &problem,
                           KernelOutcome &outcome);
  LogicalResult take(const BundleResult &result, func::FuncOp kernel,
                     const KernelProblem &problem, KernelOutcome &outcome);
  void keep(const KernelProblem &problem, const KernelOutcome &outcome);
  void warn(const std::string &message) { observer.warned(message); }

  ModuleOp module;
  const TuneOptions &options;
  TuneObserver &observer;
  WorkerPool compiler;
  RunnerProcess runner;
  PatientRunner patient;
  std::unique_ptr<RecordStore> store;
  std::map<std::string, DecisionRecord> decided; ///< of this module, by key
  bool hasRemarked = false, isTiming = false;
};

} // namespace

ModuleTuner::ModuleTuner(ModuleOp module, const TuneOptions &options,
                         TuneObserver &observer)
    : module(module), options(options), observer(observer),
      compiler(createWorkers(options)), runner(createRunner(options, observer)),
      patient(runner, options.interrupted) {}

LogicalResult ModuleTuner::open() {
  auto opened =
      openStore(options.cacheMode, options.cacheDirectory,
                [this](const std::string &message) { warn(message); });
  if (!opened)
    return emitError(module.getLoc(), opened.error().message);
  store = std::move(*opened);
  return success();
}

/// Takes a decision that was made before. One of an equal kernel with another
/// name holds for this one, but its artifact has that name in it.
LogicalResult ModuleTuner::recall(func::FuncOp kernel, DecisionRecord decision,
                                  KernelOutcome &outcome) {
  outcome.source = "the cache";
  outcome.decision = std::move(decision);
  if (outcome.decision.kernel == outcome.kernel)
    return success();
  auto hash = artifactHash(kernel, compiler, outcome.decision.values);
  if (failed(hash))
    return failure();
  outcome.decision.kernel = outcome.kernel;
  outcome.decision.artifactHash = std::move(*hash);
  return success();
}

LogicalResult ModuleTuner::search(func::FuncOp kernel,
                                  const KernelProblem &problem,
                                  KernelOutcome &outcome) {
  auto journal = SessionJournal::open(
      options.journal, sessionKey(problem, options), outcome.kernel,
      options.resume, [this](const std::string &message) { warn(message); });
  if (!journal)
    return emitError(kernel.getLoc(), journal.error().message);
  if (const DecisionRecord *decision = journal->decision(outcome.key)) {
    if (failed(recall(kernel, *decision, outcome)))
      return failure();
    outcome.source = "the journal";
    return success();
  }
  std::shared_ptr<const LegalSpace> space = LegalSpace::create(problem.space);
  auto strategy = createStrategy(options.effort.strategy, space, options.seed);
  if (!strategy)
    return emitError(kernel.getLoc(), strategy.error().message);
  std::vector<StartingPoint> best =
      startingPoints(*journal, *store, problem, space, outcome);
  if (auto begun =
          journal->begin(describeSession(outcome, problem, options, best));
      !begun)
    warn(begun.error().message);
  StartingPoints search(std::move(best), std::move(*strategy));
  auto reference = compiler.reference(ReferenceCpu::native);
  if (!reference)
    return emitLocated(kernel, reference.error());
  RunnerSession judged = {std::move(*reference), problem.compiled.signature,
                          options.protocol, options.seed, options.oracle};
  CachedTrialLog cached(*store, problem.identity, problem.space, observer);
  std::optional<JournaledTrialLog> journaled;
  if (journal->journal())
    journaled.emplace(cached, *journal->journal(), journal->session(),
                      problem.space);
  TrialLog &told = journaled ? static_cast<TrialLog &>(*journaled) : cached;
  std::optional<FailureKeepingLog> failures;
  if (!options.failureDirectory.empty())
    failures.emplace(
        told, options.failureDirectory,
        commonOfFailures(problem, options.device, options.referenceSeconds),
        problem.space);
  TrialLog &log = failures ? static_cast<TrialLog &>(*failures) : told;
  TuningSession session(problem.space, compiler, patient, search, log, judged,
                        options.effort.budget, pendingFor(options.jobs),
                        options.interrupted);
  // Part of the session's time.
  if (auto opened = patient.open(judged); !opened)
    return emitError(kernel.getLoc(), opened.error().message);
  if (journal->past())
    outcome.pastTrials = journal->past()->trials.size();
  auto found = session.run();
  if (failures && failures->numKept() > 0) {
    outcome.keptFailures = failures->numKept();
    outcome.failureDirectory = options.failureDirectory;
  }
  if (!found) {
    auto error = emitError(kernel.getLoc(), found.error().message);
    if (outcome.keptFailures > 0)
      error.attachNote() << "to have a failure again: tonno-tune reproduce "
                         << options.failureDirectory << "/<file>";
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
  outcome.trials = std::move(found->trials);
  outcome.isCutShort =
      found->isCutShort && found->comparison.verdict == Verdict::interrupted;
  if (found->isCutShort && journal->journal())
    warn("the session of @" + outcome.kernel +
         " is not at its end; the same command goes on from there with "
         "--resume");
  outcome.searchEnd = found->searchEnd;
  outcome.sessionSeconds = found->seconds;
  outcome.proposingSeconds = found->proposingSeconds;
  if (found->isConclusive) {
    keep(problem, outcome);
    Json took = {{"search_end", std::string(toString(found->searchEnd))},
                 {"session_seconds", found->seconds},
                 {"proposing_seconds", found->proposingSeconds}};
    if (auto ended = journal->end(outcome.key, outcome.decision, took); !ended)
      warn(ended.error().message);
  }
  if (auto kept = keepBest(*store, problem.identity, problem.space,
                           outcome.decision.values, outcome.trials);
      !kept)
    warn(kept.error().message);
  else if (auto listed = keepAmongSiblings(*store, siblingPlace(problem));
           !listed)
    warn(listed.error().message);
  return success();
}

static const BundleResult *findResult(const TuneOptions &options,
                                      func::FuncOp kernel) {
  return options.results ? options.results->find(kernel.getSymName()) : nullptr;
}

/// Why the results don't decide the kernel.
static std::string whyNoResult(const BundleResults &results,
                               func::FuncOp kernel) {
  auto failure = results.failures.find(kernel.getSymName().str());
  return failure == results.failures.end()
             ? "the results have no kernel @" + kernel.getSymName().str()
             : "@" + failure->first +
                   " found nothing on the device: " + failure->second;
}

/// Takes what was found on another machine, once it is known that the same
/// binary comes out here.
LogicalResult ModuleTuner::take(const BundleResult &result, func::FuncOp kernel,
                                const KernelProblem &problem,
                                KernelOutcome &outcome) {
  if (auto same = checkSameProblem(result, problem.identity, problem.space);
      !same)
    return emitError(kernel.getLoc(), same.error().message);
  auto hash = artifactHash(kernel, compiler, result.decision.values);
  if (failed(hash))
    return failure();
  if (*hash != result.decision.artifactHash)
    return emitError(kernel.getLoc())
           << "the winner of @" << outcome.kernel << ", "
           << result.decision.values.dump()
           << ", compiles to another binary here than what was measured";
  outcome.source = "the results of a bundle";
  outcome.decision = result.decision;
  for (const TrialRecord &trial : result.trials)
    if (isLasting(trial.status))
      if (auto stored =
              store->insert(problem.identity.trialKey(trial.values), trial);
          !stored) {
        warn(stored.error().message);
        break;
      }
  if (result.isConclusive)
    keep(problem, outcome);
  return success();
}

void ModuleTuner::keep(const KernelProblem &problem,
                       const KernelOutcome &outcome) {
  decided.emplace(outcome.key, outcome.decision);
  if (auto kept = keepDecision(*store, outcome.key,
                               problem.identity.latestKey(problem.space),
                               problem.space, outcome.decision);
      !kept)
    warn(kept.error().message);
}

std::optional<DecisionRecord>
ModuleTuner::findKnown(const KernelProblem &problem, const std::string &key) {
  return findDecision(*store, key, problem.space,
                      [this](const std::string &message) { warn(message); });
}

/// The cache was to decide, and can't. `circumstances` are those that a
/// decision is of.
LogicalResult ModuleTuner::refuseUncached(func::FuncOp kernel,
                                          StringRef circumstances) {
  return emitError(kernel.getLoc(), "the cache has no decision for @")
         << kernel.getSymName() << " with this " << circumstances
         << ", and require-cached was given; tune without it first";
}

/// With effort none: the latest decision, whatever it took, or the defaults.
LogicalResult ModuleTuner::applyKnown(func::FuncOp kernel,
                                      const KernelProblem &problem,
                                      KernelOutcome &outcome) {
  outcome.key = problem.identity.latestKey(problem.space);
  if (auto known = findKnown(problem, outcome.key))
    return recall(kernel, std::move(*known), outcome);
  if (options.requireCached)
    return refuseUncached(kernel, "compiler and device");
  outcome.isDefault = true;
  outcome.decision.kernel = outcome.kernel;
  outcome.decision.values =
      problem.space.values(problem.space.defaultConfiguration());
  return success();
}

LogicalResult ModuleTuner::decide(func::FuncOp kernel,
                                  const KernelProblem &problem,
                                  KernelOutcome &outcome) {
  if (const BundleResult *result = findResult(options, kernel))
    return take(*result, kernel, problem, outcome);
  if (options.effort.isNone)
    return applyKnown(kernel, problem, outcome);
  if (auto twin = decided.find(outcome.key); twin != decided.end())
    return recall(kernel, twin->second, outcome);
  if (auto known = findKnown(problem, outcome.key))
    return recall(kernel, std::move(*known), outcome);
  if (options.requireCached)
    return refuseUncached(kernel, "effort, compiler and device");
  if (!problem.compiled.remark.empty() && !std::exchange(hasRemarked, true))
    warn(problem.compiled.remark);
  if (!std::exchange(isTiming, true))
    observer.timing(problem.device);
  observer.started(outcome.kernel, problem.space, options.effort.budget);
  return search(kernel, problem, outcome);
}

FailureOr<KernelProblem> ModuleTuner::read(func::FuncOp kernel) {
  const BundleResult *result = findResult(options, kernel);
  auto device = result ? result->device : findDevice(runner, options);
  if (!device)
    return emitError(kernel.getLoc(), device.error().message);
  return readProblem(
      kernel, options.retune ? SelectedKnobs::vary : SelectedKnobs::fixed,
      {options.target, options.chip}, compiler, *device, options.protocol,
      options.oracle, options.compileSeconds);
}

FailureOr<KernelOutcome> ModuleTuner::tune(func::FuncOp kernel) {
  auto start = Clock::now();
  auto problem = read(kernel);
  if (failed(problem))
    return failure();
  KernelOutcome outcome;
  outcome.kernel = kernel.getSymName().str();
  outcome.space = problem->space;
  outcome.chip = problem->compiled.chip;
  outcome.device = problem->device;
  const BundleResult *result = findResult(options, kernel);
  outcome.key = problem->identity.decisionKey(
      problem->space, result ? result->search : effortJson(options.effort));
  if (failed(decide(kernel, *problem, outcome)))
    return failure();
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return outcome;
}

FailureOr<ModuleOutcome> tonno::tuneModule(ModuleOp module,
                                           const TuneOptions &options,
                                           TuneObserver &observer) {
  ModuleTuner tuner(module, options, observer);
  auto kernels = chooseKernels(module, options.kernel);
  if (failed(kernels) || failed(tuner.open()))
    return failure();
  SmallVector<func::FuncOp> open;
  for (func::FuncOp kernel : *kernels) {
    if (options.results && !findResult(options, kernel))
      observer.warned(whyNoResult(*options.results, kernel) +
                      "; it is left as it is");
    else if (options.retune || !isResolved(kernel))
      open.push_back(kernel);
    else
      observer.skipped(kernel.getSymName().str());
  }
  if (open.size() > 1)
    for (func::FuncOp kernel : open)
      if (failed(tuner.check(kernel)))
        return failure();

  SmallVector<func::FuncOp> tuned;
  ModuleOutcome outcome;
  for (func::FuncOp kernel : open) {
    if (options.interrupted()) {
      outcome.isWhole = false;
      break;
    }
    auto decided = tuner.tune(kernel);
    if (failed(decided) && options.requireCached)
      return failure(); // a build, which wants all of them or none
    if (failed(decided)) {
      outcome.isWhole = false;
      continue;
    }
    observer.decided(*decided);
    outcome.isWhole &= !decided->isCutShort;
    tuned.push_back(kernel);
    outcome.tuned.push_back(std::move(*decided));
  }
  if (failed(writeBack(tuned, outcome.tuned)))
    return failure();
  return outcome;
}
