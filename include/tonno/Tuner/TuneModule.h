//===- Tunes the kernels of a module --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_TUNEMODULE_H
#define TONNO_TUNER_TUNEMODULE_H

#include "tonno/Core/TuneMode.h"
#include "tonno/Engine/Budget.h"
#include "tonno/Engine/OracleOptions.h"
#include "tonno/Engine/TimeBounds.h"
#include "tonno/Prior/Prior.h"
#include "tonno/Process/ProgramStart.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Search/Variants.h"
#include "tonno/Session/Bundle.h"
#include "tonno/Session/DecisionStore.h"
#include "tonno/Session/FrontChoice.h"
#include "tonno/Session/SessionJournal.h"
#include "tonno/Session/TuneObserver.h"
#include "tonno/Space/Shapes.h"
#include "tonno/Tuner/AttributeOptions.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <memory>

namespace tonno {

/// The prior that searches begin with.
struct PriorChoice {
  std::shared_ptr<const Prior> prior; ///< the stated one; null for none
  /// Identifies what was stated, for the keys of decisions; empty: the shipped
  /// prior of the architecture.
  std::string identity;

  /// Returns the prior for a target; null if there is none.
  std::shared_ptr<const Prior> find(const std::string &triple) const;
};

struct TunerOptions {
  std::string target = "host"; ///< backend: "host", "nvptx", "amdgpu"
  std::string chip = "native";
  /// "host", "cuda:1", "hip", "sim"; several equal ones take trials at the same
  /// time.
  std::vector<std::string> devices = {"host"};
  bool compileOnly = false; ///< run nothing
  bool verifyOnly = false;  ///< time nothing
  std::string bundle; ///< output file for compiled candidates; empty: none
  /// Results of another machine that replace measurements: see BundleResult.
  std::optional<BundleResults> results;
  unsigned jobs = 1; ///< candidates that are compiled at the same time
  std::vector<std::string> warnings; ///< about the options
  std::string kernel;                ///< only this one; empty: all
  std::vector<Dimension> shapes;     ///< sizes of dynamic dimensions
  std::optional<Shapes> range; ///< shapes to tune for, if they are several
  VariantLimits variants;      ///< of kernels for several shapes
  Effort effort;
  PriorChoice prior;
  uint64_t seed = 0;
  ProtocolOptions protocol;
  WhenBusy whenBusy = WhenBusy::wait; ///< others use the device
  TimeBounds timeBounds = TimeBounds::use;
  bool retune = false;        ///< also kernels whose knobs are all selected
  bool wholeFunction = false; ///< functions without knobs are one kernel
  /// Kernels of a model that together take less than this share of the time
  /// are not tuned.
  double stopAtGain = 0.01;
  /// Ends the search of a kernel that is no part of a model if it expects less
  /// than this gain.
  std::optional<double> leastGain;
  /// Ends the search of a kernel, also in a model, if the best takes at most
  /// the time of the machine's limit over this share.
  std::optional<double> stopAtLimit;
  CacheMode cacheMode = CacheMode::read_write;
  std::string cacheDirectory;       ///< empty: $TONNO_CACHE_DIR or .tonno-cache
  std::optional<std::string> store; ///< none: $TONNO_STORE; empty: none at all
  ChosenMode mode;                  ///< `cached`: fail rather than measure
  JournalLocation journal;
  bool resume = false;          ///< go on from the journal
  std::string failureDirectory; ///< for a file of each failure; empty: none
  OracleOptions oracle;
  std::optional<FrontChoice> choice; ///< from the front; else the winner
  /// Limits the seconds of one run of the reference.
  double referenceSeconds = RunnerLimits().referenceSeconds;
  /// Limits the seconds of one compilation; if empty, the worker chooses.
  std::optional<double> compileSeconds;
  /// Limits the seconds until the first answer of a worker or a runner.
  double startSeconds = defaultStartSeconds;
  AttributeOptions kernelOptions;
  std::vector<Command>
      workerCommands; ///< for jobs in turn; empty: tonno-worker
  /// One for all devices, or one for each, or several for one device each, on
  /// machines of their own; empty: tonno-runner.
  std::vector<Command> runnerCommands;
  std::function<bool()> interrupted = [] { return false; };

  StoreChoice getStoreChoice() const {
    return {cacheMode, cacheDirectory, store};
  }
  /// Returns the first device, which kernels are read for, and on which finals
  /// and tests are made.
  const std::string &device() const { return devices.front(); }
  bool isSimulated() const { return device().starts_with("sim"); }
  /// Returns true if candidates are compiled without timing: nothing is
  /// decided.
  bool isSurvey() const { return compileOnly || verifyOnly || isSimulated(); }
  bool requiresCache() const { return mode.mode == TuneMode::cached; }
  /// Returns true if kernels get their defaults, whatever is known of them.
  bool isOff() const { return mode.mode == TuneMode::off; }
};

/// The outcome of tuning a module.
struct ModuleOutcome {
  std::vector<KernelOutcome> tuned;
  std::vector<std::string> skipped;   ///< all their knobs were selected
  std::vector<std::string> undecided; ///< failed, or left for an interrupt
  /// True if all kernels are decided: none has failed, was cut short by an
  /// environmental failure (which a diagnostic or warning has reported), or was
  /// skipped after an interrupt.
  bool isWhole = true;
};

/// Tunes the module's kernels one by one and writes the decisions back into it.
/// Functions that can't be kernels are no part of it: `prepareModule` warns of
/// them. A kernel that fails keeps its knobs, and costs the others nothing.
/// Fails, with a located diagnostic and the module unchanged, if the kernels
/// can't be begun with, or if one is not in a cache that is required to have
/// it.
mlir::FailureOr<ModuleOutcome> tuneModule(mlir::ModuleOp module,
                                          const TunerOptions &options,
                                          TuneObserver &observer);

} // namespace tonno

#endif // TONNO_TUNER_TUNEMODULE_H
