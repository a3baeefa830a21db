//===- Progress on a terminal ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Progress.h"
#include "tonno/Core/Duration.h"
#include "tonno/Core/PrintableText.h"
#include "tonno/Session/KernelRates.h"
#include "LiveStatus.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

using namespace tonno;

/// Number of knobs up to which their values are printed.
static constexpr size_t mostValuesInText = 32;
/// Seconds between lines of progress where nothing is rewritten: logs of CI
/// stay short, but a session that hangs is noticed.
static constexpr double secondsPerLine = 15;

std::string tonno::formatSpeedup(const Speedup &speedup) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3gx [%.4g, %.4g]", speedup.ratio,
                speedup.interval.low, speedup.interval.high);
  return text;
}

std::string tonno::formatValues(const Json &values) {
  std::string text;
  for (const auto &[name, value] : values.items())
    text += (text.empty() ? "" : " ") + name + "=" +
            (value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

std::string tonno::joinRemarks(const Environment &environment) {
  std::string text;
  for (const auto &[name, remark] : environment)
    text += (text.empty() ? "" : "; ") + remark;
  return text;
}

/// Returns "from the cache", and the mode if there is another than `tune`.
static std::string describeSource(const KernelOutcome &outcome) {
  std::string mode = outcome.mode.describe();
  return "from " + outcome.source + (mode.empty() ? "" : ", " + mode);
}

/// Returns the values that differ from the default.
static Json getChangedValues(const KernelOutcome &outcome, const Json &values) {
  Json defaults = outcome.space.values(outcome.space.defaultConfiguration());
  Json changed = Json::object();
  for (const auto &[name, value] : values.items())
    if (defaults.value(name, Json()) != value)
      changed[name] = value;
  return changed;
}

/// Returns true if the values are too many to be read.
static bool isLong(const KernelOutcome &outcome) {
  return outcome.space.knobs().size() > mostValuesInText;
}

/// Returns the chosen values, or how many of them differ from the default.
static std::string describeChoice(const KernelOutcome &outcome) {
  const Json &values = outcome.decision.values;
  return isLong(outcome)
             ? std::to_string(getChangedValues(outcome, values).size()) +
                   " of " + std::to_string(values.size()) +
                   " knobs differ from the default"
             : formatValues(values);
}

/// Describes what differs from the default: "BM 32 -> 64, BN 32 -> 256"; empty
/// if nothing does, or too much to be read.
static std::string describeChanges(const KernelOutcome &outcome) {
  if (isLong(outcome))
    return "";
  Json defaults = outcome.space.values(outcome.space.defaultConfiguration());
  auto format = [](const Json &value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::string text;
  const Json changed = getChangedValues(outcome, outcome.decision.values);
  for (const auto &[name, value] : changed.items())
    text += (text.empty() ? "" : ", ") + name + " " +
            format(defaults.value(name, Json())) + " -> " + format(value);
  return text;
}

/// Formats a rate by its prefix: "205 GFLOP/s".
static std::string formatRate(double rate, const char *unit) {
  char text[48];
  double scale = rate >= 1e12 ? 1e12 : rate >= 1e9 ? 1e9 : 1e6;
  std::snprintf(text, sizeof text, "%.3g %s%s", rate / scale,
                rate >= 1e12  ? "T"
                : rate >= 1e9 ? "G"
                              : "M",
                unit);
  return text;
}

/// Returns the unit of a kernel's operations.
static const char *getOperationUnit(const KernelWork &work) {
  return work.sum <= ElementType::f4E2M1FN ? "FLOP/s" : "OP/s";
}

/// Describes the rates: "205 GFLOP/s, 2.4 GB/s; 84 % of the limit, 244 GFLOP/s
/// of vfmadd231ps zmm on 1 thread". Empty if the work is unknown.
static std::string describeRates(const KernelOutcome &outcome) {
  KernelRates rates = outcome.computeRates();
  const char *unit = getOperationUnit(outcome.work);
  std::string text;
  if (rates.operations > 0)
    text = formatRate(rates.operations, unit);
  if (rates.bytes > 0)
    text += (text.empty() ? "" : ", ") + formatRate(rates.bytes, "B/s");
  if (!rates.limit)
    return text;
  char share[32];
  std::snprintf(share, sizeof share, "%.3g %%", 100 * rates.share);
  const DecisionRecord &decision = outcome.decision;
  text += "; " + std::string(share) + " of the limit, " +
          formatRate(rates.limit->rate, rates.limit->isMemory ? "B/s" : unit) +
          (rates.limit->isMemory ? " from " : " by ") + rates.limit->name;
  if (!decision.peaks->dataSheet.empty())
    return text + " in the data sheet of " + decision.peaks->dataSheet;
  return text + " on " + std::to_string(decision.threads) +
         (decision.threads == 1 ? " thread" : " threads");
}

/// Explains why there is no limit: "unknown: ...".
static std::string explainNoLimit(const KernelOutcome &outcome,
                                  NoLimit reason) {
  const KernelWork &work = outcome.work;
  switch (reason) {
  case NoLimit::work:
    return "unknown: the operations and bytes of the kernel are known only if "
           "it "
           "is in MLIR and linalg ops read all inputs";
  case NoLimit::device:
    return "unknown: tonno has no peaks of " + outcome.device.name;
  case NoLimit::benchmark:
    return "unknown: the peaks of the machine could not be measured";
  case NoLimit::types:
    return "unknown: tonno has no peak of multiply-adds of " +
           std::string(toString(work.operand)) + " with sums in " +
           std::string(toString(work.sum));
  case NoLimit::memory:
    return "unknown: tonno has no bandwidth of the memory that has the data";
  case NoLimit::exceeded:
    return outcome.decision.peaks->dataSheet.empty()
               ? "unknown: the kernel is faster than the peaks, which were "
                 "measured on a busy machine; remove them by 'tonno-tune "
                 "cache prune --kind=peaks' to measure again"
               : "unknown: the kernel is faster than the data sheet of " +
                     outcome.decision.peaks->dataSheet;
  }
  return "";
}

/// Describes phases: "baseline 0.41 s, search 6.2 s, test 1.9 s".
static std::string
describePhases(const std::map<SessionPhase, double> &phases) {
  std::string text;
  for (auto [phase, seconds] : phases)
    if (seconds >= 1e-3) // else nothing was done in it
      text += (text.empty() ? "" : ", ") + std::string(toString(phase)) + " " +
              formatSeconds(seconds);
  return text;
}

/// Returns the energy in joules of the default as it was measured first. Points
/// are ranked by their ratios to the default, which was measured beside each:
/// of one default, their energies have the same order.
static double findEnergyOfDefault(std::span<const FrontPoint> front) {
  for (const FrontPoint &point : front)
    if (point.energy)
      return point.energy->baselineSeconds.median;
  return 0;
}

/// Describes usage: "workspace of 0 bytes, code-size of 512 bytes".
static std::string describeUsage(const FrontPoint &point,
                                 std::span<const Resource> resources,
                                 double energyOfDefault) {
  std::string text;
  for (Resource resource : resources) {
    auto used = getUsed(point.usage, resource);
    if (resource == Resource::energy && point.energy)
      used = std::llround(1e6 * energyOfDefault / point.energy->speedup);
    text += (text.empty() ? "" : ", ") + std::string(toString(resource)) +
            " of " + (used ? describeAmount(resource, *used) : "unknown");
  }
  return text;
}

/// Describes usage: "workspace of 0 bytes instead of 65536 bytes".
static std::string describeObjective(const ObjectiveRecord &objective) {
  auto describe = [&](uint64_t used) {
    return describeAmount(objective.resource, used);
  };
  std::string text = std::string(toString(objective.resource)) + " of " +
                     describe(objective.used);
  if (objective.gain)
    return text + " instead of " + describe(objective.baselineUsed) + ", " +
           formatSpeedup(*objective.gain) + " less";
  return objective.used == objective.baselineUsed
             ? text + ", as the default"
             : text + " instead of " + describe(objective.baselineUsed);
}

/// Formats a ratio: "1.83".
static std::string formatRatio(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ratio);
  return text;
}

/// Describes the choice of a prior; empty if there is none.
static std::string describeExpectation(const PriorUse &prior) {
  if (prior.expectedSpeedup == 0)
    return {};
  return "the prior " + prior.name + " expects " +
         formatRatio(prior.expectedSpeedup) + "x the speed of the default";
}

/// Describes why a kernel has its values, of which none was measured.
static std::string describeUnmeasured(const KernelOutcome &outcome) {
  if (outcome.mode.mode == TuneMode::off)
    return "the default, " + outcome.mode.describe();
  std::string expectation = describeExpectation(outcome.prior);
  return expectation.empty()
             ? "the default, since the cache has no decision"
             : "not measured; the cache has no decision, and " + expectation;
}

std::string tonno::describeTuned(const std::string &noun,
                                 std::span<const KernelOutcome> kernels) {
  bool isPredicted = false;
  for (const KernelOutcome &kernel : kernels) {
    if (!kernel.isUnmeasured)
      return "the tuned " + noun;
    isPredicted |= kernel.prior.expectedSpeedup > 0;
  }
  return "the " + noun +
         (isPredicted ? " with what a prior expects to be fast, not measured"
                      : " with its defaults, not measured");
}

std::string tonno::summarize(const KernelOutcome &outcome) {
  const Comparison &comparison = outcome.decision.comparison;
  if (outcome.range)
    return std::to_string(outcome.range->variants.size()) + " variants, " +
           formatRatio(outcome.range->meanSpeedup()) +
           "x as fast as the default, regret at most " +
           formatRatio(outcome.range->worst().regret) + "x";
  // A kernel without knobs has none.
  std::string text = describeChoice(outcome);
  text += text.empty() ? "" : ": ";
  if (outcome.isUnmeasured)
    return text + describeUnmeasured(outcome);
  switch (comparison.verdict) {
  case Verdict::faster:
    text += formatSpeedup({comparison.speedup, comparison.speedupInterval}) +
            " faster than the default";
    break;
  case Verdict::less:
    text += describeObjective(*outcome.decision.objective) + ", " +
            formatSpeedup({comparison.speedup, comparison.speedupInterval}) +
            " as fast as the default";
    break;
  case Verdict::tie:
    text += "the default stays, nothing was shown to be ";
    text += outcome.oracle.objective ? "better" : "faster";
    break;
  case Verdict::no_baseline:
    text += "the best that ran; the default failed";
    break;
  case Verdict::interrupted:
    text += "the best so far, not tested";
    break;
  }
  if (!outcome.oracle.errors.empty())
    text += ", errors of " + toString(outcome.oracle.errors) + " accepted";
  return text +
         (outcome.source.empty() ? "" : " (" + describeSource(outcome) + ")");
}

/// Returns the number of legal points, or none if counting takes long.
static std::optional<PointCount> countLegal(const SearchSpace &space) {
  if (space.constraints().empty())
    return space.count();
  LegalPoints points(space, /*mostSteps=*/1000000);
  PointCount count = 0;
  while (points.next())
    ++count;
  if (points.hasReachedStepLimit())
    return std::nullopt;
  return count;
}

uint64_t tonno::countPlannedTrials(const SearchSpace &space,
                                   const Budget &budget) {
  return static_cast<uint64_t>(std::min<PointCount>(
      budget.trials, countLegal(space).value_or(space.count())));
}

/// Describes a space's size: "2500", "1320 legal", or bounds.
static std::string describeSize(const SearchSpace &space) {
  std::optional<PointCount> legal = countLegal(space);
  std::string size = formatCount(space.count());
  if (!legal)
    return (size.starts_with("over") ? "the legal ones of " : "at most ") +
           size;
  return formatCount(*legal) + (space.constraints().empty() ? "" : " legal");
}

/// Formats a share: "1.83 %".
static std::string formatPercent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

/// Describes what is left at most: "at most 1.19x by the machine's limit; at
/// most 1.04x in this space, at 95 %". Empty if nothing can be claimed.
static std::string describeHeadroom(const KernelOutcome &outcome) {
  std::string text;
  if (auto headroom = outcome.computeRates().headroom())
    text = "at most " + formatRatio(*headroom) + "x by the machine's limit";
  if (outcome.decision.remainingGain)
    text += (text.empty() ? "" : "; ") + std::string("at most ") +
            formatRatio(1 + *outcome.decision.remainingGain) +
            "x in this space, at 95 %, by a model of its trials";
  return text;
}

/// Describes the candidates that '--bits=same' refused.
static std::string describeRefusedBits(const DecisionRecord &decision) {
  if (!decision.otherBits)
    return "as the default gives them";
  uint64_t count = decision.otherBits->candidates;
  return "as the default gives them; " + std::to_string(count) +
         (count == 1 ? " right candidate gives" : " right candidates give") +
         " others";
}

/// Describes the gain of candidates with other bits: "1.22 ms, 3.64x [3.6,
/// 3.7], needs another order of summation".
static std::string describeOtherBits(const OtherBitsRecord &others) {
  std::string timed = "by trials of the " + std::to_string(others.timed) +
                      (others.timed == 1 ? "" : " fastest") + " of " +
                      std::to_string(others.candidates);
  if (others.timed == 0)
    return "not timed, as the budget's seconds were spent";
  if (!others.values)
    return "nothing faster, " + timed;
  return formatSeconds(others.seconds) + ", " + formatSpeedup(others.speedup) +
         ", needs " + others.needs + "; " + timed;
}

/// Pads the text to ten characters, or with one blank.
static std::string inColumn(const std::string &text) {
  return text + std::string(text.size() < 10 ? 10 - text.size() : 1, ' ');
}

void WarningPrinter::print(const std::string &text) {
  stream << toPrintable(text);
}

Progress::Progress(std::ostream &stream, std::shared_ptr<LiveRegion> region,
                   bool isVerbose, std::function<double()> now)
    : WarningPrinter(stream), region(std::move(region)), isVerbose(isVerbose),
      now(std::move(now)), status(std::make_unique<LiveStatus>()) {}

Progress::~Progress() = default;

void Progress::print(const std::string &text) {
  if (region)
    region->print(toPrintable(text));
  else
    WarningPrinter::print(text);
}

void Progress::showStatus() {
  if (region)
    region->show(
        [status = *status](double now) { return describeStatus(status, now); });
}

void Progress::finish() {
  if (region)
    region->show({});
}

void Progress::timing(const DeviceDescription &device) {
  status->device = device.name;
  std::string remarks = joinRemarks(device.environment);
  if (!remarks.empty())
    print("note: times are taken on " + device.name + ", " + remarks + "\n");
}

void Progress::started(const std::string &kernel, const SearchSpace &space,
                       const Budget &budget) {
  this->space = space;
  this->budget = budget;
  *status = LiveStatus{kernel, std::move(status->device),
                       countPlannedTrials(space, budget)};
  status->reportedAt = lineAt = now();
  showStatus();
}

void Progress::printTrial(const Trial &trial) {
  std::ostringstream text;
  bool isRun = trial.status != Status::bounded;
  text << "  "
       << inColumn(isRun ? "trial " + std::to_string(status->trials) : "")
       << "  "
       << inColumn(trial.measurement
                       ? formatSeconds(trial.measurement->seconds.median)
                       : std::string(toString(trial.status)))
       << formatValues(space.values(trial.configuration));
  if (trial.measurement && !trial.ok())
    text << "; " << toString(trial.status);
  else if (!trial.ok())
    text << "; " << trial.message.substr(0, trial.message.find('\n'));
  if (!trial.reason.empty())
    text << "; " << trial.reason;
  text << "\n";
  print(text.str());
}

void Progress::record(const Trial &trial, const Trial *incumbent) {
  status->trials += trial.status != Status::bounded;
  ++status->statuses[trial.status];
  if (incumbent) {
    status->best = incumbent->measurement;
    status->bestValues = formatValues(space.values(incumbent->configuration));
  }
  if (isVerbose)
    printTrial(trial);
  showStatus();
}

void Progress::advance(const SessionState &state) {
  status->state = state;
  status->reportedAt = now();
  showStatus();
  if (region || status->reportedAt - lineAt < secondsPerLine)
    return;
  lineAt = status->reportedAt;
  print(summarizeStatus(*status, lineAt) + "\n");
}

/// Counts trials by status.
static std::string countStatuses(const std::vector<Trial> &trials) {
  std::map<Status, size_t> counts;
  for (const Trial &trial : trials)
    ++counts[trial.status];
  return formatStatuses(counts);
}

/// Describes what a prior has proposed: ", 8 from the prior x86_64".
static std::string describePrior(const PriorUse &prior) {
  if (prior.name.empty() || *prior.proposed == 0)
    return {};
  return ", " + std::to_string(*prior.proposed) + " from the prior " +
         prior.name;
}

/// Describes siblings: ", from 4 that were best for 512x512, 512x512".
static std::string describeSiblings(const SiblingPoints &siblings) {
  std::string text;
  for (const std::string &sibling : siblings.siblings)
    text += (text.empty() ? ", from " + std::to_string(siblings.points.size()) +
                                " that were best "
                          : " and ") +
            sibling;
  return text;
}

/// Explains a tie whose interval lies over 1: the test's interval is wider.
static std::string explainTie(const KernelOutcome &outcome) {
  const Comparison &comparison = outcome.decision.comparison;
  if (comparison.verdict != Verdict::tie)
    return "";
  char least[64] = "";
  if (comparison.shownSpeedup)
    std::snprintf(least, sizeof least, "%.4gx, not 1.005x",
                  *comparison.shownSpeedup);
  std::string shown = comparison.shownSpeedup
                          ? "it is at least " + std::string(least)
                          : "a gain of 0.5 % is not certain";
  std::string by;
  if (const auto &tied = outcome.decision.tied; tied && !isLong(outcome))
    by = ", " + formatValues(getChangedValues(outcome, *tied));
  return " for the best candidate" + by + "; at 99.9 % " + shown +
         ", so the default stays";
}

/// Returns true if no legal configuration is left to try.
static bool isExhausted(const KernelOutcome &outcome) {
  return outcome.trials.size() >=
         countLegal(outcome.space).value_or(outcome.space.count());
}

/// Returns the reason for the end of a search if the end's name does not say
/// it.
static std::string explainEnd(const KernelOutcome &outcome) {
  switch (outcome.searchEnd) {
  case SearchEnd::converged:
    return "no significant improvement is expected";
  case SearchEnd::cut_short:
    return "a warning above has the reason";
  case SearchEnd::limit:
    return "the best is as near the machine's limit as '--stop-at-limit' asks";
  case SearchEnd::gain:
    return "less than '--stop-at-gain' is expected";
  case SearchEnd::done:
  case SearchEnd::budget:
    return isExhausted(outcome) ? "every configuration was tried" : "";
  case SearchEnd::interrupted:
  case SearchEnd::stopped:
    return "";
  }
  return "";
}

static std::string describeEnd(SearchEnd end) {
  std::string text(toString(end));
  std::ranges::replace(text, '_', ' ');
  return text;
}

/// Describes what a session spent: "60 of 60 trials, 9.71 s of 120 s".
static std::string describeSpent(const KernelOutcome &outcome,
                                 const Budget &budget) {
  auto isRun = [](const Trial &trial) {
    return trial.status != Status::bounded;
  };
  std::string text =
      std::to_string(std::ranges::count_if(outcome.trials, isRun));
  if (budget.trials != std::numeric_limits<uint64_t>::max())
    text += " of " + std::to_string(budget.trials);
  text += " trials, " + formatSeconds(outcome.seconds);
  if (std::isfinite(budget.seconds))
    text += " of " + formatSeconds(budget.seconds);
  return text;
}

/// Returns " M=1024 K=512", or nothing if the kernel names no dimensions.
static std::string sizesText(const SearchSpace &space) {
  std::string sizes = formatDimensions(space.dimensions());
  return sizes.empty() ? sizes : " " + sizes;
}

/// Describes a model: "23 kernels, 7 distinct; 5 tuned, 87 % of 10.6 ms; 388
/// trials".
static std::string describeModel(const ModelOutcome &model) {
  return std::to_string(model.calls) + " kernels, " +
         std::to_string(model.kernels.size()) + " distinct; " +
         std::to_string(model.numTuned()) + " tuned, " +
         formatPercent(model.tunedShare()) + " of " +
         formatSeconds(model.seconds()) + "; " + std::to_string(model.trials) +
         " trials";
}

/// Returns "kernel_3 (layer1.tanh)", or the first alone if the input has no
/// name.
static std::string describeName(const ModelKernelOutcome &kernel) {
  return kernel.kernel +
         (kernel.name == kernel.kernel ? "" : " (" + kernel.name + ")");
}

/// Returns which kernels' defaults were compared with f64: "distinct kernels
/// against f64, 97 % of the time; not: kernel_3 (layer1.tanh)".
static std::string describeVerified(const ModelOutcome &model) {
  static constexpr size_t mostNames = 8;
  bool isTimed = std::ranges::all_of(
      model.kernels, [](const auto &kernel) { return kernel.seconds > 0; });
  std::string text = "distinct kernels against f64, " +
                     formatPercent(model.verifiedShare()) + " of the time" +
                     (isTimed ? "" : " of those that were timed");
  const char *separator = "; not: ";
  size_t names = 0;
  for (const ModelKernelOutcome &kernel : model.kernels)
    if (!kernel.isVerified && ++names <= mostNames)
      text += std::exchange(separator, ", ") + describeName(kernel);
  if (names > mostNames)
    text += ", and " + std::to_string(names - mostNames) + " others";
  return text;
}

/// Returns which winners fail on the values that they have in the model, and
/// which were not verified on them; empty if no winner differs from its
/// default.
static std::string describeWinners(const ModelOutcome &model) {
  size_t all = 0, right = 0;
  std::string wrong, unknown;
  for (const ModelKernelOutcome &kernel : model.kernels) {
    if (!kernel.hasOwnWinner())
      continue;
    ++all;
    if (kernel.onModelValues == Status::ok)
      ++right;
    else
      (kernel.onModelValues ? wrong : unknown) += ", " + describeName(kernel);
  }
  if (all == 0)
    return "";
  std::string text = std::to_string(right) + " of " + std::to_string(all) +
                     " verified on the values that they have in the model";
  if (!wrong.empty())
    text += "; left out, as they fail there: " + wrong.substr(2);
  if (!unknown.empty())
    text += "; not: " + unknown.substr(2);
  return text;
}

void Progress::timingInModel(const ModelKernelOutcome &kernel, size_t n,
                             size_t all) {
  if (!region)
    return;
  std::string text = "timing kernel " + std::to_string(n) + " of " +
                     std::to_string(all) + " by default, " +
                     describeName(kernel);
  region->show(
      [text](double) { return std::vector<LiveRegion::Line>{{"", text}}; });
}

/// Describes a decision in a line: the times, or why nothing was gained.
static std::string describeGain(const KernelOutcome &tuned) {
  const Comparison &comparison = tuned.decision.comparison;
  std::string text;
  if (comparison.verdict == Verdict::faster)
    text = formatSeconds(comparison.baselineSeconds.median) + " -> " +
           formatSeconds(comparison.chosenSeconds()) + ", " +
           formatSpeedup({comparison.speedup, comparison.speedupInterval}) +
           " by " +
           formatValues(getChangedValues(tuned, tuned.decision.values));
  else
    text = formatSeconds(comparison.chosenSeconds()) + ", " +
           (comparison.verdict == Verdict::tie           ? "the default stays"
            : comparison.verdict == Verdict::no_baseline ? "the default failed"
                                                         : "not tested");
  if (!tuned.source.empty())
    text += " (" + describeSource(tuned) + ")";
  return text;
}

void Progress::tunedInModel(const ModelKernelOutcome &kernel) {
  std::ostringstream text;
  text << "  " << describeName(kernel) << ", " << kernel.calls
       << (kernel.calls == 1 ? " call, " : " calls, ")
       << formatPercent(kernel.share)
       << " of the time: " << describeGain(*kernel.tuned) << "\n";
  print(text.str());
}

void Progress::tunedAtShape(const KernelOutcome &outcome) {
  print("  @" + outcome.kernel + " at " +
        formatDimensions(outcome.sizes, ", ") + ": " + describeGain(outcome) +
        "\n");
}

/// Returns the sizes that a variant takes: "M=1..11 and 23..512"; of several
/// dimensions, at how many shapes.
static std::string describeSizes(const RangeOutcome &range, size_t variant) {
  if (range.table.axes.size() > 1)
    return "at " +
           std::to_string(std::ranges::count(range.table.variants, variant)) +
           " of " + std::to_string(range.table.variants.size()) + " shapes";
  const DispatchAxis &axis = range.table.axes.front();
  std::string text;
  int64_t least = axis.least;
  for (size_t i = 0; i < axis.bounds.size(); ++i) {
    bool isEnd = i + 1 == axis.bounds.size() ||
                 range.table.variants[i + 1] != range.table.variants[i];
    if (!isEnd)
      continue;
    if (range.table.variants[i] == variant)
      text +=
          (text.empty() ? axis.dimension + "=" : " and ") +
          std::to_string(least) +
          (axis.bounds[i] > least ? ".." + std::to_string(axis.bounds[i]) : "");
    least = axis.bounds[i] + 1;
  }
  return text;
}

/// Describes a kernel of several shapes.
static std::string describeRange(const KernelOutcome &outcome) {
  const RangeOutcome &range = *outcome.range;
  std::ostringstream text;
  text << "@" << outcome.kernel << " on " << outcome.device.name;
  if (outcome.chip != outcome.device.name)
    text << " (" << outcome.chip << ")";
  text << ", tuned at " << range.shapes.size()
       << " shapes: " << range.variants.size()
       << (range.variants.size() == 1 ? " variant" : " variants");
  if (outcome.source.empty())
    text << " after " << range.trials << " trials in "
         << formatSeconds(outcome.seconds) << "; seed " << outcome.decision.seed
         << "\n";
  else
    text << ", " << describeSource(outcome) << "\n";
  auto row = [&](const std::string &what, const std::string &figure,
                 const std::string &remark) {
    text << "  " << inColumn(what) << inColumn(figure) << remark << "\n";
  };
  for (const ShapeOutcome &shape : range.shapes)
    row(formatDimensions(shape.sizes, ", "),
        formatSeconds(shape.bestSeconds * shape.regret),
        (shape.variant < range.variants.size()
             ? "variant " + std::to_string(shape.variant)
             : "default") +
            ", regret " + formatRatio(shape.regret) + "x, " +
            formatRatio(shape.speedup) + "x as fast as the default");
  for (size_t i = 0; i < range.variants.size(); ++i)
    row("variant " + std::to_string(i), "",
        describeSizes(range, i) + "   " + formatValues(range.variants[i]));
  for (const std::string &condition : range.conditions)
    row("condition", "", condition + "; the default takes other sizes");
  row("regret", formatRatio(range.meanRegret()) + "x",
      "the weighted mean; at most " + formatRatio(range.worst().regret) +
          "x, at " + formatDimensions(range.worst().sizes, ", "));
  row("speedup", formatRatio(range.meanSpeedup()) + "x",
      "over the default, the weighted mean");
  std::string verified;
  for (const auto &sizes : range.verified)
    verified += (verified.empty()    ? "at these shapes and at "
                 : sizes.size() == 1 ? ", "
                                     : "; ") +
                formatDimensions(sizes, ", ");
  row("verified", "", verified);
  return text.str();
}

/// Returns how many trials each of several devices took: "cuda:0 31, cuda:1
/// 28"; empty for one device.
static std::string describeDevices(std::span<const Trial> trials) {
  std::map<std::string, size_t> counts;
  for (const Trial &trial : trials)
    if (!trial.device.empty())
      ++counts[trial.device];
  std::string text;
  for (const auto &[device, count] : counts)
    text += (text.empty() ? "" : ", ") + device + " " + std::to_string(count);
  return text.empty() ? "" : text + " trials";
}

void Progress::decided(const KernelOutcome &outcome) {
  finish();
  if (outcome.range)
    return print(describeRange(outcome));
  std::ostringstream text;
  const DecisionRecord &decision = outcome.decision;
  const Comparison &comparison = decision.comparison;
  text << "@" << outcome.kernel << sizesText(outcome.space) << " on "
       << outcome.device.name;
  if (outcome.chip != outcome.device.name)
    text << " (" << outcome.chip << ")";
  text << ", ";
  if (outcome.isUnmeasured) {
    std::string expectation = describeExpectation(outcome.prior);
    text << (outcome.mode.mode == TuneMode::off ? outcome.mode.describe()
                                                : "the cache has no decision")
         << (expectation.empty() ? "" : "; ") << expectation << "\n  "
         << inColumn(expectation.empty() ? "default" : "expected")
         << "not measured  " << describeChoice(outcome) << "\n";
    print(text.str());
    return;
  }
  if (!outcome.source.empty())
    text << describeSource(outcome) << "\n";
  else if (outcome.model)
    text << describeModel(*outcome.model) << ", " << outcome.trials.size()
         << " in the model, in " << formatSeconds(outcome.seconds) << "; seed "
         << decision.seed << "\n";
  else
    text << outcome.trials.size() << " of " << describeSize(outcome.space)
         << " configurations in " << formatSeconds(outcome.seconds) << " ("
         << countStatuses(outcome.trials) << "; strategy " << decision.strategy
         << ", seed " << decision.seed
         << (outcome.startingPoints
                 ? ", from " + std::to_string(outcome.startingPoints) +
                       " that earlier sessions found best"
                 : "")
         << describeSiblings(outcome.siblings) << describePrior(outcome.prior)
         << (outcome.pastTrials
                 ? ", resumed after " + std::to_string(outcome.pastTrials) +
                       " trials"
                 : "")
         << ")\n";
  auto row = [&](const std::string &what, const std::string &time,
                 const std::string &values) {
    text << "  " << inColumn(what) << inColumn(time) << values << "\n";
  };
  Json defaults = outcome.space.values(outcome.space.defaultConfiguration());
  if (comparison.baselineSeconds.n > 0)
    row("baseline", formatSeconds(comparison.baselineSeconds.median),
        isLong(outcome) ? "" : formatValues(defaults));
  bool isCold = comparison.cacheState == CacheState::cold;
  row("winner",
      comparison.seconds.n > 0 ? formatSeconds(comparison.chosenSeconds()) : "",
      describeChoice(outcome));
  if (std::string changes = describeChanges(outcome); !changes.empty())
    row("changed", "", changes);
  if (comparison.baselineSeconds.n > 0 && comparison.rounds > 0)
    row("speedup",
        formatSpeedup({comparison.speedup, comparison.speedupInterval}),
        std::string(toString(comparison.cacheState)) + ", 95 % interval over " +
            std::to_string(comparison.rounds) + " rounds" +
            explainTie(outcome));
  if (decision.objective)
    row("objective", "", describeObjective(*decision.objective));
  const auto front = decision.front.value_or(std::vector<FrontPoint>());
  const double energyOfDefault = findEnergyOfDefault(front);
  for (const FrontPoint &point : front)
    row("front",
        formatSpeedup(
            {point.comparison.speedup, point.comparison.speedupInterval}),
        describeUsage(point, outcome.oracle.front, energyOfDefault) + "   " +
            formatValues(point.values));
  if (outcome.oracle.mostTime)
    row(comparison.verdict == Verdict::tie && *outcome.oracle.mostTime < 1
            ? "not within"
            : "within",
        "", "time <= " + formatRatio(*outcome.oracle.mostTime) + "x");
  if (outcome.oracle.bits == Bits::same)
    row("bits", std::string(toString(outcome.oracle.bits)),
        describeRefusedBits(decision));
  if (!outcome.oracle.errors.empty())
    row("accepted", "", "errors of " + toString(outcome.oracle.errors));
  for (const UsageLimit &limit : outcome.oracle.limits)
    row("within", "", toString(limit));
  if (decision.otherBits)
    row("free bits", "", describeOtherBits(*decision.otherBits));
  if (std::string rates = describeRates(outcome); !rates.empty())
    row("rate", "", rates);
  if (auto reason = outcome.computeRates().noLimit; reason && !outcome.model)
    row("limit", "", explainNoLimit(outcome, *reason));
  if (std::string headroom = describeHeadroom(outcome); !headroom.empty())
    row("headroom", "", headroom);
  if (outcome.model)
    row("kernels", formatRatio(outcome.model->computeSpeedup()) + "x",
        "by the sum of their gains");
  if (outcome.model && outcome.model->isAgainstDefault)
    row("verified",
        std::to_string(outcome.model->numVerified()) + " of " +
            std::to_string(outcome.model->kernels.size()),
        describeVerified(*outcome.model));
  if (std::string winners =
          outcome.model ? describeWinners(*outcome.model) : "";
      !winners.empty())
    row("winners", "", winners);
  if (comparison.dependsOnCache())
    row(isCold ? "warm" : "cold", formatSpeedup(*comparison.otherSpeedup),
        isCold ? "with its data in the cache, as in a loop on the same "
                 "buffers; tune for this state by '--cache-state=warm'"
               : "with none of its data in the cache; tune for this state by "
                 "'--cache-state=cold'");
  row("verdict", std::string(toString(comparison.verdict)), "");
  if (!outcome.reference.empty())
    row("reference", "", outcome.reference);
  if (outcome.source.empty() && !outcome.model) {
    std::string why = explainEnd(outcome);
    // The budget is that of the kernel that was tuned last.
    std::string spent = outcome.model ? "" : describeSpent(outcome, budget);
    row("search", describeEnd(outcome.searchEnd),
        " " + why + (why.empty() || spent.empty() ? "" : "; ") + spent);
  }
  if (std::string devices = describeDevices(outcome.trials); !devices.empty())
    row("devices", "", devices);
  if (!outcome.phaseSeconds.empty())
    row("time", "", describePhases(outcome.phaseSeconds));
  if (!outcome.record.empty())
    row("record", "", outcome.record);
  if (isVerbose && outcome.sessionSeconds > 0)
    row("proposing", formatSeconds(outcome.proposingSeconds),
        formatPercent(outcome.proposingSeconds / outcome.sessionSeconds) +
            " of the session");
  if (comparison.overheadBound)
    row("note", "overhead-bound", "   launch overhead dominates these times");
  if (comparison.contended)
    row("note", "contended",
        "   other processes used the device; the next run measures again");
  if (outcome.keptFailures > 0)
    row("failures", std::to_string(outcome.keptFailures),
        "in " + outcome.failureDirectory + ", for 'tonno-tune reproduce'");
  print(text.str());
}

void Progress::measuredPeaks(const DeviceDescription &device,
                             const PeakQuery &query, double seconds) {
  print("note: measured the peaks of " + device.name + " for " +
        std::string(toString(query.operand)) + " and " +
        std::to_string(query.threads) +
        (query.threads == 1 ? " thread" : " threads") + ", in " +
        formatSeconds(seconds) + "; the cache keeps them\n");
}

void Progress::skipped(const std::string &kernel) {
  print("@" + kernel +
        " is left unchanged: all its knobs are selected; search again by "
        "'--retune'\n");
}

void WarningPrinter::waiting(const std::string &holder) {
  std::string text = holder; // with its command, which may have several lines
  std::ranges::replace(text, '\n', ' ');
  print("note: waiting for another process that times on the device: " + text +
        "\n");
}

void WarningPrinter::warn(const std::string &message) {
  print("warning: " + message + "\n");
}

Patience tonno::makePatience(WhenBusy whenBusy, const Budget &budget,
                             TuneObserver &observer) {
  constexpr double share = 1.0 / 3, mostSeconds = 600;
  return {whenBusy, std::min(share * budget.seconds, mostSeconds),
          [&observer](const std::string &message) { observer.warn(message); }};
}
