"""Groups of rows: the group functions."""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, NamedTuple

import numpy as np

from .. import _lib
from .._arrays import HOST, TYPES, Rows, is_text, place_of, pointer
from .._check import flag, integer, into, quantile_parts
from .._inputs.callers import for_callers
from .._inputs.device import with_guests
from .._inputs.series import column_of, skips_missing
from .._short import by_library
from .columns import one_row, same_length
from .group_keys import key_columns, numbered_rows
from .group_labels import are_labelled, of_groups, of_rows
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
    columns = key_columns(groups)
    if columns is not None:
        return numbered_rows(columns)
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

    All arrays are at the place of the group keys. Rows whose group is NaT or a missing string are
    left out with `dropna`: `kept` has the numbers of the other rows. The keys of strings are their
    numbers in order; `names` has the strings.
    """

    def __init__(self, groups: Any, dropna: bool, results: bool = True) -> None:
        self.names, codes, missing = _numbered(groups)
        rows = one_row(groups if codes is None else codes, "groups", where=None)
        self.place = place = rows.place
        self.keys, self.code, self.rows = rows.keys, rows.code, rows
        self.given = rows.n
        self.kept: Any = None
        self.drops = flag(dropna, "dropna")
        if self.drops:
            missing = rows.is_nan(rows.keys) if _is_date(rows) else missing
            if missing is not None and missing.any():
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
        rows = one_row(a, "a", descending, self.place)
        same_length(self.given, rows.n, "a")
        return rows.keys if self.kept is None else rows.keys[self.kept], rows

    def weights(self, weights: Any, rows: Rows) -> tuple[Any, int]:
        """Returns the weights of the rows that are in a group and their type, or None and 0."""
        if weights is None:
            return None, 0
        if _is_date(rows):
            raise TypeError("weights are for numbers; the elements are dates")
        if self.place is not HOST:
            there = one_row(weights, "weights", where=self.place)
            same_length(self.given, there.n, "weights")
            return there.keys, there.code
        from .weights import weights_of

        each = weights_of(weights, rows.keys, rows)
        code = TYPES[each.dtype]
        if self.kept is None:
            return each, code
        wrong = np.flatnonzero(~(np.isfinite(each) & (each >= 0)))
        if wrong.size:  # the library would not see it or name another row
            i = wrong[0]
            raise ValueError(f"weights[{i}] is {each[i]:g}; expected a finite number of at least 0")
        return each[self.kept], code

    def found(self) -> Any:
        """Returns the groups that the library has found, with the dtype of the caller."""
        return self.named(self.place.copy(self.unique[: self.count]))

    def named(self, keys: Any) -> Any:
        """Returns keys of groups as elements of the caller."""
        return self.rows.restored(keys) if self.names is None else self.names[keys]

    def numbered(self, index: Any) -> Any:
        """Returns row numbers of the caller for those of the call; -1 stays."""
        return index if self.kept is None else np.where(index < 0, -1, self.kept[index])

    def options(self, **fields: int) -> Any:
        """Returns the options of a call at the place of the arrays."""
        flags = fields.pop("flags", 0) | self.place.flags
        return _lib.options(_GroupOptions, flags=flags, stream=self.place.stream, **fields)

    def quantile_options(self, weights: Any, weight_type: int, **fields: int) -> Any:
        """Returns an options struct, which must outlive the call."""
        opts = _GroupOptions(
            struct_size=ctypes.sizeof(_GroupOptions),
            flags=self.place.flags,
            stream=self.place.stream,
            **fields,
        )
        if weights is not None:
            opts.weights, opts.weight_type = self.place.address(weights), weight_type
        return opts


def counted(call: Call) -> tuple[Any, Any]:
    """Returns the key and the number of rows of each group."""
    _counts(call.place.context, call.address, call.n, call.options())
    count = call.count
    results = call.unique[:count], call.sizes[:count]
    return results if 2 * count > call.n else tuple(call.place.copy(part) for part in results)


def _nans(skipna: bool) -> int:
    return _lib.NANS["omit"] if flag(skipna, "skipna") else _lib.NANS["propagate"]


@by_library(GroupCounts)
@with_guests
def group_count(groups: Any, *, dropna: bool = True) -> GroupCounts | Any:
    """Returns the groups in ascending order and the number of rows of each.

    Parameters
    ----------
    groups : the group key of each row: an array of numbers or strings of one dimension. Several
        keys are a data frame, or a list or tuple of such arrays; then `groups` of the result is a
        tuple of arrays, and a row with a NaN in any key has a NaN key.
    dropna : True: rows with a NaN group key belong to no group. False: they form the last group;
        of several keys, each combination with a NaN is a group.

    Returns
    -------
    GroupCounts: arrays `groups` and `counts`. For an object of pandas, a Series of the counts with
    the groups as index, as ``groupby().size()``.

    Raises
    ------
    TypeError : `groups` has the wrong type.
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
    if are_labelled(groups):
        return of_groups(groups, call.named(keys), counts)
    return GroupCounts(call.named(keys), counts)


@by_library
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
    TypeError : `groups` or `a` has the wrong type, or they are at different places.
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


@by_library
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
    a : the key of each row. NaNs are last in their group and tie. In objects of pandas and polars,
        NaNs have rank NaN, and so have rows of no group.
    method, dtype : as for `rankdata`.
    descending : the largest key of a group has rank 1.
    out : array for the ranks, of the length of `a`.

    Returns
    -------
    Array of ranks that start at 1 in each group; a Series if `a` is one.

    Raises
    ------
    TypeError : `groups` or `a` has the wrong type, or they are at different places.
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
    unranked = _unranked(call, rows) if skips_missing(a) else None
    if unranked is not None and wanted != np.float64:
        if dtype is not None:
            raise ValueError(
                f"dtype is {wanted}, which cannot hold NaN, the rank of a NaN; expected float64"
            )
        wanted = np.dtype(np.float64)
    ranks = place.empty((call.n,), wanted)
    opts = call.options(flags=_lib.DESCENDING if descending else 0, ties=ties)
    _rank(
        place.context, call.address, rows.code, place.address(keys), call.n, _RANK_TYPES[wanted],
        place.address(ranks), opts,
    )  # fmt: skip
    if call.kept is not None:
        among, ranks = ranks, np.full(call.given, np.nan if wanted.kind == "f" else 0, wanted)
        ranks[call.kept] = among
    if unranked is not None:
        ranks[unranked] = np.nan
    column = column_of(a) if out is None else None
    return into(out, ranks) if column is None else column.like(ranks)


def _unranked(call: Call, rows: Rows) -> Any:
    """Returns for each row whether it has no rank in pandas; None if every row has one."""
    missing = rows.is_nan(rows.keys) if rows.may_have_nan else np.zeros(rows.n, bool)
    if call.drops and call.rows.may_have_nan:
        missing |= call.rows.is_nan(call.rows.keys)
    if call.kept is not None:
        kept = np.zeros(rows.n, bool)
        kept[call.kept] = True
        missing |= ~kept
    return missing if missing.any() else None


@by_library(GroupValues)
@with_guests
def group_quantile(
    groups: Any,
    a: Any,
    q: Any,
    *,
    method: _lib.Method = "linear",
    skipna: bool = True,
    dropna: bool = True,
    weights: Any = None,
) -> GroupValues | Any:
    """Returns quantiles of the keys of each group, as pandas' ``groupby().quantile()``.

    Parameters
    ----------
    groups, dropna : as for `group_count`.
    a : the key of each row.
    q : number or array of one dimension, 0 to 1.
    method : a method of `numpy.quantile`.
    skipna : ignore NaN keys. False: a group with a NaN key has the result NaN.
    weights : a number of at least 0 for each row, as for `quantile`; not for dates. A group whose
        weights are all 0 has the result NaN. On a GPU, a group with a negative, infinite or NaN
        weight, or with a sum that is too large, also has the result NaN.

    Returns
    -------
    GroupValues: `values` has one number for each group, or one row if `q` is an array. If `groups`
    or `a` is an object of pandas, a Series as of ``groupby().quantile()``.

    Raises
    ------
    TypeError : `groups`, `a` or `weights` has the wrong type, or they are at different places.
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
    wanted = quantile_parts(q).astype(np.float64)
    if wanted.ndim > 1:
        raise ValueError(f"q has {wanted.ndim} dimensions; expected 0 or 1")
    parts = np.ascontiguousarray(wanted.reshape(-1))
    each, weight_type = call.weights(weights, rows)
    if _is_date(rows):
        out = _quantiles_of_dates(call, a, rows, parts, method, skipna)
    else:
        opts = call.quantile_options(each, weight_type, nans=_nans(skipna), method=number)
        out = _quantile_rows(call, keys, rows.code, parts, opts)
    if are_labelled(groups, a):
        return of_groups(groups, call.found(), out, a, parts if wanted.ndim else None)
    return GroupValues(call.found(), call.place.copy(out if wanted.ndim == 1 else out[:, 0]))


def _quantile_rows(call: Call, keys: Any, code: int, parts: Any, opts: Any) -> Any:
    """Returns a row of quantiles for each group."""
    place = call.place
    out = place.empty((call.n, parts.size), np.float64)
    _quantiles(
        place.context, call.address, code, place.address(keys), call.n, pointer(parts), parts.size,
        place.address(out), ctypes.addressof(opts),
    )  # fmt: skip
    return out[: call.count]


def _quantiles_of_dates(
    call: Call, a: Any, rows: Rows, q: Any, method: str | None, skipna: bool
) -> Any:
    """Returns a row of quantiles for each group; `method` None: the median."""
    from . import times

    if q.size and not ((q >= 0) & (q <= 1)).all():
        raise ValueError("q must be numbers from 0 to 1")
    order = call.numbered(_rows_by_group(call, a, False))
    sizes = call.sizes[: call.count]
    elements = rows.restored(rows.keys)[order]
    return times.of_groups(elements, sizes, q, method, flag(skipna, "skipna"))


@by_library(GroupValues)
@with_guests
def group_median(
    groups: Any, a: Any, *, skipna: bool = True, dropna: bool = True, weights: Any = None
) -> GroupValues | Any:
    """Returns the median of the keys of each group, as pandas' ``groupby().median()``.

    Parameters
    ----------
    groups, a, skipna, dropna, weights : as for `group_quantile`.

    Returns
    -------
    GroupValues: `values` has one number for each group. If `groups` or `a` is an object of pandas,
    a Series as of ``groupby().median()``.

    Raises
    ------
    TypeError : `groups`, `a` or `weights` has the wrong type, or they are at different places.
    ValueError : `groups` or `a` has several dimensions, a weight is wrong, or the lengths differ.

    Examples
    --------
    >>> import ordo
    >>> ordo.group_median([7, 3, 7], [5, 1, 2])
    GroupValues(groups=array([3, 7]), values=array([1. , 3.5]))
    """
    call = Call(groups, dropna)
    keys, rows = call.values(a)
    each, weight_type = call.weights(weights, rows)
    half = np.array([0.5])
    if _is_date(rows):
        out = _quantiles_of_dates(call, a, rows, half, None, skipna)
    else:
        method = _lib.median_method(weight_type)
        opts = call.quantile_options(each, weight_type, nans=_nans(skipna), method=method)
        out = _quantile_rows(call, keys, rows.code, half, opts)
    if are_labelled(groups, a):
        return of_groups(groups, call.found(), out, a)
    return GroupValues(call.found(), call.place.copy(out[:, 0]))


@for_callers
@with_guests
def group_topk(
    groups: Any,
    a: Any,
    k: int,
    *,
    largest: bool = True,
    skipna: bool = True,
    dropna: bool = True,
) -> GroupTopK | Any:
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
    each group. If `groups` or `a` is an object of pandas, a Series as of ``groupby().nlargest()``:
    elements of `a` with the index (group, label of the row).

    Raises
    ------
    TypeError : `groups` or `a` has the wrong type, or they are at different places.
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
    k = integer(k, "k")
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
    if are_labelled(groups, a):
        return of_rows(groups, call.found(), rows.restored(values), call.numbered(index), a)
    return GroupTopK(call.found(), rows.restored(values), call.numbered(index), found)
