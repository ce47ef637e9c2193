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
from ._arrays import address, normal_axis
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


def _along(array: Any, axis: int | None, function: Callable[[Any], Any]) -> Any:
    """What `function` makes of every row of strings along an axis, put back together."""
    if isinstance(array, Text):
        if axis is not None:
            normal_axis(axis, 1)
        return function(array)
    if axis is None:
        return function(array.reshape(-1))
    axis = normal_axis(axis, array.ndim)
    if array.ndim == 1:
        return function(array)
    rows = np.moveaxis(array, axis, -1)
    lead = rows.shape[:-1]
    results = [function(rows[i]) for i in np.ndindex(lead)]
    if not results:
        return np.empty(array.shape, np.intp)
    stacked = np.stack(results).reshape(lead + results[0].shape)
    return np.moveaxis(stacked, -1, axis) if results[0].ndim else stacked


def _order(array: Any, descending: bool) -> Any:
    text = text_of(array)
    if text.missing is not None:
        present = np.flatnonzero(~text.missing)
        order = present[_order(text.present(), descending)]
        return np.concatenate((order, np.flatnonzero(text.missing)))
    result = np.empty(text.size, np.intp)
    context, strings = host_context(), text.struct()
    wish = _lib.options(_lib.SortOptions, flags=_lib.DESCENDING if descending else 0)
    status = _lib.argsort_strings(
        context, ctypes.addressof(strings), text.size, _lib.U64, address(result), wish
    )
    if status:
        _lib.fail(status, context)
    return result


def argsort(array: Any, axis: int | None, descending: bool) -> Any:
    return _along(array, axis, lambda row: _order(row, descending))


def sort(array: Any, axis: int | None, descending: bool, out: Any) -> Any:
    def ordered(row: Any) -> Any:
        index = _order(row, descending)
        return row.take(index) if isinstance(row, Text) else row[index]

    result = _along(array, axis, ordered)
    if out is None:
        return result
    out[...] = result
    return out


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
    array: Any, axis: int | None, nan_policy: str, dtype: Any, ties: int, descending: bool
) -> Any:
    if isinstance(array, Text) and array.missing is not None:
        if nan_policy == "raise":
            raise ValueError("The input contains nulls")
        result = np.full(array.size, np.nan)
        if nan_policy == "omit":
            kept = ~array.missing
            result[kept] = ranks_of(array.present(), ties, descending, np.float64)
        return result
    return _along(array, axis, lambda row: ranks_of(row, ties, descending, dtype))


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

    def chosen(row: Any) -> Any:
        where = check_positions(k, row.size)
        text = text_of(row)
        if text.missing is None:
            index = _places(text, where, descending)
        else:
            index = _order(text, descending)[where]
        return row.take(index) if isinstance(row, Text) else row[index]

    return _along(array, axis, chosen)


def topk(array: Any, k: int, axis: int | None, largest: bool) -> tuple[Any, Any]:
    count = array.size if axis is None else array.shape[axis]
    if not 0 <= k <= count:
        raise ValueError(f"k is {k}; expected 0 to {count}")
    index = _along(array, axis, lambda row: _order(row, largest)[:k])
    if isinstance(array, Text):
        return array.take(index), index
    source = array.reshape(-1) if axis is None else array
    return np.take_along_axis(source, index, -1 if axis is None else axis), index


def is_sorted(array: Any, axis: int | None, descending: bool) -> Any:
    def answer(row: Any) -> Any:
        order = _order(row, descending)
        return np.bool_((order == np.arange(order.size)).all())

    result = _along(array, axis, answer)
    return bool(result) if result.ndim == 0 else result


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
