//===- Observers of tuning ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_TUNEOBSERVER_H
#define TONNO_SESSION_TUNEOBSERVER_H

#include "tonno/Cache/Records.h"
#include "tonno/Core/TuneMode.h"
#include "tonno/Engine/Budget.h"
#include "tonno/Engine/TrialLog.h"
#include "tonno/Engine/TuningSession.h"
#include "tonno/Runtime/Device.h"
#include "tonno/Runtime/PatientRunner.h"
#include "tonno/Session/SiblingStore.h"
#include "tonno/Space/AnchorShapes.h"

#include <memory>
#include <optional>
#include <vector>

namespace tonno {

struct ModelOutcome;
struct RangeOutcome;
struct KernelRates;

/// The prior that a search began with, or that chose without a search.
struct PriorUse {
  std::string name; ///< empty: none that knows anything of the kernel
  /// The number of trials that it proposed, which grows during the search.
  std::shared_ptr<const size_t> proposed = std::make_shared<size_t>(0);
  /// How much faster than the default it expects its choice to be; 0: it chose
  /// nothing.
  double expectedSpeedup = 0;
};

/// The decision for a kernel, and how the session came to it.
struct KernelOutcome {
  std::string kernel;
  SearchSpace space;
  DeviceDescription device;
  std::string chip;
  std::string key; ///< of the decision record
  DecisionRecord decision;
  /// The source of a decision that was not made in this session: "the cache".
  std::string source = {};
  std::vector<Trial> trials; ///< of this session
  double seconds = 0;
  size_t startingPoints = 0; ///< that earlier sessions found best
  size_t pastTrials = 0;     ///< made before the session was cut short
  size_t keptFailures = 0;   ///< of which there is a file
  std::string failureDirectory = {};
  /// Something outside of the kernel has ended the session with nothing tested:
  /// the winner is the best so far.
  bool isCutShort = false;
  SiblingPoints siblings = {}; ///< with which it began, too
  PriorUse prior = {};         ///< likewise
  /// True if there is no decision to apply and nothing was tried: the decision
  /// holds the default values, or those that a prior expects to be faster, and
  /// no more.
  bool isUnmeasured = false;
  ChosenMode mode = {}; ///< by which it was decided
  /// The results that candidates were compared with; null without a search.
  std::shared_ptr<const Problem> problem = {};
  /// Description of the reference, if the input does not define one.
  std::string reference = {};
  SearchEnd searchEnd = SearchEnd::budget; ///< where it was searched
  double sessionSeconds =
      0; ///< of `seconds`, that the search took, to the verdict
  double proposingSeconds = 0; ///< of these, that the strategy took
  std::map<SessionPhase, double> phaseSeconds = {}; ///< of these, by phase
  OracleOptions oracle = {}; ///< the results that were accepted
  KernelWork work = {};
  std::string record = {}; ///< file in which the cache keeps the decision
  /// The kernels that the function was split into; null if it is one kernel, or
  /// if they were not tuned in this session.
  std::shared_ptr<const ModelOutcome> model = {};
  /// Sizes of dynamic dimensions that it was tuned at; empty if it has none.
  std::vector<Dimension> sizes = {};
  /// The shapes that the function was tuned for; null if it is one. The
  /// decision is the default, and no more.
  std::shared_ptr<const RangeOutcome> range = {};

  /// Returns the rates of the chosen configuration; none without its time.
  KernelRates computeRates() const;
};

/// A kernel of a model: some ops of a function that are fused.
struct ModelKernelOutcome {
  std::string kernel; ///< that names of its knobs begin with
  std::string name;   ///< that the input's locations state, else the kernel's
  size_t calls = 1;   ///< of equal groups of ops
  double seconds = 0; ///< of all calls together, by default
  double share = 0;   ///< of the time of all kernels
  std::optional<KernelOutcome> tuned = {}; ///< none if left at its default
  bool isVerified = false; ///< its default, against its reference in f64
  /// Status of its winner, if that differs from the default, on the values that
  /// it has in the model; none if that is not known.
  std::optional<Status> onModelValues = {};

  /// Returns true if the winner differs from the default.
  bool hasOwnWinner() const;
  /// Returns true if the winner fails in the model, where the default stays.
  bool failsInModel() const {
    return onModelValues.value_or(Status::ok) != Status::ok;
  }
};

/// The kernels of a model that was tuned kernel by kernel.
struct ModelOutcome {
  std::vector<ModelKernelOutcome> kernels; ///< by their time, the longest first
  size_t calls = 0;                        ///< of all kernels
  size_t trials = 0;                       ///< of all kernels
  /// The model was compared with its default: its results are as right as the
  /// defaults of the kernels.
  bool isAgainstDefault = false;

  /// Returns the seconds that all calls take by default.
  double seconds() const;
  /// Returns the share of the kernels that were tuned in these seconds.
  double tunedShare() const;
  size_t numTuned() const;
  /// Returns the share of the kernels whose default was verified.
  double verifiedShare() const;
  size_t numVerified() const;
  /// Returns the speed-up that follows from those of the kernels.
  double computeSpeedup() const;
};

/// A shape that a kernel was tuned or only tested at.
struct ShapeOutcome {
  std::vector<Dimension> sizes;
  double weight = 0;  ///< of all calls that it stands for
  size_t variant = 0; ///< that takes it; their number if the default does
  Json best;          ///< values of the fastest configuration that was tried
  double bestSeconds = 0; ///< of that
  /// Time of the kernel that dispatches over the best's, at least 1: where it
  /// is faster, nothing better is known.
  double regret = 1;
  double speedup = 1; ///< of the kernel that dispatches over the default
};

struct RangeOutcome {
  std::vector<ShapeOutcome> shapes;
  std::vector<Json> variants; ///< the values of each
  /// Constraints over sizes; where a variant's values break one, the default
  /// takes its calls.
  std::vector<std::string> conditions;
  DispatchTable table;
  size_t trials = 0;        ///< of all shapes
  std::string artifactHash; ///< of the kernel that dispatches
  /// Shapes between those, at which the result was verified.
  std::vector<std::vector<Dimension>> verified;

  const ShapeOutcome &worst() const;
  /// Returns what is to be least: the mean regret, and more the worst.
  double cost() const { return meanRegret() + worst().regret; }
  double meanRegret() const;  ///< weighted
  double meanSpeedup() const; ///< weighted geometric mean
};

void mapFields(JsonFields &fields, ShapeOutcome &shape);
void mapFields(JsonFields &fields, RangeOutcome &range);

/// Receives the events of tuning.
class TuneObserver : public TrialLog {
public:
  /// Called once, before times are taken on this device.
  virtual void timing(const DeviceDescription &device) {}
  virtual void started(const std::string &kernel, const SearchSpace &space,
                       const Budget &budget) {}
  virtual void decided(const KernelOutcome &outcome) {}
  /// Called for each kernel of a model before it is timed by default, as the
  /// nth of all.
  virtual void timingInModel(const ModelKernelOutcome &kernel, size_t n,
                             size_t all) {}
  /// Called for each kernel of a model, once it was tuned; `decided` is called
  /// for the model.
  virtual void tunedInModel(const ModelKernelOutcome &kernel) {}
  /// Called for each shape of a kernel of several, once it was tuned there;
  /// `decided` is called for all.
  virtual void tunedAtShape(const KernelOutcome &outcome) {}
  /// Called after the peaks of a device were measured, for the first time.
  virtual void measuredPeaks(const DeviceDescription &device,
                             const PeakQuery &query, double seconds) {}
  /// Called for a kernel that is left alone, since all its knobs are selected.
  virtual void skipped(const std::string &kernel) {}
  /// Called when another process, "process 4711 of user ...", has the device.
  virtual void waiting(const std::string &holder) {}
  /// Called after the last event.
  virtual void finish() {}
};

/// Returns the patience of waiting for other processes for at most a third of
/// the budget, and ten minutes, and of warning the observer, which must outlive
/// it.
Patience makePatience(WhenBusy whenBusy, const Budget &budget,
                      TuneObserver &observer);

} // namespace tonno

#endif // TONNO_SESSION_TUNEOBSERVER_H
