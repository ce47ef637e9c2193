"""One short row, where NumPy is faster than a call of the library.

A call of the library costs 1 to 5 microseconds. The results are the same bytes as those of the
library. ``python -m ordo.bench overhead`` measures both.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

# Names, because Python evaluates expressions of literals at compile time.
_ONE, _LITTLE, _LEAST = 1.0, 1e-30, sys.float_info.min


def mode_is_default() -> bool:
    """Returns whether this thread rounds to nearest and keeps subnormal numbers.

    NumPy computes in the thread's floating-point mode, the library always in the default mode. In
    another mode (for example after torch.set_flush_denormal) results of NumPy may differ.
    """
    return _LEAST / 2 > 0.0 and _ONE + _LITTLE == _ONE == _ONE - _LITTLE


def _reversed(keys: Any) -> Any:
    """Returns keys whose ascending order is the descending order of `keys`; NaNs stay last."""
    return -keys if keys.dtype.kind == "f" else ~keys


def middle(pairs: Any) -> Any:
    """Returns medians from the two middle elements of each row, as ordo_median computes them."""
    below, above = pairs[..., :1], pairs[..., 1:]
    with np.errstate(invalid="ignore", over="ignore"):
        mean = (below + above) / 2
        if not np.isfinite(mean).all():
            overflow = np.isinf(mean) & np.isfinite(below) & np.isfinite(above)
            mean[overflow] = (below / 2 + above / 2)[overflow]
            mean[np.isnan(mean)] = np.nan  # the sign of inf - inf depends on the CPU
    np.copyto(mean, below, where=below == above)
    return mean


# Elements of one row up to which these functions are faster. Microseconds (here : library) of f64.
# Sapphire Rapids: topk of 10 and 64 elements 2.5 : 3.8 and 3.3 : 4.5; distinct of 10 and 24
# 3.0 : 4.9 and 5.1 : 5.2; cummin of 10, 64 and 256 1.5 : 2.9, 1.9 : 3.3 and 2.9 : 3.6. Neoverse V1:
# topk of 10 and 64 2.2 : 3.8 and 3.8 : 4.1; distinct of 10 2.5 : 5; cummin of 10 1.5 : 3.3.
TOPK = 64
DISTINCT = 16
EXTREMES = 256


def topk(a: Any, k: int, largest: bool) -> tuple[Any, Any]:
    """Returns the first k elements in order and their indices, ties by index."""
    keys = _reversed(a) if largest else a
    index = keys.argsort(kind="stable")[:k]
    return a[index], index


def distinct(a: Any) -> Any:
    """Returns the sorted distinct elements.

    Returns None if a NaN or a float zero may be among them: a set would keep either -0 or +0.
    """
    numbers = a.tolist()
    if a.dtype.kind == "f":
        total = sum(numbers)
        if total != total or 0.0 in numbers or not mode_is_default():
            return None
    return np.array(sorted(set(numbers)), a.dtype)


def extremes(a: Any, extreme: Any) -> Any:
    """Returns np.maximum or np.minimum of the elements so far.

    Returns None if a float zero or a NaN may be among the results, because NumPy mixes -0 and +0.
    The results are monotonic, so none is zero if the first and the last have the same sign.
    """
    if a.dtype.kind == "f" and not mode_is_default():
        return None
    result = extreme.accumulate(a)
    if a.dtype.kind == "f":
        first, last = result.item(0), result.item(-1)
        if not (first > 0 < last or first < 0 > last):
            return None
    return result
