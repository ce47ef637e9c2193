"""Parameters and warnings that functions have because NumPy's functions have them."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from ._check import flag

SORT_KINDS = ("quicksort", "heapsort", "mergesort", "stable")
SELECT_KINDS = ("introselect",)


def check_kind(kind: Any, order: Any, names: tuple[str, ...] = SORT_KINDS) -> None:
    """Accepts a name or the beginning of one ('q', 'Quick'); raises an error otherwise."""
    if kind is not None and kind not in names:
        if not isinstance(kind, str):
            raise TypeError(f"kind is {kind!r}; expected a str, one of {', '.join(names)}")
        if not kind or not any(name.startswith(kind.lower()) for name in names):
            raise ValueError(f"kind is {kind!r}; expected one of {', '.join(names)}")
    if order is not None:
        raise ValueError(
            f"order is {order!r}; expected None; sort one field of a structured array, a['name']"
        )


def check_stable(kind: Any, stable: Any) -> None:
    """Checks `stable`, which is not None."""
    if kind is not None:
        raise ValueError(
            "`kind` and `stable` parameters can't be provided at the same time; expected one"
        )
    flag(stable, "stable")


def into(out: Any, result: Any) -> Any:
    """Writes a result to `out` and returns `out`; returns the result if `out` is None."""
    if out is None:
        return result
    if not hasattr(out, "shape"):
        raise TypeError(f"out is a {type(out).__name__}; expected an array")
    shape = tuple(np.shape(result))
    if tuple(out.shape) != shape and (shape or tuple(out.shape) != (1,)):
        raise ValueError(f"out has shape {tuple(out.shape)}; expected {shape}, as the result")
    if isinstance(out, np.ndarray):
        np.copyto(out, result, casting="same_kind")
    else:
        out[...] = result
    return out


def warn(message: str) -> None:
    """Issues a RuntimeWarning for the line that called ordo, whatever the depth of this call."""
    level, frame = 2, sys._getframe(1)
    package = frame.f_globals["__package__"]
    while frame.f_back is not None and frame.f_back.f_globals.get("__package__") == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, RuntimeWarning, stacklevel=level + 1)


def warn_of_no_elements(rows: Any, result: Any, nan_policy: str) -> None:
    """Issues NumPy's warning if a result is NaN because its row has no elements or only NaNs."""
    if rows.count == 0:
        return
    if rows.n == 0:
        warn("Mean of empty slice")
    elif nan_policy == "omit" and rows.place.float_name(rows.dtype) and np.isnan(result).any():
        nans = rows.place.isnan(rows.keys)  # the median of -inf and inf is NaN, too
        if bool(nans.all(rows.at).any()):
            warn("All-NaN slice encountered")
