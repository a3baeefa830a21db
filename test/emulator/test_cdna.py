# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine code for AMD's CDNA computes what the host backend's code computes.

    pytest test/emulator          a selection
    pytest test/emulator --all    every kernel and product for each chip

An emulator runs the code: $TONNO_CDNA_EMULATOR names its folder.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import itertools
import math
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import cdna  # noqa: E402
import products  # noqa: E402

KERNELS = sorted((cdna.ROOT / "test/Backend/Inputs/kernels").glob("*.mlir"))

# A hundred thousand instructions and more: `--all` only.
SLOW_KERNELS = {"vectors", "matmul_loops"}

probe = functools.cache(cdna.probe)

Runs = dict[cdna.Case, "concurrent.futures.Future[cdna.Outcome]"]


def kernel_cases(*, every: bool) -> Iterator[cdna.Case]:
    """Yields the kernels of the backend's tests."""
    selected = [path for path in KERNELS if every or path.stem not in SLOW_KERNELS]
    for path, chip in itertools.product(selected, products.CHIPS):
        mlir = path.read_text()
        has_config = "tonno.lowering_config" in mlir
        yield cdna.Case(f"kernel_{path.stem}", chip, mlir, mlir, has_default_space=not has_config)


def product_cases(*, every: bool) -> Iterator[cdna.Case]:
    """Yields products with the default configuration and with given ones."""
    for chip in products.CHIPS:
        for product in products.default_products(every=every):
            mlir = product.mlir()
            name = f"default_{product.name}"
            yield cdna.Case(name, chip, mlir, mlir, "mfma", has_default_space=True, is_exact=True)
        for product in products.configured_products(chip, every=every):
            assert product.config
            yield cdna.Case(
                f"product_{product.name}",
                chip,
                product.mlir(),
                product.mlir(configured=False),
                product.config.instruction,
                is_exact=True,
            )


def attention_cases() -> Iterator[cdna.Case]:
    """Yields attention with the default configuration."""
    mlir = (HERE / "Inputs/attention.mlir").read_text()
    for chip in products.CHIPS:
        yield cdna.Case("attention", chip, mlir, mlir, "mfma", has_default_space=True)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" not in metafunc.fixturenames:
        return
    every = metafunc.config.getoption("--all")
    cases = [*kernel_cases(every=every), *product_cases(every=every), *attention_cases()]
    if reason := probe():
        # One skipped test instead of hundreds.
        skipped = pytest.mark.skip(reason=reason)
        metafunc.parametrize("case", [pytest.param(cases[0], marks=skipped)], ids=["every"])
    else:
        metafunc.parametrize("case", cases, ids=str)


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest) -> Iterator[Runs]:
    """Starts the runs of the cases whose tests are selected."""
    items = [item for item in request.session.items if hasattr(item, "callspec")]
    parameters = [item.callspec.params for item in items]
    cases = [given["case"] for given in parameters if "case" in given]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), context) as several:
        yield {case: several.submit(cdna.run, case) for case in cases}
        several.shutdown(cancel_futures=True)


def test_results_are_the_hosts(runs: Runs, case: cdna.Case) -> None:
    outcome = runs[case].result()
    if outcome.skip:
        pytest.skip(outcome.skip)
    if outcome.failure:
        pytest.fail(f"{case}: {outcome.failure}", pytrace=False)


needs_emulator = pytest.mark.skipif(bool(probe()), reason=probe())


@needs_emulator
@pytest.mark.parametrize(
    ("found", "expected", "is_exact", "differs"),
    [
        (1.0, 1.0, True, False),
        (1.000001, 1.0, False, False),
        (1.000001, 1.0, True, True),
        (1.001, 1.0, False, True),
        (math.nan, 1.0, False, True),
        (1.0, math.nan, False, True),
        (math.nan, math.nan, True, False),
        (math.inf, math.inf, True, False),
        (math.inf, -math.inf, False, True),
    ],
)
def test_wrong_element_is_found(
    found: float, expected: float, is_exact: bool, differs: bool
) -> None:
    case = cdna.Case("name", "gfx942", "", "", is_exact=is_exact)
    plan = {"buffers": [{"access": "write", "element_type": "f32", "name": "result0"}]}
    arrays = [numpy.array([0, value], numpy.float32) for value in (found, expected)]
    assert bool(cdna.find_difference(case, plan, arrays[:1], arrays[1:])) is differs


def test_other_matrix_instruction_is_found() -> None:
    case = cdna.Case("name", "gfx942", "", "", "mfma_32x32x8")
    assert not cdna.find_wrong_instructions(case, {"v_mfma_f32_32x32x8_f16": 1, "s_endpgm": 1})
    assert cdna.find_wrong_instructions(case, {"v_mfma_f32_16x16x16_f16": 1})
    assert cdna.find_wrong_instructions(case, {"v_fma_f32": 1})
    default = dataclasses.replace(case, instruction="mfma")
    assert not cdna.find_wrong_instructions(default, {"v_mfma_f32_16x16x16_f16": 1})
    assert cdna.find_wrong_instructions(default, {"v_fma_f32": 1})
    other = dataclasses.replace(case, instruction=None)
    assert not cdna.find_wrong_instructions(other, {"v_fma_f32": 1})


@pytest.mark.parametrize("chip", products.CHIPS)
def test_products_have_every_instruction(chip: str) -> None:
    source = (cdna.ROOT / "lib/Core/MatrixInstruction.cpp").read_text()
    table = re.search(rf"MatrixInstruction {chip}\[\] = \{{(.*?)\}};", source, re.DOTALL)
    assert table
    known = re.findall(r'mfma\("(\w+)", (\w+),', table[1])
    for every in (False, True):
        selected = products.configured_products(chip, every=every)
        assert {(p.config.instruction, p.type) for p in selected if p.config} == set(known)


def test_names_are_distinct() -> None:
    cases = [*kernel_cases(every=True), *product_cases(every=True)]
    assert len({str(case) for case in cases}) == len(cases)


def test_refused_kernel_is_skipped_and_others_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    case = cdna.Case("name", "gfx942", "", "")
    messages = iter(("a.mlir:1:1: error: 'x' computes a value that other launches use", "crash"))

    def refuse(_: cdna.Case) -> None:
        raise RuntimeError(next(messages))

    monkeypatch.setattr(cdna, "compile_kernel", refuse)
    assert cdna.run(case) == cdna.Outcome(skip="'x' computes a value that other launches use")
    assert cdna.run(case) == cdna.Outcome("does not compile: crash")


def test_folder_of_the_variable_must_have_the_emulator(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setenv(cdna.VARIABLE, "")
    assert cdna.probe() == f"{cdna.VARIABLE} is not set"
    monkeypatch.setenv(cdna.VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=cdna.VARIABLE):
        cdna.probe()
    told = "import sys; sys.exit('tinygrad is missing')"
    (tmp_path / "emulate.py").write_text(told)
    with pytest.raises(RuntimeError, match="ended with 1: tinygrad is missing"):
        cdna.probe()
    told = "import sys; print('tinygrad is missing', file=sys.stderr); sys.exit(2)"
    (tmp_path / "emulate.py").write_text(told)
    assert cdna.probe() == "tinygrad is missing"
    (tmp_path / "emulate.py").write_text("")
    assert cdna.probe() == ""


@pytest.mark.parametrize(
    ("given", "has_folder", "found"),
    [
        (None, True, "../shared/tools/cdna-emulator"),
        (None, False, "unset"),
        ("other", True, "other"),
        ("", True, ""),
    ],
)
def test_ci_finds_the_emulator(
    tmp_path: pathlib.Path, given: str | None, has_folder: bool, found: str
) -> None:
    for folder in ("project/.ci", "project/scripts"):
        (tmp_path / folder).mkdir(parents=True)
    if has_folder:
        (tmp_path / "shared/tools/cdna-emulator").mkdir(parents=True)
    shutil.copy(cdna.ROOT / ".ci/run", tmp_path / "project/.ci")
    script = tmp_path / "project/scripts/test.sh"
    script.write_text(f'#!/bin/sh\nprintf %s "${{{cdna.VARIABLE}-unset}}"\n')
    script.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != cdna.VARIABLE}
    if given is not None:
        environment[cdna.VARIABLE] = given
    command = [str(tmp_path / "project/.ci/run")]
    assert subprocess.check_output(command, env=environment, text=True) == found
