//===- What tonno-tune is told --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_COMMANDLINE_H
#define TONNO_TOOLS_COMMANDLINE_H

#include "EmissionOption.h"
#include "IntegerOption.h"
#include "SourceOptions.h"

#include "tonno/Search/SearchStrategy.h"
#include "tonno/Strategies/Strategies.h"
#include "tonno/Tuner/TuneRequest.h"

#include "llvm/Support/CommandLine.h"

namespace tonno {

/// The command line of tuning. A local of main: nothing else reads it.
struct CommandLine {
  llvm::cl::OptionCategory category{"tonno-tune options"};
  SourceOptions source{category};
  llvm::cl::opt<std::string> output{
      "o", llvm::cl::desc("The tuned IR; - is stdout"),
      llvm::cl::value_desc("file"), llvm::cl::init("-"),
      llvm::cl::cat(category)};
  llvm::cl::list<Emission> emit{
      "emit",
      llvm::cl::desc("Also write, beside the output, as <kernel> with ending:"),
      llvm::cl::CommaSeparated, emissionValues(), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> rename{"rename", llvm::cl::desc(renameHelp),
                                    llvm::cl::value_desc("name"),
                                    llvm::cl::cat(category)};
  llvm::cl::opt<std::string> device{
      "device",
      llvm::cl::desc(
          "Where candidates run: host, cuda[:N], hip[:N], opencl[:N]; "
          "or sim, where a GPU's are verified on the CPU, but not "
          "timed"),
      llvm::cl::value_desc("kind"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> compileOnly{
      "compile-only",
      llvm::cl::desc(
          "Run nothing: tell which candidates compile, and what each "
          "needs"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> verifyOnly{
      "verify-only",
      llvm::cl::desc(
          "Time nothing: report which candidates compile and compute "
          "the right result"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> bundle{
      "bundle",
      llvm::cl::desc(
          "With --compile-only: put what was compiled into this file, for "
          "tonno-runner --bundle on a machine with the device"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> results{
      "results",
      llvm::cl::desc("Measure nothing: take what tonno-runner --bundle found"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  IntegerOption<unsigned, 1> jobs{
      "jobs",
      llvm::cl::desc(
          "Candidates to compile at the same time; by default one for "
          "each core, on the host device 1"),
      llvm::cl::value_desc("n"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> effort{
      "effort",
      llvm::cl::desc("quick (default): 60 trials or 2 minutes; full: 400 or 30 "
                     "minutes; exhaustive: every configuration; none: what the "
                     "cache has, or the defaults, measuring nothing"),
      llvm::cl::init("quick"), llvm::cl::cat(category)};
  const std::string strategyHelp = strategyList() + "; else the effort's";
  llvm::cl::opt<std::string> strategy{"strategy", llvm::cl::desc(strategyHelp),
                                      llvm::cl::value_desc("name"),
                                      llvm::cl::cat(category)};
  IntegerOption<uint64_t, 1> budgetTrials{
      "budget-trials", llvm::cl::desc("Stop after so many trials"),
      llvm::cl::value_desc("n"), llvm::cl::cat(category)};
  llvm::cl::opt<double> budgetSeconds{
      "budget-seconds",
      llvm::cl::desc("Stop after so many seconds, the final test among them"),
      llvm::cl::value_desc("s"), llvm::cl::cat(category)};
  IntegerOption<uint64_t> seed{
      "seed", llvm::cl::desc("Of strategy, inputs and layouts; 0 by default"),
      llvm::cl::value_desc("n"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> cacheState{
      "cache-state",
      llvm::cl::desc("What a timed launch finds in the last-level cache: cold "
                     "(default), none of its data, or warm, what a launch just "
                     "before has left there"),
      llvm::cl::init("cold"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> whenBusy{
      "when-busy",
      llvm::cl::desc("While other processes use the device: wait (default) for "
                     "at most a third of the budget, then measure beside them; "
                     "measure at once; or fail"),
      llvm::cl::init("wait"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> verbose{
      "verbose", llvm::cl::desc("Tell of each trial, and why it was proposed"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> retune{
      "retune",
      llvm::cl::desc(
          "Tune also kernels whose knobs are all selected, from there"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> cache{
      "cache", llvm::cl::desc("Use of the cache: rw (default), ro or off"),
      llvm::cl::init("rw"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> cacheDirectory{
      "cache-dir",
      llvm::cl::desc("Its directory; else $TONNO_CACHE_DIR, else .tonno-cache"),
      llvm::cl::value_desc("directory"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> requireCached{
      "require-cached",
      llvm::cl::desc("Fail where the cache has no decision, measure nothing"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> journal{
      "journal",
      llvm::cl::desc(
          "Write each trial to this file as it ends; else to one in the "
          "cache's directory"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> resume{
      "resume",
      llvm::cl::desc("Go on from the journal where a session was cut short"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> failures{
      "failures",
      llvm::cl::desc(
          "Leave a file of each failure here, for tonno-tune reproduce; "
          "else in the cache's directory"),
      llvm::cl::value_desc("directory"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> allowNondeterminism{
      "allow-nondeterminism",
      llvm::cl::desc(
          "Take candidates whose results vary from launch to launch"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> allowLowerPrecision{
      "allow-lower-precision",
      llvm::cl::desc(
          "Take candidates that form sums in the precision of the inputs"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> allowNan{
      "allow-nan",
      llvm::cl::desc(
          "Take a reference that gives NaN in more than 1 % of an output"),
      llvm::cl::cat(category)};
  llvm::cl::list<std::string> inputs{
      "inputs",
      llvm::cl::desc("What an argument holds: 'arg0=uniform(-1, 1)', normal, "
                     "integers, permutation, constant, npy(\"file\"), sorted; "
                     "OpenCL's have names"),
      llvm::cl::value_desc("argN=data"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> globalSize{
      "global-size",
      llvm::cl::desc("OpenCL C: work-items, such as '1024 / WPT, 1024'; knobs "
                     "may decide"),
      llvm::cl::value_desc("x[,y[,z]]"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> localSize{
      "local-size",
      llvm::cl::desc("OpenCL C: those of a workgroup, such as 'TS, TS'; by "
                     "default the driver chooses"),
      llvm::cl::value_desc("x[,y[,z]]"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> arguments{
      "arg",
      llvm::cl::desc("OpenCL C: what an argument is: 'A=[1024x1024]' elements, "
                     "perhaps with their type, 'A=f32[4096]:out', a value, "
                     "'N=1024', or of local memory 'tile=[TS * TS]'"),
      llvm::cl::value_desc("name=what"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> buildOptions{
      "build-options",
      llvm::cl::desc("OpenCL C: for the driver's compiler, such as "
                     "'-cl-fast-relaxed-math -I include'"),
      llvm::cl::value_desc("options"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> reference{
      "reference",
      llvm::cl::desc("Compare candidates with this function of the module"),
      llvm::cl::value_desc("@function"), llvm::cl::cat(category)};
  llvm::cl::opt<double> referenceSeconds{
      "reference-seconds",
      llvm::cl::desc("What one run of the reference may take; 300 by default"),
      llvm::cl::value_desc("s"), llvm::cl::cat(category)};
  llvm::cl::opt<double> compileSeconds{
      "compile-seconds",
      llvm::cl::desc(
          "What compiling one candidate may take; by default 60, and "
          "once five are compiled 20 times what the slowest took, "
          "at least 10"),
      llvm::cl::value_desc("s"), llvm::cl::cat(category)};
  llvm::cl::opt<double> startSeconds{
      "start-seconds",
      llvm::cl::desc("What worker and runner may take from their start to an "
                     "answer; 30 by default"),
      llvm::cl::value_desc("s"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> workerCommand{
      "worker-command",
      llvm::cl::desc("Compile with this program; once for each word"),
      llvm::cl::value_desc("word"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> runnerCommand{
      "runner-command",
      llvm::cl::desc("Run with this program; once for each word"),
      llvm::cl::value_desc("word"), llvm::cl::cat(category)};

  /// What tuning is asked for.
  TuneRequest request() const;
  /// One that was given, and that only OpenCL C has a use for; else null.
  const char *openClOption() const;
};

} // namespace tonno

#endif // TONNO_TOOLS_COMMANDLINE_H
