"""The accessor ``.ordo`` of pandas and polars: ``import ordo.frames`` registers it.

    >>> import pytest; pd = pytest.importorskip("pandas")
    >>> import ordo.frames
    >>> frame = pd.DataFrame({"x": [3, 1, 2], "y": ["c", "a", "b"]})
    >>> frame.ordo.sort("x")["y"].tolist()
    ['a', 'b', 'c']
    >>> frame["x"].ordo.rank("min").tolist()
    [3, 1, 2]

A method of a Series is the function of ordo with the Series as its first argument. The methods of a
data frame are below. Libraries that are not installed are ignored.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any, Callable

import ordo

from ._inputs.series import rows_of
from ._order import frame_order

_VERBS = (
    "argpartition argsort argtopk cummax cummin cumsum is_sorted median nanmedian nanpercentile "
    "nanquantile partition percentile quantile radius rank rank_sorted rankdata select sort top_k "
    "topk unique"
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


class FrameMethods:
    """Sorts and ranks of a data frame."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def sort(self, by: Any, *, descending: Any = False) -> Any:
        """Returns the rows in the order of one or several columns; see `ordo.sort`."""
        return ordo.sort(self._frame, by=by, descending=descending)

    def argsort(self, by: Any, *, descending: Any = False) -> Any:
        """Returns the positions of the rows in the order of one or several columns."""
        return frame_order(self._frame, by, descending)

    def topk(self, k: int, by: Any, *, largest: bool = True) -> Any:
        """Returns the `k` rows with the largest (or smallest) elements of a column, in order."""
        return rows_of(self._frame, ordo.argtopk(self._frame[by], k, largest=largest))

    def rank(self, method: Any = "average", **options: Any) -> Any:
        """Returns a data frame with the ranks within every column; see `ordo.rankdata`."""
        frame = self._frame
        ranks = {name: ordo.rankdata(frame[name], method, **options) for name in frame.columns}
        return type(frame)(ranks)


def _register() -> None:
    for name, place, suffix in (
        ("pandas", "api.extensions", "accessor"),
        ("polars", "api", "namespace"),
    ):
        try:
            module = import_module(f"{name}.{place}")
        except ImportError:
            continue
        getattr(module, f"register_series_{suffix}")("ordo")(SeriesMethods)
        getattr(module, f"register_dataframe_{suffix}")("ordo")(FrameMethods)


_register()
