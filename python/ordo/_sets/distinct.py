"""The distinct elements of a large row in host memory, computed by all threads.

`of_sorted` compacts a sorted row in place: every thread keeps the elements of its slice that differ
from the previous element, one cache-sized block at a time. Few distinct values need no sort:
`counts_of_few` lets the library count them, and `inverse_of_few` hashes the frequent values into a
table, looks up every element in one pass, and sorts only the elements that are not in the table
(rare values, and values whose slot is taken by a more frequent value).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._context.threads import by_threads
from .._verbs.groups import Call, counted
from .._verbs.measure import is_sorted
from .._verbs.order import sort

# Elements from which `of_sorted` is faster. Two Neoverse V1, f64, milliseconds (with it : without)
# for 2^18, 2^19 and 2^20 distinct elements 1.6 : 1.5, 3.3 : 3.0, 6.4 : 5.9; for 10^7, about half of
# them distinct, 85 : 92.
VERY_LARGE = 1 << 22
# Elements of a block, which stays in cache between passes. 10^7 i64 of 1000 values on two threads:
# 23.6 ms with 2^14, 18.7 with 2^15, 16.4 with 2^16, 14.8 with 2^17, which takes the GIL less often.
_BLOCK = 1 << 17

# ---- Sorted rows -------------------------------------------------------------------------------


def of_sorted(ordered: Any, equal_nan: bool) -> Any:
    """Returns the distinct elements of a sorted row. The row is overwritten."""
    n = ordered.size
    if equal_nan and n and ordered[-1] != ordered[-1]:
        ordered = ordered[: ordered.searchsorted(ordered.dtype.type(np.nan)) + 1]
    parts = by_threads(lambda lo, hi: _compact(ordered, lo, hi), ordered.size)
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
    """Moves the first of equal elements of ordered[lo:hi] to the front; returns their number.

    A block is compared with the element before it, which still has its value: a write covers that
    element only if no element of its slice was dropped, and then nothing is written.
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
    """Returns for each element its index in the distinct elements.

    `index` is the argsort of the row; `first` marks the first of equal sorted elements.
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

    by_threads(spread, first.size)
    return result


# ---- Rows of few distinct values ---------------------------------------------------------------

_SAMPLE = 1 << 14
_FIRST_LOOK = 1 << 8  # elements of a first sample, which rejects most rows of many values
_SECOND_LOOK = 1 << 12  # elements of a second sample, of which at most a quarter may occur once
_TABLE = 16  # bits of a hash; 8 of 1000 values in the table lose their slot to another value
_MOST = 1 << 11  # values in the table
_SPREAD = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: spreads its multiples evenly


class _Frequent:
    """A hash table of the bits of frequent values. An empty slot holds 0."""

    def __init__(self, values: Any, counts: Any) -> None:
        width = 8 * values.itemsize
        self.factor = values.dtype.type(_SPREAD >> (64 - width) | 1)
        self.shift = values.dtype.type(width - _TABLE)
        self.table = np.zeros(1 << _TABLE, values.dtype)
        self.table[0] = 1  # 0 hashes to slot 0 and must not be found; 1 hashes to another slot
        values = values[np.argsort(counts, kind="stable")]  # the most frequent value keeps a slot
        self.values = values
        self.slots = ((values * self.factor) >> self.shift).astype(np.intp)
        self.table[self.slots] = values

    def missing(self, bits: Any, slots: Any, lo: int, hi: int) -> Any:
        """Returns the indices in bits[lo:hi] that are not in the table; None if too many.

        Writes the slots of the other elements to `slots`.
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
            slots[start : start + n] = hashed[:n]
            some = np.flatnonzero(differs[:n])
            if some.size:
                chosen.append(some + start)
                count += some.size
                if count > _BLOCK and 4 * count > start - lo:
                    return None
        return np.concatenate(chosen) if chosen else np.empty(0, np.intp)

    def index(self, values: Any, dtype: Any) -> Any:
        """Returns for every slot the index of its value in the sorted `values`."""
        kept = self.table[self.slots] == self.values
        index = np.zeros(self.table.size, np.int64)
        index[self.slots[kept]] = values.searchsorted(self.values[kept].view(dtype))
        return index


def _scattered(n: int, count: int) -> Any:
    """Returns indices spread over a row of n elements, without a period."""
    step = np.arange(count, dtype=np.uint64) * np.uint64(_SPREAD)
    return ((step >> np.uint64(11)) * (n / 2.0**53)).astype(np.intp)


def _starts(bits: Any) -> tuple[Any, Any]:
    """Returns sorted elements, and the start of each group of equal elements."""
    ordered = sort(bits)
    return ordered, np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def _frequent(bits: Any) -> _Frequent | None:
    """Returns the frequent values of a sample; None if they are not most of the sample."""
    ordered, starts = _starts(bits[_scattered(bits.size, _SAMPLE)])
    counts = np.diff(starts, append=_SAMPLE)
    if starts.size > _MOST or np.count_nonzero(counts == 1) > _SAMPLE // 32:
        return None
    return _Frequent(ordered[starts], counts)


def _seems_few(bits: Any) -> bool:
    """Returns whether a small sample of a row of at least 4 bytes each has equal elements."""
    if bits.itemsize < 4:
        return False
    _, starts = _starts(bits[_scattered(bits.size, _FIRST_LOOK)])
    return starts.size <= _FIRST_LOOK - _FIRST_LOOK // 32


def _repeats(bits: Any) -> bool:
    """Returns whether most elements of a sample occur in it more than once."""
    _, starts = _starts(bits[_scattered(bits.size, _SECOND_LOOK)])
    once = int(np.count_nonzero(np.diff(starts, append=_SECOND_LOOK) == 1))
    return 4 * once <= _SECOND_LOOK


def counts_of_few(row: Any) -> tuple[Any, Any] | None:
    """Returns the distinct elements of a contiguous row and how often each occurs.

    Returns None if there seem to be many, or a NaN is among them, whose bits the library drops.
    """
    bits = row.view(f"u{row.itemsize}")
    if not _seems_few(bits) or not _repeats(bits):
        return None
    values, counts = counted(Call(row, False))
    if row.dtype.kind == "f" and values.size:
        if values[-1] != values[-1]:
            return None
        zero = values.searchsorted(0.0)
        if (
            zero < values.size and values[zero] == 0
        ):  # the first zero in order is -0 if there is one
            minus = np.array([-0.0], row.dtype)
            values[zero] = minus[0] if (bits == minus.view(bits.dtype)).any() else 0.0
    return values, counts


def inverse_of_few(row: Any) -> tuple[Any, Any] | None:
    """Returns the distinct elements of a contiguous row and the inverse.

    Returns None if a sort is faster: there are many distinct elements, the row is sorted, or its
    type has at most 2 bytes. All NaNs are one element.
    """
    bits = row.view(f"u{row.itemsize}")
    if not _seems_few(bits) or is_sorted(row):
        return None
    frequent = _frequent(bits)
    if frequent is None:
        return None
    n = row.size
    slots = np.empty(n, np.uint16)
    parts = by_threads(lambda lo, hi: frequent.missing(bits, slots, lo, hi), n)
    if any(part is None for _, part in parts):
        return None
    missing = np.concatenate([part for _, part in parts])
    rest = row[missing]
    values = of_sorted(sort(np.concatenate((frequent.values.view(row.dtype), rest))), True)
    index = frequent.index(values, row.dtype)
    inverse = np.empty(n, np.int64)

    def look_up(lo: int, hi: int) -> None:
        for start in range(lo, hi, _BLOCK):
            stop = min(start + _BLOCK, hi)
            index.take(slots[start:stop], out=inverse[start:stop], mode="clip")

    by_threads(look_up, n)
    inverse[missing] = values.searchsorted(rest)
    return values, inverse
