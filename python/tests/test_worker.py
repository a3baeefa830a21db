# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other compilers as workers of tonno-tune: the examples, and workers that fail."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time
from typing import Any

import pytest

pytest.importorskip("cbor2")

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "workers"

KERNEL = """
#HOW = #tonno.knob<"HOW" from {options}>
func.func @twice(%x: tensor<4096xf32>) -> tensor<4096xf32> attributes {{knobs = [#HOW]}} {{
  %e = tensor.empty() : tensor<4096xf32>
  %y = linalg.add ins(%x, %x : tensor<4096xf32>, tensor<4096xf32>)
                  outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}}
"""

WORKER = '''
import os, pathlib, signal, subprocess, sys, tempfile, time
from tonno.frontends import CandidateFailed
from tonno.worker import serve

CODE = "void double_(void **b) {{ float *x = b[0], *y = b[1]; for (int i = 0; i < 4096; ++i) {} }}"

def build(kernel, statement):
    code = CODE.replace("double_", kernel.name).replace("{{", "{").replace("}}", "}")
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, "kernel.so")
        command = ["gcc", "-O2", "-shared", "-fPIC", "-x", "c", "-", "-o", made]
        subprocess.run(command, input=code.replace("{}", statement), text=True, check=True)
        return made.read_bytes()

def compile(kernel, values):
    how = values["HOW"]
    if how == "refuse":
        raise CandidateFailed("unlaunchable", "not that one")
    if how == "raise":
        raise ValueError("a mistake")
    if how == "exit":
        os._exit(3)
    if how == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    here = os.path.dirname(os.path.abspath(__file__))
    if how == "hang":
        subprocess.run(["sh", "-c", f"sleep 900; echo {here}"])
    if how == "leave":
        subprocess.Popen(["sh", "-c", f"sleep 900; echo {here}"], start_new_session=True)
    if how == "leave orphan":
        subprocess.run(["sh", "-c", f"(setsid sh -c 'sleep 900; echo {here}' &)"])
    if how == "print":
        print("x" * 1000000, "said by the compiler")
    if how == "leave and crash":
        subprocess.Popen(["sh", "-c", f"sleep 900; echo {here} crash"], start_new_session=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "look":  # while the worker that compiled "leave and crash" goes on
        seen = subprocess.run(["pgrep", "-f", f"echo {here} crash"], stdout=subprocess.DEVNULL)
        raise ValueError("it is still there" if seen.returncode == 0 else "it has ended")
    if how == "stop":
        sys.exit("no licence")
    if how == "garbage":
        return b"no shared object"
    if how == "other entry":
        return build(kernel, "y[i] = 2 * x[i];").replace(b"twice", b"other")
    return build(kernel, "y[i] = 3 * x[i];" if how == "wrong" else "y[i] = 2 * x[i];")

raise SystemExit(serve(compile, version=os.environ.get("TEST_VERSION", "test 1")))
'''

RAW = '''
import os, struct, sys
import cbor2
def frames():
    while header := os.read(0, 8):
        magic, length = struct.unpack("<4sI", header)
        body = b""
        while len(body) < length:
            body += os.read(0, length - len(body))
        yield cbor2.loads(body)
def send(message):
    body = cbor2.dumps(message)
    os.write(1, struct.pack("<4sI", b"TNO1", len(body)) + body)
for request in frames():
'''


@dataclasses.dataclass
class Tuned:
    exit_status: int
    errors: str
    report: dict[str, Any] | None

    @property
    def kernel(self) -> dict[str, Any]:
        assert self.report is not None, self.errors
        found: dict[str, Any] = self.report["kernels"][0]
        return found

    def get_trials(self, knob: str) -> dict[Any, dict[str, Any]]:
        return {trial["values"][knob]: trial for trial in self.kernel["trials"]}


@dataclasses.dataclass
class Tuner:
    tools: pathlib.Path
    folder: pathlib.Path

    def tune(self, kernel: pathlib.Path, worker: list[Any], *options: str, **settings: str) -> Tuned:
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        command = shlex.join(map(str, worker))
        done = subprocess.run(
            [
                self.tools / "tonno-tune",
                kernel,
                f"--worker-command={command}",
                f"--report={report}",
                f"--cache-dir={self.folder / 'cache'}",
                "--when-busy=measure",
                "-o",
                self.folder / "tuned.mlir",
                *options,
            ],
            capture_output=True,
            text=True,
            timeout=300,
            env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"} | settings,
        )
        read = json.loads(report.read_text()) if report.exists() else None
        return Tuned(done.returncode, done.stderr, read)

    def tune_ways(self, options: list[str], *others: str) -> Tuned:
        kernel, worker = self.folder / "double.mlir", self.folder / "worker.py"
        kernel.write_text(KERNEL.format(options=json.dumps(options)))
        worker.write_text(WORKER)
        return self.tune(kernel, [sys.executable, worker], *others, TMPDIR=str(self.folder))

    def complain(self, body: str) -> str:
        """Returns the error about a worker that answers each `request` by these lines."""
        kernel, worker = self.folder / "double.mlir", self.folder / "raw.py"
        kernel.write_text(KERNEL.format(options='["a", "b"]'))
        worker.write_text(RAW + body)
        done = self.tune(kernel, [sys.executable, worker], "--start-seconds=20")
        assert done.exit_status == 1, done.errors
        return done.errors


@pytest.fixture
def tuner(tools: pathlib.Path, tmp_path: pathlib.Path) -> Tuner:
    return Tuner(tools, tmp_path)


def end_within_seconds(text: str) -> bool:
    """Returns True if all processes with this text in their command end."""
    for _ in range(50):
        if subprocess.run(["pgrep", "-f", text], stdout=subprocess.DEVNULL).returncode != 0:
            return True
        time.sleep(0.1)
    return False


def test_each_fault_costs_its_candidate(tuner: Tuner) -> None:
    ways = ["well", "refuse", "raise", "exit", "stop", "crash", "hang", "leave", "leave orphan"]
    ways += ["print", "garbage", "other entry", "wrong", "as well"]
    limits = "--compile-seconds=15", "--budget-seconds=1000"
    found = tuner.tune_ways(ways, *limits, "--budget-trials=30")
    trials = found.get_trials("HOW")
    right = ("well", "as well", "leave", "leave orphan", "print")
    for way in right:
        assert trials[way]["status"] in ("ok", "pruned"), trials[way]
    assert {way: t["status"] for way, t in trials.items() if way not in right} == {
        "refuse": "unlaunchable",
        "raise": "compile_error",
        "exit": "compile_crash",
        "stop": "compile_error",
        "crash": "compile_crash",
        "hang": "compile_timeout",
        "garbage": "load_error",
        "other entry": "load_error",
        "wrong": "wrong",
    }
    assert trials["refuse"]["message"] == "not that one"
    assert trials["raise"]["message"] == "ValueError: a mistake"
    assert trials["stop"]["message"] == "SystemExit: no licence"
    assert "said by the compiler" in found.errors
    assert "exit status 3" in trials["exit"]["message"]
    assert "signal 11" in trials["crash"]["message"]
    assert "over 15 s" in trials["hang"]["message"]
    assert end_within_seconds(str(tuner.folder)), "what a compilation starts ends with it"
    assert not list(tuner.folder.glob("tonno-worker-*")), "no temporary file remains"
    assert found.kernel["decision"]["versions"].startswith("test 1, tonno ")


def test_what_a_crash_leaves_ends_before_the_next_compilation(tuner: Tuner) -> None:
    ways = ["well", "leave and crash", "look"]
    found = tuner.tune_ways(ways, "--jobs=1", "--strategy=exhaustive", "--budget-seconds=1000")
    trials = found.get_trials("HOW")
    assert trials["leave and crash"]["status"] == "compile_crash"
    assert trials["look"]["message"] == "ValueError: it has ended"


def test_decisions_are_of_their_worker(tuner: Tuner) -> None:
    for is_known in (False, True):
        first = tuner.tune_ways(["a", "b"])
        assert first.exit_status == 0, first.errors
        assert ("source" in first.kernel) == is_known
    worker = tuner.folder / "worker.py"
    again = tuner.folder / "double.mlir", [sys.executable, worker]
    assert "source" in tuner.tune(*again).kernel
    assert "source" not in tuner.tune(*again, TEST_VERSION="test 2").kernel
    worker.write_text(WORKER + "# another file\n")
    assert "source" not in tuner.tune(*again).kernel


def test_other_targets_are_refused(tuner: Tuner) -> None:
    found = tuner.tune_ways(["a", "b"], "--target=nvptx", "--chip=sm_80", "--compile-only")
    assert found.exit_status == 1
    assert "the worker compiles for the host alone; leave out '--target'" in found.errors


def test_workers_of_another_version_are_refused(tuner: Tuner) -> None:
    said = tuner.complain('    send({"hello": {"protocol": 2}})\n')
    assert "speaks version 2 of tonno's protocol, and this program version 1" in said
    assert "speaks no stated version" in tuner.complain('    send({"hello": {}})\n')


def test_workers_that_say_something_else_are_refused(tuner: Tuner) -> None:
    assert "does not send tonno's frames" in tuner.complain('    os.write(1, b"x" * 100000)\n')
    assert "gave no answer" in tuner.complain("    import time; time.sleep(1000)\n")
    error = '    send({"error": {"message": "no licence"}})\n'
    assert "no licence" in tuner.complain(error)
    lies = '    send({"hello": {"protocol": 1}, "opened": {}})\n'
    assert "the worker's answer" in tuner.complain(lies)


def test_answers_for_other_values_are_lost(tuner: Tuner) -> None:
    """A worker between tonno-tune and a right one, which changes the values of an answer."""
    (tuner.folder / "right.py").write_text(WORKER)
    lying = tuner.folder / "lying.py"
    lying.write_text(
        f"""{RAW.split("for request")[0]}
import subprocess
right = subprocess.Popen([sys.executable, {str(tuner.folder / 'right.py')!r}], stdin=-1, stdout=-1)
def ask(request):
    body = cbor2.dumps(request)
    right.stdin.write(struct.pack("<4sI", b"TNO1", len(body)) + body)
    right.stdin.flush()
    while True:
        length = struct.unpack("<4sI", right.stdout.read(8))[1]
        answer = cbor2.loads(right.stdout.read(length))
        if "alive" not in answer:
            return answer
for request in frames():
    answer = ask(request)
    if answer.get("values", {{}}).get("HOW") == "b":
        answer["values"] = {{"HOW": "a"}}
    send(answer)
"""
    )
    kernel = tuner.folder / "double.mlir"
    kernel.write_text(KERNEL.format(options='["a", "b", "c"]'))
    found = tuner.tune(kernel, [sys.executable, lying])
    trials = found.get_trials("HOW")
    assert trials["b"]["status"] == "lost" and "out of step" in trials["b"]["message"]
    assert {trials["a"]["status"], trials["c"]["status"]} <= {"ok", "pruned"}


def need(*programs: str) -> list[str]:
    """Returns the paths of programs; skips the test without one of them."""
    found = [shutil.which(program) for program in programs]
    if not all(found):
        pytest.skip(f"needs {', '.join(programs)}")
    return [str(path) for path in found]


def test_pragmas_of_clang(tuner: Tuner) -> None:
    (clang,) = need("clang-22")
    found = tuner.tune(
        EXAMPLES / "row_sums.mlir",
        [sys.executable, EXAMPLES / "clang_worker.py"],
        "--budget-trials=4",
        CLANG=clang,
    )
    assert found.exit_status == 0, found.errors
    assert {trial["status"] for trial in found.kernel["trials"]} <= {"ok", "pruned"}
    assert "clang version" in found.kernel["decision"]["versions"]


@pytest.mark.parametrize("is_other", [False, True])
def test_pipelines_of_mlir_opt(tuner: Tuner, is_other: bool) -> None:
    """A stock mlir-opt; and the opt tool of IREE, whose MLIR is of another version."""
    opt, translate, clang = need("mlir-opt-22", "mlir-translate-22", "clang-22")
    if is_other:
        pytest.importorskip("iree.compiler")
    program = str(pathlib.Path(sys.executable).with_name("iree-opt")) if is_other else opt
    found = tuner.tune(
        EXAMPLES / "transposed_product.mlir",
        [sys.executable, EXAMPLES / "mlir_opt_worker.py"],
        "--budget-trials=3",
        MLIR_OPT=program,
        MLIR_TO_LLVM=opt,
        MLIR_TRANSLATE=translate,
        CLANG=clang,
    )
    assert found.exit_status == 0, found.errors
    assert {trial["status"] for trial in found.kernel["trials"]} <= {"ok", "pruned"}
    versions = found.kernel["decision"]["versions"]
    assert (f"{program} 22." in versions) == (not is_other)


def test_lowering_of_iree(tuner: Tuner) -> None:
    pytest.importorskip("iree.compiler")
    need("cc")
    found = tuner.tune(
        EXAMPLES / "matmul_iree.mlir",
        [sys.executable, EXAMPLES / "iree_worker.py"],
        "--budget-trials=4",
        "--budget-seconds=1000",
    )
    assert found.exit_status == 0, found.errors
    statuses = [trial["status"] for trial in found.kernel["trials"]]
    assert statuses[0] == "ok" and sum(each in ("ok", "pruned") for each in statuses) > 1
    assert "IREE 3.13" in found.kernel["decision"]["versions"]
    program = [EXAMPLES / "iree_spec.py", EXAMPLES / "matmul_iree.mlir", tuner.folder / "report.json"]
    spec = subprocess.run([sys.executable, *program], check=True, capture_output=True, text=True)
    assert "iree_codegen.tuning_spec" in spec.stdout


def test_decisions_become_tuning_specs_of_iree(tuner: Tuner) -> None:
    """From a decision to a file, and to the compiler that reads it, on a module without knobs."""
    pytest.importorskip("iree.compiler")
    programs = pathlib.Path(sys.executable).parent
    values = {f"distribution_{i}": size for i, size in enumerate((64, 128))}
    values |= {f"vector_common_parallel_{i}": size for i, size in enumerate((4, 16))}
    report, spec = tuner.folder / "report.json", tuner.folder / "spec.mlir"
    kernel = {"values": values | {"vector_reduction_2": 8}}
    report.write_text(json.dumps({"kernels": [kernel]}))
    source = EXAMPLES / "matmul_iree.mlir"
    program = [sys.executable, str(EXAMPLES / "iree_spec.py"), str(source), str(report)]
    spec.write_text(subprocess.run(program, check=True, capture_output=True, text=True).stdout)
    plain = [str(tuner.tools / "tonno-opt"), str(source), "--tonno-strip"]
    module = subprocess.run(plain, check=True, capture_output=True).stdout
    for dump, options in (
        ("default", []),
        ("tuned", [f"--iree-codegen-tuning-spec-path={spec}"]),
    ):
        command = [
            str(programs / "iree-compile"),
            "-",
            "--iree-hal-target-device=local",
            "--iree-hal-local-target-device-backends=llvm-cpu",
            "--iree-llvmcpu-target-cpu=host",
            f"--iree-hal-dump-executable-files-to={tuner.folder / dump}",
            "--output-format=vm-bytecode",
            "-o",
            str(tuner.folder / f"{dump}.vmfb"),
        ]
        subprocess.run([*command, *options], input=module, check=True, capture_output=True)
        (configured,) = (tuner.folder / dump).glob("configured_*.mlir")
        tiles = "distribution = [64, 128, 0], vector_common_parallel = [4, 16, 0]"
        assert (tiles in configured.read_text()) == (dump == "tuned")
