"""moving_median, moving_quantile, moving_rank, moving_min and moving_max."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .. import _lib
from .._arrays import (
    HOST,
    Rows,
    address,
    normal_axis,
    numbers_of,
    rows_have_nan,
)
from .._check import check_nan_policy, flag, found_nan, integer, into, quantile_parts
from .._inputs.device import with_guests
from .._inputs.series import labelled
from .._short import by_library
from .spans import moving_parts, span_of

_MEDIAN, _QUANTILE, _RANK, _MIN, _MAX = range(1, 6)
_DOUBLE = np.dtype(np.float64)
_EXACT = 1 << 53


def _refuse_dates(rows: Rows) -> None:
    if rows.place is HOST and np.dtype(rows.dtype).kind in "Mm":
        raise TypeError(
            f"the elements have dtype {rows.dtype}; expected numbers: a moving window of dates "
            "needs a.astype('int64'), in which NaT is the smallest number"
        )


@with_guests
def _moving(
    a: Any,
    op: int,
    window: Any,
    min_periods: Any,
    axis: int | None,
    center: Any,
    nan_policy: str,
    fields: dict[str, Any],
    dtype: Any = None,
    groups: Any = None,
    times: Any = None,
) -> Any:
    column = labelled(a)
    if column is not None:
        array = numbers_of(a)[1]
        if times is None and span_of(window) is not None:
            times = getattr(a, "index", None)
        return column.like(
            _moving(
                array, op, window, min_periods, axis, center, nan_policy, fields, dtype, groups,
                times,
            ),
            windows=nan_policy == "omit",
        )  # fmt: skip
    if groups is not None or times is not None or span_of(window) is not None:
        parts = moving_parts(numbers_of(a), window, groups, times, flag(center, "center"))
        _refuse_dates(parts.rows)
        if axis is not None:
            normal_axis(axis, 1)
        return _moving_divided(parts, op, min_periods, nan_policy, fields, dtype)
    window = integer(window, "window")
    if not 1 <= window < 2**64:
        raise ValueError(f"window is {window}; expected at least 1 and less than 2^64")
    periods = window if min_periods is None else integer(min_periods, "min_periods")
    if not 0 <= periods <= window:
        raise ValueError(f"min_periods is {periods}; expected 0 to the window, {window}")
    check_nan_policy(nan_policy)
    rows = Rows(*numbers_of(a), axis, strided=True)
    place, code = rows.place, rows.code
    _refuse_dates(rows)
    if nan_policy == "raise" and rows_have_nan(rows) is not None:
        raise found_nan()
    opts = _lib.MovingOptions(
        struct_size=ctypes.sizeof(_lib.MovingOptions),
        flags=place.flags | fields.pop("flags", 0),
        min_periods=max(periods, 1),
        nans=_lib.NANS["propagate" if nan_policy == "raise" else nan_policy],
        center=flag(center, "center"),
        **fields,
    )
    result = place.empty(rows.keys.shape, _DOUBLE)
    rows.run(
        lambda context, n, opts, keys, out: _lib.moving(
            context, op, code, keys, n, window, _lib.F64, out, opts
        ),
        _lib.MovingOptions,
        ctypes.c_void_p(ctypes.addressof(opts)),
        result,
    )
    result = rows.back(result)
    name = place.float_name(rows.dtype) if dtype is None else None
    return result.astype(name, copy=False) if name else result


def _moving_divided(
    parts: Any, op: int, min_periods: Any, nan_policy: str, fields: dict[str, Any], dtype: Any
) -> Any:
    """Returns the results of windows within groups, or of windows of a span of time."""
    check_nan_policy(nan_policy)
    rows, window = parts.rows, parts.window
    if nan_policy == "raise" and rows_have_nan(rows) is not None:
        raise found_nan()
    if parts.first is not None and op in (_MIN, _MAX):
        op, fields = _QUANTILE, {"q": float(op == _MAX), "method": _lib.METHODS["linear"]}
    least = 1 if parts.first is not None else window
    periods = least if min_periods is None else integer(min_periods, "min_periods")
    most = f"0 to the window, {window}" if parts.first is None else "at least 0"
    if periods < 0 or (parts.first is None and periods > window):
        raise ValueError(f"min_periods is {periods}; expected {most}")
    segments = _lib.Segments(
        struct_size=ctypes.sizeof(_lib.Segments),
        count=len(parts.offsets) - 1,
        offsets=address(parts.offsets),
    )
    opts = _lib.MovingOptions(
        struct_size=ctypes.sizeof(_lib.MovingOptions),
        flags=fields.pop("flags", 0),
        min_periods=max(periods, 1),
        nans=_lib.NANS["propagate" if nan_policy == "raise" else nan_policy],
        center=parts.center,
        segments=ctypes.addressof(segments),
        first=None if parts.first is None else address(parts.first),
        **fields,
    )
    found = np.empty(rows.n, _DOUBLE)
    if rows.n > 0 and periods <= window:
        pointer = ctypes.c_void_p(ctypes.addressof(opts))
        keys, out = address(rows.keys), address(found)
        _lib.moving(HOST.context, op, rows.code, keys, rows.n, window, _lib.F64, out, pointer)
    else:
        found[:] = np.nan
    result = parts.spread(found)
    name = HOST.float_name(rows.dtype) if dtype is None else None
    return result.astype(name, copy=False) if name else result


@by_library
def moving_median(
    a: Any,
    window: Any,
    min_periods: int | None = None,
    axis: int | None = -1,
    *,
    center: bool = False,
    nan_policy: _lib.NanPolicy = "omit",
    groups: Any = None,
    times: Any = None,
    out: Any = None,
) -> Any:
    """Returns the median of a moving window, as `Series.rolling(window).median()` of pandas does.

    Result i is the median of the `window` elements that end with element i. At the start of a row
    the window has fewer elements.

    Parameters
    ----------
    a : array-like of numbers in CPU memory; also Arrow arrays.
    window : number of elements, at most 2^30; or a span of time, such as "7D", a timedelta, a
        numpy.timedelta64 or an offset of pandas with a fixed length: the window has the elements of
        that span up to and with the last one.
    min_periods : with fewer elements that are not missing, the result is NaN. None: `window`, 1 for
        a span of time.
    axis : axis to move along. None: all elements as one row.
    center : the window of element i ends with element i + (window - 1) // 2.
    nan_policy : 'omit': NaNs are missing. 'propagate': a window with a NaN gives NaN. 'raise': a
        NaN raises a ValueError.
    groups : group keys as for `group_count`, in the order of the elements: a window holds only
        elements of its own group. An element without a group has the result NaN.
    times : for a span of time: the time of each element, in the order of the elements whatever its
        index, ascending within each group. None: the index of a Series.
    out : array for the result, of the shape of `a`.

    Returns
    -------
    Array of the shape of `a`, or a Series if `a` is one: float64 for integers, else the dtype of
    `a` (computed in float64 and rounded once). Infinities are ordinary numbers; pandas treats them
    as missing values.

    Raises
    ------
    TypeError : the elements or the window are not numbers.
    ValueError : an argument is out of range, or there is a NaN under 'raise'.
    DeviceError : the array is on a GPU.

    Examples
    --------
    >>> import ordo
    >>> ordo.moving_median([4, 2, 9, 5], 3)
    array([nan, nan,  4.,  5.])
    >>> ordo.moving_median([4, 2, 9, 5], 3, min_periods=1)
    array([4., 3., 4., 5.])
    """
    fields = {"method": _lib.HALF_SUM}
    return into(
        out,
        _moving(
            a, _MEDIAN, window, min_periods, axis, center, nan_policy, fields, None, groups, times
        ),
    )


@by_library
def moving_quantile(
    a: Any,
    window: Any,
    q: float,
    min_periods: int | None = None,
    axis: int | None = -1,
    *,
    method: _lib.Method = "linear",
    center: bool = False,
    nan_policy: _lib.NanPolicy = "omit",
    groups: Any = None,
    times: Any = None,
    out: Any = None,
) -> Any:
    """Returns a quantile of a moving window, as `rolling(window).quantile(q)` of pandas does.

    Parameters
    ----------
    q : a number from 0 to 1.
    method : one of the methods of `quantile`.
    a, window, min_periods, axis, center, nan_policy, groups, times, out : as for `moving_median`.

    Returns
    -------
    As for `moving_median`.

    Raises
    ------
    TypeError, ValueError, DeviceError : as for `moving_median`.

    Examples
    --------
    >>> import ordo
    >>> ordo.moving_quantile([4, 2, 9, 5], 2, 0.25)
    array([ nan, 2.5 , 3.75, 6.  ])
    """
    part = quantile_parts(q)
    if part.ndim > 0:
        raise TypeError(f"q has shape {part.shape}; expected one number")
    fields = {"q": float(part), "method": _lib.number_of(_lib.METHODS, method, "method")}
    return into(
        out,
        _moving(
            a, _QUANTILE, window, min_periods, axis, center, nan_policy, fields, None, groups, times
        ),
    )


@by_library
def moving_rank(
    a: Any,
    window: Any,
    min_periods: int | None = None,
    axis: int | None = -1,
    *,
    method: _lib.Ties = "average",
    descending: bool = False,
    center: bool = False,
    nan_policy: _lib.NanPolicy = "omit",
    groups: Any = None,
    times: Any = None,
    out: Any = None,
) -> Any:
    """Returns the rank of the last element of a moving window, as pandas' `rolling().rank()` does.

    Parameters
    ----------
    method : rule for ties, as for `rankdata`.
    descending : the largest element has rank 1.
    a, window, min_periods, axis, center, nan_policy, groups, times, out : as for `moving_median`.

    Returns
    -------
    Array of float64 ranks from 1. The rank of a NaN is NaN.

    Raises
    ------
    TypeError, ValueError, DeviceError : as for `moving_median`.

    Examples
    --------
    >>> import ordo
    >>> ordo.moving_rank([4, 2, 9, 9], 3, min_periods=1)
    array([1. , 1. , 3. , 2.5])
    """
    fields = {
        "ties": _lib.number_of(_lib.TIES, method, "method"),
        "flags": _lib.DESCENDING if flag(descending, "descending") else 0,
    }
    ranks = _moving(
        a, _RANK, window, min_periods, axis, center, nan_policy, fields, _DOUBLE, groups, times
    )
    return into(out, ranks)


@by_library
def moving_min(
    a: Any,
    window: Any,
    min_periods: int | None = None,
    axis: int | None = -1,
    *,
    center: bool = False,
    nan_policy: _lib.NanPolicy = "omit",
    groups: Any = None,
    times: Any = None,
    out: Any = None,
) -> Any:
    """Returns the smallest element of a moving window, as `rolling(window).min()` of pandas does.

    Parameters
    ----------
    a, window, min_periods, axis, center, nan_policy, groups, times, out : as for `moving_median`.
        The window may have any length.

    Returns
    -------
    As for `moving_median`.

    Raises
    ------
    TypeError, ValueError, DeviceError : as for `moving_median`.

    Examples
    --------
    >>> import ordo
    >>> ordo.moving_min([4, 2, 9, 5], 2)
    array([nan,  2.,  2.,  5.])
    """
    return into(
        out,
        _moving(a, _MIN, window, min_periods, axis, center, nan_policy, {}, None, groups, times),
    )


@by_library
def moving_max(
    a: Any,
    window: Any,
    min_periods: int | None = None,
    axis: int | None = -1,
    *,
    center: bool = False,
    nan_policy: _lib.NanPolicy = "omit",
    groups: Any = None,
    times: Any = None,
    out: Any = None,
) -> Any:
    """Returns the largest element of a moving window, as `rolling(window).max()` of pandas does.

    Parameters
    ----------
    a, window, min_periods, axis, center, nan_policy, groups, times, out : as for `moving_min`.

    Returns
    -------
    As for `moving_median`.

    Raises
    ------
    TypeError, ValueError, DeviceError : as for `moving_median`.

    Examples
    --------
    >>> import ordo
    >>> ordo.moving_max([4, 2, 9, 5], 2)
    array([nan,  4.,  9.,  9.])
    """
    return into(
        out,
        _moving(a, _MAX, window, min_periods, axis, center, nan_policy, {}, None, groups, times),
    )
