"""What replaces a function of another library, and the state of the switch."""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
import types
from typing import Any, Callable

import numpy as np

# Elements from which ordo is called, unless `patch(least)` says otherwise. NumPy sorts and selects
# by vectors, too. CPU time of NumPy 2.4 / that of ordo, f64, two threads of an EPYC with AVX2:
# `sort` 0.64 of 10^5, 0.73 of 4*10^5 and 0.99 of 1.6*10^6, `argsort` 2.5 of 4096, `median` 1.65 of
# 4096, `quantile` 0.67 of 4096 and 3.05 of 10^5, `partition` 0.63 of 4*10^5 and 0.83 of 1.6*10^6.
SORT_LEAST = 1 << 18
LEAST = 1 << 12

Attempt = Callable[..., Any]  # returns NotImplemented if ordo does not take the arguments


class _State(threading.local):
    inside = False  # this thread is in a function of ordo, which uses NumPy


lock = threading.RLock()  # for what follows, and NumPy's table of sorts
active = False
least: int | None = None  # of the caller of `patch`
done: dict[str, list[float]] = {}  # by name: calls, elements, seconds
_state = _State()
_replaced: list[tuple[Any, str, Any]] = []  # the place, the name and the original


def long_enough(array: Any, limit: int = LEAST) -> bool:
    """Whether ordo is called for so many elements; never for none, of which NumPy may warn."""
    return bool(array.size >= max(limit if least is None else least, 1))


def many_threads() -> bool:
    """Whether work is done sooner even if it takes somewhat more CPU time."""
    return least is not None or len(os.sched_getaffinity(0)) >= 4


def _unlock() -> None:
    """A thread that is not in the child of a fork may have had the lock."""
    global lock
    lock = threading.RLock()


os.register_at_fork(after_in_child=_unlock)


class Replacement:
    """Calls ordo if that takes the arguments, else the original function.

    It equals the original and has its attributes, so tables of functions find it: those of pandas,
    and of classes with `__array_function__`.
    """

    def __init__(self, original: Any, label: str, attempt: Attempt) -> None:
        functools.update_wrapper(self, original)
        self._original, self._label, self._attempt = original, label, attempt

    def __call__(self, *args: Any, **named: Any) -> Any:
        if active and not _state.inside:
            begun = time.perf_counter()
            _state.inside = True
            try:
                result = self._attempt(*args, **named)
            except Exception:  # the original has its own errors
                result = NotImplemented
            finally:
                _state.inside = False
            if result is not NotImplemented:
                _count(self._label, args, named, begun)
                return result
        return self._original(*args, **named)

    def __getattr__(self, name: str) -> Any:
        if name == "_original":  # a copy that is not complete yet
            raise AttributeError(name)
        return getattr(self._original, name)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __eq__(self, other: Any) -> bool:
        return bool(self._original == (other._original if type(other) is Replacement else other))

    def __hash__(self) -> int:
        return hash(self._original)

    def __repr__(self) -> str:
        return f"<{self._original!r}, or ordo>"

    def __reduce__(self) -> str:
        return str(self._original.__name__)  # a pickle names the function in its module


def _count(label: str, args: tuple[Any, ...], named: dict[str, Any], begun: float) -> None:
    sizes = (value.size for value in (*args, *named.values()) if isinstance(value, np.ndarray))
    with lock:
        row = done.setdefault(label, [0, 0, 0.0])
        row[0] += 1
        row[1] += max(sizes, default=0)
        row[2] += time.perf_counter() - begun


def replace(module: str, name: str, label: str, attempt: Attempt) -> None:
    """Replaces a function of a module that is imported, if the module has it."""
    with lock:
        place = sys.modules.get(module)
        original = getattr(place, name, None)
        if active and original is not None and type(original) is not Replacement:
            _replaced.append((place, name, original))
            setattr(place, name, Replacement(original, label, attempt))


def restore() -> None:
    """Gives all places their functions back."""
    while _replaced:
        setattr(*_replaced.pop())
