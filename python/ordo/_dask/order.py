"""sort and argsort of Dask collections: sorted chunks, exact cuts, pieces, one merge per chunk."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .._check import flag
from . import nulls
from .blocks import (
    NUMBERS,
    STRINGS,
    Blocks,
    blocks_of,
    cuts_of,
    is_frame,
    is_index,
    keys_of,
    name_of,
    partitions_of,
    refusal,
    same_sizes,
    values_of,
    wanted_sizes,
)
from .cuts import Cuts, order_of


def sort(
    a: Any,
    *,
    by: Any = None,
    descending: Any = False,
    chunks: Any = None,
    lengths: Any = None,
    keep_index: bool = False,
) -> Any:
    """Sorts a Dask array, a Series, an index, or the rows of a data frame.

    Parameters
    ----------
    a : Dask array of one dimension, Dask Series, Dask index, or Dask data frame.
    by : the name of a column of a data frame, or a list of names.
    descending : the largest element first; for a list `by` also a list. NaNs are last.
    chunks : sizes of the chunks or partitions of the result, in any form that Dask accepts. None:
        those of `a`.
    lengths : the lengths of the chunks or partitions. None: the lengths that Dask knows without
        reading data. True: count them now if Dask does not know them, which computes `a` once. A
        list: these.
    keep_index : keep the index of the rows of a Series or data frame. The default is a new index,
        the positions 0, 1, 2, ..., whose divisions are known if the lengths are.

    Returns
    -------
    A collection of the type of `a`. The sizes of its chunks are exact for every input. Rows with
    equal keys keep their order. The divisions of a sorted index are unknown.

    Raises
    ------
    TypeError : `a`, `by` or `descending` has the wrong type, or the keys are not numbers, dates or
        times.
    ValueError : `a` has several dimensions, or `by`, `chunks` or `lengths` is wrong.
    """
    if is_frame(a):
        return _sort_frame(a, by, descending, chunks, lengths, flag(keep_index, "keep_index"))
    if by is not None:
        raise TypeError("by is for data frames; a is an array")
    down = flag(descending, "descending")
    blocks = blocks_of(a, lengths=lengths)
    sizes = wanted_sizes(chunks, blocks)
    name = name_of("sort", a, down, sizes)
    layer: dict = {
        (name + "-chunk", i): (partial(_sorted, down), key) for i, key in enumerate(blocks.keys)
    }
    layer.update(_exchange(blocks, name, sizes, [down], True, partial(_merge, down)))
    return blocks.array(name, layer, sizes, blocks.dtype)


def argsort(a: Any, *, descending: bool = False, chunks: Any = None, lengths: Any = None) -> Any:
    """Returns the positions that sort a Dask array, Series or index; stable in both directions.

    Parameters
    ----------
    a : Dask array of one dimension, Dask Series, or Dask index.
    descending, chunks, lengths : as for `sort`.

    Returns
    -------
    Dask array of int64.

    Raises
    ------
    TypeError, ValueError : as for `sort`.
    """
    down = flag(descending, "descending")
    blocks = blocks_of(a, lengths=lengths)
    sizes = wanted_sizes(chunks, blocks)
    name = name_of("argsort", a, down, sizes)
    layer: dict = {
        (name + "-pairs", i): (partial(sorted_pairs, down), key)
        for i, key in enumerate(blocks.keys)
    }
    layer.update(columns_tasks(name, len(blocks.keys)))
    layer.update(
        _exchange(blocks, name, sizes, [down], False, partial(_merge_index, down), _index_piece)
    )
    return blocks.array(name, layer, sizes, np.dtype(np.int64))


def columns_tasks(name: str, chunks: int) -> dict:
    """Returns tasks (name-chunk, i) that take the sorted columns from (name-pairs, i)."""
    return {(name + "-chunk", i): (_first, (name + "-pairs", i)) for i in range(chunks)}


def _first(pair: tuple) -> Any:
    return pair[0]


def _exchange(
    blocks: Blocks,
    name: str,
    sizes: list[int] | None,
    directions: list[bool],
    bits: bool,
    merge: Any,
    piece: Any = None,
) -> dict:
    """Returns the tasks from sorted chunks (name-chunk, i) to merged chunks (name, j).

    With `piece` the pieces are cut from (name-pairs, i).
    """
    inputs = len(blocks.keys)
    outputs = inputs if sizes is None else len(sizes)
    columns = [(name + "-chunk", i) for i in range(inputs)]
    begin = same_sizes(sizes)
    layer, cuts = cuts_of(blocks, name, columns, begin, directions, bits, outputs > 1)
    whole = name + ("-chunk" if piece is None else "-pairs")
    for j in range(outputs):
        pieces = [(name + "-piece", i, j) for i in range(inputs)]
        for i, key in enumerate(pieces):
            layer[key] = (partial(piece or column_piece, i, j), (whole, i), cuts)
        layer[(name, j)] = (merge, pieces) if merge is not None else (list, pieces)
    return layer


# ---- tasks of arrays -----------------------------------------------------------------------------


def _sorted(descending: bool, chunk: Any) -> tuple:
    return (nulls.sort(chunk, descending=descending),)


def sorted_pairs(descending: bool, chunk: Any) -> tuple:
    """Returns a sorted chunk as a tuple of one column, and the stable order of its elements."""
    order = nulls.argsort(chunk, descending=descending)
    return (chunk[order],), order


def column_piece(i: int, j: int, columns: tuple, cuts: Cuts) -> Any:
    """Returns a copy of what output chunk j gets from sorted chunk i."""
    start, end = cuts.bounds(i)[j : j + 2]
    return columns[0][start:end].copy()


def _index_piece(i: int, j: int, pair: tuple, cuts: Cuts) -> tuple:
    (keys,), order = pair
    start, end = cuts.bounds(i)[j : j + 2]
    return keys[start:end].copy(), order[start:end] + cuts.before(i)


def _merge(descending: bool, pieces: list) -> Any:
    return nulls.sort(np.concatenate(pieces), descending=descending)


def _merge_index(descending: bool, pieces: list) -> Any:
    keys, index = (np.concatenate(parts) for parts in zip(*pieces))
    return index[nulls.argsort(keys, descending=descending)]


# ---- data frames and Series ----------------------------------------------------------------------


def _sort_frame(
    a: Any, by: Any, descending: Any, chunks: Any, lengths: Any, keep_index: bool
) -> Any:
    names, directions = _columns(a, by, descending)
    if is_index(a):
        if keep_index:
            raise TypeError("keep_index is True and a is an index, which has no index of its own")
        keep_index = True  # the elements are the index
    blocks = partitions_of(a, lengths)
    sizes = wanted_sizes(chunks, blocks)
    name = name_of("sort", a, names, directions, sizes, keep_index)
    layer: dict = {
        (name + "-pairs", i): (partial(_sorted_rows, names, directions, keep_index), key)
        for i, key in enumerate(blocks.keys)
    }
    layer.update(columns_tasks(name, len(blocks.keys)))
    layer.update(_exchange(blocks, name, sizes, directions, False, None, _row_piece))
    outputs = len(blocks.keys) if sizes is None else len(sizes)
    cuts = next(key for key in reversed(layer) if key[0] == name + "-cuts")
    for j in range(outputs):
        merge = partial(_merge_rows, names, directions, keep_index, j)
        layer[(name, j)] = (merge, layer[(name, j)][1], cuts)
    meta = a._meta if keep_index else a._meta.reset_index(drop=True)
    return frame_of(blocks, name, layer, meta, _divisions(sizes, keep_index, outputs), outputs)


def frame_of(
    blocks: Blocks, name: str, layer: dict, meta: Any, divisions: tuple, outputs: int
) -> Any:
    """Returns a Dask Series or data frame whose partitions are the tasks (name, j)."""
    import dask.dataframe as dd
    from dask.utils import ensure_dict

    graph = ensure_dict(blocks.graph(name, layer))
    return dd.from_graph(graph, meta, divisions, [(name, j) for j in range(outputs)], "ordo")


def _columns(a: Any, by: Any, descending: Any) -> tuple[list, list[bool]]:
    if len(a._meta.shape) == 1:
        if by is not None:
            kind = "an index" if is_index(a) else "a Series"
            raise TypeError(f"by is {by!r} and a is {kind}; by is for data frames")
        names, columns = [None], [a._meta]
    else:
        names = list(by) if isinstance(by, (list, tuple)) else [by]
        if not names or names == [None]:
            raise ValueError("by is missing; expected the name of a column or a list of names")
        missing = [one for one in names if one not in a._meta.columns]
        if missing:
            raise ValueError(
                f"by is {missing[0]!r}; expected one of {', '.join(map(repr, a._meta.columns))}"
            )
        columns = [a._meta[one] for one in names]
    for column in columns:
        if values_of(column).dtype.kind not in NUMBERS + STRINGS:
            raise TypeError(refusal(column))
    each = descending if isinstance(descending, (list, tuple)) else [descending] * len(names)
    if len(each) != len(names):
        raise ValueError(f"descending has {len(each)} flags; expected {len(names)}, as by")
    return names, [flag(one, "descending") for one in each]


def _divisions(sizes: list[int] | None, keep_index: bool, outputs: int) -> tuple:
    if sizes is None or keep_index or sum(sizes) == 0:
        return (None,) * (outputs + 1)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).tolist()
    return (*starts, max(sum(sizes) - 1, starts[-1]))


def _sorted_rows(names: list, directions: list[bool], keep_index: bool, part: Any) -> tuple:
    """Returns the sorted columns of a partition, and its rows in order."""
    columns = _keys_of(names, part)
    order = order_of(columns, directions, False)
    rows = part.take(order)
    if not keep_index:
        rows = rows.reset_index(drop=True)  # pieces have no index to copy
    return tuple(column[order] for column in columns), rows


def _keys_of(names: list, rows: Any) -> list:
    return [keys_of(rows if name is None else rows[name]) for name in names]


def _row_piece(i: int, j: int, pair: tuple, cuts: Cuts) -> Any:
    """Returns a copy of the rows that output partition j gets from partition i."""
    start, end = cuts.bounds(i)[j : j + 2]
    rows = pair[1]
    return (rows.iloc if hasattr(rows, "iloc") else rows)[start:end].copy()


def _merge_rows(
    names: list, directions: list[bool], keep_index: bool, j: int, pieces: list, cuts: Cuts
) -> Any:
    import pandas as pd

    if hasattr(pieces[0], "iloc"):
        rows = pd.concat(pieces, ignore_index=not keep_index)
    else:
        rows = pieces[0].append(pieces[1:])
    result = rows.take(order_of(_keys_of(names, rows), directions, False))
    if keep_index:
        return result
    start = int(cuts.targets[j - 1]) if j else 0
    return result.set_axis(pd.RangeIndex(start, start + len(result)), axis=0)
