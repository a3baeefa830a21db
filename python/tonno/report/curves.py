# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Best so far, and the places of the samples in the space."""

from __future__ import annotations

from typing import Any

import numpy as np

from tonno.report.table import TrialTable


def compute_curves(table: TrialTable) -> list[dict[str, Any]]:
    """Returns, for each session, the points at which the best ratio improves, and the last one.

    Trials that were not run, bounded or recalled, do not count.
    """
    curves = []
    for number, session in enumerate(table.sessions):
        points: list[dict[str, Any]] = []
        best, count, seconds = np.inf, 0, 0.0
        for trial in session.trials:
            count += trial.is_run
            seconds = max(seconds, trial.session_seconds or 0.0)
            if trial.status == "ok" and trial.ratio is not None and trial.ratio < best:
                best = trial.ratio
                points.append({"trial": count, "seconds": seconds, "ratio": best})
        if points:
            points.append({"trial": count, "seconds": seconds, "ratio": best})
        has_time = any(trial.session_seconds is not None for trial in session.trials)
        curves.append({"session": number, "has_time": has_time, "points": points})
    return curves


def project(table: TrialTable) -> dict[str, Any] | None:
    """Returns two principal components of the configurations of all sessions.

    The features of a knob of numbers are the ranks of its options, from 0 to 1, of other knobs a
    column for each option. None if all configurations are equal.
    """
    columns = []
    for index, knob in enumerate(table.knobs):
        codes = table.codes[:, index]
        is_number = all(
            isinstance(each, (int, float)) and not isinstance(each, bool) for each in knob.options
        )
        if is_number or len(knob.options) == 2:
            columns.append(codes / max(1, len(knob.options) - 1))
        else:
            columns += [(codes == code) / np.sqrt(2) for code in range(len(knob.options))]
    if not columns or len(table.trials) < 2:
        return None
    features = np.column_stack(columns)
    centred = features - features.mean(0)
    _, singular, axes = np.linalg.svd(centred.T @ centred)
    total = singular.sum()
    if total <= 0:
        return None
    axes = axes[:2] if len(axes) > 1 else np.vstack([axes, np.zeros_like(axes)])
    # The sign of an axis is arbitrary: the largest weight is positive.
    signs = np.sign(axes[np.arange(2), np.abs(axes).argmax(1)])
    places = centred @ (axes * np.where(signs == 0, 1, signs)[:, None]).T
    shares = [*(singular / total).tolist(), 0.0]
    return {
        "shares": [float(share) for share in shares[:2]],
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
    }
