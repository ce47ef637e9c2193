"""Calls on short arrays, which Python makes itself instead of through ctypes.

A call through ctypes takes 0.5 to 0.8 microseconds more than the call of a built-in function. The
library has functions with the signature of built-in functions (``include/ordo_python.h``). This
module makes function objects of them. Where Python's or NumPy's objects have another layout, or the
library is older, `type_of` is a function that returns 0, and callers go through ctypes.

From CPython 3.12 on a function object may have another vectorcall. `by_library` sets it for
functions of the package, so that the most frequent calls on short arrays run no Python code.

A call of this module holds the GIL, so it is for fewer than `SHORT` elements. The library makes no
progress callback in such calls.
"""

from __future__ import annotations

import ctypes
import importlib
import platform
import sys
from typing import Any, Callable, TypeVar

import numpy as np

from . import _lib
from ._lib import library

SHORT = 2048
# Elements of one row that are sorted faster than split. The library sorts 1000 f64 in 4.3
# microseconds and splits them in 2.4 (Sapphire Rapids). Microseconds (sorted : split), keys and
# indices, Neoverse V1: of 64 f64 1.45 : 1.70 and 1.83 : 1.75, of 128 2.32 : 1.96 and 2.33 : 2.07,
# of 512 5.09 : 3.25 and 5.32 : 4.09.
FEW_TO_SPLIT = 512 if platform.machine() in ("x86_64", "AMD64") else 64
_FASTCALL = 0x80  # METH_FASTCALL


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _table() -> Any:
    """Returns the fields of ordo_python."""
    api = ctypes.pythonapi
    return np.array(
        [
            id(np.ndarray),
            id(None),
            _address(api.PyLong_AsUnsignedLongLongMask),
            _address(api.PyLong_FromLong),
            *(id(np.dtype(name)) for name in _lib.DTYPES),
            id(0),
            id(-1),
        ],
        np.uintp,
    )


def _made(name: str, table: Any) -> Callable[..., int]:
    """Returns a built-in function that calls a function of the library."""
    method = _Method(name.encode(), _address(getattr(library, name)), _FASTCALL, None)
    # The function object does not own its PyMethodDef. At exit Python clears this module before
    # others that still call the function, so the PyMethodDef is never freed.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
    new = ctypes.pythonapi.PyCFunction_NewEx
    signature = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
    )
    return signature(_address(new))(ctypes.addressof(method), table, None)


def _layout_is_known() -> bool:
    """Returns whether objects begin with a count and a type, as in CPython with a GIL."""
    if sys.implementation.name != "cpython" or not hasattr(library, "ordo_python_type"):
        return False
    word = ctypes.sizeof(ctypes.c_void_p)
    if object.__basicsize__ != 2 * word:
        return False
    sample = np.zeros(3)
    header = (ctypes.c_size_t * 3).from_address(id(sample))
    return (header[1], header[2]) == (id(np.ndarray), sample.__array_interface__["data"][0])


def _types_are_right(type_of: Callable[..., int]) -> bool:
    """Returns whether `type_of` finds the fields of arrays where it expects them."""
    plain = [np.zeros(3, name) for name in _lib.DTYPES]
    others = [np.zeros(8)[::2], np.zeros((2, 2)), np.zeros(3, ">f8"), np.zeros(3, bool), [1.0]]
    axes = [type_of(plain[0], axis) for axis in (None, 0, -1, 1, 0.0, False, plain[0])]
    return (
        [type_of(a) for a in plain] == list(range(1, 11))
        and not any(map(type_of, others))
        and axes == [1, 1, 1, 0, 0, 0, 0]
    )


def _none(a: Any, axis: Any = None) -> int:
    return 0


# type_of(a, axis): the library's type of a plain array if the axis is its only one or None, else 0.
# has_nan(a): whether a plain array holds a NaN.
# quick(function, context, ...): calls a function of the library, and returns its status. Arguments
# are ints, None, and plain arrays for the addresses of their elements.
type_of: Callable[..., int] = _none
has_nan: Callable[[Any], int] = _none
quick: Callable[..., int] = _none

if _layout_is_known():
    _self = _table()
    type_of = _made("ordo_python_type", _self)
    if _types_are_right(type_of):
        has_nan = _made("ordo_python_has_nan", _self)
        quick = _made("ordo_python_call", _self)
    else:
        type_of = _none

SORT, ARGSORT, PAIRS, RANK, SELECT, NTH, QUANTILES, MEDIAN, TOPK, SCAN, UNIQUE, IS_SORTED = (
    _address(function)
    for function in (
        _lib.sort, _lib.argsort, _lib.sort_pairs, _lib.rank, _lib.select, _lib.nth, _lib.quantiles,
        _lib.median, _lib.topk, _lib.scan, _lib.unique, _lib.is_sorted,
    )
)  # fmt: skip


def at(opts: ctypes.c_void_p | None) -> int | None:
    """Returns the address of options as an argument of `quick`."""
    return None if opts is None else opts.value


# ---- Functions without Python code -------------------------------------------------------------

# Places in NumPy's table of C functions, which are the same in NumPy 1 and 2.
_ARRAY_TYPE, _SCALAR, _NEW_FROM_DESCR = 2, 60, 94
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _numpy_functions() -> Any:
    """Returns the addresses of NumPy's C functions; None if they are not found."""
    for name in ("numpy._core.multiarray", "numpy.core.multiarray"):  # NumPy 2 and 1
        try:
            found = importlib.import_module(name)._ARRAY_API
        except (ImportError, AttributeError):
            continue
        pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
        table = pointer(_address(ctypes.pythonapi.PyCapsule_GetPointer))(found, None)
        return (ctypes.c_size_t * (_NEW_FROM_DESCR + 1)).from_address(table)
    return None


def _set_calls() -> Any:
    """Gives the library an ordo_python_calls. Returns PyFunction_SetVectorcall, or None."""
    api = ctypes.pythonapi
    known = type_of is not _none and hasattr(library, "ordo_python_install")
    if not known or not hasattr(api, "PyFunction_SetVectorcall"):
        return None
    of_numpy = _numpy_functions()
    if of_numpy is None or of_numpy[_ARRAY_TYPE] != id(np.ndarray):
        return None
    code = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.py_object)
    fields = np.array(
        [
            _self.ctypes.data,
            code(_address(api.PyVectorcall_Function))(_none),
            of_numpy[_NEW_FROM_DESCR],
            of_numpy[_SCALAR],
            _address(api.PyLong_AsLongLongAndOverflow),
            _address(api.PyFloat_AsDouble),
            _address(api.Py_IncRef),
            _address(api.Py_DecRef),
            _address(api.PyErr_Clear),
            id(int),
            id(float),
            id(False),
            id(True),
            FEW_TO_SPLIT,
        ],
        np.uintp,
    )
    for kept in (_self, fields):  # the library reads them until the process ends
        api.Py_IncRef(ctypes.py_object(kept))
    _made("ordo_python_install", _self)(fields.ctypes.data)
    change = ctypes.PYFUNCTYPE(None, ctypes.py_object, ctypes.c_void_p)
    return change(_address(api.PyFunction_SetVectorcall))


_set_vectorcall = _set_calls()


def by_library(function: _Function) -> _Function:
    """Decorates a function that the library calls itself for short plain arrays.

    The code of the function runs for all other calls, and for all calls before CPython 3.12.
    """
    if _set_vectorcall is not None:
        _set_vectorcall(function, _address(getattr(library, f"ordo_python_{function.__name__}")))
    return function


# use_context(address): this thread's context for calls of functions `by_library`, or 0: the code of
# the functions runs. forget_contexts(): the same as use_context(0) in all threads. A call by the
# library does not change `_Contexts.last`, so a context is in use only while it is the last one.
use_context: Callable[[int], int] = _none
forget_contexts: Callable[[], int] = int

if _set_vectorcall is not None:
    use_context = _made("ordo_python_use", _self)
    forget_contexts = _made("ordo_python_forget", _self)
