# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of `tonno.minimize`: proposers, journals, threads, fixed knobs, callbacks, tables."""

from __future__ import annotations

import functools
import pathlib
import random
import subprocess
import sys
import threading
import time
from typing import Any

import notebooks
import pytest

import tonno
from tonno.report.failures import ReadFailure
from tonno.report.reading import read_sessions

SPACE = tonno.SearchSpace({"A": range(20), "B": range(20), "C": [1, 2, 4, 8]}, ["A + B <= 30"])
BEST = {"A": 7, "B": 9, "C": 1}


def value_of(config: tonno.Configuration) -> float:
    off: float = abs(config["A"] - 7) + 0.5 * abs(config["B"] - 9)
    factor: int = config["C"]
    return 1 + off + 0.1 * factor


class Counted:
    """Counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, config: tonno.Configuration) -> float:
        self.calls += 1
        return value_of(config)


# Proposers.


def test_proposer_finds_what_it_knows() -> None:
    seen: list[int] = []

    def propose(trials: list[tonno.Trial]) -> list[tonno.Configuration]:
        seen.append(len(trials))
        return [BEST, {"A": 6, "B": 9, "C": 1}]

    found = [
        tonno.minimize(value_of, SPACE, budget_trials=12, seed=seed, proposer=propose).config
        for seed in range(10)
    ]
    assert found.count(BEST) >= 8 and max(seen) >= 5


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"A": 19, "B": 19, "C": 1}, "breaks 'A + B <= 30'"),
        ({"A": 99, "B": 1, "C": 1}, "99 is not an option"),
        ({"A": 1, "B": 1}, 'C'),
        ({"A": 1, "B": 1, "C": 1, "D": 1}, 'D'),
    ],
)
def test_illegal_proposals_are_left_out_with_a_warning(
    config: tonno.Configuration, reason: str
) -> None:
    result = tonno.minimize(value_of, SPACE, budget_trials=40, proposer=lambda _: [config])
    (warning,) = result.warnings
    assert "illegal configuration" in warning and "left out" in warning and reason in warning
    assert len(result.trials) == 40


def test_proposer_that_raises_costs_no_trial() -> None:
    def propose(trials: list[tonno.Trial]) -> list[tonno.Configuration]:
        raise ConnectionError("no network")

    result = tonno.minimize(value_of, SPACE, budget_trials=30, proposer=propose)
    assert result.warnings == ["the proposer raised ConnectionError: no network"]
    assert len(result.trials) == 30
    with pytest.raises(ConnectionError):
        tonno.Search(SPACE, proposer=propose).ask(100)


def test_proposer_knows_values_too() -> None:
    def propose(trials: list[tonno.Trial]) -> list[tonno.Configuration]:
        best = min((t for t in trials if t.value is not None), key=lambda t: t.value or 0)
        return [dict(best.config, C=1), dict(best.config, A=max(0, best.config["A"] - 1))]

    result = tonno.minimize(
        lambda config: -1 / value_of(config),
        SPACE.fix({"C": [1, 2, 4]}),
        objective="value",
        budget_trials=40,
        proposer=propose,
    )
    assert result.value < -0.2 and not result.warnings


def test_interrupted_proposer_keeps_what_was_found() -> None:
    def propose(trials: list[tonno.Trial]) -> list[tonno.Configuration]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        tonno.minimize(value_of, SPACE, proposer=propose)
    assert raised.value.result.trials  # type: ignore[attr-defined]


def test_wrong_answers_of_a_proposer_are_refused() -> None:
    for answer in (BEST, [7], None, "A=1"):
        search = tonno.Search(SPACE, proposer=lambda _, answer=answer: answer)  # type: ignore[misc]
        with pytest.raises(TypeError, match="proposer"):
            search.ask(100)
        result = tonno.minimize(
            value_of,
            SPACE,
            budget_trials=40,
            proposer=lambda _, answer=answer: answer,  # type: ignore[misc]
        )
        assert len(result.trials) == 40 and "the proposer raised TypeError" in result.warnings[0]
    with pytest.raises(TypeError, match="must be callable"):
        tonno.minimize(value_of, SPACE, proposer=[BEST])  # type: ignore[arg-type]


def test_generator_that_raises_costs_no_trial() -> None:
    def propose(trials: list[tonno.Trial]) -> Any:
        yield BEST
        raise ConnectionError("no network")

    result = tonno.minimize(value_of, SPACE, budget_trials=30, proposer=propose)
    assert len(result.trials) == 30 and "no network" in result.warnings[0]


def test_proposer_is_asked_again_once_there_are_more_trials() -> None:
    asked: list[int] = []

    def propose(trials: list[tonno.Trial]) -> list[tonno.Configuration]:
        asked.append(len(trials))
        return [BEST] if len(trials) > 20 else []

    found = tonno.minimize(value_of, SPACE, budget_trials=60, proposer=propose)
    assert found.config == BEST and len(asked) <= 8 and len(set(asked)) == len(asked)


def test_proposer_that_calls_its_search_is_told_so() -> None:
    search: tonno.Search = tonno.Search(SPACE, proposer=lambda _: [search.trials[0].config])
    with pytest.raises(tonno.Error, match="called its own search"):
        search.ask(100)
    assert search.trials == []


def test_proposals_before_an_exception_are_kept() -> None:
    space = tonno.SearchSpace({"A": range(5)})
    raised: list[int] = []

    def propose(trials: list[tonno.Trial]) -> list[tonno.Configuration]:
        raised.append(1)
        raise ConnectionError

    search = tonno.Search(space, "exhaustive", start=[{"A": 3}], proposer=propose)
    found: list[int] = []
    while len(found) < 5 and len(raised) < 30:
        try:
            found += [config["A"] for config in search.ask(5)]
        except ConnectionError:
            continue
    assert sorted(found) == [0, 1, 2, 3, 4]


def test_search_explains_and_warns_of_proposals() -> None:
    search = tonno.Search(SPACE, proposer=lambda _: [BEST, {"A": 99}])
    for config in search.ask(60):
        assert (search.explain(config) == "by the proposer") == (config == BEST)
        search.tell(config, value_of(config))
    assert search.best is not None and search.best.config == BEST
    assert "left out" in search.warnings[0]


# Journals.


def test_search_continues_its_journal(tmp_path: pathlib.Path) -> None:
    journal = tmp_path / "search.jsonl"
    function = Counted()
    tonno.minimize(function, SPACE, budget_trials=20, repeats=0, journal=journal)
    assert function.calls == 20
    result = tonno.minimize(function, SPACE, budget_trials=50, repeats=0, journal=journal)
    # The default is called again, and so is a best one of before.
    assert function.calls <= 52 and len(result.trials) == 50
    undisturbed = tonno.minimize(value_of, SPACE, budget_trials=50, repeats=0)
    assert result.trials == undisturbed.trials
    # Both ends are in the journal, and the last one counts.
    (session,) = read_sessions(str(journal))
    assert session.decision is not None and session.decision.values == result.config
    assert (session.search_end, session.notes) == (result.ended, [])
    assert len(session.trials) >= 50  # the default's second call, too


def test_values_and_repeats_continue_a_journal(tmp_path: pathlib.Path) -> None:
    for name in ("value", "time"):
        options: dict[str, Any] = {
            "journal": tmp_path / name,
            "objective": name,
            "strategy": "random",
        }
        function = Counted()
        tonno.minimize(function, SPACE, budget_trials=30, **options)
        before = function.calls
        result = tonno.minimize(function, SPACE, budget_trials=34, **options)
        # Four new ones, the default, and the finalists.
        assert 5 <= function.calls - before < 25 and len(result.trials) == 34


@pytest.mark.parametrize("offset", [-20.0, -1.15])  # the default's value: negative; 0
def test_values_of_any_sign_continue_a_journal(tmp_path: pathlib.Path, offset: float) -> None:
    calls: list[tonno.Configuration] = []

    def function(config: tonno.Configuration) -> float:
        calls.append(config)
        return float(config["A"] / 20 + 0.05 * config["B"] + 1.15 + offset)

    def minimize(trials: int) -> tonno.Result:
        space = tonno.SearchSpace({"A": range(20), "B": range(20)})
        return tonno.minimize(
            function,
            space,
            budget_trials=trials,
            objective="value",
            repeats=0,
            strategy="random",
            journal=tmp_path / "journal",
        )

    minimize(12)
    before = len(calls)
    result = minimize(16)
    assert len(calls) - before < 8 and len(result.trials) == 16 and not result.warnings
    with pytest.raises(ReadFailure, match="has values, and reports compare times"):
        read_sessions(str(tmp_path / "journal"))


_PROCESS = """
import functools, sys, tonno
def scaled(factor):
    def function(config):
        return float(factor * config["A"] + (config["A"] in {"one", "two", "three"}))
    return function
class Model: pass
def call(model, config):
    return scaled(1)(config)
function = functools.partial(call, Model()) if sys.argv[1] == "partial" else scaled(int(sys.argv[1]))
space = {"A": [1, 2, 3, 4]}
tonno.minimize(function, space, objective="value", journal="journal", repeats=0)
"""


def test_functions_are_known_in_other_processes_by_what_they_compute(
    tmp_path: pathlib.Path,
) -> None:
    def run(function: str) -> str:
        command = [sys.executable, "-c", _PROCESS, function]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.stderr

    for function, other in (("2", "3"), ("partial", "2")):
        (tmp_path / "journal").unlink(missing_ok=True)
        # Hashes of texts differ between processes, and so do addresses.
        assert [run(function) for _ in range(3)] == ["", "", ""]
        assert "not of this search" in run(other)


def test_finished_search_is_repeated_by_its_finalists_alone(tmp_path: pathlib.Path) -> None:
    function, journal = Counted(), tmp_path / "search.jsonl"
    first = tonno.minimize(function, SPACE, budget_trials=30, journal=journal)
    before = function.calls
    again = tonno.minimize(function, SPACE, budget_trials=30, journal=journal)
    assert again.config == first.config and again.trials == first.trials
    assert function.calls - before < 20


def test_paired_trials_continue_a_journal(tmp_path: pathlib.Path) -> None:
    built: list[Any] = []

    def build(config: tonno.Configuration) -> Any:
        built.append(config)
        return lambda: 1e-3 * value_of(config)

    journal = tmp_path / "search.jsonl"
    tonno.minimize(build, SPACE, budget_trials=12, journal=journal)
    first, built[:] = len(built), []
    result = tonno.minimize(build, SPACE, budget_trials=20, journal=journal)
    assert first == 12 and len(built) < 20 and len(result.trials) == 20
    assert result.verdict == "faster"


def test_killed_search_continues_its_journal(tmp_path: pathlib.Path) -> None:
    program = f"""
import os, sys, tonno
SPACE = tonno.SearchSpace({{"A": range(20), "B": range(20)}})
calls = 0
def function(config):
    global calls
    calls += 1
    if calls == 15 and len(sys.argv) > 1:
        os._exit(9)
    return 1.0 + config["A"] + config["B"]
result = tonno.minimize(function, SPACE, budget_trials=30, repeats=0,
                        journal={str(tmp_path / "j")!r})
print(calls, len(result.trials))
"""
    killed = subprocess.run([sys.executable, "-c", program, "kill"], check=False)
    assert killed.returncode == 9
    again = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
    )
    calls, trials = map(int, again.stdout.split())
    assert calls <= 18 and trials == 30


@pytest.mark.parametrize(
    "other", [{"seed": 1}, {"start": [BEST]}, {"strategy": "random"}, {"objective": "value"}]
)
def test_journal_of_another_search_is_kept(tmp_path: pathlib.Path, other: dict[str, Any]) -> None:
    journal = tmp_path / "search.jsonl"
    tonno.minimize(value_of, SPACE, budget_trials=3, journal=journal)
    content = journal.read_bytes()
    with pytest.raises(tonno.Error, match="is not of this search"):
        tonno.minimize(value_of, SPACE, budget_trials=3, journal=journal, **other)
    assert journal.read_bytes() == content


def test_other_spaces_and_functions_are_other_searches(tmp_path: pathlib.Path) -> None:
    def refuse(journal: str, function: Any, space: tonno.SearchSpace) -> None:
        with pytest.raises(tonno.Error, match="is not of this search"):
            tonno.minimize(function, space, budget_trials=3, journal=tmp_path / journal)

    many = tonno.SearchSpace({"A": [*range(10), 20]})
    for name, function, space, others in (
        ("many", lambda c: 1.0 + c["A"], many, [tonno.SearchSpace({"A": [0, 1, *range(12, 21)]})]),
        ("default", lambda c: 1.0 + c["A"], many, [many.with_default({"A": 3})]),
        (
            "listed",
            lambda c: 1.0 + c["A"],
            tonno.SearchSpace.of([{"A": 1, "B": 1}, {"A": 2, "B": 2}]),
            [tonno.SearchSpace.of([{"A": 1, "B": 2}, {"A": 2, "B": 1}])],
        ),
    ):
        tonno.minimize(function, space, budget_trials=2, journal=tmp_path / name)
        for other in others:
            refuse(name, function, other)
    refuse("many", lambda c: 100.0 - c["A"], many)

    def of_size(config: tonno.Configuration, size: int) -> float:
        number: int = config["A"]
        return 1.0 + abs(number - size)

    tonno.minimize(
        functools.partial(of_size, size=1), many, budget_trials=2, journal=tmp_path / "partial"
    )
    refuse("partial", functools.partial(of_size, size=5), many)


def test_journal_that_cannot_be_written_is_an_error(tmp_path: pathlib.Path) -> None:
    for file in (tmp_path / "absent/j", tmp_path):
        with pytest.raises((tonno.Error, OSError)):
            tonno.minimize(value_of, SPACE, budget_trials=2, journal=file)


def test_journal_continues_with_proposers_and_other_numbers_of_jobs(
    tmp_path: pathlib.Path,
) -> None:
    function = Counted()

    def draw(seed: int) -> Any:
        chance = random.Random(seed)
        return lambda trials: SPACE.draw(4, chance.randrange(1000))

    options: dict[str, Any] = {"objective": "value", "repeats": 0, "journal": tmp_path / "j"}
    tonno.minimize(function, SPACE, budget_trials=30, proposer=draw(1), **options)
    for more, others in (
        (40, {"proposer": draw(2)}),
        (50, {}),
        (60, {"n_jobs": 3}),
    ):
        before = function.calls
        result = tonno.minimize(function, SPACE, budget_trials=more, **options, **others)
        # Ten new ones, the default, and the best.
        assert function.calls - before <= 14 and len(result.trials) == more


def test_foreign_file_is_no_journal(tmp_path: pathlib.Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("mine\n")
    with pytest.raises(tonno.Error, match="is not of this search"):
        tonno.minimize(value_of, SPACE, budget_trials=3, journal=notes)
    assert notes.read_text() == "mine\n"


# Threads.


def test_several_are_built_at_once() -> None:
    barrier = threading.Barrier(3, timeout=20)

    def build(config: tonno.Configuration) -> Any:
        if config != SPACE.default:
            barrier.wait()
        return lambda: 1e-3 * value_of(config)

    result = tonno.minimize(build, SPACE, budget_trials=7, n_jobs=3, strategy="random")
    assert [trial.status for trial in result.trials] == ["ok"] * 7


def test_values_are_computed_at_once_and_times_are_not() -> None:
    begin = time.monotonic()

    def slow(config: tonno.Configuration) -> float:
        time.sleep(0.2)
        return value_of(config)

    options: dict[str, Any] = {"budget_trials": 13, "n_jobs": 4, "strategy": "random"}
    result = tonno.minimize(slow, SPACE, objective="value", repeats=0, **options)
    assert len(result.trials) == 13 and time.monotonic() - begin < 13 * 0.2
    with pytest.raises(TypeError, match="cannot run n_jobs times at once"):
        tonno.minimize(slow, SPACE, **options)
    with pytest.raises(tonno.Error, match="n_jobs must be at least 1, or -1 for all processors, not 0"):
        tonno.minimize(slow, SPACE, n_jobs=0)


# Fixed knobs.


def test_fixed_knobs_do_not_vary() -> None:
    result = tonno.minimize(value_of, SPACE, fix={"A": 7, "B": range(8, 12), "C": [2, 4]})
    assert len(result.trials) == 8 and result.config == {"A": 7, "B": 9, "C": 2}
    assert tonno.Search(SPACE, fix={"C": 8}).space.knobs["C"] == (8,)


def test_fixed_spaces_keep_their_default_if_they_can() -> None:
    space = tonno.SearchSpace({"A": [1, 2, 3], "B": [1, 2, 3]}, defaults={"A": 2, "B": 3})
    assert space.fix({"A": [2, 3]}).default == {"A": 2, "B": 3}
    assert space.fix({"A": 1}).default == {"A": 1, "B": 3}
    tight = tonno.SearchSpace({"A": [1, 2, 3], "B": [1, 2, 3]}, ["A < B"], {"A": 2, "B": 3})
    assert tight.fix({"B": [2]}).default == {"A": 1, "B": 2}


def test_listed_spaces_and_tuples_are_fixed() -> None:
    listed = tonno.SearchSpace.of([{"A": 1, "B": True}, {"A": 2, "B": False}, {"A": 1, "B": False}])
    assert listed.fix({"B": False}).points() == [{"A": 1, "B": False}, {"A": 2, "B": False}]
    assert listed.fix({"A": 1}).default == {"A": 1, "B": True}
    orders = tonno.SearchSpace({"order": tonno.permutations(3)})
    assert orders.fix({"order": [2, 0, 1]}).knobs == {"order": ((2, 0, 1),)}
    sized = tonno.SearchSpace({"BM": [32, 64, 128]}, ["M mod BM == 0"], dimensions={"M": 192})
    assert sized.fix({"BM": [64, 128]}).points() == [{"BM": 64}]
    numpy = pytest.importorskip("numpy")
    assert sized.fix({"BM": numpy.int64(32)}).knobs == {"BM": (32,)}
    assert sized.fix({"BM": numpy.array([32, 64])}).knobs == {"BM": (32, 64)}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"D": 1}, "there is no knob 'D'; the knobs are: A, B, C"),
        ({"C": 3}, r"knob 'C' has no option 3; the options are \[1, 2, 4, 8\]"),
        ({"C": True}, "knob 'C' has no option True"),
        ({"C": [1, 3]}, "knob 'C' has no option 3"),
        ({"C": range(9, 12)}, r"knob 'C' has no option in range\(9, 12\)"),
        ({"A": 19, "B": [19]}, "no configuration satisfies"),
    ],
)
def test_values_that_cannot_be_fixed_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(tonno.Error, match=message):
        SPACE.fix(values)


# Callbacks.


def test_callback_ends_the_search_and_the_test_follows() -> None:
    def stop(report: tonno.ProgressReport) -> None:
        if report.trials == 4:
            report.stop()

    def build(config: tonno.Configuration) -> Any:
        return lambda: 1e-3 * value_of(config)

    for function, verdict in ((build, ("faster", "tie")), (value_of, (None,))):
        result = tonno.minimize(function, SPACE, callbacks=[stop])
        assert result.ended == "stopped" and len(result.trials) == 4
        assert result.verdict in verdict


def test_all_callbacks_are_called_beside_the_progress(capfd: pytest.CaptureFixture[str]) -> None:
    first: list[int] = []
    second: list[int] = []
    tonno.minimize(
        value_of,
        SPACE,
        budget_trials=3,
        progress=True,
        callbacks=[lambda r: first.append(r.trials), lambda r: second.append(r.trials)],
    )
    assert first == second == [1, 2, 3]
    assert "trial 3 of 3" in capfd.readouterr().err
    with pytest.raises(TypeError, match="callables go to callbacks"):
        tonno.minimize(value_of, SPACE, progress=first.append)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="callbacks must be a list"):
        tonno.minimize(value_of, SPACE, callbacks=first.append)  # type: ignore[arg-type]


# Tables and reports.


def test_trials_are_a_dataframe() -> None:
    pandas = pytest.importorskip("pandas")

    def function(config: tonno.Configuration) -> float:
        if config["status"] == 2:
            raise ValueError("two")
        return float(config["status"])

    result = tonno.minimize(function, {"status": [1, 2, 3]}, repeats=0)
    frame = result.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["knob_status", "status", "seconds", "message", "value"]
    assert list(frame["status"]) == [trial.status for trial in result.trials]
    assert frame["seconds"].isna().sum() == 1
    search = tonno.Search(SPACE)
    search.tell(BEST, 1.5)
    assert search.to_dataframe().loc[0, "A"] == 7
    empty = tonno.Search(SPACE).to_dataframe()
    assert list(empty.columns) == list(search.to_dataframe().columns) and not len(empty)


def test_dataframes_need_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        tonno.minimize(value_of, SPACE, budget_trials=2).to_dataframe()


def test_report_is_shown_in_notebooks() -> None:
    (outputs,) = notebooks.run_cells(
        notebooks.make_notebook(
            "import tonno\n"
            "tonno.minimize(lambda c: 1.0 + c['A'], {'A': range(4)}, progress=False).report()"
        )
    )
    data = outputs[0].data
    assert data["text/html"].startswith("<iframe srcdoc=") and "What was found?" in data["text/html"]
    assert "Chosen: A=0" in data["text/plain"]


def test_report_compares_results_and_files(tmp_path: pathlib.Path) -> None:
    first = tonno.minimize(value_of, SPACE, budget_trials=20, journal=tmp_path / "j.jsonl")
    second = tonno.minimize(value_of, SPACE, budget_trials=20, strategy="random")
    report = tonno.report.Report(first, second)
    assert "[random, seed 0]" in repr(report)
    report.save(tmp_path / "report.html")
    assert "</html>" in (tmp_path / "report.html").read_text()
    assert "value_of" in repr(tonno.report.Report(tmp_path / "j.jsonl"))
    values = tonno.minimize(value_of, SPACE, budget_trials=3, objective="value")
    with pytest.raises(tonno.Error, match="values and no times"):
        values.report()
    with pytest.raises(tonno.Error, match="nothing was measured"):
        tonno.minimize(value_of, SPACE, mode="off").report()


def test_kernel_tuner_caches_are_told_to_a_search() -> None:
    (recording,) = tonno.read_recordings(
        pathlib.Path(__file__).parent / "data/transpose.csv"
    )
    search = tonno.Search(recording.space)
    for trial in recording.trials[:30]:
        search.tell(trial.config, trial.seconds, trial.status)
    known = [trial.config for trial in recording.trials[:30]]
    assert all(config not in known for config in search.ask(20))


def test_start_is_a_list() -> None:
    with pytest.raises(TypeError, match="start must be a list of configurations, not one"):
        tonno.minimize(value_of, SPACE, start=BEST)  # type: ignore[arg-type]


def test_jobs_of_all_processors() -> None:
    assert tonno.minimize(value_of, SPACE, 3, objective="value", n_jobs=-1, repeats=0).config
