"""Text: strings as the library reads them.

The library compares bytes. The bytes of an S array are used without a copy. A U array holds code
points; they are written with the most significant byte first, in 1, 2 or 4 bytes as the largest
code point needs. Objects of type str are encoded in UTF-8, as Arrow strings are. Both encodings
keep the order of the code points.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy as np

from .. import _lib
from .._context import host_context
from .._places import address


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


_ARROW_HAS = frozenset(("Decimal", "NoneType", "date", "datetime", "time", "timedelta"))


def _objects(array: Any, source: Any) -> Text:
    elements = array.tolist()
    kinds = set(map(type, elements))
    if all(issubclass(kind, str) for kind in kinds):
        elements = [element.encode("utf-8", "surrogatepass") for element in elements]
    elif not all(issubclass(kind, bytes) for kind in kinds):
        names = sorted(kind.__name__ for kind in kinds)
        instead = "; pass pyarrow.array(a)" if _ARROW_HAS.intersection(names) else ""
        raise TypeError(
            f"the elements are objects ({', '.join(names)}); expected numbers of one dtype, all "
            f"bytes or all str{instead}"
        )
    offsets = np.zeros(len(elements) + 1, np.uint64)
    np.cumsum(list(map(len, elements)), out=offsets[1:])
    data = np.frombuffer(b"".join(elements) or b"\0", np.uint8)
    return Text(data, offsets, source)


def sort_options(descending: bool, algorithm: int = 0) -> Any:
    flags = _lib.DESCENDING if descending else 0
    return _lib.options(_lib.SortOptions, flags=flags, algorithm=algorithm)


def order_of(array: Any, descending: bool, dtype: Any = np.intp, algorithm: int = 0) -> Any:
    """Returns the sorting indices of a row. Missing strings are last."""
    text = text_of(array)
    if text.missing is not None:
        present = np.flatnonzero(~text.missing)
        order = present[order_of(text.present(), descending, algorithm=algorithm)]
        return np.concatenate((order, np.flatnonzero(text.missing))).astype(dtype, copy=False)
    result = np.empty(text.size, dtype)
    code = _lib.U32 if result.itemsize == 4 else _lib.U64
    text.call(_lib.argsort_strings, code, address(result), sort_options(descending, algorithm))
    return result
