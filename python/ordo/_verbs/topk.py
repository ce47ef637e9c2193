"""select, topk and argtopk: elements by their position in the sorted array, without a sort."""

from __future__ import annotations

from ctypes import addressof, c_size_t
from typing import Any, NamedTuple

import numpy as np

from .. import _lib
from .._arrays import (
    HOST,
    PLAIN,
    Rows,
    is_text,
    ndarray,
    place_of,
    plain_code,
    pointer,
)
from .._check import check_positions, flag, integer, into
from .._context import host_context
from .._inputs import tensors
from .._inputs.device import with_guests
from .._inputs.series import column_of
from .._short import by_library
from .order import argsort
from .select import _AUTO, _select_options, _selected, _Way, _way

_FEW = 64  # elements that ordo_sort sorts faster than ordo_select selects
_WIDE = PLAIN[np.dtype(np.uint64)]


@by_library
def select(
    a: Any,
    k: Any,
    axis: int | tuple | None = None,
    *,
    descending: bool = False,
    algorithm: _lib.Algorithm = "auto",
    sub_array: int = 0,
    out: Any = None,
    keepdims: bool = False,
) -> Any:
    """Returns the element at position `k` of the sorted array, without a sort.

    Parameters
    ----------
    a : array-like of numbers or strings; also GPU arrays and Arrow arrays. NaNs are last.
    k : a position or an array of positions. 0 is the smallest element, as in NumPy; the command
        `ordo select -k` counts from 1. Negative positions count from the end.
    axis : an axis, a tuple of axes, or None for all axes.
    descending : position 0 is the largest element.
    algorithm, sub_array : as for `median`. Strings accept 'auto' only.
    out : array for the result, of the same shape.
    keepdims : keep the reduced axes with length 1.

    Returns
    -------
    Array whose first dimensions are those of `k`; a number for one row and one `k`.

    Raises
    ------
    TypeError : the elements or `k` have the wrong type.
    ValueError : `k` or `axis` is out of range, or `algorithm` or `sub_array` is wrong.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.select(np.array([40, 10, 30, 20]), 1)
    np.int64(20)
    >>> ordo.select(np.array([40, 10, 30, 20]), [0, -1])
    array([10, 40])
    """
    if descending is not False:
        descending = flag(descending, "descending")
    if keepdims is not False:
        keepdims = flag(keepdims, "keepdims")
    way = _way(algorithm, sub_array)
    code = plain_code(a, axis)
    usual = type(k) is int and not descending and way is _AUTO and out is None and not keepdims
    if code is not None and usual and -a.size <= k < a.size:
        n, context = a.size, host_context()
        if n <= _FEW:
            result = a.copy()
            _lib.sort(context, code, pointer(result), n, None)
        else:
            result, position, k = np.empty(1, a.dtype), c_size_t(k % n), 0
            _lib.select(context, code, pointer(a), n, addressof(position), 1, pointer(result), None)
        return result[k]
    return into(out, _select(a, k, axis, descending, way, keepdims))


@with_guests
def _select(
    a: Any, k: Any, axis: int | tuple | None, descending: bool, way: _Way, keepdims: bool
) -> Any:
    place, array = place_of(a)
    column = column_of(a)
    if column is not None and (np.ndim(k) == 1 or type(array) is not ndarray):
        where = check_positions(k, array.size)
        if where.ndim > 1:
            raise ValueError(f"k has {where.ndim} dimensions; expected at most 1 for a column")
        return column.take(argsort(array, None, descending=descending)[where])
    if place is HOST and is_text(array):
        from .. import _strings

        _strings.check_algorithm(way.algorithm, ("auto",))
        if way.sub_array:
            raise ValueError(f"sub_array is {way.sub_array}; expected 0 for strings")
        if keepdims:
            raise ValueError("keepdims is True; expected False for strings")
        return _strings.select(array, k, axis, descending)
    rows = Rows(place, array, axis, several=True, strided=True, descending=descending)
    where = check_positions(k, rows.n)
    result = _selected(rows, np.ascontiguousarray(where.reshape(-1)), descending, way)
    shaped = place.reshape(place.moveaxis(result, -1, 0), rows.shape_after(where.shape, keepdims))
    return place.scalar(rows.restored(shaped))


# ---- topk --------------------------------------------------------------------------------------


class TopK(NamedTuple):
    """The result of `topk`: the elements in order, and their indices."""

    values: Any
    indices: Any


_LARGEST, _SMALLEST = _select_options(HOST, True), _select_options(HOST, False)
_INDEX = np.dtype(np.int64)


@by_library(TopK)
def topk(a: Any, k: int, axis: int | None = -1, *, largest: bool = True, out: Any = None) -> TopK:
    """Returns the `k` largest (or smallest) elements in order, as `torch.topk` does.

    Parameters
    ----------
    a : array-like of numbers or strings; also GPU arrays and Arrow arrays.
    k : number of elements.
    axis : axis to work along. None: all elements as one row.
    largest : False returns the smallest elements.
    out : a tuple of two arrays for the values and the indices, of their shapes.

    Returns
    -------
    TopK : `values` and `indices`. Equal elements are in the order of their indices. NaNs are after
        all other elements, for both values of `largest`.

    Raises
    ------
    TypeError : the elements, `k` or `largest` have the wrong type.
    ValueError : `k` is larger than the row or negative, or `axis` is out of range.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.topk(np.array([3.0, 9.0, 1.0, 9.0]), 3)
    TopK(values=array([9., 9., 3.]), indices=array([1, 3, 0]))
    """
    if largest is not True:
        largest = flag(largest, "largest")
    code = plain_code(a, axis)
    if code is not None and out is None and type(k) is int and 0 <= k <= a.size:
        values, index = np.empty(k, a.dtype), np.empty(k, _INDEX)
        _lib.topk(
            host_context(), code, pointer(a), a.size, k, pointer(values), _WIDE, pointer(index),
            None, _LARGEST if largest else _SMALLEST,
        )  # fmt: skip
        return TopK(values, index)
    row = tensors.row_of(a, axis) if out is None and type(k) is int else 0
    if row and 0 <= k <= a.numel():
        return TopK(*tensors.topk(a, row, k, largest))
    found = _topk(a, k, axis, largest)
    if out is None:
        return found
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError("out is not a tuple of two arrays; expected (values, indices)")
    return TopK(*map(into, out, found))


top_k = topk


@by_library
def argtopk(a: Any, k: int, axis: int | None = -1, *, largest: bool = True, out: Any = None) -> Any:
    """Returns the indices of the `k` largest (or smallest) elements in order.

    With k = 1 the result is that of `numpy.argmax` or `argmin`, for arrays without NaNs.

    Parameters
    ----------
    a, k, axis, largest : as for `topk`.
    out : array for the indices, of the same shape.

    Returns
    -------
    Array of int64 indices. Equal elements are in the order of their indices.

    Raises
    ------
    TypeError, ValueError : as for `topk`.

    Examples
    --------
    >>> import ordo
    >>> ordo.argtopk([3.0, 9.0, 1.0, 9.0], 3)
    array([1, 3, 0])
    >>> ordo.argtopk([3.0, 9.0, 1.0, 9.0], 1, largest=False)
    array([2])
    """
    return into(out, topk(a, k, axis, largest=largest).indices)


@with_guests
def _topk(a: Any, k: int, axis: int | None, largest: bool) -> TopK:
    k = integer(k, "k")
    column = column_of(a)
    place, array = place_of(a)
    if column is not None:
        keys = np.asarray(array) if isinstance(array, ndarray) else array
        index = _topk(keys, k, axis, largest).indices
        return TopK(column.take(index), index)
    if place is HOST and is_text(array):
        from .. import _strings

        return TopK(*_strings.topk(array, k, axis, largest))
    rows = Rows(place, array, axis, strided=True, descending=largest)
    code, n = rows.code, rows.n
    if not 0 <= k <= n:
        raise ValueError(f"k is {k}; expected 0 to {n}")
    values = place.empty((*rows.lead, k), place.key_dtype(rows))
    index = place.empty((*rows.lead, k), np.dtype(np.int64))
    opts = _select_options(place, largest)
    rows.run(
        lambda context, n, opts, keys, out, out_index: _lib.topk(
            context, code, keys, n, k, out, _lib.U64, out_index, None, opts
        ),
        _lib.SelectOptions,
        opts,
        values,
        index,
    )
    values = rows.restored(values)
    return TopK(rows.back_results(values), rows.back_results(index))
