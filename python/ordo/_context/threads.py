"""Loops of NumPy on several threads: NumPy releases the GIL inside its loops."""

from __future__ import annotations

import threading
from typing import Any, Callable

from . import _info

_SLICE = 1 << 20  # elements for each thread; the start of a thread takes 0.1 ms


def by_threads(
    work: Callable[[int, int], Any], n: int, least: int | None = None
) -> list[tuple[int, Any]]:
    """Returns (lo, work(lo, hi)) for slices of n elements, in order.

    Every slice has at least `least` elements, or as many as pay for a thread in a loop of simple
    operations. Uses at most the threads of the library. If the system cannot start a thread, the
    calling thread does the rest of the work.
    """
    slices = max(1, n // (least or _SLICE))
    if slices > 1:
        slices = min(slices, _info().threads)
    edges = [n * i // slices for i in range(slices + 1)]
    waiting = list(zip(edges[:-1], edges[1:]))
    results: list[tuple[int, Any]] = []
    errors: list[BaseException] = []

    def take() -> None:
        while not errors:
            try:
                lo, hi = waiting.pop()
            except IndexError:  # all slices are taken
                return
            try:
                results.append((lo, work(lo, hi)))
            except BaseException as error:
                errors.append(error)

    helpers = [threading.Thread(target=take) for _ in range(slices - 1)]
    started = []
    try:
        for helper in helpers:
            helper.start()
            started.append(helper)
    except RuntimeError:
        pass
    take()
    for helper in started:
        helper.join()
    if errors:
        raise errors[0]
    return sorted(results, key=lambda result: result[0])
