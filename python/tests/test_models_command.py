# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program tonno-import."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

import tonno
from tonno import mlir, models
from tonno.models.command import main

_MODULE = """
import jax
import jax.numpy as jnp
import numpy as np

TABLE = np.arange(2048, dtype=np.float32).reshape(64, 32) / 2048

def project(x, w):
    with jax.named_scope("layer3"):
        return (x @ w) @ TABLE

def scatter(x):
    return x.at[:2].add(1.0)

def example():
    return jax.ShapeDtypeStruct((4, 16), jnp.float32), jax.ShapeDtypeStruct((16, 64), jnp.float32)
"""


@pytest.fixture
def module(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> str:
    """Name of a module in the working directory; another one for each test."""
    name = f"models_of_{request.node.name.partition('[')[0]}"
    (tmp_path / f"{name}.py").write_text(_MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["", *sys.path])
    return name


@pytest.mark.usefixtures("tools")
@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
@pytest.mark.parametrize("arguments", [["--arg=4x16xf32", "--arg=16x64xf32"], ["--args=example"]])
def test_functions_are_written_with_their_weights(
    module: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"{module}:project", *arguments, "-o", "model.mlir"]) == 0
    assert "@project: 3 arguments, 1 of them weights" in capsys.readouterr().err
    weights = models.read_weights("model.safetensors")
    x, w = np.ones((4, 16), np.float32), np.ones((16, 64), np.float32)
    result = mlir.compile("model.mlir")(x, w, weights["constant_0"])
    table = np.arange(2048, dtype=np.float32).reshape(64, 32) / 2048
    np.testing.assert_allclose(result, x @ w @ table, rtol=1e-5)


def test_output_is_standard_output_by_default(
    module: str, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    words = [f"{module}:project", "--args=example", "--name=other"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "func.func public @other(" in out and "not written without -o or --weights" in err
    assert not list(tmp_path.glob("*.safetensors"))
    assert main([*words, "--weights=other.safetensors"]) == 0
    assert capsys.readouterr().out == out
    assert list(models.read_weights("other.safetensors")) == ["constant_0"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{module}:scatter", "--arg=4x4xf32"], "stablehlo.scatter at scatter"),
        (["{module}:project", "--arg=4x4xf32"], "cannot be traced"),
        (["{module}:absent"], "has no 'absent'"),
        (["absent_module:f"], "module 'absent_module' cannot be imported"),
        (["absent.onnx"], "cannot open 'absent.onnx'"),
        (["absent.mlir", "--arg=4xf32"], "--arg does not apply to 'absent.mlir'"),
        (["project"], "'project' is neither a file"),
        (["{module}:project", "--args=example", "-o", "absent/x.mlir"], "No such file"),
    ],
)
def test_errors_are_one_message(
    module: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(module=module) for word in words]) == 1
    assert "tonno-import: error: " in (said := capsys.readouterr().err) and message in said


@pytest.mark.parametrize(
    ("package", "file"),
    [("onnx", "m.onnx"), ("torch_mlir", "m.onnx"), ("torch", "m.pt2"), ("jaxlib.mlir", "m.mlir")],
)
def test_missing_packages_have_a_remedy(
    package: str,
    file: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / file).touch()
    assert main([str(tmp_path / file)]) == 1
    assert "by 'pip install tonno-mlir[models]'" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["--arg=4x4xf3", "--arg=4x", "--dim=batch", "--ar=4xf32"])
def test_invalid_command_lines_have_status_2(word: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["m:f", word])
    assert ended.value.code == 2


def test_program_is_installed() -> None:
    program = pathlib.Path(sysconfig.get_path("scripts"), "tonno-import")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["tonno-import", tonno.__version__]
    helped = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
    assert "EXAMPLES:" in helped.stdout and "EXIT STATUS:" in helped.stdout
