# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.models: places of ops, and files of weights."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest

from tonno import Error
from tonno.models import read_weights
from tonno.models.locations import Place, read_place
from tonno.models.weights import write_weights


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("loc(unknown)", Place()),
        ('loc("a.py":3:4)', Place((), ("a.py", 3, 4))),
        ('loc("a.py":3:4 to :9)', Place((), ("a.py", 3, 4))),
        ('loc("a.py":3:4 to 5:9)', Place((), ("a.py", 3, 4))),
        ('loc("/layer3/attn/MatMul")', Place(("layer3", "attn", "MatMul"))),
        ('loc("jit(f)/transpose(jvp(a))/mul"("f"("a b.py":1:2)))',
         Place(("a", "mul"), ("a b.py", 1, 2))),
        ('loc(callsite("in/dot"("g"("a.py":1:2 to :3)) at "jit(f)/out/jit(g)"("b.py":5:6)))',
         Place(("out", "in", "dot"), ("a.py", 1, 2))),
        ('loc(callsite("dot" at callsite("jit(f)/b"("b.py":5:6) at "c.py":7:8)))',
         Place(("b", "dot"), ("b.py", 5, 6))),
        ('loc(fused["a.py":1:2, "head/add:"])', Place(("head", "add"), ("a.py", 1, 2))),
        ('loc(fused<"CSE">[unknown, "x"])', Place(("x",))),
        (r'loc("p[\"w\"]/dot at here")', Place(("p_w", "dot_at_here"))),
    ],
)  # fmt: skip
def test_places_are_read(location: str, place: Place) -> None:
    assert read_place(location) == place


def test_places_are_printed() -> None:
    assert str(Place(("a", "b"), ("m.py", 3, 4))) == "a.b (m.py:3)"
    assert str(Place(("a",))) == "a" and str(Place((), ("m.py", 3, 4))) == "m.py:3"
    assert str(Place()) == "unknown"


def test_weights_are_read_as_they_were_written(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "w.safetensors"
    weights: dict[str, Any] = {
        "layer3.w": np.arange(12, dtype=np.float32).reshape(3, 4).T,  # not contiguous
        "empty": np.zeros((0, 2), np.int64),
        "flag": np.array(True),
        "half": np.arange(5, dtype=np.float16),
    }
    write_weights(file, weights)
    read = read_weights(file)
    assert list(read) == list(weights)
    for name, array in weights.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)
    content = file.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    assert header["half"] == {"dtype": "F16", "shape": [5], "data_offsets": [49, 59]}
    assert len(content) == 8 + length + 59


def test_weights_are_those_of_the_library(tmp_path: pathlib.Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    file = tmp_path / "w.safetensors"
    weights: dict[str, Any] = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.arange(3)}
    write_weights(file, weights)
    read = safetensors.load_file(file)
    assert sorted(read) == ["a", "b"]
    safetensors.save_file(read, file)
    for name, array in read_weights(file).items():
        np.testing.assert_array_equal(array, weights[name])


def test_unknown_types_and_other_files_are_refused(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "w.safetensors"
    with pytest.raises(Error, match="no type for weight 'c' of complex64"):
        write_weights(file, {"c": np.zeros(2, np.complex64)})
    assert not file.exists()
    for content in (b"", b"{}", b"\xff" * 40):
        file.write_bytes(content)
        with pytest.raises(Error, match="is not a safetensors file"):
            read_weights(file)
