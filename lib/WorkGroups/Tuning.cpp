//===- Times local sizes and chooses one ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/Tuning.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace tonno;

/// Work-items of the local size that is used if times only measure launching,
/// and that other sizes are compared with.
static constexpr uint64_t usualItems = 64;

/// Returns the seconds of a launch. A clock that has not moved knows no less
/// than a nanosecond.
static double toSeconds(const LaunchTimes &times) {
  return std::max(times.runUs * 1e-6, 1e-9);
}

std::vector<WorkSize> TuningQuestion::candidatesOrDefault() const {
  return candidates.value_or(defaultCandidates(globalSize.size(), limits));
}

/// Returns the groups of the usual number of work-items, a row of them first.
static std::vector<WorkSize> getUsualSizes(size_t dimensions) {
  std::vector<WorkSize> shapes = {{usualItems}, {8, 8}};
  for (WorkSize &shape : shapes)
    shape.resize(std::max(shape.size(), dimensions), 1);
  return shapes;
}

namespace {

/// The legal local sizes of a kernel as candidates; a configuration is the
/// number of one.
class LocalSizes : public Frontend {
public:
  LocalSizes(const TuningQuestion &question, Launcher &launcher,
             std::vector<WorkSize> sizes)
      : question(question), launcher(launcher), sizes(std::move(sizes)) {}

  std::vector<Result<std::string, Failure>>
  build(std::span<const Configuration> configurations) override {
    return std::vector<Result<std::string, Failure>>(configurations.size(),
                                                     std::string());
  }
  TimingPolicy policy() const override;
  Result<std::unique_ptr<TrialSampler>, Failure>
  sampler(std::span<const Configuration> entrants) override;

  const WorkSize &get(const Configuration &configuration) const {
    return sizes[configuration.indices.front()];
  }

  const TuningQuestion &question;
  Launcher &launcher;
  std::vector<WorkSize> sizes;
  std::vector<MeasuredSize> measured;
  double leastWaitUs = std::numeric_limits<double>::infinity();
  size_t disturbed = 0; ///< candidates whose samples were taken again
  std::vector<size_t> stillDisturbed; ///< and in vain, of those measured
};

/// Launches a baseline and a candidate, or finalists.
class LaunchSampler : public TrialSampler {
public:
  LaunchSampler(LocalSizes &kernel, std::vector<WorkSize> entrants)
      : kernel(kernel), entrants(std::move(entrants)) {}

  Result<double, Failure> launchFirst() override {
    isTrial = true;
    return warm(firstCandidate);
  }
  Result<double, Failure> sample(size_t entrant) override;
  Result<double, Failure> warm(size_t entrant) override;
  Result<void, Failure> verifyLast() override;
  bool isDisturbed(std::span<const double> samples) override;
  double clockSeconds() const override { return steadySeconds(); }
  Result<void, Failure> redraw() override { return {}; }
  Result<void, Failure> reload() override { return {}; }

private:
  Result<LaunchTimes, Failure> launch(size_t entrant);
  bool areDisturbed() const;

  LocalSizes &kernel;
  std::vector<WorkSize> entrants;
  bool isTrial = false;
  std::vector<double> runsUs, waitsUs; ///< of the candidate's last samples
  bool wasDisturbed = false;           ///< those before
};

/// Records failures, pruned candidates, and warnings of the loop.
class FailedSizes : public TrialLog {
public:
  FailedSizes(LocalSizes &kernel, AutotuneResult &result)
      : kernel(kernel), result(result) {}
  void record(const Trial &trial, const Trial *) override {
    if (trial.status == Status::pruned)
      kernel.measured.push_back({kernel.get(trial.configuration),
                                 trial.measurement->seconds.median * 1e6,
                                 {}});
    else if (!trial.ok())
      amend(trial);
  }
  void amend(const Trial &trial) override {
    WorkSize size = kernel.get(trial.configuration);
    // The size was measured before it failed.
    std::erase_if(kernel.measured, [&](const MeasuredSize &each) {
      return each.localSize == size;
    });
    result.failed.push_back({std::move(size), trial.message});
  }
  void warn(const std::string &message) override {
    result.notes.push_back(message);
  }

private:
  LocalSizes &kernel;
  AutotuneResult &result;
};

} // namespace

TimingPolicy LocalSizes::policy() const {
  TimingPolicy policy;
  policy.isPaired = question.isPaired;
  policy.unpaired = {
      .estimate = Estimate::mean, .samples = question.runs, .retakes = retakes};
  return policy;
}

Result<std::unique_ptr<TrialSampler>, Failure>
LocalSizes::sampler(std::span<const Configuration> entrants) {
  std::vector<WorkSize> entered;
  for (const Configuration &configuration : entrants)
    entered.push_back(get(configuration));
  std::unique_ptr<TrialSampler> made =
      std::make_unique<LaunchSampler>(*this, std::move(entered));
  return made;
}

Result<LaunchTimes, Failure> LaunchSampler::launch(size_t entrant) {
  auto times = kernel.launcher.launch(entrants[entrant]);
  if (!times)
    return Failure{Status::fault, times.error().message};
  return *times;
}

Result<double, Failure> LaunchSampler::warm(size_t entrant) {
  auto times = TONNO_TRY(launch(entrant));
  return toSeconds(times);
}

Result<double, Failure> LaunchSampler::sample(size_t entrant) {
  auto times = TONNO_TRY(launch(entrant));
  kernel.leastWaitUs = std::min(kernel.leastWaitUs, times.waitUs);
  if (entrant == firstCandidate) {
    runsUs.push_back(times.runUs);
    waitsUs.push_back(times.waitUs);
  }
  return toSeconds(times);
}

bool LaunchSampler::areDisturbed() const {
  auto [least, most] = std::ranges::minmax(runsUs);
  return most > idleSpread * least + kernel.leastWaitUs ||
         std::ranges::max(waitsUs) > kernel.leastWaitUs + idleWaitUs;
}

bool LaunchSampler::isDisturbed(std::span<const double>) {
  if (!areDisturbed())
    return false;
  wasDisturbed = true;
  runsUs.clear();
  waitsUs.clear();
  return true;
}

Result<void, Failure> LaunchSampler::verifyLast() {
  if (!isTrial)
    return {};
  if (wasDisturbed)
    ++kernel.disturbed;
  if (wasDisturbed && areDisturbed())
    kernel.stillDisturbed.push_back(kernel.measured.size());
  double sum = std::accumulate(runsUs.begin(), runsUs.end(), 0.0);
  double mean = sum / static_cast<double>(runsUs.size());
  kernel.measured.push_back({entrants[firstCandidate], mean, runsUs});
  return {};
}

/// Takes the usual group where launching takes longer than the kernel does, if
/// it is among the candidates: what a caller has not named may be wrong for the
/// kernel.
static void chooseUsualIfOverheadBound(const LocalSizes &kernel,
                                       AutotuneResult &result) {
  result.isOverheadBound = result.runtimeUs < kernel.leastWaitUs;
  if (!result.isOverheadBound)
    return;
  result.notes.push_back(
      "launching takes longer than the kernel runs, so its times say little of "
      "the local size");
  for (const WorkSize &shape :
       getUsualSizes(kernel.question.globalSize.size())) {
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

/// Returns true if a candidate with disturbed runs may be better than the best
/// one, or is the best one. Other load makes runs longer, never shorter.
static bool isBestInDoubt(const LocalSizes &kernel,
                          const AutotuneResult &result) {
  return std::ranges::any_of(kernel.stillDisturbed, [&](size_t i) {
    const MeasuredSize &each = result.measured[i];
    return each.localSize == result.bestLocalSize ||
           std::ranges::min(each.samplesUs) < result.runtimeUs;
  });
}

static void noteBusy(const LocalSizes &kernel, AutotuneResult &result) {
  double share = busyShare * static_cast<double>(result.measured.size());
  result.isBusy = static_cast<double>(kernel.stillDisturbed.size()) > share ||
                  isBestInDoubt(kernel, result);
  if (result.isBusy)
    result.notes.push_back(
        "the device looks busy: of " + std::to_string(result.measured.size()) +
        " candidates the runs of " + std::to_string(kernel.disturbed) +
        " were disturbed, of " + std::to_string(kernel.stillDisturbed.size()) +
        " also when they were taken again; the times may be wrong and are not "
        "kept, so tune on an idle device, before the hot loop");
}

/// Finds the usual group among legal sizes, else the first of the largest below
/// it, else the first size.
static std::vector<WorkSize>::iterator
findDefault(std::vector<WorkSize> &sizes) {
  for (const WorkSize &shape : getUsualSizes(sizes.front().size()))
    if (auto found = std::ranges::find(sizes, shape); found != sizes.end())
      return found;
  return std::ranges::max_element(sizes, {}, [](const WorkSize &size) {
    uint64_t items = countWorkItems(size);
    return items < usualItems ? items : 0;
  });
}

static AutotuneResult tune(const TuningQuestion &question, Launcher &launcher,
                           CandidateSizes candidates,
                           const std::optional<FrontendLock> &lock,
                           std::function<bool()> interrupted) {
  AutotuneResult result;
  result.leftOut = std::move(candidates.leftOut);
  if (candidates.legal.empty())
    return result;
  if (question.isPaired) {
    auto first = findDefault(candidates.legal);
    std::rotate(candidates.legal.begin(), first, first + 1);
  }
  LocalSizes kernel(question, launcher, std::move(candidates.legal));
  Knob number = {"local_size", {}, 0};
  for (size_t i = 0; i != kernel.sizes.size(); ++i)
    number.options.push_back(i);
  SearchSpace space({number});
  ExhaustiveSearch inOrder(*LegalSpace::create(space));
  FailedSizes log(kernel, result);
  Budget all = {kernel.sizes.size(), std::numeric_limits<double>::infinity()};
  auto outcome = tuneFrontend(kernel, {.space = space,
                                       .strategy = inOrder,
                                       .log = log,
                                       .budget = all,
                                       .interrupted = std::move(interrupted),
                                       .lock = lock});
  result.measured = std::move(kernel.measured);
  if (!outcome)
    return result; // all have failed
  result.bestLocalSize = kernel.get(outcome->chosen);
  result.runtimeUs = std::ranges::find(result.measured, result.bestLocalSize,
                                       &MeasuredSize::localSize)
                         ->runtimeUs;
  if (question.isPaired) {
    result.comparison = outcome->comparison;
  } else {
    chooseUsualIfOverheadBound(kernel, result);
    noteBusy(kernel, result);
  }
  return result;
}

Result<AutotuneResult>
tonno::tuneWorkGroups(const TuningQuestion &question, Launcher &launcher,
                      const std::optional<FrontendLock> &lock,
                      std::function<bool()> interrupted) {
  TONNO_TRY(checkWorkSize(question.globalSize, "global size"));
  if (question.runs == 0)
    return Error{"a candidate needs at least one timed run"};
  auto sizes = TONNO_TRY(selectCandidates(
      question.candidatesOrDefault(), question.globalSize, question.limits));
  TONNO_TRY(launcher.drain());
  return tune(question, launcher, std::move(sizes), lock,
              std::move(interrupted));
}

Result<AutotuneResult>
tonno::chooseDefaultSize(const TuningQuestion &question) {
  auto sizes = TONNO_TRY(selectCandidates(
      question.candidatesOrDefault(), question.globalSize, question.limits));
  AutotuneResult result;
  result.leftOut = std::move(sizes.leftOut);
  if (!sizes.legal.empty())
    result.bestLocalSize = *findDefault(sizes.legal);
  TONNO_TRY(result.check());
  result.runtimeUs = std::numeric_limits<double>::quiet_NaN();
  result.isDefault = true;
  return result;
}
