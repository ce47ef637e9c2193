"""Strings: NumPy's S and U arrays, object arrays of bytes or str, Arrow's strings.

The library compares bytes. Bytes of an S array are used where they lie. A U array holds code
points, which are written most significant byte first and as narrow as the largest allows; UTF-8,
which Python's own strings are encoded in, and Arrow's are, keeps their order as it is.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy as np

from . import _lib
from ._arrays import HOST, address, normal_axis, place_of, product
from ._check import output
from ._context import host_context

_RANK_CODES = {"u4": _lib.U32, "i4": _lib.U32, "u8": _lib.U64, "i8": _lib.U64, "f8": _lib.F64}


class Text:
    """n strings: their bytes one behind the other, where each begins, and which are missing."""

    dtype = np.dtype("S")
    ndim = 1

    def __init__(self, data: Any, offsets: Any, source: Any, missing: Any = None) -> None:
        self.data = data
        self.offsets = offsets
        self.source = source
        self.missing = missing
        self.size = offsets.size - 1
        self.shape = (self.size,)

    def struct(self) -> Any:
        return _lib.Strings(
            struct_size=ctypes.sizeof(_lib.Strings),
            bytes=address(self.data),
            offsets=address(self.offsets),
        )

    def present(self) -> Text:
        """The strings that are not missing."""
        kept = ~self.missing
        lengths = np.diff(self.offsets)
        data = self.data[int(self.offsets[0]) : int(self.offsets[-1])]
        if lengths[self.missing].any():
            data = data[np.repeat(kept, lengths.astype(np.intp))]
        offsets = np.zeros(int(kept.sum()) + 1, np.uint64)
        np.cumsum(lengths[kept], out=offsets[1:])
        return Text(np.ascontiguousarray(data), offsets, None)

    def take(self, index: Any) -> Any:
        """The strings at these places, as what they came in."""
        source = self.source
        if isinstance(source, np.ndarray):
            return source[index]
        places = np.atleast_1d(index)
        if hasattr(source, "gather"):
            return source.gather(places)
        try:
            return source.take(places)
        except NotImplementedError:  # pyarrow cannot take from views
            kind = "large_binary" if "binary" in str(source.type) else "large_string"
            return source.cast(kind).take(places).cast(source.type)


def _even(data: Any, n: int, width: int, source: Any) -> Text:
    return Text(data, np.arange(n + 1, dtype=np.uint64) * np.uint64(width), source)


def text_of(array: Any) -> Text:
    """A row of strings in the form the library reads; TypeError if it is something else."""
    if isinstance(array, Text):
        return array
    kind, n = array.dtype.kind, array.size
    if kind == "S":
        flat = np.ascontiguousarray(array)
        return _even(flat.view(np.uint8) if flat.itemsize else flat, n, flat.itemsize, array)
    if kind == "U":
        return _code_points(array)
    if kind == "T":
        return _objects(array.astype(object), array)
    return _objects(array, array)


def _code_points(array: Any) -> Text:
    flat = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    length = flat.itemsize // 4
    if length == 0 or flat.size == 0:
        return _even(np.empty(0, np.uint8), flat.size, 0, array)
    points = flat.view(np.uint32)
    largest = int(points.max())
    narrow = ">u1" if largest < 1 << 8 else ">u2" if largest < 1 << 16 else ">u4"
    data = points.astype(narrow)
    return _even(data.view(np.uint8), flat.size, length * data.itemsize, array)


def _objects(array: Any, source: Any) -> Text:
    elements = array.tolist()
    kinds = set(map(type, elements))
    if all(issubclass(kind, str) for kind in kinds):
        elements = [element.encode("utf-8", "surrogatepass") for element in elements]
    elif not all(issubclass(kind, bytes) for kind in kinds):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(
            f"elements are objects ({names}); expected numbers of one dtype, all bytes or all str"
        )
    offsets = np.zeros(len(elements) + 1, np.uint64)
    np.cumsum(list(map(len, elements)), out=offsets[1:])
    data = np.frombuffer(b"".join(elements) or b"\0", np.uint8)
    return Text(data, offsets, source)


# ---- Rows --------------------------------------------------------------------------------------


def _rows(array: Any, axis: Any, several: bool = False) -> tuple[Any, tuple, int]:
    """Rows along the last axis, the shape of what is before it, and the length of a row.

    Text is one row. `axis` may be a tuple if `several` is set.
    """
    if isinstance(array, Text):
        for one in axis if several and isinstance(axis, tuple) else (axis,):
            if one is not None:
                normal_axis(one, 1)
        return array, (), array.size
    if axis is None:
        return array.reshape(-1), (), array.size
    axes = axis if several and isinstance(axis, tuple) else (axis,)
    axes = tuple(normal_axis(one, array.ndim) for one in axes)
    if len(set(axes)) != len(axes):
        raise ValueError(f"axis {axis} names a dimension twice")
    rows = np.moveaxis(array, axes, tuple(range(array.ndim - len(axes), array.ndim)))
    lead = rows.shape[: array.ndim - len(axes)]
    n = product(rows.shape[len(lead) :])
    return rows.reshape((*lead, n)), lead, n


def _each(rows: Any, lead: tuple, width: int, dtype: Any, function: Callable[[Any], Any]) -> Any:
    """What `function` makes of every row, `width` elements each, along the last axis."""
    if not lead:  # one row, whose result needs no copy
        return np.asarray(function(rows), dtype)
    result = np.empty((*lead, width), dtype)
    for i in np.ndindex(lead):
        result[i] = function(rows[i])
    return result


def _back(result: Any, axis: int | None) -> Any:
    """The last axis brought to where the caller's was."""
    return result if axis is None or result.ndim < 2 else np.moveaxis(result, -1, axis)


def check_algorithm(algorithm: str) -> None:
    _lib.number_of(_lib.ALGORITHMS, algorithm, "algorithm")
    if algorithm != "auto":
        raise ValueError(f"algorithm is {algorithm!r}; strings are sorted by 'auto' alone")


def _order(array: Any, descending: bool, dtype: Any = np.intp) -> Any:
    text = text_of(array)
    if text.missing is not None:
        present = np.flatnonzero(~text.missing)
        order = present[_order(text.present(), descending)]
        return np.concatenate((order, np.flatnonzero(text.missing))).astype(dtype, copy=False)
    result = np.empty(text.size, dtype)
    context, strings = host_context(), text.struct()
    wish = _lib.options(_lib.SortOptions, flags=_lib.DESCENDING if descending else 0)
    code = _lib.U32 if result.itemsize == 4 else _lib.U64
    status = _lib.argsort_strings(
        context, ctypes.addressof(strings), text.size, code, address(result), wish
    )
    if status:
        _lib.fail(status, context)
    return result


def argsort(array: Any, axis: int | None, descending: bool, dtype: Any = np.intp) -> Any:
    rows, lead, n = _rows(array, axis)
    return _back(_each(rows, lead, n, dtype, lambda row: _order(row, descending, dtype)), axis)


def sort(array: Any, axis: int | None, descending: bool, out: Any) -> Any:
    rows, lead, n = _rows(array, axis)
    if out is not None:
        _check_out(array, out, array.shape if axis is not None else (n,))
    if isinstance(rows, Text):
        return rows.take(_order(rows, descending))
    ordered = _each(rows, lead, n, array.dtype, lambda row: row[_order(row, descending)])
    result = _back(ordered, axis)
    if out is None:
        return result
    out[...] = result
    return out


def _check_out(array: Any, out: Any, shape: tuple) -> None:
    if isinstance(array, Text):
        raise TypeError("out is an array of NumPy and a is not; expected no out")
    place, _ = place_of(out) if hasattr(out, "dtype") else (None, None)
    if place is None:
        raise TypeError(f"out is a {type(out).__name__}; expected an array")
    output(HOST, place, out, shape, array.dtype)


def ranks_of(array: Any, ties: int, descending: bool, dtype: Any) -> Any:
    """The ranks of a row of strings that are all there."""
    text = text_of(array)
    result = np.empty(text.size, dtype)
    context, strings = host_context(), text.struct()
    flags = _lib.DESCENDING if descending else 0
    wish = _lib.options(_lib.RankOptions, flags=flags, ties=ties)
    code = _RANK_CODES[np.dtype(dtype).str[1:]]
    status = _lib.rank_strings(
        context, ctypes.addressof(strings), text.size, code, address(result), wish
    )
    if status:
        _lib.fail(status, context)
    return result


def rankdata(
    array: Any,
    axis: int | None,
    nan_policy: str,
    dtype: Any,
    exact: bool,
    ties: int,
    descending: bool,
) -> Any:
    """`exact`: the caller asked for this dtype, and it holds no NaN."""
    rows, lead, n = _rows(array, axis)
    if isinstance(array, Text) and array.missing is not None:
        if nan_policy == "raise":
            raise ValueError("The input contains nulls")
        if exact:
            raise ValueError(f"dtype is {dtype}, which cannot hold NaN, the rank of a null")
        result = np.full(array.size, np.nan)
        if nan_policy == "omit":
            kept = ~array.missing
            result[kept] = ranks_of(array.present(), ties, descending, np.float64)
        return result
    return _back(
        _each(rows, lead, n, dtype, lambda row: ranks_of(row, ties, descending, dtype)), axis
    )


def _places(text: Text, where: Any, descending: bool) -> Any:
    """Which strings sorting would put at these places."""
    result = np.empty(where.shape, np.uint64)
    places = np.ascontiguousarray(where)
    context, strings = host_context(), text.struct()
    wish = _lib.options(_lib.SortOptions, flags=_lib.DESCENDING if descending else 0)
    status = _lib.select_strings(
        context, ctypes.addressof(strings), text.size, address(places), places.size,
        address(result), wish,
    )  # fmt: skip
    if status:
        _lib.fail(status, context)
    return result.astype(np.intp)


def select(array: Any, k: Any, axis: Any, descending: bool) -> Any:
    from ._select import check_positions

    rows, lead, n = _rows(array, axis, several=True)
    where = check_positions(k, n)
    flat = where.reshape(-1)

    def chosen(row: Any) -> Any:
        text = text_of(row)
        if text.missing is None:
            return _places(text, flat, descending)
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
    """The parts of `ordo.unique`: strings are told apart by their dense ranks."""
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
