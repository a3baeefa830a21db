# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The answers of a report in sentences: what was found, is it real, why did the others lose, how
far is the limit."""

from __future__ import annotations

import math
from typing import Any

QUESTIONS = {
    "found": "What was found?",
    "real": "Is it real?",
    "lost": "Why did the others lose?",
    "limit": "How far is the limit?",
}
_MOST_KNOBS = 3
_CONFIRMED = 0.9
"""Least share of the tested time that a ratio of the search is confirmed by."""
_MOST_CHANGES = 12


def answer_questions(kernel: dict[str, Any]) -> dict[str, list[str]]:
    """Returns the sentences that answer each question, for one kernel of a document."""
    if kernel["is_survey"]:
        return {name: _merge(kernel, each) for name, each in _answer_survey(kernel).items()}
    answers = {
        "found": _describe_found(kernel),
        "real": _describe_real(kernel),
        "lost": _describe_lost(kernel),
        "limit": _describe_limit(kernel),
    }
    return {name: [_capitalize(each) for each in found] for name, found in answers.items()}


def _capitalize(sentence: str) -> str:
    """Returns the sentence with a capital, unless it begins with a name, such as `BM=8`."""
    first = sentence.split(" ", 1)[0].rstrip(":,")
    return sentence[:1].upper() + sentence[1:] if first.isalpha() else sentence


def format_seconds(seconds: float) -> str:
    """Returns a time with three digits, such as `2.43 ms`."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{_format(seconds / scale)} {unit}"
    return f"{_format(seconds * 1e9)} ns"


def format_factor(factor: float, interval: Any = None) -> str:
    """Returns a factor with its interval, such as `1.53x [1.5, 1.61]`."""
    ends = "" if interval is None else f" [{_format(interval[0])}, {_format(interval[1])}]"
    return f"{_format(factor)}x{ends}"


def _format(number: float) -> str:
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    digits = max(0, 2 - math.floor(math.log10(abs(number))))
    return f"{number:.{digits}f}"


def format_count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _merge(kernel: dict[str, Any], found: list[tuple[str, str]]) -> list[str]:
    """Returns sentences of sessions, equal ones once, with the names of their sessions if not all
    sessions have the sentence."""
    names = list(dict.fromkeys(session["name"] for session in kernel["sessions"]))
    owners: dict[str, list[str]] = {}
    for name, sentence in found:
        owners.setdefault(sentence, []).append(name)
    return [
        sentence if len(set(those)) == len(names) else f"[{'; '.join(those)}] {sentence}"
        for sentence, those in owners.items()
    ]


def _answer_survey(kernel: dict[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Returns the answers for candidates that were not timed."""
    name = kernel["sessions"][0]["name"]
    answers: dict[str, list[str]] = {"found": ["A survey: no candidate was timed, so none won."]}
    best = kernel["least_bounds"][0] if kernel["least_bounds"] else None
    if best:
        answers["found"].append(
            f"The least time bound is {format_seconds(best['bound'])} (by '{best['limit']}'), of "
            f"{best['values']}."
        )
    answers["real"] = [
        "Time bounds are computed from binaries: no launch takes less, and most take more."
        if best
        else "Nothing was timed, and nothing bounds the times: no candidate is shown to be faster "
        "than another."
    ]
    answers["lost"] = [
        f"{each['count']} {each['status']}: {_first_line(each['message'])}"
        for each in kernel["failures"]["shown"][:_MOST_KNOBS]
    ]
    answers["lost"] += _describe_needs(kernel) + _describe_inert(kernel)
    answers["lost"] = answers["lost"] or ["No candidate failed; '--json' lists all of them."]
    answers["limit"] = []
    if best and best["share"]:
        answers["limit"].append(
            "By the chip's data sheet the kernel takes "
            f"{format_seconds(best['bound'] * best['share'])}: {100 * best['share']:.0f} % of the "
            "least time bound."
        )
    answers["limit"] += [f"{_capitalize(each)}." for each in kernel["limit"]["missing"]]
    found = {question: [(name, each) for each in those] for question, those in answers.items()}
    for session in kernel["sessions"]:
        statuses = ", ".join(f"{count} {status}" for status, count in session["statuses"].items())
        trials = format_count(session["trials"], "candidate")
        found["found"].append((session["name"], f"{trials}: {statuses or 'none'}."))
        found["real"] += [(session["name"], f"Note: {note}.") for note in session["notes"]]
    return found


def _describe_found(kernel: dict[str, Any]) -> list[str]:
    found = []
    for session in kernel["sessions"]:
        decision, name = session["decision"], session["name"]
        if decision is None:
            found.append((name, _describe_undecided(kernel)))
            continue
        found.append((name, _describe_decision(kernel, decision)))
        if decision["verdict"] != "tie" and decision["differs"]:
            found.append((name, _describe_changes(kernel, decision["differs"])))
    for session in kernel["sessions"]:
        statuses = ", ".join(f"{count} {name}" for name, count in session["statuses"].items())
        end = _describe_end(session)
        trials = format_count(session["trials"], "trial")
        found.append((session["name"], f"{trials}: {statuses or 'none'}.{end}"))
    return _merge(kernel, found)


def _describe_end(session: dict[str, Any]) -> str:
    if not session["search_end"]:
        return ""
    trials, seconds = session["budget_trials"], session["budget_seconds"]
    is_of_seconds = session["search_end"] == "budget" and trials and session["trials"] < trials
    of = f" of {format_seconds(seconds)}" if is_of_seconds and seconds else ""
    return f" The search ended by '{session['search_end']}'{of}."


def _describe_undecided(kernel: dict[str, Any]) -> str:
    ratios = [point["ratio"] for curve in kernel["curves"] for point in curve["points"]]
    if not ratios:
        return "no decision: the session has not ended, and no trial has a time."
    return (
        f"no decision: the session has not ended. The best trial takes {_format(min(ratios))} of "
        f"the time of {kernel['baseline']}."
    )


def _describe_changes(kernel: dict[str, Any], differs: list[list[str]]) -> str:
    changes = ", ".join(f"{name} {old} -> {new}" for name, old, new in differs[:_MOST_CHANGES])
    more = len(differs) - _MOST_CHANGES
    return (
        f"it differs from {kernel['baseline']} in {len(differs)} of "
        f"{format_count(len(kernel['knobs']), 'knob')}: {changes}"
        f"{f', and {more} more' if more > 0 else ''}."
    )


def _describe_decision(kernel: dict[str, Any], decision: dict[str, Any]) -> str:
    if decision["speedup"] is not None:
        speedup = format_factor(decision["speedup"], decision["speedup_interval"])
    elif decision["seconds"] and decision["baseline_seconds"]:
        speedup = format_factor(decision["baseline_seconds"] / decision["seconds"])
    else:
        speedup = ""
    times = ""
    if decision["seconds"] and decision["baseline_seconds"]:
        times = (
            f", {format_seconds(decision['baseline_seconds'])} -> "
            f"{format_seconds(decision['seconds'])}"
        )
    verdict = decision["verdict"]
    if verdict == "tie":
        by = f", {decision['tied']}," if decision["tied"] else ""
        return (
            f"tie: the default stays, {decision['values']}. The best candidate{by} is "
            f"{_format_close(decision)}; no gain of 0.5 % could be shown."
        )
    if verdict == "no-baseline":
        time = format_seconds(decision["seconds"]) if decision["seconds"] else "an unknown time"
        best = f"{decision['values']}, {time}"
        return f"no baseline: the default failed. The best that ran is {best}."
    if verdict == "interrupted":
        return f"interrupted: the best so far is {decision['values']}, not tested."
    if verdict == "faster":
        return f"{speedup} faster than {kernel['baseline']}{times}, by {decision['values']}."
    if verdict == "less":
        return (
            f"less of the objective than the default, {speedup} as fast as {kernel['baseline']}"
            f"{times}, by {decision['values']}."
        )
    gain = f" {speedup} against {kernel['baseline']}{times}, not tested." if speedup else ""
    return f"chosen: {decision['values']}.{gain}"


def _format_close(decision: dict[str, Any]) -> str:
    """Returns a speedup near 1 with four digits, and what is shown of it."""
    speedup, interval = decision["speedup"], decision["speedup_interval"]
    if speedup is None:
        return "of unknown speed"
    text = f"{speedup:.4g}x"
    if interval is not None:
        text += f" [{interval[0]:.4g}, {interval[1]:.4g}]"
    if decision["shown_speedup"]:
        text += f", at 99.9 % at least {decision['shown_speedup']:.4g}x"
    return text


def _describe_real(kernel: dict[str, Any]) -> list[str]:
    found = []
    for session in kernel["sessions"]:
        decision, name = session["decision"], session["name"]
        if decision is not None:
            found.append((name, _describe_test(decision)))
            least = _find_unconfirmed(kernel, session)
            if least is not None:
                found.append(
                    (
                        name,
                        f"the least ratio of the search, {_format(least)} of the default's time, "
                        "was not confirmed: ratios of single trials scatter.",
                    )
                )
        if decision is not None and decision["other_speedup"] is not None:
            other = format_factor(decision["other_speedup"], decision["other_speedup_interval"])
            found.append((name, f"with the other cache state, the speedup is {other}."))
    sentences = _merge(kernel, found)
    if len(kernel["sessions"]) > 1:
        chosen = {s["decision"]["values"] for s in kernel["sessions"] if s["decision"]}
        sentences.append(
            "All sessions chose the same configuration."
            if len(chosen) == 1
            else f"The sessions chose {len(chosen)} different configurations."
        )
    losses = kernel["losses"]
    if losses["slower"] and losses.get("has_intervals"):
        count = losses["near"]
        sentences.append(
            f"In the search, the intervals of {count} of {losses['slower']} other timed candidates "
            f"reach down to the winner's: {'these may be as fast' if count else 'none is as fast'}."
        )
    notes = []
    for session in kernel["sessions"]:
        decided = session["decision"]["notes"] if session["decision"] else []
        notes += [(session["name"], f"note: {each}.") for each in (*decided, *session["notes"])]
    return sentences + _merge(kernel, notes)


def _find_unconfirmed(kernel: dict[str, Any], session: dict[str, Any]) -> float | None:
    """Returns the least ratio of the search, if the final test shows much less of a gain."""
    speedup = session["decision"]["speedup"]
    number = kernel["sessions"].index(session)
    ratios = [p["ratio"] for c in kernel["curves"] if c["session"] == number for p in c["points"]]
    if not speedup or not ratios or min(ratios) * speedup > _CONFIRMED:
        return None
    return float(min(ratios))


def _describe_test(decision: dict[str, Any]) -> str:
    if decision["verdict"] not in ("faster", "tie", "less") or not decision["rounds"]:
        return (
            "not tested: the choice is based on the samples of the search alone, and the best of "
            "many noisy times looks better than it is."
        )
    cache = f", {decision['cache_state']} cache" if decision["cache_state"] else ""
    shown = ""
    if decision["verdict"] == "faster" and decision["shown_speedup"]:
        shown = f" At 99.9 %, at least {format_factor(decision['shown_speedup'])} is shown."
    return (
        f"verdict '{decision['verdict']}', from a final test on fresh samples: "
        f"{decision['rounds']} rounds{cache}; the interval of the "
        f"speedup is at 95 %.{shown}"
    )


def _describe_lost(kernel: dict[str, Any]) -> list[str]:
    worst = [found for effect in kernel["effects"] if (found := _find_worst(effect))]
    worst.sort(key=lambda each: -each[0])
    sentences = [sentence for _, sentence in worst[:_MOST_KNOBS]]
    losses = kernel["losses"]
    telling = [each for each in losses["properties"] if each["is_telling"]]
    for each in telling[:_MOST_KNOBS]:
        sentences.append(_describe_property(each))
    sentences += _describe_inert(kernel)
    failures = kernel["failures"]
    for each in failures["shown"][:_MOST_KNOBS]:
        sentences.append(f"{each['count']} {each['status']}: {_first_line(each['message'])}")
    if kernel["limit"]["bounded"]:
        sentences.append(
            f"{kernel['limit']['bounded']} were not run, as their time bounds are above the best "
            "time."
        )
    if sentences:
        return sentences
    if not losses["runners_up"]:
        return ["The file has no other timed candidate, and no failure."]
    closest = losses["runners_up"][0]
    return [
        f"{format_count(losses['slower'], 'other candidate')} took no clearly longer time by one "
        f"knob alone; the closest takes {format_factor(closest['factor'], closest['interval'])} "
        "the winner's time."
    ]


def _find_worst(effect: dict[str, Any]) -> tuple[float, str] | None:
    """Returns the option of a knob that is slowest for sure, as a factor and a sentence."""
    rows = [row for row in effect["options"] if _choose(row, effect) and not row["is_winner"]]
    sure = [row for row in rows if _is_slower(_choose(row, effect))]
    if not sure:
        return None
    row = max(sure, key=lambda row: _choose(row, effect)["ratio"])
    found = _choose(row, effect)
    least = "at least " if found.get("status") == "pruned" else ""
    sentence = (
        f"{effect['knob']}={row['option']} takes {least}"
        f"{format_factor(found['ratio'], found['interval'])} the winner's time "
        f"({_explain_evidence(effect, found)})."
    )
    return found["ratio"], sentence


def _is_slower(found: dict[str, Any]) -> bool:
    """Returns True if the interval, or without one the factor, is above 1."""
    least = found["interval"][0] if found["interval"] else found["ratio"]
    return bool(least > 1)


def _describe_needs(kernel: dict[str, Any]) -> list[str]:
    """Returns how many candidates spill, and their occupancy."""
    needs = kernel["needs"]
    found = []
    if needs["spilling"]:
        found.append(f"{needs['spilling']} of {needs['compiled']} candidates spill registers.")
    if needs["occupancy"]:
        low, high = (f"{100 * each:.0f} %" for each in needs["occupancy"])
        found.append(f"The occupancy is {low} to {high} of the most subgroups.")
    return found


def _describe_inert(kernel: dict[str, Any]) -> list[str]:
    return [
        f"{each['knob']} is inert: its options gave byte-equal binaries in all of "
        f"{format_count(each['pairs'], 'pair')}."
        for each in kernel["inert"]["knobs"]
        if each["is_inert"]
    ]


def _describe_property(found: dict[str, Any]) -> str:
    without = found["without"]
    beside = "" if without is None else f", the others {format_factor(without['median'])}"
    return (
        f"Compared with the winner, {found['count']} of {found['of']} other timed candidates have "
        f"{found['property']}; in the median they take {format_factor(found['with']['median'])} "
        f"its time{beside}."
    )


def _choose(row: dict[str, Any], effect: dict[str, Any]) -> Any:
    names = {
        "neighbours of the winner": "at_winner",
        "pairs that differ in the knob alone": "pairs",
        "all trials with the option": "trials",
    }
    return row.get(names.get(effect["evidence"], ""))


def _explain_evidence(effect: dict[str, Any], found: dict[str, Any]) -> str:
    if effect["evidence"] == "neighbours of the winner":
        return "measured, all other knobs equal"
    if effect["evidence"] == "pairs that differ in the knob alone":
        return f"median of {format_count(found['n'], 'pair')} that differ in the knob alone"
    return f"median of {format_count(found['n'], 'trial')}, whose other knobs differ too"


def _first_line(message: str) -> str:
    line = message.partition("\n")[0]
    return line if len(line) <= 200 else f"{line[:200]}..."


def _describe_roofline(roofline: dict[str, Any]) -> str:
    unit = "B/s" if roofline["is_memory"] else "OP/s"
    source = "from" if roofline["is_memory"] else "by"
    where = (
        f"in the data sheet of {roofline['data_sheet']}"
        if roofline["data_sheet"]
        else f"on {format_count(roofline['threads'], 'thread')}"
    )
    return (
        f"The winner reaches {100 * roofline['share']:.3g} % of the machine's limit, "
        f"{format_rate(roofline['share'] * roofline['limit_rate'], unit)} of "
        f"{format_rate(roofline['limit_rate'], unit)} {source} {roofline['limit']} "
        f"{where}: no code can be more than "
        f"{format_factor(1 / roofline['share'])} as fast."
    )


def format_rate(rate: float, unit: str) -> str:
    """Formats a rate: "205 GOP/s"."""
    prefix, scale = next(
        (each for each in (("T", 1e12), ("G", 1e9)) if rate >= each[1]), ("M", 1e6)
    )
    return f"{rate / scale:.3g} {prefix}{unit}"


def _describe_limit(kernel: dict[str, Any]) -> list[str]:
    limit = kernel["limit"]
    sentences = []
    roofline = kernel["roofline"]
    if roofline and roofline["share"]:
        sentences.append(_describe_roofline(roofline))
    if "most_left" in limit:
        sentences.append(
            "No configuration of this search space that was not tried is more than "
            f"{format_factor(limit['most_left'])} as fast as the winner, at 95 %, by a model of "
            "the trials."
        )
    if "winner_bound" in limit:
        sentences.append(
            "No launch of the winner's binary takes less than "
            f"{format_seconds(limit['winner_bound'])} (its time bound, by '{limit['limit']}'). In "
            f"the search it took {format_seconds(limit['winner_seconds'])}: the bound is "
            f"{100 * limit['share_of_bound']:.0f} % of that."
        )
        if limit["at_most"] > 1:
            sentences.append(
                f"The least time bound of {format_count(limit['with_bound'], 'trial')} is "
                f"{format_seconds(limit['least_bound'])}: none of their binaries can be more than "
                f"{format_factor(limit['at_most'])} as fast as the winner. Bounds are optimistic."
            )
    if "share_of_data_sheet" in limit:
        sentences.append(
            "By the chip's data sheet the kernel takes "
            f"{format_seconds(limit['data_sheet_seconds'])}: the winner reaches "
            f"{100 * limit['share_of_data_sheet']:.0f} % of that."
        )
    if not sentences:
        sentences.append("The limit is unknown: nothing in the file bounds the time from below.")
    sentences += [f"{each}." for each in limit["missing"]]
    return sentences
