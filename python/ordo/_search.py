"""Searches of many needles in a sorted array of numbers, by all threads.

Every thread searches a slice of the needles, one cache-sized block at a time. Needles in ascending
order read the haystack in order: a block is searched between the places of its first and of its
last needle. Needles in another order are searched in the order of their argsort, unless the
haystack fits the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._measure import is_sorted
from ._order import argsort
from ._threads import by_threads

_BLOCK = 1 << 14  # needles
_SLICE = 1 << 16  # needles for each thread, which take about a millisecond


def many(haystack: Any, needles: Any, side: str, by_order: bool) -> Any:
    """Returns the places of needles, a row of the dtype of the haystack, which is contiguous.

    by_order : needles are searched in ascending order; the library can sort their dtype.
    """
    result = np.empty(needles.size, np.intp)
    order: Any = None
    ascending = by_order and is_sorted(needles)
    if by_order and not ascending:
        order = argsort(needles, dtype=np.uint32 if needles.size < 1 << 32 else np.intp)

    def search(lo: int, hi: int) -> None:
        for start in range(lo, hi, _BLOCK):
            stop = min(start + _BLOCK, hi)
            if order is not None:
                chosen = order[start:stop]
                result[chosen] = _between(haystack, needles[chosen], side)
            elif ascending:
                result[start:stop] = _between(haystack, needles[start:stop], side)
            else:
                result[start:stop] = haystack.searchsorted(needles[start:stop], side)

    by_threads(search, needles.size, _SLICE)
    return result


def _between(haystack: Any, needles: Any, side: str) -> Any:
    """Returns the places of ascending needles."""
    first, last = haystack.searchsorted(needles[[0, -1]], side)
    places = haystack[first:last].searchsorted(needles, side)
    places += first
    return places
