"""The distinct slices of an array along an axis.

Every slice is written as a string of bytes whose order is the order of slices: the key bits of its
elements, most significant byte first. The library then sorts and ranks strings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _lib, _strings
from .._arrays import FLOATS, HOST, Rows


def _bytes_of(array: Any) -> tuple[Any, Any]:
    """Returns the bytes of the key bits of an array of slices, and which slices hold a NaN."""
    if array.dtype.kind in "SU":
        flat = np.ascontiguousarray(array)
        if array.dtype.kind == "U":
            flat = flat.astype(array.dtype.newbyteorder("="), copy=False)
            flat = flat.view(np.uint32).astype(">u4")
        return flat.view(np.uint8), None
    rows = Rows(HOST, array, -1)
    nan = rows.is_nan(rows.keys) if rows.may_have_nan else None
    unsigned = np.dtype(f"u{rows.keys.itemsize}")
    top = unsigned.type(1 << (8 * unsigned.itemsize - 1))
    bits = rows.keys.view(unsigned)
    if rows.code in FLOATS:
        zero = (bits << unsigned.type(1)) == 0  # -0 and +0 are equal
        bits = np.where(bits & top, ~bits, bits | top)
        bits[zero] = top
        bits[nan] = ~unsigned.type(0)
    elif rows.code in (_lib.I8, _lib.I16, _lib.I32, _lib.I64):
        bits = bits ^ top
    return bits.astype(unsigned.newbyteorder(">")).view(np.uint8), nan


_STEP = 1 << 20  # elements between two chances for Ctrl-C; a loop of NumPy cannot be interrupted


def _keys_of(moved: Any, equal_nan: bool) -> Any:
    """Returns the slices along the first axis as strings of bytes."""
    n = moved.shape[0]
    step = max(1, _STEP // max(1, moved.size // n))
    data, mark = np.empty((0, 0), np.uint8), np.zeros(n, bool)
    for lo in range(0, n, step):
        slices = moved[lo : lo + step]
        part, nan = _bytes_of(slices.reshape(slices.shape[0], -1))
        part = part.reshape(slices.shape[0], -1)
        if lo == 0:
            data = np.empty((n, part.shape[1]), np.uint8)
        data[lo : lo + step] = part
        if nan is not None:
            mark[lo : lo + step] = nan.any(axis=1)
    if not equal_nan and mark.any():  # the number of a slice makes it distinct
        number = np.where(mark, np.arange(1, n + 1), 0).astype(">u8")
        data = np.concatenate([data, number.view(np.uint8).reshape(n, 8)], axis=1)
    return data.view(f"S{data.shape[1]}").reshape(n)


def _take(moved: Any, index: Any) -> Any:
    """Returns the slices with these numbers along the first axis."""
    taken = np.empty_like(moved, order="C", shape=(index.size, *moved.shape[1:]))
    step = max(1, _STEP // max(1, moved.size // max(1, moved.shape[0])))
    for lo in range(0, index.size, step):
        taken[lo : lo + step] = moved[index[lo : lo + step]]
    return taken


def unique(
    array: Any,
    axis: int,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    equal_nan: bool,
) -> Any:
    """Returns the distinct slices in order, and the further results in a tuple."""
    moved = np.moveaxis(array, axis, 0)
    if array.size == 0:  # slices without elements are equal
        n = moved.shape[0]
        index: Any = np.arange(min(n, 1))
        others = [np.zeros(n, np.intp)] if return_inverse else []
        others += [np.full(index.size, n)] if return_counts else []
    else:
        keys = _keys_of(moved, equal_nan)
        index, *others = _strings.unique(keys, True, return_inverse, return_counts, False)
    values = np.moveaxis(_take(moved, index), 0, axis)
    found = (values, *([index] if return_index else []), *others)
    return found if len(found) > 1 else values
