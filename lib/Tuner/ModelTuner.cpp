//===- Tunes a model kernel by kernel -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelTuner.h"
#include "tonno/Backend/Compile.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/DefaultSchedule.h"
#include "tonno/Transforms/ModelKernels.h"
#include "ModelProfile.h"
#include "ModelSearch.h"
#include "ModelVerifier.h"

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
/// Kernels with this share of all work are timed before the first
/// session.
static constexpr double shareBeforeTuning = 0.5;
/// The first session tunes the kernel with the most work of those that
/// take this share of the longest one's time. It is the same one in each run,
/// also among kernels that take about the same time, so that its decision in
/// the cache has had about the same seconds.
static constexpr double leastShareOfLongest = 0.5;
/// Share of the budget to keep for winners, which are verified on the model's
/// values, and for the defaults of kernels that are not tuned.
static constexpr double shareOfVerification = 0.15;
/// Share of these seconds that winners leave to defaults.
static constexpr double shareOfDefaults = 0.5;
/// Groups of ops up to which a function is compared with its reference in f64;
/// beyond, the reference would take longer than the search.
static constexpr int64_t mostGroupsOfReference = 4;
/// Limit of trials in the model: the budget's seconds end them.
static constexpr uint64_t mostModelTrials = 1000;

/// Returns the seconds for the first of these kernels: its part, by its share,
/// of what as many of them have for which the seconds suffice. A kernel that
/// has had its session gets none.
double
ModelTuner::computeSecondsOfFirst(const ModelProfile &profile,
                                  std::span<const ModelKernelOutcome> kernels,
                                  double seconds) const {
  double shares = 0, found = seconds;
  for (size_t n = 1; n <= kernels.size(); ++n) {
    shares += kernels[n - 1].kernel == first ? 0 : kernels[n - 1].share;
    bool suffices =
        std::ranges::all_of(kernels.first(n), [&](const auto &kernel) {
          return kernel.kernel == first ||
                 seconds * kernel.share / shares >=
                     profile.getLeastSeconds(kernel.kernel);
        });
    if (suffices)
      found = seconds * kernels.front().share / shares;
  }
  return found;
}

/// Tunes a kernel that surely takes much of the time, before others are timed.
Result<void, LocatedError> ModelTuner::tuneFirst(ModelKernels &formed,
                                                 const ModelProfile &profile,
                                                 double reserved) {
  auto &kernels = outcome->kernels;
  for (ModelKernel &each : formed.kernels) {
    std::string name = each.function.getSymName().str();
    auto kernel = std::ranges::find(kernels, name, &ModelKernelOutcome::kernel);
    if (context.options.interrupted())
      break;
    if (!profile.isTimed(name) ||
        kernel->share < leastShareOfLongest * kernels.front().share)
      continue;
    auto problem = context.read(each.function);
    if (failed(problem) || problem->space.knobs().empty())
      continue;
    double available = context.getSecondsLeft() - reserved;
    if (available < profile.getLeastSeconds(kernel->kernel))
      break;
    std::rotate(kernels.begin(), kernel, std::next(kernel));
    Budget budget = context.options.effort.budget;
    budget.seconds = computeSecondsOfFirst(profile, kernels, available);
    first = name;
    return tuneKernel(*problem, budget, kernels.front());
  }
  return {};
}

/// Tunes the kernels that take most of the time, as many as there is time for.
/// Seconds that a session leaves are for the others. The others have the
/// decisions that the cache knows.
Result<void, LocatedError> ModelTuner::tuneKernels(ModelKernels &formed,
                                                   const ModelProfile &profile,
                                                   double reserved) {
  double shareLeft = 1, shareWithoutTime = 0;
  for (const ModelKernelOutcome &kernel : outcome->kernels)
    shareLeft -= kernel.kernel == first ? kernel.share : 0;
  std::span<ModelKernelOutcome> left = outcome->kernels;
  for (; !left.empty(); left = left.subspan(1)) {
    ModelKernelOutcome &kernel = left.front();
    bool isTimed = profile.isTimed(kernel.kernel);
    if (context.options.interrupted())
      break;
    if (kernel.kernel == first || profile.cannotBeTimed(kernel.kernel) ||
        (isTimed && shareLeft < context.options.stopAtGain))
      continue;
    shareLeft -= kernel.share;
    auto function = formed.module->lookupSymbol<func::FuncOp>(kernel.kernel);
    auto problem = context.read(function);
    if (failed(problem) || problem->space.knobs().empty())
      continue;
    double available = context.getSecondsLeft() - reserved;
    if (isTimed && available >= profile.getLeastSeconds(kernel.kernel)) {
      Budget budget = context.options.effort.budget;
      budget.seconds = computeSecondsOfFirst(profile, left, available);
      TONNO_TRY(tuneKernel(*problem, budget, kernel));
      continue;
    }
    recallKernel(*problem, kernel);
    if (!kernel.tuned)
      shareWithoutTime += kernel.share;
  }
  if (shareWithoutTime >= context.options.stopAtGain)
    context.observer.warn("kernels that take " +
                          std::to_string(std::lround(100 * shareWithoutTime)) +
                          " % of @" + context.model.getSymName().str() +
                          " stay at their defaults, for lack of time; increase "
                          "'--budget-seconds'");
  return {};
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
      budget.seconds,
      context.options.stopAtGain / kernel.share,
      context.options.stopAtLimit};
  double begin = steadySeconds();
  auto tuned = context.tuner.tune(problem, &planner);
  if (!tuned) {
    context.warnOfDefault(kernel.name, tuned.error().text());
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
  auto known = context.tuner.recall(problem, planner);
  if (!known)
    context.warnOfDefault(kernel.kernel, known.error().text());
  else if (*known)
    addTuned(std::move(**known), steadySeconds() - begin, kernel);
}

void ModelTuner::addTuned(KernelOutcome tuned, double seconds,
                          ModelKernelOutcome &kernel) {
  kernel.isVerified = hasVerifiedDefault(tuned);
  tuned.seconds = seconds;
  outcome->trials += tuned.trials.size();
  kernel.tuned = std::move(tuned);
  context.observer.tunedInModel(kernel);
}

/// Returns the seconds to keep for verification after the sessions.
double ModelTuner::computeSecondsToVerify() const {
  double budget = context.options.effort.budget.seconds;
  return std::isinf(budget) ? 0 : shareOfVerification * budget;
}

/// Returns the values of a kernel's knobs under their names in the model.
static Json toModelValues(const std::string &kernel, const Json &values) {
  Json renamed = Json::object();
  for (const auto &[knob, value] : values.items())
    renamed[getModelKnobName(kernel, knob)] = value;
  return renamed;
}

/// Returns what is compared in the model: these configurations and the default;
/// nothing if there are none.
static std::optional<KernelAlternatives>
makeAlternatives(const KernelOutcome &kernel, std::vector<Json> values) {
  if (values.empty())
    return std::nullopt;
  values.push_back(kernel.space.values(kernel.space.defaultConfiguration()));
  KernelAlternatives made = {kernel.kernel, {}};
  for (const Json &each : values)
    made.values.push_back(toModelValues(kernel.kernel, each));
  return made;
}

/// Returns the seconds to keep for the comparison in the model.
double ModelTuner::computeSecondsForModel(double compileSeconds) const {
  double budget = context.options.effort.budget.seconds;
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
  if (context.options.interrupted())
    return {};
  auto opened = context.compiler.open(problem.source);
  if (!opened && !context.options.interrupted())
    return opened.error();
  return {};
}

/// Compiles what the model's candidates are compared with. Returns the seconds
/// that this takes, 0 if it is interrupted.
Result<double, LocatedError> ModelTuner::compileModel(TuningProblem &problem) {
  TONNO_TRY(reopen(problem));
  if (context.options.interrupted())
    return 0.0;
  double begin = steadySeconds();
  auto compiled = compileProblem(context.compiler, problem);
  if (!compiled && context.options.interrupted())
    return 0.0;
  if (!compiled)
    return compiled.error();
  if (problem.againstDefault)
    problem.againstDefault = std::move(*compiled);
  return steadySeconds() - begin;
}

Result<SearchPlan, LocatedError>
ModelTuner::planSearch(TuningProblem &problem) {
  auto schedule =
      findDefaultSchedule(context.options.target, context.options.chip);
  if (!schedule)
    return LocatedError{schedule.error().message};
  ModelKernels formed = formModelKernels(context.model, *schedule);
  if (auto same = checkKnobs(formed, problem.space); !same)
    return same.error();
  outcome = std::make_shared<ModelOutcome>();
  outcome->isAgainstDefault = problem.againstDefault.has_value();
  ModelProfile profile(context, formed, *outcome);
  ModelVerifier verifier(context, formed, *outcome);
  profile.extend(shareBeforeTuning);
  TONNO_TRY(tuneFirst(formed, profile,
                      computeSecondsForModel(/*compileSeconds=*/0) +
                          computeSecondsToVerify()));
  double compileSeconds = TONNO_TRY(compileModel(problem));
  profile.extend(/*share=*/1);
  double reserved = computeSecondsForModel(compileSeconds);
  TONNO_TRY(tuneKernels(formed, profile, reserved + computeSecondsToVerify()));
  TONNO_TRY(verifier.verifyWinners(reserved +
                                   shareOfDefaults * computeSecondsToVerify()));
  if (outcome->isAgainstDefault)
    TONNO_TRY(verifier.verifyDefaults(reserved));
  std::vector<KernelAlternatives> alternatives;
  Json best = problem.space.values(problem.space.defaultConfiguration());
  for (const ModelKernelOutcome &kernel : outcome->kernels) {
    if (!kernel.tuned || kernel.failsInModel())
      continue;
    best.update(toModelValues(kernel.kernel, kernel.tuned->decision.values));
    if (auto made =
            makeAlternatives(*kernel.tuned, verifier.findAlternatives(kernel)))
      alternatives.push_back(std::move(*made));
  }
  TONNO_TRY(reopen(problem));
  double budgetSeconds = context.options.effort.budget.seconds;
  Budget budget = {mostModelTrials,
                   std::isinf(budgetSeconds)
                       ? budgetSeconds
                       : std::max(context.getSecondsLeft(),
                                  leastShareOfModel * budgetSeconds)};
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

Json tonno::describeModelSearch(const TunerOptions &options) {
  return {{"stop_at_gain", options.stopAtGain}};
}

Result<KernelOutcome, LocatedError> ModelTuner::tune(TuningProblem problem) {
  if (!context.model->hasAttr(TonnoDialect::kReference) &&
      countGroups(context.model) > mostGroupsOfReference)
    problem.againstDefault = describeAgainstDefault(context.model);
  SearchPlanner planner = {[&] { return planSearch(problem); },
                           describeModelSearch(context.options)};
  auto decided = TONNO_TRY(context.tuner.tune(problem, &planner));
  decided.model = outcome;
  return decided;
}
