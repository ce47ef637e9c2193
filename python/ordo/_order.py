"""sort, argsort, sort_pairs: arrays in order, and what brings them there."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _lib, _short
from ._arrays import (
    COPY_BY_THREADS,
    HOST,
    PLAIN,
    USABLE,
    Rows,
    address,
    is_arrow_text,
    is_text,
    ndarray,
    normal_axis,
    place_of,
    plain_code,
    pointer,
    product,
)
from ._check import flag, output, same_place
from ._context import host_context
from ._device import with_guests
from ._numpy import check_kind

_INTP = np.dtype(np.intp)
_INDEX = {np.dtype(name): code for name, code in
          (("u4", _lib.U32), ("i4", _lib.U32), ("u8", _lib.U64), ("i8", _lib.U64))}  # fmt: skip


def _check_kind(kind: str | None, order: Any) -> None:
    check_kind(kind, order)


def _check_stable(kind: str | None, stable: Any) -> None:
    if kind is not None and stable is not None:
        raise ValueError(
            "`kind` and `stable` parameters can't be provided at the same time; expected one"
        )
    if stable is not None:
        flag(stable, "stable")


def _options(place: Any, descending: bool, algorithm: str) -> Any:
    number = _lib.number_of(_lib.ALGORITHMS, algorithm, "algorithm")
    flags = place.flags | (_lib.DESCENDING if descending else 0)
    return _lib.options(
        _lib.SortOptions, flags=flags, algorithm=number, stream=place.stream or None
    )


_WIDE = PLAIN[np.dtype("u8")]
_DESCENDING = _options(HOST, True, "auto")

# ---- sort --------------------------------------------------------------------------------------


def _sort_rows(rows: Rows, descending: bool, algorithm: str) -> None:
    """Sorts the keys of rows in place."""
    code, n, wish = rows.code, rows.n, _options(rows.place, descending, algorithm)
    rows.run(lambda context, keys: _lib.sort(context, code, keys, n, wish))


def sort(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
    algorithm: str = "auto",
    out: Any = None,
) -> Any:
    """A sorted copy of an array, as `numpy.sort`.

    Parameters
    ----------
    a : array-like of numbers or strings; also arrays on a GPU, and Arrow arrays.
    axis : along which to sort; None sorts all elements as one row.
    kind, stable : accepted as NumPy's, and of no consequence: every algorithm gives the same bytes.
    descending : largest first; NaNs are last either way.
    algorithm : 'auto', or the name of one: radix, sample, merge, bitonic, split, rough, ...
        Strings take 'auto' only.
    out : an array for the result, of the same shape and dtype; ``out=a`` sorts in place.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.sort([3.0, np.nan, 1.0, 2.0])
    array([ 1.,  2.,  3., nan])
    >>> ordo.sort(np.array([[3, 1, 2], [9, 7, 8]]), descending=True)
    array([[3, 2, 1],
           [9, 8, 7]])
    >>> ordo.sort(["pear", "fig", "apple"])
    array(['apple', 'fig', 'pear'], dtype='<U5')
    """
    if descending is not False:
        descending = flag(descending, "descending")
    if stable is not None:
        _check_stable(kind, stable)
    usual = kind is None and out is None and type(axis) is int and axis in (-1, 0)
    if usual and type(a) is ndarray and a.ndim == 1:
        code = PLAIN.get(a.dtype)
        if code is not None and algorithm == "auto" and order is None:
            if a.nbytes >= COPY_BY_THREADS and a.flags.num & USABLE == USABLE:
                return _sort_large(a, code, descending)
            result = a.copy()
            context = host_context()
            wish = _DESCENDING if descending else None
            status = _lib.sort(context, code, address(result), a.size, wish)
            if status:
                _lib.fail(status, context)
            return result
    _check_kind(kind, order)
    return _sort(a, axis, descending, algorithm, out)


def _sort_large(a: Any, code: Any, descending: bool) -> Any:
    """Keys that are read where they are, and not copied first."""
    result = np.empty(a.size, a.dtype)
    context = host_context()
    flags = _lib.DESCENDING if descending else 0
    wish = _lib.SortOptions(
        struct_size=ctypes.sizeof(_lib.SortOptions), flags=flags, source=address(a)
    )
    status = _lib.sort(context, code, address(result), a.size, ctypes.addressof(wish))
    if status:
        _lib.fail(status, context)
    return result


@with_guests
def _sort(a: Any, axis: int | None, descending: bool, algorithm: str, out: Any) -> Any:
    place, array = place_of(a)
    if place is HOST and is_text(array):
        from . import _strings

        _strings.check_algorithm(algorithm)
        return _strings.sort(array, axis, descending, out)
    if out is not None:
        return _sort_into(place, array, axis, descending, algorithm, out)
    rows = Rows(place, array, axis)
    _options(place, descending, algorithm)  # raises for an unknown algorithm
    result = _short.sort(rows, descending) if _short.are_short(rows, "sort") else None
    if result is None:
        result = rows.own(array)
        _sort_rows(rows, descending, algorithm)
    return place.astype_back(rows.back(result), rows.dtype)


def _sort_into(
    place: Any, array: Any, axis: int | None, descending: bool, algorithm: str, out: Any
) -> Any:
    if not hasattr(out, "dtype"):
        raise TypeError(f"out is a {type(out).__name__}; expected an array")
    expected = tuple(array.shape) if axis is not None else (product(array.shape),)
    output(place, place_of(out)[0], out, expected, array.dtype)
    if axis is not None:
        normal_axis(axis, len(expected))
    _options(place, descending, algorithm)  # raises for an unknown algorithm
    if out is not array:
        out[...] = array if axis is not None else place.reshape(array, (-1,))
    rows = Rows(place, out, -1 if axis is None else axis)
    _sort_rows(rows, descending, algorithm)
    if place.address(rows.keys) != place.address(out):  # they were no contiguous rows of a type
        out[...] = place.astype_back(rows.back(rows.keys), rows.dtype)
    return out


# ---- argsort -----------------------------------------------------------------------------------


def check_index_dtype(dtype: Any, n: int) -> Any:
    """The dtype of indices of n elements; TypeError or ValueError if it cannot hold them."""
    wanted = np.dtype(dtype)
    if wanted not in _INDEX:
        raise TypeError(f"dtype is {wanted}; expected int64, uint64, int32 or uint32")
    if wanted.itemsize == 4 and n > np.iinfo(wanted).max:
        raise ValueError(f"dtype is {wanted}, which cannot hold indices of {n} elements")
    return wanted


def argsort_rows(rows: Rows, descending: bool, algorithm: str = "auto", dtype: Any = _INTP) -> Any:
    """The order of every row, in an array of the keys' shape."""
    code, n, wish = rows.code, rows.n, _options(rows.place, descending, algorithm)
    index_code = _INDEX[check_index_dtype(dtype, n)]
    if _short.are_short(rows, "argsort"):
        return _short.argsort(rows, descending, dtype)
    result = rows.place.empty(rows.keys.shape, np.dtype(dtype))
    rows.run(
        lambda context, keys, index: _lib.argsort(context, code, keys, n, index_code, index, wish),
        result,
    )
    return result


def argsort(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
    algorithm: str = "auto",
    dtype: Any = _INTP,
) -> Any:
    """The indices that sort an array, as `numpy.argsort`; always stable: equal keys by index.

    Parameters are those of `sort`; `dtype` is int64 as in NumPy, or uint32 or int32, which take
    half the memory.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.argsort(np.array([30, 10, 20, 10]))
    array([1, 3, 2, 0])
    >>> ordo.argsort(np.array([30, 10, 20, 10]), descending=True)
    array([0, 2, 1, 3])
    """
    if descending is not False:
        descending = flag(descending, "descending")
    if stable is not None:
        _check_stable(kind, stable)
    code = plain_code(a)
    usual = kind is None and order is None and algorithm == "auto" and dtype is _INTP
    if usual and code is not None and type(axis) is int and axis in (-1, 0):
        n = a.size
        result = np.empty(n, _INTP)
        context = host_context()
        wish = _DESCENDING if descending else None
        status = _lib.argsort(context, code, pointer(a), n, _WIDE, pointer(result), wish)
        if status:
            _lib.fail(status, context)
        return result
    _check_kind(kind, order)
    return _argsort(a, axis, descending, algorithm, dtype)


@with_guests
def _argsort(a: Any, axis: int | None, descending: bool, algorithm: str, dtype: Any) -> Any:
    place, array = place_of(a)
    if place is HOST and is_text(array):
        from . import _strings

        _strings.check_algorithm(algorithm)
        return _strings.argsort(array, axis, descending, check_index_dtype(dtype, array.size))
    rows = Rows(place, array, axis)
    return rows.back(argsort_rows(rows, descending, algorithm, dtype))


# ---- sort_pairs --------------------------------------------------------------------------------

_LARGEST_VALUE = 16  # bytes that move with a key; larger values are fetched by index


def _is_large(place: Any, load: Any) -> bool:
    """Whether values are fetched by index: they have many bytes, or are references to objects."""
    return place.itemsize(load) > _LARGEST_VALUE or place.opaque(load)


def _taken(array: Any, index: Any) -> Any:
    return array.take(index) if is_arrow_text(array) else array[index]


def sort_pairs(
    keys: Any, values: Any, *, descending: bool = False, algorithm: str = "auto"
) -> tuple[Any, Any]:
    """Sorted keys, and the values that belong to them in the same order; stable.

    `keys` has one dimension; `values` is as long (further dimensions move as a whole).

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.sort_pairs(np.array([3, 1, 2]), np.array(["c", "a", "b"]))
    (array([1, 2, 3]), array(['a', 'b', 'c'], dtype='<U1'))
    """
    if descending is not False:
        descending = flag(descending, "descending")
    code = plain_code(keys)
    if code is not None and algorithm == "auto" and type(values) is ndarray:
        n = keys.size
        small = values.nbytes < COPY_BY_THREADS
        if small and values.ndim == 1 and values.size == n and values.dtype in PLAIN:
            sorted_keys, moved = keys.copy(), values.copy()
            context = host_context()
            status = _lib.sort_pairs(
                context, code, pointer(sorted_keys), n, pointer(moved), moved.itemsize,
                _DESCENDING if descending else None,
            )  # fmt: skip
            if status:
                _lib.fail(status, context)
            return sorted_keys, moved
    return _sort_pairs(keys, values, descending, algorithm)


@with_guests
def _sort_pairs(keys: Any, values: Any, descending: bool, algorithm: str) -> tuple[Any, Any]:
    place, array = place_of(keys)
    load_place, load = place_of(values, compare=False)
    if not same_place(place, load_place):
        raise TypeError(
            f"keys are an array of {place.name} and values of {load_place.name}; "
            "expected both in the same place"
        )
    if array.ndim != 1 or load.ndim < 1 or load.shape[0] != array.shape[0]:
        raise ValueError(
            f"keys have shape {tuple(array.shape)} and values {tuple(load.shape)}; expected one "
            "dimension of keys and as many values"
        )
    text = place is HOST and is_text(array)
    _options(place, descending, algorithm)  # raises for an unknown algorithm
    if text:
        from . import _strings

        _strings.check_algorithm(algorithm)
    if text or load.ndim > 1 or is_arrow_text(load) or _is_large(place, load):
        index = argsort(array, descending=descending)
        return _taken(array, index), _taken(load, index)
    rows = Rows(place, array, -1)
    sorted_keys = rows.own(array)
    moved = place.copy(load)
    code, n, size = rows.code, rows.n, place.itemsize(moved)
    wish = _options(place, descending, algorithm)
    rows.run(
        lambda context, start, values_start: _lib.sort_pairs(
            context, code, start, n, values_start, size, wish
        ),
        moved,
    )
    return place.astype_back(sorted_keys, rows.dtype), moved
