# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decorator `autotune` and the tuned function."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import inspect
import pathlib
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import jax

from tonno.errors import AllFailed, Error
from tonno.jax import failures, messages, verification
from tonno.jax.arguments import get_sources
from tonno.jax.cache import Instances, Store
from tonno.jax.decisions import DEFAULT, ConfigTrial, Decision, named_key, shown
from tonno.jax.defaults import Defaults
from tonno.jax.dimensions import shown as shown_sizes
from tonno.jax.fingerprints import without_addresses
from tonno.jax.inputs import Inputs, Option, checked_inputs
from tonno.jax.locks import problem_lock
from tonno.jax.messages import log
from tonno.jax.plans import Contract, Plan, check_name, make_contract, make_plan
from tonno.jax.problems import (
    CannotTime,
    NotTunable,
    Problem,
    check_agreement,
    check_processes,
    find_bucket,
    find_unnamed,
    is_gone,
    make_call_key,
    make_problem,
)
from tonno.jax.sweeps import Sweep
from tonno.jax.verification import OutputError
from tonno.modes import Mode, mode_in_force
from tonno.space import SearchSpace
from tonno.trials import Configuration


class Arguments(NamedTuple):
    """Arguments of a call, for `tune`; arrays may be `jax.ShapeDtypeStruct`s."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = types.MappingProxyType({})


class Autotuned:
    """A jitted function that chooses its tunable parameters.

    It is called like the original function, also under jit, grad, vmap, scan and by several
    threads. A call that passes a tunable parameter, and all calls under `jax.disable_jit`, are
    not tuned.
    """

    __name__: str
    __qualname__: str

    def __init__(self, contract: Contract, plan: Plan, inputs: Inputs | None) -> None:
        functools.update_wrapper(self, contract.jitted)
        self._contract = contract
        self._plan = plan
        self._inputs = inputs
        self._decisions: dict[Hashable, Decision] = {}
        self._defaults = Defaults(contract)
        self._calls: dict[Hashable, Configuration] = {}
        """Configurations by mode and call; empty for the defaults."""
        self._unnamed: set[tuple[str, str]] = set()
        """Parameters and dimensions that were warned of."""
        self._given_up: dict[Hashable, str] = {}
        """Reason why a bucket has no decision."""
        self._instances = Instances()
        self._store = Store(plan, contract.name, contract.jitted)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._contract.jitted(*args, **kwargs, **self._chosen(args, kwargs))

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else BoundAutotuned(self, instance)

    def __repr__(self) -> str:
        return f"<autotuned {self._contract.name} over {', '.join(self._contract.tunables)}>"

    def __reduce__(self) -> str:
        # Compared by name, as functions are.
        return self.__qualname__

    def lower(self, /, *args: Any, **kwargs: Any) -> Any:
        """As `jax.jit`'s method, with the winner."""
        return self._contract.jitted.lower(*args, **kwargs, **self._chosen(args, kwargs))

    def trace(self, /, *args: Any, **kwargs: Any) -> Any:
        """As `jax.jit`'s method, with the winner."""
        return self._contract.jitted.trace(*args, **kwargs, **self._chosen(args, kwargs))

    def eval_shape(self, /, *args: Any, **kwargs: Any) -> Any:
        """As `jax.jit`'s method; tries nothing."""
        return self._contract.jitted.eval_shape(*args, **kwargs)

    def clear_cache(self) -> None:
        """As `jax.jit`'s method: drops compiled programs, but keeps decisions."""
        self._contract.jitted.clear_cache()

    def tune(
        self,
        calls: Iterable[Arguments | tuple[Any, ...]],
        again: bool = False,
        inputs: Option = None,
    ) -> list[Decision]:
        """Decides for each of the calls, before they are made.

            matmul.tune([(jax.ShapeDtypeStruct((n, n), "float32"),) * 2 for n in sizes])

            calls: tuples of positional arguments, or `Arguments`
            again: True to replace decisions that exist
            inputs: overrides the decorator's inputs=, such as "call" for the arrays of the calls

        In mode `cached`, nothing is measured: calls without a cached decision get the defaults,
        with a warning. In mode `off`, all calls get the defaults (`Decision.source` is
        `default`).

        Raises TypeError for arguments that do not fit the function, or that pass a tunable
        parameter; `tonno.jax.NotTunable` for calls that can't be timed; and otherwise as the call
        would.
        """
        mode = mode_in_force(self._plan.mode)
        own = self._inputs if inputs is None else checked_inputs(inputs, self._contract)
        problems = (self._problem(call, own) for call in calls)
        return [copy.deepcopy(self._tuned(problem, mode, again)) for problem in problems]

    def explain(self, /, *args: Any, **kwargs: Any) -> str:
        """Reports the decision for a call, its reason and time, and the mode; tries nothing.

        Without arguments, reports all decisions of this process. Raises TypeError for arguments
        that do not fit the function.
        """
        passed = self._passed(args, kwargs)
        if passed:
            return f"{self.__name__}: not tuned where {', '.join(passed)} is passed"
        mode = mode_in_force(self._plan.mode)
        if mode.is_off:
            return f"{self.__name__}: {self._defaults}, as in {mode.description}"
        told = f"\n  {mode.description}" if mode.description else ""
        if not args and not kwargs and self.decisions:
            return "\n".join(f"{self.__name__}: {d}" for d in self.decisions) + told
        try:
            problem = make_problem(self._contract, args, kwargs, self._inputs)
        except CannotTime as error:
            return f"{self.__name__}: {self._defaults}, as the call cannot be timed: {error}"
        if problem is None and not args and not kwargs:
            return f"{self.__name__}: nothing was decided yet"
        if problem is None:
            raise self._no_call(args, kwargs)
        find = self._store.find
        found = self._look_up(problem, lambda p: self._decisions.get(p.identity) or find(p))
        found = found or self._defaults.get(problem)
        key = named_key(problem.sizes, problem.key)
        bucket, _ = self._bucket(problem)
        timed = bucket if bucket and found and bucket.key == found.key else problem
        if found and mode.measures and not self._is_as_asked(timed, found):
            told = f"\n  a call with these arguments is tuned again, on what inputs= gives{told}"
        if found is None:
            return f"{self.__name__}: not tuned yet for {key}{self._kept(bucket or problem)}{told}"
        return f"{self.__name__}: {found}{told}"

    def _kept(self, problem: Problem) -> str:
        """Reports the trials of an interrupted sweep, if there are any."""
        count = self._store.file().count_kept_trials(*self._key_of_sweep(problem))
        if count == 0:
            return ""
        return (
            f"; {count} trials of an interrupted sweep are kept, and the next call resumes it "
            "unless the function or the options have changed"
        )

    @property
    def decisions(self) -> list[Decision]:
        """Decisions of this process, in order. They are copies: changing one has no effect."""
        return copy.deepcopy([*self._decisions.values(), *self._defaults.decisions])

    def _problem(
        self, call: Arguments | tuple[Any, ...], inputs: Inputs | None
    ) -> Problem:
        if not isinstance(call, (tuple, list)):
            raise TypeError(
                f"tune takes a list of calls, each a tuple of its arguments, such as "
                f"{self.__name__}.tune([(x, y)]); one of them is a {type(call).__name__}"
            )
        given = call if isinstance(call, Arguments) else Arguments(tuple(call))
        passed = self._passed(given.args, given.kwargs)
        if passed:
            raise TypeError(
                f"a call that passes {', '.join(passed)} has nothing to tune; leave them out of "
                f"{self.__name__}.tune"
            )
        problem = make_problem(self._contract, given.args, dict(given.kwargs), inputs)
        if problem is None:
            raise self._no_call(given.args, given.kwargs)
        return problem

    def _no_call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> TypeError:
        """Raises the error that tracing raises for a call, or returns a TypeError."""
        self._contract.jitted.trace(*args, **kwargs)
        return TypeError(f"no call of {self.__name__}: {Arguments(args, kwargs)}")

    def _passed(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[str]:
        """Returns the tunable parameters that a call passes itself."""
        given = self._contract.positional[: len(args)]
        return [name for name in self._contract.tunables if name in given or name in kwargs]

    def _chosen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Configuration:
        contract = self._contract
        if self._passed(args, kwargs) or jax.config.jax_disable_jit:
            return {}
        mode = mode_in_force(self._plan.mode)
        if mode.is_off:
            return {}
        try:
            call = mode.name, make_call_key(contract, args, kwargs)
            known = self._calls.get(call)
        except TypeError:
            return {}  # jax.jit reports the error best
        if known is None:
            try:
                problem = make_problem(contract, args, kwargs, self._inputs)
            except CannotTime as error:
                self._calls[call] = {}
                self._defaults.take_unknown(call, (args, kwargs), error)
                return {}
            if problem is None:
                return {}
            decision = self._decided(problem, mode)
            known = {} if decision.source == DEFAULT else decision.config
            # A trace may be where nothing can be timed, or have no arrays to time on; a later
            # call may be elsewhere, or have them.
            is_final = decision.source != DEFAULT and not (self._inputs and self._inputs.is_call)
            if is_final or not problem.is_traced:
                self._calls[call] = known
        return known

    def _decided(self, problem: Problem, mode: Mode) -> Decision:
        """Returns the decision for a call, or the decision for the defaults."""
        if not mode.measures or self._defaults.is_untimed(problem):
            return self._known(problem, mode)
        try:
            return self._decide(problem)
        except CannotTime as error:
            return self._defaults.take_untimed(problem, error)

    def _tuned(self, problem: Problem, mode: Mode, again: bool) -> Decision:
        """Returns the decision of a call that is passed to `tune`."""
        if mode.measures:
            return self._decide(problem, again)
        if mode.is_off:
            return self._defaults.decision(problem, mode.description)
        return self._known(problem, mode)

    def _known(self, problem: Problem, mode: Mode) -> Decision:
        """Returns the decision of this or an earlier process, or the defaults, without measuring.
        """
        known = self._look_up(problem, self._held)
        if known is not None:
            return known
        before = self._defaults.get(problem)
        if before is not None:
            return before
        check_agreement(problem)
        bucket, _ = self._bucket(problem)
        return self._defaults.take_uncached(problem, bucket, mode)

    def _held(self, problem: Problem) -> Decision | None:
        """Returns the decision of this or an earlier process, and remembers it."""
        with problem_lock((id(self), problem.identity)):
            known = self._decisions.get(problem.identity) or self._earlier(problem)
            return known and self._remembered(problem, known)

    def _decide(self, problem: Problem, again: bool = False) -> Decision:
        """Returns the bucket's decision if it is legal at the call's sizes, else the call's own.
        """
        bucket, why = self._bucket(problem)
        if bucket is None and not why:
            return self._decide_alone(problem, again)
        self._plan.at(problem.sizes)  # raises if nothing is legal
        if bucket is not None:
            self._warn_of_unnamed(problem, bucket)
            shared, why = self._decide_bucket(bucket, again)
            if shared is not None:
                why = self._why_not_shared(problem, bucket, shared)
                if not why:
                    return shared
        own = self._decide_alone(problem, again)
        if why in own.notes:
            return own
        own = dataclasses.replace(own, notes=(*own.notes, why))
        self._decisions[problem.identity] = own
        return own

    def _bucket(self, problem: Problem) -> tuple[Problem | None, str]:
        """Returns the call's bucket; or None, and the reason if the call should have a bucket."""
        try:
            return find_bucket(problem, self._plan.bucket), ""
        except NotTunable as error:
            return None, f"decided on its own, as {error}"

    def _warn_of_unnamed(self, problem: Problem, bucket: Problem) -> None:
        """Warns, once for each, of arrays that a bucket leaves at the size of the call."""
        for parameter, name in find_unnamed(problem, bucket):
            if (parameter, name) not in self._unnamed:
                self._unnamed.add((parameter, name))
                messages.warn(
                    f"{self._contract.name}: dims= leaves out {parameter!r}, which has an axis of "
                    f"{problem.sizes[name]} like dimension {name!r}; calls of the bucket are "
                    f"tuned at {name}={bucket.sizes[name]}, with {parameter!r} as it is; name "
                    "its axes in dims="
                )

    def _decide_bucket(self, bucket: Problem, again: bool) -> tuple[Decision | None, str]:
        """Returns the bucket's decision, or None and the reason."""
        known = None if again else self._known_as_asked(bucket)
        if known is not None:
            return known, ""
        why = "" if again else self._given_up.get(bucket.identity, "")
        try:
            why = why or bucket.why_untraceable(self._plan.at(bucket.sizes).baseline)
            if not why:
                return self._decide_alone(bucket, again), ""
        except OutputError:
            raise
        except (AllFailed, Error, NotTunable) as error:
            why = str(error).splitlines()[0]
        self._given_up[bucket.identity] = why
        sizes = shown_sizes(bucket.sizes)
        return None, f"decided on its own, as no decision was possible for {sizes}: {why}"

    def _why_not_shared(self, problem: Problem, bucket: Problem, shared: Decision) -> str:
        """Returns why a bucket's decision does not hold for a call; empty if it does."""
        if self._plan.at(problem.sizes).has(shared.config):
            return ""
        return (
            f"decided on its own, as a constraint refuses {shown(shared.config)}, the winner "
            f"for {shown_sizes(bucket.sizes)}"
        )

    def _look_up(
        self, problem: Problem, find: Callable[[Problem], Decision | None]
    ) -> Decision | None:
        """Finds the decision that a call would use: its bucket's or its own."""
        plan, (bucket, _) = self._plan.at(problem.sizes), self._bucket(problem)
        if bucket is not None and bucket.identity not in self._given_up:
            with contextlib.suppress(Error):  # nothing may be legal for the bucket
                shared = find(bucket)
                if shared is not None and plan.has(shared.config):
                    return shared
        return find(problem)

    def _decide_alone(self, problem: Problem, again: bool = False) -> Decision:
        if not problem.is_stable:
            check_processes(problem)  # other processes do not know a decision of this one
        identity, file = problem.identity, self._store.file()
        mine = id(self), identity
        known = None if again else self._known_as_asked(problem)
        if known is not None:
            return known
        state, earlier = file.state(), None
        if not again:
            with problem_lock(mine):
                known = self._known_as_asked(problem)
                earlier = known or self._earlier_as_asked(problem)
                if earlier is not None and (known or not self._to_retry(problem, earlier)):
                    return self._remembered(problem, earlier)
        # The process's own first, with no lock held: threads that hold it may wait for ours.
        with self._sweeping(problem) as lock, problem_lock(mine):
            known = self._known_as_asked(problem)
            if known is not None and not again:
                return known
            # Another process, or a function of the same name, may have decided meanwhile.
            if not again and file.state() != state:
                earlier = self._earlier_as_asked(problem)
            return self._remembered(problem, self._found(problem, earlier, lock))

    def _remembered(self, problem: Problem, decision: Decision) -> Decision:
        """Warns, once, if the winner of an earlier process has other outputs."""
        self._forget_the_gone()
        before = self._decisions.get(problem.identity)
        self._decisions[problem.identity] = decision
        was_default = self._defaults.forget(problem)
        if was_default or (before is not None and before is not decision):
            self._calls.clear()
        is_of_file = decision.source != "sweep" and self._plan.outputs != "ignore"
        if before is not decision and is_of_file:
            for warning in verification.of_earlier(self._contract.name, decision):
                messages.warn(warning)
        return decision

    def _forget_the_gone(self) -> None:
        """Drops decisions for objects that no longer exist."""
        for call in [call for call in list(self._calls) if is_gone(call)]:
            self._calls.pop(call, None)
        for identity in [known for known in list(self._decisions) if is_gone(known)]:
            self._decisions.pop(identity, None)
        self._defaults.forget_the_gone()

    def _earlier(self, problem: Problem) -> Decision | None:
        """Returns the decision of another process, or for an equivalent object."""
        find = self._store.find if problem.is_stable else self._instances.find
        return find(problem)

    def _known_as_asked(self, problem: Problem) -> Decision | None:
        """Returns the decision of this process, if it was timed on the values of inputs=."""
        known = self._decisions.get(problem.identity)
        return known if known is not None and self._is_as_asked(problem, known) else None

    def _earlier_as_asked(self, problem: Problem) -> Decision | None:
        """Returns the result of `_earlier`, if it was timed on the values of inputs=."""
        earlier = self._earlier(problem)
        if earlier is None or self._is_as_asked(problem, earlier):
            return earlier
        log.info("%s: tuned again, since inputs= returns other arrays", self._contract.name)
        return None

    def _is_as_asked(self, problem: Problem, decision: Decision) -> bool:
        """Returns True if a decision was timed on the values that inputs= gives for the problem,
        or on more. Entries made by hand and defaults always hold."""
        if decision.source in ("file", DEFAULT):
            return True
        wanted = get_sources(problem)
        return all(decision.inputs.get(name) == source for name, source in wanted.items())

    def _to_retry(self, problem: Problem, earlier: Decision) -> list[Configuration]:
        file = self._store.file()
        # If nothing can be stored, all processes would try again forever; and of several
        # processes, one may have traced with the stored entry. Entries made by hand hold.
        if earlier.source == "file":
            return []
        if not problem.is_stable or not file.is_writable() or jax.process_count() > 1:
            return []
        # If other arrays were timed, such as outside of this trace, times differ.
        if earlier.inputs != get_sources(problem):
            return []
        return failures.to_retry(earlier, file.folder)

    def _sweeping(
        self, problem: Problem
    ) -> contextlib.AbstractContextManager[pathlib.Path | None]:
        # If each process must tune for itself, beside others that do: the lock is not for the
        # decision, but for the record of what a process dies of.
        device, key = self._key_of_sweep(problem)
        return self._store.file().sweeping(device, key, waits=problem.is_stable)

    def _key_of_sweep(self, problem: Problem) -> tuple[str, str]:
        key = problem.key if problem.is_stable else without_addresses(problem.key)
        return problem.device.device_kind, key

    def _found(
        self, problem: Problem, earlier: Decision | None, lock: pathlib.Path | None
    ) -> Decision:
        if earlier is None:
            return self._swept(problem, self._plan.at(problem.sizes), lock)
        failed = self._to_retry(problem, earlier)
        return self._retried(problem, earlier, failed, lock) if failed else earlier

    def _retried(
        self,
        problem: Problem,
        stored: Decision,
        failed: list[Configuration],
        lock: pathlib.Path | None,
    ) -> Decision:
        """Returns the decision of an earlier process, after trying again what failed there."""
        plan = failures.make_retry_plan(self._plan.at(problem.sizes), stored, failed)
        name = self._contract.name
        log.info("%s: trying again configurations that failed in an earlier process", name)
        try:
            return self._swept(problem, plan, lock, stored.trials)
        except OutputError:
            raise  # The baseline of the stored winner may be wrong.
        except (AllFailed, NotTunable) as error:
            log.info("%s: not tuned now: %s", name, error)
            return stored

    def _swept(
        self,
        problem: Problem,
        plan: Plan,
        lock: pathlib.Path | None,
        earlier: Sequence[ConfigTrial] = (),
    ) -> Decision:
        sweep = Sweep(problem, plan, lock)
        decision, failed = failures.noted(self._contract.name, sweep.run(), earlier)
        # Warnings come last: if they are turned into errors, the next call knows the decision.
        self._remembered(problem, decision)
        if not problem.is_stable:
            self._instances.keep(problem, decision)
        self._store.keep(problem, decision)
        sweep.forget()
        for warning in (*sweep.warnings, *failed):
            messages.warn(warning)
        return decision


def autotune(
    configs: Iterable[Mapping[str, Any]] | None = None,
    *,
    space: SearchSpace | Mapping[str, Iterable[Any]] | None = None,
    constraints: Iterable[str] = (),
    dims: Mapping[str, Sequence[str]] = types.MappingProxyType({}),
    bucket: Mapping[str, Any] = types.MappingProxyType({}),
    inputs: Option = None,
    num_warmup: int = 1,
    num_timing: int = 3,
    protocol: str = "median",
    outputs: str = "refuse",
    tolerance: float | str | None = None,
    bits: str = "free",
    budget_trials: int = 60,
    budget_seconds: float | None = None,
    strategy: str = "ensemble",
    seed: int = 0,
    name: str | None = None,
    compile_seconds: float | None = None,
    limit_seconds: float = 300.0,
    isolate: bool = False,
    mode: str | None = None,
) -> Callable[[Callable[..., Any]], Autotuned]:
    """Finds the fastest values of a jitted function's static parameters.

        @autotune(configs=[{"BM": 32}, {"BM": 64}])
        @jax.jit(static_argnames=["BM"])
        def scale(x, BM: int = 32): ...

    Search space:

        configs: dicts of the same keys, all of which are tried
        space: knobs from which the search proposes `budget_trials` configurations; give either
            `configs` or `space`
        constraints: conditions that each configuration satisfies, as of `tonno.SearchSpace`
        dims: names of arrays' axes by parameter, {"a": ("M", "K"), "b": ("K", "N")}; constraints
            use them as constants of the call, as in "M mod BM == 0", and reports print them
        bucket: dimensions whose sizes share a decision: {"M": "pow2"} up to the next power of
            two; {"M": [16, 64, 256]} up to the next bound, sizes above the last one are in no
            bucket; or a function from a size to the size to tune at

    A call without a legal configuration raises `tonno.Error`. A bucket is tuned on arrays of its
    upper size. If no such arrays can be made, or if a constraint rejects the winner at the call's
    own sizes, the call gets a decision of its own, with a note.

    Arrays to time on, if times depend on values, such as on lengths:

        inputs: a dict of arrays by parameter, {"lengths": array}; a tuple of positional
            arguments; a function that is called like this one, with a `jax.ShapeDtypeStruct`
            for each array, and returns such a dict or tuple; or "call" for the call's own
            arrays, which a trace does not have
        seed: of made-up arrays and of the search

    By default, all arrays are made up; integers are 0 to 7. Arguments that `inputs` omits, and
    each `jax.ShapeDtypeStruct`, are made up, too. A decision's notes state the arrays it was
    timed on. Arrays of other shapes or types than the call's raise `tonno.jax.NotTunable`.

    Measurement:

        protocol: "median" times one configuration after the other; "paired" is tonno's own
            protocol, slower, for differences that noise would hide: samples paired with the
            baseline's until they are clear, finals, and a test
        num_warmup: runs of each configuration that don't count, and two more if they are short
        num_timing: runs whose median counts, under "median"
        budget_seconds: no configuration begins after this time, and the best so far wins; the
            baseline is always timed; by default there is no limit
        compile_seconds: limit of compiling a configuration; by default 60 and, once five are
            compiled, 20 times the slowest, at least 10
        limit_seconds: limit of a configuration's first run

    The baseline is the signature's defaults if they are among the configurations, else the first
    one. A winner that is not clearly faster than the baseline is not taken. If medians overlap,
    up to four configurations run again in turn, for at most as long as all ran before; their
    fastest runs choose one, and a note says so.

    Correctness and failures:

        outputs: "refuse" configurations whose outputs differ from the baseline's, only "warn" of
            them, or "ignore" outputs
        tolerance: limit of errors over the root mean square, by default the root of the type's
            precision; or a text with other units and outputs, as of `--tolerance`: "1e-3rel",
            "4ulps", "result0=1e-6abs,result1=1e-3". An output is called result0, result1, ... in
            the order of the leaves, or by its path, such as "['sum']". An element is right if one
            of the errors accepts it; integers take absolute ones, by name
        bits: "same" also refuses configurations whose outputs have other bytes than the
            baseline's, with status `different_bits`; "free" does not. They are compared on the
            arrays that are timed and, unless the function has a `while` loop, on these with
            floats in another order, and with other signs and powers of two. `explain()` states what the fastest of them took in its first run
        isolate: True runs the configurations in a child process, where a crash or a hang is one
            failed configuration, and the limits end runs that exceed them

    NaN and infinities must be in the same positions; integers and bools must be equal. The
    winner's last run is compared, too. A warning lists failed configurations. The next process
    tries a failure that may be temporary, such as lack of memory, once more. A run that exceeds
    `limit_seconds` raises `tonno.jax.HangError`, because it can't be stopped; later processes
    skip its configuration, and also one that crashed a process. A function that can't be sent to
    a child process raises NotTunable: it calls back into this process, uses a jax.Ref or an FFI
    target, or runs on several devices. The function runs for each configuration, with its prints
    and callbacks.

    Cache:

        name: of the cache's file; by default the function's qualified name
        mode: "tune"; "cached" measures nothing, and without a cached decision takes the
            signature's defaults with a `tonno.UntunedWarning`, once for each problem; "off" takes
            the defaults and reads no cache; by default $TONNO_MODE, else "tune"

    After Ctrl-C, or after this process dies, the next call resumes with the configurations that
    were not timed yet.

    A call that runs but can't be timed where it is made takes the defaults, with a warning that
    names the remedy: a call that needs the trace around it, such as names of axes; one with a
    `jax.Ref` or symbolic shapes; and one for which there is too little memory. `tune` raises
    `tonno.jax.NotTunable` for it.

    Raises ValueError for no or unequal configurations, counts out of range and an unknown mode;
    when applied, TypeError for a function that can't be tuned. A call raises `tonno.AllFailed`, a
    RuntimeError, if no configuration works; `tonno.jax.NotTunable`, also a RuntimeError, if
    several processes can't agree or `isolate` is impossible; and `tonno.jax.OutputError`, a
    NotTunable, if outputs are refused and the baseline has NaN or infinities where another
    configuration has finite values: none is chosen.
    """
    if name is not None:
        check_name(name)
    plan = make_plan(
        configs,
        space,
        constraints,
        dims=dims,
        bucket=bucket,
        num_warmup=num_warmup,
        num_timing=num_timing,
        protocol=protocol,
        outputs=outputs,
        tolerance=tolerance,
        bits=bits,
        budget_trials=budget_trials,
        budget_seconds=budget_seconds,
        strategy=strategy,
        seed=seed,
        compile_seconds=compile_seconds,
        limit_seconds=limit_seconds,
        isolate=isolate,
        mode=mode,
    )

    def decorate(fn: Callable[..., Any]) -> Autotuned:
        contract = make_contract(fn, plan.knobs, name, plan.dims)
        given = checked_inputs(inputs, contract)
        return Autotuned(contract, plan.with_baseline(contract.defaults), given)

    return decorate


class BoundAutotuned:
    """A tuned method bound to an object, which is the first argument of all calls."""

    def __init__(self, function: Autotuned, instance: object) -> None:
        functools.update_wrapper(self, function, updated=())
        del self.__wrapped__  # its parameters are not those of the method
        self.__func__ = function
        self.__self__ = instance

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in ("__func__", "__self__", "__wrapped__"):
            raise AttributeError(name)
        return getattr(self.__func__, name)

    def __repr__(self) -> str:
        return f"<bound {self.__func__!r} of {self.__self__!r}>"

    # As for methods: jax.jit looks up compiled programs by equality and hash.
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundAutotuned):
            return NotImplemented
        return self.__self__ is other.__self__ and self.__func__ is other.__func__

    def __hash__(self) -> int:
        return hash((id(self.__self__), id(self.__func__)))

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.__self__, self.__func__.__name__)

    @property
    def __signature__(self) -> inspect.Signature:
        signature = inspect.signature(self.__func__)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    def lower(self, /, *args: Any, **kwargs: Any) -> Any:
        """As `jax.jit`'s method, with the winner."""
        return self.__func__.lower(self.__self__, *args, **kwargs)

    def trace(self, /, *args: Any, **kwargs: Any) -> Any:
        """As `jax.jit`'s method, with the winner."""
        return self.__func__.trace(self.__self__, *args, **kwargs)

    def eval_shape(self, /, *args: Any, **kwargs: Any) -> Any:
        """As `jax.jit`'s method; tries nothing."""
        return self.__func__.eval_shape(self.__self__, *args, **kwargs)

    def tune(
        self,
        calls: Iterable[Arguments | tuple[Any, ...]],
        again: bool = False,
        inputs: Option = None,
    ) -> list[Decision]:
        """As `Autotuned.tune`; calls omit the object."""
        return self.__func__.tune([self._whole(call) for call in calls], again, inputs)

    def explain(self, /, *args: Any, **kwargs: Any) -> str:
        """As `Autotuned.explain`. Without arguments, reports all objects."""
        if not args and not kwargs:
            return self.__func__.explain()
        return self.__func__.explain(self.__self__, *args, **kwargs)

    def _whole(self, call: Any) -> Any:
        if hasattr(call, "kwargs"):
            return call._replace(args=(self.__self__, *call.args))
        # Other values are rejected there.
        return (self.__self__, *call) if isinstance(call, (tuple, list)) else call
