"""unique and searchsorted of Dask collections."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from .. import _sets
from .._check import flag, one_of
from . import nulls
from .blocks import Blocks, blocks_of, is_frame, name_of
from .select import reduction, start_tasks

Side = Literal["left", "right"]


def unique(
    a: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    *,
    lengths: Any = None,
) -> Any:
    """Returns the sorted distinct elements, as `ordo.unique` does.

    Parameters
    ----------
    a : Dask array of one dimension, Dask Series, or Dask index.
    return_index, return_inverse, return_counts : as for `ordo.unique`.
    lengths : as for `sort`.

    Returns
    -------
    Dask array of one chunk of unknown size, or a tuple as for `ordo.unique`; the inverse has the
    chunks of `a`. The distinct elements must fit the memory of one worker.

    Raises
    ------
    TypeError, ValueError : `a` has the wrong type or several dimensions.
    """
    asked = [flag(return_index, "return_index"), flag(return_inverse, "return_inverse")]
    asked.append(flag(return_counts, "return_counts"))
    blocks = blocks_of(a, lengths=lengths)
    first = asked[0] or asked[1]
    name = name_of("unique", a, first)
    layer, starts = start_tasks(blocks, name)
    found = [(name + "-chunk", i) for i in range(len(blocks.keys))]
    for i, key in enumerate(found):
        layer[key] = (partial(_distinct, first, i), blocks.keys[i], starts)
    last = reduction(layer, name, found, partial(_merged, first))
    results = [_part(blocks, layer, name, last, 0, blocks.dtype)]
    if asked[0]:
        results.append(_part(blocks, layer, name, last, 2, np.dtype(np.int64)))
    if asked[1]:
        inverse = name + "-inverse"
        tasks = {(inverse, i): (_inverse, key, last) for i, key in enumerate(blocks.keys)}
        results.append(blocks.array(inverse, {**layer, **tasks}, blocks.sizes, np.dtype(np.int64)))
    if asked[2]:
        results.append(_part(blocks, layer, name, last, 1, np.dtype(np.int64)))
    return tuple(results) if len(results) > 1 else results[0]


def _part(blocks: Blocks, layer: dict, name: str, last: Any, part: int, dtype: Any) -> Any:
    one = f"{name}-{part}"
    tasks = {**layer, (one, 0): (partial(_taken, part), last)}
    return blocks.number(one, tasks, (np.nan,), dtype)


def _taken(part: int, found: tuple) -> Any:
    return nulls.with_nans(found[part])


# With `first` the representative of equal elements (-0.0 and 0.0, NaNs) is the first one, as in
# `ordo.unique` with indices; otherwise it is the first in the order of `ordo.sort`.
def _distinct(first: bool, i: int, chunk: Any, starts: list) -> tuple:
    if not first and not nulls.may_have(chunk):
        values, counts = _sets.unique(chunk, return_counts=True)
        return values, counts
    values, index, counts = nulls.unique(chunk)
    return (values, counts, index + starts[i]) if first else (values, counts)


def _merged(first: bool, found: list) -> tuple:
    values, counts, *index = (np.concatenate(parts) for parts in zip(*found))
    if first or nulls.may_have(values):
        kept, where, _ = nulls.unique(values)
        index = [one[where] for one in index]  # of the earliest chunk, so the least indices
    else:
        kept = _sets.unique(values)
    total = np.zeros(kept.size, np.int64)
    np.add.at(total, nulls.searchsorted(kept, values, "left"), counts)
    return (kept, total, *index)


def _inverse(chunk: Any, found: tuple) -> Any:
    return nulls.searchsorted(found[0], chunk, "left")


def searchsorted(a: Any, v: Any, side: Side = "left") -> Any:
    """Returns where elements belong in a sorted Dask array, as `ordo.searchsorted` does.

    Parameters
    ----------
    a : sorted Dask array of one dimension, Dask Series, or Dask index; or a NumPy array, with a
        Dask `v`.
    v : Dask array of one dimension, Dask Series or index, or NumPy array of the needles.
    side : 'left' or 'right'.

    Returns
    -------
    Dask array of int64 with the chunks of `v`; one chunk if `v` is a NumPy array.

    Raises
    ------
    TypeError : `a` or `v` has the wrong type.
    ValueError : `a` or a Dask `v` has several dimensions, or `side` is wrong.
    """
    one_of(("left", "right"), side, "side")
    needles = v if is_frame(v) or hasattr(v, "chunks") else None
    rows = _whole(a) if needles is not None and type(a) is np.ndarray else blocks_of(a)
    if needles is None:
        wanted = np.asarray(v)
        name = name_of("searchsorted", a, wanted, side)
        layer = _sums(name, rows.keys, [wanted], side)
        return rows.number(name, _renamed(layer, name, wanted.ndim), wanted.shape, np.dtype("i8"))
    blocks = blocks_of(needles, what="v")
    name = name_of("searchsorted", a, v, side)
    both = blocks._replace(
        source=[*blocks.source, *rows.source], layer={**blocks.layer, **rows.layer}
    )
    return both.array(name, _sums(name, rows.keys, blocks.keys, side), blocks.sizes, np.dtype("i8"))


def _whole(a: Any) -> Blocks:
    """Returns a NumPy array as one chunk."""
    if a.ndim != 1:
        raise ValueError(f"a has {a.ndim} dimensions; expected 1")
    return Blocks([], {}, [a], [a.size], a.dtype)


def _renamed(layer: dict, name: str, ndim: int) -> dict:
    """Returns the tasks with the key of a single chunk of `ndim` dimensions."""
    return {(name, *([0] * ndim)) if key == (name, 0) else key: v for key, v in layer.items()}


def _sums(name: str, rows: list, needles: list, side: Side) -> dict:
    """Returns tasks that count the elements before each needle in every chunk, and their sums."""
    layer: dict = {}
    for j, needle in enumerate(needles):
        parts = [(name + "-count", i, j) for i in range(len(rows))]
        for row, key in zip(rows, parts):
            layer[key] = (partial(_before, side), row, needle)
        layer[(name, j)] = (sum, parts)
    return layer


def _before(side: Side, rows: Any, needles: Any) -> Any:
    return np.asarray(nulls.searchsorted(rows, needles, side), np.int64)
