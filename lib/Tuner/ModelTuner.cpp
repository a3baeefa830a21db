//===- Tunes a model kernel by kernel -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelTuner.h"
#include "tonno/Backend/Compile.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/HostChip.h"
#include "tonno/Transforms/ModelKernels.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tonno;

/// Least and largest share of the budget for the comparison in the model.
static constexpr double leastShareOfModel = 0.25;
static constexpr double mostShareOfModel = 0.6;
/// Least number of candidates to compare in the model, where the budget allows.
static constexpr double leastModelTrials = 8;
/// Launches of the model for its passes and for the test.
static constexpr double modelLaunches = 500;
/// A session of fewer seconds than this, than some times as long as the default
/// took to compile and time, and than some launches take, is spent before it
/// learns: a reference is compiled, and its loops run several times.
static constexpr double leastKernelSeconds = 5;
static constexpr double leastProfiles = 3;
static constexpr double leastLaunches = 200;
/// Most configurations of a kernel that are compared in the model, beside the
/// default.
static constexpr size_t mostAlternatives = 3;

/// Largest share of the budget for timing kernels by default.
static constexpr double mostShareOfProfile = 0.3;
/// Kernels with this share of all iterations are timed before the first
/// session.
static constexpr double shareBeforeTuning = 0.5;
/// The first session tunes the kernel with the most iterations of those that
/// take this share of the longest one's time. It is the same one in each run,
/// also among kernels that take about the same time, so that its decision in
/// the cache has had about the same seconds.
static constexpr double leastShareOfLongest = 0.5;
/// Share of the budget to keep for kernels that are not tuned: their defaults
/// are compared with their references.
static constexpr double shareOfVerification = 0.1;
/// A verification of fewer seconds is not begun.
static constexpr double leastSecondsToVerify = 1;
/// Groups of ops up to which a function is compared with its reference in f64;
/// beyond, the reference would take longer than the search.
static constexpr int64_t mostGroupsOfReference = 4;
/// Limit of trials in the model: the budget's seconds end them.
static constexpr uint64_t mostModelTrials = 1000;

double ModelTuner::getSecondsLeft() const {
  return options.effort.budget.seconds - (steadySeconds() - start);
}

/// Reads the kernel's problem and opens it in the compiler. Warns, once, if
/// that is not possible.
FailureOr<TuningProblem> ModelTuner::read(func::FuncOp kernel) {
  if (unreadable.contains(kernel.getSymName().str()))
    return failure();
  std::string why;
  ScopedDiagnosticHandler handler(
      kernel.getContext(), [&](Diagnostic &diagnostic) {
        if (why.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          why = diagnostic.str();
        return success();
      });
  auto problem = readProblem(
      kernel, SelectedKnobs::vary,
      {options.target, options.chip, options.isSimulated()}, compiler, *device,
      options.protocol, options.oracle, options.compileSeconds);
  if (failed(problem)) {
    unreadable.insert(kernel.getSymName().str());
    warnOfDefault(kernel.getSymName().str(), why);
  }
  return problem;
}

void ModelTuner::warnOfDefault(const std::string &kernel,
                               const std::string &why) {
  observer.warn("kernel '" + kernel + "' of @" + model.getSymName().str() +
                " stays at its default: " + why);
}

/// Returns the seconds of one launch of a kernel by default; none, after a
/// warning, if it can't be timed. The kernel is compared with itself only:
/// no reference is compiled for kernels that will not be tuned.
std::optional<double> ModelTuner::timeDefault(TuningProblem problem) {
  auto warn = [&](const std::string &why) {
    warnOfDefault(problem.source.kernel, why);
    return std::nullopt;
  };
  auto session = createRunnerSession(compiler, problem, options);
  if (!session)
    return warn(session.error().message);
  if (auto opened = runner.open(*session); !opened)
    return warn(opened.error().message);
  RunRequest request;
  request.candidate = request.baseline = session->problem.reference;
  request.waitSeconds = session->waitSeconds;
  RunResult result = runner.run(request);
  if (!result.measurement)
    return warn(result.message);
  return result.measurement->seconds.median;
}

/// Lists the kernels, those with the most iterations first.
void ModelTuner::listKernels(ModelKernels &formed) {
  llvm::sort(formed.kernels, [](ModelKernel &one, ModelKernel &other) {
    return one.iterations == other.iterations
               ? one.function->isBeforeInBlock(other.function)
               : one.iterations > other.iterations;
  });
  for (ModelKernel &kernel : formed.kernels) {
    ModelKernelOutcome &listed = outcome->kernels.emplace_back();
    listed.kernel = kernel.function.getSymName().str();
    listed.name = kernel.name;
    listed.calls = kernel.calls;
    outcome->calls += kernel.calls;
    iterations[listed.kernel] = static_cast<double>(kernel.iterations);
  }
}

/// Times kernels by default, in their order, until those timed have this share
/// of all iterations, as long as the seconds suffice. Sorts them by the time
/// that all their calls take, which is estimated for kernels that are left.
void ModelTuner::profile(ModelKernels &formed, double share) {
  double all = 0, reached = 0;
  for (const auto &[kernel, count] : iterations)
    all += count;
  for (ModelKernelOutcome &kernel : outcome->kernels) {
    if (options.interrupted() || reached >= share * all ||
        profileSeconds >= mostShareOfProfile * options.effort.budget.seconds)
      break;
    reached += iterations[kernel.kernel];
    if (wasProfiled(kernel))
      continue;
    auto number = std::ranges::count_if(
        outcome->kernels,
        [&](const ModelKernelOutcome &each) { return wasProfiled(each); });
    observer.timingInModel(kernel, number + 1, outcome->kernels.size());
    double begin = steadySeconds();
    profileKernel(formed.module->lookupSymbol<func::FuncOp>(kernel.kernel),
                  kernel);
    profileSeconds += steadySeconds() - begin;
  }
  estimateShares(/*ofAll=*/share < 1);
  std::ranges::sort(outcome->kernels, std::greater(),
                    &ModelKernelOutcome::share);
}

bool ModelTuner::wasProfiled(const ModelKernelOutcome &kernel) const {
  return leastSeconds.contains(kernel.kernel) ||
         untimed.contains(kernel.kernel) || unreadable.contains(kernel.kernel);
}

/// Computes the share of each kernel of the time of all. Of all kernels, those
/// not timed yet take as long for an iteration as the others on average.
void ModelTuner::estimateShares(bool ofAll) {
  double timed = 0;
  for (const ModelKernelOutcome &kernel : outcome->kernels)
    timed += kernel.seconds > 0 ? iterations[kernel.kernel] : 0;
  double rate = ofAll && timed > 0 ? outcome->seconds() / timed : 0;
  auto estimate = [&](const ModelKernelOutcome &kernel) {
    return wasProfiled(kernel) ? kernel.seconds
                               : rate * iterations[kernel.kernel];
  };
  double total = 0;
  for (const ModelKernelOutcome &kernel : outcome->kernels)
    total += estimate(kernel);
  for (ModelKernelOutcome &kernel : outcome->kernels)
    kernel.share = total > 0 ? estimate(kernel) / total : 0;
}

void ModelTuner::profileKernel(func::FuncOp function,
                               ModelKernelOutcome &found) {
  double begin = steadySeconds();
  auto problem = read(function);
  if (failed(problem))
    return;
  problem->againstDefault = describeAgainstDefault(function);
  problem->againstDefault->isOwnReference = true;
  auto seconds = timeDefault(std::move(*problem));
  if (!seconds) {
    untimed.insert(found.kernel);
    return;
  }
  found.seconds = *seconds * static_cast<double>(found.calls);
  leastSeconds[found.kernel] =
      std::max(leastKernelSeconds, leastProfiles * (steadySeconds() - begin) +
                                       leastLaunches * *seconds);
}

/// Returns the least seconds of a session of the kernel; if it was not timed,
/// those of the shortest session.
double ModelTuner::getLeastSeconds(const ModelKernelOutcome &kernel) const {
  auto least = leastSeconds.find(kernel.kernel);
  return least == leastSeconds.end() ? leastKernelSeconds : least->second;
}

/// Returns the seconds for the first of these kernels: its part, by its share,
/// of what as many of them have for which the seconds suffice. A kernel that
/// has had its session gets none.
double
ModelTuner::computeSecondsOfFirst(std::span<const ModelKernelOutcome> kernels,
                                  double seconds) const {
  double shares = 0, found = seconds;
  for (size_t n = 1; n <= kernels.size(); ++n) {
    shares += kernels[n - 1].kernel == first ? 0 : kernels[n - 1].share;
    bool suffices =
        std::ranges::all_of(kernels.first(n), [&](const auto &kernel) {
          return kernel.kernel == first ||
                 seconds * kernel.share / shares >= getLeastSeconds(kernel);
        });
    if (suffices)
      found = seconds * kernels.front().share / shares;
  }
  return found;
}

/// Tunes a kernel that surely takes much of the time, before others are timed.
Result<void, LocatedError> ModelTuner::tuneFirst(ModelKernels &formed,
                                                 double reserved) {
  auto &kernels = outcome->kernels;
  for (ModelKernel &each : formed.kernels) {
    std::string name = each.function.getSymName().str();
    auto kernel = std::ranges::find(kernels, name, &ModelKernelOutcome::kernel);
    if (options.interrupted())
      break;
    if (!leastSeconds.contains(name) ||
        kernel->share < leastShareOfLongest * kernels.front().share)
      continue;
    auto problem = read(each.function);
    if (failed(problem) || problem->space.knobs().empty())
      continue;
    double available = getSecondsLeft() - reserved;
    if (available < getLeastSeconds(*kernel))
      break;
    std::rotate(kernels.begin(), kernel, std::next(kernel));
    Budget budget = options.effort.budget;
    budget.seconds = computeSecondsOfFirst(kernels, available);
    first = name;
    return tuneKernel(*problem, budget, kernels.front());
  }
  return {};
}

/// Tunes the kernels that take most of the time, as many as there is time for.
/// Seconds that a session leaves are for the others. The others have the
/// decisions that the cache knows.
Result<void, LocatedError> ModelTuner::tuneKernels(ModelKernels &formed,
                                                   double reserved) {
  double shareLeft = 1, shareWithoutTime = 0;
  for (const ModelKernelOutcome &kernel : outcome->kernels)
    shareLeft -= kernel.kernel == first ? kernel.share : 0;
  std::span<ModelKernelOutcome> left = outcome->kernels;
  for (; !left.empty(); left = left.subspan(1)) {
    ModelKernelOutcome &kernel = left.front();
    bool isTimed = leastSeconds.contains(kernel.kernel);
    if (options.interrupted())
      break;
    if (kernel.kernel == first || untimed.contains(kernel.kernel) ||
        (isTimed && shareLeft < options.stopAtGain))
      continue;
    shareLeft -= kernel.share;
    auto function = formed.module->lookupSymbol<func::FuncOp>(kernel.kernel);
    auto problem = read(function);
    if (failed(problem) || problem->space.knobs().empty())
      continue;
    double available = getSecondsLeft() - reserved;
    if (isTimed && available >= getLeastSeconds(kernel)) {
      Budget budget = options.effort.budget;
      budget.seconds = computeSecondsOfFirst(left, available);
      TONNO_TRY(tuneKernel(*problem, budget, kernel));
      continue;
    }
    recallKernel(*problem, kernel);
    if (!kernel.tuned)
      shareWithoutTime += kernel.share;
  }
  if (shareWithoutTime >= options.stopAtGain)
    observer.warn("kernels that take " +
                  std::to_string(std::lround(100 * shareWithoutTime)) +
                  " % of @" + model.getSymName().str() +
                  " stay at their defaults, for lack of time; increase "
                  "'--budget-seconds'");
  return {};
}

/// Returns the error that the model's results are not known, as a kernel's
/// default failed.
static LocatedError refuseDefault(const std::string &kernel,
                                  const std::string &why) {
  return {"the default of kernel '" + kernel + "' failed" + why +
          ", and so the model's results are not known; tune the function by "
          "'--whole-function'"};
}

/// Returns true if the kernel's session compared its default with its
/// reference; a decision of the cache is the result of such a session.
static bool hasVerifiedDefault(const KernelOutcome &tuned) {
  return !tuned.source.empty() ||
         std::ranges::any_of(tuned.trials, [&](const Trial &trial) {
           return trial.ok() &&
                  trial.configuration == tuned.space.defaultConfiguration();
         });
}

/// Tunes one kernel. Fails if its default computes wrong results, since the
/// model is compared with that default.
Result<void, LocatedError> ModelTuner::tuneKernel(const TuningProblem &problem,
                                                  const Budget &budget,
                                                  ModelKernelOutcome &kernel) {
  SearchPlanner planner = {
      [&]() -> Result<SearchPlan, LocatedError> { return SearchPlan{budget}; },
      {{"in_model", true}},
      budget.seconds};
  double begin = steadySeconds();
  auto tuned = tuner.tune(problem, &planner);
  if (!tuned) {
    warnOfDefault(kernel.name, tuned.error().text());
    return {};
  }
  if (tuned->decision.comparison.verdict == Verdict::no_baseline)
    return refuseDefault(kernel.name, "");
  addTuned(std::move(*tuned), steadySeconds() - begin, kernel);
  return {};
}

/// Takes the cache's decision for a kernel without time for a search, whatever
/// seconds that decision took.
void ModelTuner::recallKernel(const TuningProblem &problem,
                              ModelKernelOutcome &kernel) {
  SearchPlanner planner = {nullptr, {{"in_model", true}}, 0};
  double begin = steadySeconds();
  auto known = tuner.recall(problem, planner);
  if (!known)
    warnOfDefault(kernel.kernel, known.error().text());
  else if (*known)
    addTuned(std::move(**known), steadySeconds() - begin, kernel);
}

void ModelTuner::addTuned(KernelOutcome tuned, double seconds,
                          ModelKernelOutcome &kernel) {
  kernel.isVerified = hasVerifiedDefault(tuned);
  tuned.seconds = seconds;
  outcome->trials += tuned.trials.size();
  kernel.tuned = std::move(tuned);
  observer.tunedInModel(kernel);
}

/// Returns the seconds to keep for the verification of defaults.
double ModelTuner::computeSecondsToVerify() const {
  double budget = options.effort.budget.seconds;
  return std::isinf(budget) || !outcome->isAgainstDefault
             ? 0
             : shareOfVerification * budget;
}

/// Compares the defaults of kernels that had no session of their own with their
/// references in f64, those that take most of the time first, as long as the
/// seconds suffice. The model is compared with these defaults only.
Result<void, LocatedError> ModelTuner::verifyDefaults(ModelKernels &formed,
                                                      double reserved) {
  for (ModelKernelOutcome &kernel : outcome->kernels) {
    double seconds = getSecondsLeft() - reserved;
    if (options.interrupted() || seconds < leastSecondsToVerify)
      break;
    if (!kernel.isVerified)
      TONNO_TRY(verifyDefault(
          formed.module->lookupSymbol<func::FuncOp>(kernel.kernel), seconds,
          kernel));
  }
  return {};
}

/// Fails if the kernel's default computes wrong results. Warns if its results
/// cannot be compared.
Result<void, LocatedError>
ModelTuner::verifyDefault(func::FuncOp function, double seconds,
                          ModelKernelOutcome &kernel) {
  auto problem = read(function);
  if (failed(problem))
    return {};
  auto verified = tuner.verifyDefault(*problem, seconds);
  if (options.interrupted())
    return {};
  auto isUnknown = [](Status status) {
    return status == Status::contended || status == Status::lost;
  };
  if (verified && verified->status != Status::ok &&
      !isUnknown(verified->status))
    return refuseDefault(kernel.name,
                         " ('" + std::string(toString(verified->status)) +
                             "': " + verified->message + ")");
  kernel.isVerified = verified && verified->status == Status::ok;
  if (!kernel.isVerified)
    observer.warn("the default of kernel '" + kernel.name + "' of @" +
                  model.getSymName().str() +
                  " is not compared with a reference in f64: " +
                  (verified ? verified->message : verified.error().text()));
  return {};
}

/// Returns the values of a kernel's knobs under their names in the model.
static Json toModelValues(const std::string &kernel, const Json &values) {
  Json renamed = Json::object();
  for (const auto &[knob, value] : values.items())
    renamed[getModelKnobName(kernel, knob)] = value;
  return renamed;
}

/// Returns what is compared in the model: the winner, the next best trials, and
/// the default; nothing if no trial was faster than the default.
static std::optional<KernelAlternatives>
findAlternatives(const KernelOutcome &kernel) {
  std::vector<const Trial *> faster;
  for (const Trial &trial : kernel.trials)
    if (trial.ok() && trial.measurement->ratio < 1)
      faster.push_back(&trial);
  std::ranges::sort(faster, std::less(), [](const Trial *trial) {
    return trial->measurement->ratio;
  });
  Json byDefault = kernel.space.values(kernel.space.defaultConfiguration());
  std::vector<Json> values;
  auto add = [&](const Json &each) {
    if (std::ranges::find(values, each) == values.end())
      values.push_back(each);
  };
  if (kernel.decision.values != byDefault)
    add(kernel.decision.values);
  for (const Trial *trial : faster)
    if (values.size() < mostAlternatives)
      add(kernel.space.values(trial->configuration));
  if (values.empty())
    return std::nullopt;
  add(byDefault);
  KernelAlternatives found = {kernel.kernel, {}};
  for (const Json &each : values)
    found.values.push_back(toModelValues(kernel.kernel, each));
  return found;
}

/// Returns the seconds to keep for the comparison in the model.
double ModelTuner::computeSecondsForModel(double compileSeconds) const {
  double budget = options.effort.budget.seconds;
  if (std::isinf(budget))
    return 0;
  double timed = 0;
  for (const ModelKernelOutcome &kernel : outcome->kernels)
    timed += kernel.seconds > 0 ? kernel.share : 0;
  double seconds = timed > 0 ? outcome->seconds() / timed : 0;
  return std::clamp(leastModelTrials * compileSeconds + modelLaunches * seconds,
                    leastShareOfModel * budget, mostShareOfModel * budget);
}

/// Fails if the model has not the knobs of its kernels, as after an edit.
static Result<void, LocatedError> checkKnobs(const ModelKernels &formed,
                                             const SearchSpace &space) {
  auto isKnown = [&](const std::string &name) {
    return std::ranges::any_of(
        space.knobs(), [&](const Knob &knob) { return knob.name == name; });
  };
  for (const ModelKernel &kernel : formed.kernels) {
    func::FuncOp function = kernel.function;
    auto own = extractSearchSpace(function);
    if (failed(own))
      return LocatedError{"the knobs of kernel '" + kernel.name +
                          "' cannot be read"};
    for (const Knob &knob : own->knobs())
      if (std::string name = getModelKnobName(function.getSymName(), knob.name);
          !isKnown(name))
        return LocatedError{"the kernels of the function have knob '" + name +
                            "', but the function has not; give "
                            "'--whole-function', or the function without "
                            "tonno's attributes"};
  }
  return {};
}

/// Opens the model in the compiler again, after its kernels. An interrupted
/// compiler takes no more.
Result<void, LocatedError> ModelTuner::reopen(const TuningProblem &problem) {
  if (options.interrupted())
    return {};
  auto opened = compiler.open(problem.source);
  if (!opened && !options.interrupted())
    return opened.error();
  return {};
}

/// Compiles what the model's candidates are compared with. Returns the seconds
/// that this takes, 0 if it is interrupted.
Result<double, LocatedError> ModelTuner::compileModel(TuningProblem &problem) {
  TONNO_TRY(reopen(problem));
  if (options.interrupted())
    return 0.0;
  double begin = steadySeconds();
  auto compiled = compileProblem(compiler, problem);
  if (!compiled && options.interrupted())
    return 0.0;
  if (!compiled)
    return compiled.error();
  if (problem.againstDefault)
    problem.againstDefault = std::move(*compiled);
  return steadySeconds() - begin;
}

Result<SearchPlan, LocatedError>
ModelTuner::planSearch(TuningProblem &problem) {
  auto host = hostTraits(options.chip);
  if (!host)
    return LocatedError{host.error().message};
  ModelKernels formed = formModelKernels(model, *host);
  if (auto same = checkKnobs(formed, problem.space); !same)
    return same.error();
  outcome = std::make_shared<ModelOutcome>();
  outcome->isAgainstDefault = problem.againstDefault.has_value();
  listKernels(formed);
  profile(formed, shareBeforeTuning);
  TONNO_TRY(tuneFirst(formed, computeSecondsForModel(/*compileSeconds=*/0) +
                                  computeSecondsToVerify()));
  double compileSeconds = TONNO_TRY(compileModel(problem));
  profile(formed, /*share=*/1);
  double reserved = computeSecondsForModel(compileSeconds);
  TONNO_TRY(tuneKernels(formed, reserved + computeSecondsToVerify()));
  if (outcome->isAgainstDefault)
    TONNO_TRY(verifyDefaults(formed, reserved));
  std::vector<KernelAlternatives> alternatives;
  Json best = problem.space.values(problem.space.defaultConfiguration());
  for (const ModelKernelOutcome &kernel : outcome->kernels) {
    if (!kernel.tuned)
      continue;
    best.update(toModelValues(kernel.kernel, kernel.tuned->decision.values));
    if (auto found = findAlternatives(*kernel.tuned))
      alternatives.push_back(std::move(*found));
  }
  TONNO_TRY(reopen(problem));
  double budgetSeconds = options.effort.budget.seconds;
  Budget budget = {
      mostModelTrials,
      std::isinf(budgetSeconds)
          ? budgetSeconds
          : std::max(getSecondsLeft(), leastShareOfModel * budgetSeconds)};
  return SearchPlan{
      budget,
      std::make_unique<ModelSearch>(problem.space, std::move(alternatives)),
      std::move(best)};
}

/// Returns the number of groups of ops that `tonno.kernels` states.
static int64_t countGroups(func::FuncOp model) {
  int64_t groups = 0;
  for (NamedAttribute kernel :
       model->getAttrOfType<DictionaryAttr>(TonnoDialect::kKernels))
    if (auto own =
            cast<DictionaryAttr>(kernel.getValue()).getAs<IntegerAttr>("calls"))
      groups += own.getInt();
  return groups;
}

Result<KernelOutcome, LocatedError> ModelTuner::tune(TuningProblem problem) {
  start = steadySeconds();
  device = problem.device;
  if (!model->hasAttr(TonnoDialect::kReference) &&
      countGroups(model) > mostGroupsOfReference)
    problem.againstDefault = describeAgainstDefault(model);
  SearchPlanner planner = {[&] { return planSearch(problem); },
                           {{"stop_at_gain", options.stopAtGain}}};
  auto decided = TONNO_TRY(tuner.tune(problem, &planner));
  decided.model = outcome;
  return decided;
}
