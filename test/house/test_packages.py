# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel and the Debian package of the tools work without LLVM and this tree."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

MEGABYTE = 10**6


def run(*command: str | pathlib.Path) -> str:
    done = subprocess.run(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout}", pytrace=False)
    return done.stdout


@pytest.fixture(scope="module")
def standalone(build: pathlib.Path) -> pathlib.Path:
    folder = build / "standalone"
    if not (folder / "bin/tonno-tune").exists():
        pytest.skip("the target tonno-standalone was not built")
    return folder


@pytest.fixture(scope="module")
def wheel(
    root: pathlib.Path, standalone: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-build-isolation", "--no-deps"]
    where = f"--config-settings=cmake.define.TONNO_STANDALONE_DIR={standalone}"
    run(*pip, *offline, where, "--wheel-dir", folder, root / "packaging/wheel")
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def environment(
    wheel: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> pathlib.Path:
    """A virtual environment with nothing but the wheel."""
    folder = tmp_path_factory.mktemp("user") / "venv"
    run("/usr/bin/python3", "-m", "venv", folder)
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet"]
    run(*pip, "--disable-pip-version-check", "--no-index", wheel)
    return folder


def without_llvm(
    root: pathlib.Path, build: pathlib.Path, script: str, *arguments: str | pathlib.Path
) -> str:
    """Runs a script of the shell where this tree and libraries of LLVM are hidden."""
    libraries = pathlib.Path("/usr/lib/x86_64-linux-gnu").glob("lib[LM]L[IV][RM]*.so*")
    hide = [f"mount -t tmpfs none {folder}" for folder in (build, root)]
    hide += [f"mount -t tmpfs none {folder}" for folder in pathlib.Path("/usr/lib").glob("llvm-*")]
    hide += [f"mount --bind /dev/null {file}" for file in libraries if not file.is_symlink()]
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", root]).returncode:
        pytest.skip("no namespace of mounts: root is needed")
    inside = " && ".join([*hide, script])
    return run("unshare", "-m", "sh", "-c", inside, "sh", *arguments)


def test_wheel_has_at_most_100_megabytes(wheel: pathlib.Path) -> None:
    assert wheel.stat().st_size < 100 * MEGABYTE
    names = zipfile.ZipFile(wheel).namelist()
    scripts = {name.rpartition("/")[2] for name in names if ".data/scripts/" in name}
    kinds = ("tune", "opt", "compile", "lsp-server", "worker", "runner")
    tools = {f"tonno-{kind}" for kind in kinds}
    assert scripts == tools
    pages = {name.rpartition("/")[2] for name in names if ".data/data/share/man/man1/" in name}
    assert pages == {f"{tool}.1" for tool in tools}


def test_wheel_needs_no_llvm(
    root: pathlib.Path,
    build: pathlib.Path,
    environment: pathlib.Path,
    tmp_path: pathlib.Path,
) -> None:
    for file in [*(environment / "bin").glob("tonno-*"), environment / "lib/tonno/libtonno.so"]:
        needed = run("ldd", file)
        assert "not found" not in needed
        assert "libLLVM" not in needed and "libMLIR" not in needed, file
    shutil.copy(root / "examples/matmul.mlir", tmp_path)
    for name in ("tonno-tune", "tonno-opt", "tonno-compile", "tonno-lsp-server"):
        assert "LLVM" in without_llvm(root, build, f'"$1"/bin/{name} --version', environment)
    tune = 'cd "$2" && "$1"/bin/tonno-tune matmul.mlir --cache=off --budget-trials=2 '
    said = without_llvm(
        root, build, tune + "-o tuned.mlir --emit=so,header", environment, tmp_path
    )
    assert "verdict" in said
    assert (tmp_path / "matmul.so").exists() and (tmp_path / "matmul.h").exists()
    chip = "--target=amdgpu --chip=gfx942 --compile-only"
    said = without_llvm(root, build, tune + chip, environment, tmp_path)
    assert "1 of 2 candidates compile" in said


def test_wheel_brings_openmp(
    root: pathlib.Path,
    build: pathlib.Path,
    environment: pathlib.Path,
    tmp_path: pathlib.Path,
) -> None:
    if not (environment / "lib/tonno/libomp.so.5").exists():
        pytest.skip("built without libomp")
    text = (root / "examples/matmul.mlir").read_text()
    threads = text.replace("lowering_config = {", "lowering_config = {threads = 2, ")
    assert threads != text
    (tmp_path / "threads.mlir").write_text(threads)
    tune = 'cd "$2" && "$1"/bin/tonno-tune threads.mlir --cache=off --budget-trials=2'
    assert "verdict" in without_llvm(root, build, tune, environment, tmp_path)


def test_debian_package(
    build: pathlib.Path, standalone: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    # In a folder of its own, and fast: what is in it is what the wheel has.
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", tmp_path,
        "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")  # fmt: skip
    (package,) = tmp_path.glob("*.deb")
    said = run("dpkg-deb", "--field", package, "Package", "Depends")
    assert "Package: tonno\n" in said and "libc6" in said
    assert "llvm" not in said.lower() and "mlir" not in said.lower()
    unpacked = tmp_path / "unpacked"
    run("dpkg-deb", "--extract", package, unpacked)
    assert "tonno-tune" in run(unpacked / "usr/bin/tonno-tune", "--version")
    pages = {page.stem for page in (unpacked / "usr/share/man/man1").iterdir()}
    assert pages == {tool.name for tool in (unpacked / "usr/bin").iterdir()}
    for file in ("copyright", "THIRD_PARTY_NOTICES.md"):
        assert (unpacked / "usr/share/doc/tonno" / file).stat().st_size > 1000
