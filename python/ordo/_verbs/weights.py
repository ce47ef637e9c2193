"""Weights of elements, and weighted quantiles."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .. import _lib
from .._arrays import FLOATS, HOST, TYPES, Rows, address, numbers_of, rows_have_nan
from .._check import check_nan_policy, found_nan, quantile_parts, unmasked
from .order import argsort
from .times import DISCRETE

_DOUBLE = np.dtype(np.float64)
_EXACT = 1 << 53


def weights_of(weights: Any, a: Any, rows: Rows) -> Any:
    """Returns weights with one row for each row of keys, of a dtype that the library has."""
    found = unmasked(weights, "weights")
    found = found.astype(found.dtype.newbyteorder("="), copy=False)
    if found.dtype.kind == "b" or found.dtype == np.float16:
        found = found.astype(np.uint8 if found.dtype.kind == "b" else np.float32)
    if found.dtype not in TYPES:
        raise TypeError(f"weights have dtype {found.dtype}; expected integers or floats")
    if found.shape != a.shape:
        if found.ndim != 1 or len(rows.axes) != 1 or found.size != rows.n:
            raise ValueError(
                f"weights have shape {found.shape}; expected {a.shape} or one for each element "
                "along the axis"
            )
        return HOST.contiguous(np.broadcast_to(found, (*rows.lead, rows.n)))
    if len(rows.axes) != rows.ndim:
        found = np.moveaxis(found, rows.axes, tuple(range(-len(rows.axes), 0)))
    return HOST.contiguous(found.reshape(*rows.lead, rows.n))


def _weights_there(weights: Any, a: Any, rows: Rows) -> tuple[Any, int]:
    """Returns weights on a GPU with one row for each row of keys, and their type."""
    place, found = numbers_of(weights)
    if place.where != rows.place.where:
        raise TypeError(f"weights are an array of {place.where}; expected {rows.place.where}")
    if tuple(found.shape) == tuple(a.shape):
        each = Rows(place, found, rows.axes, several=True)
        return each.keys, each.code
    if found.ndim != 1 or len(rows.axes) != 1 or found.shape[0] != rows.n:
        raise ValueError(
            f"weights have shape {tuple(found.shape)}; expected {tuple(a.shape)} or one for each "
            "element along the axis"
        )
    one = Rows(place, found, None)
    every = place.empty((rows.count, rows.n), one.keys.dtype)
    every[:] = one.keys
    return every, one.code


def weights_like(weights: Any, a: Any, rows: Rows) -> tuple[Any, int]:
    """Returns weights with one row for each row of keys, at their place, and their type."""
    if rows.place is not HOST:
        return _weights_there(weights, a, rows)
    each = weights_of(weights, a, rows)
    return each, TYPES[each.dtype]


def _numbered(rows: Rows) -> tuple[Rows, Any]:
    """Returns rows of numbers of at most 2^53 with the order of integers, and their values.

    The library returns float64, which does not hold all larger integers. The values are None if the
    numbers are the integers.
    """
    place, keys = rows.place, rows.keys
    if rows.code not in (_lib.I64, _lib.U64) or rows.count == 0:
        return rows, None
    if place is HOST and -_EXACT <= int(keys.min()) and int(keys.max()) <= _EXACT:
        return rows, None
    flat = place.reshape(keys, (-1,))
    order = argsort(flat)
    numbers = place.empty(tuple(flat.shape), np.dtype(np.int64))
    numbers[order] = place.count_up(flat.shape[0])
    return Rows(place, place.reshape(numbers, tuple(keys.shape)), -1), flat[order]


def _elements(rows: Rows, found: Any, values: Any) -> Any:
    """Returns the integers for quantiles of the numbers that `_numbered` returned."""
    place = rows.place
    if bool(place.isnan(found).any()):
        raise ValueError(
            "the weights of a row have no positive sum; expected one, as integers have no NaN"
        )
    if values is not None:
        return rows.restored(values[place.astype(found, np.dtype(np.int64))])
    return rows.restored(place.astype(found, place.key_dtype(rows)))


def weighted_quantile(
    a: Any,
    q: Any,
    weights: Any,
    axis: int | tuple | None,
    method: str | None,
    keepdims: bool,
    nan_policy: str,
) -> Any:
    """Returns quantiles of elements with weights; `method` None: the median."""
    place, array = numbers_of(a)
    wanted = quantile_parts(q)
    outside = ~((wanted >= 0) & (wanted <= 1))
    if outside.any():
        raise ValueError(f"q is {wanted[outside].flat[0]}; expected 0 to 1")
    check_nan_policy(nan_policy)
    if place is HOST and array.dtype.kind in "Mm":
        raise TypeError("weights are for numbers; the elements are dates")
    rows = Rows(place, array, axis, several=True)
    if nan_policy == "raise" and rows_have_nan(rows) is not None:
        raise found_nan()
    each, weight_type = weights_like(weights, array, rows)
    number = (
        _lib.median_method(weight_type)
        if method is None
        else _lib.number_of(_lib.METHODS, method, "method")
    )
    returns_elements = method in DISCRETE and rows.code not in FLOATS and rows.n > 0
    numbers, values = _numbered(rows) if returns_elements else (rows, None)
    parts = np.ascontiguousarray(wanted.reshape(-1), _DOUBLE)
    result = place.empty((rows.count, parts.size), _DOUBLE)
    opts = _lib.QuantileOptions(
        struct_size=ctypes.sizeof(_lib.QuantileOptions),
        flags=place.flags,
        stream=place.stream or None,
        nans=_lib.NANS["propagate" if nan_policy == "raise" else nan_policy],
        method=number,
        weight_type=weight_type,
    )
    segments = _lib.Segments(
        struct_size=ctypes.sizeof(_lib.Segments), count=rows.count, length=rows.n
    )
    opts.weights = place.address(each)
    opts.segments = ctypes.addressof(segments)
    pointer = ctypes.c_void_p(ctypes.addressof(opts))
    keys, n, out = place.address(numbers.keys), rows.count * rows.n, place.address(result)
    if n == 0:
        result[:] = np.nan
    else:
        _lib.quantiles(
            place.context, numbers.code, keys, n, address(parts), parts.size, out, pointer
        )
    if returns_elements:
        result = _elements(rows, result, values)
    elif rows.code in FLOATS:
        result = place.astype(result, np.dtype(place.float_name(rows.dtype)))
    shape = rows.shape_after(wanted.shape, keepdims)
    return place.scalar(place.reshape(place.moveaxis(result, -1, 0), shape))
