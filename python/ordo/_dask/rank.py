"""rankdata of Dask collections.

The keys go to their output chunks and are ranked there. A summary of each output chunk corrects the
ranks of ties that span several chunks. The ranks return in the order of the pieces, so that no
index is sent.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import _lib
from .._check import flag, found_nan
from .._verbs import rank as plain
from .blocks import (
    Blocks,
    blocks_of,
    cuts_of,
    is_frame,
    is_index,
    is_nullable,
    name_of,
    policy_of,
    same_sizes,
)
from .cuts import Cuts
from .nulls import codes, is_nan, may_have
from .order import column_piece, columns_tasks, frame_of, sorted_pairs

_FLOAT = np.dtype(np.float64)


class _Rule(NamedTuple):
    method: _lib.Ties
    descending: bool
    nan_policy: _lib.NanPolicy
    dtype: Any
    exact: bool  # the caller asked for a dtype that cannot hold NaN


def rankdata(
    a: Any,
    method: _lib.Ties = "average",
    *,
    nan_policy: _lib.NanPolicy | None = None,
    descending: bool = False,
    dtype: Any = None,
    lengths: Any = None,
) -> Any:
    """Returns ranks that start at 1, as `ordo.rankdata` does.

    Parameters
    ----------
    a : Dask array of one dimension, Dask Series, or Dask index.
    method, nan_policy, descending, dtype : as for `ordo.rankdata`. The default dtype is float64 if
        `a` may hold a NaN, because the dtype must be known before the elements are. It is int64 for
        integers and with nan_policy='raise', unless the method is 'average'.
    lengths : as for `sort`.

    Returns
    -------
    Dask array with the chunks of `a`; for a Series, a Series with its index and divisions.

    Raises
    ------
    TypeError : `a` or `dtype` has the wrong type.
    ValueError : `method` or `nan_policy` is wrong; when the ranks are computed, a NaN under 'raise'
        or with a `dtype` that cannot hold NaN.
    """
    _lib.number_of(_lib.TIES, method, "method")
    policy = policy_of(a, nan_policy)
    blocks = blocks_of(a, lengths=lengths)
    kind = plain.rank_type(method, dtype, blocks.known() or 0)
    may_be_nan = (blocks.dtype.kind in "fMmT" or is_nullable(a)) and policy != "raise"
    exact = dtype is not None and kind != _FLOAT
    if may_be_nan and dtype is None:
        kind = _FLOAT
    rule = _Rule(method, flag(descending, "descending"), policy, kind, exact)
    name = name_of("rank", a, *rule)
    layer = _tasks(blocks, name, rule)
    if not is_frame(a) or is_index(a):
        return blocks.array(name, layer, blocks.sizes, kind)
    parts = [one.key for one in blocks.source]
    series = name + "-series"
    for i, part in enumerate(parts):
        layer[(series, i)] = (_like, part, (name, i))
    meta = _like(a._meta, np.empty(0, kind))
    return frame_of(blocks, series, layer, meta, a.divisions, len(parts))


def _like(part: Any, ranks: Any) -> Any:
    import pandas as pd

    return pd.Series(ranks, index=part.index, name=part.name)


def _tasks(blocks: Blocks, name: str, rule: _Rule) -> dict:
    count = len(blocks.keys)
    each = range(count)
    layer: dict = {
        (name + "-pairs", i): (partial(sorted_pairs, rule.descending), key)
        for i, key in enumerate(blocks.keys)
    }
    layer.update(columns_tasks(name, count))
    columns = [(name + "-chunk", i) for i in each]
    begin = same_sizes(blocks.sizes)
    tasks, cuts = cuts_of(blocks, name, columns, begin, [rule.descending], False, count > 1)
    layer.update(tasks)
    for j in each:
        pieces = [(name + "-piece", i, j) for i in each]
        for i, key in enumerate(pieces):
            layer[key] = (partial(column_piece, i, j), columns[i], cuts)
        layer[(name + "-local", j)] = (partial(_local, rule), pieces)
        layer[(name + "-summary", j)] = (_summary, (name + "-local", j))
    summaries = [(name + "-summary", j) for j in each]
    layer[(name + "-settled",)] = (partial(_settle, rule), summaries)
    for j in each:
        settled = (partial(_correct, rule, j), (name + "-local", j), (name + "-settled",))
        layer[(name + "-ranks", j)] = settled
        for i in each:
            layer[(name + "-back", i, j)] = (partial(_back, i, j), (name + "-ranks", j), cuts)
    for i in each:
        back = [(name + "-back", i, j) for j in each]
        layer[(name, i)] = (_home, (name + "-pairs", i), back)
    return layer


class _Summary(NamedTuple):
    """What other chunks need of one output chunk."""

    size: int
    ends: Any  # the keys that come first and last
    of_first: int  # elements that tie with the first
    of_last: int
    highest: Any  # the local rank of the last


class _Settled(NamedTuple):
    """Corrections, with one element for each output chunk."""

    add: list  # to all ranks
    first: list  # the rank of the elements that tie with the first
    last: list
    has_nan: bool


def _local(rule: _Rule, pieces: list) -> tuple:
    keys = np.concatenate(pieces)
    wanted = _FLOAT if rule.method == "average" else np.dtype(np.int64)
    if keys.dtype.kind in "SU":
        ranks = plain.rankdata(keys, rule.method, descending=rule.descending, dtype=wanted)
    else:  # NaNs are ranked here, last and tied
        apart = may_have(keys)
        down = rule.descending and not apart
        numbers = codes(keys, rule.descending) if apart else keys
        rows = plain.Rows(plain.HOST, numbers, None, strided=True, descending=down, order="ties")
        ranks = rows.back(plain.rank_rows(rows, rule.method, down, wanted))
    if not keys.size:
        return ranks, is_nan(keys), _Summary(0, keys, 0, 0, 0)
    ends = keys[[int(ranks.argmin()), int(ranks.argmax())]]
    low, high = ranks.min(), ranks.max()
    of_first, of_last = (int(np.count_nonzero(ranks == end)) for end in (low, high))
    return ranks, is_nan(keys), _Summary(keys.size, ends, of_first, of_last, high)


def _summary(local: tuple) -> _Summary:
    return local[2]


def _ties(left: Any, right: Any) -> bool:
    pair = np.concatenate((left[-1:], right[:1]))
    nan = is_nan(pair)
    return bool(nan.all()) if nan.any() else bool(pair[0] == pair[1])


def _settle(rule: _Rule, summaries: list) -> _Settled:
    count = len(summaries)
    full = [j for j in range(count) if summaries[j].size]
    has_nan = bool(full) and bool(is_nan(summaries[full[-1]].ends)[-1])
    if has_nan and rule.nan_policy == "raise":
        raise found_nan()
    if has_nan and rule.exact:
        raise ValueError(
            f"dtype is {rule.dtype}, which cannot hold NaN, the rank of a NaN; expected float64"
        )
    starts = np.concatenate(([0], np.cumsum([one.size for one in summaries]))).tolist()
    # The first and the last position of the run of ties that holds each chunk's ends.
    begins, ends, distinct = [0] * count, [0] * count, [0] * count
    for at, j in enumerate(full):
        one, before = summaries[j], full[at - 1] if at else None
        begins[j], distinct[j] = starts[j], 0
        if before is not None:
            joined = _ties(summaries[before].ends, one.ends)
            distinct[j] = distinct[before] + int(summaries[before].highest) - joined
            if joined:
                of_one = summaries[before].of_last == summaries[before].size
                begins[j] = begins[before] if of_one else starts[j] - summaries[before].of_last
    for at in range(len(full) - 1, -1, -1):
        j, after = full[at], full[at + 1] if at + 1 < len(full) else None
        ends[j] = starts[j + 1]
        if after is not None and _ties(summaries[j].ends, summaries[after].ends):
            of_one = summaries[after].of_first == summaries[after].size
            ends[j] = ends[after] if of_one else starts[after] + summaries[after].of_first
    first, last = [0.0] * count, [0.0] * count
    for j in full:
        one = summaries[j]
        whole = one.of_first == one.size
        first_end = ends[j] if whole else starts[j] + one.of_first
        last_begin = begins[j] if whole else starts[j + 1] - one.of_last
        first[j] = _rank_of_run(rule.method, begins[j], first_end)
        last[j] = _rank_of_run(rule.method, last_begin, ends[j])
    return _Settled(distinct if rule.method == "dense" else starts, first, last, has_nan)


def _rank_of_run(method: str, begin: int, end: int) -> Any:
    """Returns the rank of ties at the positions from `begin` up to, but not including, `end`."""
    if method == "average":
        return (begin + 1 + end) / 2
    return begin + 1 if method == "min" else end


def _correct(rule: _Rule, j: int, local: tuple, settled: _Settled) -> Any:
    ranks, nan, one = local
    result = ranks + settled.add[j]
    if one.size and rule.method in ("average", "min", "max"):
        result[ranks == ranks.min()] = settled.first[j]
        result[ranks == one.highest] = settled.last[j]
    result = result.astype(rule.dtype, copy=False)
    if settled.has_nan:
        result[... if rule.nan_policy == "propagate" else nan] = np.nan
    return result


def _back(i: int, j: int, ranks: Any, cuts: Cuts) -> Any:
    sizes = [int(np.diff(cuts.bounds(c)[j : j + 2])[0]) for c in range(i + 1)]
    return ranks[sum(sizes[:-1]) : sum(sizes)].copy()


def _home(pair: tuple, pieces: list) -> Any:
    ranks = np.concatenate(pieces)
    result = np.empty_like(ranks)
    result[pair[1]] = ranks
    return result
