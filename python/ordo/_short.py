"""Functions whose calls on short arrays the library does without Python code.

A Python function that calls the library through ctypes takes several times the work on ten
elements. `by_library` replaces it by an object of the extension module ``ordo._ext``, which calls
the library itself if the arrays are short and plain and the options are the usual ones. Otherwise
it calls the Python function. Both return the same bytes.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, TypeVar, cast, overload

from ._inputs.callers import for_callers
from ._lib import ext

_Function = TypeVar("_Function", bound=Callable[..., Any])
SHORT = ext.SHORT  # calls on fewer elements are short
ONE_PASS = ext.ONE_PASS  # the same for calls that read an array once
FEW_TO_SPLIT = ext.FEW_TO_SPLIT  # the most elements that are sorted faster than split


@overload
def by_library(function: type[tuple]) -> Callable[[_Function], _Function]: ...
@overload
def by_library(function: _Function) -> _Function: ...
def by_library(function: _Function | type[tuple], result: Any = None) -> Any:
    """Decorates a function that the library calls itself for short plain arrays.

    The argument may be the type of the results instead, a named tuple.
    """
    if isinstance(function, type):
        return functools.partial(by_library, result=function)
    function = for_callers(function)
    inner: Any = function
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    code, given = inner.__code__, inner.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    defaults = dict(zip(reversed(names[: code.co_argcount]), reversed(given)))
    defaults.update(inner.__kwdefaults__ or {})
    made = ext.Function(function, function.__name__, names, defaults, code.co_argcount, result)
    return cast(_Function, functools.update_wrapper(made, function))
