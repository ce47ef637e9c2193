"""Rows of several key columns: lexsort and lexrank."""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_uint32, c_void_p
from typing import Any

import numpy as np

from .. import _lib
from .._arrays import HOST, AxisError, Rows, is_text, numbers_of, place_of, pointer
from .._check import flag, integer, into, unmasked
from .._context import host_context
from .._inputs.series import columns_of, is_frame
from .._short import by_library
from .rank import _RANK_TYPES, rank_type

P, T, N = c_void_p, c_int, c_void_p


class _Column(ctypes.Structure):
    _fields_ = [("keys", c_void_p), ("type", c_uint32), ("flags", c_uint32)]


_lexsort = _lib._call("ordo_lexsort", P, N, N, T, P, P)
_lexrank = _lib._call("ordo_lexrank", P, N, N, T, P, P)


def one_row(a: Any, what: str, descending: bool = False, where: Any = HOST) -> Rows:
    """Returns an array of one dimension as one row. NaTs are last in the order of the call.

    The array must be at the place `where`; None accepts any place.
    """
    place, array = numbers_of(a)
    if where is not None and place.where != where.where:
        raise TypeError(f"{what} is an array of {place.where}; expected one of {where.where}")
    if array.ndim != 1:
        raise ValueError(f"{what} has {array.ndim} dimensions; expected 1")
    return Rows(place, array, None, descending=descending)


def same_length(n: int, length: int, what: str) -> None:
    if length != n:
        raise ValueError(f"{what} has {length} elements; expected {n}, as the others")


_MOST = 16  # columns of a call of the library


def _in_order(array: Any, descending: bool) -> Any:
    """Returns numbers in NumPy's order of elements of a type that the library does not have."""
    if array.size < 2:  # nothing is compared
        return np.zeros(array.size, np.int64)
    numbers = np.searchsorted(np.sort(array), array)
    if descending and array.dtype.kind in "fc":
        return np.where(np.isnan(array), np.nan, numbers)
    return numbers


def _text_in_order(array: Any) -> Any:
    """Returns numbers in the order of strings, NaN for a missing one; of objects, in theirs."""
    from .. import _strings

    try:
        text = _strings.text_of(array)
    except TypeError:  # other objects
        return _in_order(array, False)
    dense = _lib.TIES["dense"]
    return _strings.rankdata(text, None, "omit", np.dtype(np.int64), False, dense, False, 0)


def _key_column(a: Any, descending: bool) -> Rows:
    """Returns a key column as one row of numbers."""
    place, array = place_of(a)
    if place is HOST and array.ndim == 1:
        if is_text(array):
            return Rows(place, _text_in_order(array), None, descending=descending)
        kind = array.dtype.kind
        if kind == "c" or array.dtype.names or (kind == "f" and array.dtype.itemsize > 8):
            return Rows(place, _in_order(array, descending), None, descending=descending)
        if type(array) is not np.ndarray:  # decimals
            return Rows(place, array, None, descending=descending)
    return one_row(array, "a key column", descending)


def _structs(columns: list[tuple[Rows, bool]]) -> Any:
    """Returns columns for the library, the most important one first."""
    structs = (_Column * len(columns))()
    for struct, (column, down) in zip(structs, columns[::-1]):
        struct.keys = pointer(column.keys).value
        struct.type = column.code
        struct.flags = _lib.DESCENDING if down else 0
    return structs


def _columns(keys: Any, descending: Any) -> tuple[Any, int, list]:
    """Returns the columns for the library, the most important one first, and their arrays.

    The dense ranks of the least important columns replace them if there are too many.
    """
    keys = _listed(keys)
    if not keys:
        raise TypeError("there are no key columns; expected at least 1")
    if isinstance(descending, (list, tuple)):
        directions = [flag(d, "descending") for d in descending]
    else:
        directions = [flag(descending, "descending")] * len(keys)
    if len(directions) != len(keys):
        raise ValueError(
            f"descending has {len(directions)} elements; expected one for each of {len(keys)} keys"
        )
    held = [(_key_column(column, down), down) for column, down in zip(keys, directions)]
    n = held[0][0].n
    for column, _ in held:
        same_length(n, column.n, "a key column")
    while len(held) > _MOST:
        ranks = _ranks(_structs(held[:_MOST]), n, "dense", np.dtype(np.int64))
        held[:_MOST] = [(Rows(HOST, ranks, None), False)]
    return _structs(held), n, held


def _ranks(columns: Any, n: int, method: str, dtype: Any) -> Any:
    ranks = np.empty(n, dtype)
    opts = _lib.options(_lib.RankOptions, ties=_lib.TIES[method])
    _lexrank(
        host_context(), ctypes.addressof(columns), len(columns), n, _RANK_TYPES[dtype],
        pointer(ranks), opts,
    )  # fmt: skip
    return ranks


@by_library
def lexsort(keys: Any, axis: int = -1, *, descending: Any = False, out: Any = None) -> Any:
    """Returns the order of rows by several keys, as `numpy.lexsort` does: the last key first.

    Parameters
    ----------
    keys : sequence of arrays of one shape: numbers, strings, or other elements that NumPy sorts.
        The last array is the primary key. An array is the sequence of its rows, so the elements of
        an array of one dimension are keys of a single row. A data frame is that of its columns.
    axis : the axis along which arrays of several dimensions are ordered.
    descending : one direction for all keys, or a list with one for each.
    out : array for the result, of the same shape.

    Returns
    -------
    Array of int64: the rows in order; 0 if the keys are numbers. Rows that tie in all keys keep
    their order. NaNs are last.

    Raises
    ------
    TypeError : there is no key, or a key has the wrong type or is on a GPU.
    ValueError : the shapes of the keys, `axis` or `descending` is wrong.

    Examples
    --------
    >>> import ordo
    >>> ordo.lexsort(([1, 2, 1], [5, 4, 4]))
    array([2, 1, 0])
    """
    keys = _listed(keys)
    axis = integer(axis, "axis")
    shape = np.shape(keys[0]) if keys else (0,)
    if len(shape) > 1:
        return into(out, _lexsort_along(keys, axis, descending, shape))
    if axis not in (0, -1):
        raise AxisError(axis, len(shape))
    if any(np.ndim(key) != len(shape) for key in keys):
        raise ValueError(f"the shapes of the keys differ; expected {shape} for each")
    if shape:
        return into(out, _order(keys, descending))
    return into(out, _order([np.atleast_1d(key) for key in keys], descending)[0])


def _listed(keys: Any) -> list:
    """Returns the keys of a sequence, or the columns of a data frame."""
    if is_frame(keys):
        return columns_of(keys)
    try:
        return list(keys)
    except TypeError:
        raise TypeError(f"keys is {keys!r}; expected a sequence of arrays") from None


def _order(keys: Any, descending: Any) -> Any:
    columns, n, _held = _columns(keys, descending)
    index = np.empty(n, np.int64)
    _lexsort(
        host_context(), ctypes.addressof(columns), len(columns), n, _lib.U64, pointer(index), None
    )
    return index


def _lexsort_along(keys: list, axis: int, descending: Any, shape: tuple) -> Any:
    """Orders each row along the axis: one call, in which the number of the row is the first key."""
    if not -len(shape) <= axis < len(shape):
        raise AxisError(axis, len(shape))
    if any(np.shape(key) != shape for key in keys):
        raise ValueError(f"the shapes of the keys differ; expected {shape} for each")
    flat = [np.moveaxis(unmasked(key, "a key"), axis, -1).reshape(-1) for key in keys]
    length = shape[axis]
    rows = np.repeat(np.arange(flat[0].size // max(length, 1)), length)
    if isinstance(descending, (list, tuple)):
        descending = [*descending, False]
    else:
        descending = [descending] * len(keys) + [False]
    order = _order([*flat, rows], descending) - rows * length
    moved = [size for i, size in enumerate(shape) if i != axis % len(shape)] + [length]
    return np.moveaxis(order.reshape(moved), -1, axis)


@by_library
def lexrank(
    keys: Any,
    method: _lib.Ties = "average",
    *,
    descending: Any = False,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """Returns the ranks of rows by several keys; the last key is the primary one.

    Parameters
    ----------
    keys, descending, out : as for `lexsort`.
    method, dtype : as for `rankdata`.

    Returns
    -------
    Array of ranks that start at 1. Rows tie if all their keys tie; NaNs are last and tie.

    Raises
    ------
    TypeError : there is no key, or a key has the wrong type or is on a GPU.
    ValueError : the lengths of the keys, `descending`, `method` or `dtype` is wrong.

    Examples
    --------
    >>> import ordo
    >>> ordo.lexrank(([1, 2, 1], [5, 4, 4]), "min")
    array([3, 2, 1])
    """
    _lib.number_of(_lib.TIES, method, "method")
    columns, n, _held = _columns(keys, descending)
    return into(out, _ranks(columns, n, method, rank_type(method, dtype, n)))
