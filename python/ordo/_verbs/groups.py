"""Rows of several key columns, and groups of rows: lexsort, lexrank and the group functions."""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, NamedTuple

import numpy as np

from .. import _lib
from .._arrays import HOST, AxisError, Rows, numbers_of, pointer
from .._check import flag, into
from .._context import host_context
from .._inputs.device import with_guests
from .._inputs.series import column_of
from .rank import _RANK_TYPES, rank_type

P, T, N = c_void_p, c_int, c_void_p


class _Column(ctypes.Structure):
    _fields_ = [("keys", c_void_p), ("type", c_uint32), ("flags", c_uint32)]


class _Groups(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("keys", c_void_p), ("type", c_uint32), ("nans", c_uint32),
        ("capacity", c_size_t), ("unique", c_void_p), ("sizes", c_void_p), ("count", c_void_p),
    ]  # fmt: skip


class _GroupOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("flags", c_uint64), ("ties", c_uint32), ("nans", c_uint32),
        ("method", c_uint32), ("reserved", c_uint32), ("stream", c_void_p),
    ]  # fmt: skip


_lexsort = _lib._call("ordo_lexsort", P, N, N, T, P, P)
_lexrank = _lib._call("ordo_lexrank", P, N, N, T, P, P)
_counts = _lib._call("ordo_group_counts", P, N, P)
_argsort = _lib._call("ordo_group_argsort", P, T, P, N, T, P, P)
_rank = _lib._call("ordo_group_rank", P, T, P, N, T, P, P)
_quantiles = _lib._call("ordo_group_quantiles", P, T, P, N, P, N, P, P)
_median = _lib._call("ordo_group_median", P, T, P, N, P, P)
_topk = _lib._call("ordo_group_topk", P, T, P, N, N, P, T, P, P, P)


class GroupCounts(NamedTuple):
    """The groups in ascending order, and the number of rows of each."""

    groups: Any
    counts: Any


class GroupValues(NamedTuple):
    """The groups in ascending order, and a result for each."""

    groups: Any
    values: Any


class GroupTopK(NamedTuple):
    """The first k keys of each group, one row for each group, and the row numbers of the keys.

    Groups with fewer keys have `counts` below k; their other places are 0 in `values` and -1 in
    `indices`. Dates have NaT instead of 0.
    """

    groups: Any
    values: Any
    indices: Any
    counts: Any


def _rows(a: Any, what: str, descending: bool = False, where: Any = HOST) -> Rows:
    """Returns an array of one dimension as one row. NaTs are last in the order of the call.

    The array must be at the place `where`; None accepts any place.
    """
    place, array = numbers_of(a)
    if where is not None and place.where != where.where:
        raise TypeError(f"{what} is an array of {place.where}; expected one of {where.where}")
    if array.ndim != 1:
        raise ValueError(f"{what} has {array.ndim} dimensions; expected 1")
    return Rows(place, array, None, descending=descending)


def _is_date(rows: Rows) -> bool:
    return rows.place is HOST and np.dtype(rows.dtype).kind in "Mm"


def _same_length(n: int, length: int, what: str) -> None:
    if length != n:
        raise ValueError(f"{what} has {length} elements; expected {n}, as the others")


# ---- Several columns ---------------------------------------------------------------------------


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
    held = [_rows(column, "a key column", down) for column, down in zip(keys, directions)]
    n = held[0].n
    for column in held:
        _same_length(n, column.n, "a key column")
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
    keys = list(keys)
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
    flat = [np.moveaxis(np.asarray(key), axis, -1).reshape(-1) for key in keys]
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


# ---- Groups ------------------------------------------------------------------------------------


class Call:
    """The group keys of a call, and the arrays that the library fills.

    All arrays are at the place of the group keys. Rows whose group is NaT are left out with
    `dropna`: `kept` has the numbers of the other rows.
    """

    def __init__(self, groups: Any, dropna: bool, results: bool = True) -> None:
        rows = _rows(groups, "groups", where=None)
        self.place = place = rows.place
        self.keys, self.code, self.rows = rows.keys, rows.code, rows
        self.given = rows.n
        self.kept: Any = None
        if flag(dropna, "dropna") and _is_date(rows):
            missing = rows.is_nan(rows.keys)
            if missing.any():
                self.kept = np.flatnonzero(~missing)
                self.keys = rows.keys[self.kept]
        self.n = n = int(self.keys.shape[0])
        self.unique = place.empty((n if results else 0,), self.keys.dtype)
        self.sizes = place.empty((n if results else 0,), np.int64)
        self._count = place.empty((1,), np.int64)
        self.struct = _Groups(
            struct_size=ctypes.sizeof(_Groups),
            keys=place.address(self.keys),
            type=self.code,
            nans=1 if dropna else 0,
            capacity=n,
            unique=place.address(self.unique) if results else None,
            sizes=place.address(self.sizes) if results else None,
            count=place.address(self._count),
        )

    @property
    def count(self) -> int:
        """The number of groups, after a call."""
        return int(self._count[0])

    @property
    def address(self) -> int:
        return ctypes.addressof(self.struct)

    def values(self, a: Any, descending: bool = False) -> tuple[Any, Rows]:
        """Returns the keys of the rows that are in a group, and all elements."""
        rows = _rows(a, "a", descending, self.place)
        _same_length(self.given, rows.n, "a")
        return rows.keys if self.kept is None else rows.keys[self.kept], rows

    def found(self) -> Any:
        """Returns the groups that the library has found, with the dtype of the caller."""
        return self.rows.restored(self.place.copy(self.unique[: self.count]))

    def numbered(self, index: Any) -> Any:
        """Returns row numbers of the caller for those of the call; -1 stays."""
        return index if self.kept is None else np.where(index < 0, -1, self.kept[index])

    def options(self, **fields: int) -> Any:
        """Returns the options of a call at the place of the arrays."""
        flags = fields.pop("flags", 0) | self.place.flags
        return _lib.options(_GroupOptions, flags=flags, stream=self.place.stream, **fields)


def counted(call: Call) -> tuple[Any, Any]:
    """Returns the key and the number of rows of each group."""
    _counts(call.place.context, call.address, call.n, call.options())
    count = call.count
    results = call.unique[:count], call.sizes[:count]
    return results if 2 * count > call.n else tuple(call.place.copy(part) for part in results)


def _nans(skipna: bool) -> int:
    return _lib.NANS["omit"] if flag(skipna, "skipna") else _lib.NANS["propagate"]


@with_guests
def group_count(groups: Any, *, dropna: bool = True) -> GroupCounts:
    """Returns the groups in ascending order and the number of rows of each.

    Parameters
    ----------
    groups : the group key of each row: an array of numbers of one dimension.
    dropna : True: rows with a NaN group key belong to no group. False: they form the last group.

    Returns
    -------
    GroupCounts: arrays `groups` and `counts`.

    Raises
    ------
    TypeError : `groups` has the wrong type.
    ValueError : `groups` has several dimensions.

    Examples
    --------
    >>> import ordo
    >>> ordo.group_count([7, 3, 7])
    GroupCounts(groups=array([3, 7]), counts=array([1, 2]))
    """
    call = Call(groups, dropna)
    keys, counts = counted(call)
    return GroupCounts(call.rows.restored(keys), counts)


@with_guests
def group_argsort(
    groups: Any,
    a: Any = None,
    *,
    descending: bool = False,
    dropna: bool = True,
    out: Any = None,
) -> Any:
    """Returns the rows in the order of (group, key); ties keep their order.

    Parameters
    ----------
    groups, dropna : as for `group_count`. Rows of no group are left out.
    a : the key of each row. None: the rows of a group keep their order.
    descending : the largest key of a group first. Groups stay in ascending order.
    out : array for the result, with one element for each row that is in a group.

    Returns
    -------
    Array of int64: the row numbers in order.

    Raises
    ------
    TypeError : `groups` or `a` has the wrong type, or they are at
        different places.
    ValueError : `groups` or `a` has several dimensions, or their lengths differ.

    Examples
    --------
    >>> import ordo
    >>> ordo.group_argsort([7, 3, 7], [5, 1, 2])
    array([1, 2, 0])
    """
    call = Call(groups, dropna)
    return into(out, call.numbered(_rows_by_group(call, a, flag(descending, "descending"))))


def _rows_by_group(call: Call, a: Any, descending: bool) -> Any:
    keys, rows = call.values(a, descending) if a is not None else (None, None)
    place = call.place
    index = place.empty((call.n,), np.int64)
    _argsort(
        place.context, call.address, 0 if rows is None else rows.code,
        None if keys is None else place.address(keys), call.n, _lib.U64, place.address(index),
        call.options(flags=_lib.DESCENDING if descending else 0),
    )  # fmt: skip
    return index[: int(call.sizes[: call.count].sum())]


@with_guests
def group_rank(
    groups: Any,
    a: Any,
    method: _lib.Ties = "average",
    *,
    descending: bool = False,
    dropna: bool = True,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """Returns the rank of each element in its group, as pandas' ``groupby().rank()``.

    Parameters
    ----------
    groups, dropna : as for `group_count`. Rows of no group have rank NaN, or 0 in integer ranks.
    a : the key of each row. NaNs are last in their group and tie.
    method, dtype : as for `rankdata`.
    descending : the largest key of a group has rank 1.
    out : array for the ranks, of the length of `a`.

    Returns
    -------
    Array of ranks that start at 1 in each group; a Series if `a` is one.

    Raises
    ------
    TypeError : `groups` or `a` has the wrong type, or they are at
        different places.
    ValueError : `method`, `dtype` or a shape is wrong, or the lengths differ.

    Examples
    --------
    >>> import ordo
    >>> ordo.group_rank([7, 3, 7, 7], [5, 1, 2, 5])
    array([2.5, 1. , 1. , 2.5])
    """
    ties = _lib.number_of(_lib.TIES, method, "method")
    call = Call(groups, dropna, results=False)
    keys, rows = call.values(a, flag(descending, "descending"))
    wanted = rank_type(method, dtype, call.n)
    place = call.place
    ranks = place.empty((call.n,), wanted)
    opts = call.options(flags=_lib.DESCENDING if descending else 0, ties=ties)
    _rank(
        place.context, call.address, rows.code, place.address(keys), call.n, _RANK_TYPES[wanted],
        place.address(ranks), opts,
    )  # fmt: skip
    if call.kept is not None:
        among, ranks = ranks, np.full(call.given, np.nan if wanted.kind == "f" else 0, wanted)
        ranks[call.kept] = among
    column = column_of(a) if out is None else None
    return into(out, ranks) if column is None else column.like(ranks)


@with_guests
def group_quantile(
    groups: Any,
    a: Any,
    q: Any,
    *,
    method: _lib.Method = "linear",
    skipna: bool = True,
    dropna: bool = True,
) -> GroupValues:
    """Returns quantiles of the keys of each group, as pandas' ``groupby().quantile()``.

    Parameters
    ----------
    groups, dropna : as for `group_count`.
    a : the key of each row.
    q : number or array of one dimension, 0 to 1.
    method : a method of `numpy.quantile`.
    skipna : ignore NaN keys. False: a group with a NaN key has the result NaN.

    Returns
    -------
    GroupValues: `values` has one number for each group, or one row if `q` is an array.

    Raises
    ------
    TypeError : `groups` or `a` has the wrong type, or they are at
        different places.
    ValueError : `q`, `method` or a shape is wrong, or the lengths differ.

    Examples
    --------
    >>> import ordo
    >>> ordo.group_quantile([7, 3, 7], [5, 1, 2], 0.5)
    GroupValues(groups=array([3, 7]), values=array([1. , 3.5]))
    """
    number = _lib.number_of(_lib.METHODS, method, "method")
    call = Call(groups, dropna)
    keys, rows = call.values(a)
    wanted = np.asarray(q, np.float64)
    if wanted.ndim > 1:
        raise ValueError(f"q has {wanted.ndim} dimensions; expected 0 or 1")
    parts = wanted.reshape(-1)
    if _is_date(rows):
        out = _quantiles_of_dates(call, a, rows, parts, method, skipna)
    else:
        place = call.place
        out = place.empty((call.n, parts.size), np.float64)
        _quantiles(
            place.context, call.address, rows.code, place.address(keys), call.n, pointer(parts),
            parts.size, place.address(out), call.options(nans=_nans(skipna), method=number),
        )  # fmt: skip
        out = out[: call.count]
    return GroupValues(call.found(), call.place.copy(out if wanted.ndim == 1 else out[:, 0]))


def _quantiles_of_dates(
    call: Call, a: Any, rows: Rows, q: Any, method: str | None, skipna: bool
) -> Any:
    """Returns a row of quantiles for each group; `method` None: the median."""
    from .. import _times

    if q.size and not ((q >= 0) & (q <= 1)).all():
        raise ValueError("q must be numbers from 0 to 1")
    order = call.numbered(_rows_by_group(call, a, False))
    sizes = call.sizes[: call.count]
    elements = rows.restored(rows.keys)[order]
    return _times.of_groups(elements, sizes, q, method, flag(skipna, "skipna"))


@with_guests
def group_median(groups: Any, a: Any, *, skipna: bool = True, dropna: bool = True) -> GroupValues:
    """Returns the median of the keys of each group, as pandas' ``groupby().median()``.

    Parameters
    ----------
    groups, a, skipna, dropna : as for `group_quantile`.

    Returns
    -------
    GroupValues: `values` has one number for each group.

    Raises
    ------
    TypeError : `groups` or `a` has the wrong type, or they are at
        different places.
    ValueError : `groups` or `a` has several dimensions, or their lengths differ.

    Examples
    --------
    >>> import ordo
    >>> ordo.group_median([7, 3, 7], [5, 1, 2])
    GroupValues(groups=array([3, 7]), values=array([1. , 3.5]))
    """
    call = Call(groups, dropna)
    keys, rows = call.values(a)
    if _is_date(rows):
        half = _quantiles_of_dates(call, a, rows, np.array([0.5]), None, skipna)
        return GroupValues(call.found(), half[:, 0])
    place = call.place
    out = place.empty((call.n,), np.float64)
    _median(
        place.context, call.address, rows.code, place.address(keys), call.n, place.address(out),
        call.options(nans=_nans(skipna)),
    )  # fmt: skip
    return GroupValues(call.found(), place.copy(out[: call.count]))


@with_guests
def group_topk(
    groups: Any,
    a: Any,
    k: int,
    *,
    largest: bool = True,
    skipna: bool = True,
    dropna: bool = True,
) -> GroupTopK:
    """Returns the k largest keys of each group, as pandas' ``groupby().nlargest(k)``.

    Parameters
    ----------
    groups, dropna : as for `group_count`.
    a : the key of each row. Tied keys are in the order of their rows.
    k : number of results of each group.
    largest : the largest keys, the largest first. False: the smallest ones.
    skipna : leave NaN keys out. False: they come after all other keys.

    Returns
    -------
    GroupTopK: `values` and `indices` have one row for each group, `counts` the number of results of
    each group.

    Raises
    ------
    TypeError : `groups` or `a` has the wrong type, or they are at
        different places.
    ValueError : `k` or a shape is wrong, or the lengths differ.

    Examples
    --------
    >>> import ordo
    >>> top = ordo.group_topk([7, 3, 7, 7], [5, 1, 2, 9], 2)
    >>> top.values
    array([[1, 0],
           [9, 5]])
    >>> top.indices
    array([[ 1, -1],
           [ 3,  0]])
    """
    k = int(k)
    if k < 0:
        raise ValueError(f"k is {k}; expected 0 or more")
    call = Call(groups, dropna)
    count = len(counted(call)[0])
    keys, rows = call.values(a, flag(largest, "largest"))
    place = call.place
    values = place.empty((count, k), keys.dtype)
    index = place.empty((count, k), np.int64)
    values[...], index[...] = 0, -1
    found = place.empty((count,), np.int64)
    call.struct.capacity = count
    nans = _lib.NANS["omit"] if flag(skipna, "skipna") else _lib.NANS["last"]
    opts = call.options(flags=_lib.DESCENDING if largest else 0, nans=nans)
    _topk(
        place.context, call.address, rows.code, place.address(keys), call.n, k,
        place.address(values), _lib.U64, place.address(index), place.address(found), opts,
    )  # fmt: skip
    if _is_date(rows):
        if skipna:  # NaTs are the last elements of each group
            index[rows.is_nan(values)] = -1
            found = np.count_nonzero(index >= 0, axis=1)
        rows.set_nan(values, index < 0)
    return GroupTopK(call.found(), rows.restored(values), call.numbered(index), found)
