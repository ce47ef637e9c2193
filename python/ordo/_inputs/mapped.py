"""Element types that the library does not have, as integers of the same order.

Dates and times are 64-bit integers whose smallest value is NaT, which must be last in both
directions. Numbers of 16 bits, float16 and the bfloat16 of ml_dtypes, are mapped by tables of 2^16
entries to the key bits that ``lib/core/keybits.h`` defines for floats: NaNs last, and either all
bit patterns apart (for results that are elements) or -0 and +0, and all NaNs, equal (for ties).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import _lib

_BITS = {"float16": 10, "bfloat16": 7}  # bits of the mantissa
_FULL = 0xFFFF


class Mapped:
    """Keys of a library type in the order of `array`.

    `missing` is the key of NaT and, if ties are wanted, of every NaN. `back` converts keys to
    elements.
    """

    __slots__ = ("_plain", "_table", "code", "dtype", "keys", "missing", "shift")

    def __init__(self, array: Any, descending: bool, order: str) -> None:
        native = array.dtype.newbyteorder("=")
        self._plain = type(array) is np.ndarray
        array = np.asarray(array.astype(native, copy=False))
        self.dtype = native
        self.shift = 0
        self._table = None
        if native.kind in "Mm":
            self.keys = array.view(np.int64)
            if not descending:  # subtract 1: the smallest number becomes the largest
                self.shift = 1
                self.keys = self.keys - 1
            self.code = _lib.I64
            self.missing = np.iinfo(np.int64).min if descending else np.iinfo(np.int64).max
            return
        self._table = (_BITS[native.name], descending, order == "ties")
        self.keys = _table(*self._table)[array.view(np.uint16)]
        self.code = _lib.U16
        self.missing = 0 if descending else _FULL

    def is_missing(self, keys: Any) -> Any:
        return keys == keys.dtype.type(self.missing)

    def back(self, keys: Any) -> Any:
        """Returns the elements of keys. Keys that fold ties are never converted."""
        if not self._plain:
            raise TypeError("the elements are decimals; pass the array cast to float64")
        if self._table is None:
            return (keys + 1 if self.shift else keys).view(self.dtype)
        return _inverse(*self._table)[keys].view(self.dtype)


def mapped(array: Any, descending: bool, order: str | None) -> Mapped | None:
    """Returns the keys of a NumPy array whose type has a map, else None.

    `order` is 'bits' (elements are the result), 'ties' (equal elements must be equal), or None for
    a function that calculates with the elements: only dates and times are mapped then.
    """
    dtype = array.dtype
    if dtype.kind in "Mm" or (order is not None and dtype.itemsize == 2 and dtype.name in _BITS):
        return Mapped(array, descending, order or "ties")
    return None


@functools.cache
def _table(mantissa: int, descending: bool, ties: bool) -> Any:
    """Returns the key of every pattern of 16 bits. Descending, the largest key comes first."""
    below = (1 << mantissa) - 1  # the number of NaNs of one sign
    u = np.arange(1 << 16, dtype=np.int64)
    bits = ((u ^ np.where(u >> 15, _FULL, 0x8000)) - below) & _FULL
    minus_zero, inf = 0x7FFF - below, _FULL - 2 * below
    nan = bits > inf
    if ties:
        bits = np.where(bits == minus_zero, minus_zero + 1, bits)
    if descending:
        bits = _FULL - np.where(nan, bits, inf - bits)
    if ties:
        bits = np.where(nan, 0 if descending else _FULL, bits)
    return bits.astype(np.uint16)


@functools.cache
def _inverse(mantissa: int, descending: bool, ties: bool) -> Any:
    result = np.empty(1 << 16, np.uint16)
    result[_table(mantissa, descending, ties)] = np.arange(1 << 16, dtype=np.uint16)
    return result
