# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package: its version, its types, and that nothing in it is unexplained."""

from __future__ import annotations

import importlib.metadata
import inspect
import pathlib
import re
import subprocess
import sys
import types

import tonno
import tonno.mlir
import tonno.models
import tonno.opencl

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_version_is_cpps() -> None:
    (stated,) = re.findall(
        r"project\(Tonno VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()
    )
    assert tonno.__version__ == stated
    assert importlib.metadata.version("tonno-mlir") == stated
    needed = importlib.metadata.requires("tonno-mlir") or []
    assert f'tonno-mlir-tools=={stated}; extra == "tools"' in needed


def test_guide_shows_what_its_example_prints() -> None:
    blocks = r"```python\n(import tonno\n.*?)```\n\n```\n(.*?)```"
    guide = (ROOT / "docs/guide/search-from-python.md").read_text()
    ((code, printed),) = re.findall(blocks, guide, re.DOTALL)
    ran = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT, check=True
    )
    assert ran.stdout == printed


def test_all_that_is_public_is_explained() -> None:
    named = [(name, getattr(tonno, name)) for name in tonno.__all__]
    named += [(name, getattr(tonno.mlir, name)) for name in tonno.mlir.__all__]
    named += [(name, getattr(tonno.models, name)) for name in tonno.models.__all__]
    named += [(name, getattr(tonno.opencl, name)) for name in tonno.opencl.__all__]
    for name, thing in named:
        if isinstance(thing, (str, types.GenericAlias, types.UnionType)):
            continue
        assert inspect.getdoc(thing), name
        if not inspect.isclass(thing):
            continue
        for member, value in vars(thing).items():
            if inspect.isfunction(value) and not member.startswith("_"):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_types_hold_in_package_and_tests() -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null"]
    checked = subprocess.run(
        [*command, "-p", "tonno"], stdout=subprocess.PIPE, text=True, cwd=ROOT / "docs"
    )
    assert checked.returncode == 0, checked.stdout
    checked = subprocess.run(
        [*command, str(ROOT / "python/tests")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT / "docs",
    )
    assert checked.returncode == 0, checked.stdout


def test_wrong_types_are_found(tmp_path: pathlib.Path) -> None:
    (tmp_path / "wrong.py").write_text(
        "import tonno\n"
        "space = tonno.SearchSpace({'X': [1]}, constraints=[1])\n"
        "seconds: int = tonno.minimize(len, space).trials\n"
        "tonno.Serach(space)\n"
        "tonno.autotune, tonno.jax, tonno.opencl\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null"]
    checked = subprocess.run(
        [*command, f"--config-file={ROOT / 'pyproject.toml'}", "wrong.py"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert 'wrong.py:2: error: List item 0 has incompatible type "int"' in checked.stdout
    assert "wrong.py:3: error: Incompatible types in assignment" in checked.stdout
    assert 'wrong.py:4: error: Module has no attribute "Serach"' in checked.stdout
    assert "wrong.py:5" not in checked.stdout


def test_what_is_imported_late_is_listed() -> None:
    code = """
import sys, tonno
late = {"autotune", "command", "jax", "mlir", "models", "opencl", "report", "worker"}
listed = {name for name in dir(tonno) if not name.startswith("__")}
assert listed == late | set(tonno.__all__) - {"__version__"}, listed
assert not {"jax", "pyopencl", "tonno.jax", "tonno.opencl"} & set(sys.modules)
import tonno.mlir, tonno.models.command
assert not {"jax", "jaxlib", "numpy", "onnx", "torch", "torch_mlir"} & set(sys.modules)
for name in late:
    getattr(tonno, name)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_llvm_is_loaded() -> None:
    code = "import tonno; print(open('/proc/self/maps').read())"
    maps = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True).stdout
    assert "_core" in maps
    assert "LLVM" not in maps and "MLIR" not in maps


def test_packages_for_other_systems_are_found_when_asked_for() -> None:
    code = (
        "import pydoc, sys, tonno\n"
        "assert not {'jax', 'pyopencl'} & sys.modules.keys()\n"
        "for package in (tonno.jax, tonno.opencl):\n"
        "    print(pydoc.render_doc(package).splitlines()[0])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert "package tonno.jax in tonno" in ran.stdout
    assert "package tonno.opencl in tonno" in ran.stdout


def test_what_is_held_at_the_end_is_told_in_tests_only() -> None:
    # As JAX's caches hold the classes that a program registers, and all they reach.
    held = "import ctypes, tonno; space = tonno.SearchSpace({'X': [1]})._native; "
    held += "ctypes.pythonapi.Py_IncRef(ctypes.py_object(space)); "
    for told, shown in [("", False), ("tonno._core.set_leak_warnings(True)", True)]:
        command = [sys.executable, "-c", held + told]
        ran = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        assert ran.returncode == 0 and ("nanobind: leaked" in ran.stderr) == shown
