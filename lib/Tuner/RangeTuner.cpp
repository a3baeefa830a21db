//===- Tuning of one kernel for many shapes -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RangeTuner.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/Constraint.h"
#include "tonno/Transforms/Dispatch.h"
#include "tonno/Transforms/DynamicDimensions.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "CapturedError.h"
#include "KernelShapes.h"
#include "SizeDefaults.h"
#include "VariantValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace mlir;
using namespace tonno;

/// Divides the budget for searches at all shapes but the first, which begin at
/// the winners of others.
static constexpr uint64_t divisorOfNext = 8;
static constexpr uint64_t leastTrialsOfNext = 6;

/// Part of the records' key; increase it if the choice is made in another way.
static constexpr int rangeVersion = 1;

/// Random shapes at which the result is verified, beside those where it is
/// measured.
static constexpr size_t shapesVerified = 3;

/// The most winners of other shapes that a search begins at.
static constexpr size_t mostNearestWinners = 3;

/// Rounds of measuring variants where they were not tried, and choosing again.
static constexpr unsigned mostRounds = 3;

/// Estimated regret with which a configuration may still be the best.
static constexpr double worthMeasuring = 1.4;

/// The most configurations of other shapes that are measured at a shape, after
/// all searches: where it had one itself, and between these.
static constexpr size_t mostAtAnchor = 3, mostAtProbe = 5;

/// About as many configurations are tried for conditions.
static constexpr size_t mostChecked = 64;

/// Time over the default's of a variant that failed at a shape.
static constexpr double neverChosen = 1e6;

Result<void> tonno::checkOptionsOfRange(const TunerOptions &options) {
  const OracleOptions &oracle = options.oracle;
  const char *flag = oracle.objective            ? "'--objective'"
                     : !oracle.front.empty()     ? "'--pareto'"
                     : !oracle.limits.empty()    ? "'--limit'"
                     : oracle.bits == Bits::same ? "'--bits=same'"
                     : options.results           ? "'--results'"
                     : !options.bundle.empty()   ? "'--bundle'"
                                                 : nullptr;
  if (flag)
    return Error{std::string(flag) +
                 " does not apply to ranges of shapes; omit it, or give each "
                 "dimension one size by '--shapes'"};
  return {};
}

RangeTuner::RangeTuner(func::FuncOp kernel, const TunerOptions &options,
                       Compiler &compiler, Runner &runner, KernelTuner &tuner,
                       TuneObserver &observer, DeviceDescription device)
    : kernel(kernel), options(options), compiler(compiler), runner(runner),
      tuner(tuner), observer(observer), device(std::move(device)),
      limits(options.variants), outcome(std::make_shared<RangeOutcome>()) {}

static LocatedError at(ArrayRef<Dimension> sizes, LocatedError error) {
  if (sizes.empty())
    return error;
  error.message = "at " + formatDimensions(sizes, ", ") + ": " + error.message;
  return error;
}

Result<void, LocatedError> RangeTuner::chooseShapes() {
  auto found = TONNO_TRY(KernelShapes::find(kernel));
  shapes = std::move(found.stated);
  points = found.anchors;
  llvm::append_range(points, found.probes);
  for (AnchorShape &shape : found.anchors)
    anchors.push_back({std::move(shape)});
  return {};
}

/// Returns what `read` reads, or the first error that it emits.
template <typename T>
static Result<T, LocatedError>
captureErrorAt(MLIRContext *context, ArrayRef<Dimension> sizes,
               function_ref<FailureOr<T>()> read) {
  auto found = captureError<T>(context, read);
  if (!found)
    return at(sizes, LocatedError{found.error().message});
  return std::move(*found);
}

Result<TuningProblem, LocatedError>
RangeTuner::read(func::FuncOp function, ArrayRef<Dimension> sizes) {
  return captureErrorAt<TuningProblem>(function.getContext(), sizes, [&] {
    return readProblem(function, options, compiler, device, sizes);
  });
}

Result<SearchSpace, LocatedError>
RangeTuner::readSpace(ArrayRef<Dimension> sizes) const {
  func::FuncOp function = kernel;
  return captureErrorAt<SearchSpace>(function.getContext(), sizes, [&] {
    return tonno::readSpace(kernel, options, sizes);
  });
}

static double distance(ArrayRef<Dimension> one, ArrayRef<Dimension> other) {
  double sum = 0;
  for (auto [size, second] : llvm::zip_equal(one, other))
    sum += std::abs(std::log2(static_cast<double>(size.size) /
                              static_cast<double>(second.size)));
  return sum;
}

Result<void, LocatedError> RangeTuner::checkInterrupt() const {
  if (options.interrupted())
    return LocatedError{"interrupted before all shapes were measured; the same "
                        "command goes on with those that the cache has"};
  return {};
}

/// Returns the winners of the shapes that were tuned, the nearest first.
std::vector<StartingPoint>
RangeTuner::findNearestWinners(ArrayRef<Dimension> sizes) const {
  std::vector<std::pair<double, const Anchor *>> tuned;
  for (const Anchor &anchor : anchors)
    if (anchor.tuned)
      tuned.emplace_back(distance(anchor.shape.sizes, sizes), &anchor);
  llvm::sort(tuned, llvm::less_first());
  std::vector<StartingPoint> winners;
  for (auto [far, anchor] : tuned) {
    auto winner =
        anchor->tuned->space.configuration(anchor->tuned->decision.values);
    if (winner && winners.size() < mostNearestWinners &&
        llvm::none_of(winners, [&](const StartingPoint &known) {
          return known.configuration == *winner;
        }))
      winners.push_back(
          {*winner, "best at " + formatDimensions(anchor->shape.sizes, ", ")});
  }
  return winners;
}

Result<void, LocatedError> RangeTuner::tuneAnchors() {
  // From the middle outwards, so that each has a neighbour that was tuned.
  std::vector<Dimension> middle;
  for (const SizeRange &range : shapes.ranges)
    middle.push_back({range.name, static_cast<int64_t>(std::sqrt(
                                      static_cast<double>(range.low) *
                                      static_cast<double>(range.high)))});
  std::vector<std::pair<double, size_t>> order;
  for (auto [i, anchor] : llvm::enumerate(anchors))
    order.emplace_back(distance(anchor.shape.sizes, middle), i);
  llvm::sort(order);
  auto annotate = annotatorFor(options.target, options.chip);
  if (!annotate)
    return LocatedError{annotate.error().message};
  bool isFirst = true;
  for (auto [far, i] : order) {
    TONNO_TRY(checkInterrupt());
    Anchor &anchor = anchors[i];
    auto problem = TONNO_TRY(read(kernel, anchor.shape.sizes));
    SearchPlan plan = {options.effort.budget};
    plan.startingPoints = findNearestWinners(anchor.shape.sizes);
    llvm::erase_if(plan.startingPoints, [&](const StartingPoint &point) {
      return !problem.space.isLegal(point.configuration);
    });
    if (auto ofSize = findDefaultAtSizes(kernel, anchor.shape.sizes, *annotate,
                                         problem.space))
      plan.startingPoints.insert(plan.startingPoints.begin(),
                                 {*ofSize, "the default at these sizes"});
    for (const Json &values : kept)
      if (auto variant = problem.space.configuration(values))
        plan.startingPoints.push_back({*variant, "a variant that is kept"});
    if (!std::exchange(isFirst, false)) {
      plan.budget.trials = std::min(
          plan.budget.trials,
          std::max(leastTrialsOfNext, plan.budget.trials / divisorOfNext));
      plan.budget.seconds /= divisorOfNext;
    }
    SearchPlanner planner = {
        [&]() -> Result<SearchPlan, LocatedError> { return std::move(plan); },
        {{"in_range", plan.budget.trials}},
        /*seconds=*/std::nullopt,
        options.leastGain,
        options.stopAtLimit};
    auto tuned = tuner.tune(problem, &planner);
    if (!tuned)
      return at(anchor.shape.sizes, tuned.error());
    if (tuned->decision.comparison.verdict == Verdict::no_baseline)
      return at(anchor.shape.sizes,
                LocatedError{"the default failed, which shapes without a "
                             "variant get"});
    tuned->sizes = anchor.shape.sizes;
    keptFailures += tuned->keptFailures;
    trials += tuned->trials.size();
    observer.tunedAtShape(*tuned);
    anchor.tuned = std::move(*tuned);
  }
  return {};
}

size_t RangeTuner::getNumber(const Configuration &configuration) {
  auto known = std::ranges::find(configurations, configuration);
  if (known != configurations.end())
    return known - configurations.begin();
  configurations.push_back(configuration);
  for (auto [point, ofShape] : llvm::enumerate(times.times)) {
    ofShape.emplace_back();
    times.isBarred[point].push_back(!spaces[point].isLegal(configuration));
  }
  return configurations.size() - 1;
}

/// Collects the times that the searches took, over those of the default.
void RangeTuner::collectTimes() {
  times.times.resize(points.size());
  times.isBarred.resize(points.size());
  for (const AnchorShape &point : points) {
    times.weights.push_back(point.weight);
    times.cells.push_back(point.cell);
    auto &distances = times.distances.emplace_back();
    for (const AnchorShape &other : points)
      distances.push_back(distance(point.sizes, other.sizes));
  }
  size_t standard = getNumber(space.defaultConfiguration());
  for (const Anchor &anchor : anchors)
    if (auto winner = space.configuration(anchor.tuned->decision.values))
      getNumber(*winner);
  for (const Json &values : kept)
    if (auto variant = space.configuration(values))
      limits.kept.push_back(getNumber(*variant));
  for (auto [shape, anchor] : llvm::enumerate(anchors)) {
    auto &ofShape = times.times[shape];
    for (const Trial &trial : anchor.tuned->trials) {
      auto known = std::ranges::find(configurations, trial.configuration);
      if (known == configurations.end())
        continue;
      auto &time = ofShape[known - configurations.begin()];
      if (trial.ok() && trial.measurement)
        time = trial.measurement->ratio;
      else if (isLasting(trial.status) && trial.status != Status::pruned)
        time = neverChosen;
    }
    // The final test's times are of other runs than those it was chosen by.
    const Comparison &comparison = anchor.tuned->decision.comparison;
    auto winner = space.configuration(anchor.tuned->decision.values);
    if (winner && comparison.seconds.n > 0 && comparison.baselineSeconds.n > 0)
      ofShape[getNumber(*winner)] =
          comparison.chosenSeconds() / comparison.baselineSeconds.median;
  }
  for (auto &ofShape : times.times)
    ofShape[standard] = 1;
}

/// Opens the runner for a problem, which the compiler has open.
static Result<void, LocatedError> openRunner(Runner &runner, Compiler &compiler,
                                             const TuningProblem &problem,
                                             const TunerOptions &options) {
  auto session = TONNO_TRY(createRunnerSession(compiler, problem, options));
  if (auto opened = runner.open(session); !opened)
    return LocatedError{opened.error().message};
  return {};
}

static Result<Artifact, LocatedError> compile(Compiler &compiler,
                                              const Json &values) {
  auto artifact = compileConfiguration(compiler, values);
  if (!artifact)
    return LocatedError{artifact.error().message};
  return std::move(*artifact);
}

/// Verifies a candidate and times it beside another. Retries once where the
/// failure may be environmental.
RunResult RangeTuner::measure(const Artifact &candidate,
                              const Artifact &baseline) {
  RunRequest request;
  request.candidate = candidate;
  request.baseline = baseline;
  request.waitSeconds = options.effort.budget.secondsToWait(0);
  RunResult result = runner.run(request);
  if (!isLasting(result.status) && !options.interrupted())
    result = runner.run(request);
  isContended |= result.measurement && result.measurement->contended;
  return result;
}

/// Returns the error for a result that says nothing of the candidate.
static LocatedError explainLoss(ArrayRef<Dimension> sizes,
                                const RunResult &result) {
  return at(sizes, LocatedError{std::string(toString(result.status)) + ": " +
                                result.message});
}

/// Measures configurations at a shape, beside the default.
Result<void, LocatedError> RangeTuner::measureAt(size_t shape,
                                                 ArrayRef<size_t> numbers) {
  TONNO_TRY(checkInterrupt());
  auto problem = TONNO_TRY(read(kernel, points[shape].sizes));
  TONNO_TRY(openRunner(runner, compiler, problem, options));
  auto baseline =
      TONNO_TRY(compile(compiler, space.values(space.defaultConfiguration())));
  for (size_t number : numbers) {
    auto candidate =
        TONNO_TRY(compile(compiler, space.values(configurations[number])));
    RunResult result = measure(candidate, baseline);
    ++trials;
    if (!result.measurement && !isLasting(result.status))
      return explainLoss(points[shape].sizes, result);
    times.times[shape][number] =
        result.measurement ? result.measurement->ratio : neverChosen;
  }
  return {};
}

/// Measures what may be the best at each shape, and was found at others.
Result<void, LocatedError> RangeTuner::measureNeighbours() {
  for (size_t shape = 0; shape < points.size(); ++shape) {
    size_t most = shape < anchors.size() ? mostAtAnchor : mostAtProbe;
    std::vector<std::pair<double, size_t>> likely;
    for (size_t i = 0; i < configurations.size(); ++i)
      if (double regret = times.regret(shape, i);
          !times.times[shape][times.getTaken(shape, i)] &&
          regret <= worthMeasuring)
        likely.emplace_back(regret, i);
    llvm::sort(likely);
    std::vector<size_t> numbers;
    for (auto [regret, i] : likely)
      if (numbers.size() < most)
        numbers.push_back(i);
    if (!numbers.empty())
      TONNO_TRY(measureAt(shape, numbers));
  }
  return {};
}

/// Measures variants at shapes where they may be the best, and were not tried.
/// Returns true if there were any.
Result<bool, LocatedError> RangeTuner::measureMissing() {
  bool isAny = false;
  for (size_t shape = 0; shape < points.size(); ++shape) {
    size_t chosen = choice.configurations[choice.ofCells[points[shape].cell]];
    std::vector<size_t> missing;
    for (size_t variant : choice.configurations)
      if (!times.times[shape][times.getTaken(shape, variant)] &&
          (variant == chosen ||
           times.regret(shape, variant) <= times.regret(shape, chosen)))
        missing.push_back(variant);
    if (missing.empty())
      continue;
    isAny = true;
    TONNO_TRY(measureAt(shape, missing));
  }
  return isAny;
}

/// Chooses the variants, of which those that may be the best at a shape were
/// measured there.
Result<void, LocatedError> RangeTuner::choose() {
  for (unsigned round = 0; round < mostRounds; ++round) {
    choice = chooseVariants(times, limits);
    auto isAny = TONNO_TRY(measureMissing());
    if (!isAny)
      break;
  }
  choice = chooseVariants(times, limits);
  return {};
}

void RangeTuner::describeChoice() {
  outcome = std::make_shared<RangeOutcome>();
  for (size_t variant : choice.configurations)
    outcome->variants.push_back(space.values(configurations[variant]));
  outcome->conditions = conditions;
  for (auto [shape, point] : llvm::enumerate(points)) {
    ShapeOutcome &described = outcome->shapes.emplace_back();
    described.sizes = point.sizes;
    described.weight = point.weight;
    size_t variant = choice.ofCells[point.cell],
           chosen = choice.configurations[variant],
           best = times.getTaken(shape, chosen);
    described.variant = best == chosen ? variant : outcome->variants.size();
    const auto &ofShape = times.times[shape];
    for (size_t i = 0; i < ofShape.size(); ++i)
      if (ofShape[i] && *ofShape[i] < ofShape[best].value_or(neverChosen))
        best = i;
    described.best = space.values(configurations[best]);
  }
  outcome->table =
      makeTable(shapes, ArrayRef(points).take_front(anchors.size()).vec(),
                choice.ofCells);
}

/// Measures the kernel that dispatches beside the best configuration at one of
/// the shapes.
Result<void, LocatedError> RangeTuner::checkAt(size_t point,
                                               func::FuncOp dispatch) {
  TONNO_TRY(checkInterrupt());
  ShapeOutcome &shape = outcome->shapes[point];
  auto alone = TONNO_TRY(read(kernel, shape.sizes));
  auto best = TONNO_TRY(compile(compiler, shape.best));
  auto standard =
      TONNO_TRY(compile(compiler, space.values(space.defaultConfiguration())));
  auto problem = TONNO_TRY(read(dispatch, shape.sizes));
  TONNO_TRY(openRunner(runner, compiler, problem, options));
  auto whole = compileDefault(compiler, problem.space);
  if (!whole)
    return at(shape.sizes, LocatedError{whole.error().message});
  outcome->artifactHash = whole->hash();
  RunResult overBest = measure(*whole, best),
            overDefault = measure(*whole, standard);
  for (const RunResult *result : {&overBest, &overDefault})
    if (!result->measurement && !isLasting(result->status))
      return explainLoss(shape.sizes, *result);
  // For the next choice.
  auto &ofShape = times.times[point];
  size_t chosen = choice.configurations[choice.ofCells[points[point].cell]];
  auto &ofVariant = ofShape[times.getTaken(point, chosen)];
  if (!overBest.measurement || !overDefault.measurement) {
    ofVariant = neverChosen;
    dispatchError =
        at(shape.sizes, LocatedError{"the kernel that dispatches fails: " +
                                     std::string(toString(overBest.status)) +
                                     ": " + overBest.message});
    return {};
  }
  const Measurement &measured = *overBest.measurement;
  double ratio = overDefault.measurement->ratio;
  shape.regret = std::max(1.0, measured.ratio);
  shape.bestSeconds =
      std::min(measured.baselineSeconds.median, measured.seconds.median);
  shape.speedup = 1 / ratio;
  ofShape[getNumber(*space.configuration(shape.best))] = ratio / measured.ratio;
  ofVariant = ratio;
  return {};
}

Result<void, LocatedError> RangeTuner::verifyBetween(func::FuncOp dispatch) {
  std::mt19937_64 random(options.seed);
  for (size_t i = 0; i < shapesVerified; ++i) {
    std::vector<Dimension> sizes;
    for (const SizeRange &range : shapes.ranges) {
      // Small sizes fail most often: their parts are the smallest.
      double low = std::log2(static_cast<double>(range.low)),
             high = std::log2(static_cast<double>(range.high)),
             part = static_cast<double>(random() >> 11) * 0x1p-53;
      auto size = static_cast<int64_t>(std::exp2(low + part * (high - low)));
      sizes.push_back({range.name, std::clamp(size, range.low, range.high)});
    }
    if (llvm::is_contained(outcome->verified, sizes))
      continue;
    TONNO_TRY(checkInterrupt());
    auto problem = TONNO_TRY(read(dispatch, sizes));
    auto verified =
        TONNO_TRY(tuner.verify(problem, problem.space.defaultConfiguration(),
                               options.effort.budget.secondsToOpen()));
    if (verified.status != Status::ok)
      return at(sizes, LocatedError{"the kernel that dispatches fails: " +
                                    std::string(toString(verified.status)) +
                                    ": " + verified.message});
    outcome->verified.push_back(std::move(sizes));
  }
  return {};
}

/// Writes the kernel that dispatches into a copy of the module.
Result<OwningOpRef<ModuleOp>, LocatedError> RangeTuner::writeDispatch() {
  std::vector<Configuration> variants;
  for (size_t variant : choice.configurations)
    variants.push_back(configurations[variant]);
  return captureErrorAt<OwningOpRef<ModuleOp>>(
      kernel.getContext(), {}, [&]() -> FailureOr<OwningOpRef<ModuleOp>> {
        OwningOpRef<ModuleOp> copy =
            cast<ModuleOp>(kernel->getParentOp()->clone());
        auto function = copy->lookupSymbol<func::FuncOp>(kernel.getSymName());
        if (failed(makeDispatch(function, space, variants, outcome->table)))
          return failure();
        return std::move(copy);
      });
}

/// Fails before anything is tuned if a constraint over sizes cannot be a
/// variant's condition: tries the options of the knobs that it names.
Result<void, LocatedError> RangeTuner::checkConditions() {
  std::vector<Configuration> tried = {space.defaultConfiguration()};
  for (auto [i, knob] : llvm::enumerate(space.knobs())) {
    bool isNamed = llvm::any_of(conditions, [&](const std::string &condition) {
      return llvm::is_contained(Constraint::parse(condition)->getNames(),
                                knob.name);
    });
    size_t before = tried.size();
    for (uint32_t option = 0;
         isNamed && option < knob.options.size() && tried.size() < mostChecked;
         ++option)
      for (size_t k = 0; k < before && option != knob.defaultIndex; ++k) {
        tried.push_back(tried[k]);
        tried.back().indices[i] = option;
      }
  }
  outcome->table = makeTable(shapes, {points.front()}, {0});
  choice.configurations = {0};
  for (Configuration &configuration : tried) {
    configurations = {std::move(configuration)};
    TONNO_TRY(writeDispatch());
  }
  configurations.clear();
  choice = {};
  return {};
}

/// Measures the kernel that dispatches, and chooses again by these times, which
/// are of the variants beside each other. Keeps the choice with the least
/// regret.
Result<void, LocatedError> RangeTuner::check() {
  std::shared_ptr<RangeOutcome> least;
  VariantChoice ofLeast;
  for (unsigned round = 0; round < mostRounds; ++round) {
    describeChoice();
    auto module = TONNO_TRY(writeDispatch());
    dispatchError.reset();
    for (size_t i = 0; i < points.size(); ++i)
      TONNO_TRY(
          checkAt(i, module->lookupSymbol<func::FuncOp>(kernel.getSymName())));
    VariantChoice checked = choice;
    if (!dispatchError && (!least || outcome->cost() < least->cost())) {
      least = outcome;
      ofLeast = checked;
    }
    bool isGood =
        !dispatchError && outcome->worst().regret <= options.variants.regret;
    if (isGood)
      break;
    TONNO_TRY(choose());
    if (choice == checked)
      break;
  }
  if (!least)
    return *dispatchError;
  outcome = least;
  choice = ofLeast;
  auto module = TONNO_TRY(writeDispatch());
  return verifyBetween(module->lookupSymbol<func::FuncOp>(kernel.getSymName()));
}

/// Returns the key of the record for all shapes, given the problem at one.
std::string RangeTuner::computeKey(const TuningProblem &problem,
                                   const Json &effort) const {
  ProblemIdentity identity = problem.identity;
  identity.policy.erase("sizes");
  Json search = describeSearch({{"effort", effort}}, options);
  search["range_version"] = rangeVersion;
  search["range"] = shapes;
  search["max_variants"] = options.variants.most;
  search["regret"] = options.variants.regret;
  if (!kept.empty())
    search["kept"] = kept;
  return identity.decisionKey(problem.space, search);
}

/// Describes the kernel, with its defaults as the decision.
KernelOutcome RangeTuner::describe(const TuningProblem &problem) {
  KernelOutcome described;
  described.kernel = kernel.getSymName().str();
  described.space = space;
  described.device = problem.device;
  described.chip = problem.compiled.chip;
  described.mode = options.mode;
  described.oracle = options.oracle;
  described.key = key;
  described.decision.kernel = described.kernel;
  described.decision.seed = options.seed;
  described.decision.versions = problem.compiled.versions;
  described.decision.values = space.values(space.defaultConfiguration());
  return described;
}

/// Returns the decision that the cache has for all shapes; none if there is
/// none, or if it compiles to another binary here.
Result<std::shared_ptr<RangeOutcome>, LocatedError> RangeTuner::findKnown() {
  auto record = tuner.records().find(key);
  auto known =
      record ? decode<RangeOutcome>(*record) : Result<RangeOutcome>(Error{""});
  if (!known)
    return std::shared_ptr<RangeOutcome>();
  configurations.clear();
  choice = {};
  for (const Json &values : known->variants) {
    auto configuration = space.configuration(values);
    if (!configuration)
      return std::shared_ptr<RangeOutcome>();
    choice.configurations.push_back(configurations.size());
    configurations.push_back(std::move(*configuration));
  }
  outcome = std::make_shared<RangeOutcome>(std::move(*known));
  auto module = TONNO_TRY(writeDispatch());
  auto whole =
      TONNO_TRY(read(module->lookupSymbol<func::FuncOp>(kernel.getSymName()),
                     anchors.front().shape.sizes));
  auto artifact = compileDefault(compiler, whole.space);
  if (artifact && artifact->hash() == outcome->artifactHash)
    return outcome;
  observer.warn("the cache's decision for @" + kernel.getSymName().str() +
                " is not used: it compiles here to a binary other than the "
                "measured one");
  return std::shared_ptr<RangeOutcome>();
}

/// Returns the decision that the cache has for all shapes, or the default where
/// nothing is to be measured; none if the kernel is to be tuned.
Result<std::optional<KernelOutcome>, LocatedError>
RangeTuner::recall(const TuningProblem &problem) {
  KernelOutcome recalled = describe(problem);
  if (!options.isOff())
    recalled.range = TONNO_TRY(findKnown());
  if (recalled.range) {
    recalled.source = "the cache";
    return std::make_optional(std::move(recalled));
  }
  configurations.clear();
  choice = {};
  if (options.requiresCache())
    return LocatedError{"the cache has no decision for @" + recalled.kernel +
                        " with these shapes, effort, compiler and device; tune "
                        "it with '--mode=tune' first"};
  if (!options.isOff() && !options.effort.isNone)
    return std::optional<KernelOutcome>();
  recalled.isUnmeasured = true;
  return std::make_optional(std::move(recalled));
}

/// Keeps the decision, under its effort and as the latest for these shapes.
void RangeTuner::keep(const TuningProblem &problem) {
  if (isContended) {
    observer.warn("the decision of @" + kernel.getSymName().str() +
                  " is contended: other processes used the device while it "
                  "was measured; the cache does not keep it");
    return;
  }
  for (const std::string &each : {key, computeKey(problem, latestSearch)})
    if (auto kept = tuner.records().insert(each, Json(*outcome)); !kept)
      return observer.warn(kept.error().message);
}

Result<KernelOutcome, LocatedError> RangeTuner::tune() {
  TONNO_TRY(chooseShapes());
  // The records of a shape are those of any range.
  Attribute text = kernel->removeAttr(TonnoDialect::kShapes);
  kept = readVariants(kernel);
  kernel->removeAttr(TonnoDialect::kTuned);
  auto decided = tuneStated();
  kernel->setAttr(TonnoDialect::kShapes, text);
  return decided;
}

Result<KernelOutcome, LocatedError> RangeTuner::tuneStated() {
  space = TONNO_TRY(readSpace({}));
  conditions = TONNO_TRY(captureErrorAt<std::vector<std::string>>(
      kernel.getContext(), {}, [&]() -> FailureOr<std::vector<std::string>> {
        return findSizeConstraints(extractClosure(kernel)->getOperation());
      }));
  spaces.assign(points.size(), space);
  if (!conditions.empty()) {
    for (auto [point, atSizes] : llvm::zip_equal(points, spaces))
      atSizes = TONNO_TRY(readSpace(point.sizes));
    TONNO_TRY(checkConditions());
  }
  auto first = TONNO_TRY(read(kernel, anchors.front().shape.sizes));
  key = computeKey(first, options.effort.isNone ? Json(latestSearch)
                                                : effortJson(options.effort));
  auto known = TONNO_TRY(recall(first));
  if (known)
    return std::move(*known);
  TONNO_TRY(tuneAnchors());
  collectTimes();
  TONNO_TRY(measureNeighbours());
  TONNO_TRY(choose());
  TONNO_TRY(check());
  outcome->trials = trials;
  KernelOutcome decided = describe(first);
  decided.range = outcome;
  decided.keptFailures = keptFailures;
  decided.failureDirectory = options.failureDirectory;
  keep(first);
  return decided;
}
