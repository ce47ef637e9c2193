"""Elements with nulls: strings, and integers of 64 bits, of which float64 would lose large ones.

A chunk of a nullable type of integers is a structured array of pairs: an integer, and whether it is
missing. The integer of a missing element is 0. Strings of columns are arrays of NumPy's
StringDType, in which a missing one is NaN. Missing elements are last in both directions and tie, as
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


def strings_of(part: Any) -> Any:
    """Returns the strings of a pandas Series or index. TypeError: an element is not a string."""
    elements = np.asarray(part, object)
    missing = np.asarray(part.isna())
    if missing.any():
        elements = np.where(missing, np.nan, elements)
    try:
        return elements.astype(np.dtypes.StringDType(na_object=np.nan, coerce=False))
    except ValueError:
        kinds = sorted({type(one).__name__ for one in elements[~missing]})
        raise TypeError(
            f"{part.name!r} has elements of type {', '.join(kinds)}; expected strings"
        ) from None


def may_have(keys: Any) -> bool:
    """Returns whether the elements are of a type that `ordo` cannot order with nulls."""
    return is_pairs(keys) or keys.dtype.kind == "T"


def present_of(keys: Any) -> Any:
    """Returns the integers of pairs, 0 for missing ones, and strings with "" for missing ones;
    other elements as they are."""
    if is_pairs(keys):
        return np.ascontiguousarray(keys["value"])
    if keys.dtype.kind == "T" and is_nan(keys).any():
        return np.where(is_nan(keys), np.array("", keys.dtype), keys)
    return keys


def with_nans(keys: Any) -> Any:
    """Returns pairs as integers or, if one is missing, as float64 with NaNs.

    Raises a ValueError for missing integers beside some that float64 cannot hold.
    """
    if is_pairs(keys) and keys["missing"].any():
        return arrow.with_nans(present_of(keys), keys["missing"])
    return present_of(keys) if is_pairs(keys) else keys


def is_nan(keys: Any) -> Any:
    """Returns which elements are NaN, NaT or missing."""
    if is_pairs(keys):
        return keys["missing"]
    if keys.dtype.kind in "fT":
        return np.isnan(keys)
    return np.isnat(keys) if keys.dtype.kind in "Mm" else np.zeros(keys.shape, bool)


def argsort(keys: Any, descending: bool = False) -> Any:
    """Returns the stable order of the elements."""
    if not may_have(keys):
        return _order.argsort(keys, descending=descending)
    missing = is_nan(keys)
    if not missing.any():
        return _order.argsort(present_of(keys), descending=descending)
    present = np.flatnonzero(~missing)
    order = _order.argsort(present_of(keys)[present], descending=descending)
    return np.concatenate((present[order], np.flatnonzero(missing)))


def sort(keys: Any, descending: bool = False) -> Any:
    """Returns the elements in order."""
    if may_have(keys):
        return keys[argsort(keys, descending)]
    return _order.sort(keys, descending=descending)


def codes(keys: Any, descending: bool) -> Any:
    """Returns integers of which the ascending order and the ties are those of `keys`."""
    order = argsort(keys, descending)
    result = np.empty(keys.size, np.int64)
    result[order] = np.cumsum(_firsts(keys[order]))
    return result


def _firsts(ordered: Any) -> Any:
    """Returns for each of the sorted elements whether it differs from the previous one."""
    first, missing = np.ones(ordered.size, bool), is_nan(ordered)
    differs = np.where(missing[1:], False, ordered[1:] != ordered[:-1])
    first[1:] = differs | (missing[1:] != missing[:-1])
    return first


def topk(keys: Any, k: int, largest: bool) -> tuple[Any, Any]:
    """Returns the first k elements of the order, and their positions."""
    if not may_have(keys):
        values, index = _topk.topk(keys, k, largest=largest)
        return values, index
    index = argsort(keys, largest)[:k]
    return keys[index], index


def unique(keys: Any) -> tuple[Any, Any, Any]:
    """Returns the distinct elements in order, their first positions, and their numbers."""
    if not may_have(keys):
        values, index, counts = _sets.unique(keys, return_index=True, return_counts=True)
        return values, index, counts
    order = argsort(keys)
    starts = np.flatnonzero(_firsts(keys[order]))
    index = order[starts]
    return keys[index], index, np.diff(np.append(starts, keys.size))


def searchsorted(rows: Any, needles: Any, side: Literal["left", "right"]) -> Any:
    """Returns where the needles belong in sorted rows."""
    if not may_have(rows) and not may_have(needles):
        return _sets.searchsorted(rows, needles, side=side)
    rows, needles = _as_text(rows, needles), _as_text(needles, rows)
    present = rows.size - int(np.count_nonzero(is_nan(rows)))
    found = _sets.searchsorted(present_of(rows)[:present], present_of(needles), side=side)
    return np.where(is_nan(needles), present if side == "left" else rows.size, found)


def _as_text(keys: Any, others: Any) -> Any:
    """Returns strings of any dtype as those of `others`, if these are of a column."""
    if others.dtype.kind != "T":
        return keys
    if keys.dtype.kind not in "UTO":
        raise TypeError(f"the elements have dtype {keys.dtype}; expected strings")
    return keys.astype(others.dtype, copy=False)
