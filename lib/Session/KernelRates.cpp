//===- Rates of a tuned kernel, and the device's limit --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/KernelRates.h"

#include "tonno/Core/Hash.h"
#include "tonno/Session/TuneObserver.h"

#include <algorithm>

using namespace tonno;

void tonno::mapFields(JsonFields &fields, KernelRates &rates) {
  fields("operations_per_second", rates.operations, 0);
  fields("bytes_per_second", rates.bytes, 0);
  fields("limit", rates.limit);
  fields("limit_share", rates.share, 0);
}

KernelRates tonno::computeRates(const KernelWork &work,
                                const std::optional<DevicePeaks> &peaks,
                                CacheState state, double seconds) {
  /// Both the peaks and the kernel's time have errors of a few percent.
  constexpr double mostShare = 1.05;
  KernelRates rates;
  if (!(seconds > 0))
    return rates;
  rates.operations = countOperations(work) / seconds;
  rates.bytes = getCompulsoryBytes(work).value_or(0) / seconds;
  if (peaks)
    rates.limit = computeRooflineLimit(work, *peaks, state);
  if (!peaks)
    rates.noLimit = getCompulsoryBytes(work) ? NoLimit::device : NoLimit::work;
  else if (!rates.limit)
    rates.noLimit = findUnknown(work, *peaks);
  else if (rates.limit->seconds > mostShare * seconds)
    rates.noLimit = NoLimit::exceeded;
  if (rates.noLimit)
    rates.limit.reset();
  if (rates.limit)
    rates.share = std::min(1.0, rates.limit->seconds / seconds);
  return rates;
}

KernelRates KernelOutcome::computeRates() const {
  const Comparison &comparison = decision.comparison;
  KernelRates rates = tonno::computeRates(
      work, decision.peaks, comparison.cacheState,
      comparison.seconds.n > 0 ? comparison.chosenSeconds() : 0);
  if (rates.noLimit != NoLimit::device)
    return rates;
  // Older records have no peaks, and an interrupted session asks for none.
  if (!source.empty() || comparison.verdict == Verdict::interrupted)
    rates.noLimit.reset();
  else if (device.kind == "host")
    rates.noLimit = NoLimit::benchmark;
  return rates;
}

/// The version of the micro-benchmarks: others measure again.
static constexpr int benchmarkVersion = 1;

std::optional<DevicePeaks> PeakFinder::find(const DeviceDescription &device,
                                            const PeakQuery &query) {
  if (auto known = found.find(query); known != found.end())
    return known->second;
  std::string key = sha256(Json{
      {"peaks", benchmarkVersion},
      {"device", device.name},
      {"uuid", device.uuid},
      {"driver", device.driver},
      {"query", query}}.dump());
  if (auto record = store.find(key))
    if (auto peaks = decodeMember<DevicePeaks>(*record, "peaks"))
      return found[query] = *peaks;
  std::optional<DevicePeaks> peaks = measure(query);
  if (peaks) // a store that can't be written measures again
    (void)store.insert(key, {{"peaks", *peaks}, {"device", device.name}}).ok();
  return found[query] = std::move(peaks);
}

std::optional<DevicePeaks> PeakFinder::measure(const PeakQuery &query) {
  RunRequest request;
  request.kind = RunRequest::Kind::peaks;
  request.peakQuery = query;
  request.launchSeconds = 30; // on a busy machine
  request.waitSeconds = 10;
  RunResult result = runner.run(request);
  if (result.status != Status::ok)
    return std::nullopt;
  if (result.peaks)
    report(query, result.seconds);
  return result.peaks;
}
