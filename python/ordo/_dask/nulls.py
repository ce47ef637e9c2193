"""Integers of 64 bits with nulls, of which float64 would lose those above 2^53.

A chunk of a nullable type is a structured array of pairs: an integer, and whether it is missing.
The integer of a missing element is 0. Missing elements are last in both directions and tie, as
NaNs. Chunks of other types are plain arrays, which these functions pass to those of `ordo`.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .. import _sets
from .._inputs import arrow
from .._verbs import order as _order
from .._verbs import topk as _topk


def pairs_of(values: Any, missing: Any) -> Any:
    """Returns pairs from the integers that are not missing, and a flag for each element."""
    pairs = np.zeros(missing.size, [("value", values.dtype), ("missing", bool)])
    pairs["missing"] = missing
    pairs["value"][~missing] = values
    return pairs


def is_pairs(keys: Any) -> bool:
    """Returns whether the elements are pairs."""
    return keys.dtype.names is not None


def numbers(keys: Any) -> Any:
    """Returns the integers of pairs, 0 for missing ones; other elements as they are."""
    return np.ascontiguousarray(keys["value"]) if is_pairs(keys) else keys


def with_nans(keys: Any) -> Any:
    """Returns pairs as integers or, if one is missing, as float64 with NaNs.

    Raises a ValueError for missing integers beside some that float64 cannot hold.
    """
    if is_pairs(keys) and keys["missing"].any():
        return arrow.with_nans(numbers(keys), keys["missing"])
    return numbers(keys)


def is_nan(keys: Any) -> Any:
    """Returns which elements are NaN, NaT or missing."""
    if is_pairs(keys):
        return keys["missing"]
    if keys.dtype.kind == "f":
        return np.isnan(keys)
    return np.isnat(keys) if keys.dtype.kind in "Mm" else np.zeros(keys.shape, bool)


def argsort(keys: Any, descending: bool = False) -> Any:
    """Returns the stable order of the elements."""
    if not is_pairs(keys):
        return _order.argsort(keys, descending=descending)
    missing = keys["missing"]
    if not missing.any():
        return _order.argsort(numbers(keys), descending=descending)
    present = np.flatnonzero(~missing)
    order = _order.argsort(numbers(keys)[present], descending=descending)
    return np.concatenate((present[order], np.flatnonzero(missing)))


def sort(keys: Any, descending: bool = False) -> Any:
    """Returns the elements in order."""
    if is_pairs(keys):
        return keys[argsort(keys, descending)]
    return _order.sort(keys, descending=descending)


def codes(keys: Any, descending: bool) -> Any:
    """Returns integers of which the ascending order and the ties are those of pairs."""
    order = argsort(keys, descending)
    result = np.empty(keys.size, np.int64)
    result[order] = np.cumsum(_firsts(keys[order]))
    return result


def _firsts(ordered: Any) -> Any:
    """Returns for each of the sorted pairs whether it differs from the previous one."""
    first = np.ones(ordered.size, bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return first


def topk(keys: Any, k: int, largest: bool) -> tuple[Any, Any]:
    """Returns the first k elements of the order, and their positions."""
    if not is_pairs(keys):
        values, index = _topk.topk(keys, k, largest=largest)
        return values, index
    index = argsort(keys, largest)[:k]
    return keys[index], index


def unique(keys: Any) -> tuple[Any, Any, Any]:
    """Returns the distinct elements in order, their first positions, and their numbers."""
    if not is_pairs(keys):
        values, index, counts = _sets.unique(keys, return_index=True, return_counts=True)
        return values, index, counts
    order = argsort(keys)
    starts = np.flatnonzero(_firsts(keys[order]))
    index = order[starts]
    return keys[index], index, np.diff(np.append(starts, keys.size))


def searchsorted(rows: Any, needles: Any, side: Literal["left", "right"]) -> Any:
    """Returns where the needles belong in sorted rows."""
    if not is_pairs(rows) and not is_pairs(needles):
        return _sets.searchsorted(rows, needles, side=side)
    present = rows.size - int(np.count_nonzero(is_nan(rows)))
    found = _sets.searchsorted(numbers(rows)[:present], numbers(needles), side=side)
    return np.where(is_nan(needles), present if side == "left" else rows.size, found)
