//===- Locks and checks the kernels of a module ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/LockModule.h"
#include "tonno/Core/Hash.h"
#include "tonno/Engine/TaskThread.h"
#include "tonno/Session/KernelRates.h"
#include "tonno/Session/Progress.h"
#include "tonno/Tuner/KernelProblems.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"

#include <chrono>
#include <future>

using namespace mlir;
using namespace tonno;

namespace {

/// A kernel compiled as a build gets it.
struct BuiltKernel {
  LockedKernel locked;
  Artifact artifact;
};

/// Compiles the kernels of a module, with what is known of them.
class KernelBuilder {
public:
  KernelBuilder(const TunerOptions &options, RecordStore &store,
                KernelProblems &problems, TuneObserver &observer)
      : options(options), store(store), problems(problems), observer(observer) {
  }

  /// Returns what a build applies of the cache.
  Result<std::optional<DecisionRecord>>
  findLatest(const TuningProblem &problem) const;

  Result<BuiltKernel> build(const TuningProblem &problem, const Json &values,
                            const std::optional<DecisionRecord> &decision);

private:
  const TunerOptions &options;
  RecordStore &store;
  KernelProblems &problems;
  TuneObserver &observer;
};

} // namespace

Result<std::optional<DecisionRecord>>
KernelBuilder::findLatest(const TuningProblem &problem) const {
  if (options.isOff())
    return std::optional<DecisionRecord>();
  auto decision = findDecision(
      store, problem.identity.latestKey(problem.space), problem.space,
      [this](const std::string &message) { observer.warn(message); });
  if (decision && options.choice)
    if (auto applied = options.choice->apply(*decision); !applied)
      return applied.error().prefixed("'--apply'");
  return decision;
}

Result<BuiltKernel>
KernelBuilder::build(const TuningProblem &problem, const Json &values,
                     const std::optional<DecisionRecord> &decision) {
  auto artifact = TONNO_TRY(compileConfiguration(problems.compiler(), values));
  BuiltKernel built;
  built.locked = {problem.source.kernel,
                  problem.compiled.chip,
                  problem.device.name,
                  values,
                  artifact.hash(),
                  hashPlan(artifact.plan),
                  problem.identity.kernelHash,
                  problem.compiled.features,
                  sha256(problem.compiled.fingerprint),
                  problem.compiled.versions};
  if (decision && decision->artifactHash == built.locked.artifact) {
    const Comparison &comparison = decision->comparison;
    built.locked.speedup =
        Speedup{comparison.speedup, comparison.speedupInterval};
    double share =
        computeRates(problem.compiled.work, decision->peaks,
                     comparison.cacheState, comparison.chosenSeconds())
            .share;
    if (share > 0)
      built.locked.limitShare = share;
  }
  built.artifact = std::move(artifact);
  return built;
}

LogicalResult tonno::lockModule(ModuleOp module, const TunerOptions &options,
                                const std::optional<BinaryDirectory> &binaries,
                                TuneObserver &observer, LockFile &lock) {
  auto warn = [&](const std::string &message) { observer.warn(message); };
  auto store = openStore(options.getStoreChoice(), warn);
  if (!store)
    return emitError(module.getLoc(), store.error().message);
  KernelProblems problems(module, options, observer);
  KernelBuilder builder(options, **store, problems, observer);
  auto lockKernel = [&](func::FuncOp kernel,
                        const TuningProblem &problem) -> LogicalResult {
    auto found = builder.findLatest(problem);
    if (!found)
      return kernel.emitError() << found.error().message;
    const std::optional<DecisionRecord> &decision = *found;
    if (!decision && !isResolved(kernel) && !options.isOff())
      return kernel.emitError("the cache has no decision for @")
             << kernel.getSymName() << " on " << problem.device.name
             << ", and its knobs are not selected; tune it first, or see "
                "'tonno-tune cache why-miss'";
    Json values =
        decision ? decision->values
                 : problem.space.values(problem.space.defaultConfiguration());
    auto built = builder.build(problem, values, decision);
    if (options.interrupted())
      return failure();
    if (!built)
      return kernel.emitError() << built.error().message;
    if (decision && !built->locked.speedup &&
        decision->kernel == kernel.getSymName())
      warn("the code of @" + built->locked.kernel +
           " differs from the code that was measured; its speedup is left out");
    if (binaries)
      if (auto stored = binaries->store(built->artifact); !stored)
        return kernel.emitError() << stored.error().message;
    lock.set(std::move(built->locked));
    return success();
  };
  bool isComplete = true; // each kernel without a decision is named
  auto visited = problems.visit(
      [&](func::FuncOp kernel, const TuningProblem &problem) -> LogicalResult {
        if (options.interrupted())
          return failure();
        isComplete &= succeeded(lockKernel(kernel, problem));
        return success();
      });
  return success(succeeded(visited) && isComplete);
}

EnumNames tonno::getEnumNames(CheckStatus) {
  static constexpr std::string_view names[] = {
      "same", "holds", "slower", "failed", "not_compared", "error"};
  return {"status of a check", names};
}

EnumNames tonno::getEnumNames(ValuesFrom) {
  static constexpr std::string_view names[] = {"cache", "input", "lock"};
  return {"origin of values", names};
}

void tonno::mapFields(JsonFields &fields, KernelCheck &check) {
  fields("kernel", check.kernel);
  fields("chip", check.chip);
  fields("status", check.status);
  fields("reason", check.reason, {});
  fields("values_from", check.valuesFrom);
  fields.list("causes", check.causes);
  fields("comparison", check.comparison);
}

namespace {

/// Two binaries to compare, with what they are verified against.
struct BinaryPair {
  RunnerSession session;
  Artifact before, now;
};

/// A check whose new binary is being verified.
struct PendingCheck {
  func::FuncOp kernel;
  KernelCheck result;
  BinaryPair pair;
  std::future<Result<RunResult>> verified;
};

/// Compares one kernel after another with a lock. While a new binary is
/// verified, the next kernel is compiled; nothing is compiled while binaries
/// are timed.
class KernelChecker {
public:
  KernelChecker(const TunerOptions &options, const LockFile &lock,
                const CheckOptions &check, RecordStore &store,
                KernelProblems &problems, TuneObserver &observer,
                const std::function<void(const KernelCheck &)> &report)
      : options(options), lock(lock), check(check), report(report),
        problems(problems), builder(options, store, problems, observer),
        runner(problems.runner(),
               makePatience(options, observer, problems.calls()),
               options.interrupted) {}

  /// Compiles a kernel, ends the check of the one before, and begins to verify.
  void add(func::FuncOp kernel, const TuningProblem &problem);
  /// Ends the check of the last kernel.
  void finish();
  /// Returns true if no kernel had a diagnostic.
  bool isComplete() const { return errors == 0; }

private:
  std::optional<std::pair<ValuesFrom, Json>>
  chooseValues(func::FuncOp kernel, const TuningProblem &problem,
               const std::optional<DecisionRecord> &decision,
               const LockedKernel &locked) const;
  Result<std::optional<BinaryPair>, LocatedError>
  prepare(func::FuncOp kernel, const TuningProblem &problem,
          KernelCheck &result);
  Result<RunResult> verify(const BinaryPair &pair);
  RunResult timeInProcess(const RunRequest &request,
                          const RunnerSession &session, size_t test);
  void compare(const RunResult &verified, BinaryPair pair, KernelCheck &result);
  void fail(func::FuncOp kernel, const LocatedError &error,
            KernelCheck &result);

  const TunerOptions &options;
  const LockFile &lock;
  const CheckOptions &check;
  const std::function<void(const KernelCheck &)> &report;
  KernelProblems &problems;
  KernelBuilder builder;
  PatientRunner runner;
  size_t errors = 0;
  std::optional<PendingCheck> last;
  TaskThread thread; ///< last: it uses the others
};

} // namespace

/// Returns the values that a build applies: of the cache, else those selected
/// in the input, or its defaults if the mode is off; else the lock's, none if
/// they are not of the space.
std::optional<std::pair<ValuesFrom, Json>>
KernelChecker::chooseValues(func::FuncOp kernel, const TuningProblem &problem,
                            const std::optional<DecisionRecord> &decision,
                            const LockedKernel &locked) const {
  const SearchSpace &space = problem.space;
  if (decision)
    return std::pair(ValuesFrom::cache, decision->values);
  if (isResolved(kernel) || options.isOff())
    return std::pair(ValuesFrom::input,
                     space.values(space.defaultConfiguration()));
  if (space.configuration(locked.values))
    return std::pair(ValuesFrom::lock, locked.values);
  return std::nullopt;
}

static void leaveUncompared(KernelCheck &result, std::string reason) {
  result.status = CheckStatus::not_compared;
  result.reason = std::move(reason);
}

/// Returns why a test shows nothing: "undecided after 24 rounds: 1.01x [0.98,
/// 1.04] of the old time".
static std::string describeUndecided(const Comparison &oldOverNew) {
  return "undecided after " + std::to_string(oldOverNew.rounds) + " rounds: " +
         formatSpeedup({oldOverNew.speedup, oldOverNew.speedupInterval}) +
         " of the old time";
}

/// Returns the binaries of a kernel unless hashes decide, or one is missing.
Result<std::optional<BinaryPair>, LocatedError>
KernelChecker::prepare(func::FuncOp kernel, const TuningProblem &problem,
                       KernelCheck &result) {
  const std::optional<BinaryPair> nothing;
  // This machine's chip may be another one than before, but the user's choice
  // is that chip and no other.
  bool isChosen = options.chip != "native" || options.target != "host";
  const LockedKernel *locked =
      lock.find(result.kernel, result.chip, /*isExact=*/isChosen);
  if (!locked) {
    bool isKnown = !lock.chips(result.kernel).empty();
    leaveUncompared(result, isKnown ? "the lock has no entry for this chip"
                                    : "the lock has no entry for this kernel");
    return nothing;
  }
  auto found = builder.findLatest(problem);
  if (!found)
    return LocatedError{found.error().message};
  const std::optional<DecisionRecord> &decision = *found;
  auto chosen = chooseValues(kernel, problem, decision, *locked);
  if (!chosen) {
    leaveUncompared(result, "the cache has no decision, and the knobs do not "
                            "have the lock's values among their options");
    return nothing;
  }
  result.valuesFrom = chosen->first;
  auto built = builder.build(problem, chosen->second, decision);
  if (!built) {
    result.status = CheckStatus::failed;
    result.reason = built.error().message;
    return nothing;
  }
  if (built->locked.artifact == locked->artifact &&
      built->locked.plan == locked->plan)
    return nothing;
  result.causes = findCauses(*locked, built->locked);
  std::optional<Artifact> before;
  if (check.binaries) {
    auto binary = check.binaries->find(*locked);
    if (!binary)
      return LocatedError{binary.error().message};
    before = std::move(*binary);
  }
  if (!before) {
    leaveUncompared(result, check.binaries
                                ? "no old binary " + locked->artifact
                                : "no old binary; name their directory by "
                                  "'--binaries'");
    return nothing;
  }
  if (options.mode.mode != TuneMode::tune) {
    leaveUncompared(result, options.mode.describe() + " forbids measurements");
    return nothing;
  }
  auto session =
      TONNO_TRY(createRunnerSession(problems.compiler(), problem, options));
  session.protocol = makeRegressionProtocol(session.protocol, check.risk);
  // Selected values are the input's default, whatever its default was before.
  if (session.sameAs)
    session.sameAs = before;
  return std::optional(BinaryPair{std::move(session), std::move(*before),
                                  std::move(built->artifact)});
}

/// Verifies the new binary as winners are.
Result<RunResult> KernelChecker::verify(const BinaryPair &pair) {
  if (auto opened = runner.open(pair.session); !opened)
    return opened.error();
  RunRequest request;
  request.kind = RunRequest::Kind::verify;
  request.candidate = pair.now;
  return runner.run(request);
}

/// Times the binaries, in a new process after the first test.
RunResult KernelChecker::timeInProcess(const RunRequest &request,
                                       const RunnerSession &session,
                                       size_t test) {
  if (test > 0)
    if (auto opened = runner.open(session); !opened) {
      RunResult failed;
      failed.status = Status::lost;
      failed.message = opened.error().message;
      return failed;
    }
  return runner.run(request);
}

/// Times the binaries, unless the new one is wrong, and verifies the old one as
/// trials are.
void KernelChecker::compare(const RunResult &verified, BinaryPair pair,
                            KernelCheck &result) {
  if (verified.status != Status::ok) {
    bool isFault = isLasting(verified.status);
    result.status = isFault ? CheckStatus::failed : CheckStatus::not_compared;
    result.reason = "the new binary: '" +
                    std::string(toString(verified.status)) +
                    "': " + verified.message;
    return;
  }
  RunRequest request;
  request.kind = RunRequest::Kind::compare;
  request.isEarlier = true;
  request.candidate = std::move(pair.before);
  request.baseline = std::move(pair.now);
  request.seconds = pair.session.protocol.testSeconds;
  std::vector<Comparison> tests;
  const ProtocolOptions &protocol = pair.session.protocol;
  std::optional<RegressionVerdict> conclusion;
  for (; !conclusion; conclusion = concludeTests(tests, protocol)) {
    RunResult tested = timeInProcess(request, pair.session, tests.size());
    if (tested.status != Status::ok || !tested.comparison) {
      bool isOtherKernel =
          llvm::is_contained(result.causes, "IR") && isLasting(tested.status);
      return leaveUncompared(result,
                             std::string("the old binary") +
                                 (isOtherKernel ? ", of other IR: '" : ": '") +
                                 std::string(toString(tested.status)) +
                                 "': " + tested.message);
    }
    tests.push_back(*tested.comparison);
  }
  result.comparison = tests.back();
  for (const Comparison &test : tests)
    if (judgeRegression(test, protocol) == *conclusion)
      result.comparison = test;
  if (*conclusion == RegressionVerdict::undecided)
    return leaveUncompared(result, describeUndecided(*result.comparison));
  result.status = *conclusion == RegressionVerdict::holds ? CheckStatus::holds
                                                          : CheckStatus::slower;
}

void KernelChecker::fail(func::FuncOp kernel, const LocatedError &error,
                         KernelCheck &result) {
  emitLocated(kernel, error);
  ++errors;
  result.status = CheckStatus::error;
  result.reason = error.message;
  result.valuesFrom.reset();
  result.causes.clear();
}

void KernelChecker::add(func::FuncOp kernel, const TuningProblem &problem) {
  KernelCheck result;
  result.kernel = problem.source.kernel;
  result.chip = problem.compiled.chip;
  auto pair = prepare(kernel, problem, result);
  finish();
  if (options.interrupted())
    return;
  if (!pair)
    fail(kernel, pair.error(), result);
  if (!pair || !*pair)
    return report(result);
  last = PendingCheck{kernel, std::move(result), **std::move(pair), {}};
  auto verified = std::make_shared<std::promise<Result<RunResult>>>();
  last->verified = verified->get_future();
  thread.start([this, verified] { verified->set_value(verify(last->pair)); });
}

void KernelChecker::finish() {
  if (!last)
    return;
  constexpr std::chrono::milliseconds interval(20);
  while (last->verified.wait_for(interval) != std::future_status::ready)
    problems.calls()->run();
  problems.calls()->run();
  PendingCheck ended = *std::exchange(last, std::nullopt);
  if (options.interrupted())
    return;
  if (auto verified = ended.verified.get())
    compare(*verified, std::move(ended.pair), ended.result);
  else
    fail(ended.kernel, {verified.error().message}, ended.result);
  if (!options.interrupted())
    report(ended.result);
}

LogicalResult
tonno::checkModule(ModuleOp module, const TunerOptions &options,
                   const LockFile &lock, const CheckOptions &check,
                   TuneObserver &observer,
                   const std::function<void(const KernelCheck &)> &report) {
  auto warn = [&](const std::string &message) { observer.warn(message); };
  auto store = openStore(options.getStoreChoice(), warn);
  if (!store)
    return emitError(module.getLoc(), store.error().message);
  KernelProblems problems(module, options, observer);
  KernelChecker checker(options, lock, check, **store, problems, observer,
                        report);
  auto visited = problems.visit(
      [&](func::FuncOp kernel, const TuningProblem &problem) -> LogicalResult {
        // A problem of one kernel hides no other.
        checker.add(kernel, problem);
        return success(!options.interrupted());
      });
  checker.finish();
  return success(succeeded(visited) && checker.isComplete() &&
                 !options.interrupted());
}
