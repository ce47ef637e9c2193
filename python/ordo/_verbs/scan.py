"""cumsum, cumprod, cummax and cummin."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy as np

from .. import _lib
from .._arrays import (
    FLOATS,
    HOST,
    PLAIN,
    TYPES,
    Rows,
    normal_axis,
    numbers_of,
    plain_code,
    plain_has_nan,
    pointer,
    rows_have_nan,
)
from .._check import flag, into
from .._context import host_context
from .._inputs import tensors
from .._inputs.device import with_guests
from .._inputs.series import labelled
from .._rooms import empty
from .._short import by_library

# Sums of narrow integers and bools have 64 bits, as in NumPy.
_WIDE = dict.fromkeys((_lib.I8, _lib.I16, _lib.I32, _lib.I64), _lib.I64)
_WIDE.update(dict.fromkeys((_lib.U8, _lib.U16, _lib.U32, _lib.U64), _lib.U64))
_DTYPES = {code: dtype for dtype, code in TYPES.items()}
_SUMS = {dtype: _DTYPES[_WIDE.get(code, code)] for dtype, code in TYPES.items()}
_SUM, _MIN, _MAX, _PRODUCT = (
    ctypes.c_int(op) for op in (_lib.SUM, _lib.MIN, _lib.MAX, _lib.PRODUCT)
)


def _scan_rows(
    rows: Rows, op: Any, out_code: int, exclusive: bool = False, algorithm: str = "auto"
) -> Any:
    place, code = rows.place, rows.code
    opts = _lib.options(
        _lib.ScanOptions,
        flags=place.flags | (_lib.EXCLUSIVE if exclusive else 0),
        stream=place.stream or None,
        algorithm=_lib.number_of(_lib.ALGORITHMS, algorithm, "algorithm", "auto, ballot"),
    )
    result = place.empty(rows.keys.shape, _DTYPES[out_code])
    rows.run(
        lambda context, n, opts, keys, out: _lib.scan(
            context, op, code, keys, n, out_code, out, opts
        ),
        _lib.ScanOptions,
        opts,
        result,
    )
    return result


def _scan_plain(a: Any, op: Any, code: Any, dtype: Any) -> Any:
    n = a.size
    result = empty(n, dtype)
    _lib.scan(host_context(), op, code, pointer(a), n, PLAIN[dtype], pointer(result), None)
    return result


@by_library
def cumsum(
    a: Any,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    *,
    exclusive: bool = False,
    algorithm: _lib.Algorithm = "auto",
) -> Any:
    """Returns cumulative sums, as `numpy.cumsum` does.

    Parameters
    ----------
    a : array-like of numbers; also GPU arrays and Arrow arrays.
    axis : axis to sum along. None: all elements as one row.
    dtype : dtype of the sums. The default is the dtype of `a`, or 64 bits for narrower integers and
        bools. With bool, sum i is True if any element up to i is not 0.
    out : array for the result, of the same shape.
    exclusive : sum i does not include element i, so the first sum is 0.
    algorithm : 'auto'; on a GPU also 'ballot', for sums of 32-bit integers in their own dtype.

    Returns
    -------
    Array of sums. Integer sums wrap as in NumPy. The order in which floats are added depends only
    on their number: the bytes are the same for every number of threads, but the last bits may
    differ from NumPy's. Sums of float16 are NumPy's, which are rounded to float16 one by one.

    Raises
    ------
    TypeError : the elements or `dtype` are not numbers.
    ValueError : `axis`, `out` or `algorithm` is wrong.
    DeviceError : the algorithm needs a GPU, and the arrays are not there.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.cumsum(np.array([1, 2, 3], np.int8))
    array([1, 3, 6])
    >>> ordo.cumsum([1.5, 2.5, 3.0], exclusive=True)
    array([0. , 1.5, 4. ])
    """
    return _scan(a, _SUM, axis, dtype, out, exclusive, algorithm)


@by_library
def cumprod(
    a: Any,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    *,
    exclusive: bool = False,
) -> Any:
    """Returns cumulative products, as `numpy.cumprod` does.

    Parameters
    ----------
    a, axis, dtype, out : as for `cumsum`. With dtype bool, product i is True if no element up to i
        is 0.
    exclusive : product i does not include element i, so the first product is 1.

    Returns
    -------
    Array of products. Integer products wrap, and floats are multiplied one by one, as in NumPy. So
    the products have the bytes of NumPy's, except for the sign and payload of NaNs.

    Raises
    ------
    TypeError, ValueError : as for `cumsum`.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.cumprod(np.array([100, 2, 3], np.int8))
    array([100, 200, 600])
    >>> ordo.cumprod([1.5, 2.0, 3.0], exclusive=True)
    array([1. , 1.5, 3. ])
    """
    return _scan(a, _PRODUCT, axis, dtype, out, exclusive, "auto")


def _scan(
    a: Any, op: Any, axis: int | None, dtype: Any, out: Any, exclusive: bool, algorithm: str
) -> Any:
    """Returns cumulative sums or products: those of a plain array without a conversion."""
    if exclusive is not False:
        exclusive = flag(exclusive, "exclusive")
    code = plain_code(a, axis)
    usual = dtype is None and out is None and not exclusive and algorithm == "auto"
    if code is not None and usual:
        return _scan_plain(a, op, code, _SUMS[a.dtype])
    if usual and (row := tensors.row_of(a, axis)):
        result = tensors.scan(a, row, op)
        if result is not None:
            return result
    return into(out, _cumulated(a, op, axis, dtype, exclusive, algorithm))


@with_guests
def _cumulated(
    a: Any, op: Any, axis: int | None, dtype: Any, exclusive: bool, algorithm: str
) -> Any:
    """Returns cumulative sums or products."""
    place, array = numbers_of(a)
    column = labelled(a)
    if column is not None:
        return column.like(
            _without_missing(
                array, lambda each: _cumulated(each, op, axis, dtype, exclusive, algorithm)
            )
        )
    if place is HOST and array.dtype.kind in "Mm":
        if op is _PRODUCT:
            raise TypeError(f"the elements have dtype {array.dtype}; expected numbers")
        return _sum_times(array, axis, dtype, exclusive, algorithm)
    if dtype is not None:
        _check_sum_dtype(place, array, dtype)
        if place.wants_cast(array, dtype):
            array = place.astype(array, dtype)
    halves = place is HOST and array.dtype.newbyteorder("=") == np.float16
    if halves and algorithm == "auto":
        return _cumulated_halves(array, op, axis, exclusive)
    rows = Rows(place, array, axis, strided=True)
    out_code = rows.code
    logical = place.is_bool(rows.dtype)
    if rows.code not in FLOATS and (dtype is None or logical):
        out_code = _WIDE[rows.code]
    result = rows.back(_scan_rows(rows, op, out_code, exclusive, algorithm))
    if rows.code in FLOATS:
        return place.astype_back(result, rows.dtype)
    if logical:
        sums = place.astype(result, np.dtype(np.int64))
        return sums if dtype is None else place.astype(sums, np.dtype(bool))
    return result


def _cumulated_halves(array: Any, op: Any, axis: int | None, exclusive: bool) -> Any:
    """Returns cumulative sums or products of float16 by NumPy, which rounds every step."""
    along = array.reshape(-1) if axis is None else array
    at = normal_axis(0 if axis is None else axis, along.ndim)
    accumulate = np.multiply.accumulate if op is _PRODUCT else np.add.accumulate
    native = along.astype(np.float16, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        if not exclusive:
            return accumulate(native, at)
        result = np.full(along.shape, 1 if op is _PRODUCT else 0, np.float16)
        rows, whole = np.moveaxis(result, at, 0), np.moveaxis(native, at, 0)
        rows[1:] = accumulate(whole[:-1], 0)
        return result


def _without_missing(array: Any, scan: Callable[[Any], Any]) -> Any:
    """Returns the scan of the elements that are not missing, as pandas: the others are missing."""
    kind = array.dtype.kind
    missing = np.isnat(array) if kind in "Mm" else np.isnan(array) if kind == "f" else None
    if missing is None or not missing.any():
        return scan(array)
    found = scan(array[~missing])
    result = np.full(array.shape, "NaT" if kind in "Mm" else np.nan, found.dtype)
    result[~missing] = found
    return result


def _sum_times(array: Any, axis: int | None, dtype: Any, exclusive: bool, algorithm: str) -> Any:
    """Returns cumulative sums of timedelta64. After the first NaT of a row they are NaT."""
    if array.dtype.kind == "M":
        raise TypeError(f"the elements have dtype {array.dtype}; expected numbers or timedelta64")
    if dtype is not None and np.dtype(dtype) != array.dtype:
        raise TypeError(f"dtype is {np.dtype(dtype)}; expected {array.dtype}, as the elements")
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    nat = np.isnat(native)
    numbers = np.where(nat, 0, native.view(np.int64))
    sums = _cumulated(numbers, _SUM, axis, None, exclusive, algorithm).view(native.dtype)
    if nat.any():
        sums[_cumulated(nat, _SUM, axis, None, exclusive, "auto") > 0] = "NaT"
    return sums


def _check_sum_dtype(place: Any, array: Any, dtype: Any) -> None:
    """Raises a TypeError if the elements are not numbers, or sums cannot have this dtype."""
    if place.name == "torch":
        return  # its dtypes are not NumPy's; Rows checks the elements
    if array.dtype.kind not in "biuf":
        place.typed(array)  # raises the error
    wanted = np.dtype(dtype)
    if wanted.kind not in "biuf" or wanted.itemsize > 8:
        raise TypeError(f"dtype is {wanted}; expected integers, bool, float16, float32 or float64")


@by_library
def cummax(a: Any, axis: int | None = None, out: Any = None) -> Any:
    """Returns the largest element so far, as `numpy.maximum.accumulate` does.

    Parameters
    ----------
    a : array-like of numbers; also GPU arrays and Arrow arrays.
    axis : axis to work along. None: all elements as one row.
    out : array for the result, of the same shape.

    Returns
    -------
    Array of the same dtype. From the first NaN of a row on, the results are NaN.

    Raises
    ------
    TypeError : the elements are not numbers.
    ValueError : `axis` is out of range.

    Examples
    --------
    >>> import ordo
    >>> ordo.cummax([2, 1, 4, 3])
    array([2, 2, 4, 4])
    """
    return into(out, _extremes(a, axis, _MAX))


@by_library
def cummin(a: Any, axis: int | None = None, out: Any = None) -> Any:
    """Returns the smallest element so far, as `numpy.minimum.accumulate` does.

    Parameters
    ----------
    a, axis, out : as for `cummax`.

    Returns
    -------
    Array as for `cummax`.

    Raises
    ------
    TypeError, ValueError : as for `cummax`.

    Examples
    --------
    >>> import ordo
    >>> ordo.cummin([2.0, float("nan"), 1.0])
    array([ 2., nan, nan])
    """
    return into(out, _extremes(a, axis, _MIN))


def _extremes(a: Any, axis: int | None, op: Any) -> Any:
    code = plain_code(a, axis)
    if code is None:
        return _extremes_of_rows(a, axis, op)
    # NaNs are the largest keys, so the library's minimum skips them.
    if op is _MIN and a.size and a.dtype.kind == "f" and plain_has_nan(a, code):
        return _extremes_of_rows(a, axis, op)
    return _scan_plain(a, op, code, a.dtype)


@with_guests
def _extremes_of_rows(a: Any, axis: int | None, op: Any) -> Any:
    column = labelled(a)
    if column is not None:
        array = numbers_of(a)[1]
        return column.like(_without_missing(array, lambda each: _extremes_of_rows(each, axis, op)))
    rows = Rows(*numbers_of(a), axis, strided=True)
    result = _scan_rows(rows, op, rows.code)
    if op is _MIN and rows_have_nan(rows) is not None:
        rows.set_nan(result, rows.is_nan(_scan_rows(rows, _MAX, rows.code)))
    return rows.restored(rows.back(result))
