"""Calls as users of other libraries write them: Dask collections, and keywords of other sorts.

`for_callers` decorates a public function. A Dask collection goes to the function of ``ordo.dask``
with the same name, which returns a collection and computes nothing. A keyword of pandas, polars or
Python's `sorted` raises a TypeError that names the one of ordo. This file imports neither library.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any, Callable, TypeVar, cast

import numpy as np

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PLAIN = frozenset((np.ndarray, list, tuple, int, float, str, bool, type(None)))
_REVERSE = {
    "descending": "descending=True is the reverse order",
    "largest": "largest=False takes the smallest elements",
}
_LAST = {"": "missing elements are last"}
_POLICY = {"nan_policy": "nan_policy='omit' or 'propagate'"}
# For a keyword of others: what says the same, by the argument of ordo that it needs, or "".
_INSTEAD = {
    "ascending": _REVERSE,
    "reverse": _REVERSE,
    "key": {"": "pass the keys themselves, or ordo.argsort(keys)"},
    "na_position": _LAST,
    "nulls_last": _LAST,
    "numeric_only": {"": "pass columns of numbers"},
    "skipna": _POLICY,
    "interpolation": {"method": "method='linear' or another name says it"},
    "na_option": _POLICY,
}


def is_lazy(a: Any) -> bool:
    """Returns whether `a` is a collection of Dask."""
    return hasattr(type(a), "__dask_graph__") and hasattr(a, "dask")


def _parameters(function: Any) -> tuple:
    """Returns the names of parameters. `import ordo` must not load `inspect`, a large module."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _unknown(name: str, word: str, known: Any) -> TypeError:
    """Returns the error of a keyword of others that a function does not have."""
    instead = [text for need, text in _INSTEAD[word].items() if not need or need in known]
    return TypeError("; ".join([f"{name}() has no argument {word!r}", *instead]))


def for_callers(function: _Function) -> _Function:
    """Decorates a function whose first argument may be a Dask collection."""
    name = function.__name__
    known = _parameters(function)

    @functools.wraps(function)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        for word in named:
            if word in _INSTEAD and word not in known:
                raise _unknown(name, word, known)
        for a in (*arguments[:2], *named.values()):
            if type(a) in (list, tuple) and len(a):  # perhaps several group keys
                a = a[0]
            if type(a) in _PLAIN or not is_lazy(a):
                continue
            lazy = getattr(import_module("ordo.dask"), name, None)
            if lazy is None:
                raise TypeError(
                    f"the argument is a Dask collection, which ordo.{name} does not take; pass "
                    "a.compute()"
                )
            import inspect

            try:
                inspect.signature(lazy).bind(*arguments, **named)
            except TypeError as error:
                raise TypeError(f"ordo.dask.{name}, for a Dask collection: {error}") from None
            return lazy(*arguments, **named)
        return function(*arguments, **named)

    return cast(_Function, wrapped)
