"""The functions of NumPy and SciPy that `patch` replaces."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, NamedTuple

import numpy as np

from ._switch import LEAST, SORT_LEAST, Attempt, long_enough, replace

INTEGERS = "bBhHiIlLqQ"
EXACT = 1 << 53  # integers up to here are float64, too


class Rule(NamedTuple):
    """A function that has the name and the parameters of one of ordo."""

    name: str
    types: str  # characters of dtypes
    keywords: str  # that both functions have
    least: int = LEAST
    interpolates: bool = False  # NumPy in its own way with infinities and integers above 2^53


ROWS_LEAST = 1 << 15  # elements of several rows
RULES = (
    Rule("sort", INTEGERS + "fd", "axis kind stable", SORT_LEAST),
    Rule("argsort", INTEGERS + "fd", "axis kind stable"),
    Rule("partition", INTEGERS + "fd", "kth axis", 1 << 20),
    Rule("argpartition", INTEGERS + "fd", "kth axis", 1 << 16),
    Rule("median", INTEGERS + "fd", "axis keepdims"),
    Rule("nanmedian", INTEGERS + "fd", "axis keepdims"),
    Rule("quantile", INTEGERS + "d", "q axis keepdims method", 1 << 15, True),
    Rule("percentile", INTEGERS + "d", "q axis keepdims method", 1 << 15, True),
    Rule("nanquantile", INTEGERS + "d", "q axis keepdims method", 1 << 15, True),
    Rule("nanpercentile", INTEGERS + "d", "q axis keepdims method", 1 << 15, True),
    Rule("searchsorted", INTEGERS + "fd", "v side"),
    Rule("unique", INTEGERS + "fd", "return_index return_inverse return_counts", 1 << 15),
    Rule("cumsum", INTEGERS, "axis", 1 << 20),
)


def _takes(rule: Rule, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    arrays = args[:2] if rule.name == "searchsorted" else args[:1]
    for a in arrays:
        if type(a) is not np.ndarray or a.dtype.char not in rule.types:
            return False
        least = rule.least if a.ndim == 1 else max(rule.least, ROWS_LEAST)
        if not a.dtype.isnative or not long_enough(a, least):
            return False
    if not 1 <= len(args) <= (3 if rule.name == "searchsorted" else 2):
        return False
    if any(name not in rule.keywords.split() for name in named):
        return False
    if "partition" in rule.name and args[0].ndim != 1:
        return False  # the order beside the position is not that of argpartition
    if rule.name.startswith("nan") and args[0].dtype.kind == "f":
        axis = args[1] if rule.name == "nanmedian" and len(args) > 1 else named.get("axis")
        if bool(np.isnan(args[0]).all(axis=axis).any()):
            return False  # the original warns of each row without a number
    return not rule.interpolates or _is_moderate(args[0])


def _is_moderate(a: Any) -> bool:
    """Whether the elements are finite or integers that float64 has, too."""
    if a.dtype.kind == "f":
        return not bool(np.isinf(a).any())
    return a.dtype.itemsize < 8 or max(int(a.max()), -int(a.min())) <= EXACT


def _attempt(rule: Rule) -> Attempt:
    import ordo

    omits = {"nan_policy": "omit"} if rule.name.startswith("nan") else {}
    ours = getattr(ordo, rule.name.removeprefix("nan"))

    def attempt(*args: Any, **named: Any) -> Any:
        if isinstance(named.get("axis"), np.ndarray):  # xarray passes several axes so
            named["axis"] = tuple(int(axis) for axis in named["axis"])
        return ours(*args, **named, **omits) if _takes(rule, args, named) else NotImplemented

    return attempt


def _lexsort(keys: Any, axis: int = -1) -> Any:
    import ordo

    if type(keys) not in (list, tuple) or axis not in (-1, 0):
        return NotImplemented
    for key in keys:
        plain = type(key) is np.ndarray and key.ndim == 1 and key.dtype.char in INTEGERS + "fd"
        if not plain or not key.dtype.isnative or not long_enough(key):
            return NotImplemented
    return ordo.lexsort(keys)


def replace_numpy(hooked: bool) -> None:
    """Replaces the functions; without sorts if NumPy's table of sorts has ours."""
    for rule in RULES:
        if not (hooked and rule.name in ("sort", "argsort")):
            replace("numpy", rule.name, f"numpy.{rule.name}", _attempt(rule))
    replace("numpy", "lexsort", "numpy.lexsort", _lexsort)


# ---- SciPy -------------------------------------------------------------------------------------


def _plain(a: Any) -> bool:
    return (
        type(a) is np.ndarray
        and a.dtype.char in INTEGERS + "fd"
        and a.dtype.isnative
        and long_enough(a)
    )


def _rankdata(original: Callable[..., Any]) -> Attempt:
    import ordo

    @functools.cache
    def dtype_of(method: str) -> Any:  # integers or floats, by the version of SciPy
        return original(np.zeros(1), method).dtype

    def attempt(
        a: Any, method: Any = "average", *, axis: Any = None, nan_policy: Any = "propagate"
    ) -> Any:
        if not _plain(a) or (axis is not None and type(axis) is not int):
            return NotImplemented
        ranks = ordo.rankdata(a, method, axis=axis, nan_policy=nan_policy)
        return ranks.astype(np.result_type(ranks, dtype_of(method)), copy=False)

    return attempt


def _ranks_and_ties(x: Any, method: Any, return_ties: bool = False, xp: Any = None) -> Any:
    """Ranks of rows and, in the order of the keys, how many elements tie with the first of each."""
    import ordo

    if not _plain(x) or x.ndim != 1 or method != "average":
        return NotImplemented
    if x.dtype.kind == "f" and bool(np.isnan(x).any()):
        return NotImplemented
    ranks = ordo.rankdata(x)
    if not return_ties:
        return ranks
    keys = ordo.sort(x)
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    ties = np.zeros(x.shape)
    ties[first] = np.diff(first, append=x.size)
    return ranks, ties


def replace_scipy() -> None:
    original = sys.modules["scipy.stats"].rankdata
    rankdata = _rankdata(getattr(original, "_original", original))
    for module in ("scipy.stats", "scipy.stats._stats_py"):
        replace(module, "rankdata", "scipy.stats.rankdata", rankdata)
    if not _returns_pairs(getattr(sys.modules["scipy.stats._stats_py"], "_rankdata", None)):
        return
    for module in ("_stats_py", "_mannwhitneyu", "_wilcoxon"):
        label = "scipy.stats, ranks of tests"
        replace(f"scipy.stats.{module}", "_rankdata", label, _ranks_and_ties)


def _returns_pairs(function: Any) -> bool:
    """Whether it returns ranks and ties, and not more, as from SciPy 1.18 on."""
    try:
        return len(function(np.zeros(3), "average", return_ties=True)) == 2
    except TypeError:
        return False
