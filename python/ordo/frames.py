"""The accessor ``.ordo`` of pandas and polars: ``import ordo`` registers it.

    >>> import pytest; pd = pytest.importorskip("pandas")
    >>> import ordo
    >>> frame = pd.DataFrame({"x": [3, 1, 2], "y": ["c", "a", "b"]})
    >>> frame.ordo.sort("x")["y"].tolist()
    ['a', 'b', 'c']
    >>> frame["x"].ordo.rank("min").tolist()
    [3, 1, 2]

A method of a Series is the function of ordo with the Series as its first argument. The methods of a
data frame are below, those of an expression of polars in `_expressions.py`. A library that is
imported after ordo gets its accessor at the end of that import; ordo itself imports neither.
"""

from __future__ import annotations

import functools
import sys
from importlib import import_module
from typing import Any, Callable

import ordo

from ._expressions import ExpressionMethods
from ._imports import after_import

_VERBS = (
    "argpartition argsort argtopk cummax cummin cumprod cumsum is_sorted median moving_max "
    "moving_median moving_min moving_quantile moving_rank nanmedian nanpercentile nanquantile "
    "partition percentile quantile radius rank rank_sorted rankdata searchsorted select sort "
    "top_k topk unique"
).split()


class SeriesMethods:
    """The functions of ordo as methods of a Series."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _VERBS:
            raise AttributeError(f"a Series has no method ordo.{name}")
        return functools.partial(getattr(ordo, name), self._column)

    def __dir__(self) -> list[str]:
        return _VERBS


def _for_callers(method: Callable[..., Any]) -> Any:
    """Decorates a method as `for_callers` does, without an import of it before the first call."""

    @functools.wraps(method)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        from ._inputs.callers import for_callers

        return for_callers(method)(*arguments, **named)

    return wrapped


def _of_columns(frame: Any, function: Callable[[Any], Any]) -> dict[int, Any]:
    """Returns the result for each column, by its place. TypeError: it names the column."""
    from ._inputs.series import columns_of

    results = {}
    for i, (name, column) in enumerate(zip(frame.columns, columns_of(frame))):
        try:
            results[i] = function(column)
        except TypeError as error:
            raise TypeError(f"column {name!r}: {error}") from error
    return results


class FrameMethods:
    """Sorts, ranks and quantiles of a data frame."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @_for_callers
    def sort(self, by: Any, *, descending: Any = False) -> Any:
        """Returns the rows in the order of one or several columns; see `ordo.sort`."""
        return ordo.sort(self._frame, by=by, descending=descending)

    @_for_callers
    def argsort(self, by: Any, *, descending: Any = False) -> Any:
        """Returns the positions of the rows in the order of one or several columns."""
        from ._verbs.order import frame_order

        return frame_order(self._frame, by, descending)

    @_for_callers
    def topk(self, k: int, by: Any, *, largest: bool = True) -> Any:
        """Returns the `k` rows with the largest (or smallest) elements of a column, in order."""
        from ._inputs.series import column_named, rows_of

        column = column_named(self._frame, by)
        return rows_of(self._frame, ordo.argtopk(column, k, largest=largest))

    def rank(self, method: Any = "average", **options: Any) -> Any:
        """Returns a data frame with the ranks within every column; see `ordo.rankdata`."""
        frame = self._frame
        ranks = _of_columns(frame, lambda column: ordo.rankdata(column, method, **options))
        if not hasattr(frame, "iloc"):
            return frame.select(ranks.values())
        made = type(frame)({i: column.to_numpy() for i, column in ranks.items()}, frame.index)
        made.columns = frame.columns
        return made

    def quantile(self, q: Any = 0.5, **options: Any) -> Any:
        """Returns quantiles of every column; see `ordo.quantile`.

        In pandas a Series, named `q`, or a data frame with a row for each of several q; in polars a
        data frame with a row for each q.
        """
        import numpy as np

        frame = self._frame
        found = _of_columns(frame, lambda column: ordo.quantile(column, q, **options))
        if not hasattr(frame, "iloc"):
            return type(frame)(dict(zip(frame.columns, map(np.atleast_1d, found.values()))))
        rows = np.array(list(found.values())).T
        pandas = sys.modules["pandas"]
        if np.ndim(q) == 0:
            return pandas.Series(rows, index=frame.columns, name=q)
        return pandas.DataFrame(rows.reshape(len(q), -1), index=list(q), columns=frame.columns)

    def median(self, **options: Any) -> Any:
        """Returns the median of every column; see `ordo.median`."""
        frame = self._frame
        found = _of_columns(frame, lambda column: ordo.median(column, **options))
        if not hasattr(frame, "iloc"):
            return type(frame)({name: [one] for name, one in zip(frame.columns, found.values())})
        return sys.modules["pandas"].Series(list(found.values()), index=frame.columns)


# ---- Registration ------------------------------------------------------------------------------

_PLACES = {"pandas": ("api.extensions", "accessor"), "polars": ("api", "namespace")}


def _register(name: str) -> None:
    """Adds the accessor to the classes of a library that is imported."""
    place, suffix = _PLACES[name]
    try:
        module = import_module(f"{name}.{place}")
    except ImportError:  # another module of that name
        return
    for kind, methods in (("series", SeriesMethods), ("dataframe", FrameMethods)):
        getattr(module, f"register_{kind}_{suffix}")("ordo")(methods)
    if name == "polars":
        module.register_expr_namespace("ordo")(ExpressionMethods)


for _name in _PLACES:
    after_import(_name, functools.partial(_register, _name))
