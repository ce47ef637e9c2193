"""`patch`: NumPy, SciPy and pandas sort, select and rank by ordo.

    >>> import numpy as np, ordo
    >>> with ordo.patched():
    ...     middle = np.median(np.arange(100_000.0))
    >>> middle
    np.float64(49999.5)

NumPy 2.0 to 2.4 have a table of sorts, in which ordo puts its own: `np.sort`, `np.argsort`, the
methods of arrays, and what calls them, for example `DataFrame.sort_values`. From NumPy 2.5 on there
is no such table, so `np.sort` and `np.argsort` are replaced as the other functions are: by name.
Arrays that are small, of another type or of a subclass, and arguments that ordo does not take, get
the original function, also after an error. Results are those of the original functions; elements
that these may put anywhere, such as ties of an unstable `argsort`, are in another order.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple

import numpy as np

from . import _lib
from ._imports import after_import

ext = _lib.ext

# Elements from which ordo is called. NumPy sorts short arrays by vectors, too.
SORT_LEAST = 1 << 16
LEAST = 1 << 12

_INTEGERS = "bBhHiIlLqQ"
_done: dict[str, list[float]] = {}  # by name: calls, elements, seconds
_replaced: list[tuple[Any, str, Any]] = []  # the place, the name and the original
_active = False
_inside = threading.local()  # its `call`: this thread is in a function of ordo, which uses NumPy


class _Rule(NamedTuple):
    """A function that ordo takes over."""

    module: str
    name: str
    ours: str  # in the package
    types: str  # characters of dtypes
    keywords: str  # that both functions have
    finite: bool = False  # only of numbers without infinities, whose neighbours NumPy makes NaN
    least: int = LEAST


_RULES = (
    _Rule("numpy", "sort", "sort", _INTEGERS + "fd", "axis kind", least=SORT_LEAST),
    _Rule("numpy", "argsort", "argsort", _INTEGERS + "fd", "axis kind"),
    _Rule("numpy", "partition", "partition", _INTEGERS + "fd", "kth axis"),
    _Rule("numpy", "argpartition", "argpartition", _INTEGERS + "fd", "kth axis"),
    _Rule("numpy", "median", "median", _INTEGERS + "fd", "axis keepdims"),
    _Rule("numpy", "nanmedian", "median", _INTEGERS + "fd", "axis keepdims"),
    _Rule("numpy", "quantile", "quantile", _INTEGERS + "d", "q axis keepdims method", True),
    _Rule("numpy", "percentile", "percentile", _INTEGERS + "d", "q axis keepdims method", True),
    _Rule("numpy", "nanquantile", "quantile", _INTEGERS + "d", "q axis keepdims method", True),
    _Rule("numpy", "nanpercentile", "percentile", _INTEGERS + "d", "q axis keepdims method", True),
    _Rule("numpy", "searchsorted", "searchsorted", _INTEGERS + "fd", "v side"),
    _Rule(
        "numpy", "unique", "unique", _INTEGERS + "fd", "return_index return_inverse return_counts"
    ),
    _Rule("numpy", "cumsum", "cumsum", _INTEGERS, "axis"),
    _Rule("scipy.stats", "rankdata", "rankdata", _INTEGERS + "fd", "method axis nan_policy"),
    _Rule(
        "scipy.stats._stats_py", "rankdata", "rankdata", _INTEGERS + "fd", "method axis nan_policy"
    ),
)


def _count(name: str, elements: int, begun: float) -> None:
    done = _done.setdefault(name, [0, 0, 0.0])
    done[0] += 1
    done[1] += elements
    done[2] += time.perf_counter() - begun


def _takes(rule: _Rule, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    arrays = args if rule.name == "searchsorted" else args[:1]
    for a in arrays:
        if type(a) is not np.ndarray or a.dtype.char not in rule.types or a.size < rule.least:
            return False
    if len(args) > 2 or not args or any(name not in rule.keywords.split() for name in named):
        return False
    if "partition" in rule.name and args[0].ndim != 1:
        return False  # the order beside the position is not that of argpartition
    if rule.name.startswith("nan") and args[0].dtype.kind == "f":
        axis = args[1] if rule.name == "nanmedian" and len(args) > 1 else named.get("axis")
        if not (axis is None or (type(axis) is int and -args[0].ndim <= axis < args[0].ndim)):
            return False
        if bool(np.isnan(args[0]).all(axis=axis).any()):
            return False  # the original warns of each row without a number
    return not rule.finite or args[0].dtype.kind != "f" or not bool(np.isinf(args[0]).any())


def _instead(rule: _Rule, original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that calls ordo if it takes the arguments, else the original."""
    import ordo

    ours = getattr(ordo, rule.ours)
    omits = {"nan_policy": "omit"} if rule.name.startswith("nan") else {}

    @functools.wraps(original)
    def call(*args: Any, **named: Any) -> Any:
        if getattr(_inside, "call", False) or not _takes(rule, args, named):
            return original(*args, **named)
        begun = time.perf_counter()
        _inside.call = True
        try:
            result = ours(*args, **named, **omits)
        except Exception:  # the original has its own errors
            return original(*args, **named)
        finally:
            _inside.call = False
        if rule.name == "rankdata":  # integers or floats, by the version of SciPy
            method = args[1] if len(args) > 1 else named.get("method", "average")
            result = result.astype(original(np.zeros(1), method).dtype, copy=False)
        _count(f"{rule.module.split('._')[0]}.{rule.name}", args[0].size, begun)
        return result

    return call


def _replace(place: Any, name: str, new: Any) -> None:
    _replaced.append((place, name, place.__dict__.get(name)))
    setattr(place, name, new)


def _apply(rules: list[_Rule]) -> None:
    for rule in rules if _active else []:
        place = sys.modules.get(rule.module)
        original = getattr(place, rule.name, None)
        if original is not None:
            _replace(place, rule.name, _instead(rule, original))


# ---- pandas ------------------------------------------------------------------------------------

_TIES: dict[str, _lib.Ties] = {
    "average": "average", "min": "min", "max": "max", "first": "ordinal", "dense": "dense"
}  # fmt: skip


def _pandas_rank(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns Series.rank by ordo."""
    import pandas as pd

    import ordo

    @functools.wraps(original)
    def rank(
        self: Any,
        axis: Any = 0,
        method: str = "average",
        numeric_only: bool = False,
        na_option: str = "keep",
        ascending: bool = True,
        pct: bool = False,
    ) -> Any:
        plain = type(self) is pd.Series and isinstance(self.dtype, np.dtype) and self.size >= LEAST
        usual = axis == 0 and na_option == "keep" and ascending and not pct and method in _TIES
        if plain and usual and self.dtype.char in _INTEGERS + "fd":
            begun = time.perf_counter()
            ranks = ordo.rankdata(self.to_numpy(), _TIES[method], nan_policy="omit")
            made = pd.Series(ranks.astype(float), index=self.index, name=self.name)
            _count("pandas.Series.rank", self.size, begun)
            return made.__finalize__(self, method="rank")
        return original(self, axis, method, numeric_only, na_option, ascending, pct)

    return rank


def _apply_pandas() -> None:
    if _active:
        import pandas as pd

        _replace(pd.Series, "rank", _pandas_rank(pd.Series.rank))


# ---- The switch --------------------------------------------------------------------------------


def _has_table() -> bool:
    return (2, 0) <= tuple(int(part) for part in np.__version__.split(".")[:2]) < (2, 5)


def patch() -> None:
    """Lets NumPy, SciPy and pandas use ordo, in this process, until `unpatch`.

    Libraries that are imported later are patched at the end of their import. Names that a module
    has taken before (`from numpy import median`) keep the original function.

    Returns
    -------
    None.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.patch()
    >>> np.median(np.arange(100_000.0))
    np.float64(49999.5)
    >>> ordo.unpatch()
    """
    global _active
    if _active:
        return
    _active = True
    hooked = _has_table() and ext.hook_sorts(SORT_LEAST, LEAST)
    by_table = ("sort", "argsort") if hooked else ()
    rules = [rule for rule in _RULES if rule.module != "numpy" or rule.name not in by_table]
    for library in ("numpy", "scipy.stats"):
        own = [rule for rule in rules if rule.module.startswith(library)]
        after_import(library, functools.partial(_apply, own))
    after_import("pandas", _apply_pandas)


def unpatch() -> None:
    """Gives NumPy, SciPy and pandas the functions back that `patch` replaced.

    Returns
    -------
    None.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.patch()
    >>> ordo.unpatch()
    >>> np.median(np.array([3.0, 1.0, 2.0]))
    np.float64(2.0)
    """
    global _active
    _active = False
    ext.unhook_sorts()
    while _replaced:
        place, name, original = _replaced.pop()
        if original is None:  # it was inherited
            delattr(place, name)
        else:
            setattr(place, name, original)


@contextlib.contextmanager
def patched() -> Iterator[None]:
    """Calls `patch` for the time of a ``with`` block. A block in another one changes nothing.

    Returns
    -------
    A context manager.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> with ordo.patched():
    ...     order = np.argsort(np.arange(100_000.0)[::-1])
    >>> order[:3]
    array([99999, 99998, 99997])
    """
    if _active:
        yield
        return
    patch()
    try:
        yield
    finally:
        unpatch()


def stats() -> str:
    """Returns a table of the calls that ordo has done for others."""
    rows = {"sorts of NumPy": list(ext.sorts_hooked()), **_done}
    lines = [f"{'taken over':28}{'calls':>9}{'elements':>15}{'seconds':>10}"]
    for name, (calls, elements, seconds) in rows.items():
        if calls:
            lines.append(f"{name:28}{calls:>9}{elements:>15}{seconds:>10.3f}")
    return "\n".join(lines) if len(lines) > 1 else "ordo has taken over no call"
