"""Short rows, where NumPy is faster than a call of the library.

A call of the library costs 1 to 5 microseconds for each row. NumPy sorts many short rows in one
call. The results are the same bytes as those of the library. ``python -m ordo.bench rows`` and
``python -m ordo.bench overhead`` measure the two cases.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._arrays import FLOATS, HOST, Rows

# Names, because Python evaluates expressions of literals at compile time.
_ONE, _LITTLE, _LEAST = 1.0, 1e-30, sys.float_info.min


def mode_is_default() -> bool:
    """Returns whether this thread rounds to nearest and keeps subnormal numbers.

    NumPy computes in the thread's floating-point mode, the library always in the default mode. In
    another mode (for example after torch.set_flush_denormal) results of NumPy may differ.
    """
    return _LEAST / 2 > 0.0 and _ONE + _LITTLE == _ONE == _ONE - _LITTLE


# ---- Many rows ---------------------------------------------------------------------------------

# For each verb: the number of rows from which, and of elements below which, NumPy is faster.
# Microseconds (NumPy : library) of f64 on one Sapphire Rapids core; in this order rows of 10
# elements, 4, 16, 100 and 1000 of them; then 100 rows of 30 and of 60 elements:
#   sort     10 : 13    11 : 27    16 : 120    61 : 1111    18 : 137    24 : 144
#   argsort   6 : 14     7 : 33    10 : 146   129 : 1380    44 : 180   136 : 172
#   rank     36 : 19    44 : 43    68 : 192   438 : 1835   145 : 202   299 : 230
#   median   23 : 19    25 : 37    28 : 152    77 : 1454    32 : 195    39 : 216
_SHORT = {"sort": (2, 128), "argsort": (2, 64), "rank": (20, 24), "median": (8, 128)}


def are_short(rows: Rows, verb: str) -> bool:
    """Returns whether the function `verb` of this file is faster for these rows."""
    least, limit = _SHORT[verb]
    if rows.count < least or not 0 < rows.n < limit or rows.place is not HOST:
        return False
    return rows.code not in FLOATS or mode_is_default()


def _reversed(keys: Any) -> Any:
    """Returns keys whose ascending order is the descending order of `keys`; NaNs stay last."""
    return -keys if keys.dtype.kind == "f" else ~keys


def _in_order_of_bits(bits: Any) -> Any:
    """Maps float bits to integers in the order of the floats, -0 before +0. Its own inverse."""
    return bits ^ ((bits >> (8 * bits.itemsize - 1)) & np.iinfo(bits.dtype).max)


def _sorted(keys: Any, descending: bool = False) -> tuple[Any, Any]:
    """Returns sorted rows, and for each row whether it holds a NaN."""
    ordered = np.sort(_reversed(keys) if descending else keys, -1)
    nan = ordered[..., -1:] != ordered[..., -1:]
    if keys.dtype.kind == "f" and (ordered == 0).any():  # NumPy does not order -0 and +0
        bits = _in_order_of_bits(keys.view(f"i{keys.itemsize}"))
        bits = ~np.sort(~bits, -1) if descending else np.sort(bits, -1)
        return _in_order_of_bits(bits).view(keys.dtype), nan
    return _reversed(ordered) if descending else ordered, nan


def sort(rows: Rows, descending: bool) -> Any:
    """Returns sorted rows, or None if there are NaNs, which the library orders by their bits."""
    ordered, nan = _sorted(rows.keys, descending)
    return None if nan.any() else ordered


def argsort(rows: Rows, descending: bool, dtype: Any) -> Any:
    keys = _reversed(rows.keys) if descending else rows.keys
    return np.argsort(keys, -1, kind="stable").astype(dtype, copy=False)


def rank(rows: Rows, method: str, descending: bool, dtype: Any) -> Any:
    """Returns ranks within every row: sorts the row, ranks it, and undoes the permutation."""
    keys = _reversed(rows.keys) if descending else rows.keys
    order = np.argsort(keys, -1, kind="stable")
    position = np.arange(1, rows.n + 1)
    if method == "ordinal":
        ranks = np.broadcast_to(position, order.shape)
    else:
        ranks = _tied_ranks(np.take_along_axis(keys, order, -1), position, method)
    result = np.empty(order.shape, dtype)
    np.put_along_axis(result, order, ranks.astype(dtype, copy=False), -1)
    return result


def _tied_ranks(ordered: Any, position: Any, method: str) -> Any:
    """Returns the ranks of sorted rows. `position` counts the elements of a row from 1."""
    first = np.ones(ordered.shape, bool)
    first[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    if ordered.dtype.kind == "f":
        nan = np.isnan(ordered)
        first[..., 1:] &= ~(nan[..., 1:] & nan[..., :-1])
    if method == "dense":
        return np.cumsum(first, -1)
    least = np.maximum.accumulate(np.where(first, position, 0), -1)
    if method == "min":
        return least
    last = np.ones(ordered.shape, bool)
    last[..., :-1] = first[..., 1:]
    ends = np.where(last, position, position[-1] + 1)
    most = np.minimum.accumulate(ends[..., ::-1], -1)[..., ::-1]
    return most if method == "max" else (least + most) / 2


def median(rows: Rows) -> Any:
    """Returns the medians of rows, NaN for a row with a NaN."""
    ordered, nan = _sorted(rows.keys)
    pairs = ordered[..., [(rows.n - 1) // 2, rows.n // 2]].astype(np.float64, copy=False)
    result = middle(pairs)
    result[nan] = np.nan
    return result


def middle(pairs: Any) -> Any:
    """Returns medians from the two middle elements of each row, as ordo_median computes them."""
    below, above = pairs[..., :1], pairs[..., 1:]
    with np.errstate(invalid="ignore", over="ignore"):
        mean = (below + above) / 2
        if not np.isfinite(mean).all():
            overflow = np.isinf(mean) & np.isfinite(below) & np.isfinite(above)
            mean[overflow] = (below / 2 + above / 2)[overflow]
            mean[np.isnan(mean)] = np.nan  # the sign of inf - inf depends on the CPU
    np.copyto(mean, below, where=below == above)
    return mean


# ---- One row -----------------------------------------------------------------------------------

# Elements of one row up to which these functions are faster. Microseconds (here : library) of f64.
# Sapphire Rapids: topk of 10 and 64 elements 2.5 : 3.8 and 3.3 : 4.5; distinct of 10 and 24
# 3.0 : 4.9 and 5.1 : 5.2; cummin of 10, 64 and 256 1.5 : 2.9, 1.9 : 3.3 and 2.9 : 3.6. Neoverse V1:
# topk of 10 and 64 2.2 : 3.8 and 3.8 : 4.1; distinct of 10 2.5 : 5; cummin of 10 1.5 : 3.3.
TOPK = 64
DISTINCT = 16
EXTREMES = 256


def topk(a: Any, k: int, largest: bool) -> tuple[Any, Any]:
    """Returns the first k elements in order and their indices, ties by index."""
    keys = _reversed(a) if largest else a
    index = keys.argsort(kind="stable")[:k]
    return a[index], index


def distinct(a: Any) -> Any:
    """Returns the sorted distinct elements.

    Returns None if a NaN or a float zero may be among them: a set would keep either -0 or +0.
    """
    numbers = a.tolist()
    if a.dtype.kind == "f":
        total = sum(numbers)
        if total != total or 0.0 in numbers or not mode_is_default():
            return None
    return np.array(sorted(set(numbers)), a.dtype)


def extremes(a: Any, extreme: Any) -> Any:
    """Returns np.maximum or np.minimum of the elements so far.

    Returns None if a float zero or a NaN may be among the results, because NumPy mixes -0 and +0.
    The results are monotonic, so none is zero if the first and the last have the same sign.
    """
    if a.dtype.kind == "f" and not mode_is_default():
        return None
    result = extreme.accumulate(a)
    if a.dtype.kind == "f":
        first, last = result.item(0), result.item(-1)
        if not (first > 0 < last or first < 0 > last):
            return None
    return result
