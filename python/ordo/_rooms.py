"""Memory of large result arrays, kept for the next results.

glibc maps an allocation of more than 32 MiB and unmaps it when it is freed, so the kernel clears
the pages of every such array again, which takes longer than a copy. ``empty`` returns an array
whose base is a ``Room`` of the extension module. When nothing refers to the room any more, its
memory is kept for the next array: at most that of two rooms. The kernel may take the kept pages at
any time (MADV_FREE), so other uses can have them. Their addresses stay in use and count against
RLIMIT_AS and a strict limit on overcommitted memory. `empty` unmaps them if it finds no memory.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ._lib import ext

_LEAST = 1 << 25  # bytes of an array; glibc keeps the memory of smaller ones
_MOST = 1 << 30
_FEW = _LEAST // 16  # elements of a small array, as no element has more than 16 bytes


def empty(shape: Any, dtype: Any) -> Any:
    """Returns an array of any contents, as `numpy.empty` does."""
    sizes = shape if isinstance(shape, (tuple, list)) else (operator.index(shape),)
    count = math.prod(sizes)
    if count < _FEW:
        return np.empty(shape, dtype)
    dtype = np.dtype(dtype)
    size = count * dtype.itemsize
    if dtype.kind in "biuf" and _LEAST <= size <= _MOST:
        try:
            return np.ndarray(shape, dtype, ext.Room(size))
        except MemoryError:  # the kernel has no memory, or no huge pages
            return np.empty(shape, dtype)
    try:
        return np.empty(shape, dtype)
    except MemoryError:
        ext.free_rooms()
    return np.empty(shape, dtype)
