"""Medians and quantiles of dates and times (datetime64 and timedelta64).

Every row is sorted, with NaTs last. The elements around the position of a quantile are interpolated
as `numpy.quantile` does: a difference times a fraction is rounded towards zero to the unit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _lib
from ._arrays import HOST, Rows
from ._check import found_nan, warn
from ._verbs.order import sort

DISCRETE = frozenset(("inverted_cdf", "closest_observation", "lower", "higher", "nearest"))
# Methods of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American
# Statistician 50, 1996, by their two plotting parameters.
_PLOTTING = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


def positions(n: Any, q: Any, method: str) -> Any:
    """Returns the positions that the discrete methods select from n sorted elements."""
    if method in ("inverted_cdf", "closest_observation"):
        where = n * q - 1 - (0.5 if method == "closest_observation" else 0)
        below = np.floor(where)
        stays = where == below
        if method == "closest_observation":  # of two equally near positions, the odd one
            stays &= below % 2 == 1
        place = np.where(stays, below, below + 1)
    else:
        rounding: Any = {"lower": np.floor, "higher": np.ceil, "nearest": np.around}[method]
        place = rounding((n - 1) * q)
    return np.clip(place, 0, n - 1).astype(np.uintp)


def between(n: Any, q: Any, method: str) -> tuple[Any, Any]:
    """Returns the position below each quantile, and the fraction of the way to the next one."""
    if method == "averaged_inverted_cdf":
        virtual = n * q - 1
    elif method == "midpoint":
        virtual = (np.floor((n - 1) * q) + np.ceil((n - 1) * q)) / 2
    elif method == "linear":
        virtual = (n - 1) * q
    else:
        alpha, beta = _PLOTTING[method]
        virtual = n * q + (alpha + q * (1 - alpha - beta)) - 1
    below = np.floor(virtual)
    fraction = virtual - below
    if method == "averaged_inverted_cdf":
        fraction = np.where(fraction == 0, 0.5, 1.0)
    outside = (virtual < 0) | (virtual >= n - 1)
    return np.clip(below, 0, n - 1).astype(np.intp), np.where(outside, 0.0, fraction)


def neighbours(n: Any, q: Any, method: str | None) -> tuple[Any, Any, Any]:
    """Returns the positions of the two elements of each quantile, and the fraction between them.

    `method` None: the median, whose fraction is None, as that of a discrete method.
    """
    if method is None:
        return (n - 1) // 2, n // 2, None
    if method in DISCRETE:
        position = positions(n, q, method)
        return position, position, None
    position, fraction = between(n, q, method)
    return position, np.minimum(position + 1, n - 1), fraction


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
