"""Input chunks and results: from and to Dask arrays, Series and data frames."""

from __future__ import annotations

from functools import partial
from math import isnan
from typing import Any, Callable, NamedTuple

import numpy as np

from .._arrays import is_text, place_of
from .._check import check_nan_policy
from . import nulls
from .cuts import begin_as, narrow, offer, rounds_of

NUMBERS = "biufMm"
STRINGS = "SUT"
_LARGE = (np.dtype(np.int64), np.dtype(np.uint64))  # float64 cannot hold all of them


class Blocks(NamedTuple):
    """The chunks of one Dask collection: task keys, and sizes or None if they are not known."""

    source: Any  # collections that the graph depends on
    layer: dict
    keys: list
    sizes: list[int] | None
    dtype: Any

    def known(self) -> int | None:
        """Returns the number of elements, if it is known."""
        return None if self.sizes is None else sum(self.sizes)

    def array(self, name: str, layer: dict, sizes: Any, dtype: Any) -> Any:
        """Returns a Dask array whose chunks are the tasks (name, 0), (name, 1), ..."""
        import dask.array as da

        chunks = (tuple(sizes),) if sizes is not None else ((np.nan,) * len(self.keys),)
        return da.Array(self.graph(name, layer), name, chunks, dtype=dtype)

    def number(self, name: str, layer: dict, shape: tuple, dtype: Any) -> Any:
        """Returns a Dask array of one chunk, the task (name, 0, ...)."""
        import dask.array as da

        chunks = tuple((side,) for side in shape)
        return da.Array(self.graph(name, layer), name, chunks, dtype=dtype)

    def graph(self, name: str, layer: dict) -> Any:
        """Returns the graph of a layer and of everything it depends on."""
        from dask.highlevelgraph import HighLevelGraph

        return HighLevelGraph.from_collections(name, {**self.layer, **layer}, self.source)


def is_frame(a: Any) -> bool:
    """Returns whether `a` is a Series, an index or a data frame of Dask."""
    return hasattr(a, "npartitions") and hasattr(a, "divisions")


def is_index(a: Any) -> bool:
    """Returns whether `a` is an index of Dask."""
    return is_frame(a) and not hasattr(a._meta, "index")


def policy_of(a: Any, nan_policy: Any) -> Any:
    """Returns the NaN policy of a call. If none is given, a Series or index skips NaNs."""
    if nan_policy is None:
        return "omit" if is_frame(a) else "propagate"
    check_nan_policy(nan_policy)
    return nan_policy


def is_nullable(a: Any) -> bool:
    """Returns whether `a` has a type of pandas that may have nulls besides NaN and NaT."""
    return is_frame(a) and not isinstance(a._meta.dtype, np.dtype)


def blocks_of(
    a: Any, kinds: str = NUMBERS + STRINGS, lengths: Any = None, what: str = "a"
) -> Blocks:
    """Returns the chunks of a Dask array of one dimension, of a Dask Series or of an index."""
    if is_frame(a):
        if len(a._meta.shape) != 1:
            raise TypeError(f"{what} is a data frame; expected a Dask array or a Series")
        frame = partitions_of(a, lengths)
        name = name_of("values", a)
        layer = {(name, i): (keys_of, key) for i, key in enumerate(frame.keys)}
        dtype = values_of(a._meta).dtype
        blocks = frame._replace(layer=layer, keys=list(layer), dtype=dtype)
    else:
        if not hasattr(a, "__dask_keys__") or not hasattr(a, "chunks"):
            raise TypeError(
                f"{what} is a {type(a).__name__}; expected a Dask array or a Dask Series (for "
                "others, use the same function of ordo)"
            )
        if type(a._meta) is not np.ndarray:
            raise TypeError(
                f"{what} has chunks of type {type(a._meta).__name__}; expected NumPy arrays"
            )
        if a.ndim != 1:
            raise ValueError(f"{what} has {a.ndim} dimensions; expected 1")
        sizes = _chunk_sizes(a, lengths)
        blocks = Blocks([a], {}, list(a.__dask_keys__()), sizes, a.dtype)
    if blocks.dtype.kind not in kinds:
        strings = f", or strings of dtype {', '.join(STRINGS)}" if kinds != NUMBERS else ""
        raise TypeError(
            f"{what} has dtype {blocks.dtype}; expected numbers, dates or times{strings}"
        )
    return blocks


def values_of(part: Any) -> Any:
    """Returns the elements of a pandas Series or index; missing ones are NaN or NaT."""
    array = place_of(part)[1]
    return nulls.strings_of(part) if is_text(array) else array


def refusal(part: Any) -> str:
    """Returns why a pandas Series or index of a wrong dtype is refused."""
    what = "column" if hasattr(part, "index") else "index"
    expected = "expected numbers, dates, times or strings"
    return f"the {what} {part.name!r} has dtype {part.dtype}; {expected}"


def keys_of(part: Any) -> Any:
    """Like `values_of`, but integers of 64 bits of a nullable type are pairs (nulls.py)."""
    if isinstance(part.dtype, np.dtype) or values_of(part.take([])).dtype not in _LARGE:
        return values_of(part)
    missing = np.asarray(part.isna())
    return nulls.pairs_of(values_of(part[~missing] if missing.any() else part), missing)


def partitions_of(a: Any, lengths: Any) -> Blocks:
    """Returns the partitions of a Series, index or data frame, as pandas objects.

    The lengths are those given, those that Dask knows without reading data, or, with True, counted
    now.
    """
    delayed = a.to_delayed()
    sizes = _lengths_of(a, lengths)
    return Blocks(delayed, {}, [one.key for one in delayed], sizes, None)


def _lengths_of(a: Any, lengths: Any) -> list[int] | None:
    if lengths is True:
        return [int(n) for n in a.map_partitions(len, meta=("n", "i8")).compute()]
    if lengths is None:
        expression = a.expr
        while any(kind.__name__ == "Elemwise" for kind in type(expression).__mro__):
            expression = max(expression.dependencies(), key=lambda one: one.npartitions)
        known = getattr(expression, "_get_lengths", lambda: None)()
        return None if known is None else [int(n) for n in known]
    sizes = [int(n) for n in lengths]
    if len(sizes) != a.npartitions:
        raise ValueError(f"lengths has {len(sizes)} numbers; expected {a.npartitions}")
    return sizes


def _chunk_sizes(a: Any, lengths: Any) -> list[int] | None:
    """Returns the sizes of the chunks of an array: those that Dask knows, or as `_lengths_of`."""
    if not any(isnan(size) for size in a.chunks[0]):
        known = [int(size) for size in a.chunks[0]]
        if lengths not in (None, True) and [int(n) for n in lengths] != known:
            raise ValueError(f"lengths is {lengths!r}; expected {known}, the sizes of the chunks")
        return known
    if lengths is True:
        return [int(n) for n in a.map_blocks(_length, dtype=np.int64).compute()]
    return None if lengths is None else _lengths_of(a, lengths)


def _length(chunk: Any) -> Any:
    return np.array([len(chunk)])


def name_of(verb: str, *arguments: Any) -> str:
    """Returns a name for tasks, the same for the same arguments."""
    from dask.base import tokenize

    return f"ordo-{verb}-{tokenize(*arguments)}"


def wanted_sizes(chunks: Any, blocks: Blocks) -> list[int] | None:
    """Returns the sizes of the result's chunks; None: those of the input, which are not known."""
    if chunks is None:
        return blocks.sizes
    n = blocks.known()
    if n is None:
        raise ValueError(
            "chunks were given, and the sizes of the input's chunks are not known; pass "
            "lengths=True, or call compute_chunk_sizes() of an array first"
        )
    from dask.array.core import normalize_chunks

    try:
        sizes = normalize_chunks(chunks, (n,), dtype=blocks.dtype or "f8")[0]
    except ZeroDivisionError:
        raise ValueError(f"chunks is {chunks!r}; expected chunks with elements") from None
    return [int(size) for size in sizes]


def cuts_of(
    blocks: Blocks,
    name: str,
    columns: list,
    begin: Callable[[list], Any],
    directions: list[bool],
    bits: bool,
    several: bool = True,
) -> tuple[dict, Any]:
    """Returns the tasks that find exact cuts, and the key of their result.

    `columns` are the keys of tasks that return sorted chunks as tuples of columns, and `begin`
    makes the first Cuts from the sizes of the chunks. `several` is False if there is nothing to
    cut.
    """
    chunks = len(columns)
    layer: dict = {(name + "-count", i): (_count, key) for i, key in enumerate(columns)}
    cuts: Any = (name + "-cuts", 0)
    layer[cuts] = (begin, list(layer))
    for turn in range(rounds_of(blocks.known(), chunks) if several else 0):
        offers = [(name + "-offer", turn, i) for i in range(chunks)]
        for i, key in enumerate(offers):
            layer[key] = (partial(offer, i), columns[i], cuts)
        layer[(name + "-cuts", turn + 1)] = (partial(narrow, directions, bits), cuts, offers)
        cuts = (name + "-cuts", turn + 1)
    return layer, cuts


def _count(columns: tuple) -> int:
    return len(columns[0])


def same_sizes(sizes: list[int] | None) -> Callable[[list], Any]:
    """Returns the function that begins cuts for output chunks of these sizes."""
    return partial(begin_as, sizes)
