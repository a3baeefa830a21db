# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the original decorator, tonno 0.2.3, find its modules and what it logs.

Expectations are what 0.2.3 does; `differs` marks where tonno does something else.
"""

from __future__ import annotations

import json
import logging
import math
import os
import pathlib
import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tonno import autotune, hardware, tune
from tonno.cache import MISSING, _cache_dir, _cache_path, _make_key, load_best, save_best

KEY = {"N": 4}
CONFIG = {"BM": 32}


def write(cache: pathlib.Path, found: Any, name: str = "fn") -> pathlib.Path:
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{name}.json"
    path.write_text(found if isinstance(found, str) else json.dumps(found))
    return path


def entries(cache: pathlib.Path, name: str = "fn", device: str = "cpu") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((cache / f"{name}.json").read_text())[device]
    return found


def make(configs: Any = ({"N": 1}, {"N": 2})) -> Any:
    def fn(x: Any, flag: bool = False, N: int = 1) -> Any:
        if N == 0:
            raise ValueError("no blocks of 0")
        return x * N * (2 / N)

    jitted: Any = jax.jit(fn, static_argnames=["N", "flag"])
    return autotune(configs=configs, num_timing=1, name="fn")(jitted)


# Keys


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, "{}"),
        ({"N": 4, "D": 8}, '{"D":8,"N":4}'),
        ({"flag": True, "n": None}, '{"flag":true,"n":null}'),
        ({"x": 0.5}, '{"x":0.5}'),
        ({"x": math.nan}, '{"x":NaN}'),
        ({"x": -math.inf}, '{"x":-Infinity}'),
        ({"N": np.int64(4)}, '{"N":4}'),
        ({"N": np.bool_(True)}, '{"N":true}'),
        ({"N": np.float32(0.5)}, '{"N":0.5}'),
        ({"N": np.array(3)}, '{"N":3}'),
        ({"s": "ü"}, '{"s":"\\u00fc"}'),
        ({"o": {"b": [1, (2,)], "a": 1}}, '{"o":{"a":1,"b":[1,[2]]}}'),
    ],
)
def test_keys_are_the_originals(values: dict[str, Any], text: str) -> None:
    assert _make_key(values) == text


@pytest.mark.parametrize("value", [object(), {1}, b"x", 1j, [np.int64(4)]])
def test_keys_that_json_can_not_hold_raise(cache: pathlib.Path, value: Any) -> None:
    with pytest.raises(TypeError):
        _make_key({"N": value})
    with pytest.raises(TypeError):
        save_best("fn", "cpu", {"N": value}, CONFIG, 1.0)
    assert not (cache / "fn.json").exists()


def test_array_that_is_no_scalar_is_no_key() -> None:
    with pytest.raises(ValueError):
        _make_key({"N": np.zeros(2)})


# Places


def test_directory_follows_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TONNO_CACHE_DIR", "/somewhere")
    assert _cache_dir() == pathlib.Path("/somewhere")
    assert _cache_path("a.<locals>.b") == pathlib.Path("/somewhere/a.<locals>.b.json")
    assert _cache_path("a/b") == pathlib.Path("/somewhere/a/b.json")
    monkeypatch.delenv("TONNO_CACHE_DIR")
    assert _cache_dir() == pathlib.Path(".tonno-cache")


@pytest.mark.parametrize("name", ["..", "../evil", "a/../../evil"])
def test_path_traversal_is_refused(cache: pathlib.Path, name: str) -> None:
    for call in (lambda: load_best(name, "cpu", KEY), lambda: save_best(name, "cpu", KEY, 1, 1.0)):
        with pytest.raises(ValueError, match="traversal"):
            call()


def test_names_that_are_no_file_names_raise(cache: pathlib.Path) -> None:
    with pytest.raises(OSError):
        save_best("x" * 300, "cpu", KEY, CONFIG, 1.0)


def test_folders_in_names_are_made(cache: pathlib.Path) -> None:
    save_best("a/b", "cpu", KEY, CONFIG, 1.0)
    assert load_best("a/b", "cpu", KEY) == CONFIG and (cache / "a/b.json").exists()


# Reading


@pytest.mark.parametrize(
    "found",
    [
        "",
        "<<<no JSON>>>",
        [1, 2],
        "1",
        None,
        {},
        {"cpu": None},
        {"cpu": [1]},
        {"gpu": {'{"N":4}': {"config": 1}}},
        {"cpu": {'{"N":5}': {"config": 1}}},
        {"cpu": {'{"N":4}': 42}},
        {"cpu": {'{"N":4}': None}},
        {"cpu": {'{"N":4}': {"time_ms": 1}}},
    ],
)
def test_what_is_no_entry_is_missing(cache: pathlib.Path, found: Any) -> None:
    write(cache, found)
    assert load_best("fn", "cpu", KEY) is MISSING


@pytest.mark.parametrize("config", [None, 0, "text", [1, 2], {"BM": 1}, {}])
def test_configs_are_returned_as_they_are(cache: pathlib.Path, config: Any) -> None:
    write(cache, {"cpu": {'{"N":4}': {"config": config}}})
    assert load_best("fn", "cpu", KEY) == config


def test_no_file_is_missing(cache: pathlib.Path) -> None:
    assert load_best("fn", "cpu", {}) is MISSING and not cache.exists()


def test_directory_in_place_of_the_file_raises(cache: pathlib.Path) -> None:
    (cache / "fn.json").mkdir(parents=True)
    with pytest.raises(OSError):
        load_best("fn", "cpu", KEY)
    with pytest.raises(OSError):
        save_best("fn", "cpu", KEY, CONFIG, 1.0)


def test_bytes_that_are_no_text_raise(cache: pathlib.Path) -> None:
    write(cache, {}).write_bytes(b'{"\xff": 1}')
    with pytest.raises(UnicodeDecodeError):
        load_best("fn", "cpu", KEY)


# Writing


def test_entries_have_the_originals_form(cache: pathlib.Path) -> None:
    values = {"N": np.int64(4), "s": (1, 2)}
    save_best("fn", "NVIDIA H100 80GB", values, CONFIG, 1.23456)
    text = (cache / "fn.json").read_text()
    found = {"config": CONFIG, "time_ms": 1.2346, "key_values": {"N": 4, "s": [1, 2]}}
    whole = {"NVIDIA H100 80GB": {'{"N":4,"s":[1,2]}': found}}
    assert text == json.dumps(whole, indent=2) + "\n"


@pytest.mark.parametrize(
    ("time_ms", "stored"), [(1e300, 1e300), (1e-300, 0.0), (-5.0, -5.0), (3, 3)]
)
def test_times_are_rounded_only(cache: pathlib.Path, time_ms: float, stored: float) -> None:
    save_best("fn", "cpu", KEY, CONFIG, time_ms)
    assert entries(cache)['{"N":4}']["time_ms"] == stored


def test_time_that_is_no_number_is_stored(cache: pathlib.Path) -> None:
    save_best("fn", "cpu", KEY, CONFIG, math.nan)
    assert '"time_ms": NaN' in (cache / "fn.json").read_text()


def test_entries_are_replaced_one_by_one(cache: pathlib.Path) -> None:
    save_best("fn", "cpu", KEY, {"BM": 1}, 1.0)
    save_best("fn", "cpu", {"N": 5}, {"BM": 2}, 1.0)
    save_best("fn", "", KEY, {"BM": 3}, 1.0)
    save_best("other", "cpu", KEY, {"BM": 4}, 1.0)
    save_best("fn", "cpu", KEY, {"BM": 5}, 2.0)
    assert load_best("fn", "cpu", KEY) == {"BM": 5}
    assert load_best("fn", "cpu", {"N": 5}) == {"BM": 2}
    assert load_best("fn", "", KEY) == {"BM": 3}
    assert load_best("other", "cpu", KEY) == {"BM": 4}


@pytest.mark.parametrize("found", ["", "<<<no JSON>>>", "{"])
def test_what_is_no_json_is_replaced(cache: pathlib.Path, found: str) -> None:
    write(cache, found)
    save_best("fn", "cpu", KEY, CONFIG, 1.0)
    assert load_best("fn", "cpu", KEY) == CONFIG


@pytest.mark.parametrize("found", [[], [1, 2], "null", '"text"', "1", {"cpu": None}, {"cpu": [1]}])
def test_json_of_another_form_raises(cache: pathlib.Path, found: Any) -> None:
    before = write(cache, found).read_text()
    with pytest.raises(TypeError):
        save_best("fn", "cpu", KEY, CONFIG, 1.0)
    assert (cache / "fn.json").read_text() == before


def test_config_that_json_can_not_hold_changes_nothing(cache: pathlib.Path) -> None:
    save_best("fn", "cpu", KEY, CONFIG, 1.0)
    with pytest.raises(TypeError):
        save_best("fn", "cpu", {"N": 5}, {1, 2}, 1.0)
    assert load_best("fn", "cpu", KEY) == CONFIG and load_best("fn", "cpu", {"N": 5}) is MISSING
    assert [path.name for path in (cache / "jax").iterdir()] == []


def test_link_stays_one(cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "real.json").write_text("{}")
    cache.mkdir()
    (cache / "fn.json").symlink_to(tmp_path / "real.json")
    save_best("fn", "cpu", KEY, CONFIG, 1.0)
    assert (cache / "fn.json").is_symlink() and "cpu" in (tmp_path / "real.json").read_text()


def test_threads_lose_no_entry(cache: pathlib.Path) -> None:
    def save(n: int) -> None:
        save_best("fn", "cpu", {"N": n}, {"BM": n}, 1.0)

    threads = [threading.Thread(target=save, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [load_best("fn", "cpu", {"N": n}) for n in range(8)] == [{"BM": n} for n in range(8)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_directory_that_is_read_only_raises(cache: pathlib.Path) -> None:
    cache.mkdir()
    cache.chmod(0o555)
    try:
        with pytest.raises(PermissionError):
            save_best("fn", "cpu", KEY, CONFIG, 1.0)
    finally:
        cache.chmod(0o755)


# Keys of calls, devices, and the decorator


@pytest.mark.parametrize(
    ("args", "kwargs", "key"),
    [
        ((np.ones((2, 3), "float16"),), {}, '{"__arg0":{"dtype":"float16","shape":[2,3]}}'),
        ((1, "a", None), {}, '{"__arg0":1,"__arg1":"a","__arg2":null}'),
        ((), {"N": 3, "flag": True}, '{"flag":true}'),
        ((), {"y": np.ones(2, "int8")}, '{"y":{"dtype":"int8","shape":[2]}}'),
        ((np.float32(1),), {}, '{"__arg0":{"dtype":"float32","shape":[]}}'),
    ],
)
def test_calls_have_the_originals_keys(args: Any, kwargs: Any, key: str) -> None:
    assert _make_key(tune._make_cache_key(args, kwargs, frozenset({"N"}))) == key


def test_device_is_named_as_in_the_file(cache: pathlib.Path) -> None:
    make()(jnp.ones(4))
    assert list(json.loads((cache / "fn.json").read_text())) == [hardware.get_device_name()]


def test_modules_have_one_decorator() -> None:
    assert tune.autotune is autotune


def test_winner_is_loaded_as_the_original_does(cache: pathlib.Path) -> None:
    x = jnp.ones(4)
    make()(x)
    key = tune._make_cache_key((x,), {}, frozenset({"N"}))
    assert load_best("fn", hardware.get_device_name(), key) in ({"N": 1}, {"N": 2})


def test_saved_winner_is_used(cache: pathlib.Path, swept: list[object]) -> None:
    x = jnp.ones(4)
    key = tune._make_cache_key((x,), {"flag": True}, frozenset({"N"}))
    save_best("fn", hardware.get_device_name(), key, {"N": 2}, 0.1)
    tuned = make()
    tuned(x, flag=True)
    assert tuned.decisions[0].config == {"N": 2} and swept == []


def test_saved_winner_that_is_none_of_the_list_differs(cache: pathlib.Path) -> None:
    # 0.2.3 passes it to the function, which raises a TypeError.
    x = jnp.ones(4)
    save_best("fn", "cpu", tune._make_cache_key((x,), {}, frozenset()), {"WRONG": 9}, 0.1)
    with pytest.warns(UserWarning, match="WRONG=9, which is not a configuration of"):
        make()(x)


def test_sweeps_are_logged_in_the_originals_words(
    cache: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    tuned = make(configs=[{"N": 0}, {"N": 2}])
    with (
        caplog.at_level(logging.INFO, logger="tonno.tune"),
        pytest.warns(UserWarning, match="1 of 2 configurations failed"),
    ):
        tuned(jnp.ones(4))
    said = [record.getMessage() for record in caplog.records if record.name == "tonno.tune"]
    assert any("FAILED" in line and "N=0" in line for line in said)
    assert any(line.endswith("ms ← best") and "N=2" in line for line in said)
    assert any("picked N=2" in line and "device=cpu" in line for line in said)


def test_trace_without_a_winner_differs(cache: pathlib.Path, swept: list[object]) -> None:
    # 0.2.3 takes the first configuration and warns; 0.2.0 tuned, as its README says.
    jax.grad(lambda x: make()(x).sum())(jnp.ones(4))
    assert len(swept) == 1
