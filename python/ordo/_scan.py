"""cumsum, cummax, cummin: what the elements up to each one come to."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _lib, _short
from ._arrays import (
    AXIS_TYPES,
    FEW_TO_SEARCH,
    FLOATS,
    PLAIN,
    TYPES,
    Rows,
    last_in_order,
    numbers_of,
    plain_code,
    pointer,
    rows_have_nan,
)
from ._check import flag
from ._context import host_context
from ._device import with_guests
from ._numpy import into

# Sums of narrow integers and bools are 64 bits wide, as NumPy's.
_WIDE = dict.fromkeys((_lib.I8, _lib.I16, _lib.I32, _lib.I64), _lib.I64)
_WIDE.update(dict.fromkeys((_lib.U8, _lib.U16, _lib.U32, _lib.U64), _lib.U64))
_DTYPES = {code: dtype for dtype, code in TYPES.items()}


def _scan_rows(rows: Rows, op: int, out_code: int, exclusive: bool) -> Any:
    place, code, n = rows.place, rows.code, rows.n
    wish = _lib.options(
        _lib.ScanOptions,
        flags=place.flags | (_lib.EXCLUSIVE if exclusive else 0),
        stream=place.stream or None,
    )
    result = place.empty(rows.keys.shape, _DTYPES[out_code])
    rows.run(
        lambda context, keys, out: _lib.scan(context, op, code, keys, n, out_code, out, wish),
        result,
    )
    return result


# Of plain rows: the dtype of the sums.
_SUMS = {dtype: _DTYPES[_WIDE.get(code, code)] for dtype, code in TYPES.items()}
_SUM, _MIN, _MAX = (ctypes.c_int(op) for op in (_lib.SUM, _lib.MIN, _lib.MAX))


def _scan_plain(a: Any, op: Any, code: Any, dtype: Any) -> Any:
    result = np.empty(a.size, dtype)
    context = host_context()
    status = _lib.scan(context, op, code, pointer(a), a.size, PLAIN[dtype], pointer(result), None)
    if status:
        _lib.fail(status, context)
    return result


def cumsum(
    a: Any,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    *,
    exclusive: bool = False,
) -> Any:
    """Cumulative sums, as `numpy.cumsum`.

    Parameters
    ----------
    a : array-like of numbers; also arrays on a GPU, and Arrow arrays.
    axis : along which to add; None: all elements as one row.
    dtype : of the sums; default that of `a`, or 64 bits for narrower integers and bools. Sums of
        dtype bool are True from the first element that is not 0.
    out : an array of the result's shape that gets it.
    exclusive : sum i leaves element i out, so the first is 0.

    Integers wrap as NumPy's do. Floats are added in an order that depends on their number alone:
    the same bytes with any number of threads, but not always the last bit of NumPy's.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.cumsum(np.array([1, 2, 3], np.int8))
    array([1, 3, 6])
    >>> ordo.cumsum([1.5, 2.5, 3.0], exclusive=True)
    array([0. , 1.5, 4. ])
    """
    if exclusive is not False:
        exclusive = flag(exclusive, "exclusive")
    code = plain_code(a)
    usual = dtype is None and out is None and not exclusive and type(axis) in AXIS_TYPES
    if usual and code is not None and axis in (None, 0, -1):
        return _scan_plain(a, _SUM, code, _SUMS[a.dtype])
    return into(out, _cumsum(a, axis, dtype, exclusive))


@with_guests
def _cumsum(a: Any, axis: int | None, dtype: Any, exclusive: bool) -> Any:
    place, array = numbers_of(a)
    if dtype is not None:
        _check_sum_dtype(place, array, dtype)
    if dtype is not None and place.wants_cast(array, dtype):
        array = place.astype(array, dtype)
    rows = Rows(place, array, axis)
    out_code = rows.code
    logical = place.is_bool(rows.dtype)
    if rows.code not in FLOATS and (dtype is None or logical):
        out_code = _WIDE[rows.code]
    result = rows.back(_scan_rows(rows, _lib.SUM, out_code, exclusive))
    if rows.code in FLOATS:
        return place.astype_back(result, rows.dtype)
    if logical:
        sums = place.astype(result, np.dtype(np.int64))
        return sums if dtype is None else place.astype(sums, np.dtype(bool))
    return result


def _check_sum_dtype(place: Any, array: Any, dtype: Any) -> None:
    """TypeError if the elements are no numbers, or sums cannot be of this dtype."""
    if place.name == "torch":
        return  # its dtypes are not NumPy's; Rows checks the elements
    if array.dtype.kind not in "biuf":
        place.typed(array)  # raises
    wanted = np.dtype(dtype)
    if wanted.kind not in "biuf" or wanted.itemsize > 8:
        raise TypeError(f"dtype is {wanted}; expected integers, bool, float16, float32 or float64")


def cummax(a: Any, axis: int | None = None) -> Any:
    """The largest element so far, as `numpy.maximum.accumulate`; from a NaN on, NaN.

    Examples
    --------
    >>> import ordo
    >>> ordo.cummax([2, 1, 4, 3])
    array([2, 2, 4, 4])
    """
    code = plain_code(a)
    if code is not None and axis in (None, 0, -1) and type(axis) in AXIS_TYPES:
        result = _short.extremes(a, np.maximum) if 0 < a.size <= _short.EXTREMES else None
        return _scan_plain(a, _MAX, code, a.dtype) if result is None else result
    return _cummax(a, axis)


@with_guests
def _cummax(a: Any, axis: int | None) -> Any:
    rows = Rows(*numbers_of(a), axis)
    result = _scan_rows(rows, _lib.MAX, rows.code, False)
    return rows.place.astype_back(rows.back(result), rows.dtype)


def cummin(a: Any, axis: int | None = None) -> Any:
    """The smallest element so far, as `numpy.minimum.accumulate`; from a NaN on, NaN.

    Examples
    --------
    >>> import ordo
    >>> ordo.cummin([2.0, float("nan"), 1.0])
    array([ 2., nan, nan])
    """
    code = plain_code(a)
    if code is not None and axis in (None, 0, -1) and type(axis) in AXIS_TYPES:
        n = a.size
        result = _short.extremes(a, np.minimum) if 0 < n <= _short.EXTREMES else None
        if result is not None:
            return result
        if a.dtype.kind != "f" or not n:
            return _scan_plain(a, _MIN, code, a.dtype)
        # A NaN is above all numbers, so a minimum passes it by.
        few = n <= FEW_TO_SEARCH
        largest = a.item(a.argmax()) if few else last_in_order(host_context(), code, a, n)
        if largest == largest:
            return _scan_plain(a, _MIN, code, a.dtype)
    return _cummin(a, axis)


@with_guests
def _cummin(a: Any, axis: int | None) -> Any:
    rows = Rows(*numbers_of(a), axis)
    place = rows.place
    result = _scan_rows(rows, _lib.MIN, rows.code, False)
    if rows_have_nan(rows) is not None:
        place.set_nan(result, place.isnan(_scan_rows(rows, _lib.MAX, rows.code, False)))
    return place.astype_back(rows.back(result), rows.dtype)
