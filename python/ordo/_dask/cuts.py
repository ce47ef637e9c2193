"""Exact cuts of sorted chunks: where each output chunk begins in every input chunk.

The order is (key, chunk, position), so equal keys never fill one output chunk. A cut after t
elements is a position in every chunk. Each round takes every g-th key between the known bounds of a
cut and sorts these samples. With P chunks, k samples before a sample mean at least k * g elements
and at most k * g + (P - 1) * (g - 1), which narrows the bounds from M elements to fewer than
2 * P * g. With g = 1 the bounds meet. The number of rounds depends only on P and n, so the graph is
known before it runs, and every function here is pure.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .nulls import argsort

_LARGEST = 1 << 48  # elements that a graph is prepared for if the number is not known


class Cuts(NamedTuple):
    """What is known of the cuts: a row for each cut, a column for each input chunk."""

    counts: Any  # elements of each input chunk
    targets: Any  # elements before each cut
    low: Any
    high: Any

    def bounds(self, chunk: int) -> Any:
        """Returns where the output chunks begin in an input chunk, and where the last one ends."""
        return np.concatenate(([0], self.low[:, chunk], [self.counts[chunk]]))

    def before(self, chunk: int) -> int:
        """Returns the number of elements in the input chunks before `chunk`."""
        return int(self.counts[:chunk].sum())


def samples_of(chunks: int) -> int:
    """Returns the number of samples of one cut in one round, at most, but for one per chunk."""
    return max(4096, 64 * chunks)


def rounds_of(n: int | None, chunks: int) -> int:
    """Returns how many rounds make the cuts of n elements exact; None: n is not known."""
    if chunks < 2:
        return 0
    left, rounds = _LARGEST if n is None else n, 1
    while left > samples_of(chunks):
        left = 2 * chunks * -(-left // samples_of(chunks))
        rounds += 1
    return rounds


def begin(counts: list[int], targets: Any) -> Cuts:
    """Returns cuts of which only the number of elements before each is known."""
    each, wanted = np.array(counts, np.int64), np.array(targets, np.int64)
    low = np.zeros((wanted.size, each.size), np.int64)
    high = np.broadcast_to(each, low.shape)
    if each.size == 1:
        low = high = wanted[:, np.newaxis]
    return Cuts(each, wanted, low, high)


def begin_as(wanted: list[int] | None, counts: list[int]) -> Cuts:
    """Returns the cuts of output chunks of the sizes `wanted`; None: those of the input chunks."""
    sizes = counts if wanted is None else wanted
    if sum(sizes) != sum(counts):
        raise ValueError(
            f"the chunks have {sum(counts)} elements; expected {sum(sizes)}, the sum of the sizes "
            "that were given"
        )
    return begin(counts, np.cumsum(sizes, dtype=np.int64)[:-1])


def _steps(cuts: Cuts) -> Any:
    left = (cuts.high - cuts.low).sum(axis=1)
    return np.maximum(1, -(-left // samples_of(cuts.counts.size)))


def offer(chunk: int, columns: tuple, cuts: Cuts) -> tuple[list, Any]:
    """Returns the samples of a sorted chunk for all cuts, by column, and their number by cut."""
    steps = _steps(cuts).tolist()
    low, high = cuts.low[:, chunk].tolist(), cuts.high[:, chunk].tolist()
    where = [np.arange(a + g - 1, b, g) for a, b, g in zip(low, high, steps)]
    index = np.concatenate(where) if where else np.empty(0, np.int64)
    return [column[index] for column in columns], np.array([w.size for w in where], np.int64)


def narrow(directions: list[bool], bits: bool, cuts: Cuts, offers: list) -> Cuts:
    """Returns cuts with closer bounds, from the samples of every chunk."""
    chunks = cuts.counts.size
    low, high = cuts.low.copy(), cuts.high.copy()
    starts = [np.concatenate(([0], np.cumsum(sizes))) for _, sizes in offers]
    for t, step in enumerate(_steps(cuts).tolist()):
        sizes = [int(of_chunk[t]) for _, of_chunk in offers]
        columns = [
            np.concatenate([part[c][s[t] : s[t + 1]] for (part, _), s in zip(offers, starts)])
            for c in range(len(directions))
        ]
        owners = np.repeat(np.arange(chunks), sizes)[order_of(columns, directions, bits)]
        left = int(cuts.targets[t] - cuts.low[t].sum())
        surely = min(max(0, (left - (chunks - 1) * (step - 1)) // step), owners.size)
        perhaps = min(left // step, owners.size)
        below = np.bincount(owners[:surely], minlength=chunks)
        up_to = np.bincount(owners[:perhaps], minlength=chunks)
        low[t] = cuts.low[t] + step * below
        high[t] = np.minimum(cuts.high[t], cuts.low[t] + step * (up_to + 1) - 1)
    return cuts._replace(low=low, high=high)


# ---- order ---------------------------------------------------------------------------------------


def order_of(columns: Any, directions: list[bool], bits: bool) -> Any:
    """Returns the stable order of rows by their columns, the first column first.

    With `bits` the order is the one of `ordo.sort`, which separates -0.0 from 0.0 and NaNs by their
    bits; without it, these tie, as in `ordo.argsort`.
    """
    order = None
    for column, descending in reversed(list(zip(columns, directions))):
        keys = column if order is None else column[order]
        if bits and keys.dtype.kind == "f":
            step = argsort(_codes(keys, descending))
        else:
            step = argsort(keys, descending=descending)
        order = step if order is None else order[step]
    return order


def _codes(keys: Any, descending: bool) -> Any:
    """Returns unsigned integers in the order in which `ordo.sort` puts floats."""
    native = np.ascontiguousarray(keys, keys.dtype.newbyteorder("="))
    unsigned = np.dtype(f"u{native.itemsize}")
    sign = unsigned.type(1 << (8 * native.itemsize - 1))
    bits = native.view(unsigned)
    rising = np.where(bits & sign, ~bits, bits | sign)
    # The codes of negative NaNs are the lowest. This difference wraps them around, to the end.
    lowest, highest = (np.array(v, native.dtype).view(unsigned) for v in (-np.inf, np.inf))
    codes = rising - ~lowest
    top = (highest | sign) - ~lowest
    return np.where(codes <= top, top - codes, codes) if descending else codes
