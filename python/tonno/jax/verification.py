# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verification of configurations against the baseline's outputs.

The baseline is the first configuration that runs. A configuration whose outputs differ is
refused, or only reported. A baseline with NaN or infinities, where another configuration has
finite values, may be the wrong one: then no configuration is chosen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify

from tonno import _core
from tonno.errors import TriedInVain
from tonno.jax.decisions import ConfigTrial, Decision, describe_arguments, shown
from tonno.jax.draws import DRAWS, Draw
from tonno.jax.fingerprints import without_addresses
from tonno.jax.plans import Plan
from tonno.jax.problems import NotTunable
from tonno.trials import Trial

Array = np.ndarray[Any, Any]

_CHUNK = 1 << 22
"""Number of elements that are compared at once, with about 100 bytes each."""


class HostOutputs(NamedTuple):
    """The outputs of one run, in host memory."""

    tree: Any
    """Structure of the outputs, a `PyTreeDef`."""
    paths: list[str]
    """Path of each array in the structure, such as "['sum']"; "" for a lone array."""
    arrays: list[Array]

    @property
    def floats(self) -> list[Array]:
        """Arrays that can contain NaN and infinities."""
        return [a for a in self.arrays if jnp.issubdtype(a.dtype, jnp.inexact)]


class Comparison(NamedTuple):
    """Difference of outputs from the reference's."""

    difference: float
    """Largest error in tolerances; above 1, the results differ. Infinite if structure, shape,
    type or the positions of NaN and infinities differ."""
    reason: str = ""
    """Description of the difference, for `difference` > 1."""
    finite_instead: int = 0
    """Number of elements that are finite where the reference's are not."""


class Deferred(NamedTuple):
    """Outputs that another process keeps until they are compared."""

    fetch: Callable[[], Any]


def to_host(outputs: Any) -> HostOutputs:
    """Copies a function's outputs to host memory."""
    leaves, tree = jax.tree_util.tree_flatten_with_path(outputs, is_leaf=_is_error)
    paths = [jax.tree_util.keystr(path) for path, _ in leaves]
    return HostOutputs(tree, paths, [_array(leaf) for _, leaf in leaves])


def _is_error(node: Any) -> bool:
    return isinstance(node, checkify.Error)


def _array(leaf: Any) -> Array:
    if _is_error(leaf):
        # The numbers in an error differ between traces.
        return np.array(leaf.get() is not None)
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    # An explicit transfer, which jax.transfer_guard allows.
    host: Array = jax.device_get(leaf)
    return host


def get_tolerance(dtype: Any) -> float:
    """Returns the error over the root mean square that a type's precision explains.

    This is the root of the precision: float32 3e-4, float16 0.03, bfloat16 0.09;
    integers and bools must be equal.
    """
    if jnp.issubdtype(dtype, jnp.inexact):
        return float(np.sqrt(float(jnp.finfo(dtype).eps)))
    return 0.0


def nonfinite_count(outputs: HostOutputs) -> int:
    """Returns the number of elements that are NaN or infinite."""
    return sum(
        int(np.count_nonzero(~np.isfinite(chunk)))
        for array in outputs.floats
        for chunk in _chunks(array)
    )


def nonfinite_share(outputs: HostOutputs) -> float:
    """Returns the share of floating-point elements that are NaN or infinite."""
    size = sum(array.size for array in outputs.floats)
    return nonfinite_count(outputs) / size if size else 0.0


def compare(
    found: HostOutputs, reference: HostOutputs, tolerance: float | str | None, name: str
) -> Comparison:
    """Compares outputs with the reference's, which the reason calls `name`.

    The limit of an array's errors is `tolerance` times its root mean square, by default
    `get_tolerance` of its type; a text states errors with units. NaN equals NaN, and an infinity
    equals one of the same sign. Raises `NotTunable` if the text names an output that there is not.
    """
    accepted = _read_tolerance(tolerance, reference.paths)
    if not _is_same_tree(found.tree, reference.tree):
        reason = f"its outputs have another structure than those of {name}"
        return _incomparable(found, reference, reason)
    worst, finite_instead = Comparison(0.0), 0
    for path, a, b, errors in zip(
        found.paths, found.arrays, reference.arrays, accepted, strict=True
    ):
        place = f"its outputs at {path}" if path else "its outputs"
        if a.shape != b.shape or a.dtype != b.dtype:
            reason = f"{place} are {_type(a)}, and {_type(b)} with {name}"
            return _incomparable(found, reference, reason)
        one = _compare_arrays(a, b, errors, place, name)
        finite_instead += one.finite_instead
        if one.difference > worst.difference:
            worst = one
    return worst._replace(finite_instead=finite_instead)


def find_other_bits(found: HostOutputs, reference: HostOutputs, name: str) -> str:
    """Returns how the bytes of outputs differ from the reference's, which the reason calls
    `name`; empty if they don't. Structures, shapes and types are the same."""
    for path, a, b in zip(found.paths, found.arrays, reference.arrays, strict=True):
        unequal = _count_unequal(a, b)
        if unequal:
            place = f"its outputs at {path}" if path else "its outputs"
            return f"{place} have other bits than those of {name} in {unequal} of {a.size} elements"
    return ""


def _count_unequal(a: Array, b: Array) -> int:
    """Returns the number of elements with unequal bytes."""
    if not a.size:
        return 0
    bytes_of_a, bytes_of_b = (
        np.ascontiguousarray(each).reshape(-1).view(np.uint8).reshape(each.size, -1)
        for each in (a, b)
    )
    return int(np.count_nonzero((bytes_of_a != bytes_of_b).any(axis=1)))


def _is_same_tree(found: Any, reference: Any) -> bool:
    try:
        if found == reference:
            return True
    except ValueError:  # metadata without simple equality, such as arrays
        pass
    # Functions and other objects in the metadata are new in each trace.
    return without_addresses(str(found)) == without_addresses(str(reference))


def _type(array: Array) -> str:
    return f"{array.dtype}[{','.join(map(str, array.shape))}]"


def _incomparable(found: HostOutputs, reference: HostOutputs, reason: str) -> Comparison:
    """Returns the comparison of outputs that have no elements in common."""
    lost = nonfinite_count(reference)
    finite_instead = lost if lost and not nonfinite_count(found) else 0
    return Comparison(float("inf"), reason, finite_instead)


class _Accepted(NamedTuple):
    """Errors of one output that are accepted."""

    rms: float = 0.0
    """Over the root mean square."""
    rel: float = 0.0
    """Over the element's magnitude."""
    abs: float = 0.0
    ulps: float = 0.0
    """Over the distance of numbers of the output's type."""
    integers: float = 0.0
    """Absolute error of integers: only by the output's name."""

    def find_limits(self, reference: Array, rms: float, dtype: Any) -> Array:
        """Returns the accepted error of each element, given wide ones."""
        magnitudes = np.abs(reference)
        # Below the least normal number, the distance is constant.
        info = jnp.finfo(dtype)
        exponents = np.frexp(np.maximum(magnitudes, float(info.tiny)))[1]
        ulps = np.ldexp(float(info.eps), exponents - 1)
        limits = np.maximum(self.rel * magnitudes, self.ulps * ulps)
        return np.asarray(np.maximum(limits, max(self.rms * rms, self.abs)))


def _read_tolerance(
    tolerance: float | str | None, paths: Sequence[str]
) -> list[_Accepted | None]:
    """Returns the accepted errors of each output; None: those of its type."""
    if not isinstance(tolerance, str):
        return [None if tolerance is None else _Accepted(tolerance)] * len(paths)
    errors = _core.parse_accepted_errors(tolerance)[1]
    names = [(f"result{place}", path) for place, path in enumerate(paths)]
    known = {name for pair in names for name in pair}
    for output, _, _ in errors:
        if output and output not in known:
            listed = ", ".join(f"{name} {path}".strip() for name, path in names)
            raise NotTunable(f"tolerance names the output {output!r}; the outputs are: {listed}")
    accepted: list[_Accepted | None] = []
    for own in names:
        most: dict[str, float] = {}
        for output, unit, number in errors:
            if not output or output in own:
                most[unit] = max(number, most.get(unit, 0.0))
            if output in own and unit == "abs":
                most["integers"] = max(number, most.get("integers", 0.0))
        accepted.append(_Accepted(**most) if most else None)
    return accepted


def _compare_arrays(
    found: Array, reference: Array, accepted: _Accepted | None, place: str, name: str
) -> Comparison:
    if not jnp.issubdtype(found.dtype, jnp.inexact):
        if accepted and accepted.integers > 0 and found.dtype != bool:
            errors = _subtract_integers(found, reference)
            unequal = int(np.count_nonzero(errors > accepted.integers))
        else:
            unequal = int(np.count_nonzero(found != reference))
        reason = f"{place} differ from those of {name} in {unequal} of {found.size} elements"
        return Comparison(float("inf"), reason) if unequal else Comparison(0.0)
    sums = _Sums()
    # An overflowing sum is compared like an infinity.
    with np.errstate(all="ignore"):
        for a, b in zip(_chunks(found), _chunks(reference), strict=True):
            sums.add(a, b)
    if accepted is None:
        accepted = _Accepted(get_tolerance(found.dtype))
    compared = sums.comparison(accepted.rms, found.size, place, name)
    if compared.difference <= 1 or not sums.is_error_alone or accepted == _Accepted(accepted.rms):
        return compared
    with np.errstate(all="ignore"):
        worst = max(
            _compare_elements(_parts(a), _parts(b), accepted, sums.rms, found.dtype)
            for a, b in zip(_chunks(found), _chunks(reference), strict=True)
        )
    by = f"by {worst:.3g} times the tolerance"
    return Comparison(worst, f"{place} differ from those of {name} {by}" if worst > 1 else "")


def _subtract_integers(a: Array, b: Array) -> Array:
    """Returns the magnitudes of differences, which floats would round."""
    kind = np.uint64 if jnp.issubdtype(a.dtype, jnp.unsignedinteger) else np.int64
    a, b = a.astype(kind), b.astype(kind)
    larger, smaller = (each.astype(np.uint64) for each in (np.maximum(a, b), np.minimum(a, b)))
    return np.asarray(larger - smaller)


def _compare_elements(
    a: Array, b: Array, accepted: _Accepted, rms: float, dtype: Any
) -> float:
    """Returns the largest error in what is accepted for its element."""
    finite = np.isfinite(a) & np.isfinite(b)
    a, b = a[finite], b[finite]
    errors = np.abs(a - b)
    limits = accepted.find_limits(b, rms, dtype)
    ratios = np.where(errors > 0, errors / limits, 0.0)
    return float(ratios.max(initial=0.0))


@dataclasses.dataclass
class _Sums:
    """Partial sums over some elements of two arrays of floats."""

    lost: int = 0
    """Number of elements that are not finite where the reference's are."""
    gained: int = 0
    """Number of elements that are finite where the reference's are not."""
    unlike: int = 0
    """Number of elements of which one is NaN and one infinite, or infinities of two signs."""
    error: float = 0.0
    scale: float = 0.0
    """Largest magnitude of the reference: squares of its elements may overflow."""
    squares: float = 0.0
    """Sum of squares of the reference's elements over `scale`."""
    count: int = 0

    def add(self, a: Array, b: Array) -> None:
        a_finite, b_finite = np.isfinite(a), np.isfinite(b)
        self.lost += int(np.count_nonzero(~a_finite & b_finite))
        self.gained += int(np.count_nonzero(a_finite & ~b_finite))
        common = ~(np.isnan(a) & np.isnan(b)) & (a_finite == b_finite)
        a, b = _parts(a[common]), _parts(b[common])
        finite = np.isfinite(a) & np.isfinite(b)
        self.unlike += int(np.count_nonzero(a[~finite] != b[~finite]))
        a, b = a[finite], b[finite]
        if not b.size:
            return
        self.error = max(self.error, float(np.abs(a - b).max()))
        largest = float(np.abs(b).max())
        if largest > self.scale:
            self.squares *= (self.scale / largest) ** 2
            self.scale = largest
        if self.scale > 0:
            self.squares += float(np.sum((b / self.scale) ** 2))
        self.count += b.size

    @property
    def is_error_alone(self) -> bool:
        """True if NaN and infinities are where they are in the reference."""
        return not (self.gained or self.lost or self.unlike)

    @property
    def rms(self) -> float:
        return self.scale * float(np.sqrt(self.squares / self.count)) if self.count else 0.0

    def comparison(self, allowed: float, size: int, place: str, name: str) -> Comparison:
        infinite, those = float("inf"), f"those of {name}"
        if self.gained:
            instead = f"where {those} are NaN or infinite"
            reason = f"{place} are finite in {self.gained} of {size} elements {instead}"
            return Comparison(infinite, reason, self.gained)
        if self.lost:
            instead = f"where {those} are finite"
            reason = f"{place} are NaN or infinite in {self.lost} of {size} elements {instead}"
            return Comparison(infinite, reason)
        if self.unlike:
            reason = f"{place} have other NaNs and infinities than {those}"
            return Comparison(infinite, f"{reason}, in {self.unlike} of {size} elements")
        if self.error == 0:
            return Comparison(0.0)
        limit = allowed * self.rms
        if limit == 0:
            reason = f"{place} differ from {those} by up to {self.error:.3g}"
            return Comparison(infinite, f"{reason}, and the tolerance is 0")
        difference = self.error / limit
        by = f"by {difference:.3g} times the tolerance"
        return Comparison(difference, f"{place} differ from {those} {by}")


def _chunks(array: Array) -> Iterator[Array]:
    """Yields the elements in a wide type, in chunks, since all of them may fill the memory."""
    flat = array.reshape(-1)
    for begin in range(0, flat.size, _CHUNK):
        yield _wide(flat[begin : begin + _CHUNK])


def _wide(array: Array) -> Array:
    is_complex = jnp.issubdtype(array.dtype, jnp.complexfloating)
    return array.astype(np.complex128 if is_complex else np.float64)


def _parts(array: Array) -> Array:
    """Returns real and imaginary parts as elements, since one of them may be infinite."""
    return array.view(np.float64)


_SILENT = 'outputs="ignore" compares nothing'
ADVICE = f"tolerance= states how far outputs may differ from the baseline's; {_SILENT}"


class OutputWarning(UserWarning):
    """Configurations of a function have different outputs."""


class OutputError(TriedInVain, NotTunable):
    """The baseline has NaN or infinities where other configurations have finite values."""


class WrongOutputs(Exception):
    """The outputs of a configuration are refused."""

    status = "wrong"


class OtherBits(WrongOutputs):
    """The outputs of a configuration are right, but have other bits than the baseline's."""

    status = "different_bits"


class Verification:
    """Compares the outputs of the configurations of one sweep."""

    def __init__(self, plan: Plan) -> None:
        self._mode = plan.outputs
        self._tolerance = plan.tolerance
        self._needs_same_bits = plan.bits == "same"
        self.draws = list(DRAWS) if self._needs_same_bits else []
        """Draws of arguments on which bits are compared, too."""
        self.uncompared: dict[Draw, str] = {}
        """Draws on which some bits were not compared, with the first reason."""
        self._drawn: dict[Draw, HostOutputs] = {}
        """The baseline's outputs on them."""
        self._baseline: ConfigTrial | None = None
        self._reference: HostOutputs | None = None
        self.is_undecidable = False
        """True if another configuration's outputs are finite where the baseline's are not, and
        outputs that differ are refused."""

    @property
    def has_reference(self) -> bool:
        """Returns True if the baseline's outputs are known, or none are compared."""
        return self._mode == "ignore" or self._reference is not None

    def check(self, trial: ConfigTrial, found: Any) -> None:
        """Compares the outputs of a run, the first or a later one of a configuration.

        Raises WrongOutputs if they are refused, OtherBits for their bits alone.
        """
        if self._mode == "ignore":
            return
        host = to_host(found.fetch() if isinstance(found, Deferred) else found)
        if self._reference is None or self._baseline is None:
            self._baseline, self._reference = trial, host
            trial.difference, trial.nonfinite = 0.0, nonfinite_share(host)
            _read_tolerance(self._tolerance, host.paths)
            return
        is_first = trial.difference is None
        if is_first and self._baseline.nonfinite:
            trial.nonfinite = nonfinite_share(host)
        is_baseline = trial is self._baseline
        name = "its first run" if is_baseline else shown(self._baseline.config)
        found_now = compare(host, self._reference, self._tolerance, name)
        if found_now.difference > 1 and not trial.differs:
            trial.reason = found_now.reason if is_first else f"in a later run, {found_now.reason}"
        trial.difference = max(trial.difference or 0.0, found_now.difference)
        if not is_baseline:
            trial.finite_instead = max(trial.finite_instead, found_now.finite_instead)
        if self._mode != "refuse":
            return
        self.is_undecidable |= trial.finite_instead > 0
        if self.is_undecidable or found_now.difference > 1:
            raise WrongOutputs(trial.reason or "the outputs are the baseline's")
        if self._needs_same_bits:
            reason = find_other_bits(host, self._reference, name)
            if reason:
                raise OtherBits(reason if is_first else f"in a later run, {reason}")

    def knows(self, draw: Draw) -> bool:
        """Returns True if the baseline's outputs on the draw are known."""
        return draw in self._drawn

    def take(self, draw: Draw, found: Any) -> None:
        """Takes the baseline's outputs on a draw. If some are not finite, the function may not
        take such arguments, and the draw is left out."""
        host = to_host(found.fetch() if isinstance(found, Deferred) else found)
        if nonfinite_count(host):
            self.leave_out(draw, "the baseline's outputs are not finite")
        else:
            self._drawn[draw] = host

    def leave_out(self, draw: Draw, reason: str) -> None:
        self.draws = [each for each in self.draws if each != draw]
        self.note_uncompared(draw, reason)

    def note_uncompared(self, draw: Draw, reason: str) -> None:
        """Notes why bits of a configuration, or of all, were not compared on a draw."""
        self.uncompared.setdefault(draw, reason)

    def check_bits(self, draw: Draw, found: Any) -> None:
        """Compares the bits of a run on a draw. Raises OtherBits."""
        assert self._baseline is not None
        host = to_host(found.fetch() if isinstance(found, Deferred) else found)
        reason = find_other_bits(host, self._drawn[draw], shown(self._baseline.config))
        if reason:
            raise OtherBits(f"on {draw.name}, {reason}")

    def error(self, name: str, trials: Sequence[ConfigTrial], arguments: str) -> OutputError:
        """Returns the error of an undecidable sweep; `arguments` names the arguments that it
        timed on."""
        assert self._baseline is not None
        compared = [trial for trial in trials if trial.difference is not None]
        lines = [
            f"{name}: no configuration is chosen, since the baseline "
            f"{shown(self._baseline.config)} gives NaN or infinities where others give finite "
            f"values. On the same {arguments}, outputs are NaN or infinite:",
            *(f"  {shown(trial.config)}: {100 * trial.nonfinite:.3g} %" for trial in compared),
            "Remove the configurations that are wrong for arguments of these shapes, such as "
            "blocks larger than an array, or pass the tunable parameters explicitly. The "
            "baseline is the signature's defaults if they are among the configurations, else "
            f'the first. outputs="warn" chooses the fastest and warns, {_SILENT}.',
        ]
        tried = [Trial(t.config, t.status, None, t.reason) for t in trials]
        return OutputError("\n".join(lines), tried)


def of_sweep(
    name: str, winner: ConfigTrial, trials: Sequence[ConfigTrial], arguments: str
) -> tuple[list[str], list[Warning]]:
    """Returns the notes and warnings of a sweep on `arguments`, unless it raised."""
    notes = _findings([trial for trial in trials if trial.status in ("ok", "pruned")], trials)
    advice = f'outputs="refuse" chooses no such configuration, {_SILENT}'
    if not notes:
        notes, advice = _doubts([winner], trials, arguments)
    if not notes:
        return [], []
    return notes, [OutputWarning(f"{name}: {'; '.join(notes)}. {advice}")]


def of_earlier(name: str, decision: Decision) -> list[Warning]:
    """Returns the warning of a cached winner whose outputs differ."""
    winners = [trial for trial in decision.trials if trial.config == decision.config]
    notes = _findings(winners, decision.trials)
    advice = f'outputs="refuse" tunes it again, {_SILENT}'
    if decision.source == "file":
        advice = f"Delete the entry to tune it again; {_SILENT}"
    if not notes:
        notes, advice = _doubts(winners, decision.trials, describe_arguments(decision.inputs))
    if not notes:
        return []
    config = shown(decision.config)
    found = "; ".join(note.removeprefix(f"{config}: ") for note in notes)
    return [OutputWarning(f"{name}: {config} is used from the cache; {found}. {advice}")]


def _findings(chosen: Sequence[ConfigTrial], trials: Sequence[ConfigTrial]) -> list[str]:
    """Returns the problems of the baseline, and of the outputs of `chosen`."""
    notes = []
    finite = [trial for trial in trials if trial.finite_instead]
    if finite:
        baseline = next(trial for trial in trials if trial.difference is not None)
        first = shown(finite[0].config)
        many = f"{len(finite)} configurations, such as {first}, give"
        notes.append(
            f"{many if len(finite) > 1 else f'{first} gives'} finite values where the baseline "
            f"{shown(baseline.config)} gives NaN or infinities"
        )
    wrong = [t for t in chosen if t.differs and not t.finite_instead]
    if wrong:
        # The reason of a pruned trial is its time.
        reason = "" if wrong[0].status == "pruned" else wrong[0].reason
        reason = reason or "its outputs differ from the baseline's"
        more = f"; {len(wrong) - 1} more differ as well" if len(wrong) > 1 else ""
        notes.append(f"{shown(wrong[0].config)}: {reason}{more}")
    return notes


def _doubts(
    winners: Sequence[ConfigTrial], trials: Sequence[ConfigTrial], arguments: str
) -> tuple[list[str], str]:
    """Returns why a winner with the baseline's outputs may be wrong, and the remedy."""
    for winner in winners:
        if winner.nonfinite >= 1:
            config = shown(winner.config)
            note = f"every output of {config} is NaN or infinite on {arguments}"
            return [note], f"A block larger than an array gives NaN; {_SILENT}"
    compared = [trial for trial in trials if trial.difference is not None]
    others = len(compared) - 1
    if others > 1 and sum(trial.differs for trial in compared[1:]) == others:
        baseline = shown(compared[0].config)
        note = f"the outputs of all {others} others differ from those of the baseline {baseline}"
        return [note], f"The baseline may be the wrong one; {_SILENT}"
    return [], ""
