"""unique, searchsorted: what distinct elements there are, and where others would go."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _lib, _short
from ._arrays import HOST, Rows, is_arrow_text, is_text, ndarray, normal_axis, place_of, plain_code
from ._check import flag, same_place, unmasked
from ._device import with_guests
from ._order import argsort, argsort_rows, sort, sort_pairs
from ._rank import rank_rows
from ._scan import cumsum

# ---- unique ------------------------------------------------------------------------------------

_FEW = 4096  # elements of which what calls cost is a good part
# Elements from which on _distinct has faster ways. Two Neoverse V1, f64, milliseconds (there :
# general) for 2^17, 2^18, 2^19 and 2^20 elements of 1000 values: 0.8 : 0.9, 1.1 : 1.6, 1.8 : 2.9,
# 3.1 : 5.8.
_LARGE = 1 << 18


def _firsts(place: Any, ordered: Any, equal_nan: bool) -> Any:
    """For each element of a sorted array whether it differs from the one before it."""
    first = place.empty(ordered.shape, np.dtype(bool))
    first[:1] = True
    place.not_equal(ordered[1:], ordered[:-1], first[1:])
    if equal_nan and ordered.shape[0] > 1 and bool(ordered[-1] != ordered[-1]):
        nan = place.isnan(ordered)
        first[1:] &= ~(nan[1:] & nan[:-1])
    return first


def _chosen(place: Any, elements: Any, flags: Any, count: int) -> Any:
    """The `count` elements whose flag is set, in their order."""
    n = elements.shape[0]
    if count == n:
        return elements
    if place is HOST and 16 * count < n:  # a split moves the others too
        return elements[np.flatnonzero(flags)]
    split = place.empty(elements.shape, elements.dtype)
    context = place.context
    wish = _lib.options(_lib.PartitionOptions, flags=place.flags, stream=place.stream or None)
    status = _lib.partition(
        context, _lib.FLAG_BYTES, place.address(flags), place.address(elements), n,
        place.itemsize(elements), place.address(split), None, wish,
    )  # fmt: skip
    if status:
        _lib.fail(status, context)
    return place.copy(split[:count]) if 2 * count < n else split[:count]


def _unique_few(
    a: Any, return_index: bool, return_inverse: bool, return_counts: bool, equal_nan: bool
) -> Any:
    """The same of a plain row of few elements, with no more calls than there must be."""
    n = a.size
    more = return_index or return_inverse
    order: Any = argsort(a) if more else None
    # Of zeros with different signs an index is that of the first, else -0 stands for both.
    ordered = a[order] if return_index or (more and a.dtype.kind != "f") else sort(a)
    first = np.empty(n, bool)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], first[1:])
    if equal_nan and n and ordered[-1] != ordered[-1]:
        first[ordered.searchsorted(ordered.dtype.type(np.nan)) + 1 :] = False
    starts = first.nonzero()[0]
    values = ordered[starts]
    if not more and not return_counts:
        return values
    results = [values]
    if return_index:
        results.append(order[starts])
    if return_inverse:
        inverse = np.empty(n, np.int64)
        inverse[order] = np.add.accumulate(first)
        inverse -= 1
        results.append(inverse)
    if return_counts:
        results.append(_counts(HOST, starts, n))
    return tuple(results)


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
    """The sorted distinct elements of an array, as `numpy.unique` of all its elements.

    Parameters
    ----------
    ar : array-like of numbers or strings, looked at as one row; also arrays on a GPU.
    return_index : also the index of each element's first occurrence.
    return_inverse : also, in the shape of `ar`, where each element is in the result.
    return_counts : also how often each occurs.
    axis : None. Of an array with several dimensions, `numpy.unique` finds the distinct slices.
    equal_nan : all NaNs are one element.
    sorted : accepted as NumPy's; the elements are always sorted.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.unique([3, 1, 3, 2])
    array([1, 2, 3])
    >>> values, counts = ordo.unique(np.array(["b", "a", "b"]), return_counts=True)
    >>> values, counts
    (array(['a', 'b'], dtype='<U1'), array([1, 2]))
    """
    if equal_nan is not True:
        equal_nan = flag(equal_nan, "equal_nan")
    if not (return_index is return_inverse is return_counts is False):
        return_index = flag(return_index, "return_index")
        return_inverse = flag(return_inverse, "return_inverse")
        return_counts = flag(return_counts, "return_counts")
    if axis is not None:
        return _unique_slices(ar, return_index, return_inverse, return_counts, axis, equal_nan)
    if plain_code(ar) is not None and ar.size <= _FEW:
        if ar.size <= _short.DISTINCT and not (return_index or return_inverse or return_counts):
            values = _short.distinct(ar)
            if values is not None:
                return values
        return _unique_few(ar, return_index, return_inverse, return_counts, equal_nan)
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
    """The distinct slices along an axis: those of one dimension are elements, others NumPy's."""
    place, array = place_of(ar)
    normal_axis(axis, array.ndim)
    if array.ndim == 1:
        return unique(array, return_index, return_inverse, return_counts, equal_nan=equal_nan)
    if place is not HOST:
        raise TypeError(f"axis is {axis} and the array one of {place.name}; expected None")
    return np.unique(array, return_index, return_inverse, return_counts, axis)


@with_guests
def _unique(
    ar: Any, return_index: bool, return_inverse: bool, return_counts: bool, equal_nan: bool
) -> Any:
    place, array = place_of(ar)
    if place is HOST and is_text(array):
        from . import _strings

        parts = _strings.unique(array, return_index, return_inverse, return_counts)
        return parts if len(parts) > 1 else parts[0]
    rows = Rows(place, array, None)
    if place is HOST and rows.n >= _LARGE and not return_index and not return_counts:
        found = _unique_large(rows, return_inverse, equal_nan)
        if found is not None:
            values = place.astype_back(found[0], rows.dtype)
            return (values, found[1].reshape(array.shape)) if return_inverse else values
    if return_index:
        ordered, index = sort_pairs(rows.keys, place.count_up(rows.n))
    else:
        ordered, index = sort(rows.keys), None
    first = _firsts(place, ordered, equal_nan)
    count = place.count_true(first)
    results = [place.astype_back(_chosen(place, ordered, first, count), rows.dtype)]
    if return_index:
        results.append(_chosen(place, index, first, count))
    if return_inverse:
        results.append(place.reshape(_inverse(rows, index, first, equal_nan), array.shape))
    if return_counts:
        results.append(_counts(place, place.nonzero(first), rows.n))
    return tuple(results) if len(results) > 1 else results[0]


def _unique_large(rows: Rows, return_inverse: bool, equal_nan: bool) -> tuple[Any, Any] | None:
    """Values and inverse of a large host row; None if the general way is as good."""
    from . import _distinct

    few = _distinct.of_few(rows.keys, return_inverse) if equal_nan else None
    if few is not None or rows.n < _distinct.VERY_LARGE or (return_inverse and not equal_nan):
        return few
    inverse = _dense(rows) if return_inverse else None
    return _distinct.of_sorted(sort(rows.keys), equal_nan), inverse


def _dense(rows: Rows) -> Any:
    """Each element's place among the distinct ones: its dense rank, counted from 0."""
    ranks = rank_rows(rows, "dense", False, np.dtype(np.int64))
    ranks -= 1
    return ranks


def _inverse(rows: Rows, index: Any, first: Any, equal_nan: bool) -> Any:
    """Each element's place among the distinct ones."""
    if equal_nan and index is None:
        return _dense(rows)
    if index is None:
        index = argsort_rows(rows, False)
    if rows.place is HOST and rows.n >= _LARGE:
        from . import _distinct

        return _distinct.inverse(index, first)
    inverse = rows.place.empty(first.shape, np.dtype(np.int64))
    inverse[index] = cumsum(first) - 1
    return inverse


def _counts(place: Any, starts: Any, n: int) -> Any:
    """How many of n elements there are from each start to the next."""
    counts = place.empty(starts.shape, np.dtype(np.int64))
    counts[:-1] = starts[1:]
    counts[-1:] = n
    counts -= starts
    return counts


# ---- searchsorted ------------------------------------------------------------------------------

# From here on needles are sorted first, so that the search walks through memory once and its
# branches are foreseen. Neoverse V1, one thread, f64, milliseconds (sorted first : NumPy) for n
# random needles in m keys: n = m = 2e6 128 : 916; n = 2e4, m = 3e5 1.5 : 5.7; n = 1e6, m = 3e4
# 46 : 113.
_HAYSTACK_BYTES = 1 << 17
_MANY_NEEDLES = 1 << 14
_NUMBERS = (float, int)


def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """Where elements of `v` go in the sorted array `a`, as `numpy.searchsorted`.

    Many needles in a large haystack are brought in order first.

    Parameters
    ----------
    a : one dimension, in ascending order, or in the order that `sorter` gives it.
    v : what to look for; strings if `a` holds strings.
    side : 'left': before elements that are equal; 'right': behind them.
    sorter : the indices that sort `a`, from 0 to len(a) - 1, as many as there are elements.

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
    if few and usual and type(a) is ndarray and a.dtype.kind in "biuf":
        return a.searchsorted(v, side)
    return _searchsorted(a, v, side, sorter)


def _check_sorter(place: Any, sorter: Any, n: int) -> Any:
    """`sorter` as an array of `place`: n integers from 0 to n - 1."""
    if place is HOST:
        sorter = unmasked(sorter, "sorter")
        if sorter.dtype.kind not in "iu" and (sorter.size or sorter.ndim != 1):
            raise TypeError(f"sorter is of dtype {sorter.dtype}; expected integers")
    elif not same_place(place, place_of(sorter)[0]):
        raise TypeError(f"sorter is no array of {place.name}; expected it in the place of a")
    elif place.is_bool(sorter.dtype) or place.float_name(sorter.dtype) is not None:
        raise TypeError(f"sorter is of dtype {sorter.dtype}; expected integers")
    if len(sorter.shape) != 1:
        raise TypeError(f"sorter has {len(sorter.shape)} dimensions; expected 1")
    if sorter.shape[0] != n:
        raise ValueError(f"sorter has {sorter.shape[0]} elements; expected {n}, as a has")
    if n and (int(sorter.min()) < 0 or int(sorter.max()) >= n):
        bad = sorter.min() if int(sorter.min()) < 0 else sorter.max()
        raise ValueError(f"sorter has an index {int(bad)}; expected 0 to {n - 1}")
    return sorter if place is not HOST else sorter.astype(np.intp, copy=False)


def _comparable(array: Any) -> Any:
    """Arrow strings as an array that NumPy can search; all else as it is."""
    if not is_arrow_text(array):
        return array
    if array.missing is not None:
        raise ValueError("there are nulls among the strings; drop or fill them")
    return np.asarray(array.source, object)


@with_guests
def _searchsorted(a: Any, v: Any, side: Any, sorter: Any) -> Any:
    if not isinstance(side, str):
        raise TypeError(f"side is {side!r}; expected left or right")
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}; expected left or right")
    place, haystack = place_of(a)
    needle_place, needles = place_of(v)
    if len(haystack.shape) != 1:
        raise ValueError(f"a has {len(haystack.shape)} dimensions; expected 1")
    if place is not HOST and type(v) in _NUMBERS:
        needle_place, needles = place, place.number_like(haystack, v)
    if not same_place(place, needle_place):
        raise TypeError(
            f"a is an array of {place.name} and v of {needle_place.name}; expected both in the "
            "same place"
        )
    if sorter is not None:
        sorter = _check_sorter(place, sorter, haystack.shape[0])
    if place is not HOST:
        return place.searchsorted(haystack, needles, side, sorter)
    haystack, needles = _comparable(haystack), _comparable(needles)
    kinds = {haystack.dtype.kind, needles.dtype.kind}
    if kinds & set("SUT") and kinds & set("biufc"):  # NumPy would compare the numbers as strings
        raise TypeError(
            f"a is of dtype {haystack.dtype} and v of {needles.dtype}; expected numbers in both, "
            "or strings in both"
        )
    if sorter is not None:
        haystack = haystack[sorter]
    numeric = haystack.dtype.kind in "biuf" and needles.dtype == haystack.dtype
    many = needles.size >= _MANY_NEEDLES and haystack.nbytes >= _HAYSTACK_BYTES
    if not numeric or not many:
        return np.searchsorted(haystack, needles, side)
    flat = needles.reshape(-1)
    order = argsort(flat, dtype=np.uint32 if flat.size < 1 << 32 else np.intp)
    result = np.empty(flat.size, np.intp)
    result[order] = np.searchsorted(haystack, flat[order], side)
    return result.reshape(needles.shape)
