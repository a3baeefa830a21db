//===- Verifies and times artifacts ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_RUNNER_H
#define TONNO_ENGINE_RUNNER_H

#include "tonno/Core/DeviceCondition.h"
#include "tonno/Core/DevicePeaks.h"
#include "tonno/Core/Problem.h"
#include "tonno/Engine/OracleOptions.h"
#include "tonno/Process/DeviceLock.h"
#include "tonno/Timing/Finals.h"

#include <limits>
#include <map>
#include <optional>

namespace tonno {

/// Conditions of the machine that make times less certain, and that can't be
/// changed from here: by a short name, the condition in words for the user.
using Environment = std::map<std::string, std::string>;

/// Properties of a device, recorded with every time taken on it.
struct DeviceDescription {
  std::string kind;         ///< "host", "cuda", "hip"
  std::string name;         ///< "AMD EPYC 9654", "NVIDIA H200"
  std::string uuid;         ///< distinguishes devices of one name
  uint64_t cacheBytes = 0;  ///< of the last-level cache
  std::string chip = {};    ///< "sm_90", "gfx942"; of GPUs
  std::string driver = {};  ///< its version, "12.8"; empty where there is none
  uint64_t memoryBytes = 0; ///< that it may use; 0 if that is unknown
  Environment environment = {};
  std::optional<unsigned> core = {}; ///< of the host, if it is only that

  DeviceIdentity identity() const { return {kind, uuid, core}; }
};

/// The session data that a runner needs to judge candidates of a kernel.
struct RunnerSession {
  Problem problem;
  Signature signature; ///< of every candidate
  ProtocolOptions protocol;
  uint64_t seed = 0; ///< of inputs and layouts
  OracleOptions oracle = {};
  /// The default configuration, whose bits candidates must give; none unless
  /// `oracle` says so.
  std::optional<Artifact> sameAs = {};
  /// Limits the wait, when it is opened, for a device that another process has;
  /// not part of its JSON.
  double waitSeconds = std::numeric_limits<double>::infinity();
  /// Limits how long all runs of the reference may take; not part of its JSON
  /// either.
  double openSeconds = std::numeric_limits<double>::infinity();
  /// File in which a runner keeps the reference's results for the next runner;
  /// none if empty. Not part of its JSON.
  std::string passesFile = {};
};

struct RunRequest {
  enum class Kind {
    measure, ///< verify, then time beside the baseline: a trial
    choose,  ///< time the finalists beside each other: which is the best
    compare, ///< verify, then test against the baseline: the verdict
    verify,  ///< no more than that; the baseline may be empty
    peaks,   ///< of the device, by micro-benchmarks; no kernel runs
    /// Write the reference's results on the inputs that candidates are timed
    /// on; nothing runs.
    results,
  };
  Kind kind = Kind::measure;
  PeakQuery peakQuery = {}; ///< if kind is `peaks`
  /// If kind is `results`: where each output becomes `<its number among the
  /// buffers>.npy`.
  std::string directory = {};
  Artifact candidate; ///< but to choose
  Artifact baseline;
  std::vector<Artifact> finalists; ///< to choose from; verified before
  /// Upper end of the ratio interval of the last that took the lead.
  double incumbentHigh = std::numeric_limits<double>::infinity();
  /// Limits the seconds of the finals or of the test, if below the protocol's
  /// limit.
  double seconds = std::numeric_limits<double>::infinity();
  /// Allows others to run on the device meanwhile. Time that they take is
  /// subtracted where it is known, and the result is marked as `contended`.
  bool acceptContended = false;
  /// Limits the seconds of each launch of the candidate; 0 lets the runner
  /// derive a limit.
  double launchSeconds = 0;
  /// Names each entrant of `choose` before it runs, and checks afterwards that
  /// read-only buffers are unchanged. Takes time in addition to the timed
  /// launches.
  bool announcesEntrants = false;
  /// Times a candidate that is right even if its bits are not those of
  /// `RunnerSession::sameAs`.
  bool acceptsOtherBits = false;
  /// Compare: the speedup over the baseline that the verdict `faster` shows, in
  /// place of the protocol's; 0 shows nothing but the time.
  std::optional<double> leastSpeedup = {};
  /// Compare: joules, not seconds; the comparison's seconds are joules then.
  bool ofEnergy = false;
  /// Compare: the candidate is the earlier binary of a check, which nobody is
  /// given: it is verified as trials are.
  bool isEarlier = false;
  /// Limits the wait for the device, as in RunnerSession; then the result is
  /// `contended`, with `deviceHeld`.
  double waitSeconds = std::numeric_limits<double>::infinity();
};

struct RunResult {
  Status status = Status::ok;
  std::string message;
  std::optional<Measurement> measurement;   ///< measure, if ok or pruned
  std::vector<Finalist> finalists;          ///< choose, if ok: best first
  std::optional<Comparison> comparison;     ///< compare, if ok
  std::optional<DevicePeaks> peaks;         ///< peaks, if the device has any
  std::optional<DeviceCondition> condition; ///< of the device, right after
  double seconds = 0;                       ///< that the request took
  double verifySeconds = 0; ///< of these, that verification took
  double launchSeconds = 0; ///< that a launch had; 0 unless it is a hang
  /// Seconds of the shortest launch that was verified, if `different_bits`.
  std::optional<double> verifiedSeconds = {};
  /// True for a contended result if another process held the device for all of
  /// `waitSeconds`, so that nothing ran.
  bool deviceHeld = false;
  /// Choose, if not ok: which failed, if that is known. Numbered as a
  /// Sampler's: the baseline, then the finalists.
  std::optional<size_t> failedEntrant = {};
};

/// Returns the result of a request that has waited for its device in vain.
RunResult getDeviceHeld(const std::string &holder);

/// Verifies and times artifacts on one device. Whatever the candidate does, run
/// comes back with a result.
class Runner {
public:
  virtual ~Runner() = default;

  /// Returns the device that this runner owns.
  virtual Result<DeviceDescription> device() = 0;

  /// Prepares for the candidates of one kernel: runs the reference.
  virtual Result<void> open(const RunnerSession &session) = 0;

  /// Judges one artifact of the opened kernel.
  virtual RunResult run(const RunRequest &request) = 0;
};

void mapFields(JsonFields &fields, DeviceDescription &description);
void mapFields(JsonFields &fields, RunnerSession &session);
EnumNames getEnumNames(RunRequest::Kind);
void mapFields(JsonFields &fields, RunRequest &request);
void mapFields(JsonFields &fields, RunResult &result);

} // namespace tonno

#endif // TONNO_ENGINE_RUNNER_H
