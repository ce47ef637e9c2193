"""Medians from the two middle elements, computed by NumPy with the bytes of the library."""

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
