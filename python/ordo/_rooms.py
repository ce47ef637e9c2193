"""Memory of large result arrays, kept for the next results.

glibc maps an allocation of more than 32 MiB and unmaps it when it is freed, so the kernel clears
the pages of every such array again, which takes longer than a copy. ``empty`` keeps the memory of
the last two arrays that nothing uses any more and returns it as a new array. Memory is kept only if
no buffer of it is exported and nothing else refers to it: an object that finds the array in its
``__del__`` may still use it. The kernel may take the kept pages at any time (MADV_FREE), so other
uses can have them. Their addresses stay in use and count against RLIMIT_AS and a strict limit on
overcommitted memory. `empty` unmaps them if it finds no memory.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import operator
import sys
from typing import Any, Callable

import numpy as np

_LEAST = 1 << 25  # bytes of an array; glibc keeps the memory of smaller ones
_MOST = 1 << 30
_FEW = _LEAST // 16  # elements of a small array, as no element has more than 16 bytes
_HUGE_PAGE = 1 << 21
_MOST_KEPT = 2  # a loop that replaces its last result uses two arrays in turn
_USABLE = sys.platform == "linux" and sys.implementation.name == "cpython"
_FREE = getattr(mmap, "MADV_FREE", None) if _USABLE else None
_kept: list[Any] = []  # the oldest first


def _count_alone() -> int:
    """Returns the reference count of an object to which only one local variable refers."""
    memory = object()
    return sys.getrefcount(memory)


_ALONE = _count_alone() if _USABLE else 0
_COUNT: Any = getattr(sys, "getrefcount", None)


class _Keeper:
    """Keeps memory when this object is deleted, unless something can still read the memory."""

    __slots__ = ("_memory",)

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    # At exit the globals of this module may be gone before the last array.
    def __del__(
        self,
        kept: list[Any] = _kept,
        advice: Any = _FREE,
        most: int = _MOST_KEPT,
        count: Any = _COUNT,
        alone: int = _ALONE,
    ) -> None:
        memory, self._memory = self._memory, None
        if count(memory) > alone:  # the last user unmaps the memory
            return
        try:
            memory.resize(len(memory))  # BufferError: a buffer is exported
            memory.madvise(advice)
        except (BufferError, OSError):
            return
        kept.append(memory)
        del kept[:-most]


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


def _array_in(memory: Any, shape: Any, dtype: Any) -> Any:
    """Returns an array in `memory`, which is kept when the array and its views are deleted.

    The base of the array has a writable buffer, so that `setflags` can make the array writable. The
    base exports the buffer of `memory` as the first of its `_objects`. The objects are released in
    order, so the keeper is deleted after that buffer. The garbage collector may delete the keeper
    of a base in a cycle before the buffer is released. Then the memory is not kept.
    """
    base: Any = (ctypes.c_char * len(memory)).from_buffer(memory)
    base._objects["keeper"] = _Keeper(memory)
    return np.ndarray(shape, dtype, base)


def _tried_twice(make: Callable[..., Any], *args: Any) -> Any:
    """Returns make(*args). If there is no memory, unmaps what is kept and calls `make` again."""
    try:
        return make(*args)
    except (OSError, MemoryError):
        _kept.clear()
    return make(*args)


def empty(shape: Any, dtype: Any) -> Any:
    """Returns an array of any contents, as `numpy.empty` does."""
    sizes = shape if isinstance(shape, (tuple, list)) else (operator.index(shape),)
    count = math.prod(sizes)
    if count < _FEW or _FREE is None:
        return np.empty(shape, dtype)
    dtype = np.dtype(dtype)
    size = count * dtype.itemsize
    if dtype.kind not in "biuf" or not _LEAST <= size <= _MOST:
        return _tried_twice(np.empty, shape, dtype)
    try:
        memory = _tried_twice(_memory_of, size)
    except (OSError, MemoryError):  # the kernel has no memory, or no huge pages
        return np.empty(shape, dtype)
    return _array_in(memory, shape, dtype)
