"""ordo sorts, ranks, selects and scans arrays, on all CPU cores and on NVIDIA GPUs.

    >>> import numpy as np, ordo
    >>> scores = np.array([2.5, 9.0, 1.5, 2.5, 4.0])
    >>> ordo.rankdata(scores)
    array([2.5, 5. , 1. , 2.5, 4. ])
    >>> ordo.quantile(scores, [0.1, 0.5, 0.9])
    array([1.9, 2.5, 7. ])

Names, parameters and results are those of NumPy and SciPy. Arrays of PyTorch, CuPy, JAX, Numba and
Arrow are accepted; arrays on a GPU stay there. ``config`` sets the threads and the device of calls,
and ``explain`` reports how the last call ran.

A module is loaded when one of its names is first used, so ``import ordo`` takes a few milliseconds
and does not open the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bz2 as bz2
    from . import dask as dask
    from . import duckdb as duckdb
    from . import external as external
    from . import mpi as mpi
    from ._context import config, context
    from ._context.report import Report, explain, show_config
    from ._lib import DeviceError, OrderError
    from ._lib import version as __version__
    from ._out import (
        argpartition,
        argsort,
        argtopk,
        cummax,
        cummin,
        cumprod,
        cumsum,
        group_argsort,
        group_rank,
        lexrank,
        lexsort,
        median,
        moving_max,
        moving_median,
        moving_min,
        moving_quantile,
        moving_rank,
        nanmedian,
        nanpercentile,
        nanquantile,
        partition,
        percentile,
        quantile,
        rank,
        rank_sorted,
        rankdata,
        scan_bits,
        select,
        sort,
    )
    from ._patch import patch, patched, unpatch
    from ._sets import searchsorted, unique
    from ._strings.fasta import Fasta, read_fasta
    from ._text import Bwt, FMIndex, bwt, lcp, suffix_array, unbwt
    from ._verbs.generate import generate
    from ._verbs.groups import (
        GroupCounts,
        GroupTopK,
        GroupValues,
        group_count,
        group_median,
        group_quantile,
        group_topk,
    )
    from ._verbs.measure import is_sorted, radius
    from ._verbs.order import sort_pairs, sort_records
    from ._verbs.partition import split_by_flags
    from ._verbs.stats import TestResult, mannwhitneyu, spearmanr
    from ._verbs.topk import TopK, top_k, topk

_HOMES = {
    "_context": "config context",
    "_context.report": "Report explain show_config",
    "_strings.fasta": "Fasta read_fasta",
    "_verbs.generate": "generate",
    "_verbs.columns": "lexrank lexsort",
    "_verbs.groups": "GroupCounts GroupTopK GroupValues group_argsort group_count group_median "
    "group_quantile group_rank group_topk",
    "_lib": "DeviceError OrderError",
    "_patch": "patch patched unpatch",
    "_verbs.measure": "is_sorted radius",
    "_verbs.order": "argsort sort sort_pairs sort_records",
    "_verbs.partition": "argpartition partition scan_bits split_by_flags",
    "_verbs.rank": "rank rank_sorted rankdata",
    "_verbs.scan": "cummax cummin cumprod cumsum",
    "_verbs.select": "median nanmedian nanpercentile nanquantile percentile quantile",
    "_sets": "searchsorted unique",
    "_verbs.stats": "TestResult mannwhitneyu spearmanr",
    "_text": "Bwt FMIndex bwt lcp suffix_array unbwt",
    "_verbs.topk": "TopK argtopk select top_k topk",
    "_verbs.windows": "moving_max moving_median moving_min moving_quantile moving_rank",
}
_MODULES = ("bz2", "dask", "duckdb", "external", "mpi")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = [
    "Bwt",
    "DeviceError",
    "FMIndex",
    "Fasta",
    "GroupCounts",
    "GroupTopK",
    "GroupValues",
    "OrderError",
    "Report",
    "TestResult",
    "TopK",
    "__version__",
    "argpartition",
    "argsort",
    "argtopk",
    "bwt",
    "config",
    "context",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "explain",
    "generate",
    "group_argsort",
    "group_count",
    "group_median",
    "group_quantile",
    "group_rank",
    "group_topk",
    "is_sorted",
    "lcp",
    "lexrank",
    "lexsort",
    "mannwhitneyu",
    "median",
    "moving_max",
    "moving_median",
    "moving_min",
    "moving_quantile",
    "moving_rank",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "partition",
    "patch",
    "patched",
    "percentile",
    "quantile",
    "radius",
    "rank",
    "rank_sorted",
    "rankdata",
    "read_fasta",
    "scan_bits",
    "searchsorted",
    "select",
    "show_config",
    "sort",
    "sort_pairs",
    "sort_records",
    "spearmanr",
    "split_by_flags",
    "suffix_array",
    "top_k",
    "topk",
    "unbwt",
    "unique",
    "unpatch",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        value = import_module("._lib", __name__).version
    elif name in _MODULES:
        value = import_module("." + name, __name__)
    elif name in _HOME_OF:
        value = getattr(import_module("." + _HOME_OF[name], __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


from . import frames as frames  # noqa: E402 # registers the accessors; needs the names above
