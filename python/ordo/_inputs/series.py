"""Columns in, columns out: pandas Series, Index and arrays, polars Series, pyarrow, xarray.

A function whose result is elements of a column takes them from the column by their positions, so
the dtype, the nulls and the labels are kept. A function that returns a number for each element
makes a column with the same index and name, and nulls where the elements are null. Positions are
always NumPy arrays. This file imports none of the libraries: an object of a library exists only if
the library is imported.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

_TEXTS = ("string", "binary", "large_", "fixed_size_binary", "dictionary", "extension")


class Column:
    """A column of one of the libraries."""

    __slots__ = ("source",)

    def __init__(self, source: Any) -> None:
        self.source = source

    def take(self, index: Any) -> Any:
        """Returns the elements at the positions `index`, an array of at most one dimension."""
        taken = rows_of(self.source, np.atleast_1d(index))
        if np.ndim(index):
            return taken
        return taken.iloc[0] if hasattr(taken, "iloc") else taken[0]

    def like(self, values: Any, windows: bool = False) -> Any:
        """Returns a number for each element as a column with the same index and name.

        A null has the number null. With `windows` the numbers are of moving windows: NaN, the
        result of a window without enough elements, is null in libraries that have nulls.
        """
        source = self.source
        if is_instance(source, "polars", "Series"):
            made = sys.modules["polars"].Series(source.name, values)
            if windows:
                return made.fill_nan(None)
            return made.set(source.is_null(), None) if source.null_count() else made
        if _is_arrow(source):
            nulls = np.isnan(values) if windows else np.asarray(source.is_null())
            arrow = sys.modules["pyarrow"]
            made = arrow.array(values, mask=nulls if nulls.any() else None)
            return arrow.chunked_array([made]) if hasattr(source, "chunks") else made
        if is_instance(source, "xarray", "DataArray"):
            return source.copy(data=values)
        if not is_instance(source, "pandas", "Series"):
            return values
        made = sys.modules["pandas"].Series(values, index=source.index, name=source.name)
        zone = getattr(source.dtype, "tz", None)
        if zone is not None and values.dtype.kind == "M":
            return made.dt.tz_localize("UTC").dt.tz_convert(zone)
        return made


def is_instance(a: Any, library: str, *names: str) -> bool:
    """Returns whether `a` is of one of these classes of a library, if that is imported."""
    module = sys.modules.get(library)
    kinds = tuple(getattr(module, name) for name in names if hasattr(module, name))
    return bool(kinds) and isinstance(a, kinds)


def _is_extension_array(a: Any) -> bool:
    api = getattr(sys.modules.get("pandas"), "api", None)
    kinds = getattr(getattr(api, "extensions", None), "ExtensionArray", ())
    return isinstance(a, kinds)


def _is_arrow(a: Any) -> bool:
    return is_instance(a, "pyarrow", "Array", "ChunkedArray")


def column_of(a: Any) -> Column | None:
    """Returns a Column if elements of `a` are taken from it, else None.

    Arrow strings are read and written by `_inputs.arrow`: pyarrow cannot take from all of them.
    """
    if is_instance(a, "xarray", "DataArray") and a.ndim != 1:
        return None
    if _is_arrow(a) and str(a.type).startswith(_TEXTS):
        return None
    return labelled(a)


def labelled(a: Any) -> Column | None:
    """Returns a Column if numbers for each element of `a` are a column or have labels."""
    if type(a) in (np.ndarray, list, tuple):
        return None
    found = (
        is_instance(a, "pandas", "Series", "Index")
        or _is_extension_array(a)
        or is_instance(a, "polars", "Series")
        or _is_arrow(a)
        or is_instance(a, "xarray", "DataArray")
    )
    return Column(a) if found else None


def nan_policy_of(a: Any, nan_policy: Any) -> Any:
    """Returns the NaN policy of a call: if none is given, that of pandas or that of NumPy."""
    if nan_policy is not None:
        return nan_policy
    return "omit" if skips_missing(a) else "propagate"


def skips_missing(a: Any) -> bool:
    """Returns whether `a` is an object of a library whose functions skip missing values."""
    if type(a) in (np.ndarray, list, tuple):
        return False
    if labelled(a) is not None:
        return True
    from .pandas import is_extension

    return is_extension(a)


def is_frame(a: Any) -> bool:
    """Returns whether `a` is a table of pandas, polars or pyarrow."""
    if type(a) in (np.ndarray, list, tuple):
        return False
    return (
        is_instance(a, "pandas", "DataFrame")
        or is_instance(a, "polars", "DataFrame")
        or is_instance(a, "pyarrow", "Table", "RecordBatch")
    )


def names_of(frame: Any) -> list:
    """Returns the names of the columns of a table."""
    arrow = is_instance(frame, "pyarrow", "Table", "RecordBatch")
    return list(frame.schema.names if arrow else frame.columns)


def listed(names: list) -> str:
    """Returns the names of columns as a part of a message."""
    few = ", ".join(map(repr, names[:20]))
    return f"{few}, ... ({len(names)} columns)" if len(names) > 20 else few or "no columns"


def column_named(frame: Any, name: Any) -> Any:
    """Returns a column of a table. KeyError: no column has this name."""
    names = names_of(frame)
    count = names.count(name)
    if count == 0:
        raise KeyError(f"by is {name!r}; expected one of {listed(names)}")
    if count > 1:
        raise ValueError(f"by is {name!r}, the name of {count} columns; expected one column")
    return frame[name]


def columns_of(frame: Any) -> list:
    """Returns the columns of a table."""
    if hasattr(frame, "iloc"):
        return [frame.iloc[:, i] for i in range(frame.shape[1])]
    return frame.get_columns() if hasattr(frame, "get_columns") else list(frame.columns)


def rows_of(a: Any, index: Any) -> Any:
    """Returns the rows or elements of a table or column at the positions `index`."""
    if hasattr(a, "iloc"):
        return a.iloc[index]
    if is_instance(a, "polars", "Series", "DataFrame"):
        return a[index]
    if is_instance(a, "xarray", "DataArray"):
        return a.isel({a.dims[0]: index})
    return a.take(index)
