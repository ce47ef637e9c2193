"""The verbs on strings: S and U arrays, object arrays of bytes or str, and Arrow strings.

One row is a call of the library on its strings. For several rows, one call ranks all strings, and
one call on the ranks does all rows.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .. import _lib
from .._arrays import HOST, Rows, address, normal_axes, place_of, product
from .._check import check_positions, output
from .._inputs.text import Text, order_of, sort_options, text_of

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


def _by_rows(rows: Any, result: Any, call: Callable[..., None], struct: Any, opts: Any) -> Any:
    """Calls call(context, type, ranks, n, result, options) for the ranks of all rows."""
    if rows.size:
        size = np.dtype(np.uint32 if rows.size < 1 << 32 else np.int64)
        ranks = ranks_of(rows.reshape(-1), _lib.TIES["dense"], False, size).reshape(rows.shape)
        along = Rows(HOST, ranks, -1)
        along.run(
            lambda context, n, opts, keys, out: call(context, along.code, keys, n, out, opts),
            struct,
            opts,
            result,
        )
    return result


def _orders(
    rows: Any, lead: tuple, n: int, descending: bool, dtype: Any = np.intp, algorithm: int = 0
) -> Any:
    """Returns the sorting indices of every row."""
    if not lead:
        return order_of(rows, descending, dtype, algorithm)
    code = _lib.U32 if np.dtype(dtype).itemsize == 4 else _lib.U64
    return _by_rows(
        rows,
        np.empty((*lead, n), dtype),
        lambda context, kind, keys, n, out, opts: _lib.argsort(
            context, kind, keys, n, code, out, opts
        ),
        _lib.SortOptions,
        sort_options(descending),
    )


def _back(result: Any, axis: int | None) -> Any:
    """Moves the last axis to the caller's axis."""
    return result if axis is None or result.ndim < 2 else np.moveaxis(result, -1, axis)


def check_algorithm(algorithm: str, names: tuple[str, ...] = ("auto", "sample")) -> int:
    """Returns the number of an algorithm of a call on strings; `names` are those of the call."""
    number = _lib.number_of(_lib.ALGORITHMS, algorithm, "algorithm", ", ".join(names))
    if algorithm not in names:
        expected = " or ".join(map(repr, names))
        raise ValueError(f"algorithm is {algorithm!r}; expected {expected} for strings")
    return number


def argsort(
    array: Any, axis: int | None, descending: bool, dtype: Any = np.intp, algorithm: str = "auto"
) -> Any:
    number = check_algorithm(algorithm)
    rows, lead, n = _rows(array, axis)
    return _back(_orders(rows, lead, n, descending, dtype, number), axis)


def sort(array: Any, axis: int | None, descending: bool, out: Any, algorithm: str = "auto") -> Any:
    number = check_algorithm(algorithm)
    rows, lead, n = _rows(array, axis)
    if out is not None:
        _check_out(array, out, array.shape if axis is not None else (n,))
    order = _orders(rows, lead, n, descending, algorithm=number)
    if isinstance(rows, Text):
        return rows.take(order)
    result = _back(np.take_along_axis(rows, order, -1), axis)
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
    if not lead:
        return _back(ranks_of(rows, ties, descending, dtype, algorithm), axis)
    code = _RANK_CODES[np.dtype(dtype).str[1:]]
    flags = _lib.DESCENDING if descending else 0
    ranks = _by_rows(
        rows,
        np.empty((*lead, n), dtype),
        lambda context, kind, keys, n, out, opts: _lib.rank(
            context, kind, keys, n, code, out, opts
        ),
        _lib.RankOptions,
        _lib.options(_lib.RankOptions, flags=flags, ties=ties),
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
    text = None if lead else text_of(rows)
    if text is not None and text.missing is None:
        index = _selected(text, flat, descending)
    else:
        index = _orders(rows, lead, n, descending)[..., flat]
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
    index = _orders(rows, lead, n, largest)[..., :k]
    if isinstance(rows, Text):
        return rows.take(index), index
    return _back(np.take_along_axis(rows, index, -1), axis), _back(index, axis)


def is_sorted(array: Any, axis: int | None, descending: bool) -> Any:
    rows, lead, n = _rows(array, axis)
    result = (_orders(rows, lead, n, descending) == np.arange(n)).all(-1)
    return result if lead else bool(result)


def unique(
    array: Any,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    return_values: bool = True,
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
    first = order[starts]
    parts: list[Any] = []
    if return_values:
        parts.append(text.take(first) if isinstance(row, Text) else row[first])
    if return_index:
        parts.append(first)
    if return_inverse:
        parts.append((ranks - 1).reshape(array.shape))
    if return_counts:
        parts.append(np.diff(starts, append=text.size))
    return tuple(parts)
