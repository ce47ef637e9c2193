"""Medians from the two middle elements, with the bytes of `numpy.median`.

The library selects the two elements. Their mean is computed here, because NumPy's median and its
quantile 0.5 round differently, and the library has one definition for both.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

# Names, because Python evaluates expressions of literals at compile time.
_ONE, _LITTLE, _LEAST = 1.0, 1e-30, sys.float_info.min

# The probabilities whose nearest elements are the two in the middle, for any number of elements: at
# 1/2 the position of n elements is (n - 1) / 2, and these two are a little below and above that.
HALVES = np.array([np.nextafter(0.5, 0), np.nextafter(0.5, 1)])


def mode_is_default() -> bool:
    """Returns whether this thread rounds to nearest and keeps subnormal numbers.

    NumPy computes in the thread's floating-point mode, the library always in the default mode. In
    another mode (for example after torch.set_flush_denormal) results of NumPy may differ.
    """
    return _LEAST / 2 > 0.0 and _ONE + _LITTLE == _ONE == _ONE - _LITTLE


@contextmanager
def _default_mode() -> Iterator[None]:
    """Sets the default floating-point mode of the C library, if it has one."""
    libm = ctypes.CDLL(None)
    if not hasattr(libm, "fesetenv"):
        yield
        return
    before = ctypes.create_string_buffer(256)  # fenv_t is smaller
    libm.fegetenv(before)
    libm.fesetenv(ctypes.c_void_p(-1))  # FE_DFL_ENV of glibc and musl
    try:
        yield
    finally:
        libm.fesetenv(before)


def middle_of(below: float, above: float) -> float:
    """Returns the mean of two floats as `numpy.median`, but finite for finite numbers."""
    if not mode_is_default():
        with _default_mode():
            return middle_of(below, above)
    mean = (below + above) / 2 + 0.0  # a zero is positive, as in NumPy
    if math.isinf(mean):
        mean = below / 2 + above / 2
    return mean if mean == mean else math.nan  # the sign of inf - inf depends on the CPU


def middle(pairs: Any, choose: Any = np.where) -> Any:
    """Returns the means of the pairs along the last axis, which stays with length 1.

    `choose` is the function `where` of the library of the array.
    """
    if not mode_is_default() and choose is np.where:
        with _default_mode():
            return middle(pairs)
    below, above = pairs[..., :1], pairs[..., 1:]
    with np.errstate(invalid="ignore", over="ignore"):
        mean = (below + above) / 2 + 0.0
        mean = choose(abs(mean) == math.inf, below / 2 + above / 2, mean)
    if choose is np.where:
        mean[np.isnan(mean)] = np.nan
    return mean
