"""Few elements, which NumPy or Python has done with before a call of the library begins.

A call costs a microsecond or two, in which NumPy sorts a row of a hundred elements. Where rows are
shorter and there are several, the functions here do the same with NumPy's loops over rows; some do
one row of few elements. The results are the same bytes as those of a call for each row.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from ._arrays import FLOATS, HOST, Rows

# Elements a row from which on calls of the library are faster. Neoverse V1, f64, microseconds a
# row (here : library), rows of 10, 64 and 200 elements: sort 0.2 : 5, 1.7 : 5, 8 : 8; argsort
# 0.1 : 6, 4 : 7, 19 : 7; rank 1.3 : 6, 9.5 : 8.6, 20 : 9; median 0.2 : 5, 1.5 : 6, 5 : 5.
_SHORT = {"sort": 128, "argsort": 64, "rank": 32, "median": 128}


# Names, because Python computes expressions of constants when it compiles them.
_ONE, _LITTLE, _LEAST = 1.0, 1e-30, sys.float_info.min


def mode_is_default() -> bool:
    """Whether this thread rounds to nearest and keeps subnormal numbers.

    NumPy and Python compute in the thread's floating-point mode, the library in the default one. In
    another mode, such as that of torch.set_flush_denormal, the functions here must not be used.
    """
    return _LEAST / 2 > 0.0 and _ONE + _LITTLE == _ONE == _ONE - _LITTLE


def are_short(rows: Rows, verb: str) -> bool:
    short = rows.count > 1 and 0 < rows.n < _SHORT[verb] and rows.place is HOST
    return short and (rows.code not in FLOATS or mode_is_default())


def _turned(keys: Any) -> Any:
    """Keys whose ascending order is the descending one of these; NaNs stay NaNs, so last."""
    return -keys if keys.dtype.kind == "f" else ~keys


def _in_order_of_bits(bits: Any) -> Any:
    """Floats' bits as integers in the floats' order, -0 before +0; its own inverse."""
    return bits ^ ((bits >> (8 * bits.itemsize - 1)) & np.iinfo(bits.dtype).max)


def sort(rows: Rows, descending: bool) -> Any:
    """The sorted keys; None where there are NaNs, whose order is that of their bits."""
    keys = rows.keys
    if rows.code not in FLOATS:
        return np.sort(keys, -1) if not descending else ~np.sort(~keys, -1)
    if np.isnan(keys).any():
        return None
    keys = _in_order_of_bits(keys.view(f"i{keys.itemsize}"))
    keys = np.sort(keys, -1) if not descending else ~np.sort(~keys, -1)
    return _in_order_of_bits(keys).view(rows.keys.dtype)


def argsort(rows: Rows, descending: bool, dtype: Any) -> Any:
    keys = _turned(rows.keys) if descending else rows.keys
    return np.argsort(keys, -1, kind="stable").astype(dtype, copy=False)


def rank(rows: Rows, method: str, descending: bool, dtype: Any) -> Any:
    """Ranks within every row: those of the sorted row, put back to where its elements were."""
    keys = _turned(rows.keys) if descending else rows.keys
    order = np.argsort(keys, -1, kind="stable")
    place = np.arange(1, rows.n + 1)
    if method == "ordinal":
        ranks = np.broadcast_to(place, order.shape)
    else:
        ranks = _tied_ranks(np.take_along_axis(keys, order, -1), place, method)
    result = np.empty(order.shape, dtype)
    np.put_along_axis(result, order, ranks.astype(dtype, copy=False), -1)
    return result


def _tied_ranks(ordered: Any, place: Any, method: str) -> Any:
    """The ranks of sorted rows; `place` counts their elements from 1."""
    first = np.ones(ordered.shape, bool)
    first[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    if ordered.dtype.kind == "f":
        nan = np.isnan(ordered)
        first[..., 1:] &= ~(nan[..., 1:] & nan[..., :-1])
    if method == "dense":
        return np.cumsum(first, -1)
    least = np.maximum.accumulate(np.where(first, place, 0), -1)
    if method == "min":
        return least
    last = np.ones(ordered.shape, bool)
    last[..., :-1] = first[..., 1:]
    far = np.where(last, place, place[-1] + 1)
    most = np.minimum.accumulate(far[..., ::-1], -1)[..., ::-1]
    return most if method == "max" else (least + most) / 2


def median(rows: Rows) -> Any:
    """The medians of rows, NaN where there is one."""
    keys = rows.keys
    if rows.code in FLOATS:  # by their bits, because NumPy leaves zeros of both signs mixed
        keys = np.where(keys == keys, keys, np.nan).astype(keys.dtype, copy=False)
        bits = np.sort(_in_order_of_bits(keys.view(f"i{keys.itemsize}")), -1)
        ordered = _in_order_of_bits(bits).view(keys.dtype).astype(np.float64, copy=False)
    else:
        ordered = np.sort(keys, -1).astype(np.float64, copy=False)
    places = [(rows.n - 1) // 2, rows.n // 2, rows.n - 1]
    return middle(ordered[..., places])


def middle(triples: Any) -> Any:
    """Medians from the two middle elements and the last one, as ordo_median computes them."""
    below, above, last = (triples[..., i : i + 1] for i in range(3))
    with np.errstate(invalid="ignore", over="ignore"):
        total = below + above
        whole = np.isfinite(total) | ~np.isfinite(below) | ~np.isfinite(above)
        mean = np.where(whole, total / 2, below / 2 + above / 2)
    result = np.where(below == above, below, mean)
    return np.where(last == last, result, np.nan)


# ---- One row -----------------------------------------------------------------------------------

# Elements of one row up to which it is done here. Neoverse V1, f64, microseconds (here : library)
# of 10, 32, 64 and 128 elements: topk 2.2 : 3.8, 2.5 : 4.0, 3.8 : 4.1, 5.8 : 4.5; distinct 2.5 : 5,
# 5.1 : 5, 8 : 5.3; minima 1.5 : 3.3 at 10.
TOPK = 64
DISTINCT = 24
EXTREMES = 256


def topk(a: Any, k: int, largest: bool) -> tuple[Any, Any]:
    """The k first elements and their places, equal ones by place."""
    keys = _turned(a) if largest else a
    index = keys.argsort(kind="stable")[:k]
    return a[index], index


def distinct(a: Any) -> Any:
    """The distinct elements in order; None if there may be a NaN or a zero that has a sign."""
    if a.dtype.kind == "f" and not mode_is_default():
        return None
    numbers = a.tolist()
    if a.dtype.kind == "f":
        total = sum(numbers)
        if total != total or 0.0 in numbers:
            return None
    return np.array(sorted(set(numbers)), a.dtype)


def extremes(a: Any, extreme: Any) -> Any:
    """np.maximum or np.minimum of the elements so far; None if a zero or a NaN may be among them.

    They rise or fall, so there is no zero if the first and the last are on one side of it.
    """
    if a.dtype.kind == "f" and not mode_is_default():
        return None
    result = extreme.accumulate(a)
    if a.dtype.kind == "f":
        first, last = result.item(0), result.item(-1)
        if not (first > 0 < last or first < 0 > last):
            return None
    return result


def middle_of_one(triple: Any) -> Any:
    """`middle` of one row, by numbers: NumPy's functions cost microseconds each."""
    below, above, last = triple.reshape(-1).tolist()
    if last != last:
        result = math.nan
    elif below == above:
        result = below
    else:
        total = below + above
        too_far = math.isinf(total) and math.isfinite(below) and math.isfinite(above)
        result = below / 2 + above / 2 if too_far else total / 2
    return np.array([result]).reshape(*triple.shape[:-1], 1)
