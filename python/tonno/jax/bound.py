# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An autotuned function as a method of an object."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tonno.jax.decisions import Decision

if TYPE_CHECKING:
    from tonno.jax.autotuning import Arguments, Autotuned


class BoundAutotuned:
    """What `obj.method` is: the object is the first argument of all calls."""

    def __init__(self, function: Autotuned, instance: object) -> None:
        functools.update_wrapper(self, function, updated=())
        del self.__wrapped__  # Whose parameters are not those of the method.
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

    # As of methods, since jax.jit finds by them what it has compiled.
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
        """As `jax.jit`'s, with the winner."""
        return self.__func__.lower(self.__self__, *args, **kwargs)

    def trace(self, /, *args: Any, **kwargs: Any) -> Any:
        """As `jax.jit`'s, with the winner."""
        return self.__func__.trace(self.__self__, *args, **kwargs)

    def eval_shape(self, /, *args: Any, **kwargs: Any) -> Any:
        """As `jax.jit`'s; tries nothing."""
        return self.__func__.eval_shape(self.__self__, *args, **kwargs)

    def tune(
        self, calls: Iterable[Arguments | tuple[Any, ...]], again: bool = False
    ) -> list[Decision]:
        """As `Autotuned.tune`; a call is what is passed beside the object."""
        return self.__func__.tune([self._whole(call) for call in calls], again)

    def explain(self, /, *args: Any, **kwargs: Any) -> str:
        """As `Autotuned.explain`. Without arguments, of all objects."""
        if not args and not kwargs:
            return self.__func__.explain()
        return self.__func__.explain(self.__self__, *args, **kwargs)

    def _whole(self, call: Any) -> Any:
        if hasattr(call, "kwargs"):
            return call._replace(args=(self.__self__, *call.args))
        # What is neither is refused there.
        return (self.__self__, *call) if isinstance(call, (tuple, list)) else call
