"""Strings: NumPy's S and U arrays, object arrays of bytes or str, and Arrow strings.

The library compares bytes. The bytes of an S array are used without a copy. A U array holds code
points; they are written with the most significant byte first, in 1, 2 or 4 bytes as the largest
code point needs. Objects of type str are encoded in UTF-8, as Arrow strings are. Both encodings
keep the order of the code points.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy as np

from . import _lib
from ._arrays import HOST, address, normal_axes, place_of, product
from ._check import output
from ._context import host_context

_RANK_CODES = {"u4": _lib.U32, "i4": _lib.U32, "u8": _lib.U64, "i8": _lib.U64, "f8": _lib.F64}


class Text:
    """n strings: their bytes, the n + 1 offsets of the strings, and a mask of missing strings.

    `source` is the array that the strings come from.
    """

    dtype = np.dtype("S")
    ndim = 1

    def __init__(self, data: Any, offsets: Any, source: Any, missing: Any = None) -> None:
        self.data = data
        self.offsets = offsets
        self.source = source
        self.missing = missing
        self.size = offsets.size - 1
        self.shape = (self.size,)

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Calls function(context, strings, n, arguments...) of the library."""
        strings = _lib.Strings(
            struct_size=ctypes.sizeof(_lib.Strings),
            bytes=address(self.data),
            offsets=address(self.offsets),
        )
        function(host_context(), ctypes.addressof(strings), self.size, *arguments)

    def present(self) -> Text:
        """Returns the strings that are not missing."""
        kept = ~self.missing
        lengths = np.diff(self.offsets)
        data = self.data[int(self.offsets[0]) : int(self.offsets[-1])]
        if lengths[self.missing].any():
            data = data[np.repeat(kept, lengths.astype(np.intp))]
        offsets = np.zeros(int(kept.sum()) + 1, np.uint64)
        np.cumsum(lengths[kept], out=offsets[1:])
        return Text(np.ascontiguousarray(data), offsets, None)

    def take(self, index: Any) -> Any:
        """Returns the strings at these indices, as an array of the library of `source`."""
        source = self.source
        if isinstance(source, np.ndarray):
            return source[index]
        indices = np.atleast_1d(index)
        if hasattr(source, "gather"):
            return source.gather(indices)
        try:
            return source.take(indices)
        except NotImplementedError:  # pyarrow has no `take` for string views
            kind = "large_binary" if "binary" in str(source.type) else "large_string"
            return source.cast(kind).take(indices).cast(source.type)


def _equal_lengths(data: Any, n: int, width: int, source: Any) -> Text:
    return Text(data, np.arange(n + 1, dtype=np.uint64) * np.uint64(width), source)


def text_of(array: Any) -> Text:
    """Converts a row of strings to a Text. Other objects raise a TypeError."""
    if isinstance(array, Text):
        return array
    kind, n = array.dtype.kind, array.size
    if kind == "S":
        flat = np.ascontiguousarray(array)
        data = flat.view(np.uint8) if flat.itemsize else flat
        return _equal_lengths(data, n, flat.itemsize, array)
    if kind == "U":
        return _code_points(array)
    if kind == "T":
        return _objects(array.astype(object), array)
    return _objects(array, array)


def _code_points(array: Any) -> Text:
    flat = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    length = flat.itemsize // 4
    if length == 0 or flat.size == 0:
        return _equal_lengths(np.empty(0, np.uint8), flat.size, 0, array)
    points = flat.view(np.uint32)
    largest = int(points.max())
    narrow = ">u1" if largest < 1 << 8 else ">u2" if largest < 1 << 16 else ">u4"
    data = points.astype(narrow)
    return _equal_lengths(data.view(np.uint8), flat.size, length * data.itemsize, array)


def _objects(array: Any, source: Any) -> Text:
    elements = array.tolist()
    kinds = set(map(type, elements))
    if all(issubclass(kind, str) for kind in kinds):
        elements = [element.encode("utf-8", "surrogatepass") for element in elements]
    elif not all(issubclass(kind, bytes) for kind in kinds):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(
            f"the elements are objects ({names}); expected numbers of one dtype, all bytes or all "
            "str"
        )
    offsets = np.zeros(len(elements) + 1, np.uint64)
    np.cumsum(list(map(len, elements)), out=offsets[1:])
    data = np.frombuffer(b"".join(elements) or b"\0", np.uint8)
    return Text(data, offsets, source)


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


def _sort_options(descending: bool, algorithm: int = 0) -> Any:
    flags = _lib.DESCENDING if descending else 0
    return _lib.options(_lib.SortOptions, flags=flags, algorithm=algorithm)


def _order(array: Any, descending: bool, dtype: Any = np.intp, algorithm: int = 0) -> Any:
    """Returns the sorting indices of a row. Missing strings are last."""
    text = text_of(array)
    if text.missing is not None:
        present = np.flatnonzero(~text.missing)
        order = present[_order(text.present(), descending, algorithm=algorithm)]
        return np.concatenate((order, np.flatnonzero(text.missing))).astype(dtype, copy=False)
    result = np.empty(text.size, dtype)
    code = _lib.U32 if result.itemsize == 4 else _lib.U64
    text.call(_lib.argsort_strings, code, address(result), _sort_options(descending, algorithm))
    return result


def argsort(
    array: Any, axis: int | None, descending: bool, dtype: Any = np.intp, algorithm: str = "auto"
) -> Any:
    number = check_algorithm(algorithm)
    rows, lead, n = _rows(array, axis)
    order = _each(rows, lead, n, dtype, lambda row: _order(row, descending, dtype, number))
    return _back(order, axis)


def sort(array: Any, axis: int | None, descending: bool, out: Any, algorithm: str = "auto") -> Any:
    number = check_algorithm(algorithm)
    rows, lead, n = _rows(array, axis)
    if out is not None:
        _check_out(array, out, array.shape if axis is not None else (n,))
    if isinstance(rows, Text):
        return rows.take(_order(rows, descending, algorithm=number))
    ordered = _each(
        rows, lead, n, array.dtype, lambda row: row[_order(row, descending, algorithm=number)]
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
    opts = _sort_options(descending)
    text.call(_lib.select_strings, address(k), k.size, address(result), opts)
    return result.astype(np.intp)


def select(array: Any, k: Any, axis: Any, descending: bool) -> Any:
    from ._select import check_positions

    rows, lead, n = _rows(array, axis, several=True)
    where = check_positions(k, n)
    flat = where.reshape(-1)

    def chosen(row: Any) -> Any:
        text = text_of(row)
        if text.missing is None:
            return _selected(text, flat, descending)
        return _order(text, descending)[flat]

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
    index = _each(rows, lead, k, np.intp, lambda row: _order(row, largest)[:k])
    if isinstance(rows, Text):
        return rows.take(index), index
    return _back(np.take_along_axis(rows, index, -1), axis), _back(index, axis)


def is_sorted(array: Any, axis: int | None, descending: bool) -> Any:
    rows, lead, _ = _rows(array, axis)

    def answer(row: Any) -> Any:
        order = _order(row, descending)
        return (order == np.arange(order.size)).all()

    result = _each(rows, lead, 1, bool, answer).reshape(lead)
    return result if lead else bool(result)


def unique(
    array: Any, return_index: bool, return_inverse: bool, return_counts: bool
) -> tuple[Any, ...]:
    """Returns the results of `ordo.unique`. Strings with the same dense rank are equal."""
    row = array if isinstance(array, Text) else array.reshape(-1)
    text = text_of(row)
    order = _order(text, False)
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
