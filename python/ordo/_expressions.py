"""Expressions of polars: ``pl.col("x").ordo.rank()``.

They run in libordo_polars.so, a plugin of polars, without Python. Results, NaN and nulls are those
of the methods of polars with the same names. Tied rows keep their order.
"""

from __future__ import annotations

from typing import Any

_RANKS = ("average", "min", "max", "dense", "ordinal")
_INTERPOLATIONS = ("nearest", "higher", "lower", "midpoint", "linear", "equiprobable")


def plugin() -> str:
    """Returns the path of the plugin: beside the library."""
    from . import _lib, _workers

    path = _lib.beside("libordo_polars.so", "`pip install .` and `make` build it")
    _workers.add_door(path)
    return path


def _one_of(name: str, value: str, names: tuple[str, ...]) -> str:
    if value not in names:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(names)}")
    return value


def _integer(value: Any, name: str) -> int:
    from ._check import integer

    return integer(value, name)


def _flag(value: Any, name: str) -> bool:
    from ._check import flag

    return flag(value, name)


class ExpressionMethods:
    """Rank, argsort, top_k, median, quantile and rolling_median of an expression of polars.

    >>> import pytest; pl = pytest.importorskip("polars")
    >>> import ordo
    >>> frame = pl.DataFrame({"team": ["a", "a", "b"], "x": [3, 1, 2]})
    >>> frame.select(pl.col("x").ordo.rank("min").over("team"))["x"].to_list()
    [2, 1, 1]
    """

    def __init__(self, expression: Any) -> None:
        self._expression = expression

    def _call(self, name: str, options: dict[str, Any], **shape: bool) -> Any:
        from polars.plugins import register_plugin_function

        return register_plugin_function(
            plugin_path=plugin(),
            function_name=name,
            args=[self._expression],
            kwargs=options,
            use_abs_path=True,
            **shape,
        )

    def rank(self, method: str = "average", *, descending: bool = False) -> Any:
        """Returns the rank of each row, as f64 for "average"; that of null is null."""
        method = _one_of("method", method, _RANKS)
        options = {
            "method": method,
            "descending": _flag(descending, "descending"),
            "wide": _is_wide(),
        }
        return self._call("rank", options)

    def argsort(self, *, descending: bool = False, nulls_last: bool = False) -> Any:
        """Returns the numbers of the rows in order."""
        options = {
            "descending": _flag(descending, "descending"),
            "nulls_last": _flag(nulls_last, "nulls_last"),
        }
        return self._call("argsort", {**options, "wide": _is_wide()})

    arg_sort = argsort

    def top_k(self, k: int = 5, *, largest: bool = True) -> Any:
        """Returns the `k` largest (or smallest) elements in order; nulls only if others lack."""
        options = {"k": _integer(k, "k"), "descending": _flag(largest, "largest")}
        return self._call("top_k", options, changes_length=True)

    def median(self) -> Any:
        """Returns the median of the elements that are not null."""
        return self._call("median", {}, returns_scalar=True)

    def quantile(self, quantile: float, interpolation: str = "nearest") -> Any:
        """Returns a quantile of the elements that are not null."""
        interpolation = _one_of("interpolation", interpolation, _INTERPOLATIONS)
        options = {"q": float(quantile), "method": interpolation}
        return self._call("quantile", options, returns_scalar=True)

    def rolling_median(
        self, window_size: int, *, min_samples: int | None = None, center: bool = False
    ) -> Any:
        """Returns the median of each window; null with fewer than `min_samples` elements."""
        least = window_size if min_samples is None else min_samples
        options = {
            "window": _integer(window_size, "window_size"),
            "least": _integer(least, "min_samples"),
            "center": _flag(center, "center"),
        }
        return self._call("rolling_median", options)


def _is_wide() -> bool:
    import polars

    return polars.get_index_type() == polars.UInt64
