# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what was tuned by iree_worker.py as a tuning spec, which iree-compile reads.

    tonno-tune matmul_iree.mlir --worker-command='python iree_worker.py' -o matmul.tuned.mlir \\
        --report=report.json
    python iree_spec.py matmul_iree.mlir report.json > spec.mlir
    iree-compile matmul.mlir --iree-codegen-tuning-spec-path=spec.mlir ...

The spec matches the op by its name and the types of its operands, in any module.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess

from iree.compiler import ir
from iree_worker import find_ops, make_info

from tonno.mlir.tools import find_tool

SPEC = """\
module @tuned attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @configure(%op: !transform.any_op {{transform.readonly}},
                                      %config: !transform.any_param {{transform.readonly}}) {{
    transform.annotate %op "compilation_info" = %config : !transform.any_op, !transform.any_param
    transform.yield
  }}
  transform.named_sequence @match(%op: !transform.any_op {{transform.readonly}})
      -> (!transform.any_op, !transform.any_param) {{
    transform.match.operation_name %op ["{name}"] : !transform.any_op
{operands}
    %config = transform.param.constant {info} -> !transform.any_param
    transform.yield %op, %config : !transform.any_op, !transform.any_param
  }}
  transform.named_sequence @__kernel_config(%module: !transform.any_op {{transform.consumed}})
      -> !transform.any_op attributes {{iree_codegen.tuning_spec_entrypoint}} {{
    %found = transform.foreach_match in %module @match -> @configure
        : (!transform.any_op) -> !transform.any_op
    transform.yield %found : !transform.any_op
  }}
}}
"""
OPERAND = """\
    %operand{n} = transform.get_operand %op[{n}] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %operand{n} = {type} : !transform.any_value"""


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kernel", type=pathlib.Path, help="the kernel, with its knobs")
    parser.add_argument("report", type=pathlib.Path, help="tonno-tune's --report")
    given = parser.parse_args()
    (kernel,) = json.loads(given.report.read_text())["kernels"]
    if not any(kernel["values"].values()):
        parser.error("IREE's own choice was not beaten; there is nothing to state")
    stripped = subprocess.run(
        [find_tool("tonno-opt"), given.kernel, "--tonno-strip"], check=True, capture_output=True
    )
    with ir.Context():
        module = ir.Module.parse(stripped.stdout.decode())
        ((op, pipeline),) = find_ops(module.operation)
        operands = [
            OPERAND.format(n=n, type=operand.type) for n, operand in enumerate(op.operands)
        ]
        spec = SPEC.format(
            name=op.operation.name,
            operands="\n".join(operands),
            info=make_info(pipeline, kernel["values"]),
        )
        print(ir.Module.parse(spec), end="")


if __name__ == "__main__":
    main()
