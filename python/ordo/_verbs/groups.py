"""Groups of rows: the group functions."""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, NamedTuple

import numpy as np

from .. import _lib
from .._arrays import HOST, TYPES, Rows, address, is_text, place_of, pointer
from .._check import flag, into
from .._context import host_context
from .._inputs.series import column_of
from .columns import one_row, same_length
from .rank import _RANK_TYPES, rank_type

P, T, N = c_void_p, c_int, c_void_p


class _Groups(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("keys", c_void_p), ("type", c_uint32), ("nans", c_uint32),
        ("capacity", c_size_t), ("unique", c_void_p), ("sizes", c_void_p), ("count", c_void_p),
    ]  # fmt: skip


class _GroupOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("flags", c_uint64), ("ties", c_uint32), ("nans", c_uint32),
        ("method", c_uint32), ("weight_type", c_uint32), ("stream", c_void_p),
        ("weights", c_void_p),
    ]  # fmt: skip


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


def _is_date(rows: Rows) -> bool:
    return rows.place is HOST and np.dtype(rows.dtype).kind in "Mm"


# ---- Groups ------------------------------------------------------------------------------------


def _numbered(groups: Any) -> tuple[Any, Any, Any]:
    """Returns the distinct strings of `groups` in order, the number of each row's string in them,
    and a mask of missing strings; None for arrays that are not strings."""
    place, array = place_of(groups)
    if place is not HOST or not is_text(array):
        return None, None, None
    from .. import _strings

    if array.ndim != 1:
        raise ValueError(f"groups has {array.ndim} dimensions; expected 1")
    text = _strings.text_of(array)
    names, codes = _strings.unique(text, False, True, False)
    if not isinstance(names, np.ndarray):
        names = np.array(names.to_pylist() if hasattr(names, "to_pylist") else names, object)
    return names, codes, text.missing


class Call:
    """The group keys of a call, and the arrays that the library fills.

    Rows whose group is NaT or a missing string are left out with `dropna`: `kept` has the numbers
    of the other rows. The keys of strings are their numbers in order; `names` has the strings.
    """

    def __init__(self, groups: Any, dropna: bool, results: bool = True) -> None:
        self.names, codes, missing = _numbered(groups)
        rows = one_row(groups if codes is None else codes, "groups")
        self.keys, self.code, self.rows = rows.keys, rows.code, rows
        self.given = rows.n
        self.kept: Any = None
        if flag(dropna, "dropna"):
            missing = rows.is_nan(rows.keys) if _is_date(rows) else missing
            if missing is not None and missing.any():
                self.kept = np.flatnonzero(~missing)
                self.keys = rows.keys[self.kept]
        self.n = n = self.keys.size
        self.unique = np.empty(n if results else 0, self.keys.dtype)
        self.sizes = np.empty(n if results else 0, np.int64)
        self.count = c_size_t(0)
        self.struct = _Groups(
            struct_size=ctypes.sizeof(_Groups),
            keys=pointer(self.keys).value,
            type=self.code,
            nans=1 if dropna else 0,
            capacity=n,
            unique=pointer(self.unique).value if results else None,
            sizes=pointer(self.sizes).value if results else None,
            count=ctypes.addressof(self.count),
        )

    @property
    def address(self) -> int:
        return ctypes.addressof(self.struct)

    def values(self, a: Any, descending: bool = False) -> tuple[Any, Rows]:
        """Returns the keys of the rows that are in a group, and all elements."""
        rows = one_row(a, "a", descending)
        same_length(self.given, rows.keys, "a")
        return rows.keys if self.kept is None else rows.keys[self.kept], rows

    def weights(self, weights: Any, rows: Rows) -> Any:
        """Returns the weights of the rows that are in a group, or None."""
        if weights is None:
            return None
        if _is_date(rows):
            raise TypeError("weights are for numbers; the elements are dates")
        from .windows import weights_of

        each = weights_of(weights, rows.keys, rows)
        return each if self.kept is None else each[self.kept]

    def found(self) -> Any:
        """Returns the groups that the library has found, with the dtype of the caller."""
        return self.named(self.unique[: self.count.value].copy())

    def named(self, keys: Any) -> Any:
        """Returns keys of groups as elements of the caller."""
        return self.rows.restored(keys) if self.names is None else self.names[keys]

    def numbered(self, index: Any) -> Any:
        """Returns row numbers of the caller for those of the call; -1 stays."""
        return index if self.kept is None else np.where(index < 0, -1, self.kept[index])


def counted(call: Call) -> tuple[Any, Any]:
    """Returns the key and the number of rows of each group."""
    _counts(host_context(), call.address, call.n, None)
    count = call.count.value
    results = call.unique[:count], call.sizes[:count]
    return results if 2 * count > call.n else (results[0].copy(), results[1].copy())


def _options(**fields: int) -> Any:
    return _lib.options(_GroupOptions, **fields)


def _quantile_options(weights: Any, **fields: int) -> Any:
    """Returns an options struct, which must outlive the call."""
    opts = _GroupOptions(struct_size=ctypes.sizeof(_GroupOptions), **fields)
    if weights is not None:
        opts.weights, opts.weight_type = address(weights), TYPES[weights.dtype]
    return opts


def _nans(skipna: bool) -> int:
    return _lib.NANS["omit"] if flag(skipna, "skipna") else _lib.NANS["propagate"]


def group_count(groups: Any, *, dropna: bool = True) -> GroupCounts:
    """Returns the groups in ascending order and the number of rows of each.

    Parameters
    ----------
    groups : the group key of each row: an array of numbers or strings of one dimension.
    dropna : True: rows with a NaN group key belong to no group. False: they form the last group.

    Returns
    -------
    GroupCounts: arrays `groups` and `counts`.

    Raises
    ------
    TypeError : `groups` has the wrong type or is on a GPU.
    ValueError : `groups` has several dimensions.

    Examples
    --------
    >>> import ordo
    >>> ordo.group_count([7, 3, 7])
    GroupCounts(groups=array([3, 7]), counts=array([1, 2]))
    >>> ordo.group_count(["b", "a", "b"]).counts
    array([1, 2])
    """
    call = Call(groups, dropna)
    keys, counts = counted(call)
    return GroupCounts(call.named(keys), counts)


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
    TypeError : `groups` or `a` has the wrong type or is on a GPU.
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
    index = np.empty(call.n, np.int64)
    _argsort(
        host_context(), call.address, 0 if rows is None else rows.code,
        None if keys is None else pointer(keys), call.n, _lib.U64, pointer(index),
        _options(flags=_lib.DESCENDING if descending else 0),
    )  # fmt: skip
    return index[: int(call.sizes[: call.count.value].sum())]


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
    TypeError : `groups` or `a` has the wrong type or is on a GPU.
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
    ranks = np.empty(call.n, wanted)
    opts = _options(flags=_lib.DESCENDING if descending else 0, ties=ties)
    _rank(
        host_context(), call.address, rows.code, pointer(keys), call.n, _RANK_TYPES[wanted],
        pointer(ranks), opts,
    )  # fmt: skip
    if call.kept is not None:
        among, ranks = ranks, np.full(call.given, np.nan if wanted.kind == "f" else 0, wanted)
        ranks[call.kept] = among
    column = column_of(a) if out is None else None
    return into(out, ranks) if column is None else column.like(ranks)


def group_quantile(
    groups: Any,
    a: Any,
    q: Any,
    *,
    method: _lib.Method = "linear",
    skipna: bool = True,
    dropna: bool = True,
    weights: Any = None,
) -> GroupValues:
    """Returns quantiles of the keys of each group, as pandas' ``groupby().quantile()``.

    Parameters
    ----------
    groups, dropna : as for `group_count`.
    a : the key of each row.
    q : number or array of one dimension, 0 to 1.
    method : a method of `numpy.quantile`.
    skipna : ignore NaN keys. False: a group with a NaN key has the result NaN.
    weights : a number of at least 0 for each row, as for `quantile`; not for dates. A group whose
        weights are all 0 has the result NaN.

    Returns
    -------
    GroupValues: `values` has one number for each group, or one row if `q` is an array.

    Raises
    ------
    TypeError : `groups`, `a` or `weights` has the wrong type or is on a GPU.
    ValueError : `q`, `method`, a weight or a shape is wrong, or the lengths differ.

    Examples
    --------
    >>> import ordo
    >>> ordo.group_quantile([7, 3, 7], [5, 1, 2], 0.5)
    GroupValues(groups=array([3, 7]), values=array([1. , 3.5]))
    >>> ordo.group_quantile([7, 3, 7], [5, 1, 2], 0.5, weights=[3, 1, 1]).values
    array([1., 5.])
    """
    number = _lib.number_of(_lib.METHODS, method, "method")
    call = Call(groups, dropna)
    keys, rows = call.values(a)
    wanted = np.asarray(q, np.float64)
    if wanted.ndim > 1:
        raise ValueError(f"q has {wanted.ndim} dimensions; expected 0 or 1")
    parts = np.ascontiguousarray(wanted.reshape(-1))
    each = call.weights(weights, rows)
    if _is_date(rows):
        out = _quantiles_of_dates(call, a, rows, parts, method, skipna)
    else:
        out = np.empty((call.n, parts.size))
        opts = _quantile_options(each, nans=_nans(skipna), method=number)
        _quantiles(
            host_context(), call.address, rows.code, pointer(keys), call.n, pointer(parts),
            parts.size, pointer(out), ctypes.addressof(opts),
        )  # fmt: skip
        out = out[: call.count.value]
    return GroupValues(call.found(), (out if wanted.ndim == 1 else out[:, 0]).copy())


def _quantiles_of_dates(
    call: Call, a: Any, rows: Rows, q: Any, method: str | None, skipna: bool
) -> Any:
    """Returns a row of quantiles for each group; `method` None: the median."""
    from .. import _times

    if q.size and not ((q >= 0) & (q <= 1)).all():
        raise ValueError("q must be numbers from 0 to 1")
    order = call.numbered(_rows_by_group(call, a, False))
    sizes = call.sizes[: call.count.value]
    elements = rows.restored(rows.keys)[order]
    return _times.of_groups(elements, sizes, q, method, flag(skipna, "skipna"))


def group_median(
    groups: Any, a: Any, *, skipna: bool = True, dropna: bool = True, weights: Any = None
) -> GroupValues:
    """Returns the median of the keys of each group, as pandas' ``groupby().median()``.

    Parameters
    ----------
    groups, a, skipna, dropna, weights : as for `group_quantile`.

    Returns
    -------
    GroupValues: `values` has one number for each group.

    Raises
    ------
    TypeError : `groups`, `a` or `weights` has the wrong type or is on a GPU.
    ValueError : `groups` or `a` has several dimensions, a weight is wrong, or the lengths differ.

    Examples
    --------
    >>> import ordo
    >>> ordo.group_median([7, 3, 7], [5, 1, 2])
    GroupValues(groups=array([3, 7]), values=array([1. , 3.5]))
    """
    call = Call(groups, dropna)
    keys, rows = call.values(a)
    each = call.weights(weights, rows)
    if _is_date(rows):
        half = _quantiles_of_dates(call, a, rows, np.array([0.5]), None, skipna)
        return GroupValues(call.found(), half[:, 0])
    out = np.empty(call.n)
    opts = _quantile_options(each, nans=_nans(skipna))
    _median(
        host_context(), call.address, rows.code, pointer(keys), call.n, pointer(out),
        ctypes.addressof(opts),
    )  # fmt: skip
    return GroupValues(call.found(), out[: call.count.value].copy())


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
    TypeError : `groups` or `a` has the wrong type or is on a GPU.
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
    values = np.zeros((count, k), keys.dtype)
    index = np.full((count, k), -1, np.int64)
    found = np.empty(count, np.int64)
    call.struct.capacity = count
    nans = _lib.NANS["omit"] if flag(skipna, "skipna") else _lib.NANS["last"]
    opts = _options(flags=_lib.DESCENDING if largest else 0, nans=nans)
    _topk(
        host_context(), call.address, rows.code, pointer(keys), call.n, k, pointer(values),
        _lib.U64, pointer(index), pointer(found), opts,
    )  # fmt: skip
    if _is_date(rows):
        if skipna:  # NaTs are the last elements of each group
            index[rows.is_nan(values)] = -1
            found = np.count_nonzero(index >= 0, axis=1)
        rows.set_nan(values, index < 0)
    return GroupTopK(call.found(), rows.restored(values), call.numbered(index), found)
