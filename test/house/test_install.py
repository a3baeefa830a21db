# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cmake --install` gives a package that others can build against."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest


def run(*command: str | pathlib.Path, **environment: str) -> str:
    done = subprocess.run(
        list(map(str, command)),
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout}", pytrace=False)
    return done.stdout


@pytest.fixture(scope="module")
def prefix(build: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A prefix that was installed into and then moved, as packages are."""
    installed = tmp_path_factory.mktemp("install") / "usr"
    run("cmake", "--install", build, "--prefix", installed)
    return installed.rename(installed.parent / "moved")


def consume(
    project: pathlib.Path, prefix: pathlib.Path, tree: pathlib.Path, *options: str
) -> str:
    """Builds the project against the prefix; what its program prints."""
    compiler = "-DCMAKE_CXX_COMPILER=clang++-22"
    find = f"-DCMAKE_PREFIX_PATH={prefix}"
    configure = ["cmake", "-G", "Ninja", "-S", project, "-B", tree]
    run(*configure, compiler, find, *options)
    run("cmake", "--build", tree)
    return run(tree / "consumer")


def test_floors_0_and_1_need_no_mlir(
    root: pathlib.Path, prefix: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    no_mlir = "-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON"
    said = consume(root / "test/install/search", prefix, tmp_path, no_mlir)
    assert "6 of 6 points" in said
    assert "ba7816bf8f01cfea" in said  # SHA-256 of "abc"


def test_tools_have_man_pages(prefix: pathlib.Path) -> None:
    pages = {page.name for page in (prefix / "share/man/man1").iterdir()}
    assert pages == {f"{tool.name}.1" for tool in (prefix / "bin").glob("tonno-*")}


def test_opencl_example_tunes(
    root: pathlib.Path,
    build: pathlib.Path,
    prefix: pathlib.Path,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not (build / "lib/libTonnoOpenCL.a").exists():
        pytest.skip("the OpenCL tuner was not built")
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path / "cache"))
    no_mlir = "-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON"
    said = consume(root / "examples/opencl", prefix, tmp_path / "build", no_mlir)
    assert said.startswith("best local size: ")
    assert " us\n" in said


def test_dialect_brings_mlir(
    root: pathlib.Path, prefix: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    assert "knob BM" in consume(root / "test/install/dialect", prefix, tmp_path)


@pytest.fixture(scope="module")
def poly(
    root: pathlib.Path, prefix: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> pathlib.Path:
    """The example of a compiler with its own dialect, built as its README says."""
    tree = tmp_path_factory.mktemp("poly")
    compilers = ["-DCMAKE_CXX_COMPILER=clang++-22", "-DCMAKE_C_COMPILER=clang-22"]
    find = f"-DCMAKE_PREFIX_PATH={prefix}"
    run("cmake", "-G", "Ninja", "-S", root / "examples/downstream", "-B", tree, find, *compilers)
    run("cmake", "--build", tree)
    return tree


def test_downstream_compiler_is_its_own_worker(
    root: pathlib.Path, prefix: pathlib.Path, poly: pathlib.Path
) -> None:
    worker = f"worker-command='{poly}/poly-opt --tonno-worker' cache=off effort=exhaustive"
    kernel = root / "examples/downstream/kernel.mlir"
    path = f"{prefix}/bin:{os.environ['PATH']}"
    said = run(poly / "poly-opt", kernel, f"--tonno-autotune={worker}", PATH=path)
    assert "remark: @exp: scheme=" in said
    assert "trials = 8" in said and 'verdict = "' in said


@pytest.mark.parametrize("packaged", [False, True])
def test_plugins_are_forwarded_to_workers(
    root: pathlib.Path,
    build: pathlib.Path,
    prefix: pathlib.Path,
    poly: pathlib.Path,
    tmp_path: pathlib.Path,
    packaged: bool,
) -> None:
    tools = build / "standalone/bin" if packaged else prefix / "bin"
    plugin = poly / "PolyPlugin.so"
    plugins = [f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]
    kernel = root / "examples/downstream/kernel.mlir"
    tuned = tmp_path / "tuned.mlir"
    tune = [tools / "tonno-tune", "--cache=off", "--budget-trials=3", "--emit=so"]
    said = run(*tune, kernel, "-o", tuned, *plugins)
    assert "@exp on" in said and "3 of 8 configurations" in said
    again = tmp_path / "again.so"
    ship = [tools / "tonno-compile", "--emit=so"]
    assert run(*ship, tuned, "-o", again, *plugins) == ""
    assert again.read_bytes() == (tmp_path / "exp.so").read_bytes()


def test_unknown_component_is_named(
    prefix: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(Mutant LANGUAGES CXX)\n"
        "find_package(Tonno REQUIRED COMPONENTS Core Gone)\n"
    )
    with pytest.raises(pytest.fail.Exception, match="has no component Gone"):
        consume(tmp_path, prefix, tmp_path / "build")


def test_installed_tools_start(prefix: pathlib.Path) -> None:
    for tool in sorted((prefix / "bin").iterdir()):
        assert run(tool, "--help")


def test_nothing_installed_names_the_build(
    root: pathlib.Path, build: pathlib.Path, prefix: pathlib.Path
) -> None:
    files = [*prefix.rglob("*.cmake"), *prefix.rglob("*.h"), *prefix.rglob("*.inc")]
    assert files
    for file in files:
        text = file.read_text()
        assert str(root) not in text and str(build) not in text, file
