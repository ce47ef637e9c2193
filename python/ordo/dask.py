"""Sorts, ranks and quantiles of Dask arrays of one dimension, Series and data frames.

    >>> import pytest; da = pytest.importorskip("dask.array")
    >>> import numpy as np, ordo.dask
    >>> x = da.from_array(np.array([3.0, 1.0, 2.0, 2.0, 5.0]), chunks=2)
    >>> ordo.dask.sort(x).compute()
    array([1., 2., 2., 3., 5.])
    >>> ordo.dask.rankdata(x, "min").compute()
    array([4., 1., 2., 2., 5.])
    >>> float(ordo.dask.median(x).compute())
    2.0

Every function returns Dask collections and computes nothing. The results are those of the function
of ordo with the same name on all elements in one array. The graphs consist of plain tasks of pure
functions: if a worker is lost, Dask repeats its tasks and the result is the same.
"""

from __future__ import annotations

from ._dask.groups import group_count, group_median, group_quantile, group_rank, group_topk
from ._dask.order import argsort, sort
from ._dask.rank import rankdata
from ._dask.select import median, quantile, topk
from ._dask.sets import searchsorted, unique

__all__ = [
    "argsort",
    "group_count",
    "group_median",
    "group_quantile",
    "group_rank",
    "group_topk",
    "median",
    "quantile",
    "rankdata",
    "searchsorted",
    "sort",
    "topk",
    "unique",
]
