//===- The pass that tunes ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_PASSES_TD
#define TONNO_TUNER_PASSES_TD

include "mlir/Pass/PassBase.td"

def Autotune : Pass<"tonno-autotune", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Tune the kernels of a module and select the winners";
  let description = [{
    For each kernel (a public function with knobs that are not selected yet):
    compiles and verifies candidates, times them beside the default, tests the
    best one against it, and writes the decision back: each knob gets its
    selected option, the function the dictionary `tonno.tuned`. A decision
    that the cache has is applied without compiling anything. A remark tells
    what was decided.

    The pass never runs candidate code in its own process; it starts
    `tonno-worker` to compile and `tonno-runner` to run, which it finds beside
    the tool or plugin that holds it.

    `tonno-opt --tonno-autotune="effort=quick" matmul.mlir`
  }];
  let options = [
    Option<"target", "target", "std::string", [{"host"}],
           "The backend to lower with: host, nvptx or amdgpu">,
    Option<"chip", "chip", "std::string", [{"native"}],
           "The chip to compile for; `native` is the device's">,
    Option<"device", "device", "std::string", [{""}],
           "Where candidates run: host, cuda[:N], hip[:N]; the target's if not "
           "given">,
    Option<"jobs", "jobs", "unsigned", "0",
           "Candidates to compile at the same time, as many as cores and memory "
           "allow; 0 is what suits the device">,
    Option<"kernel", "kernel", "std::string", [{""}],
           "Tune only the kernel of this name">,
    Option<"effort", "effort", "std::string", [{"quick"}],
           "How hard to search: quick (60 trials or 2 minutes), full (400 or "
           "30 minutes), exhaustive, or none, which measures nothing and takes "
           "what the cache has, or the defaults">,
    Option<"strategy", "strategy", "std::string", [{""}],
           "Who proposes candidates, by a name that `tonno-tune --help` lists; "
           "the effort's if not given">,
    Option<"budgetTrials", "budget-trials", "std::string", [{""}],
           "Stop after so many trials; the effort's if not given">,
    Option<"budgetSeconds", "budget-seconds", "std::string", [{""}],
           "Stop after so many seconds, the final test among them; the "
           "effort's if not given">,
    Option<"seed", "seed", "uint64_t", "0",
           "Of the strategy, the inputs and the layouts">,
    Option<"cacheState", "cache-state", "std::string", [{"cold"}],
           "What a timed launch finds in the last-level cache: cold or warm">,
    Option<"whenBusy", "when-busy", "std::string", [{"wait"}],
           "While other processes use the device: wait, for at most a third of "
           "the budget, then measure beside them; measure; or fail">,
    Option<"retune", "retune", "bool", "false",
           "Tune also kernels whose knobs are all selected, from there">,
    Option<"cache", "cache", "std::string", [{"rw"}],
           "Use of the cache: rw, ro or off">,
    Option<"cacheDir", "cache-dir", "std::string", [{""}],
           "The cache's directory; else $TONNO_CACHE_DIR, else .tonno-cache">,
    Option<"requireCached", "require-cached", "bool", "false",
           "Fail where the cache has no decision, measure nothing">,
    Option<"journal", "journal", "std::string", [{""}],
           "The file that each trial is written to as it ends; else one in the "
           "cache's directory">,
    Option<"resume", "resume", "bool", "false",
           "Go on from the journal where a session was cut short">,
    Option<"failures", "failures", "std::string", [{""}],
           "The directory for a file of each failure, which `tonno-tune "
           "reproduce` has again; else one in the cache's">,
    Option<"allowNondeterminism", "allow-nondeterminism", "bool", "false",
           "Take candidates whose results vary from launch to launch">,
    Option<"allowLowerPrecision", "allow-lower-precision", "bool", "false",
           "Take candidates that form sums in the precision of the inputs">,
    Option<"allowNan", "allow-nan", "bool", "false",
           "Take a reference that gives NaN in more than 1 % of an output">,
    Option<"pipeline", "pipeline", "std::string", [{""}],
           "Lower by these passes; @KNOB@ stands for a knob's value">,
    ListOption<"knobs", "knob", "std::string", "A knob of the pipeline">,
    ListOption<"constraints", "constraint", "std::string",
               "A condition over knobs">,
    ListOption<"inputs", "inputs", "std::string", "What an argument holds">,
    Option<"reference", "reference", "std::string", [{""}],
           "Compare candidates with this function of the module">,
    Option<"fpContract", "fp-contract", "std::string", [{""}],
           "Which products and sums become one operation: on (default), those "
           "of reductions and of ops with fastmath<contract>; fast, any">,
    Option<"referenceSeconds", "reference-seconds", "double", "300",
           "What one run of the reference may take">,
    Option<"compileSeconds", "compile-seconds", "double", "60",
           "What compiling one candidate may take; by default 60 s, and "
           "once five are compiled 20 times what the slowest took, at least "
           "10 s">,
    Option<"startSeconds", "start-seconds", "double", "30",
           "What worker and runner may take from their start to an answer">,
    ListOption<"workerCommand", "worker-command", "std::string",
               "The worker and its arguments">,
    ListOption<"runnerCommand", "runner-command", "std::string",
               "The runner and its arguments">,
    ListOption<"dialectPlugins", "load-dialect-plugin", "std::string",
               "Dialects that the worker loads">,
    ListOption<"passPlugins", "load-pass-plugin", "std::string",
               "Passes that the worker loads">,
  ];
}

def ApplyCached : Pass<"tonno-apply-cached", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Give knobs the values that tuning found before";
  let description = [{
    Gives the knobs of each kernel the values of the latest decision that the
    cache has for it, with this compiler, chip and device, whatever the effort
    was. A kernel that the cache has none for gets its defaults, and a remark
    says so. Nothing is compiled and nothing is measured: this is the pass for a
    build, where `tonno-autotune` is the one for a tuning run. So the code is not
    compared with the code that was measured, as a remark says; `tonno-tune
    --effort=none` compares it.

    A model without knobs gets those of its default space first, as by
    `tonno-tune`. Knobs become plain attributes, as by `tonno-apply`; with `keep` they stay,
    with these options selected. A function that can't be a kernel, such as one
    with a dynamic shape, gets its defaults, and a warning tells why.

    The worker is started to tell what it would compile for, and the runner what
    device there is, unless `device` names one.

    `tonno-opt --tonno-apply-cached="cache-dir=/var/cache/tonno" model.mlir`
  }];
  let options = [
    Option<"target", "target", "std::string", [{"host"}],
           "The backend to lower with: host">,
    Option<"chip", "chip", "std::string", [{"native"}],
           "The chip to compile for; `native` is this machine's">,
    Option<"device", "device", "std::string", [{""}],
           "The device that the kernels will run on; else the runner's">,
    Option<"keep", "keep", "bool", "false",
           "Keep the knobs, with the values as selected options">,
    Option<"allowNondeterminism", "allow-nondeterminism", "bool", "false",
           "As it was tuned with">,
    Option<"allowLowerPrecision", "allow-lower-precision", "bool", "false",
           "As it was tuned with">,
    Option<"allowNan", "allow-nan", "bool", "false", "As it was tuned with">,
    Option<"cacheDir", "cache-dir", "std::string", [{""}],
           "The cache's directory; else $TONNO_CACHE_DIR, else .tonno-cache">,
    Option<"startSeconds", "start-seconds", "double", "30",
           "What worker and runner may take from their start to an answer">,
    ListOption<"workerCommand", "worker-command", "std::string",
               "The worker and its arguments">,
    ListOption<"runnerCommand", "runner-command", "std::string",
               "The runner and its arguments">,
  ];
}

#endif // TONNO_TUNER_PASSES_TD
