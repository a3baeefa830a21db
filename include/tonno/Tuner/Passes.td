//===- Passes that tune ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_PASSES_TD
#define TONNO_TUNER_PASSES_TD

include "mlir/Pass/PassBase.td"

def Autotune : Pass<"tonno-autotune", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Tune the kernels of a module and select the winners";
  let description = [{
    ```mlir
    #BM = #tonno.knob<"BM" from [32, 64, 128] default 64>
    func.func @matmul(...)
    // becomes, for example
    #BM = #tonno.knob<"BM" = 128 from [32, 64, 128] default 64>
    func.func @matmul(...) attributes {tonno.tuned = {...}}
    ```

    A kernel is a public function with knobs that are not selected yet. For each
    kernel, the pass:

    - compiles and verifies candidates;
    - times them beside the default;
    - tests the best candidate against the default;
    - writes the decision back: each knob gets its selected option, the function
      gets the dictionary `tonno.tuned`.

    A decision in the cache is applied without compiling anything. A remark
    states the decision.

    The pass never runs candidate code in its own process. It starts
    `tonno-worker` to compile and `tonno-runner` to run; both are expected
    beside the tool or plugin that contains the pass.

    The options are those of `tonno-tune`, without dashes; `tonno-opt --help`
    lists them.

    `tonno-opt --tonno-autotune="effort=quick" matmul.mlir`
  }];
}

def ApplyCached : Pass<"tonno-apply-cached", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Replace knobs by the values of cached decisions";
  let description = [{
    ```mlir
    #BM = #tonno.knob<"BM" from [32, 64, 128] default 64>
    linalg.matmul {tonno.lowering_config = {workgroup = [#BM, 0, 0]}} ...
    // becomes, if the cached decision selected 128
    linalg.matmul {tonno.lowering_config = {workgroup = [128, 0, 0]}} ...
    ```

    This pass is for builds, `tonno-autotune` for tuning runs. It compiles and
    measures nothing. Each kernel gets the latest decision that the cache has
    for this compiler, chip and device, whatever the effort was. A kernel
    without a decision gets its defaults, and a remark reports it.

    The code of this build is not compared with the code that was measured, as a
    remark states; `tonno-tune --effort=none` compares them.

    A model without knobs first gets the knobs of its default space, as by
    `tonno-tune`. Knobs become plain attributes, as by `tonno-apply`. A function
    that cannot be a kernel, such as one with a dynamic shape, gets its
    defaults, and a warning states the reason.

    The pass starts the worker to query the compile target and the runner to
    query the device, unless `device` names one.

    | option | effect |
    | --- | --- |
    | `keep` | The knobs stay, with these values as selected options. |
    | `mode=cached`, or `TONNO_MODE=cached` in the environment | A kernel without a decision is an error. |
    | `mode=off` | All kernels get their defaults. |
    | `allow-nondeterminism`, `allow-lower-precision`, `allow-nan`, `bits`, `objective`, `pareto`, `limit`, `tolerance` | Must be as the kernels were tuned with. |
    | `whole-function` | A model without knobs gets those of one kernel, as by `tonno-tune --whole-function`. |
    | `target`, `chip`, `device`, `cache-dir`, `store`, `start-seconds`, `worker-command`, `runner-command` | As in `tonno-tune`. |

    `tonno-opt --tonno-apply-cached="cache-dir=/var/cache/tonno" model.mlir`
  }];
  let options = [
    Option<"keep", "keep", "bool", "false",
           "Keep the knobs, with the values as their selected options">,

  ];
}

#endif // TONNO_TUNER_PASSES_TD
