//===- Finds a kernel's local size ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenCL/WorkGroupTuner.h"
#include "tonno/Cache/RecordStore.h"
#include "tonno/WorkGroups/SweepTurn.h"

#include "QueueLauncher.h"

#include <iostream>
#include <memory>

using namespace tonno;

namespace {
/// Cached results, if the cache is enabled.
class KnownSizes {
public:
  KnownSizes(const TuneOptions &options, DirectoryStore::Mode mode,
             std::string key)
      : key(std::move(key)) {
    if (!options.isCached)
      return;
    auto warn = [this](const std::string &text) { warnings.push_back(text); };
    auto opened = DirectoryStore::open(
        resolveCacheDirectory(options.cacheDirectory), mode, warn);
    if (opened)
      store = *std::move(opened);
    else
      warnings.push_back(opened.error().message + "; decisions are not stored");
  }
  KnownSizes(const KnownSizes &) = delete; // the store tells this one

  std::optional<AutotuneResult> find() {
    auto record = store ? store->find(key) : std::nullopt;
    auto result = record ? decode<AutotuneResult>(*record)
                         : Result<AutotuneResult>(Error{});
    if (!result || !result->check())
      return std::nullopt;
    result->isCached = true;
    return *std::move(result);
  }

  /// Adds what went wrong with the cache to the notes.
  void keep(AutotuneResult &result) {
    if (store && result.isLasting())
      if (auto kept = store->insert(key, result); !kept)
        warnings.push_back(kept.error().message + "; decisions are not stored");
    note(result);
  }

  void note(AutotuneResult &result) const {
    result.notes.insert(result.notes.end(), warnings.begin(), warnings.end());
  }

private:
  std::string key;
  std::unique_ptr<DirectoryStore> store;
  std::vector<std::string> warnings;
};
} // namespace

/// Returns true if a launch may write to buffers that can't be restored.
static bool mayOverwrite(const KernelInfo &place) {
  auto arguments = getKernelArguments(place);
  if (!arguments)
    return true;
  for (const ArgumentInfo &each : *arguments)
    if (each.space == ArgumentInfo::Space::global && !each.isConst)
      return true;
  return false;
}

static Result<FrontendLock> getLock(const KernelInfo &place,
                                    const TuneOptions &options) {
  FrontendLock lock;
  lock.device = TONNO_TRY(getDeviceIdentity(place));
  lock.waiting = options.waiting;
  if (!lock.waiting)
    lock.waiting = [name = place.name](const std::string &holder) {
      std::cerr << "tonno: " << name << ": waiting for " << holder
                << ", which times on the device; if it hangs, end it\n";
    };
  return lock;
}

static Result<AutotuneResult> measure(const KernelInfo &place,
                                      const TuningQuestion &question,
                                      const TuneOptions &options) {
  Seconds timeout(options.timeoutSeconds);
  auto bound = TONNO_TRY(
      options.arguments.empty()
          ? BoundKernel::asSet(place)
          : BoundKernel::with(place, options.arguments, options.restoresBuffers,
                              CommandWait(place.queue, timeout)));
  TONNO_TRY(checkLocalMemory(place, bound.kernel()));
  QueueLauncher launcher(place, question.globalSize, std::move(bound), timeout);
  auto lock = TONNO_TRY(getLock(place, options));
  auto result = tuneWorkGroups(question, launcher, lock);
  if (!result)
    return result;
  if (launcher.failure())
    return *launcher.failure();
  TONNO_TRY(result->check());
  if (launcher.bound().hasNewBuffers())
    result->notes.push_back(
        "no arguments were set for '" + place.name +
        "', so it was timed on buffers of " +
        std::to_string(countWorkItems(question.globalSize)) +
        " elements each, filled with ones (integers: zeros); if these are too "
        "small, give your own as args");
  result->notes.insert(result->notes.end(), launcher.bound().notes().begin(),
                       launcher.bound().notes().end());
  if (launcher.bound().isAsSet() && mayOverwrite(place))
    result->notes.push_back(
        "the buffers that were set for '" + place.name +
        "' contain the writes of its launches: OpenCL does not report which "
        "buffers these are; give them as args to restore them");
  return result;
}

static Result<AutotuneResult> useDefaultSize(const TuningQuestion &question,
                                             const ChosenMode &mode) {
  auto result = chooseDefaultSize(question);
  if (result)
    result->notes.push_back("the local size is the default: " +
                            mode.describe());
  return result;
}

Result<AutotuneResult>
WorkGroupTuner::tuneOn(cl_command_queue queue,
                       const TuneOptions &options) const {
  if (!(options.timeoutSeconds > 0)) // a NaN, too
    return Error{"'timeoutSeconds' must be more than 0 s, not " +
                 describe(Seconds(options.timeoutSeconds))};
  auto mode = TONNO_TRY(options.mode ? ChosenMode{*options.mode}
                                     : chooseMode("mode", {}));
  auto place = TONNO_TRY(KernelInfo::of(queue, kernel()));
  auto limits = TONNO_TRY(getWorkGroupLimits(place));
  auto identity = TONNO_TRY(getKernelIdentity(place));
  TuningQuestion question{.globalSize = globalSize,
                          .runs = options.runs,
                          .isPaired = options.isPaired,
                          .limits = limits};
  if (!options.candidates.empty())
    question.candidates = options.candidates;
  else if (!candidates.empty())
    question.candidates = candidates;
  if (mode.mode == TuneMode::off)
    return useDefaultSize(question, mode);
  std::string key = identity.key(question);
  SweepTurn turn(key);
  bool measures = mode.mode == TuneMode::tune;
  KnownSizes known(options,
                   measures ? DirectoryStore::Mode::read_write
                            : DirectoryStore::Mode::read_only,
                   key);
  if (auto found = known.find()) {
    if (!measures)
      found->notes.push_back(mode.describe());
    return *std::move(found);
  }
  if (!measures) {
    auto result = useDefaultSize(question, mode);
    if (result)
      known.note(*result);
    return result;
  }
  auto result = measure(place, question, options);
  if (result)
    known.keep(*result);
  return result;
}
