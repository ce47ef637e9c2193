"""Results of groups as objects of pandas, with the groups in the index, as `groupby` returns them.

They are made if the group keys or the elements are objects of pandas. Elements of `a` keep their
dtype and labels; the groups keep the dtype and the names of their columns. This file does not
import pandas: an object of pandas exists only if pandas is imported.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .._inputs.series import is_instance
from .group_keys import key_columns


def _is_pandas(a: Any) -> bool:
    return is_instance(a, "pandas", "Series", "Index", "DataFrame")


def are_labelled(groups: Any, a: Any = None) -> bool:
    """Returns whether the result of a call on these arguments is an object of pandas."""
    if "pandas" not in sys.modules:
        return False
    return any(map(_is_pandas, [groups, a, *(key_columns(groups) or [])]))


def _zoned(made: Any, dtype: Any) -> Any:
    """Returns the times of a Series or index, which are in UTC, in the zone of `dtype`."""
    zone = getattr(dtype, "tz", None)
    if zone is None or made.dtype.kind != "M" or getattr(made.dtype, "tz", None) is not None:
        return made
    times = made.dt if hasattr(made, "dt") else made
    utc = times.tz_localize("UTC")
    return (utc.dt if hasattr(utc, "dt") else utc).tz_convert(zone)


def _level(part: Any, column: Any) -> Any:
    """Returns the groups of one key as an index with the dtype and the name of its column."""
    pandas = sys.modules["pandas"]
    if getattr(part, "dtype", None) == np.float16:  # pandas has no such index
        return pandas.Index(np.asarray(part, np.float32), name=getattr(column, "name", None))
    made = pandas.Index(part, name=getattr(column, "name", None))
    if not _is_pandas(column) or made.dtype == column.dtype:
        return made
    zoned = _zoned(made, column.dtype)
    return zoned if zoned is not made else made.astype(column.dtype)


def _levels(groups: Any, found: Any) -> list:
    columns = key_columns(groups)
    if columns is None:
        return [_level(found, groups)]
    return [_level(part, column) for part, column in zip(found, columns)]


def _index(levels: list) -> Any:
    if len(levels) == 1:
        return levels[0]
    return sys.modules["pandas"].MultiIndex.from_arrays(levels)


def of_groups(groups: Any, found: Any, values: Any, a: Any = None, q: Any = None) -> Any:
    """Returns a Series with a value for each group. With an array `q` there is one for each pair of
    a group and a probability, and `values` has a row for each group.

    `found` are the groups, or a tuple of them with a part for each key.
    """
    pandas, levels = sys.modules["pandas"], _levels(groups, found)
    if q is not None:
        count = len(levels[0])
        levels = [level.repeat(q.size) for level in levels] + [pandas.Index(np.tile(q, count))]
    name = a.name if is_instance(a, "pandas", "Series") else None
    made = pandas.Series(np.asarray(values).reshape(-1), index=_index(levels), name=name)
    return _zoned(made, getattr(a, "dtype", None))


def of_rows(groups: Any, found: Any, values: Any, rows: Any, a: Any) -> Any:
    """Returns a Series of elements of groups, which have the group and the label of their row.

    `rows` has a row of row numbers for each group, with -1 where there is none.
    """
    pandas, taken = sys.modules["pandas"], rows >= 0
    flat, group = rows[taken], np.repeat(np.arange(rows.shape[0]), taken.sum(axis=1))
    levels = [level.take(group) for level in _levels(groups, found)]
    labelled = next((one for one in (a, groups) if hasattr(one, "iloc")), None)
    labels = pandas.RangeIndex(len(a)) if labelled is None else labelled.index
    labels = labels.take(flat)
    levels += [labels.get_level_values(i) for i in range(labels.nlevels)]
    if not is_instance(a, "pandas", "Series"):
        return pandas.Series(values[taken], index=_index(levels))
    return a.iloc[flat].set_axis(_index(levels))
