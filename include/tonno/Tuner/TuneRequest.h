//===- Tuning options as users write them ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_TUNEREQUEST_H
#define TONNO_TUNER_TUNEREQUEST_H

#include "tonno/Strategies/Strategies.h"
#include "tonno/Tuner/TuneModule.h"

#include <optional>
#include <string>

namespace tonno {

/// The spelling of an option, and its help text.
struct OptionText {
  const char *flag;
  const char *value; ///< what stands for the value in a help; null of a switch
  std::string help;
  uint64_t least = 0; ///< of an integer
};

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
  std::string timeBounds = "use";
  bool retune = false;
  std::string cache = "rw";
  std::string cacheDirectory;
  std::optional<std::string> mode; ///< none: that of $TONNO_MODE
  bool requireCached = false;      ///< the same as mode cached
  std::string journal;             ///< a file; empty: in the cache
  bool resume = false;
  std::string failures; ///< a directory; empty: in the cache
  OracleOptions oracle;
  std::optional<double> referenceSeconds; ///< of one run
  std::optional<double> compileSeconds;   ///< of one candidate
  std::optional<double> startSeconds;     ///< of a worker or a runner
  AttributeOptions kernelOptions;
  std::vector<std::string> workerCommand;
  std::vector<std::string> runnerCommand;
  std::vector<std::string> dialectPlugins; ///< that the worker loads too
  std::vector<std::string> passPlugins;    ///< that the worker loads too

  /// Calls `visit(text, field)` for each option of tuning. Command lines, pass
  /// options and their help follow from this table.
  template <typename Visitor> void visitOptions(Visitor &&visit);

  /// Calls `visit(text, field)` for each option that a pass does not have,
  /// since nothing is decided with it or the decision is from elsewhere.
  template <typename Visitor> void visitSurveyOptions(Visitor &&visit);

  /// Resolves the request. The Error names the option and its valid values.
  Result<TunerOptions> resolve() const;
};

template <typename Visitor> void TuneRequest::visitOptions(Visitor &&visit) {
  using Text = OptionText;
  visit(Text{"target", "backend", "Backend: host (default), nvptx or amdgpu"},
        target);
  visit(Text{"chip", "chip",
             "Chip to compile for, such as znver4, sm_90, gfx942; native "
             "(default) is the device's; a CPU of another architecture stands "
             "behind its triple: aarch64-linux-gnu:neoverse-n1"},
        chip);
  visit(Text{"device", "kind",
             "Where candidates run: host, cuda[:N], hip[:N], opencl[:N]; or "
             "sim, where a GPU's are verified on the CPU, but not timed"},
        device);
  visit(Text{"kernel", "name", "Take only this kernel"}, kernel);
  visit(Text{"jobs", "n",
             "Candidates to compile at the same time, as many as cores and "
             "memory allow; by default one for each core, on the host device "
             "1",
             1},
        jobs);
  visit(Text{"effort", "level",
             "quick (default): 60 trials or 2 minutes; full: 400 or 30 "
             "minutes; exhaustive: every configuration; none: what the cache "
             "has, or the defaults, measuring nothing"},
        effort);
  visit(Text{"strategy", "name", strategyList() + "; else the effort's"},
        strategy);
  visit(Text{"budget-trials", "n", "Stop after this many trials", 1},
        budgetTrials);
  visit(Text{"budget-seconds", "s",
             "Stop after this many seconds, the final test among them"},
        budgetSeconds);
  visit(Text{"seed", "n", "Of strategy, inputs and layouts; 0 by default"},
        seed);
  visit(Text{"cache-state", "state",
             "What a timed launch finds in the last-level cache: cold "
             "(default), none of its data, or warm, what a launch just before "
             "has left there"},
        cacheState);
  visit(Text{"when-busy", "way",
             "While other processes use the device: wait (default) for at "
             "most a third of the budget, then measure beside them; measure "
             "at once; or fail"},
        whenBusy);
  visit(Text{"time-bounds", "mode",
             "Candidates whose code cannot be as fast as the best: use "
             "(default) does not measure them; record measures them and warns "
             "of a time below its bound; off ignores bounds"},
        timeBounds);
  visit(Text{"retune", nullptr,
             "Tune also kernels whose knobs are all selected, from there"},
        retune);
  visit(Text{"cache", "mode", "Use of the cache: rw (default), ro or off"},
        cache);
  visit(Text{"cache-dir", "directory",
             "Its directory; else $TONNO_CACHE_DIR, else .tonno-cache"},
        cacheDirectory);
  visit(Text{"mode", "name",
             "tune (default) measures what the cache does not have; cached "
             "measures nothing and fails where the cache has no decision; off "
             "takes the default and reads no cache; else $TONNO_MODE"},
        mode);
  visit(Text{"require-cached", nullptr, "The same as mode cached"},
        requireCached);
  visit(Text{"journal", "file",
             "Write each trial to this file as it ends; else to one in the "
             "cache's directory"},
        journal);
  visit(Text{"resume", nullptr,
             "Go on from the journal where a session was cut short"},
        resume);
  visit(Text{"failures", "directory",
             "Leave a file of each failure here, for tonno-tune reproduce; "
             "else in the cache's directory"},
        failures);
  visit(Text{"allow-nondeterminism", nullptr,
             "Take candidates whose results vary from launch to launch"},
        oracle.allowNondeterminism);
  visit(Text{"allow-lower-precision", nullptr,
             "Take candidates that form sums in the precision of the inputs"},
        oracle.allowLowerPrecision);
  visit(Text{"allow-nan", nullptr,
             "Take a reference that gives NaN in more than 1 % of an output"},
        oracle.allowNan);
  visit(Text{"pipeline", "builtin.module(...)",
             "Lower by these passes; @KNOB@ stands for a knob's value"},
        kernelOptions.pipeline);
  visit(Text{"knob", "NAME=domain",
             "A knob of the pipeline, or a macro of OpenCL C: 'BM=[32, 64]', "
             "'BM=pow2<16 to 256> default 32'"},
        kernelOptions.knobs);
  visit(Text{"constraint", "condition",
             "A condition over knobs: 'BM * BN <= 4096'"},
        kernelOptions.constraints);
  visit(Text{"inputs", "argN=data",
             "What an argument holds: 'arg0=uniform(-1, 1)', normal, "
             "integers, permutation, constant, npy(\"file\"), sorted; "
             "OpenCL's have names"},
        kernelOptions.inputs);
  visit(Text{"reference", "@function",
             "Compare candidates with this function of the module"},
        kernelOptions.reference);
  visit(Text{"fp-contract", "mode",
             "Which products and sums become one operation: on (default), "
             "those of reductions and of ops with fastmath<contract>; fast, "
             "any"},
        kernelOptions.fpContract);
  visit(Text{"reference-seconds", "s",
             "What one run of the reference may take; 300 by default"},
        referenceSeconds);
  visit(Text{"compile-seconds", "s",
             "What compiling one candidate may take; by default 60, and once "
             "five are compiled 20 times what the slowest took, at least 10"},
        compileSeconds);
  visit(Text{"start-seconds", "s",
             "What worker and runner may take from their start to an answer; "
             "30 by default"},
        startSeconds);
  visit(Text{"worker-command", "word",
             "Compile with this program; once for each word"},
        workerCommand);
  visit(Text{"runner-command", "word",
             "Run with this program; once for each word"},
        runnerCommand);
  visit(Text{"load-dialect-plugin", "file",
             "Load dialects from a plugin, here and in workers"},
        dialectPlugins);
  visit(Text{"load-pass-plugin", "file",
             "Load passes from a plugin, here and in workers"},
        passPlugins);
}

template <typename Visitor>
void TuneRequest::visitSurveyOptions(Visitor &&visit) {
  using Text = OptionText;
  visit(Text{"compile-only", nullptr,
             "Run nothing: tell which candidates compile, and what each needs"},
        compileOnly);
  visit(Text{"verify-only", nullptr,
             "Time nothing: report which candidates compile and compute the "
             "right result"},
        verifyOnly);
  visit(Text{"bundle", "file",
             "With --compile-only: put what was compiled into this file, for "
             "tonno-runner --bundle on a machine with the device"},
        bundle);
  visit(Text{"results", "file",
             "Measure nothing: take what tonno-runner --bundle found"},
        results);
}

} // namespace tonno

#endif // TONNO_TUNER_TUNEREQUEST_H
