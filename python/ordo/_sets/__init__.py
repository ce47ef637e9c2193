"""unique and searchsorted."""

from __future__ import annotations

import ctypes
from typing import Any, Literal, overload

import numpy as np

from .. import _lib
from .._arrays import (
    HOST,
    Rows,
    is_arrow_text,
    is_text,
    ndarray,
    normal_axis,
    place_of,
    plain_code,
    pointer,
)
from .._check import flag, one_of, same_place, unmasked
from .._context import cpu_context
from .._context.threads import by_threads
from .._inputs.device import with_guests
from .._inputs.series import column_of
from .._short import by_library
from .._verbs.order import argsort, sort, sort_pairs
from .._verbs.rank import rank_rows
from .._verbs.scan import cumsum

_BOOL, _INT64 = np.dtype(bool), np.dtype(np.int64)

# ---- unique ------------------------------------------------------------------------------------

_FEW = 4096  # elements of a row up to which the overhead of calls matters
# Elements of a row from which `distinct` is faster. Two Neoverse V1, f64, milliseconds (distinct :
# the sort below) for 2^17, 2^18, 2^19 and 2^20 elements of 1000 values: 0.8 : 0.9, 1.1 : 1.6,
# 1.8 : 2.9, 3.1 : 5.8.
_LARGE = 1 << 18

_Yes = Literal[True]
_No = Literal[False]


# A flag adds an array to the result. It is given by position or by name.
@overload
def unique(
    ar: Any, return_index: _No = ..., return_inverse: _No = ..., return_counts: _No = ...,
    axis: int | None = ..., *, equal_nan: bool = ..., sorted: bool = ...,
) -> Any: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _No = ..., return_inverse: _No = ..., *, return_counts: _Yes,
    axis: int | None = ..., equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _No, return_inverse: _No, return_counts: _Yes,
    axis: int | None = ..., *, equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _No = ..., *, return_inverse: _Yes, return_counts: _No = ...,
    axis: int | None = ..., equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _No, return_inverse: _Yes, return_counts: _No = ...,
    axis: int | None = ..., *, equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _No = ..., *, return_inverse: _Yes, return_counts: _Yes,
    axis: int | None = ..., equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _No, return_inverse: _Yes, return_counts: _Yes,
    axis: int | None = ..., *, equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _Yes, return_inverse: _No = ..., return_counts: _No = ...,
    axis: int | None = ..., *, equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _Yes, return_inverse: _No = ..., *, return_counts: _Yes,
    axis: int | None = ..., equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _Yes, return_inverse: _No, return_counts: _Yes,
    axis: int | None = ..., *, equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _Yes, return_inverse: _Yes, return_counts: _No = ...,
    axis: int | None = ..., *, equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: _Yes, return_inverse: _Yes, return_counts: _Yes,
    axis: int | None = ..., *, equal_nan: bool = ..., sorted: bool = ...,
) -> tuple[Any, Any, Any, Any]: ...  # fmt: skip


@overload
def unique(
    ar: Any, return_index: bool = ..., return_inverse: bool = ..., return_counts: bool = ...,
    axis: int | None = ..., *, equal_nan: bool = ..., sorted: bool = ...,
) -> Any: ...  # fmt: skip


@by_library
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Returns the sorted distinct elements of an array, as `numpy.unique` does.

    Parameters
    ----------
    ar : array-like of numbers or strings, read as one row; also GPU arrays.
    return_index : also return the index of the first occurrence of each distinct element.
    return_inverse : also return, for each element of `ar`, its index in the distinct elements.
    return_counts : also return the number of occurrences of each distinct element.
    axis : None, or an axis: the distinct slices along it, in order of their elements.
    equal_nan : all NaNs are one element. Also with an axis, where NumPy never equates them.
    sorted : accepted for NumPy; the result is always sorted.

    Returns
    -------
    Array of the distinct elements; a tuple if further results are asked for. The inverse has the
    shape of `ar`.

    Raises
    ------
    TypeError : the elements or a flag have the wrong type, or `axis` is given for a GPU array.
    ValueError : `axis` is out of range.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.unique([3, 1, 3, 2])
    array([1, 2, 3])
    >>> values, counts = ordo.unique(np.array(["b", "a", "b"]), return_counts=True)
    >>> values, counts
    (array(['a', 'b'], dtype='<U1'), array([1, 2]))
    """
    only_values = return_index is return_inverse is return_counts is False
    if equal_nan is not True:
        equal_nan = flag(equal_nan, "equal_nan")
    if not only_values:
        return_index = flag(return_index, "return_index")
        return_inverse = flag(return_inverse, "return_inverse")
        return_counts = flag(return_counts, "return_counts")
    if axis is not None:
        return _unique_slices(ar, return_index, return_inverse, return_counts, axis, equal_nan)
    code = plain_code(ar)
    if code is not None and only_values:
        values = _distinct(ar, code, equal_nan)
        if values is not None:
            return values
    if code is not None and ar.size < _LARGE:
        return _unique_row(HOST, ar, return_index, return_inverse, return_counts, equal_nan)
    return _unique(ar, return_index, return_inverse, return_counts, equal_nan)


@with_guests
def _unique_slices(
    ar: Any,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    axis: int,
    equal_nan: bool,
) -> Any:
    """Returns the distinct slices along an axis: elements for one dimension, else arrays."""
    place, array = place_of(ar)
    normal_axis(axis, array.ndim)
    if array.ndim == 1:
        return unique(array, return_index, return_inverse, return_counts, equal_nan=equal_nan)
    if place is not HOST:
        raise TypeError(f"axis is {axis} and the array one of {place.name}; expected axis=None")
    if array.dtype.kind in "OT":
        numpy_unique: Any = np.unique
        return numpy_unique(array, return_index, return_inverse, return_counts, axis)
    from . import slices

    return slices.unique(array, axis, return_index, return_inverse, return_counts, equal_nan)


@with_guests
def _unique(
    ar: Any, return_index: bool, return_inverse: bool, return_counts: bool, equal_nan: bool
) -> Any:
    place, array = place_of(ar)
    column = column_of(ar)
    if column is not None:
        keys = np.asarray(array) if isinstance(array, ndarray) else array
        _, index, *others = _unique(keys, True, return_inverse, return_counts, equal_nan)
        taken = (column.take(index), *([index] if return_index else []), *others)
        return taken if len(taken) > 1 else taken[0]
    if place is HOST and is_text(array):
        from .. import _strings

        parts = _strings.unique(array, return_index, return_inverse, return_counts)
        return parts if len(parts) > 1 else parts[0]
    rows = Rows(place, array, None)
    if not equal_nan and array.dtype.kind in "Mm":  # the keys of NaTs are equal
        numpy_unique: Any = np.unique
        return numpy_unique(array, return_index, return_inverse, return_counts, equal_nan=False)
    found: Any = None
    if place is HOST and not (return_index or return_inverse or return_counts):
        found = _distinct(rows.keys, rows.code, equal_nan)
    elif place is HOST and rows.n >= _LARGE and not return_index:
        found = _unique_large(rows.keys, return_inverse, return_counts, equal_nan)
    if found is None:
        found = _unique_row(
            place, rows.keys, return_index, return_inverse, return_counts, equal_nan
        )
    if not isinstance(found, tuple):
        return rows.restored(found)
    results = [rows.restored(found[0]), *found[1:]]
    if return_inverse:
        at = 2 if return_index else 1
        results[at] = place.reshape(results[at], array.shape)
    return tuple(results)


def _distinct(row: Any, code: Any, equal_nan: bool) -> Any:
    """Returns the distinct elements of a contiguous host row.

    Returns None if calls may not run on the CPU, or NaNs are to be kept apart.
    """
    context = cpu_context()
    if context is None:
        return None
    n = row.size
    result, found = np.empty(n, row.dtype), ctypes.c_size_t()
    _lib.unique(context, code, pointer(row), n, pointer(result), ctypes.addressof(found), None)
    count = found.value
    if not equal_nan and count and result[count - 1] != result[count - 1]:
        return None
    return _cut(result, count, n)


def _cut(result: Any, count: int, n: int) -> Any:
    """Returns the first `count` of n elements: a copy if that frees most of the memory."""
    if count == n:
        return result
    return result[:count].copy() if 2 * count < n else result[:count]


def _unique_row(
    place: Any,
    row: Any,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    equal_nan: bool,
) -> Any:
    """Returns the distinct elements of a contiguous row, and the further results in a tuple."""
    n = row.shape[0]
    few = place is HOST and n <= _FEW
    index: Any = argsort(row) if few and (return_index or return_inverse) else None
    if index is not None and (return_index or row.dtype.kind != "f"):
        ordered = row[index]
    elif return_index:
        ordered, index = sort_pairs(row, place.count_up(n))
    else:
        ordered = sort(row)  # -0 is before +0, so the value of equal zeros is -0
    first = _firsts(place, ordered, equal_nan)
    only_values = not (return_index or return_inverse or return_counts)
    if only_values and few and np.count_nonzero(first) == n:
        return ordered
    starts = place.nonzero(first) if few or return_counts else None
    values = ordered[starts] if few else _compress(place, ordered, first)
    if only_values:
        return values
    results = [values]
    if return_index:
        results.append(index[starts] if few else _compress(place, index, first))
    if return_inverse:
        results.append(_inverse(place, row, index, first, equal_nan))
    if return_counts:
        results.append(_counts(place, starts, n))
    return tuple(results)


def _firsts(place: Any, ordered: Any, equal_nan: bool) -> Any:
    """Returns for each element of a sorted array whether it differs from the previous element."""
    first = place.empty(ordered.shape, _BOOL)
    first[:1] = True
    place.not_equal(ordered[1:], ordered[:-1], first[1:])
    if equal_nan and ordered.shape[0] > 1 and bool(ordered[-1] != ordered[-1]):
        nan = place.isnan(ordered)
        first[1:] &= ~(nan[1:] & nan[:-1])
    return first


def _compress(place: Any, elements: Any, flags: Any) -> Any:
    """Returns the elements whose flag is set, in their order."""
    n, count = elements.shape[0], place.count_true(flags)
    if count == n:
        return elements
    if place is HOST and 16 * count < n:  # ordo_partition also moves the other elements
        return elements[np.flatnonzero(flags)]
    split = place.empty(elements.shape, elements.dtype)
    _lib.partition(
        place.context, _lib.FLAG_BYTES, place.address(flags), place.address(elements), n,
        place.itemsize(elements), place.address(split), None,
        _lib.options(_lib.PartitionOptions, flags=place.flags, stream=place.stream or None),
    )  # fmt: skip
    return place.copy(split[:count]) if 2 * count < n else split[:count]


def _unique_large(row: Any, return_inverse: bool, return_counts: bool, equal_nan: bool) -> Any:
    """Returns the results for a large host row; None if `_unique_row` is as fast."""
    from . import distinct

    if return_inverse and return_counts:
        return None
    if return_counts:
        return distinct.counts_of_few(row)
    if not equal_nan:
        return None
    found = distinct.inverse_of_few(row)
    if found is not None or row.size < distinct.VERY_LARGE:
        return found
    return distinct.of_sorted(sort(row), equal_nan), _dense(HOST, row)


def _dense(place: Any, row: Any) -> Any:
    """Returns dense ranks that start at 0: the index of each element in the distinct elements."""
    ranks = rank_rows(Rows(place, row, None), "dense", False, _INT64)
    ranks -= 1
    return ranks


def _inverse(place: Any, row: Any, index: Any, first: Any, equal_nan: bool) -> Any:
    """Returns for each element its index in the distinct elements.

    `index` is the argsort of the row, or None; `first` marks the first of equal sorted elements.
    """
    n = row.shape[0]
    few = place is HOST and n <= _FEW
    if index is None:
        if equal_nan and not few:
            return _dense(place, row)
        index = argsort(row)
    if place is HOST and n >= _LARGE:
        from . import distinct

        return distinct.inverse(index, first)
    inverse = place.empty(first.shape, _INT64)
    inverse[index] = np.add.accumulate(first) if few else cumsum(first)
    inverse -= 1
    return inverse


def _counts(place: Any, starts: Any, n: int) -> Any:
    """Returns the distance from each start to the next; the last ends at n."""
    counts = place.empty(starts.shape, _INT64)
    counts[:-1] = starts[1:]
    counts[-1:] = n
    counts -= starts
    return counts


# ---- searchsorted ------------------------------------------------------------------------------

_MANY_NEEDLES = 1 << 8  # with fewer, NumPy takes a few microseconds
_NUMBERS = (float, int)


@by_library
def searchsorted(
    a: Any, v: Any, side: Literal["left", "right"] = "left", sorter: Any = None
) -> Any:
    """Returns where elements belong in a sorted array, as `numpy.searchsorted` does.

    Parameters
    ----------
    a : array-like of one dimension, in ascending order (after `sorter`, if given).
    v : elements to search; strings if `a` holds strings.
    side : 'left': the index before equal elements of `a`. 'right': the index after them.
    sorter : indices that sort `a`, or None.

    Returns
    -------
    Array of indices with the shape of `v`; a number if `v` is a number.

    Raises
    ------
    TypeError : numbers and strings are mixed, or an argument has the wrong type.
    ValueError : `side` is unknown, `a` has several dimensions, or `sorter` has wrong indices.

    Examples
    --------
    >>> import ordo
    >>> ordo.searchsorted([10, 20, 20, 30], [20, 5], side="right")
    array([3, 0])
    """
    few = type(v) in _NUMBERS or (
        type(v) is ndarray and v.size < _MANY_NEEDLES and v.dtype.kind in "biuf"
    )
    usual = sorter is None and (side == "left" or side == "right")
    if few and usual and type(a) is ndarray and a.ndim == 1 and a.dtype.kind in "biuf":
        return a.searchsorted(v, side)
    if usual and plain_code(a) is not None and plain_code(v) is not None and a.dtype == v.dtype:
        return _search_many(a, v, side)
    return _searchsorted(a, v, side, sorter)


def _check_sorter(place: Any, sorter: Any, n: int) -> Any:
    """Returns `sorter` as an array of `place`: n integers from 0 to n - 1."""
    if place is HOST:
        sorter = unmasked(sorter, "sorter")
        wrong = sorter.dtype.kind not in "iu" and (sorter.size or sorter.ndim != 1)
    else:
        same_place(place, "a", place_of(sorter)[0], "sorter")
        wrong = place.is_bool(sorter.dtype) or place.float_name(sorter.dtype) is not None
    if wrong:
        raise TypeError(f"sorter has dtype {sorter.dtype}; expected integers")
    if len(sorter.shape) != 1:
        raise TypeError(f"sorter has {len(sorter.shape)} dimensions; expected 1")
    if sorter.shape[0] != n:
        raise ValueError(f"sorter has {sorter.shape[0]} elements; expected {n}, as a")
    if n and (int(sorter.min()) < 0 or int(sorter.max()) >= n):
        bad = sorter.min() if int(sorter.min()) < 0 else sorter.max()
        raise ValueError(f"sorter has the index {int(bad)}; expected 0 to {n - 1}")
    return sorter if place is not HOST else sorter.astype(np.intp, copy=False)


def _comparable(array: Any) -> Any:
    """Converts Arrow strings to an array that NumPy can search. Decimals raise a TypeError."""
    if array.dtype.kind == "m" and type(array) is not ndarray:
        raise TypeError("the elements are decimals; pass the array cast to float64")
    if not is_arrow_text(array):
        return array
    if array.missing is not None:
        raise ValueError("the strings contain nulls; expected none; drop or fill them")
    return np.asarray(array.source, object)


@with_guests
def _searchsorted(a: Any, v: Any, side: Any, sorter: Any) -> Any:
    if not isinstance(side, str):
        raise TypeError(f"side is {side!r}; expected one of left, right")
    one_of(("left", "right"), side, "side")
    place, haystack = place_of(a)
    needle_place, needles = place_of(v)
    if len(haystack.shape) != 1:
        raise ValueError(f"a has {len(haystack.shape)} dimensions; expected 1")
    if place is not HOST and type(v) in _NUMBERS:
        needle_place, needles = place, place.number_like(haystack, v)
    same_place(place, "a", needle_place, "v")
    if sorter is not None:
        sorter = _check_sorter(place, sorter, haystack.shape[0])
    if place is not HOST:
        return place.searchsorted(haystack, needles, side, sorter)
    haystack, needles = _comparable(haystack), _comparable(needles)
    kinds = {haystack.dtype.kind, needles.dtype.kind}
    if kinds & set("SUT") and kinds & set("biufc"):  # NumPy would compare the numbers as strings
        raise TypeError(
            f"a has dtype {haystack.dtype} and v {needles.dtype}; expected numbers in both or "
            "strings in both"
        )
    if "T" in kinds:  # NumPy 2.4 reads the strings of both arrays from the memory of one of them
        haystack, needles = haystack.astype(object), needles.astype(object)
    if sorter is not None:
        haystack = haystack[sorter]
    if needles.size < _MANY_NEEDLES or not kinds <= set("biuf"):
        return haystack.searchsorted(needles, side)
    dtype = np.promote_types(haystack.dtype, needles.dtype)  # as NumPy compares them
    if dtype.kind == "f" and dtype.itemsize == 2:
        dtype = np.dtype(np.float32)
    with np.errstate(invalid="ignore"):  # a signalling NaN would warn
        flat = np.ascontiguousarray(needles.reshape(-1), dtype)
        haystack = np.ascontiguousarray(haystack, dtype)
    return _search_many(haystack, flat, side).reshape(needles.shape)


# ---- Many needles ------------------------------------------------------------------------------

_SLICE = 1 << 14  # needles for each thread that searches with NumPy
_SIDES = {
    "left": None,
    "right": _lib.options(_lib.SearchOptions, side=1),
}


def _search_many(haystack: Any, needles: Any, side: str) -> Any:
    """Returns the places of needles, a row of the dtype of the haystack. Both are contiguous."""
    result = np.empty(needles.size, np.intp)
    code = plain_code(haystack)
    context = None if code is None or plain_code(needles) is None else cpu_context()
    if context is not None:
        _lib.search(
            context, code, pointer(haystack), haystack.size, pointer(needles), needles.size,
            _lib.U64, pointer(result), _SIDES[side],
        )  # fmt: skip
        return result

    def search(lo: int, hi: int) -> None:
        result[lo:hi] = haystack.searchsorted(needles[lo:hi], side)

    by_threads(search, needles.size, _SLICE)
    return result
