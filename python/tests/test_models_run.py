# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole model as one kernel: from C, Python, JAX and several threads."""

from __future__ import annotations

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
from typing import Any

import jax
import numpy as np
import pytest
from gpt_model import LARGEST_BYTES, gpt, make_arguments

from tonno import mlir, models

pytestmark = pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")


def _workspace_bytes(kernel: mlir.Kernel) -> int:
    return sum(b["shape"][0] for b in kernel.plan["buffers"] if b["access"] == "workspace")


@pytest.fixture
def kernel(tools: pathlib.Path) -> mlir.Kernel:
    return mlir.compile(models.from_jax(gpt, *make_arguments(2)))


def test_model_is_called_like_any_kernel(kernel: mlir.Kernel) -> None:
    arguments = make_arguments(2)
    leaves = jax.tree.leaves(arguments)
    expected = np.asarray(jax.jit(gpt)(*arguments))
    logits = kernel(*leaves)
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-5)
    function = kernel.as_jax()
    by_jax = jax.jit(lambda *values: function(*values) + 1)(*leaves)
    np.testing.assert_array_equal(np.asarray(by_jax), logits + 1)


def test_model_is_called_from_torch(kernel: mlir.Kernel) -> None:
    torch = pytest.importorskip("torch")
    leaves = jax.tree.leaves(make_arguments(2))
    logits = kernel.as_torch()(*[torch.from_numpy(leaf) for leaf in leaves])
    np.testing.assert_array_equal(logits.numpy(), kernel(*leaves))


def test_threads_call_a_model_at_the_same_time(kernel: mlir.Kernel) -> None:
    tokens, params = make_arguments(2)
    weights = jax.tree.leaves(params)
    sentences = [np.roll(tokens, i) for i in range(16)]
    expected = [kernel(sentence, *weights) for sentence in sentences]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda sentence: kernel(sentence, *weights), sentences))
    np.testing.assert_array_equal(results, expected)


def test_model_runs_on_several_threads(kernel: mlir.Kernel, tools: pathlib.Path) -> None:
    arguments = make_arguments(2)
    shared = subprocess.run(
        [tools / "tonno-opt", "--tonno-annotate=threads=2"],
        input=models.from_jax(gpt, *arguments).text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    parallel = mlir.compile(shared)
    assert parallel.plan["launches"][0]["threads"] == 2
    leaves = jax.tree.leaves(arguments)
    np.testing.assert_array_equal(parallel(*leaves), kernel(*leaves))


def test_c_calls_a_model_by_its_header(
    kernel: mlir.Kernel, tools: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    compiler = shutil.which("clang-22") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    arguments = make_arguments(2)
    models.from_jax(gpt, *arguments).write(tmp_path / "gpt.mlir")
    subprocess.run(
        [tools / "tonno-compile", "gpt.mlir", "--emit=so,header", "-o", "libgpt.so"],
        cwd=tmp_path,
        check=True,
    )
    leaves = jax.tree.leaves(arguments)
    (tmp_path / "arguments").write_bytes(b"".join(leaf.tobytes() for leaf in leaves))
    sizes = ", ".join(str(leaf.nbytes) for leaf in leaves)
    logits = kernel(*leaves)
    # Twice: contents that the first call left in the workspace are no input.
    (tmp_path / "main.c").write_text(f"""
#include "gpt.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {{
  static const size_t sizes[] = {{{sizes}}};
  void *buffers[{len(leaves) + 2}];
  FILE *file = fopen("arguments", "rb");
  for (int i = 0; i < {len(leaves)}; ++i) {{
    buffers[i] = aligned_alloc(64, (sizes[i] + 63) / 64 * 64);
    if (fread(buffers[i], 1, sizes[i], file) != sizes[i])
      return 1;
  }}
  buffers[{len(leaves)}] = aligned_alloc(64, {logits.nbytes});
  buffers[{len(leaves) + 1}] = aligned_alloc(64, GPT_WORKSPACE0_BYTES);
  gpt_entry(buffers);
  gpt_entry(buffers);
  return fwrite(buffers[{len(leaves)}], 1, {logits.nbytes}, stdout) != {logits.nbytes};
}}
""")
    subprocess.run(
        [compiler, "-Wall", "-Werror", "main.c", "libgpt.so", "-lm", "-Wl,-rpath,.", "-o", "main"],
        cwd=tmp_path,
        check=True,
    )
    ran = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, check=True)
    np.testing.assert_array_equal(np.frombuffer(ran.stdout, np.float32), logits.ravel())


def _read_remark(tools: pathlib.Path, text: str) -> dict[str, int]:
    """Returns the numbers of the remark about the function's workspace."""
    ran = subprocess.run(
        [
            tools / "tonno-opt",
            "--tonno-annotate",
            "--tonno-apply",
            "--tonno-lower-host",
            "--remark-format=emitRemark",
            "--remarks-filter-analyse=tonno-workspace",
            "-o",
            "/dev/null",
        ],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", ran.stderr)}


def _mlp(x: Any, params: Any) -> Any:
    for layer in params:
        x = jax.nn.relu(x @ layer)
    return x


MODELS: dict[str, Any] = {
    **{f"gpt{blocks}": (gpt, make_arguments(blocks)) for blocks in (1, 2, 4)},
    "mlp": (_mlp, (jax.ShapeDtypeStruct((64, 256), np.float32), [np.ones((256, 256), "f")] * 6)),
}


@pytest.mark.parametrize("name", MODELS)
def test_workspace_is_little_more_than_what_is_live_at_once(
    name: str, tools: pathlib.Path
) -> None:
    function, arguments = MODELS[name]
    remark = _read_remark(tools, models.from_jax(function, *arguments).text)
    assert remark["PeakBytes"] <= remark["Bytes"] <= 1.2 * remark["PeakBytes"]
    assert remark["Bytes"] < 0.55 * remark["SumOfBytes"]


def test_layers_share_memory(tools: pathlib.Path) -> None:
    two, four = (
        _workspace_bytes(mlir.compile(models.from_jax(gpt, *make_arguments(blocks))))
        for blocks in (2, 4)
    )
    assert four <= 1.2 * two
    assert two <= 4 * LARGEST_BYTES
