"""Groups by several keys: the rows of key columns, numbered in their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import HOST, Rows, is_text, place_of
from .._inputs.series import column_of, columns_of, is_frame
from .columns import lexrank


def _taken(part: Any, index: Any) -> Any:
    column = column_of(part)
    if column is not None:
        return column.take(index)
    if hasattr(part, "to_pylist"):  # pyarrow makes no array of a dictionary without values
        return np.array(part.to_pylist(), object)[index]
    return np.asarray(part)[index]


class _Rows:
    """The distinct rows of several key columns; elements are tuples with a part of each column."""

    def __init__(self, columns: list, first: Any) -> None:
        self._columns, self._first = columns, first

    def __getitem__(self, numbers: Any) -> tuple:
        return tuple(_taken(part, self._first[numbers]) for part in self._columns)


def key_columns(groups: Any) -> list | None:
    """Returns the key columns if there are several: a data frame, or a list or tuple of columns."""
    if is_frame(groups):
        return columns_of(groups)
    if type(groups) not in (list, tuple) or not groups:
        return None
    if any(isinstance(part, (str, bytes)) or not hasattr(part, "__len__") for part in groups):
        return None
    return list(groups) if np.ndim(groups[0]) == 1 else None


def _missing_in(column: Any) -> Any:
    """Returns for each element whether it is missing, or None."""
    place, array = place_of(column)
    if place is HOST and is_text(array):
        from .. import _strings

        return _strings.text_of(array).missing
    rows = Rows(place, array, None)
    return rows.is_nan(rows.keys) if rows.may_have_nan else None


def numbered_rows(columns: list) -> tuple[Any, Any, Any]:
    """Returns the distinct rows of key columns in order, the first column most important, the
    number of each row in them, and a mask of rows with a missing part."""
    codes = lexrank(columns[::-1], "dense") - 1
    first = np.empty(int(codes.max()) + 1 if codes.size else 0, np.int64)
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    missing = np.zeros(codes.size, bool)
    for part in map(_missing_in, columns):
        missing |= False if part is None else part
    return _Rows(columns, first), codes, missing
