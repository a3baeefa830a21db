//===- The timing of candidates -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TIMING_PROTOCOL_H
#define TONNO_TIMING_PROTOCOL_H

#include "tonno/Core/Measurement.h"
#include "tonno/Core/Status.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tonno {

/// The constants of the protocol; docs/design/measuring.md has their reasons.
/// All of them are part of a record's key.
struct ProtocolOptions {
  CacheState cacheState = CacheState::cold;
  double warmupSeconds = 0.005;

  // A sample.
  double batchSeconds = 20e-6;   ///< shorter launches are timed in batches
  uint64_t maxBatch = 256;       ///< launches
  double maxBatchSeconds = 1e-3; ///< of the slowest entrant
  double stolenShare = 0.01;     ///< of a sample's time; it is then retaken,
  uint64_t maxRetakes = 3;       ///< at most so often
  double contendedShare = 0.5;   ///< of samples, stolen nevertheless

  // A trial.
  size_t pruneAfter = 3; ///< samples before a candidate may be pruned
  double pruneFactor =
      1.5; ///< pruned if its best is this much over the incumbent
  size_t minSamples = 6;
  size_t maxSamples = 8;
  double targetHalfWidth = 0.02; ///< of the ratio's 95 % interval
  double raceFactor =
      1.01; ///< stops if the interval lies this far over the incumbent
  double leadFactor =
      0.97; ///< of the last leader's upper end: see becomesIncumbent

  double trialSeconds = 10; ///< limit, after which the samples must suffice

  // A trial whose launches take long. Their noise is a smaller share of them.
  double longLaunchSeconds = 0.005; ///< from here on
  double longPruneFactor = 2;       ///< in place of pruneFactor, after a pair
  double longRaceFactor = 1.03;     ///< in place of raceFactor, after two
  size_t longSamples = 3;

  // Buffers.
  double cacheShare = 1.5;         ///< of the last-level cache, to rotate over
  uint64_t maxRotationSets = 4095; ///< whatever the cache
  /// Limits the rotated sets if buffers fit in the cache and a flush evicts
  /// them: each redraw writes all sets, and on a GPU tiny buffers take as long
  /// as large ones.
  uint64_t maxFlushedSets = 257;
  uint64_t maxRotationBytes = 1 << 29;

  // The finals.
  double finalistMargin = 1.005; ///< of the least upper end, for the lower end
  uint64_t maxFinalists = 64;
  uint64_t firstRounds = 8;
  double roundsGrowth = 0.25;    ///< more rounds where an error is too large
  uint64_t layoutRounds = 4;     ///< rounds between two layouts
  uint64_t maxFinalRounds = 512; ///< of all stages
  double finalsError = 0.007;    ///< that the first stage must reach, of logs
  double errorShrink = 0.75;     ///< from stage to stage
  double dropZ = 2.3; ///< Wilcoxon's, against the leader, to leave at once
  double raceZ = 3;   ///< the same, at every look of a stage
  double finalsSeconds = 20; ///< limit, after which the samples must suffice

  // The test of the chosen candidate.
  size_t blockRounds = 8; ///< rounds between two layouts; one mean each
  size_t firstLook = 64;  ///< rounds before the first decision; then doubled
  size_t minRounds = 16;  ///< fewer, for lack of time, decide nothing
  size_t maxRounds = 3400;
  double fasterFloor = 0.005; ///< log speedup shown before it is `faster`
  double fasterZ = 3;         ///< and how surely, as a normal quantile
  double tieCeiling = 0.008;  ///< a log speedup shown to be below it is a `tie`
  double testSeconds = 20;    ///< then the look is the last
};

void mapFields(JsonFields &fields, ProtocolOptions &options);

/// Returns the protocol whose verdict `faster` is that the speedup is at least
/// `least`, which may be below 1, by the same risk.
ProtocolOptions makeLimitProtocol(ProtocolOptions options, double least);

/// Returns true if a trial becomes the incumbent, by which others are pruned
/// and which may be chosen without a test: the upper end of its ratio's
/// interval is clearly below `incumbentHigh`, that of the previous incumbent. A
/// small gain is not enough, since the incumbent is verified on all inputs,
/// which takes longer than the trial.
bool becomesIncumbent(const Measurement &measured, double incumbentHigh,
                      const ProtocolOptions &options);

/// Entrants timed side by side are numbered: the baseline first, then the
/// candidates.
inline constexpr size_t baselineEntrant = 0;
inline constexpr size_t firstCandidate = 1;

/// Takes samples. Behind it is a device, or a fake without a clock.
class Sampler {
public:
  virtual ~Sampler() = default;

  /// Launches once, or a batch, on the next of the rotated buffers; returns the
  /// mean seconds of a launch.
  virtual Result<double, Failure> sample(size_t entrant) = 0;
  /// Takes a sample that does not count.
  virtual Result<double, Failure> warm(size_t entrant) {
    return sample(entrant);
  }
  /// Returns a monotonic clock in seconds, which includes the overhead of
  /// samples; 0 if the sampler has none.
  virtual double clockSeconds() const { return 0; }
  /// Returns the number of launches in a sample.
  virtual size_t batch() const { return 1; }
  /// Sets the shortest and longest expected launch time, from which the sampler
  /// chooses the common batch size.
  virtual void expectSeconds(double least, double most) {}
  /// Places the buffers anew, which all entrants share.
  virtual Result<void, Failure> redraw() = 0;
  /// Loads all entrants anew.
  virtual Result<void, Failure> reload() = 0;
};

/// Measures elapsed seconds: by the sampler's clock, or without one, by the sum
/// of the measured times.
class Stopwatch {
public:
  explicit Stopwatch(const Sampler &sampler)
      : sampler(sampler), begin(sampler.clockSeconds()) {}

  /// Adds the launches of a sample just taken.
  void add(double launchSeconds) {
    measured += launchSeconds * static_cast<double>(sampler.batch());
  }
  double seconds() const {
    return std::max(measured, sampler.clockSeconds() - begin);
  }

private:
  const Sampler &sampler;
  double begin, measured = 0;
};

/// Takes samples that count for nothing, for the clocks and caches, and returns
/// the least seconds of a launch among them.
Result<double, Failure> warmUp(Sampler &sampler, size_t entrant,
                               double seconds);

/// Decides when one measurement has enough samples.
class StoppingCriterion {
public:
  virtual ~StoppingCriterion() = default;
  virtual void add(double ratio) = 0;
  virtual bool done() const = 0;
};

/// The length of a trial: usual, or with few launches for long kernels.
enum class TrialLength { usual, longLaunches };

/// Stops once the 95 % interval of the median of the log ratios is narrow
/// enough or lies above the incumbent's, checked after 6, 8, 10, ... samples,
/// or at the maximum number of samples. For long launches, stops a clearly
/// slower candidate after two samples.
class MedianRatioCriterion : public StoppingCriterion {
public:
  MedianRatioCriterion(const ProtocolOptions &options, double incumbentHigh,
                       TrialLength length = TrialLength::usual)
      : options(options), incumbentHigh(incumbentHigh),
        isLong(length == TrialLength::longLaunches),
        nextLook(isLong ? options.longSamples : options.minSamples) {}

  void add(double ratio) override;
  bool done() const override { return isDone; }

private:
  const ProtocolOptions &options;
  double incumbentHigh;
  bool isLong;
  size_t nextLook;
  std::vector<double> ratios;
  bool isDone = false;
};

/// A trial's measurement, or a lower bound of it.
struct PairedMeasurement {
  Status status = Status::ok; ///< ok or pruned
  Measurement measurement;
};

/// Times the candidate, each sample beside one of the baseline, after warming
/// up; without that if launches are long, for which those that verify do.
/// `incumbentHigh` is the upper end of the best candidate's ratio interval,
/// infinity if there is none.
Result<PairedMeasurement, Failure>
measurePaired(Sampler &sampler, const ProtocolOptions &options,
              double incumbentHigh, TrialLength length = TrialLength::usual);

/// Tests on fresh data whether the candidate is faster than the baseline:
/// rounds in random order, a new layout each block, looks at 64, 128, ... 2048,
/// 3400 rounds; m and its error from the blocks' pseudo-medians of log(baseline
/// / candidate): a lower end at z = 3 over the floor is `faster`, an upper end
/// at z = 1.96 under the ceiling, or no decision at the last look, is `tie`.
Result<Comparison, Failure> compareWithBaseline(Sampler &sampler,
                                                const ProtocolOptions &options,
                                                uint64_t seed);

} // namespace tonno

#endif // TONNO_TIMING_PROTOCOL_H
