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

/// The headings under which a tool's help lists options.
enum class OptionGroup { input, search, target, verification, cache, openCl };

/// The spelling of an option, and its help text.
struct OptionText {
  OptionGroup group;
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
  std::string device; ///< with commas; empty: what runs the target's code
  bool compileOnly = false;
  bool verifyOnly = false;
  std::optional<std::string> bundle;  ///< output file for compiled candidates
  std::optional<std::string> results; ///< of a bundle that was run elsewhere
  std::optional<unsigned> jobs;       ///< none: as many as suit the device
  std::string kernel;
  std::string shapes; ///< "M=64, N=1024"
  std::string effort = "quick";
  std::string strategy; ///< empty: the effort's
  std::string prior;    ///< a file; "none"; empty: the shipped one
  std::optional<uint64_t> budgetTrials;
  std::optional<double> budgetSeconds;
  uint64_t seed = 0;
  std::string cacheState = "cold";
  std::string whenBusy = "wait";
  std::string timeBounds = "use";
  bool retune = false;
  bool wholeFunction = false;
  uint64_t maxVariants = VariantLimits().most;
  double regret = VariantLimits().regret;
  std::string stopAtGain; ///< empty: 1 % of a model, no limit for a kernel
  std::optional<double> stopAtLimit;
  std::string cache = "rw";
  std::string cacheDirectory;
  std::optional<std::string> store; ///< none: that of $TONNO_STORE
  std::optional<std::string> mode;  ///< none: that of $TONNO_MODE
  bool requireCached = false;       ///< the same as mode cached
  std::string journal;              ///< a file; empty: in the cache
  bool resume = false;
  std::string failures; ///< a directory; empty: in the cache
  OracleOptions oracle;
  std::string bits = "free";
  std::vector<std::string> limits;
  std::string objective = "time";
  std::string pareto; ///< resources; empty: no front
  std::string apply;  ///< a rule; empty: the winner
  std::string tolerance;
  std::optional<double> referenceSeconds; ///< of one run
  std::optional<double> compileSeconds;   ///< of one candidate
  std::optional<double> startSeconds;     ///< of a worker or a runner
  AttributeOptions kernelOptions;
  std::vector<std::string> workerCommands; ///< split as a shell would
  std::vector<std::string> runnerCommands; ///< split as a shell would
  std::vector<std::string> dialectPlugins; ///< that the worker loads too
  std::vector<std::string> passPlugins;    ///< that the worker loads too

  /// Calls `visit(text, field)` for each option of tuning. Command lines, pass
  /// options and their help follow from this table.
  template <typename Visitor> void visitOptions(Visitor &&visit);

  /// Calls `visit(text, field)` for each option that a pass does not have,
  /// since nothing is decided with it or the decision is from elsewhere.
  template <typename Visitor> void visitSurveyOptions(Visitor &&visit);

  /// Resolves the sizes of dynamic dimensions; a range is an Error.
  Result<std::vector<Dimension>> resolveShapes() const;

  /// Resolves the options of the correctness gate.
  Result<OracleOptions> resolveOracle() const;

  /// Returns how to choose from a front; none for its winner.
  Result<std::optional<FrontChoice>> resolveChoice() const;

  /// Resolves the request. The Error names the option and its valid values.
  Result<TunerOptions> resolve() const;
};

/// Splits each text into words, as a shell would. The Error: a program does not
/// exist, perhaps since the words of one command were given as several.
Result<std::vector<Command>>
splitCommands(const char *flag, const std::vector<std::string> &texts);

template <typename Visitor> void TuneRequest::visitOptions(Visitor &&visit) {
  using Text = OptionText;
  using Group = OptionGroup;
  visit(Text{Group::target, "target", "backend",
             "Backend: host (default), nvptx or amdgpu"},
        target);
  visit(Text{Group::target, "chip", "chip",
             "Chip to compile for, such as znver4, sm_90, gfx942; native "
             "(default) is the device's; for a CPU of another architecture "
             "TRIPLE:CPU, such as aarch64-linux-gnu:neoverse-n1"},
        chip);
  visit(
      Text{Group::target, "device", "kind,...",
           "Device to run candidates on: host, cuda[:N], hip[:N], opencl[:N], "
           "or a core of the host, host:N; or sim, which verifies candidates "
           "for a GPU on the CPU and times none. Several equal devices take "
           "trials at the same time: cuda:0,cuda:1"},
      device);
  visit(Text{Group::input, "kernel", "name", "Take only this kernel"}, kernel);
  visit(
      Text{Group::input, "shapes", "M=64,...",
           "Sizes of dynamic dimensions, by the names of tonno.dims, else d0, "
           "d1, ... in order of appearance. Ranges, M=1..4096, give a kernel "
           "of several variants, chosen by size, where kernels are tuned; "
           "'weight 0.8 for M <= 32' says which sizes matter; so does a file "
           "that lists shapes, as CSV or JSON"},
      shapes);
  visit(Text{Group::target, "jobs", "n",
             "Most candidates to compile at the same time; by default one for "
             "each core that has memory for it, and 1 on the host device",
             1},
        jobs);
  visit(Text{Group::search, "effort", "level",
             "quick (default): 60 trials or 2 minutes; full: 400 or 30 "
             "minutes; exhaustive: every configuration; none: what the cache "
             "has, or what a prior expects, or the defaults, measuring "
             "nothing"},
        effort);
  visit(Text{Group::search, "strategy", "name",
             strategyList() + "; else the effort's"},
        strategy);
  visit(Text{Group::search, "prior", "file",
             "Prior of 'tonno-tune learn' that the search begins with; none: "
             "without; else one that tonno has for the architecture"},
        prior);
  visit(Text{Group::search, "budget-trials", "n", "Stop after this many trials",
             1},
        budgetTrials);
  visit(Text{Group::search, "budget-seconds", "s",
             "Stop after this many seconds, the final test among them"},
        budgetSeconds);
  visit(Text{Group::search, "seed", "n",
             "Seed of strategy, inputs and layouts; 0 by default"},
        seed);
  visit(Text{Group::target, "cache-state", "state",
             "State of the last-level cache before a timed launch: cold "
             "(default), without the kernel's data, or warm, as the launch "
             "before left it"},
        cacheState);
  visit(Text{Group::target, "when-busy", "way",
             "Reaction to other processes on the device: wait (default) for at "
             "most a third of the budget, then measure beside them; measure "
             "at once; or fail"},
        whenBusy);
  visit(Text{Group::search, "time-bounds", "mode",
             "Use of lower bounds on time: use (default) does not measure "
             "candidates that cannot be the best; record measures them and "
             "warns of a time below its bound; off ignores bounds"},
        timeBounds);
  visit(Text{Group::search, "retune", nullptr,
             "Tune kernels whose knobs are all selected, too, from there"},
        retune);
  visit(Text{Group::input, "whole-function", nullptr,
             "Tune a function without knobs as one kernel, however many ops it "
             "has; by default the groups of ops that are fused are tuned as "
             "kernels"},
        wholeFunction);
  visit(
      Text{Group::search, "stop-at-gain", "share",
           "End a search that expects less than this gain; leave the rest of "
           "a model's kernels at their defaults where it takes less than this "
           "share of the time, by default 1%"},
      stopAtGain);
  visit(Text{Group::search, "max-variants", "n",
             "Most variants of a kernel that is tuned for a range of shapes",
             1},
        maxVariants);
  visit(Text{Group::search, "regret", "ratio",
             "Time over the best known at each shape of a range that is good "
             "enough: no variant is added below it"},
        regret);
  visit(Text{Group::search, "stop-at-limit", "share",
             "End a search whose best reaches this share of the machine's "
             "limit, such as 0.95; of a model, the search of each kernel"},
        stopAtLimit);
  visit(Text{Group::cache, "cache", "mode",
             "Use of the cache: rw (default), ro or off"},
        cache);
  visit(
      Text{Group::cache, "cache-dir", "directory",
           "Directory of the cache; else $TONNO_CACHE_DIR, else .tonno-cache"},
      cacheDirectory);
  visit(Text{Group::cache, "store", "URL",
             "Address of a shared store of decisions, by HTTP; empty for none; "
             "else $TONNO_STORE"},
        store);
  visit(Text{Group::cache, "mode", "name",
             "tune (default) measures kernels that the cache has no decision "
             "for; cached measures nothing and fails for such kernels; off "
             "takes the default and reads no cache; else $TONNO_MODE"},
        mode);
  visit(Text{Group::cache, "require-cached", nullptr,
             "The same as --mode=cached"},
        requireCached);
  visit(Text{Group::cache, "journal", "file",
             "Write each trial to this file as it ends; else to one in the "
             "cache's directory"},
        journal);
  visit(Text{Group::cache, "resume", nullptr,
             "Continue an interrupted session from its journal"},
        resume);
  visit(Text{Group::cache, "failures", "directory",
             "Write a file for each failure here, for tonno-tune reproduce; "
             "else in the cache's directory"},
        failures);
  visit(Text{Group::verification, "allow-nondeterminism", nullptr,
             "Accept candidates whose results vary from launch to launch"},
        oracle.allowNondeterminism);
  visit(
      Text{Group::verification, "allow-lower-precision", nullptr,
           "Accept candidates that accumulate in the precision of the inputs"},
      oracle.allowLowerPrecision);
  visit(Text{Group::verification, "allow-nan", nullptr,
             "Accept a reference with NaN in more than 1 % of an output"},
        oracle.allowNan);
  visit(Text{Group::verification, "bits", "class",
             "Results to choose among: free (default), within the bounds of "
             "the correctness gate; same, with the bits that the default "
             "configuration gives"},
        bits);
  visit(Text{Group::search, "objective", "resource",
             "The winner has the least of this: time (default), workspace, "
             "code-size, shared, stack, spills, registers or energy; of those "
             "that use the same, the least time"},
        objective);
  visit(Text{Group::search, "pareto", "resources",
             "Also test the candidates that no other one beats in time and "
             "these resources, such as 'code-size,energy'"},
        pareto);
  visit(Text{Group::search, "apply", "rule",
             "Choose from the front of --pareto: 'time within 1.05x, least "
             "code-size'; conditions such as 'time <= 1x' or 'workspace <= "
             "1MB', too"},
        apply);
  visit(Text{Group::verification, "limit", "condition",
             "Accept only candidates that use so little of a resource, such as "
             "'workspace <= 1MB' or 'code-size <= 64KiB'; with --objective "
             "also of time, such as 'time <= 1.05x'; once for each limit"},
        limits);
  visit(Text{Group::verification, "tolerance", "errors",
             "Accept errors beyond the bounds of the correctness gate: 1e-3 of "
             "an output's root mean square, 1e-3rel, 1e-6abs or 4ulps, for all "
             "outputs of floating point or one: 'result0=1e-3rel'"},
        tolerance);
  visit(Text{Group::input, "pipeline", "builtin.module(...)",
             "Lower kernels by this pass pipeline; @KNOB@ stands for a knob's "
             "value"},
        kernelOptions.pipeline);
  visit(Text{Group::input, "knob", "NAME=domain",
             "A knob of the pipeline, or a macro of OpenCL C: 'BM=[32, 64]', "
             "'BM=pow2<16 to 256> default 32'"},
        kernelOptions.knobs);
  visit(Text{Group::input, "constraint", "condition",
             "A condition over knobs: 'BM * BN <= 4096'"},
        kernelOptions.constraints);
  visit(Text{Group::verification, "inputs", "argN=data",
             "Data of an argument: 'arg0=uniform(-1, 1)', normal, integers, "
             "permutation, constant, npy(\"file\"), sorted; arguments in "
             "OpenCL C have names"},
        kernelOptions.inputs);
  visit(Text{Group::verification, "reference", "@function",
             "Compare candidates with this function of the module"},
        kernelOptions.reference);
  visit(Text{Group::target, "fp-contract", "mode",
             "Products and sums to contract into one operation: on (default), "
             "those of reductions and of ops with fastmath<contract>; fast, "
             "all"},
        kernelOptions.fpContract);
  visit(Text{Group::verification, "reference-seconds", "s",
             "Time limit of one run of the reference; 300 by default"},
        referenceSeconds);
  visit(Text{Group::target, "compile-seconds", "s",
             "Time limit of compiling one candidate; by default 60, and after "
             "five candidates 20 times the slowest one's time, at least 10"},
        compileSeconds);
  visit(Text{Group::target, "start-seconds", "s",
             "Time limit for worker and runner from start to first answer; 30 "
             "by default"},
        startSeconds);
  visit(Text{Group::target, "worker-command", "command",
             "Compile by this command, split as a shell would: 'ssh builder "
             "tonno-worker'; of several, jobs take turns"},
        workerCommands);
  visit(Text{Group::target, "runner-command", "command",
             "Run candidates by this command, split as a shell would: 'ssh "
             "gpu-host tonno-runner'; several are for one device each"},
        runnerCommands);
  visit(Text{Group::input, "load-dialect-plugin", "file",
             "Load dialects from a plugin, here and in workers"},
        dialectPlugins);
  visit(Text{Group::input, "load-pass-plugin", "file",
             "Load passes from a plugin, here and in workers"},
        passPlugins);
}

template <typename Visitor>
void TuneRequest::visitSurveyOptions(Visitor &&visit) {
  using Text = OptionText;
  using Group = OptionGroup;
  visit(Text{Group::target, "compile-only", nullptr,
             "Run nothing: report which candidates compile, and the resources "
             "of each"},
        compileOnly);
  visit(Text{Group::verification, "verify-only", nullptr,
             "Time nothing: report which candidates compile and compute the "
             "right result"},
        verifyOnly);
  visit(Text{Group::target, "bundle", "file",
             "With --compile-only: write the compiled candidates to this file, "
             "for tonno-runner --bundle on a machine with the device"},
        bundle);
  visit(Text{Group::target, "results", "file",
             "Measure nothing: take the results of tonno-runner --bundle"},
        results);
}

} // namespace tonno

#endif // TONNO_TUNER_TUNEREQUEST_H
