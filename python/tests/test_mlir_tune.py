# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.mlir.tune: reports, events and faults of tonno-tune."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import types
from typing import Any

import notebooks
import pytest

import tonno
from tonno import mlir
from tonno.mlir import tuning

ROOT = pathlib.Path(__file__).resolve().parents[2]
MATMUL = ROOT / "examples/matmul.mlir"
SMALL = ROOT / "test/tonno-tune/Inputs/small.mlir"

pytestmark = pytest.mark.usefixtures("tools")


def fake_tool(folder: pathlib.Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tonno-tune", "tonno-compile"):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("TONNO_TOOLS_DIR", str(folder))


def test_module_is_tuned_and_compiled(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "tuned.mlir"
    tuned = mlir.tune(SMALL.read_text(), cache="off", budget_trials=3, output=output)
    assert output.read_text() == tuned.text and "tonno.tuned" in tuned.text
    kernel = tuned["small"]
    assert tuned.verdict == kernel.verdict and kernel.verdict in ("faster", "tie")
    assert kernel.default_config == {"MR": 1, "BM": 1} and kernel.config.keys() == {"MR", "BM"}
    assert kernel.trials[0].record.config == kernel.default_config
    assert kernel.space is not None and kernel.space.size == 6 and kernel.search_end == "budget"
    assert kernel.speedup and kernel.interval and kernel.interval.low <= kernel.speedup
    assert kernel.seconds and kernel.default_seconds
    assert "@small: " in repr(tuned) and "<td>small</td>" in tuned._repr_html_()
    records = tuned.records()
    assert len(records) == len(kernel.trials) >= 3
    assert {"kernel", "MR", "BM", "status", "seconds", "ratio"} <= records[0].keys()
    shown = capfd.readouterr().err
    assert "@small 1/3: " in shown and f"@small: {kernel.verdict}, " in shown
    assert mlir.compile(tuned).name == "small"


def test_function_of_many_ops_is_tuned_by_its_kernels(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Two equal layers are one kernel, whose result in the model is the function's."""
    layer = """
  %p{n} = linalg.matmul ins(%r{m}, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r{n} = linalg.max ins(%p{n}, %init : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>"""
    layers = "".join(layer.replace("{n}", str(n)).replace("{m}", str(n - 1)) for n in (1, 2))
    text = f"""func.func @mlp(%r0: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
{layers}
  return %r2 : tensor<64x64xf32>
}}"""
    tuned = mlir.tune(text, cache="off", budget_trials=2)
    model = tuned["mlp"].model
    assert model is not None and model["calls"] == 2
    (kernel,) = model["kernels"]
    assert (kernel["kernel"], kernel["calls"], kernel["share"]) == ("kernel_0", 2, 1)
    assert kernel["tuned"]["values"].keys() == {
        name.removeprefix("kernel_0.") for name in tuned["mlp"].config
    }
    shown = capfd.readouterr().err
    assert "kernel_0, 2 calls, 100.0% of the time: " in shown
    assert f"@mlp: {tuned.verdict}, " in shown
    whole = mlir.tune(text, cache="off", budget_trials=1, options=["--whole-function"])
    assert whole["mlp"].model is None


def test_decisions_are_the_caches(tmp_path: pathlib.Path) -> None:
    events: list[mlir.Event] = []
    arguments = {"cache_dir": tmp_path / "cache", "budget_trials": 1}
    mlir.tune(SMALL, progress=events.append, **arguments)  # type: ignore[arg-type]
    assert [event["event"] for event in events][:1] == ["start"] and "decided" in {
        event["event"] for event in events
    }
    again = mlir.tune(SMALL, mode="cached", progress=False, **arguments)  # type: ignore[arg-type]
    assert again["small"].source == "the cache" and again["small"].trials == ()
    off = mlir.tune(SMALL, mode="off", progress=False)
    assert off["small"].verdict is None and off["small"].speedup is None


def test_without_pandas_there_is_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        mlir.tune(SMALL, mode="off", progress=False).to_dataframe()


def test_dataframes_are_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = types.SimpleNamespace(DataFrame=list)
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    frame = mlir.tune(SMALL, mode="off", progress=False).to_dataframe()
    assert frame == []


def test_broken_module_has_a_location() -> None:
    with pytest.raises(mlir.ToolError) as raised:
        mlir.tune("func.func @f(%a: f32) -> f32 {\n  return %b : f32\n}\n")
    assert isinstance(raised.value, tonno.Error)
    assert (raised.value.file, raised.value.line, raised.value.column) == ("<stdin>", 2, 10)
    assert str(raised.value).startswith("<stdin>:2:10: error: ")
    with pytest.raises(mlir.ToolError) as raised:
        mlir.compile("func.func @f(%a: f32) -> f32 {\n  return %b : f32\n}\n")
    assert raised.value.line == 2


def test_wrong_arguments_are_the_tools(tmp_path: pathlib.Path) -> None:
    with pytest.raises(mlir.ToolError, match="'--budget-trials': '0' is not an integer"):
        mlir.tune(SMALL, budget_trials=0)
    with pytest.raises(mlir.ToolError, match="--cake"):
        mlir.tune(SMALL, options=["--cake"])
    with pytest.raises(mlir.ToolError, match="No such file"):
        mlir.tune(tmp_path / "absent.mlir")
    with pytest.raises(mlir.ToolError, match="cannot write"):
        mlir.tune(SMALL, output=tmp_path / "missing/tuned.mlir")
    with pytest.raises(TypeError, match=r"str\(module\)"):
        mlir.tune(3)  # type: ignore[arg-type]


def test_knobs_are_lists_and_domains() -> None:
    with pytest.raises(mlir.ToolError, match="BM"):
        mlir.tune(SMALL, knobs={"BM": [1, 2], "T": "pow2<1 to 4>"}, mode="off")


_PIPELINE = (
    "builtin.module(func.func(linalg-generalize-named-ops),"
    "one-shot-bufferize{bufferize-function-boundaries},"
    "func.func(convert-linalg-to-affine-loops,"
    "affine-loop-tile{tile-sizes=@tiles@ separate=@full@},affine-loop-unroll{unroll-factor=@U@}))"
)
_PRODUCT = """
func.func @mm(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
"""


def test_knobs_of_a_pipeline() -> None:
    knobs: dict[str, Any] = {"tiles": [[4, 4, 4], [8, 2, 2]], "U": [1, 4], "full": "[false, true] default false"}
    tuned = mlir.tune(
        _PRODUCT,
        knobs=knobs,
        constraints=["U > 1 or not full"],
        options=[f"--pipeline={_PIPELINE}"],
        cache="off",
        budget_trials=2,
        progress=False,
    )
    kernel = tuned["mm"]
    assert kernel.default_config == {"tiles": (4, 4, 4), "U": 1, "full": False}
    assert kernel.space is not None and kernel.space.size == 8 and kernel.space.constraints == ["U > 1 or not full"]
    a, b = mlir.empty((2, 8, 8))
    a[...], b[...] = 2, 3
    assert (mlir.compile(tuned)(a, b, a) == 50).all()


def test_kernels_in_opencl_c_are_compiled_by_the_driver(tmp_path: pathlib.Path) -> None:
    with pytest.raises(tonno.Error, match=r"by OpenCL's driver; .* pyopencl\.Program"):
        mlir.compile(tmp_path / "kernel.cl")
    tuned = mlir.Tuned("kernel void k() {}", (), (), (), (), "opencl", "native")
    with pytest.raises(tonno.Error, match="by OpenCL's driver"):
        mlir.compile(tuned)


def test_kernel_without_knobs_has_no_space() -> None:
    text = """func.func @copy(%a: memref<4xf32>, %b: memref<4xf32>) {
      memref.copy %a, %b : memref<4xf32> to memref<4xf32>
      return
    }"""
    kernel = mlir.tune(text, cache="off", progress=False)["copy"]
    assert kernel.space is None and kernel.verdict == "tie" and len(kernel.trials) == 1


@pytest.mark.parametrize("parameter", ["constraints", "limits", "options", "pareto"])
def test_text_is_not_a_list(parameter: str) -> None:
    text: dict[str, Any] = {parameter: "BM <= 16"}
    with pytest.raises(TypeError, match=rf"{parameter}= is a list .* pass {parameter}=\['BM"):
        mlir.tune(SMALL, **text)


def test_text_in_opencl_c_is_tuned() -> None:
    tuned = mlir.tune(
        (ROOT / "examples/opencl/matmul.cl").read_text(),
        cache="off",
        budget_trials=2,
        progress=False,
    )
    assert "#define TS " in tuned.text and tuned["matmul"].trials
    with pytest.raises(tonno.Error, match="by OpenCL's driver"):
        mlir.compile(tuned.text)


def test_notebooks_tune_compile_and_call() -> None:
    tune = f"tuned = mlir.tune({os.fspath(SMALL)!r}, cache='off', budget_trials=2)\ntuned"
    call = """small = mlir.compile(tuned)
arguments = [mlir.empty(b["shape"]) for b in small.plan["buffers"][: small.num_arguments]]
for argument in arguments:
    argument[...] = 0
small(*arguments)"""
    interrupted = f"""import signal
interrupts = iter([signal.SIGINT])
def interrupt(event):
    if event["event"] == "trial":
        for number in interrupts:
            signal.raise_signal(number)
mlir.tune({os.fspath(SMALL)!r}, cache="off", progress=interrupt)"""
    after = "import sys\nsys.last_value.result"
    cells = ("from tonno import mlir", tune, call, interrupted, after)
    imported, tuned, called, _, kept = notebooks.run_cells(notebooks.make_notebook(*cells))
    assert imported == []
    *progress, table = tuned
    assert "@small 1/2: " in "".join(part.text for part in progress if part.get("name") == "stderr")
    assert "<td>small</td>" in table.data["text/html"]
    assert table.data["text/plain"].startswith("Tuned(TunedKernel(@small: ")
    assert called[-1].output_type != "error", called
    assert "interrupted" in kept[0].data["text/html"]


def test_a_terminal_shows_the_state_of_the_session(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", stream)
    mlir.tune(SMALL, cache="off", budget_trials=2)
    shown = [line.removeprefix("tonno: tune: ") for line in re.split("[\r\n]|\x1b.K", stream.getvalue())]
    assert any(re.fullmatch(r"@small search, 1/2 trials in \d+ s.*", line) for line in shown)
    assert any(line.startswith("@small 1/2: ") for line in shown)
    assert shown[-1] == ""  # the status line is gone


def test_tools_of_another_version_are_refused(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = '{"event":"start","schema":1,"tool":"tonno-tune","version":"0.0.7"}'
    fake_tool(tmp_path, f"echo '{start}' >&2; exec sleep 60", monkeypatch)
    with pytest.raises(mlir.ToolError, match=rf"version 0\.0\.7, .* of {tonno.__version__};"):
        mlir.tune(SMALL)
    fake_tool(tmp_path, "echo 'unknown option --progress' >&2; exit 1", monkeypatch)
    with pytest.raises(mlir.ToolError, match="it said:\nunknown option --progress"):
        mlir.tune(SMALL)


def test_killed_tool_is_an_error(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tool(tmp_path, "echo 'stack of a crash' >&2; kill -SEGV $$", monkeypatch)
    with pytest.raises(mlir.ToolError, match="was ended by SIGSEGV:\nstack of a crash"):
        mlir.tune(SMALL)


def test_interrupt_keeps_the_best_so_far(tmp_path: pathlib.Path) -> None:
    output = tmp_path / "tuned.mlir"

    interrupts = iter([signal.SIGINT])

    def interrupt(event: mlir.Event) -> None:
        if event["event"] == "trial":
            for number in interrupts:
                signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt) as raised:
        mlir.tune(SMALL, cache="off", output=output, progress=interrupt)
    result = raised.value.result  # type: ignore[attr-defined]
    assert result.verdict == "interrupted"
    assert output.read_text() == result.text


def test_tool_ends_with_the_interpreter() -> None:
    program = f"""if True:
        import os, signal
        from tonno import mlir
        def end(event):
            if event["event"] == "trial":
                os.kill(os.getpid(), signal.SIGKILL)
        mlir.tune({os.fspath(MATMUL)!r}, cache="off", strategy="random",
                  budget_trials=100000, budget_seconds=600,
                  options=["--when-busy=measure"], progress=end)
        """
    with subprocess.Popen([sys.executable, "-c", program], start_new_session=True) as started:
        assert started.wait() == -signal.SIGKILL
    deadline = time.monotonic() + 60
    while processes := _processes_of(session=started.pid):
        assert time.monotonic() < deadline, processes
        time.sleep(0.05)


def _processes_of(session: int) -> list[str]:
    """Returns the lines of /proc/<pid>/stat of the session's processes."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            line = stat.read_text()
            state, _, _, its_session = line.rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(line)
    return found


def test_second_interrupt_ends_the_tool(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = f'{{"event":"start","schema":1,"tool":"t","version":"{tonno.__version__}"}}'
    lines = "; ".join(f"echo '{line}' >&2" for line in (start, '{"event":"a"}', '{"event":"b"}'))
    fake_tool(tmp_path, f"trap '' INT; {lines}; exec sleep 60", monkeypatch)

    def interrupt(event: mlir.Event) -> None:
        if event["event"] in ("a", "b"):
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        mlir.tune(SMALL, progress=interrupt)


@pytest.mark.parametrize("tolerance", [0.5, "result0=0.5"])
def test_tolerance_is_passed_on(tolerance: float | str) -> None:
    tuned = mlir.tune(
        SMALL.read_text(), cache="off", budget_trials=2, tolerance=tolerance, progress=False
    )
    assert f'tolerance = "{tolerance}"' in tuned.text


def test_objective_and_limits_are_passed_on() -> None:
    tuned = mlir.tune(
        SMALL.read_text(),
        cache="off",
        budget_trials=4,
        objective="code-size",
        limits=["time <= 1000x", "workspace <= 1GB"],
        progress=False,
    )
    decision = tuned["small"].decision
    assert decision is not None and decision.objective is not None
    assert decision.objective.resource == "code-size"
    assert decision.objective.used <= decision.objective.baseline_used
    assert 'objective = "code-size"' in tuned.text
    assert 'limits = ["workspace <= 1000000000"]' in tuned.text


def test_front_is_chosen_from(tmp_path: pathlib.Path) -> None:
    def tune(apply: str | None) -> Any:
        return mlir.tune(
            SMALL.read_text(),
            cache_dir=tmp_path,
            budget_trials=4,
            pareto=["code-size"],
            apply=apply,
            progress=False,
        )["small"]

    front = tune(None).decision.front
    for rule, point in ("least time", front[0]), ("least code-size", front[-1]):
        chosen = tune(rule)
        assert chosen.config == point.config
        assert chosen.decision.artifact == point.artifact
    with pytest.raises(tonno.Error, match="no configuration of the front meets"):
        tune("code-size <= 1B")


def test_class_of_bits_is_passed_on() -> None:
    tuned = mlir.tune(SMALL.read_text(), cache="off", budget_trials=2, bits="same", progress=False)
    assert 'bits = "same"' in tuned.text


def test_status_line_states_what_the_live_region_does() -> None:
    lines = tuning._Lines()
    lines.handle({"event": "kernel", "kernel": "k", "planned_trials": 60})
    measured = {"ratio_interval": [0.6, 0.7]}
    trial = {"status": "ok", "values": {"N": 4}, "measurement": measured}
    best = {"values": {"N": 4}, "seconds": 1e-3, "ratio": 0.65}
    lines.handle({"event": "trial", "kernel": "k", "number": 2, "trial": trial, "best": best})
    state = {
        "kernel": "k",
        "phase": "search",
        "seconds": 8.2,
        "times": {"compiling": 1.0, "verifying": 1.0, "timing": 6.0, "idle": 0.0},
        "phase_seconds_left": 20.0,
        "session_seconds_left": 27.4,
        "is_contended": True,
    }
    assert lines._describe(state) == (
        "@k search, 2/60 trials in 8 s, about 27 s left, 20 s of them of this phase; "
        "best 1.54x [1.43, 1.67]; 1 ok; compiling 12 %, verifying 12 %, timing 75 %, idle 0 %; "
        "other processes use the device"
    )
