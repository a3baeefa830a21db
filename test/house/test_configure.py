# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another version of MLIR is refused by name, and a floor can't link upward."""

from __future__ import annotations

import pathlib
import subprocess

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(Mutant LANGUAGES CXX)
set(CMAKE_MODULE_PATH "{root}/cmake")
"""
LIBRARIES = """
include(GNUInstallDirs)
set(TONNO_PRECOMPILED_HEADERS OFF)
include(TonnoTargets)
file(WRITE ${{CMAKE_BINARY_DIR}}/a.cpp "")
tonno_library(High FLOOR 3 SOURCES ${{CMAKE_BINARY_DIR}}/a.cpp)
tonno_library(Low FLOOR {floor} SOURCES ${{CMAKE_BINARY_DIR}}/a.cpp {more})
"""


def configure(source: pathlib.Path, text: str, *options: str) -> str:
    """What CMake says of a project with this CMakeLists.txt; "" if it is content."""
    (source / "CMakeLists.txt").write_text(text)
    command = ["cmake", "-G", "Ninja", "-S", str(source), "-B", str(source / "build")]
    done = subprocess.run(
        [*command, "-DCMAKE_CXX_COMPILER=clang++-22", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    return " ".join(done.stderr.split()) if done.returncode else ""


def test_other_mlir_is_refused_by_name(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    mlir = tmp_path / "mlir"
    mlir.mkdir()
    (mlir / "MLIRConfig.cmake").write_text(
        "set(LLVM_VERSION_MAJOR 19)\nset(LLVM_PACKAGE_VERSION 19.1.7)\n"
    )
    text = PROJECT.format(root=root) + "include(TonnoFindMLIR)\n"
    said = configure(tmp_path, text, f"-DMLIR_DIR={mlir}")
    assert f"tonno needs LLVM/MLIR 22; {mlir} is version 19.1.7" in said


def libraries(root: pathlib.Path, floor: int, more: str) -> str:
    return PROJECT.format(root=root) + LIBRARIES.format(floor=floor, more=more)


def test_link_upward_is_refused(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    said = configure(tmp_path, libraries(root, 2, "LINKS Tonno::High"))
    assert "TonnoLow (floor 2) links Tonno::High (floor 3)" in said


def test_mlir_below_floor_4_is_refused(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    said = configure(tmp_path, libraries(root, 1, "MLIR"))
    assert "floors 0 to 3 contain no LLVM" in said


def test_link_downward_is_allowed(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert configure(tmp_path, libraries(root, 4, "LINKS Tonno::High")) == ""
