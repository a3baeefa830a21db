# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The analysis of sessions: effects, interactions, cliffs, inert knobs, losses and curves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from report_journals import (
    KNOBS,
    Line,
    add_roofline,
    begin,
    compute_ratio,
    distribution,
    end,
    list_configurations,
    make_session,
    seal,
    trial,
)

from tonno.report.curves import compute_curves, project
from tonno.report.document import add_trials, describe_kernel, make_document
from tonno.report.effects import analyze_knobs, find_interactions, tabulate_pair
from tonno.report.journal_lines import read_journal_lines
from tonno.report.losses import describe_limit, explain_losses, find_roofline, list_usage
from tonno.report.outcomes import list_failures, measure_phases
from tonno.report.sentences import answer_questions, format_factor, format_seconds
from tonno.report.sessions import Session
from tonno.report.table import TrialTable, group_sessions, make_table

BEST = {"BM": 64, "BN": 32, "UNROLL": 1}


def parse(lines: Iterable[Line]) -> list[Session]:
    return read_journal_lines("a.jsonl", "".join(map(seal, lines)).encode(), False)


def tabulate(lines: Iterable[Line]) -> TrialTable:
    return make_table(parse(lines))


@pytest.fixture(scope="module")
def whole() -> TrialTable:
    """A session that has tried every configuration."""
    return tabulate(make_session(list_configurations()))


def find(effects: list[dict[str, Any]], knob: str) -> dict[str, Any]:
    return next(effect for effect in effects if effect["knob"] == knob)


def test_effects_are_those_of_the_winners_neighbours(whole: TrialTable) -> None:
    effects = analyze_knobs(whole, whole.winner)["effects"]
    assert [effect["knob"] for effect in effects] == ["BM", "BN", "UNROLL"]
    bm = find(effects, "BM")
    assert bm["evidence"] == "neighbours of the winner"
    assert bm["spread"] == pytest.approx(2.25)
    at_winner = {row["option"]: row["at_winner"] for row in bm["options"]}
    assert at_winner["64"] is None
    assert at_winner["128"]["ratio"] == pytest.approx(1.5)
    assert at_winner["128"]["interval"] == pytest.approx([1.5 * 0.98 / 1.02, 1.5 * 1.02 / 0.98])
    pairs = {row["option"]: row["pairs"] for row in bm["options"]}
    assert pairs["16"]["n"] == 12 and pairs["16"]["ratio"] == pytest.approx(2.25)


def test_effects_without_neighbours_are_of_pairs() -> None:
    others = [v for v in list_configurations() if v["BN"] != 32 and v["UNROLL"] == 2]
    table = tabulate(make_session([BEST, *others]))
    bm = find(analyze_knobs(table, table.winner)["effects"], "BM")
    assert bm["evidence"] == "pairs that differ in the knob alone"
    pairs = {row["option"]: row["pairs"] for row in bm["options"]}
    assert pairs["128"]["n"] == 3 and pairs["128"]["ratio"] == pytest.approx(1.5)


def test_effects_without_pairs_are_of_all_trials() -> None:
    tried = [{"BM": 16, "BN": 16, "UNROLL": 1}, {"BM": 32, "BN": 32, "UNROLL": 2}]
    table = tabulate(make_session(tried))
    bm = find(analyze_knobs(table, table.winner)["effects"], "BM")
    assert bm["evidence"] == "all trials with the option"


def test_pruned_neighbours_are_lower_bounds() -> None:
    slow = {**BEST, "BM": 16}
    table = tabulate([begin(), trial(BEST, 0.5), trial(slow, 2.0, "pruned"), end(BEST, 2.0)])
    kernel = describe_kernel(table)
    assert "BM=16 takes at least 4.00x" in " ".join(answer_questions(kernel)["lost"])


def test_interactions_are_measured_in_squares(whole: TrialTable) -> None:
    independent = find_interactions(whole, whole.winner, [0, 1, 2])
    assert [each["strength"] for each in independent] == pytest.approx([1.0] * 3)

    def compute(values: dict[str, Any]) -> float:
        return compute_ratio(values) * (3 if values["BM"] == 128 and values["BN"] == 64 else 1)

    table = tabulate(make_session(list_configurations(), compute))
    (strongest, *_) = find_interactions(table, table.winner, [0, 1, 2])
    assert strongest["knobs"] == ["BM", "BN"] and strongest["n"] == 9 * 3
    assert find_interactions(table, None, [0, 1]) == []


def test_cliffs_are_steps_of_one_knob(whole: TrialTable) -> None:
    cliffs = analyze_knobs(whole, whole.winner)["cliffs"]
    assert {cliff["knob"] for cliff in cliffs} == {"BM"}
    assert len(cliffs) == 10 and cliffs[0]["factor"] == pytest.approx(1.5)
    fast = trial(BEST, 0.5, usage={"spill_bytes": 0})
    slow = trial({**BEST, "BM": 128}, 5.0, usage={"spill_bytes": 64})
    table = tabulate([begin(), fast, slow])
    (cliff,) = analyze_knobs(table, table.winner)["cliffs"]
    assert (cliff["from"], cliff["to"], cliff["others"]) == ("64", "128", "BN=32 UNROLL=1")
    assert cliff["factor"] == pytest.approx(10) and cliff["usage"] == {"spill_bytes": [0, 64]}


@pytest.mark.parametrize(("mutant", "is_inert"), [(None, True), (5, False)])
def test_inert_knobs_have_equal_binaries(mutant: int | None, is_inert: bool) -> None:
    tried = list_configurations()
    lines = make_session(tried)
    for number, line in enumerate(lines[1:-1]):
        values = line["trial"]["values"]
        line["trial"]["artifact"] = f"{values['BM']} {values['BN']}" + "'" * (number == mutant)
    inert = analyze_knobs(tabulate(lines), None)["inert"]
    (unroll,) = inert["knobs"]
    assert (unroll["knob"], unroll["is_inert"], unroll["pairs"]) == ("UNROLL", is_inert, 48)
    assert unroll["equal"] == (48 if is_inert else 46)
    assert inert["distinct"] == (16 if is_inert else 17)


def test_failed_trials_show_inert_knobs() -> None:
    lines = [begin(), *(trial({**BEST, "BM": bm}, None, "wrong", artifact="x") for bm in (16, 32))]
    (knob,) = analyze_knobs(tabulate(lines), None)["inert"]["knobs"]
    assert knob["options"] == [{"options": ["16", "32"], "equal": 1, "pairs": 1}]


def test_curves_step_where_the_best_improves() -> None:
    ratios = [None, 1.0, 0.8, 0.9, 0.5, 0.6]
    statuses = ["wrong", "ok", "ok", "ok", "ok", "pruned"]
    tried = list_configurations()
    lines = [
        trial(v, r, s, at=10.0 + i)
        for i, (v, r, s) in enumerate(zip(tried, ratios, statuses, strict=False))
    ]
    lines.insert(3, trial(tried[9], None, "bounded", at=12.5))
    (curve,) = compute_curves(tabulate([begin(), *lines]))
    points = [(p["trial"], p["seconds"], p["ratio"]) for p in curve["points"]]
    assert points == [(2, 11, 1.0), (3, 12, 0.8), (5, 14, 0.5), (6, 15, 0.5)]


def test_projection_keeps_the_two_widest_directions() -> None:
    tried = [{"BM": bm, "BN": 16, "UNROLL": u} for bm in KNOBS["BM"] for u in (1, 4)]
    found = project(tabulate(make_session(tried)))
    assert found and sum(found["shares"]) == pytest.approx(1)
    assert np.corrcoef(found["x"], [v["UNROLL"] for v in tried])[0, 1] == pytest.approx(1)
    assert np.corrcoef(found["y"], np.log([v["BM"] for v in tried]))[0, 1] == pytest.approx(1)
    assert project(tabulate(make_session([BEST]))) is None


def test_losses_name_what_the_winner_does_not_have() -> None:
    clean: dict[str, Any] = {"spill_bytes": 0, "occupancy": 0.5}
    usages = [{"spill_bytes": 64, "occupancy": 0.5}, clean, {"spill_bytes": 8, "occupancy": 0.25}]
    others = [{**BEST, "BM": bm} for bm in (16, 32, 128)]
    lines = [begin(), trial(BEST, 0.5, usage=clean)]
    for values, ratio, usage in zip(others, (2.0, 0.505, 3.0), usages, strict=True):
        lines.append(trial(values, ratio, usage=usage))
    table = tabulate([*lines, end(BEST, 2.0)])
    losses = explain_losses(table, table.winner)
    assert (losses["near"], losses["slower"]) == (1, 3)
    assert losses["runners_up"][0]["differs"] == {"BM": ["32", "64"]}
    properties = {each["property"]: each for each in losses["properties"]}
    spills = properties["more spilled registers"]
    assert (spills["count"], spills["with"]["median"]) == (2, pytest.approx(5.0))
    assert spills["without"]["median"] == pytest.approx(1.01)
    assert properties["less occupancy"]["count"] == 1


def test_counted_events_explain_losses() -> None:
    def count(values: dict[str, Any], ratio: float, **events: float) -> Line:
        line = trial(values, ratio)
        line["trial"]["measurement"]["events"] = events
        return line

    others = [{**BEST, "BM": bm} for bm in (16, 32)]
    lines = [begin(), count(BEST, 0.5, llc_misses=100, cycles=5000)]
    lines.append(count(others[0], 2.0, llc_misses=1000, cycles=20000))
    lines.append(count(others[1], 0.9, llc_misses=119, cycles=9000))
    table = tabulate([*lines, end(BEST, 2.0)])
    (found,) = explain_losses(table, table.winner)["properties"]
    assert (found["property"], found["count"]) == ("more misses of the last-level cache", 1)
    assert list_usage(table) == ["llc_misses", "cycles"]
    missing = describe_limit(table, table.winner)["missing"]
    assert not any("counters" in each for each in missing)
    without = tabulate([begin(), trial(BEST, 0.4), end(BEST, 2.5)])
    assert any("counters" in each for each in describe_limit(without, 0)["missing"])


def test_limits_state_bounds_and_what_is_missing() -> None:
    bound = {"time_bound": {"seconds": 0.001, "limit": "issue", "share": 0.5}}
    table = tabulate([begin(), trial(BEST, 0.4, usage=bound), end(BEST, 2.5)])
    limit = describe_limit(table, table.winner)
    assert limit["share_of_bound"] == pytest.approx(0.25)
    assert limit["share_of_data_sheet"] == pytest.approx(0.125)
    assert limit["at_most"] == pytest.approx(4)
    assert not any("roofline" in each for each in limit["missing"])
    table = tabulate([begin(), trial(BEST, 0.4), end(BEST, 2.5)])
    limit = describe_limit(table, table.winner)
    assert "winner_bound" not in limit
    assert any("roofline" in each for each in limit["missing"])
    assert any("time bounds" in each for each in limit["missing"])


def test_failures_are_grouped_by_message() -> None:
    tried = list_configurations()
    lines = [trial(v, None, "wrong", message="differs") for v in tried[:3]]
    lines += [trial(tried[4], None, "hang", message="5 s"), trial(tried[5], 2.0, "pruned")]
    found = list_failures(tuple(parse([begin(), *lines])))
    assert [(f["status"], f["count"], f["first"]) for f in found["shown"]] == [
        ("wrong", 3, "BM=16 BN=16 UNROLL=1"),
        ("hang", 1, "BM=16 BN=32 UNROLL=2"),
    ]


def test_phases_are_those_that_the_journal_has() -> None:
    trials = [trial(BEST, 0.5, at=4.0), trial(BEST, 0.5, at=9.0)]
    (session,) = parse([begin(), *trials, end(BEST, 2.0)])
    seconds = {each["phase"].partition(":")[0]: each["seconds"] for each in measure_phases(session)}
    assert seconds == {
        "before the first trial": pytest.approx(3.7),
        "compiling, sum over candidates": pytest.approx(0.2),
        "verifying and measuring": pytest.approx(0.4),
        "proposing candidates": 0.5,
        "after the last trial": pytest.approx(81.0),
        "whole session": 90.0,
    }


def test_phases_of_the_session_are_shown_if_it_states_them() -> None:
    lines = add_roofline([begin(), trial(BEST, 0.5), end(BEST, 2.0)])
    seconds = {each["phase"]: each["seconds"] for each in measure_phases(*parse(lines))}
    assert seconds["phase: search"] == 60
    assert not any(name.startswith(("before", "after")) for name in seconds)


def answer_limit(lines: list[dict[str, Any]]) -> list[str]:
    content = "".join(map(seal, lines)).encode()
    document, _ = make_document(read_journal_lines("a.jsonl", content, False))
    (kernel,) = document["kernels"]
    return answer_questions(kernel)["limit"]


def test_a_limit_without_any_bound_is_unknown() -> None:
    lines = make_session(list_configurations())
    assert answer_limit(lines)[0].startswith("The limit is unknown: nothing in the file bounds")
    assert "unknown: nothing" not in " ".join(answer_limit(add_roofline(lines)))


def test_peaks_of_a_data_sheet_have_no_threads() -> None:
    lines = add_roofline(make_session(list_configurations()), data_sheet="MI300X")
    answers = answer_limit(lines)
    assert any("zmm in the data sheet of MI300X: no code can" in each for each in answers)


def test_claims_of_untried_configurations_are_shown() -> None:
    lines = make_session(list_configurations())
    assert not any("not tried" in each for each in answer_limit(lines))
    lines[-1]["about"]["headroom"] = {"space": 1.04}
    assert (
        "No configuration of this search space that was not tried is more than 1.04x as fast as "
        "the winner, at 95 %, by a model of the trials." in answer_limit(lines)
    )


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("work", "the operations and bytes of the kernel are not known."),
        ("exceeded", "the kernel is faster than the peaks."),
        ("new", "tonno-tune's reason is 'new'."),
    ],
)
def test_unknown_limits_state_why(reason: str, sentence: str) -> None:
    lines = make_session(list_configurations())
    lines[-1]["about"]["no_limit"] = reason
    answers = answer_limit(lines)
    answers = [each for each in answers if each.startswith("No share") or "roofline" in each]
    assert [each.lower() for each in answers] == [
        f"no share of the machine's limit: {sentence}".lower()
    ]


def test_roofline_states_the_share_of_the_limit() -> None:
    lines = add_roofline(make_session(list_configurations()))
    content = "".join(map(seal, lines)).encode()
    document, _ = make_document(read_journal_lines("a.jsonl", content, False))
    (kernel,) = document["kernels"]
    assert kernel["roofline"]["operations"] == 2e6
    assert kernel["roofline"]["bytes"] == 4000
    assert kernel["roofline"]["peak"] == 1e11
    assert kernel["roofline"]["levels"][1] == {"name": "DRAM", "bytes_per_second": 2e10}
    assert (
        "The winner reaches 50 % of the machine's limit, 50 GOP/s of 100 GOP/s by vfmadd231ps zmm on 2 "
        "threads: no code can be more than 2.00x as fast." in answer_questions(kernel)["limit"]
    )
    assert not any("roofline" in each for each in kernel["limit"]["missing"])


def test_no_share_is_stated_without_a_limit() -> None:
    lines = add_roofline(make_session(list_configurations()), share=0)
    table = tabulate(lines)
    limit = describe_limit(table, table.winner)
    assert any("no share of the machine's limit" in each for each in limit["missing"])
    # Results alone are not all that a launch moves.
    lines[0]["begin"]["work"]["bytes_read"] = 0
    assert find_roofline(tabulate(lines), None) is None


def test_sessions_of_other_kernels_are_not_compared() -> None:
    sessions = [
        *parse([begin(), trial(BEST, 0.5)]),
        *parse([begin(strategy="random"), trial(BEST, 0.5)]),
        *parse([begin(kernel="other"), trial(BEST, 0.5)]),
        *parse([begin(device="another"), trial(BEST, 0.5)]),
        *parse([begin(knobs={**KNOBS, "BM": [32, 16]}), trial(BEST, 0.5)]),
    ]
    assert [len(group) for group in group_sessions(sessions)] == [2, 1, 1, 1]


def test_winner_of_several_sessions_is_the_fastest() -> None:
    other = {**BEST, "BM": 16}
    slow = parse([begin(), trial(other, 0.1), end(other, 2.0)])
    fast = parse([begin(strategy="random"), trial(BEST, 0.5), end(BEST, 3.0)])
    table = make_table([*slow, *fast])
    assert table.winner == 1
    assert "not confirmed" in " ".join(answer_questions(describe_kernel(table))["real"])


def test_a_tie_keeps_the_default() -> None:
    default = {"BM": 16, "BN": 16, "UNROLL": 1}
    lines = [begin(), trial(default, 1.0), trial(BEST, 0.999), end(default, 1.001, "tie")]
    document, tables = make_document(parse(lines))
    (kernel,) = document["kernels"]
    assert tables[0].winner == 0
    answers = answer_questions(kernel)
    assert answers["found"][0].startswith("Tie: the default stays, BM=16 BN=16 UNROLL=1.")
    assert "The best candidate is 1.001x" in answers["found"][0]
    assert "verdict 'tie'" in answers["real"][0].lower()
    lines[-1] = end(default, 1.001, "tie", tied=BEST)
    (kernel,) = make_document(parse(lines))[0]["kernels"]
    stated = answer_questions(kernel)["found"][0]
    assert "The best candidate, BM=64 BN=32, is 1.001x" in stated


def test_surveys_are_ranked_by_time_bounds() -> None:
    def usage(seconds: float, spills: int) -> dict[str, Any]:
        bound = {"seconds": seconds, "limit": "issue", "share": 0.5}
        return {"time_bound": bound, "spill_bytes": spills, "occupancy": 0.25}

    tried = list_configurations()
    lines = [trial(tried[i], None, usage=usage(0.003 - i / 1000, 8 * i)) for i in range(2)]
    lines.append(trial(tried[5], None, "compile_error", message="no"))
    (session,) = parse([begin(), *lines])
    session.is_survey = True
    kernel = describe_kernel(make_table([session]))
    assert [each["bound"] for each in kernel["least_bounds"]] == [0.002, 0.003]
    answers = answer_questions(kernel)
    assert answers["found"][0] == "A survey: no candidate was timed, so none won."
    assert "1 of 2 candidates spill registers." in answers["lost"]
    assert answers["limit"][0].startswith("By the chip's data sheet the kernel takes 1.00 ms: 50 %")


def test_sessions_without_times_are_described() -> None:
    lines = [begin(), *(trial(v, None, "wrong", message="no") for v in list_configurations()[:4])]
    document, tables = make_document(parse(lines))
    answers = answer_questions(document["kernels"][0])
    assert answers["found"][0] == (
        "No decision: the session has not ended, and no trial has a time."
    )
    assert "4 wrong: no" in answers["lost"]
    assert add_trials(document, tables)["kernels"][0]["trials"][0]["status"] == "wrong"


def test_sessions_without_knobs_are_described() -> None:
    lines = [begin(knobs={}), trial({}, 1.0), end({}, 1.0, "tie")]
    document, _ = make_document(parse(lines))
    assert answer_questions(document["kernels"][0])["found"]
    document, _ = make_document(parse([begin()]))
    assert document["kernels"][0]["winner"] is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.0, "2.00 s"), (0.00243, "2.43 ms"), (9.87e-4, "987 us"), (5e-8, "50.0 ns"), (0.0, "0 ns")],
)
def test_times_have_three_digits(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_factors_have_three_digits() -> None:
    assert format_factor(1.5278, [1.5002, 1.6062]) == "1.53x [1.50, 1.61]"
    assert format_factor(12.34) == "12.3x"
    assert format_factor(0.98765) == "0.988x"


def test_chosen_time_follows_from_pairs_and_is_the_defaults_after_a_tie() -> None:
    won = end(BEST, 2.0)
    won["end"]["comparison"]["seconds"] = distribution(0.0052, 64)  # drifted since the baseline's
    (session,) = parse([begin(), trial(BEST, 0.5), won])
    assert session.decision is not None and session.decision.seconds == pytest.approx(0.005)
    tie = end(BEST, 1.004, "tie")
    (session,) = parse([begin(), trial(BEST, 0.5), tie])
    assert session.decision is not None and session.decision.seconds == pytest.approx(0.01)
    text = " ".join(answer_questions(describe_kernel(make_table([session])))["found"])
    assert "The best candidate is 1.004x [0.994, 1.014], at 99.9 % at least 0.9839x" in text


def test_only_options_that_are_surely_slower_explain_losses() -> None:
    doubtful, slow = {**BEST, "BM": 32}, {**BEST, "UNROLL": 4}
    lines = [begin(), trial(BEST, 0.5), trial(doubtful, 0.505), trial(slow, 0.6), end(BEST, 2.0)]
    lost = answer_questions(describe_kernel(tabulate(lines)))["lost"]
    assert lost[0].startswith("UNROLL=4 takes 1.20x") and not any("BM=32" in each for each in lost)
    lines = [begin(), trial(BEST, 0.5), trial(doubtful, 0.505), end(BEST, 2.0)]
    (sentence,) = answer_questions(describe_kernel(tabulate(lines)))["lost"]
    assert sentence.startswith("1 other candidate took no clearly longer time by one knob alone")


def test_pruned_trials_are_the_slow_side_of_cliffs_and_cells() -> None:
    slow = {**BEST, "BM": 128}
    fast = {**BEST, "BM": 32}
    lines = [begin(), trial(BEST, 0.5), trial(slow, 2.0, "pruned"), trial(fast, 0.9, "pruned")]
    document, (table,) = make_document(parse(lines))
    cliffs = analyze_knobs(table, table.winner)["cliffs"]
    assert [(c["to"], c["is_least"]) for c in cliffs] == [("128", True), ("32", True)]
    cells = tabulate_pair(table, 0, 1)
    assert [(c["one"], c["is_least"]) for c in cells] == [("32", True), ("64", False), ("128", True)]
    # The bound of a pruned trial does not make it the faster one.
    lines = [begin(), trial(BEST, 0.5), trial(slow, 0.2, "pruned")]
    assert analyze_knobs(tabulate(lines), 0)["cliffs"] == []


def test_end_by_seconds_is_told_from_that_by_trials() -> None:
    last = end(BEST, 2.0)
    last["about"] = {"search_end": "budget"}
    found = " ".join(
        answer_questions(describe_kernel(tabulate([begin(), trial(BEST, 0.5), last])))["found"]
    )
    assert "The search ended by 'budget' of 120 s." in found


def test_phases_are_in_their_order_and_those_not_entered_are_left_out() -> None:
    seconds = {"test": 2.0, "baseline": 1.0, "finals": 3e-6, "search": 5.0}
    last = end(BEST, 2.0)
    last["about"] = {"phase_seconds": seconds, "session_seconds": 8.0}
    (session,) = parse([begin(), trial(BEST, 0.5), last])
    phases = [p["phase"] for p in measure_phases(session) if p["phase"].startswith("phase")]
    assert phases == ["phase: baseline", "phase: search", "phase: test"]


def test_sessions_that_ended_with_an_error_say_so() -> None:
    failed = {"error": "no candidate ran", "schema": 1, "session": "a"}
    (session,) = parse([begin(), trial(BEST, None, "wrong"), failed])
    assert "the session ended with an error: no candidate ran" in session.notes
