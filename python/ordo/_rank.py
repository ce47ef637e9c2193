"""rankdata: which place each element has in the order of all, with every rule for ties."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _lib, _short
from ._arrays import (
    AXIS_TYPES,
    FEW_TO_SEARCH,
    HOST,
    PLAIN,
    Rows,
    is_text,
    last_in_order,
    place_of,
    plain_code,
    pointer,
    rows_have_nan,
)
from ._check import flag
from ._context import host_context
from ._device import with_guests

_FLOAT = np.dtype(np.float64)
_INTEGER = np.dtype(np.int64)
_F32, _F64 = PLAIN[np.dtype(np.float32)], PLAIN[_FLOAT]
_RANK_TYPES = {
    np.dtype("u4"): _lib.U32,
    np.dtype("i4"): _lib.U32,
    np.dtype("u8"): _lib.U64,
    np.dtype("i8"): _lib.U64,
    np.dtype("f8"): _lib.F64,
}
NAN_POLICIES = ("propagate", "omit", "raise")


def check_nan_policy(nan_policy: str) -> None:
    if nan_policy not in NAN_POLICIES:
        raise ValueError(f"nan_policy is {nan_policy!r}; expected one of {', '.join(NAN_POLICIES)}")


def rank_type(method: str, dtype: Any, n: int) -> Any:
    """The dtype of the ranks; TypeError for one that cannot hold them."""
    if dtype is None:
        return _FLOAT if method == "average" else _INTEGER
    wanted = np.dtype(dtype)
    if wanted not in _RANK_TYPES:
        raise TypeError(
            f"dtype is {wanted}; ranks are float64, int64, uint64, int32 or uint32 (float32 "
            "cannot hold those above 2^24)"
        )
    if method == "average" and wanted != _FLOAT:
        raise TypeError(f"dtype is {wanted}; average ranks have halves and need float64")
    if wanted.itemsize == 4 and n > np.iinfo(wanted).max:
        raise ValueError(f"dtype is {wanted}, which cannot hold ranks of {n} elements")
    return wanted


def _options(place: Any, method: str, descending: bool) -> Any:
    return _lib.options(
        _lib.RankOptions,
        flags=place.flags | (_lib.DESCENDING if descending else 0),
        ties=_lib.TIES[method],
        stream=place.stream or None,
    )


def _prepare(method: str, descending: bool) -> tuple:
    dtype = rank_type(method, None, 0)
    return _options(HOST, method, descending), dtype, PLAIN[dtype if dtype == _FLOAT else _COUNT]


# Of plain rows: options, and dtype and type of the ranks, by method and direction.
_COUNT = np.dtype(np.uint64)
_UNKNOWN = (None, None, None)
_PREPARED = {(m, d): _prepare(m, d) for m in _lib.TIES for d in (False, True)}


def rank_rows(rows: Rows, method: str, descending: bool, dtype: Any) -> Any:
    """The ranks within every row, NaNs last and tied, in an array of the keys' shape."""
    if _short.are_short(rows, "rank"):
        return _short.rank(rows, method, descending, dtype)
    code, n, out_code = rows.code, rows.n, _RANK_TYPES[dtype]
    wish = _options(rows.place, method, descending)
    result = rows.place.empty(rows.keys.shape, dtype)
    rows.run(
        lambda context, keys, ranks: _lib.rank(context, code, keys, n, out_code, ranks, wish),
        result,
    )
    return result


def rankdata(
    a: Any,
    method: str = "average",
    *,
    axis: int | None = None,
    nan_policy: str = "propagate",
    descending: bool = False,
    dtype: Any = None,
) -> Any:
    """Ranks from 1 on, as `scipy.stats.rankdata`.

    Parameters
    ----------
    a : array-like of numbers or strings; also arrays on a GPU, and Arrow arrays.
    method : what tied elements get: 'average', 'min', 'max', 'dense' or 'ordinal'.
    axis : along which to rank; None ranks all elements together and returns one dimension.
    nan_policy : 'propagate': a row with a NaN gets only NaNs; 'omit': NaNs get NaN and are not
        counted; 'raise': ValueError.
    descending : the largest element has rank 1.
    dtype : default float64 for 'average' and int64 for the others, which become float64 only
        where there are NaNs to give back; also uint64, int32, uint32. Never float32, which
        cannot hold ranks above 2^24.

    Examples
    --------
    >>> import ordo
    >>> ordo.rankdata([0, 2, 3, 2])
    array([1. , 2.5, 4. , 2.5])
    >>> ordo.rankdata([0, 2, 3, 2], method="min")
    array([1, 2, 4, 2])
    >>> ordo.rankdata([0, 2, 3, 2], method="dense", descending=True)
    array([3, 2, 1, 2])
    """
    if descending is not False:
        descending = flag(descending, "descending")
    code = plain_code(a)
    if code is not None and dtype is None and nan_policy == "propagate" and type(method) is str:
        wish, kind, kind_code = _PREPARED.get((method, descending), _UNKNOWN)
        if kind is not None and axis in (None, 0, -1) and type(axis) in AXIS_TYPES:
            n = a.size
            context = host_context()
            if (code is _F64 or code is _F32) and n:
                few = n <= FEW_TO_SEARCH
                largest = a.item(a.argmax()) if few else last_in_order(context, code, a, n)
                if largest != largest:
                    return np.full(n, np.nan)
            result = np.empty(n, kind)
            status = _lib.rank(context, code, pointer(a), n, kind_code, pointer(result), wish)
            if status:
                _lib.fail(status, context)
            return result
    return _rankdata(a, method, axis, nan_policy, descending, dtype)


@with_guests
def _rankdata(
    a: Any, method: str, axis: int | None, nan_policy: str, descending: bool, dtype: Any
) -> Any:
    ties = _lib.number_of(_lib.TIES, method, "method")
    check_nan_policy(nan_policy)
    place, array = place_of(a)
    if place is HOST and is_text(array):
        from . import _strings

        wanted = rank_type(method, dtype, array.size)
        exact = dtype is not None and wanted != _FLOAT
        return _strings.rankdata(array, axis, nan_policy, wanted, exact, ties, descending)
    rows = Rows(place, array, axis)
    wanted = rank_type(method, dtype, rows.n)
    with_nan = rows_have_nan(rows)
    if with_nan is None:
        return rows.back(rank_rows(rows, method, descending, wanted))
    if nan_policy == "raise":
        raise ValueError("The input contains nan values")
    if dtype is not None and wanted != _FLOAT:
        raise ValueError(f"dtype is {wanted}, which cannot hold the rank of a NaN, NaN")
    ranks = rank_rows(rows, method, descending, _FLOAT)
    place.set_nan(ranks, with_nan if nan_policy == "propagate" else place.isnan(rows.keys))
    return rows.back(ranks)
