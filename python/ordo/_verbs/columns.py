"""Rows of several key columns: lexsort and lexrank."""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_uint32, c_void_p
from typing import Any

import numpy as np

from .. import _lib
from .._arrays import HOST, AxisError, Rows, numbers_of, pointer
from .._check import flag, integer, into, unmasked
from .._context import host_context
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


def _columns(keys: Any, descending: Any) -> tuple[Any, int, list]:
    """Returns the columns for the library, the most important one first, and their arrays."""
    keys = list(keys)
    if not 1 <= len(keys) <= 16:
        raise ValueError(f"there are {len(keys)} key columns; expected 1 to 16")
    if isinstance(descending, (list, tuple)):
        directions = [flag(d, "descending") for d in descending]
    else:
        directions = [flag(descending, "descending")] * len(keys)
    if len(directions) != len(keys):
        raise ValueError(
            f"descending has {len(directions)} elements; expected one for each of {len(keys)} keys"
        )
    held = [one_row(column, "a key column", down) for column, down in zip(keys, directions)]
    n = held[0].n
    for column in held:
        same_length(n, column.n, "a key column")
    order = list(zip(held, directions))[::-1]
    columns = (_Column * len(order))()
    for place, (column, down) in zip(columns, order):
        place.keys = pointer(column.keys).value
        place.type = column.code
        place.flags = _lib.DESCENDING if down else 0
    return columns, n, held


def lexsort(keys: Any, axis: int = -1, *, descending: Any = False, out: Any = None) -> Any:
    """Returns the order of rows by several keys, as `numpy.lexsort` does: the last key first.

    Parameters
    ----------
    keys : sequence of 1 to 16 arrays of numbers of one shape. The last array is the primary key.
    axis : the axis along which arrays of several dimensions are ordered; such arrays may be up to
        15 keys.
    descending : one direction for all keys, or a list with one for each.
    out : array for the result, of the same shape.

    Returns
    -------
    Array of int64: the rows in order. Rows that tie in all keys keep their order. NaNs are last.

    Raises
    ------
    TypeError : a key has the wrong type or is on a GPU.
    ValueError : the number of keys, their shapes, `axis` or `descending` is wrong.

    Examples
    --------
    >>> import ordo
    >>> ordo.lexsort(([1, 2, 1], [5, 4, 4]))
    array([2, 1, 0])
    """
    if isinstance(keys, np.ndarray) and keys.ndim == 1:
        keys = [keys]
    try:
        keys = list(keys)
    except TypeError:
        raise TypeError(f"keys is {keys!r}; expected a sequence of arrays") from None
    axis = integer(axis, "axis")
    shape = np.shape(keys[0]) if keys else ()
    if len(shape) > 1:
        return into(out, _lexsort_along(keys, axis, descending, shape))
    if axis not in (0, -1):
        raise AxisError(axis, 1)
    return into(out, _order(keys, descending))


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
    TypeError : a key has the wrong type or is on a GPU.
    ValueError : the number of keys, their lengths, `descending`, `method` or `dtype` is wrong.

    Examples
    --------
    >>> import ordo
    >>> ordo.lexrank(([1, 2, 1], [5, 4, 4]), "min")
    array([3, 2, 1])
    """
    ties = _lib.number_of(_lib.TIES, method, "method")
    columns, n, _held = _columns(keys, descending)
    wanted = rank_type(method, dtype, n)
    ranks = np.empty(n, wanted)
    opts = _lib.options(_lib.RankOptions, ties=ties)
    _lexrank(
        host_context(), ctypes.addressof(columns), len(columns), n, _RANK_TYPES[wanted],
        pointer(ranks), opts,
    )  # fmt: skip
    return into(out, ranks)
