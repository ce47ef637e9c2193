"""quantile, median and topk of Dask collections.

A quantile needs one cut, before the element below it; two elements of each chunk after the cut hold
the two that it is interpolated from.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import _lib
from .._check import flag, found_nan, integer
from .._verbs import select as _select
from .._verbs import times as _times
from .._verbs.topk import TopK
from . import nulls
from .blocks import NUMBERS, Blocks, blocks_of, cuts_of, name_of, policy_of
from .cuts import Cuts, begin, order_of

_FAN_IN = 8  # results that one task of a reduction combines


class _Wanted(NamedTuple):
    """A quantile: `q` of any shape, or None for the median."""

    q: Any
    method: _lib.Method
    nan_policy: _lib.NanPolicy
    dtype: Any

    def places(self, n: int) -> tuple[Any, Any]:
        """Returns the positions below the quantiles of n elements, and the ways to the next."""
        if self.q is None:
            return np.array([(n - 1) // 2]), np.array([0.0 if n % 2 else 0.5])
        q = np.asarray(self.q, np.float64).reshape(-1)
        below, _, way = _times.neighbours(n, q, self.method)
        return below.astype(np.int64), np.zeros(q.size) if way is None else way


def quantile(
    a: Any,
    q: Any,
    *,
    method: _lib.Method = "linear",
    nan_policy: _lib.NanPolicy | None = None,
    lengths: Any = None,
) -> Any:
    """Returns exact quantiles, as `ordo.quantile` does.

    Parameters
    ----------
    a : Dask array of one dimension, Dask Series, or Dask index.
    q : a number from 0 to 1, or an array of them.
    method, nan_policy : as for `ordo.quantile`.
    lengths : as for `sort`.

    Returns
    -------
    Dask array of the shape of `q`.

    Raises
    ------
    TypeError : `a` or `q` has the wrong type.
    ValueError : `q`, `method` or `nan_policy` is wrong; when computed, a NaN under 'raise'.
    """
    policy = policy_of(a, nan_policy)
    blocks = blocks_of(a, NUMBERS, lengths)
    if blocks.dtype.kind == "b":
        raise TypeError("a has dtype bool; expected numbers, dates or times")
    one = np.ones(1, blocks.dtype)
    example = _select.quantile(one, q, method=method)  # raises an error for a wrong q or method
    dtype = (
        np.dtype(np.float64) if blocks.known() == 0 and one.dtype.kind in "iu" else example.dtype
    )
    probabilities = np.asarray(q)
    if probabilities.dtype.kind in "iub" and method == "linear":
        method = "lower"
    return _quantiles(blocks, a, _Wanted(probabilities, method, policy, dtype))


def median(a: Any, *, nan_policy: _lib.NanPolicy | None = None, lengths: Any = None) -> Any:
    """Returns the exact median, as `ordo.median` does.

    Parameters
    ----------
    a : Dask array of one dimension, Dask Series, or Dask index.
    nan_policy : as for `ordo.median`.
    lengths : as for `sort`.

    Returns
    -------
    Dask array without dimensions.

    Raises
    ------
    TypeError : `a` has the wrong type.
    ValueError : `nan_policy` is wrong; when computed, a NaN under 'raise'.
    """
    policy = policy_of(a, nan_policy)
    blocks = blocks_of(a, NUMBERS, lengths)
    example = _select.median(np.ones(1, blocks.dtype))
    return _quantiles(blocks, a, _Wanted(None, "linear", policy, example.dtype))


def _quantiles(blocks: Blocks, a: Any, wanted: _Wanted) -> Any:
    name = name_of("quantile", a, *wanted)
    layer: dict = {(name + "-chunk", i): (_sorted_column, key) for i, key in enumerate(blocks.keys)}
    columns = list(layer)
    known = [(name + "-known", i) for i in range(len(columns))]
    for key, column in zip(known, columns):
        layer[key] = (_nans, column)
    layer[(name + "-nans",)] = (sum, known)
    tasks, cuts = cuts_of(blocks, name, columns, list, [False], True)
    tasks[(name + "-cuts", 0)] = (
        partial(_begin, wanted),
        tasks[(name + "-cuts", 0)][1],
        (name + "-nans",),
    )
    layer.update(tasks)
    nearby = [(name + "-near", i) for i in range(len(columns))]
    for i, key in enumerate(nearby):
        layer[key] = (partial(_near, i), columns[i], cuts)
    shape = () if wanted.q is None else wanted.q.shape
    result = (name, *([0] * len(shape)))
    layer[result] = (partial(_values, wanted, blocks.dtype), cuts, (name + "-nans",), nearby)
    return blocks.number(name, layer, shape, wanted.dtype)


def _sorted_column(chunk: Any) -> tuple:
    return (nulls.sort(chunk),)


def _nans(columns: tuple) -> int:
    return int(np.count_nonzero(nulls.is_nan(columns[0])))


def _begin(wanted: _Wanted, counts: list, nans: int) -> Cuts:
    if nans and wanted.nan_policy == "raise":
        raise found_nan()
    n = sum(counts) - nans
    without = n == 0 or (nans and wanted.nan_policy == "propagate")
    return begin(counts, [] if without else wanted.places(n)[0])


def _near(chunk: int, columns: tuple, cuts: Cuts) -> list:
    return [columns[0][start : start + 2].copy() for start in cuts.low[:, chunk]]


def _values(wanted: _Wanted, dtype: Any, cuts: Cuts, nans: int, nearby: list) -> Any:
    n = int(cuts.counts.sum()) - nans
    if cuts.targets.size == 0:
        return _without_elements(wanted, dtype, cuts, nans)
    ways = wanted.places(n)[1]
    values = []
    for t, way in enumerate(ways.tolist()):
        near = np.concatenate([of_chunk[t] for of_chunk in nearby])
        pair = nulls.present_of(near[order_of([near], [False], True)[:2]])
        values.append(_between(pair[:1] if way == 0 else pair, way, wanted))
    shape = () if wanted.q is None else wanted.q.shape
    return np.array(values).astype(wanted.dtype).reshape(shape)


def _between(pair: Any, way: float, wanted: _Wanted) -> Any:
    """Returns the value between two elements; one element of a discrete method keeps its dtype."""
    if wanted.q is None:
        return _select.median(pair)
    if wanted.method in _times.DISCRETE:
        return pair[0]
    exact = pair.astype(np.float64) if pair.dtype.kind == "f" else pair
    return _select.quantile(exact, way)


def _without_elements(wanted: _Wanted, dtype: Any, cuts: Cuts, nans: int) -> Any:
    """Returns what ordo returns without elements, or with only NaNs, or for a NaN."""
    not_number = {"M": np.datetime64("NaT"), "m": np.timedelta64("NaT")}.get(dtype.kind, np.nan)
    if wanted.q is not None and wanted.q.size == 0:
        return np.empty(wanted.q.shape, wanted.dtype)
    if wanted.dtype.kind in "iu":
        why = "an element is missing" if nans else "there are no elements"
        raise ValueError(f"{why}, and {wanted.dtype} cannot hold NaN, the quantile")
    if nans and dtype.kind in "biu":  # a nullable type of pandas: chunks with nulls are float64
        dtype = np.dtype(np.float64)
    none = np.full(min(nans, 1), not_number).astype(dtype) if nans else np.empty(0, dtype)
    if wanted.q is None:
        return np.asarray(_select.median(none, nan_policy=wanted.nan_policy), wanted.dtype)
    found = _select.quantile(none, wanted.q, method=wanted.method, nan_policy=wanted.nan_policy)
    return np.asarray(found).astype(wanted.dtype)


# ---- topk ----------------------------------------------------------------------------------------


def topk(a: Any, k: int, *, largest: bool = True, lengths: Any = None) -> Any:
    """Returns the `k` largest (or smallest) elements in order, as `ordo.topk` does.

    Parameters
    ----------
    a : Dask array of one dimension, Dask Series, or Dask index.
    k : number of elements; they must fit the memory of one worker.
    largest : False returns the smallest elements.
    lengths : as for `sort`.

    Returns
    -------
    TopK : `values` and `indices`, Dask arrays of one chunk.

    Raises
    ------
    TypeError : `a`, `k` or `largest` has the wrong type.
    ValueError : `k` is negative or larger than the number of elements.
    """
    count, up = integer(k, "k"), flag(largest, "largest")
    blocks = blocks_of(a, lengths=lengths)
    n = blocks.known()
    if count < 0 or (n is not None and count > n):
        raise ValueError(
            f"k is {count}; expected 0 to {'the number of elements' if n is None else n}"
        )
    name = name_of("topk", a, count, up)
    layer, starts = start_tasks(blocks, name)
    found = [(name + "-chunk", i) for i in range(len(blocks.keys))]
    for i, key in enumerate(found):
        layer[key] = (partial(_topk_chunk, count, up, i), blocks.keys[i], starts)
    last = reduction(layer, name, found, partial(_topk_merge, count, up))
    results = []
    for part, dtype in ((0, blocks.dtype), (1, np.dtype(np.int64))):
        one = f"{name}-{part}"
        tasks = {**layer, (one, 0): (partial(_topk_part, count, part), last)}
        results.append(blocks.number(one, tasks, (count,), dtype))
    return TopK(*results)


def start_tasks(blocks: Blocks, name: str) -> tuple[dict, Any]:
    """Returns tasks, and the key of one that returns the first position of each chunk."""
    layer: dict = {(name + "-count", i): (len, key) for i, key in enumerate(blocks.keys)}
    layer[(name + "-starts",)] = (_starts, list(layer))
    return layer, (name + "-starts",)


def _starts(counts: list) -> list:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).tolist()


def reduction(layer: dict, name: str, found: list, merge: Any) -> Any:
    """Adds a tree of tasks that merge results in order; returns the key of the last task."""
    level = 0
    while level == 0 or len(found) > 1:
        groups = [found[i : i + _FAN_IN] for i in range(0, len(found), _FAN_IN)]
        found = [(name + "-merge", level, i) for i in range(len(groups))]
        layer.update({key: (merge, group) for key, group in zip(found, groups)})
        level += 1
    return found[0]


def _topk_chunk(k: int, largest: bool, i: int, chunk: Any, starts: list) -> tuple:
    values, index = nulls.topk(chunk, min(k, chunk.size), largest)
    return values, index + starts[i]


def _topk_merge(k: int, largest: bool, found: list) -> tuple:
    values, index = (np.concatenate(parts) for parts in zip(*found))
    best, where = nulls.topk(values, min(k, values.size), largest)
    return best, index[where]


def _topk_part(k: int, part: int, found: tuple) -> Any:
    if found[0].size < k:
        raise ValueError(f"k is {k}; expected 0 to {found[0].size}, the number of elements")
    return nulls.with_nans(found[part])
