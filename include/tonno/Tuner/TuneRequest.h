//===- Tuning options as users write them ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_TUNEREQUEST_H
#define TONNO_TUNER_TUNEREQUEST_H

#include "tonno/Tuner/TuneModule.h"

#include <optional>
#include <string>

namespace tonno {

/// Tuning options as users write them, on the command line or in a pass's
/// options: names and numbers that may be wrong.
struct TuneRequest {
  std::string target = "host";
  std::string chip = "native";
  std::string device; ///< empty: what runs the target's code
  bool compileOnly = false;
  bool verifyOnly = false;
  std::optional<std::string> bundle;  ///< where to put what was compiled
  std::optional<std::string> results; ///< of a bundle that was run elsewhere
  std::optional<unsigned> jobs;       ///< none: as many as suit the device
  std::string kernel;
  std::string effort = "quick";
  std::string strategy; ///< empty: the effort's
  std::optional<uint64_t> budgetTrials;
  std::optional<double> budgetSeconds;
  uint64_t seed = 0;
  std::string cacheState = "cold";
  std::string whenBusy = "wait";
  bool retune = false;
  std::string cache = "rw";
  std::string cacheDirectory;
  bool requireCached = false;
  std::string journal; ///< a file; empty: in the cache
  bool resume = false;
  std::string failures; ///< a directory; empty: in the cache
  OracleOptions oracle;
  std::optional<double> referenceSeconds; ///< of one run
  std::optional<double> compileSeconds;   ///< of one candidate
  std::optional<double> startSeconds;     ///< of a worker or a runner
  KernelOptions kernelOptions;
  std::vector<std::string> workerCommand;
  std::vector<std::string> runnerCommand;
  std::vector<std::string> dialectPlugins; ///< that the worker loads too
  std::vector<std::string> passPlugins;    ///< that the worker loads too

  /// The Error names the option and what it may be.
  Result<TuneOptions> resolve() const;
};

} // namespace tonno

#endif // TONNO_TUNER_TUNEREQUEST_H
