"""Calls as users of other libraries write them: Dask collections, and keywords of other sorts.

`for_callers` decorates a public function. A Dask collection goes to the function of ``ordo.dask``
with the same name, which returns a collection and computes nothing. A keyword of pandas, polars or
Python's `sorted` raises a TypeError that names the one of ordo. This file imports no other library.
"""

from __future__ import annotations

import functools
import inspect
from importlib import import_module
from typing import Any, Callable, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])
_INSTEAD = {
    "ascending": "descending=True is the reverse order",
    "reverse": "descending=True is the reverse order",
    "key": "pass the keys themselves, or ordo.argsort(keys)",
    "na_position": "missing elements are last",
    "nulls_last": "missing elements are last",
    "numeric_only": "pass one column",
    "skipna": "nan_policy='omit' or 'propagate'",
    "interpolation": "method",
    "na_option": "nan_policy='omit' or 'propagate'",
}


def is_lazy(a: Any) -> bool:
    """Returns whether `a` is a collection of Dask."""
    return hasattr(type(a), "__dask_graph__") and hasattr(a, "dask")


def for_callers(function: _Function) -> _Function:
    """Decorates a function whose first argument may be a Dask collection."""
    name = function.__name__
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        for word in named:
            if word in _INSTEAD and word not in known:
                raise TypeError(f"{name}() has no argument {word!r}; {_INSTEAD[word]}")
        if any(is_lazy(a) for a in arguments[:2]):
            lazy = getattr(import_module("ordo.dask"), name, None)
            if lazy is None:
                raise TypeError(
                    f"the argument is a Dask collection, which ordo.{name} does not take; pass "
                    "a.compute()"
                )
            return lazy(*arguments, **named)
        return function(*arguments, **named)

    return cast(_Function, wrapped)
