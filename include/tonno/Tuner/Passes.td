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

    The options are those of `tonno-tune`, without dashes; `tonno-opt --help`
    lists them.

    `tonno-opt --tonno-autotune="effort=quick" matmul.mlir`
  }];
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
    device there is, unless `device` names one. With `mode=cached`, or
    `TONNO_MODE=cached` in the environment, a kernel without a decision is an
    error; with `mode=off` all kernels get their defaults. Besides `keep` there are
    these options of `tonno-tune`: `target`, `chip`, `device`, `mode`, `cache-dir`,
    `start-seconds`, `worker-command`, `runner-command`, and as the kernels were
    tuned with them `allow-nondeterminism`, `allow-lower-precision`, `allow-nan`.

    `tonno-opt --tonno-apply-cached="cache-dir=/var/cache/tonno" model.mlir`
  }];
  let options = [
    Option<"keep", "keep", "bool", "false",
           "Keep the knobs, with the values as selected options">,
  ];
}

#endif // TONNO_TUNER_PASSES_TD
