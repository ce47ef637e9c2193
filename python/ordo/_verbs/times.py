"""Medians and quantiles of dates and times (datetime64 and timedelta64).

Every row is sorted, with NaTs last. The elements around the position of a quantile are interpolated
as `numpy.quantile` does: a difference times a fraction is rounded towards zero to the unit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _lib
from .._arrays import HOST, Rows
from .._check import found_nan, warn
from .order import sort

# The methods that always select an element.
DISCRETE = frozenset(
    name for name, number in _lib.METHODS.items() if _lib.places(number, *[None] * 6)
)


def neighbours(n: Any, q: Any, method: str | None) -> tuple[Any, Any, Any]:
    """Returns the positions of the two elements of each quantile, and the fraction between them.

    `method` None: the median, whose fraction is None, as that of a discrete method.
    """
    if method is None:
        return (n - 1) // 2, n // 2, None
    n, q = (np.array(x, order="C") for x in np.broadcast_arrays(n, q))
    n, q = n.astype(np.uintp), q.astype(np.float64)
    below, above, way = np.empty_like(n), np.empty_like(n), np.empty_like(q)
    pointers = [array.ctypes.data for array in (n, q, below, above, way)]
    _lib.places(_lib.METHODS[method], *pointers[:2], n.size, *pointers[2:])
    return below, above, None if method in DISCRETE else way


class _Sorted:
    """The rows of an array of dates or times, sorted, and how many elements of each are not NaT."""

    def __init__(self, array: Any, axis: Any, nan_policy: str) -> None:
        self.rows = rows = Rows(HOST, array, axis, several=True)
        self.elements = sort(rows.restored(rows.keys), axis=-1)
        if rows.n == 0:
            if rows.count:
                warn("Mean of empty slice")
            return
        nat = np.isnat(self.elements)
        if nan_policy == "raise" and nat.any():
            raise found_nan()
        self.count = rows.n - np.count_nonzero(nat, axis=-1)[..., np.newaxis]
        self.none = self.count == 0 if nan_policy == "omit" else (self.count < rows.n)
        if rows.count and (self.none & (self.count == 0)).any():
            warn("All-NaN slice encountered")

    def _at(self, position: Any) -> Any:
        return np.take_along_axis(self.elements, position.astype(np.intp), -1)

    def results(self, q: Any, method: str | None, shape: tuple, keepdims: bool) -> Any:
        """Returns quantiles, of which each row has those of `shape`."""
        wanted = self.rows.shape_after(shape, keepdims)
        if self.rows.n == 0:
            return np.full(wanted, "NaT", self.elements.dtype)[()]
        below, above, fraction = neighbours(np.maximum(self.count, 1), q, method)
        found = value(self._at(below), self._at(above), fraction)
        found = np.where(self.none, found.dtype.type("NaT"), found)
        return np.moveaxis(found, -1, 0).reshape(wanted)[()]


def median(array: Any, axis: Any, keepdims: bool, nan_policy: str) -> Any:
    """Returns medians; the mean of two middle elements is rounded to the unit, as NumPy does."""
    return _Sorted(array, axis, nan_policy).results(None, None, (), keepdims)


def quantile(array: Any, q: Any, axis: Any, method: str, keepdims: bool, nan_policy: str) -> Any:
    """Returns quantiles at the probabilities `q`, an array of any shape."""
    _lib.number_of(_lib.METHODS, method, "method")
    parts = q.reshape(-1).astype(np.float64)
    return _Sorted(array, axis, nan_policy).results(parts, method, q.shape, keepdims)


def value(below: Any, above: Any, fraction: Any) -> Any:
    """Returns the value between two elements, for the results of `neighbours`."""
    if fraction is None:
        if below.dtype.kind == "m":
            return np.where(below == above, below, (below + above) / 2)
        return below + (above - below) // 2
    step = above - below
    return np.where(fraction >= 0.5, above - step * (1 - fraction), below + step * fraction)


def of_groups(elements: Any, sizes: Any, q: Any, method: str | None, skipna: bool) -> Any:
    """Returns a row of quantiles for each group; `method` None: the median.

    The groups have `sizes` elements each, one group after the other, sorted with NaTs last.
    """
    starts = np.cumsum(sizes) - sizes
    nat = np.isnat(elements)
    missing = np.add.reduceat(nat, starts, dtype=np.int64) if sizes.size else sizes
    left = sizes - missing
    n = np.maximum(left, 1)[:, np.newaxis]

    def at(position: Any) -> Any:
        return elements[starts[:, np.newaxis] + position.astype(np.intp)]

    below, above, fraction = neighbours(n, q, method)
    found = value(at(below), at(above), fraction)
    found[(left == 0) if skipna else (missing > 0)] = "NaT"
    return found
