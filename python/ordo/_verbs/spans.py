"""Moving windows within groups, and windows of a span of time: which elements a window holds.

The elements are brought into the order of their groups, so that each group is a segment of one call
of the library. A window of a span of time begins at the first element that is younger than the last
one by less than the span, as `rolling("7D")` of pandas has it.
"""

from __future__ import annotations

import datetime
import re
from typing import Any, NamedTuple

import numpy as np

from .._arrays import HOST, Rows, numbers_of
from .columns import one_row, same_length

_UNITS: dict[str, Any] = {name: name for name in ("W", "D", "h", "s", "ms", "us", "ns")}
_UNITS.update({"d": "D", "H": "h", "min": "m", "T": "m", "S": "s"})
_SPAN = re.compile(r"\s*(\d*)\s*([A-Za-z]+)\s*")
_LONGEST = 1 << 62  # nanoseconds, 146 years


class Parts(NamedTuple):
    """The elements in the order of their groups, and their windows."""

    rows: Rows
    window: int  # elements, at least those of the longest window
    offsets: Any  # where the groups begin, and their end
    first: Any  # the first element of each window, from the beginning of the group; or None
    center: bool
    order: Any  # the element of the caller at each place; None: as they are
    given: int  # elements of the caller

    def spread(self, found: Any) -> Any:
        """Returns results in the order of the caller; NaN for elements without a group."""
        if self.order is None:
            return found
        result = np.full(self.given, np.nan)
        result[self.order] = found
        return result


def span_of(window: Any) -> Any:
    """Returns a span of time as a numpy.timedelta64; None if `window` is none."""
    if isinstance(window, int):
        return None
    if isinstance(window, str):
        match = _SPAN.fullmatch(window)
        if match is None or match[2] not in _UNITS:
            raise ValueError(
                f"window is {window!r}; expected a number of elements or a span of time such as "
                "'7D', '12h', '30min' or '90s'"
            )
        return _checked(window, int(match[1] or 1), _UNITS[match[2]])
    if hasattr(window, "to_timedelta64"):  # pandas.Timedelta, also of nanoseconds
        window = window.to_timedelta64()
    elif isinstance(window, datetime.timedelta):
        window = np.timedelta64(window)
    if isinstance(window, np.timedelta64):
        unit, count = np.datetime_data(window)
        return _checked(window, int(window.view(np.int64)) * count, unit)
    if hasattr(window, "rule_code"):  # an offset of pandas; ValueError: it has no fixed length
        return _checked(window, int(window.nanos), "ns")
    return None


def _checked(window: Any, count: int, unit: Any) -> Any:
    """Returns `count` units of time. ValueError: it has no length, or one of centuries."""
    if unit not in _UNITS.values():
        raise ValueError(f"window is {window!r}; expected a span in units from weeks to ns")
    if not 0 < count * int(np.timedelta64(1, unit) / np.timedelta64(1, "ns")) < _LONGEST:
        raise ValueError(f"window is {window!r}; expected a span above 0 and below 146 years")
    return np.timedelta64(count, unit)


def moving_parts(array: tuple, window: Any, groups: Any, times: Any, center: bool) -> Parts:
    """Returns the windows of a host array of one dimension."""
    rows, span = one_row(array[1], "a"), span_of(window)
    if array[0] is not HOST:
        raise TypeError("windows in groups or of a span of time are for arrays in host memory")
    if span is None and times is not None:
        raise TypeError(f"window is {window!r}; expected a span of time such as '7D', with `times`")
    if span is not None and center:
        raise ValueError("center is for windows of a number of elements")
    order, offsets = None, np.array([0, rows.n], np.uint64)
    if groups is not None:
        order, offsets = _by_group(groups, rows.n)
        rows = Rows(HOST, array[1][order], None)
    given = len(array[1])
    if span is None:
        from .._check import integer

        length = integer(window, "window")
        if not 1 <= length < 2**64:
            raise ValueError(f"window is {length}; expected at least 1 and less than 2^64")
        return Parts(rows, length, offsets, None, center, order, given)
    first = _first_of(_times_of(times, given, order), span, offsets)
    longest = int((np.arange(rows.n, dtype=np.int64) - _begins(offsets) - first).max(initial=0)) + 1
    return Parts(rows, longest, offsets, first.astype(np.uintp), center, order, given)


def _by_group(groups: Any, n: int) -> tuple[Any, Any]:
    """Returns the elements in the order of their groups, and where the groups begin."""
    from .groups import Call, _rows_by_group

    call = Call(groups, True)
    same_length(n, call.given, "groups")
    order = call.numbered(_rows_by_group(call, None, False))
    offsets = np.zeros(call.count + 1, np.uint64)
    np.cumsum(call.sizes[: call.count], out=offsets[1:])
    return order, offsets


def _begins(offsets: Any) -> Any:
    """Returns for each place where its group begins."""
    return np.repeat(offsets[:-1].astype(np.int64), np.diff(offsets).astype(np.int64))


def _times_of(times: Any, n: int, order: Any) -> Any:
    if times is None:
        raise TypeError("a window of a span of time needs `times`, or a Series with times as index")
    try:
        place, found = numbers_of(times)
    except TypeError as error:
        raise TypeError(f"times: {error}") from error
    if place is not HOST or found.dtype.kind != "M" or found.ndim != 1:
        raise TypeError(f"times have dtype {found.dtype}; expected datetime64 of one dimension")
    same_length(n, found.size, "times")
    if np.isnat(found).any():
        raise ValueError("times have a NaT; expected none")
    return found if order is None else found[order]


def _first_of(times: Any, span: Any, offsets: Any) -> Any:
    """Returns the first element of each window, from the beginning of its group."""
    low = times - span
    fine = times.astype(low.dtype)
    last, low = fine.view(np.int64), low.view(np.int64)
    if (fine.astype(times.dtype) != times).any() or (low >= last).any():
        raise ValueError(
            f"times of dtype {fine.dtype} do not hold the beginning of a window of {span}; "
            "expected times of a coarser unit, or closer to 1970"
        )
    begins = _begins(offsets)
    falls = (np.diff(last) < 0) & (np.diff(begins) == 0)
    if falls.any():
        raise ValueError(
            f"times fall at place {int(np.flatnonzero(falls)[0]) + 1}; expected them in ascending "
            "order (within each group)"
        )
    first = np.empty(last.size, np.int64)
    for begin, end in zip(offsets[:-1].astype(np.int64), offsets[1:].astype(np.int64)):
        first[begin:end] = np.searchsorted(last[begin:end], low[begin:end], "right")
    return first
