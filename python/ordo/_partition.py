"""partition and argpartition.

``ordo_select`` finds the k-th element. ``ordo_partition`` moves smaller elements to the front, and
elements equal to the k-th are swapped behind them. Few elements, several positions and GPU arrays
are sorted instead: a sorted array is partitioned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _lib
from ._arrays import (
    HOST,
    PLAIN,
    Rows,
    address,
    is_text,
    ndarray,
    normal_axis,
    place_of,
    product,
)
from ._check import unmasked
from ._device import with_guests
from ._numpy import SELECT_KINDS, check_kind
from ._order import argsort, sort
from ._select import check_positions

_FEW = 4096  # elements that are sorted faster than split


def _is_few(a: Any, kth: Any) -> bool:
    """Returns whether `a` is a row of few numbers and `kth` one of its positions."""
    if type(a) is not ndarray or a.ndim != 1 or type(kth) is not int:
        return False
    return a.size <= _FEW and -a.size <= kth < a.size and a.dtype in PLAIN


def _split(context: Any, flags: Any, elements: Any, out: Any) -> int:
    """Writes elements whose flag is set, then the others, both in order; returns how many are."""
    first = np.zeros(1, np.uintp)
    _lib.partition(
        context, _lib.FLAG_BYTES, address(flags), address(elements), elements.size,
        elements.itemsize, address(out), address(first), None,
    )  # fmt: skip
    return int(first[0])


def _split_row(context: Any, code: int, keys: Any, k: int, elements: Any, result: Any) -> None:
    """Writes `elements` (the keys, or their indices), split around the k-th key."""
    pivot = np.empty(1, keys.dtype)
    position = np.array([k], np.uintp)
    _lib.select(context, code, address(keys), keys.size, address(position), 1, address(pivot), None)
    if pivot[0] != pivot[0]:
        _split(context, ~np.isnan(keys), elements, result)
        return
    count = _split(context, keys < pivot[0], elements, result)
    rest = result[count:]
    if elements is keys:
        _to_front(rest, np.flatnonzero(rest == pivot[0]))
    else:  # the split keeps the indices in ascending order
        _to_front(rest, np.searchsorted(rest, np.flatnonzero(keys == pivot[0])))


def _to_front(elements: Any, chosen: Any) -> None:
    """Swaps the elements at the ascending positions `chosen` to the front."""
    count = chosen.size
    stays = np.zeros(count, bool)
    stays[chosen[chosen < count]] = True
    free, late = np.flatnonzero(~stays), chosen[chosen >= count]
    kept = elements[free]
    elements[free] = elements[late]
    elements[late] = kept


def partition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None
) -> Any:
    """Returns a partitioned copy of an array, as `numpy.partition` does.

    Parameters
    ----------
    a : array-like of numbers or strings; also GPU arrays and Arrow arrays.
    kth : a position or several positions. Negative positions count from the end.
    axis : axis to work along. None: all elements as one row.
    kind : accepted for NumPy: 'introselect'.
    order : must be None.

    Returns
    -------
    Array with the element at `kth` as in the sorted array. No element before it is larger, no
    element after it is smaller. NaNs are the largest elements.

    Raises
    ------
    TypeError : the elements or `kth` have the wrong type.
    ValueError : `kth` or `axis` is out of range, or `kind` is unknown.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.partition(np.array([7, 1, 9, 3, 5]), 2)
    array([1, 3, 5, 7, 9])
    """
    if kind != "introselect" or order is not None:
        check_kind(kind, order, SELECT_KINDS)
    if _is_few(a, kth):
        return sort(a, axis)
    return _split_rows(a, kth, axis, False)


def argpartition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None
) -> Any:
    """Returns the indices that partition an array, as `numpy.argpartition` does.

    Parameters
    ----------
    a, kth, axis, kind, order : as for `partition`.

    Returns
    -------
    Array of int64 indices.

    Raises
    ------
    TypeError, ValueError : as for `partition`.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> x = np.array([7, 1, 9, 3, 5])
    >>> x[ordo.argpartition(x, 2)][2]
    np.int64(5)
    """
    if kind != "introselect" or order is not None:
        check_kind(kind, order, SELECT_KINDS)
    if _is_few(a, kth):
        return argsort(a, axis)
    return _split_rows(a, kth, axis, True)


def _check_kth(kth: Any, shape: Any, axis: int | None) -> Any:
    """Returns the positions `kth`, counted from 0. An empty array accepts all, as in NumPy."""
    sizes = tuple(shape)
    n = product(sizes) if axis is None else sizes[normal_axis(axis, len(sizes))]
    wanted = unmasked(kth, "kth")
    if wanted.dtype.kind == "b":
        raise ValueError(f"kth is {kth!r}; expected integers, not bools")
    if wanted.ndim > 1:
        raise ValueError(f"kth has {wanted.ndim} dimensions; expected at most 1")
    if product(sizes) == 0 and wanted.dtype.kind in "iu":
        return np.zeros(wanted.shape, np.uintp)
    return check_positions(kth, n, "kth")


def _rows_are_short(array: Any, axis: int) -> bool:
    """Returns whether there are several rows, and one call sorts all of them faster."""
    return array.ndim > 1 and array.shape[normal_axis(axis, array.ndim)] <= _FEW


@with_guests
def _split_rows(a: Any, kth: Any, axis: int | None, indices: bool) -> Any:
    """Returns the elements of every row, or their indices, split around the k-th element."""
    place, array = place_of(a)
    positions = np.unique(_check_kth(kth, array.shape, axis))
    text = place is HOST and is_text(array)
    if text or place is not HOST or positions.size != 1 or product(array.shape) == 0:
        return argsort(array, axis) if indices else sort(array, axis)
    if axis is not None and _rows_are_short(array, axis):
        return argsort(array, axis) if indices else sort(array, axis)
    rows = Rows(place, array, axis)
    result = np.empty(rows.keys.shape, np.intp if indices else rows.keys.dtype)
    context, index = place.context, np.arange(rows.n) if indices else None
    for keys, out in zip(rows.keys.reshape(-1, rows.n), result.reshape(-1, rows.n)):
        _split_row(
            context, rows.code, keys, int(positions[0]), keys if index is None else index, out
        )
    return rows.back(result) if indices else place.astype_back(rows.back(result), rows.dtype)
