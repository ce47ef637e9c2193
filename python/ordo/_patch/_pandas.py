"""The compiled functions of pandas that `patch` replaces.

They get plain arrays, so indices, names and dtypes are left to pandas. Where pandas interpolates,
ordo gives both neighbours, and the formula is that of pandas.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._numpy import EXACT, INTEGERS
from ._switch import Attempt, long_enough, many_threads, replace

_TIES: dict[str, Any] = {
    "average": "average", "min": "min", "max": "max", "first": "ordinal", "dense": "dense"
}  # fmt: skip
_NAT = np.iinfo(np.int64).min
_NUMBERS = INTEGERS + "fd"
_NEIGHBOURS: tuple[Any, Any] = ("lower", "higher")
_BETWEEN = ("linear", "midpoint", *_NEIGHBOURS)


def _is_plain(array: Any, ndim: int = 1) -> bool:
    return (
        type(array) is np.ndarray
        and array.ndim == ndim
        and array.dtype.char in _NUMBERS
        and array.dtype.isnative
        and long_enough(array)
    )


def _missing(values: Any, mask: Any, is_datetimelike: bool) -> Any:
    """Returns where elements are missing, or None."""
    if mask is not None:
        found = np.asarray(mask, bool)
        if values.dtype.kind == "f" and bool((np.isnan(values) & ~found).any()):
            raise ValueError("a NaN that is not missing")
    elif is_datetimelike:
        found = values == _NAT
    elif values.dtype.kind == "f":
        found = np.isnan(values)
    else:
        return None
    return found if found.any() else None


# ---- Ranks and order ---------------------------------------------------------------------------


def _rank_1d(
    values: Any,
    labels: Any = None,
    is_datetimelike: bool = False,
    ties_method: str = "average",
    ascending: bool = True,
    pct: bool = False,
    na_option: str = "keep",
    mask: Any = None,
) -> Any:
    import ordo

    if labels is not None or not _is_plain(values):
        return NotImplemented
    missing = _missing(values, mask, is_datetimelike)
    if missing is not None and na_option != "keep":
        return NotImplemented
    among = values if missing is None else values[~missing]
    ranks = ordo.rankdata(among, _TIES[ties_method], descending=not ascending, dtype=np.float64)
    if pct and ranks.size:
        ranks /= ranks.max() if ties_method == "dense" else ranks.size
    if missing is None:
        return ranks
    result = np.full(values.shape, np.nan)
    result[~missing] = ranks
    return result


def _rank_2d(
    in_arr: Any,
    axis: int = 0,
    is_datetimelike: bool = False,
    ties_method: str = "average",
    ascending: bool = True,
    na_option: str = "keep",
    pct: bool = False,
) -> Any:
    if not _is_plain(in_arr, 2) or in_arr.shape[axis] == 0:
        return NotImplemented
    if not _is_plain(np.moveaxis(in_arr, axis, 0)[:, 0]):
        return NotImplemented
    result = np.empty(in_arr.shape)
    for row, ranks in zip(np.moveaxis(in_arr, axis, -1), np.moveaxis(result, axis, -1)):
        found = _rank_1d(row, None, is_datetimelike, ties_method, ascending, pct, na_option)
        if found is NotImplemented:
            return found
        ranks[...] = found
    return result


def _kth_smallest(arr: Any, k: int) -> Any:
    import ordo

    return ordo.select(arr, int(k)).item() if _is_plain(arr) else NotImplemented


def _nargsort(
    items: Any,
    kind: str = "quicksort",
    ascending: bool = True,
    na_position: str = "last",
    key: Any = None,
    mask: Any = None,
) -> Any:
    import ordo

    if not _is_plain(items) or key is not None or mask is not None:
        return NotImplemented
    if kind not in ("quicksort", "mergesort", "stable") or na_position not in ("first", "last"):
        return NotImplemented
    order = ordo.argsort(items, descending=not ascending)
    if na_position == "first" and items.dtype.kind == "f":
        order = np.roll(order, int(np.isnan(items).sum()))
    return order


# ---- Groups ------------------------------------------------------------------------------------


def _group_rank(
    out: Any,
    values: Any,
    labels: Any,
    ngroups: int,
    is_datetimelike: bool,
    ties_method: str = "average",
    ascending: bool = True,
    pct: bool = False,
    na_option: str = "keep",
    mask: Any = None,
) -> Any:
    import ordo

    if not _is_plain(values, 2) or (pct and ties_method == "dense"):
        return NotImplemented
    result = np.full(out.shape, np.nan)
    for column, keys in enumerate(values.T):
        missing = _missing(keys, None if mask is None else mask[:, column], is_datetimelike)
        if missing is not None and na_option != "keep":
            return NotImplemented
        kept: Any = labels >= 0
        if missing is not None:
            kept &= ~missing
        if kept.all():
            kept = slice(None)
        groups = labels[kept]
        ranks = ordo.group_rank(
            groups, keys[kept], _TIES[ties_method], descending=not ascending, dtype=np.float64
        )
        result[kept, column] = ranks / np.bincount(groups)[groups] if pct else ranks
    out[...] = result
    return None


def _group_median(
    out: Any,
    counts: Any,
    values: Any,
    labels: Any,
    min_count: int = -1,
    mask: Any = None,
    result_mask: Any = None,
    is_datetimelike: bool = False,
    skipna: bool = True,
) -> Any:
    import ordo

    usual = min_count == -1 and skipna and not is_datetimelike and mask is None
    if not usual or not _is_plain(values, 2):
        return NotImplemented
    medians = np.full((out.shape[0] + 1, out.shape[1]), np.nan)  # the last row: label -1
    for column, keys in enumerate(values.T):
        found = ordo.group_median(labels, keys)
        medians[found.groups, column] = found.values
    out[...] = medians[:-1]
    counts[...] = np.bincount(labels[labels >= 0], minlength=len(counts))
    return None


def _group_quantile(
    out: Any,
    values: Any,
    labels: Any,
    mask: Any,
    qs: Any,
    starts: Any,
    ends: Any,
    interpolation: Any,
    result_mask: Any = None,
    is_datetimelike: bool = False,
) -> Any:
    import ordo

    usual = result_mask is None and not is_datetimelike and interpolation in _BETWEEN
    if not usual or not _is_plain(values) or values.dtype.char == "f" or qs.size == 0:
        return NotImplemented
    if interpolation not in _NEIGHBOURS and not many_threads():
        return NotImplemented  # two selections take more CPU time than those of pandas
    if values.dtype.kind in "iu" and max(int(values.max()), -int(values.min())) > EXACT:
        return NotImplemented
    missing = _missing(values, mask, False)
    if len(starts) != len(out) or (missing is not None and values.dtype.kind != "f"):
        return NotImplemented
    labels = np.repeat(np.arange(len(starts)), ends - starts)  # pandas has put groups together
    result = np.full(out.shape, np.nan)
    if interpolation in ("lower", "higher"):
        found = ordo.group_quantile(labels, values, qs, method=interpolation)
        result[found.groups] = found.values
    else:
        sizes = ends - starts
        if missing is not None:
            sizes = np.bincount(labels[~missing], minlength=len(out))
        low, high = (ordo.group_quantile(labels, values, qs, method=m) for m in _NEIGHBOURS)
        part = qs * (sizes[low.groups, None] - 1) % 1
        between = _between(low.values, high.values, part, interpolation)
        result[low.groups] = np.where(part == 0, low.values, between)
    out[...] = result
    return None


def _between(low: Any, high: Any, part: Any, interpolation: str) -> Any:
    """Returns what pandas takes between two neighbours."""
    with np.errstate(all="ignore"):
        if interpolation == "linear":
            return low + (high - low) * part
        return (low + high) / 2.0


# ---- Moving windows ----------------------------------------------------------------------------


def _window_of(values: Any, start: Any, end: Any, minp: int) -> tuple[int, bool] | None:
    """Returns the width of windows that all have it, and whether they are centred, or None."""
    if not _is_plain(values) or len(start) != len(values) or values.dtype.char != "d" or minp < 1:
        return None
    n, width = len(values), int((end - start).max())
    ahead = int(end[0]) - 1
    if not 1 <= width <= n or ahead not in (0, (width - 1) // 2):
        return None
    ends = np.arange(1 + ahead, n + 1 + ahead)
    starts = np.maximum(ends - width, 0)
    if not (np.array_equal(np.minimum(ends, n), end) and np.array_equal(starts, start)):
        return None
    return width, ahead != 0


def _observations(values: Any, start: Any, end: Any) -> Any:
    """Returns how many numbers each window has."""
    counts = np.zeros(len(values) + 1, np.int64)
    np.cumsum(~np.isnan(values), out=counts[1:])
    return counts[end] - counts[start]


def _roll_median(values: Any, start: Any, end: Any, minp: int) -> Any:
    import ordo

    window = _window_of(values, start, end, minp)
    if window is None or minp > window[0]:
        return NotImplemented
    return ordo.moving_median(values, window[0], minp, center=window[1])


def _roll_quantile(
    values: Any, start: Any, end: Any, minp: int, quantile: float, interpolation: str
) -> Any:
    import ordo

    window = _window_of(values, start, end, minp)
    if window is None or minp > window[0] or not 0 < quantile < 1:
        return NotImplemented
    if interpolation not in _BETWEEN:
        return NotImplemented
    width, center = window

    def neighbour(method: Any) -> Any:
        return ordo.moving_quantile(values, width, quantile, minp, method=method, center=center)

    if interpolation in _NEIGHBOURS:
        return neighbour(interpolation)
    place = quantile * (_observations(values, start, end) - 1)
    low, high = (neighbour(method) for method in _NEIGHBOURS)
    return np.where(low == high, low, _between(low, high, place % 1, interpolation))


def _roll_rank(
    values: Any, start: Any, end: Any, minp: int, percentile: bool, method: str, ascending: bool
) -> Any:
    import ordo

    window = _window_of(values, start, end, minp)
    if window is None or minp > window[0] or window[1]:
        return NotImplemented
    ranks = ordo.moving_rank(
        values, window[0], minp, method=_TIES[method], descending=not ascending
    )
    return ranks / _observations(values, start, end) if percentile else ranks


_FUNCTIONS: dict[str, tuple[tuple[str, str, Attempt], ...]] = {
    "algos": (
        ("rank_1d", "pandas rank", _rank_1d),
        ("rank_2d", "pandas rank", _rank_2d),
        ("kth_smallest", "pandas nlargest, nsmallest", _kth_smallest),
    ),
    "groupby": (
        ("group_rank", "pandas groupby.rank", _group_rank),
        ("group_median_float64", "pandas groupby.median", _group_median),
        ("group_quantile", "pandas groupby.quantile", _group_quantile),
    ),
    "window.aggregations": (
        ("roll_median_c", "pandas rolling.median", _roll_median),
        ("roll_quantile", "pandas rolling.quantile", _roll_quantile),
        ("roll_rank", "pandas rolling.rank", _roll_rank),
    ),
}
# The modules that have taken nargsort from pandas.core.sorting.
_SORTING = "sorting series frame arrays.base arrays.categorical indexes.base"


def replace_pandas() -> None:
    for module, functions in _FUNCTIONS.items():
        for name, label, attempt in functions:
            replace(f"pandas._libs.{module}", name, label, attempt)
    for module in _SORTING.split():
        replace(f"pandas.core.{module}", "nargsort", "pandas sort_values", _nargsort)
    forget_choices()


def forget_choices() -> None:
    """Lets pandas look for the functions of groups again."""
    from pandas.core.groupby.ops import WrappedCythonOp

    forget = getattr(WrappedCythonOp._get_cython_function, "cache_clear", None)
    if forget is not None:
        forget()
