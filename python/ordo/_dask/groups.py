"""Counts, ranks, quantiles and largest elements of groups of Dask Series and data frames.

The rows of each partition are sorted by their keys. Splitters from samples of all partitions divide
the keys, so that a group is in one output partition, and the output partitions are in the order of
the groups. There a function of ordo does the work on the rows as pandas objects. Within a group the
rows keep their order.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import _lib
from .._check import flag, integer
from .._verbs import groups as plain
from .._verbs.rank import rank_type
from .blocks import Blocks, is_frame, is_index, keys_of, name_of
from .cuts import order_of
from .order import frame_of

_SAMPLES = 64  # of a partition for each output partition


def group_count(groups: Any, *, dropna: bool = True) -> Any:
    """Returns the number of rows of each group, as `ordo.group_count` does.

    Parameters
    ----------
    groups : the group key of each row: a Dask Series. Several keys are a Dask data frame, or a list
        or tuple of Dask Series. All have the same partitions.
    dropna : as for `ordo.group_count`.

    Returns
    -------
    Dask Series with the groups as index, in ascending order. Its divisions are unknown.

    Raises
    ------
    TypeError : `groups` has the wrong type.
    ValueError : the numbers of partitions or, when computed, of rows differ.
    """
    return _by_group(groups, None, plain.group_count, dropna=flag(dropna, "dropna"))


def group_quantile(
    groups: Any,
    a: Any,
    q: Any,
    *,
    method: _lib.Method = "linear",
    skipna: bool = True,
    dropna: bool = True,
) -> Any:
    """Returns quantiles of the elements of each group, as `ordo.group_quantile` does.

    Parameters
    ----------
    groups, dropna : as for `group_count`.
    a : Dask Series with the partitions of `groups`.
    q, method, skipna : as for `ordo.group_quantile`.

    Returns
    -------
    Dask Series with the groups as index, in ascending order; an array `q` adds a level.

    Raises
    ------
    TypeError, ValueError : as for `group_count`, or `q` or `method` is wrong.
    """
    options = {"q": q, "method": method, "skipna": flag(skipna, "skipna")}
    return _by_group(groups, a, plain.group_quantile, dropna=flag(dropna, "dropna"), **options)


def group_median(groups: Any, a: Any, *, skipna: bool = True, dropna: bool = True) -> Any:
    """Returns the median of the elements of each group, as `ordo.group_median` does.

    Parameters
    ----------
    groups, a, dropna : as for `group_quantile`.
    skipna : as for `ordo.group_median`.

    Returns
    -------
    Dask Series with the groups as index, in ascending order.

    Raises
    ------
    TypeError, ValueError : as for `group_count`.
    """
    options = {"skipna": flag(skipna, "skipna"), "dropna": flag(dropna, "dropna")}
    return _by_group(groups, a, plain.group_median, **options)


def group_topk(
    groups: Any,
    a: Any,
    k: int,
    *,
    largest: bool = True,
    skipna: bool = True,
    dropna: bool = True,
) -> Any:
    """Returns the k largest elements of each group, as `ordo.group_topk` does.

    Parameters
    ----------
    groups, a, dropna : as for `group_quantile`.
    k, largest, skipna : as for `ordo.group_topk`.

    Returns
    -------
    Dask Series of elements of `a` with the index (group, label of the row).

    Raises
    ------
    TypeError, ValueError : as for `group_count`, or `k` is wrong.
    """
    options = {"k": integer(k, "k"), "largest": flag(largest, "largest")}
    options.update(skipna=flag(skipna, "skipna"), dropna=flag(dropna, "dropna"))
    return _by_group(groups, a, plain.group_topk, **options)


def group_rank(
    groups: Any,
    a: Any,
    method: _lib.Ties = "average",
    *,
    descending: bool = False,
    dropna: bool = True,
    dtype: Any = None,
) -> Any:
    """Returns the rank of each element in its group, as `ordo.group_rank` does.

    Parameters
    ----------
    groups, a, dropna : as for `group_quantile`.
    method, descending, dtype : as for `ordo.group_rank`. The default dtype is float64, because the
        dtype must be known before the elements are.

    Returns
    -------
    Dask Series with the index and the divisions of `a`.

    Raises
    ------
    TypeError, ValueError : as for `group_count`, or `method` or `dtype` is wrong.
    """
    _lib.number_of(_lib.TIES, method, "method")
    wanted = rank_type(method, np.float64 if dtype is None else dtype, 0)
    options = {"method": method, "descending": flag(descending, "descending"), "dtype": wanted}
    options["dropna"] = flag(dropna, "dropna")
    keys, values = _columns(groups, a)
    meta = _call(plain.group_rank, options, _metas(keys, values))
    name = name_of("group-rank", keys, a, options)
    layer, blocks, count = _exchanged(name, keys, values)
    for j in range(count):
        layer[(name + "-ranks", j)] = (partial(_ranks, options), (name + "-rows", j))
    for i in range(count):
        back = [(name + "-back", i, j) for j in range(count)]
        for j, key in enumerate(back):
            bounds = [(name + "-bounds", c) for c in range(i + 1)]
            layer[key] = (partial(_back, j), (name + "-ranks", j), bounds)
        layer[(name, i)] = (_home, (name + "-given", i), (name + "-sorted", i), back)
    return frame_of(blocks, name, layer, meta, a.divisions, count)


# ---- the graph -----------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """The rows of a partition: pandas Series of keys, and of the elements or None."""

    keys: list
    values: Any

    def at(self, where: Any) -> _Rows:
        """Returns the rows of a slice or at an array of positions."""
        return _Rows(
            [key.iloc[where] for key in self.keys],
            None if self.values is None else self.values.iloc[where],
        )


class _Sorted(NamedTuple):
    """The rows of a partition in the order of their keys, the keys as arrays, and the order."""

    rows: _Rows
    columns: list
    order: Any


def _is_series(a: Any) -> bool:
    return is_frame(a) and len(a._meta.shape) == 1 and not is_index(a)


def _columns(groups: Any, a: Any) -> tuple[list, Any]:
    """Returns the key columns, and the elements; checks that they are Series of Dask."""
    if is_frame(groups) and len(groups._meta.shape) == 2:
        keys = [groups[name] for name in groups._meta.columns]
    else:
        keys = list(groups) if isinstance(groups, (list, tuple)) else [groups]
    if not keys:
        raise ValueError("groups has no columns; expected one or more")
    for one, what in [*((key, "groups") for key in keys), *([] if a is None else [(a, "a")])]:
        if not _is_series(one):
            raise TypeError(
                f"{what} is a {type(one).__name__}; expected a Dask Series (for others, use the "
                "same function of ordo)"
            )
        if one.npartitions != keys[0].npartitions:
            raise ValueError(
                f"{what} has {one.npartitions} partitions; expected {keys[0].npartitions}, as the "
                "first key"
            )
        keys_of(one._meta)  # raises an error for a wrong dtype
    return keys, a


def _metas(keys: list, values: Any) -> _Rows:
    """Returns the rows of a partition without rows."""
    return _Rows([key._meta for key in keys], None if values is None else values._meta)


def _exchanged(name: str, keys: list, values: Any) -> tuple[dict, Blocks, int]:
    """Returns the tasks that make (name-rows, j), the rows of output partition j."""
    given = [one.to_delayed() for one in [*keys, *([] if values is None else [values])]]
    count = len(given[0])
    blocks = Blocks([one for parts in given for one in parts], {}, list(range(count)), None, None)
    layer: dict = {}
    for i in range(count):
        parts = [one[i].key for one in given]
        layer[(name + "-given", i)] = (partial(_given, len(keys)), parts)
        layer[(name + "-sorted", i)] = (_sorted, (name + "-given", i))
        layer[(name + "-sample", i)] = (partial(_sample, count), (name + "-sorted", i))
        layer[(name + "-bounds", i)] = (_bounds, (name + "-sorted", i), (name + "-splitters",))
    samples = [(name + "-sample", i) for i in range(count)]
    layer[(name + "-splitters",)] = (partial(_splitters, count), samples)
    for j in range(count):
        pieces = [(name + "-piece", i, j) for i in range(count)]
        for i, key in enumerate(pieces):
            layer[key] = (partial(_piece, j), (name + "-sorted", i), (name + "-bounds", i))
        layer[(name + "-rows", j)] = (_joined, pieces)
    return layer, blocks, count


def _by_group(groups: Any, a: Any, function: Any, **options: Any) -> Any:
    """Returns a Dask Series of the results of a function of ordo for each output partition."""
    keys, values = _columns(groups, a)
    call = partial(_call, function, options)
    meta = call(_metas(keys, values))
    name = name_of(function.__name__.replace("_", "-"), keys, a, options)
    layer, blocks, count = _exchanged(name, keys, values)
    for j in range(count):
        layer[(name, j)] = (call, (name + "-rows", j))
    return frame_of(blocks, name, layer, meta, (None,) * (count + 1), count)


# ---- tasks ---------------------------------------------------------------------------------------


def _given(count: int, parts: list) -> _Rows:
    for part in parts[1:]:
        if len(part) != len(parts[0]):
            raise ValueError(
                f"a partition of {part.name!r} has {len(part)} rows; expected {len(parts[0])}, as "
                "the first key"
            )
    return _Rows(parts[:count], parts[count] if len(parts) > count else None)


def _sorted(rows: _Rows) -> _Sorted:
    columns = [keys_of(key) for key in rows.keys]
    order = _order(columns)
    return _Sorted(rows.at(order), [column[order] for column in columns], order)


def _order(columns: list) -> Any:
    return order_of(columns, [False] * len(columns), False)


def _sample(outputs: int, part: _Sorted) -> tuple[list, Any]:
    """Returns keys of evenly spaced rows, and how many rows each stands for."""
    n = part.order.size
    size = min(n, _SAMPLES * outputs)
    index = (np.arange(size) * n) // max(size, 1)
    return [column[index] for column in part.columns], np.full(size, n / max(size, 1))


def _splitters(outputs: int, samples: list) -> list:
    """Returns keys that divide the rows into about equal parts."""
    columns = [np.concatenate(parts) for parts in zip(*(keys for keys, _ in samples))]
    order = _order(columns)
    before = np.cumsum(np.concatenate([weights for _, weights in samples])[order])
    if not order.size:
        return columns
    targets = before[-1] * np.arange(1, outputs) / outputs
    index = order[np.minimum(np.searchsorted(before, targets), order.size - 1)]
    return [column[index] for column in columns]


def _bounds(part: _Sorted, splitters: list) -> Any:
    """Returns where the output partitions begin in a sorted partition, and where the last ends."""
    cuts = splitters[0].size
    order = _order([np.concatenate(pair) for pair in zip(splitters, part.columns)])
    is_cut = order < cuts  # a splitter comes before the rows that tie with it
    places = np.flatnonzero(is_cut) - np.arange(cuts)
    return np.concatenate(([0], places, [part.order.size]))


def _piece(j: int, part: _Sorted, bounds: Any) -> _Rows:
    start, end = (bounds[j], bounds[j + 1]) if j + 1 < bounds.size else (0, 0)
    return part.rows.at(slice(int(start), int(end)))


def _joined(pieces: list) -> _Rows:
    import pandas as pd

    keys = [pd.concat(parts) for parts in zip(*(piece.keys for piece in pieces))]
    values = None if pieces[0].values is None else pd.concat([piece.values for piece in pieces])
    return _Rows(keys, values)


def _call(function: Any, options: dict, rows: _Rows) -> Any:
    keys = rows.keys[0] if len(rows.keys) == 1 else rows.keys
    return function(keys, *([] if rows.values is None else [rows.values]), **options)


def _ranks(options: dict, rows: _Rows) -> Any:
    return np.asarray(_call(plain.group_rank, options, rows))


def _back(j: int, ranks: Any, bounds: list) -> Any:
    """Returns the ranks of the rows that the last partition of `bounds` has sent."""
    sizes = [int(b[j + 1] - b[j]) if j + 1 < b.size else 0 for b in bounds]
    return ranks[sum(sizes[:-1]) : sum(sizes)].copy()


def _home(given: _Rows, part: _Sorted, pieces: list) -> Any:
    import pandas as pd

    ranks = np.concatenate(pieces)
    result = np.empty_like(ranks)
    result[part.order] = ranks
    return pd.Series(result, index=given.values.index, name=given.values.name)
