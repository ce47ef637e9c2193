"""The distinct elements of a large row in host memory, by all threads.

A sorted row is compacted in place: every thread goes through a slice of it, block by block in
cache, and keeps what differs from the element before. Where a sample shows few values, no sort is
needed: the frequent ones are put in a table by a hash of their bits, one pass compares every
element with what the table has in its place, and only those that are not found (of rare values, and
of those that lost their place to a more frequent one) are sorted.

NumPy releases the GIL inside its loops, so threads of Python run them side by side.
"""

from __future__ import annotations

import threading
from typing import Any, Callable

import numpy as np

from ._context import explain
from ._measure import is_sorted
from ._order import sort

# Elements from which on `of_sorted` pays. Two Neoverse V1, f64, milliseconds (with it : without)
# for 2^18, 2^19 and 2^20 distinct elements 1.6 : 1.5, 3.3 : 3.0, 6.4 : 5.9; for 10^7, about half of
# them distinct, 85 : 92.
VERY_LARGE = 1 << 22
# Elements whose passes follow each other in cache. 10^7 i64 of 1000 values on two threads: 23.6 ms
# with 2^14, 18.7 with 2^15, 16.4 with 2^16, 14.8 with 2^17, as the GIL is asked for less often.
_BLOCK = 1 << 17
_SLICE = 1 << 20  # elements that are worth a thread: it starts in 0.1 ms, and asks for the GIL


def _by_threads(work: Callable[[int, int], Any], n: int) -> list[tuple[int, Any]]:
    """(lo, work(lo, hi)) for slices of n elements, in their order.

    There are as many threads as the library's last call might have used; where the system has none
    to give, this one does all.
    """
    slices = max(1, min(explain().threads, n // _SLICE))
    edges = [n * i // slices for i in range(slices + 1)]
    waiting = list(zip(edges[:-1], edges[1:]))
    results: list[tuple[int, Any]] = []
    errors: list[BaseException] = []

    def take() -> None:
        while not errors:
            try:
                lo, hi = waiting.pop()
            except IndexError:  # none is left
                return
            try:
                results.append((lo, work(lo, hi)))
            except BaseException as error:
                errors.append(error)

    helpers = [threading.Thread(target=take) for _ in range(slices - 1)]
    started = []
    try:
        for helper in helpers:
            helper.start()
            started.append(helper)
    except RuntimeError:
        pass
    take()
    for helper in started:
        helper.join()
    if errors:
        raise errors[0]
    return sorted(results, key=lambda result: result[0])


# ---- Of sorted elements ------------------------------------------------------------------------


def of_sorted(ordered: Any, equal_nan: bool) -> Any:
    """The distinct elements of a sorted row, which is overwritten and may be the result."""
    n = ordered.size
    if equal_nan and n and ordered[-1] != ordered[-1]:
        ordered = ordered[: ordered.searchsorted(ordered.dtype.type(np.nan)) + 1]
    parts = _by_threads(lambda lo, hi: _compact(ordered, lo, hi), ordered.size)
    count = sum(kept for _, kept in parts)
    if 2 * count < n:
        return np.concatenate([ordered[lo : lo + kept] for lo, kept in parts])
    end = 0
    for lo, kept in parts:
        if end < lo:
            ordered[end : end + kept] = ordered[lo : lo + kept]
        end += kept
    return ordered[:count]


def _compact(ordered: Any, lo: int, hi: int) -> int:
    """Brings the first of equal elements in ordered[lo:hi] to its front; how many there are.

    The element before a block is still there when the block's turn comes: it is overwritten only
    after one of its own slice has been dropped, and then its place is behind those that are kept.
    """
    differs = np.empty(_BLOCK, bool)
    end = lo
    for start in range(lo, hi, _BLOCK):
        block = ordered[start : min(start + _BLOCK, hi)]
        flags = differs[: block.size]
        if start:
            np.not_equal(block, ordered[start - 1 : start - 1 + block.size], flags)
        else:
            flags[0] = True
            np.not_equal(block[1:], block[:-1], flags[1:])
        count = int(np.count_nonzero(flags))
        if count < block.size:
            ordered[end : end + count] = block.compress(flags)
        elif end < start:
            ordered[end : end + count] = block
        end += count
    return end - lo


def inverse(index: Any, first: Any) -> Any:
    """Each element's place among the distinct ones, from what is known of them in order.

    `index` says which element comes i-th, `first` whether it differs from the one before.
    """
    result = np.empty(first.size, np.int64)

    def spread(lo: int, hi: int) -> None:
        ranks = np.empty(_BLOCK, np.int64)
        last = int(np.count_nonzero(first[:lo])) - 1
        for start in range(lo, hi, _BLOCK):
            stop = min(start + _BLOCK, hi)
            part = ranks[: stop - start]
            np.add.accumulate(first[start:stop], out=part)
            part += last
            result[index[start:stop]] = part
            last = int(part[-1])

    _by_threads(spread, first.size)
    return result


# ---- Of few values -----------------------------------------------------------------------------

_SAMPLE = 1 << 14
_FIRST_LOOK = 1 << 8  # elements that are enough to tell most rows of many values
_TABLE = 16  # bits of a hash: of 1000 values in the table 8 lose their place
_MOST = 1 << 11  # values in the table
_SPREAD = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: multiples of it lie far apart


class _Frequent:
    """The frequent values of a row, by a hash of their bits: its table has 0 for none."""

    def __init__(self, values: Any, counts: Any) -> None:
        width = 8 * values.itemsize
        self.factor = values.dtype.type(_SPREAD >> (64 - width) | 1)
        self.shift = values.dtype.type(width - _TABLE)
        self.table = np.zeros(1 << _TABLE, values.dtype)
        self.table[0] = 1  # where 0 would be looked for; 1 has another place
        values = values[np.argsort(counts, kind="stable")]  # the most frequent stay
        self.values = values
        self.places = ((values * self.factor) >> self.shift).astype(np.intp)
        self.table[self.places] = values

    def missing(self, bits: Any, places: Any, lo: int, hi: int) -> Any:
        """Which of bits[lo:hi] are not in the table; None if they are too many.

        `places`, if not None, gets where the others are.
        """
        hashed, found = np.empty(_BLOCK, bits.dtype), np.empty(_BLOCK, bits.dtype)
        differs = np.empty(_BLOCK, bool)
        chosen, count = [], 0
        for start in range(lo, hi, _BLOCK):
            block = bits[start : min(start + _BLOCK, hi)]
            n = block.size
            np.multiply(block, self.factor, hashed[:n])
            np.right_shift(hashed[:n], self.shift, hashed[:n])
            index = hashed[:n].view(np.int64) if bits.itemsize == 8 else hashed[:n]
            self.table.take(index, out=found[:n], mode="clip")
            np.not_equal(found[:n], block, differs[:n])
            if places is not None:
                places[start : start + n] = hashed[:n]
            some = np.flatnonzero(differs[:n])
            if some.size:
                chosen.append(some + start)
                count += some.size
                if count > _BLOCK and 4 * count > start - lo:
                    return None
        return np.concatenate(chosen) if chosen else np.empty(0, np.intp)

    def index(self, values: Any, dtype: Any) -> Any:
        """For every place of the table where its value is among the sorted `values`."""
        kept = self.table[self.places] == self.values
        index = np.zeros(self.table.size, np.int64)
        index[self.places[kept]] = values.searchsorted(self.values[kept].view(dtype))
        return index


def _scattered(n: int, count: int) -> Any:
    """Places all over a row, without a period that its elements might have too."""
    step = np.arange(count, dtype=np.uint64) * np.uint64(_SPREAD)
    return ((step >> np.uint64(11)) * (n / 2.0**53)).astype(np.intp)


def _starts(bits: Any) -> tuple[Any, Any]:
    """Sorted elements, and where in them equal ones begin."""
    ordered = sort(bits)
    return ordered, np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def _frequent(bits: Any) -> _Frequent | None:
    """What a sample of a row holds over and over; None if that is not nearly all of it."""
    ordered, starts = _starts(bits[_scattered(bits.size, _SAMPLE)])
    counts = np.diff(starts, append=_SAMPLE)
    if starts.size > _MOST or np.count_nonzero(counts == 1) > _SAMPLE // 32:
        return None
    return _Frequent(ordered[starts], counts)


def of_few(row: Any, want_inverse: bool) -> tuple[Any, Any] | None:
    """The distinct elements of a contiguous row and, if wanted, each one's place among them.

    None if they are many, in order already, or of a type whose sort only counts. All NaNs are one.
    """
    if row.itemsize < 4:
        return None
    bits = row.view(f"u{row.itemsize}")
    _, starts = _starts(bits[_scattered(bits.size, _FIRST_LOOK)])
    if starts.size > _FIRST_LOOK - _FIRST_LOOK // 32 or is_sorted(row):
        return None
    frequent = _frequent(bits)
    if frequent is None:
        return None
    n = row.size
    places = np.empty(n, np.uint16) if want_inverse else None
    parts = _by_threads(lambda lo, hi: frequent.missing(bits, places, lo, hi), n)
    if any(part is None for _, part in parts):
        return None
    missing = np.concatenate([part for _, part in parts])
    rest = row[missing]
    values = of_sorted(sort(np.concatenate((frequent.values.view(row.dtype), rest))), True)
    if places is None:
        return values, None
    index = frequent.index(values, row.dtype)
    inverse = np.empty(n, np.int64)

    def look_up(lo: int, hi: int) -> None:
        for start in range(lo, hi, _BLOCK):
            stop = min(start + _BLOCK, hi)
            index.take(places[start:stop], out=inverse[start:stop], mode="clip")

    _by_threads(look_up, n)
    inverse[missing] = values.searchsorted(rest)
    return values, inverse
