"""pandas objects with extension dtypes: Series, Index and arrays.

Categoricals are decoded to their values. Masked integers, floats and bools become numbers with
NaNs. Sparse arrays become dense. Strings and Arrow-backed dtypes are read as Arrow arrays. Periods
and intervals raise a TypeError. This file does not import pandas: a
pandas object exists only if pandas is imported.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import arrow
from .text import Text, text_of

_INSTEAD = {
    "PeriodDtype": "a.astype('int64')",
    "IntervalDtype": "one of its ends, for example a.array.left",
}


def is_extension(a: Any) -> bool:
    """Returns whether `a` is a pandas object of one dimension with an extension dtype."""
    pandas = sys.modules.get("pandas")
    api = getattr(getattr(pandas, "api", None), "extensions", None)
    return api is not None and isinstance(getattr(a, "dtype", None), api.ExtensionDtype)


def to_numpy(a: Any, compare: bool = True) -> Any:
    """Returns the elements as a NumPy array (missing numbers as NaNs) or as a Text.

    With `compare`, ordered categories raise a TypeError unless their order is that of the values.
    """
    kind = type(a.dtype).__name__
    if kind in _INSTEAD:
        raise TypeError(
            f"the elements have dtype {a.dtype}; expected numbers or strings; pass {_INSTEAD[kind]}"
        )
    if kind == "DatetimeTZDtype":  # the elements in UTC
        return np.asarray(a, f"M8[{a.dtype.unit}]")
    if kind == "CategoricalDtype":
        return _categorical(a, compare)
    if kind in ("ArrowDtype", "StringDtype"):
        return _arrow_backed(a, compare)
    wanted = getattr(a.dtype, "numpy_dtype", None)
    if isinstance(wanted, np.dtype) and wanted.kind in "biuf":
        missing = np.asarray(a.isna())
        if not missing.any():
            return a.to_numpy(wanted)
        return arrow.with_nans(a.to_numpy(wanted, na_value=wanted.type(0)), missing)
    return np.asarray(a)


def _categorical(a: Any, compare: bool) -> Any:
    categories = a.dtype.categories
    categories = to_numpy(categories) if is_extension(categories) else np.asarray(categories)
    if categories.dtype.kind in "SUOT":
        categories = text_of(categories)
    if compare and a.dtype.ordered:
        arrow.check_ascending(categories)
    codes = np.asarray(getattr(a, "array", a).codes)
    missing = codes < 0
    if not isinstance(categories, Text):
        values, missing = arrow.decode(codes, missing, categories, None)
        return values if missing is None else arrow.with_nans(values, missing)
    strings = (categories.data, categories.offsets)
    values, missing = arrow.decode(codes, missing, strings, categories.missing)
    return Text(values[0], values[1], a, missing)


def _arrow_backed(a: Any, compare: bool) -> Any:
    if hasattr(a, "__arrow_c_stream__"):
        try:
            return arrow.to_numpy(a, None, compare)
        except ImportError:  # pandas needs pyarrow for this method, even for Python strings
            return np.asarray(a)
    within = getattr(a, "array", a)
    if "pyarrow" in sys.modules and hasattr(within, "__arrow_array__"):
        return arrow.to_numpy(within.__arrow_array__(), a, compare)
    return np.asarray(a)
