"""The verbs on strings: S and U arrays, object arrays of bytes or str, and Arrow strings."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _lib
from ._arrays import HOST, address, normal_axes, place_of, product
from ._check import check_positions, output
from ._inputs.text import Text, order_of, sort_options, text_of

_RANK_CODES = {"u4": _lib.U32, "i4": _lib.U32, "u8": _lib.U64, "i8": _lib.U64, "f8": _lib.F64}

# ---- Rows --------------------------------------------------------------------------------------


def _rows(array: Any, axis: Any, several: bool = False) -> tuple[Any, tuple, int]:
    """Returns rows along the last axis, the shape before that axis, and the length of a row.

    A Text is one row. `axis` may be a tuple if `several` is set.
    """
    axes = None if axis is None else normal_axes(axis, array.ndim, several)
    if isinstance(array, Text):
        return array, (), array.size
    if axes is None:
        return array.reshape(-1), (), array.size
    rows = np.moveaxis(array, axes, tuple(range(array.ndim - len(axes), array.ndim)))
    lead = rows.shape[: array.ndim - len(axes)]
    n = product(rows.shape[len(lead) :])
    return rows.reshape((*lead, n)), lead, n


def _each(rows: Any, lead: tuple, width: int, dtype: Any, function: Callable[[Any], Any]) -> Any:
    """Returns the results of `function` for every row, `width` elements along the last axis."""
    if not lead:  # the result of one row needs no copy
        return np.asarray(function(rows), dtype)
    result = np.empty((*lead, width), dtype)
    for i in np.ndindex(lead):
        result[i] = function(rows[i])
    return result


def _back(result: Any, axis: int | None) -> Any:
    """Moves the last axis to the caller's axis."""
    return result if axis is None or result.ndim < 2 else np.moveaxis(result, -1, axis)


def check_algorithm(algorithm: str, names: tuple[str, ...] = ("auto", "sample")) -> int:
    """Returns the number of an algorithm of a call on strings; `names` are those of the call."""
    number = _lib.number_of(_lib.ALGORITHMS, algorithm, "algorithm")
    if algorithm not in names:
        expected = " or ".join(map(repr, names))
        raise ValueError(f"algorithm is {algorithm!r}; expected {expected} for strings")
    return number


def argsort(
    array: Any, axis: int | None, descending: bool, dtype: Any = np.intp, algorithm: str = "auto"
) -> Any:
    number = check_algorithm(algorithm)
    rows, lead, n = _rows(array, axis)
    order = _each(rows, lead, n, dtype, lambda row: order_of(row, descending, dtype, number))
    return _back(order, axis)


def sort(array: Any, axis: int | None, descending: bool, out: Any, algorithm: str = "auto") -> Any:
    number = check_algorithm(algorithm)
    rows, lead, n = _rows(array, axis)
    if out is not None:
        _check_out(array, out, array.shape if axis is not None else (n,))
    if isinstance(rows, Text):
        return rows.take(order_of(rows, descending, algorithm=number))
    ordered = _each(
        rows, lead, n, array.dtype, lambda row: row[order_of(row, descending, algorithm=number)]
    )
    result = _back(ordered, axis)
    if out is None:
        return result
    out[...] = result
    return out


def _check_out(array: Any, out: Any, shape: tuple) -> None:
    if isinstance(array, Text):
        raise TypeError("out is given, and a is not a NumPy array; expected out=None")
    place, _ = place_of(out) if hasattr(out, "dtype") else (None, None)
    if place is None:
        raise TypeError(f"out is a {type(out).__name__}; expected an array")
    output(HOST, place, out, shape, array.dtype)


def ranks_of(array: Any, ties: int, descending: bool, dtype: Any, algorithm: int = 0) -> Any:
    """Returns the ranks of a row without missing strings."""
    text = text_of(array)
    result = np.empty(text.size, dtype)
    flags = _lib.DESCENDING if descending else 0
    opts = _lib.options(_lib.RankOptions, flags=flags, ties=ties, algorithm=algorithm)
    text.call(_lib.rank_strings, _RANK_CODES[result.dtype.str[1:]], address(result), opts)
    return result


def rankdata(
    array: Any,
    axis: int | None,
    nan_policy: str,
    dtype: Any,
    exact: bool,
    ties: int,
    descending: bool,
    algorithm: int,
) -> Any:
    """Returns ranks. `exact`: the caller chose `dtype`, and `dtype` cannot hold NaN."""
    rows, lead, n = _rows(array, axis)
    if isinstance(array, Text) and array.missing is not None:
        if nan_policy == "raise":
            raise ValueError("The input contains nulls; expected none with nan_policy='raise'")
        if exact:
            raise ValueError(
                f"dtype is {dtype}, which cannot hold NaN, the rank of a null; expected float64"
            )
        result = np.full(array.size, np.nan)
        if nan_policy == "omit":
            kept = ~array.missing
            result[kept] = ranks_of(array.present(), ties, descending, np.float64, algorithm)
        return result
    ranks = _each(
        rows, lead, n, dtype, lambda row: ranks_of(row, ties, descending, dtype, algorithm)
    )
    return _back(ranks, axis)


def _selected(text: Text, k: Any, descending: bool) -> Any:
    """Returns the indices of the strings at positions `k` of the sorted array."""
    result = np.empty(k.shape, np.uint64)
    k = np.ascontiguousarray(k)
    opts = sort_options(descending)
    text.call(_lib.select_strings, address(k), k.size, address(result), opts)
    return result.astype(np.intp)


def select(array: Any, k: Any, axis: Any, descending: bool) -> Any:
    rows, lead, n = _rows(array, axis, several=True)
    where = check_positions(k, n)
    flat = where.reshape(-1)

    def chosen(row: Any) -> Any:
        text = text_of(row)
        if text.missing is None:
            return _selected(text, flat, descending)
        return order_of(text, descending)[flat]

    index = _each(rows, lead, flat.size, np.intp, chosen)
    if isinstance(rows, Text):
        return _select_text(rows, index, where)
    values = np.take_along_axis(rows, index, -1)
    return np.moveaxis(values, -1, 0).reshape((*where.shape, *lead))[()]


def _select_text(text: Text, index: Any, where: Any) -> Any:
    if where.ndim > 1:
        raise ValueError(f"k has {where.ndim} dimensions; expected at most 1 for Arrow strings")
    taken = text.take(index)
    if where.ndim:
        return taken
    return taken.iloc[0] if hasattr(taken, "iloc") else taken[0]


def topk(array: Any, k: int, axis: int | None, largest: bool) -> tuple[Any, Any]:
    rows, lead, n = _rows(array, axis)
    if not 0 <= k <= n:
        raise ValueError(f"k is {k}; expected 0 to {n}")
    index = _each(rows, lead, k, np.intp, lambda row: order_of(row, largest)[:k])
    if isinstance(rows, Text):
        return rows.take(index), index
    return _back(np.take_along_axis(rows, index, -1), axis), _back(index, axis)


def is_sorted(array: Any, axis: int | None, descending: bool) -> Any:
    rows, lead, _ = _rows(array, axis)

    def answer(row: Any) -> Any:
        order = order_of(row, descending)
        return (order == np.arange(order.size)).all()

    result = _each(rows, lead, 1, bool, answer).reshape(lead)
    return result if lead else bool(result)


def unique(
    array: Any, return_index: bool, return_inverse: bool, return_counts: bool
) -> tuple[Any, ...]:
    """Returns the results of `ordo.unique`. Strings with the same dense rank are equal."""
    row = array if isinstance(array, Text) else array.reshape(-1)
    text = text_of(row)
    order = order_of(text, False)
    ranks = np.empty(text.size, np.intp)
    if text.missing is None:
        ranks[:] = ranks_of(text, _lib.TIES["dense"], False, np.int64)
    else:
        kept = ~text.missing
        ranks[kept] = ranks_of(text.present(), _lib.TIES["dense"], False, np.int64)
        ranks[~kept] = ranks[kept].max(initial=0) + 1
    in_order = ranks[order]
    starts = np.flatnonzero(np.diff(in_order, prepend=0))
    parts = [text.take(order[starts]) if isinstance(row, Text) else row[order[starts]]]
    if return_index:
        parts.append(order[starts])
    if return_inverse:
        parts.append((ranks - 1).reshape(array.shape))
    if return_counts:
        parts.append(np.diff(starts, append=text.size))
    return tuple(parts)
