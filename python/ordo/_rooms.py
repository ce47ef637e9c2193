"""Memory of large result arrays, kept for the next results.

glibc maps an allocation of more than 32 MiB and unmaps it when it is freed, so the kernel clears
the pages of every such array again, which takes longer than a copy. ``empty`` keeps the memory of
the last two arrays that nothing uses any more and returns it as a new array. The kernel may take
the kept pages at any time (MADV_FREE), so the memory is free for other uses.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import sys
from typing import Any

import numpy as np

_LEAST = 1 << 25  # bytes of an array; glibc keeps the memory of smaller ones
_MOST = 1 << 30
_FEW = _LEAST // 16  # elements of a small array, as no element has more than 16 bytes
_HUGE_PAGE = 1 << 21
_MOST_KEPT = 2  # a loop that replaces its last result uses two arrays in turn
_FREE = getattr(mmap, "MADV_FREE", None) if sys.platform == "linux" else None
_kept: list[Any] = []  # the oldest first


def _keep(memory: Any) -> None:
    memory.madvise(_FREE)
    _kept.append(memory)
    if len(_kept) > _MOST_KEPT:
        _kept.pop(0)


class _Room:
    """The owner of the memory of one array, which lives as long as the array and its views."""

    __slots__ = ("__array_interface__", "_memory")

    def __init__(self, memory: Any, shape: tuple, dtype: Any) -> None:
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self._memory = memory
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "data": (address, False),
        }

    def __del__(self) -> None:
        try:
            _keep(self._memory)
        except Exception:  # no such advice, or the interpreter ends: the memory is unmapped
            return


def _memory_of(size: int) -> Any:
    """Returns kept memory of about `size` bytes, or new memory."""
    for memory in tuple(_kept):
        if size <= len(memory) <= size + size // 4:
            try:
                _kept.remove(memory)
            except ValueError:  # another thread has taken it
                continue
            return memory
    memory = mmap.mmap(-1, -(-size // _HUGE_PAGE) * _HUGE_PAGE, mmap.MAP_PRIVATE)
    memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def empty(shape: Any, dtype: Any) -> Any:
    """Returns an array of any contents, as `numpy.empty` does."""
    sizes = (shape,) if isinstance(shape, int) else shape
    count = math.prod(sizes)
    if count < _FEW or _FREE is None:
        return np.empty(shape, dtype)
    dtype = np.dtype(dtype)
    size = count * dtype.itemsize
    if dtype.kind not in "biuf" or not _LEAST <= size <= _MOST:
        return np.empty(shape, dtype)
    try:
        return np.asarray(_Room(_memory_of(size), tuple(sizes), dtype))
    except OSError:  # the kernel has no memory, or no huge pages
        return np.empty(shape, dtype)
