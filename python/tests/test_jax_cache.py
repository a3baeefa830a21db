# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file of the original decorator, and when an entry of it holds."""

from __future__ import annotations

import json
import logging
import os
import pathlib
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tonno import autotune
from tonno.jax import CacheWarning, fingerprints

X = jnp.ones(4)
KEY = '{"__arg0":{"dtype":"float32","shape":[4]}}'
CONFIGS = [{"N": 1}, {"N": 2}]


def make(
    configs: list[dict[str, Any]] | None = None, offset: float = 0.0, **options: Any
) -> Any:
    @autotune(configs=configs or CONFIGS, num_timing=1, outputs="ignore", **options)
    @jax.jit(static_argnames=["N", "mode"])
    def times(x: jax.Array, y: Any = None, mode: str = "up", N: int = 1) -> jax.Array:
        """A comment more or less is the same function."""
        return x * N + offset

    return times


NAME = "make.<locals>.times"


def write(cache: pathlib.Path, text: str) -> None:
    cache.mkdir(exist_ok=True)
    (cache / f"{NAME}.json").write_text(text)


def entry(config: dict[str, Any], key: str = KEY) -> str:
    kept = {"config": config, "time_ms": 0.1, "key_values": json.loads(key)}
    return json.dumps({"cpu": {key: kept}})


def read(cache: pathlib.Path) -> Any:
    return json.loads((cache / f"{NAME}.json").read_text())


def source(tuned: Any) -> str:
    (decision,) = tuned.decisions
    found: str = decision.source
    return found


def test_file_of_the_original_is_read_and_noted(
    cache: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(cache, entry({"N": 2}))
    times = make()
    with caplog.at_level(logging.INFO, "tonno.tune"):
        assert times(X).tolist() == [2] * 4
    assert source(times) == "file" and times.decisions[0].time_ms == 0.1
    assert "without a fingerprint" in caplog.text and "without a finger" in times.explain(X)
    assert read(cache) == json.loads(entry({"N": 2}))


@pytest.mark.parametrize(
    ("args", "kwargs", "key"),
    [
        ((X,), {"y": X}, '{"__arg0":%s,"y":%s}'),
        ((X, 3.0), {}, '{"__arg0":%s,"__arg1":3.0}'),
        ((X, X, "down"), {}, '{"__arg0":%s,"__arg1":%s,"__arg2":"down"}'),
        ((X,), {"mode": "up"}, '{"__arg0":%s,"mode":"up"}'),
        ((), {"x": X}, '{"x":%s}'),
    ],
)
def test_keys_of_the_original_are_found(
    args: Any, kwargs: Any, key: str, cache: pathlib.Path
) -> None:
    array = '{"dtype":"float32","shape":[4]}'
    write(cache, entry({"N": 2}, key.replace("%s", array)))
    times = make()
    times(*args, **kwargs)
    assert source(times) == "file" and times.decisions[0].config == {"N": 2}


def test_what_we_write_is_not_taken_for_another_problem(cache: pathlib.Path) -> None:
    first = make()
    first(X)
    weak = jax.lax.full_like(2.0, 1.0, shape=(4,))
    assert weak.weak_type
    second = make()
    second(weak)
    assert source(second) == "sweep"


def test_edited_entry_holds(cache: pathlib.Path) -> None:
    make()(X)
    stored = read(cache)
    edited = {"N": stored["cpu"][KEY]["config"]["N"] % 2 + 1}
    stored["cpu"][KEY]["config"] = edited
    write(cache, json.dumps(stored, indent=8))
    times = make()
    assert times(X).tolist() == [edited["N"]] * 4
    assert source(times) == "file" and "edited by hand" in times.explain()


def test_deleted_entry_is_tuned_again_and_others_stay(cache: pathlib.Path) -> None:
    times = make()
    times(X)
    times(jnp.ones(5))
    stored = read(cache)
    del stored["cpu"][KEY]
    stored["another device"] = {KEY: {"config": {"N": 1}}}
    write(cache, json.dumps(stored))
    again = make()
    again(X)
    again(jnp.ones(5))
    assert [decision.source for decision in again.decisions] == ["sweep", "cache"]
    assert read(cache).keys() == {"cpu", "another device"} and len(read(cache)["cpu"]) == 2


def test_record_is_beside_the_file(cache: pathlib.Path) -> None:
    make()(X)
    assert sorted(p.relative_to(cache).as_posix() for p in cache.rglob("*.*")) == [
        f"jax/{NAME}.json",
        f"{NAME}.json",
    ]
    record = json.loads((cache / "jax" / f"{NAME}.json").read_text())["cpu"][KEY][__name__]
    (record,) = record
    assert record["versions"]["jax"] == jax.__version__
    assert record["versions"]["processor"] == fingerprints.processor()
    assert record["versions"]["processors"] == str(len(os.sched_getaffinity(0)))
    assert len(record["trials"]) == 2 and record["protocol"] == "median"
    explained = make().explain(X)
    assert "from the cache" in explained and explained.count("  compiled in ") == 2


@pytest.mark.parametrize(
    "text", ["<<<", "[]", "3", "", '{"cpu": ', "\x00", "[" * 100_000], ids=range(7)
)
def test_corrupt_file_is_a_warning_and_a_miss(text: str, cache: pathlib.Path) -> None:
    write(cache, text)
    times = make()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        times(X)
    told = [str(w.message) for w in caught if issubclass(w.category, CacheWarning)]
    assert "is treated as empty" in told[0]
    assert [" its text was moved to " in message for message in told[1:]] == [True] * (len(text) > 2)
    assert source(times) == "sweep" and KEY in read(cache)["cpu"]
    kept = [path.read_text() for path in (cache / "jax").glob("*.damaged")]
    assert kept == ([text] if len(text) > 2 else [])


@pytest.mark.parametrize("text", ["{}", "{}\n", " {\n}\n", "\n\n\n"])
def test_file_that_was_emptied_is_not_damaged(text: str, cache: pathlib.Path) -> None:
    write(cache, text)
    times = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error" if "{" in text else "ignore", CacheWarning)
        times(X)
    assert source(times) == "sweep" and KEY in read(cache)["cpu"]
    assert list((cache / "jax").glob("*.damaged")) == []


def test_file_that_can_not_be_read_stays(cache: pathlib.Path) -> None:
    (cache / f"{NAME}.json").mkdir(parents=True)
    times = make()
    with pytest.warns(CacheWarning, match="is not stored, and known to this process only"):
        times(X)
    assert source(times) == "sweep" and (cache / f"{NAME}.json").is_dir()
    assert list((cache / "jax").iterdir()) == []


@pytest.mark.parametrize(
    "stored", [3, [], {KEY: 3}, {KEY: {}}, {KEY: {"config": [1]}}], ids=range(5)
)
def test_damaged_entry_is_a_miss(stored: Any, cache: pathlib.Path) -> None:
    write(cache, json.dumps({"cpu": stored}))
    times = make()
    with pytest.warns(CacheWarning, match="has no config"):
        times(X)
    assert source(times) == "sweep" and read(cache)["cpu"][KEY]["config"]["N"] in (1, 2)


@pytest.mark.parametrize("text", ["<<<", "[]", '{"cpu": {"%s": {"%s": 3}}}'])
def test_corrupt_record_is_no_fingerprint(text: str, cache: pathlib.Path) -> None:
    make()(X)
    text = text % (KEY.replace('"', '\\"'), __name__) if "%s" in text else text
    (cache / "jax" / f"{NAME}.json").write_text(text)
    times = make()
    if "%" not in text and not text.startswith("{"):
        with pytest.warns(CacheWarning, match="is treated as empty"):
            times(X)
    else:
        times(X)
    assert source(times) == "file"


@pytest.mark.parametrize("config", [{"WRONG": 99}, {"N": 99}, {"N": 1, "M": 1}, {}])
def test_config_that_is_none_of_them_is_tuned_again(config: Any, cache: pathlib.Path) -> None:
    write(cache, entry(config))
    times = make()
    with pytest.warns(CacheWarning, match="not a configuration of .* add it to the configurations"):
        times(X)
    assert source(times) == "sweep"


def test_changed_configs_are_noticed(
    cache: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    make()(X)
    reordered = make(CONFIGS[::-1])
    reordered(X)
    assert source(reordered) == "cache"
    more = make([*CONFIGS, {"N": 4}])
    with caplog.at_level(logging.INFO, "tonno.tune"):
        more(X)
    assert source(more) == "sweep" and "tuned again, since its configurations" in caplog.text
    caplog.clear()
    others = make([{"N": 7}, {"N": 8}])
    # Nobody edited the file: there is nothing to warn of.
    with caplog.at_level(logging.INFO, "tonno.tune"), warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        others(X)
    assert source(others) == "sweep" and "tuned again, since its configurations" in caplog.text


def scaled_by(function: Any, name: str = "same") -> Any:
    tuned = autotune(configs=CONFIGS, num_timing=1, outputs="ignore", name=name)
    return tuned(jax.jit(function, static_argnames=["N"]))


def test_changed_function_is_noticed(
    cache: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    def first(x: Any, N: int = 1) -> Any:
        return x * N

    def second(x: Any, N: int = 1) -> Any:
        """With a docstring, and the same otherwise."""
        # And a comment.
        return x * N

    def third(x: Any, N: int = 1) -> Any:
        return x * N if N < 100 else x

    sources = []
    for function in (first, second, third):
        tuned = scaled_by(function)
        with caplog.at_level(logging.INFO, "tonno.tune"):
            tuned(X)
        sources.append(source(tuned))
    assert sources == ["sweep", "cache", "sweep"]
    assert "tuned again, since the function changed" in caplog.text


def test_change_in_what_it_calls_is_noticed(
    cache: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    sources = []
    for operation in (jnp.sin, jnp.sin, jnp.cos):

        def calling(x: Any, N: int = 1) -> Any:
            return operation(x) * N  # noqa: B023

        tuned = scaled_by(calling)
        with caplog.at_level(logging.INFO, "tonno.tune"):
            tuned(X)
        sources.append(source(tuned))
    assert sources == ["sweep", "cache", "sweep"]
    assert "since what it calls changed" in caplog.text


def test_another_processor_or_version_is_noticed(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make()(X)
    monkeypatch.setattr("tonno.jax.fingerprints.processor", lambda: "another one")
    times = make()
    times(X)
    assert source(times) == "sweep"
    more = set(range(len(os.sched_getaffinity(0)) + 1))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: more)
    times = make()
    times(X)
    assert source(times) == "sweep"


def test_functions_of_one_name_in_two_modules_keep_their_winners(cache: pathlib.Path) -> None:
    def here(x: Any, N: int = 1) -> Any:
        return x * N

    def there(x: Any, N: int = 1) -> Any:
        return jnp.sin(x) * N

    there.__module__ = "elsewhere"
    for _ in range(2):
        tuned = [scaled_by(here), scaled_by(there)]
        for function in tuned:
            function(X)
    assert [source(function) for function in tuned] == ["cache", "cache"]


def test_order_of_arguments_by_name_is_of_no_concern(cache: pathlib.Path) -> None:
    def tuned() -> Any:
        # JAX sorts arguments that are passed by name.
        jitted = jax.jit(lambda c, b, a, N=1: (c * b + a) * N, static_argnames=["N"])
        return autotune(configs=CONFIGS, num_timing=1, outputs="ignore", name="line")(jitted)

    tuned().tune([(X, X, X)])
    for args, named in (((X,), {"b": X, "a": X}), ((), {"a": X, "c": X, "b": X})):
        function = tuned()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            function(*args, **named)
        assert source(function) == "cache"


def test_name_is_the_files(cache: pathlib.Path) -> None:
    make(name="mine")(X)
    make(name="n" * 300)(X)
    names = sorted(path.name for path in cache.glob("*.json"))
    assert names[0] == "mine.json" and names[1].startswith("n" * 180 + "-")


def test_winner_that_can_not_be_written_is_kept_in_memory(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path / "file"))
    times = make()
    with pytest.warns(CacheWarning) as told:
        times(X)
    messages = " ".join(str(warning.message) for warning in told)
    assert "is not stored" in messages and "other processes may tune" in messages
    times(X)
    assert source(times) == "sweep"


def test_another_directory_is_another_cache(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = make()
    times(X)
    monkeypatch.setenv("TONNO_CACHE_DIR", str(cache / "other"))
    times(X)
    assert len(times.decisions) == 2
    assert (cache / "other" / f"{NAME}.json").exists()


def test_directory_may_be_the_users_own(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TONNO_CACHE_DIR", "~/kept")
    make()(X)
    assert (tmp_path / "kept" / f"{NAME}.json").exists()
    assert list((tmp_path / "here").iterdir()) == []


def test_settings_of_jax_tell_calls_apart(cache: pathlib.Path) -> None:
    @autotune(configs=CONFIGS, num_timing=1)
    @jax.jit(static_argnames=["N"])
    def counted(x: Any, N: int = 1) -> Any:
        return x.sum() + jnp.arange(3.0).sum()

    counted(X)
    with jax.enable_x64(True):
        assert counted(X).dtype == "float64"
    with jax.default_prng_impl("rbg"):
        counted(X)
    assert [d.source for d in counted.decisions] == ["sweep", "sweep", "cache"]
