//===- Times local sizes and chooses one ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/Tuning.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace tonno;

/// What is used where times tell of launching and not of the size.
static constexpr uint64_t fixedItems = 64;

std::vector<WorkSize> TuningQuestion::candidatesOrDefault() const {
  return candidates.value_or(defaultCandidates(globalSize.size(), limits));
}

namespace {
/// One tuning of one kernel.
class Tuning {
public:
  Tuning(const TuningQuestion &question, Launcher &launcher)
      : question(question), launcher(launcher) {}

  AutotuneResult run(CandidateSizes sizes);

private:
  void measure(const WorkSize &size);
  Result<std::vector<double>> sample(const WorkSize &size);
  Result<std::vector<double>> sampleUndisturbed(const WorkSize &size);
  void choose();
  void chooseFixed();
  bool isBestInDoubt() const;
  void noteBusy();

  const TuningQuestion &question;
  Launcher &launcher;
  AutotuneResult result;
  double leastWaitUs = std::numeric_limits<double>::infinity();
  bool wasDisturbed = false; ///< the runs that were taken last
  size_t disturbed = 0;      ///< candidates whose runs were taken again
  std::vector<size_t> stillDisturbed; ///< and in vain, of those measured
};
} // namespace

/// The runs after the untimed one, in order.
Result<std::vector<double>> Tuning::sample(const WorkSize &size) {
  std::vector<double> runs, waits;
  for (uint64_t i = 0; i != question.runs; ++i) {
    auto times = launcher.launch(size);
    if (!times)
      return times.error();
    runs.push_back(times->runUs);
    waits.push_back(times->waitUs);
    leastWaitUs = std::min(leastWaitUs, times->waitUs);
  }
  auto [least, most] = std::ranges::minmax(runs);
  wasDisturbed = most > idleSpread * least + leastWaitUs ||
                 std::ranges::max(waits) > leastWaitUs + idleWaitUs;
  return runs;
}

Result<std::vector<double>> Tuning::sampleUndisturbed(const WorkSize &size) {
  auto runs = sample(size);
  if (!runs || !wasDisturbed)
    return runs;
  ++disturbed;
  for (int i = 0; i != retakes && runs && wasDisturbed; ++i)
    runs = sample(size);
  if (runs && wasDisturbed)
    stillDisturbed.push_back(result.measured.size());
  return runs;
}

void Tuning::measure(const WorkSize &size) {
  auto first = launcher.launch(size);
  auto runs = first ? sampleUndisturbed(size)
                    : Result<std::vector<double>>(first.error());
  if (!runs) {
    result.failed.push_back({size, runs.error().message});
    return;
  }
  double sum = std::accumulate(runs->begin(), runs->end(), 0.0);
  result.measured.push_back({size, sum / runs->size(), *std::move(runs)});
}

void Tuning::choose() {
  auto best =
      std::ranges::min_element(result.measured, {}, &MeasuredSize::runtimeUs);
  if (best == result.measured.end())
    return;
  result.bestLocalSize = best->localSize;
  result.runtimeUs = best->runtimeUs;
  result.isOverheadBound = best->runtimeUs < leastWaitUs;
  if (result.isOverheadBound)
    chooseFixed();
}

/// The group of 64 where it is among the candidates, a row of them first: what
/// a caller has not named may be wrong for the kernel.
void Tuning::chooseFixed() {
  result.notes.push_back(
      "launching takes longer than the kernel runs, so its times say little of "
      "the local size");
  std::vector<WorkSize> shapes = {{fixedItems}, {8, 8}};
  for (WorkSize shape : shapes) {
    shape.resize(std::max(shape.size(), question.globalSize.size()), 1);
    auto found =
        std::ranges::find(result.measured, shape, &MeasuredSize::localSize);
    if (found == result.measured.end())
      continue;
    result.bestLocalSize = shape;
    result.runtimeUs = found->runtimeUs;
    result.notes.back() += ": it is the fixed " + describe(shape);
    return;
  }
  result.notes.back() += "; the usual 64 is not among those that ran";
}

/// Others' work makes runs longer and not shorter. So a candidate whose runs
/// stayed disturbed may be better than the best if one of them is.
bool Tuning::isBestInDoubt() const {
  return std::ranges::any_of(stillDisturbed, [&](size_t i) {
    const MeasuredSize &each = result.measured[i];
    return each.localSize == result.bestLocalSize ||
           std::ranges::min(each.samplesUs) < result.runtimeUs;
  });
}

void Tuning::noteBusy() {
  double share = busyShare * static_cast<double>(result.measured.size());
  result.isBusy =
      static_cast<double>(stillDisturbed.size()) > share || isBestInDoubt();
  if (result.isBusy)
    result.notes.push_back(
        "the device looks busy: of " + std::to_string(result.measured.size()) +
        " candidates the runs of " + std::to_string(disturbed) +
        " were disturbed, of " + std::to_string(stillDisturbed.size()) +
        " also when they were taken again; the times may be wrong and are not "
        "kept, so tune on an idle device, before the hot loop");
}

AutotuneResult Tuning::run(CandidateSizes sizes) {
  result.leftOut = std::move(sizes.leftOut);
  for (const WorkSize &size : sizes.legal)
    measure(size);
  choose();
  noteBusy();
  return std::move(result);
}

Result<AutotuneResult> tonno::tuneWorkGroups(const TuningQuestion &question,
                                             Launcher &launcher) {
  if (auto checked = checkWorkSize(question.globalSize, "global size");
      !checked)
    return checked.error();
  if (question.runs == 0)
    return Error{"a candidate needs at least one timed run"};
  auto sizes = selectCandidates(question.candidatesOrDefault(),
                                question.globalSize, question.limits);
  if (!sizes)
    return sizes.error();
  if (auto drained = launcher.drain(); !drained)
    return drained.error();
  return Tuning(question, launcher).run(*std::move(sizes));
}
