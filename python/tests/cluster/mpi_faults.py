"""A program for mpiexec: every allocation of ordo.mpi fails once, on one rank.

test_mpi.py runs it. The profile function of Python sees each call of a function that takes memory
and raises a MemoryError instead of call number k, for k = 0, 1, ... until the verb makes fewer
calls. Every rank must raise this error, with the number of the rank that failed, and none may wait.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, Callable

import numpy as np
from mpi4py import MPI

import ordo.mpi
from ordo import _context
from ordo._places import HostPlace

PACKAGE = os.path.dirname(ordo.__file__)
TAKES_MEMORY = {
    "arange", "array", "asarray", "ascontiguousarray", "astype", "copy", "decode", "empty",
    "encode", "item", "nonzero", "tobytes", "tolist", "zeros",
}  # fmt: skip
NO_MEMORY = ("median", "is_sorted", "count_unique")  # of a contiguous array of numbers
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


class Fault:
    """A MemoryError at call number `wanted` of the functions that take memory."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.calls = 0

    @property
    def fired(self) -> bool:
        return self.calls > self.wanted

    def __call__(self, frame: Any, event: str, function: Any) -> None:
        if event != "c_call" or function.__name__ not in TAKES_MEMORY:
            return
        if frame.f_code.co_filename.startswith(PACKAGE):
            self.step()

    def step(self) -> None:
        self.calls += 1
        if self.calls == self.wanted + 1:
            raise MemoryError("the memory of the test")


fault = Fault(sys.maxsize)
isnan = HostPlace.isnan


def watched_isnan(a: Any) -> Any:
    """np.isnan is no function that the profile function sees."""
    fault.step()
    return isnan(a)


def ended(failing: int, wanted: int, call: Callable[[], Any]) -> bool:
    """Runs the call with one fault; returns whether the call ended before it."""
    global fault
    fault = Fault(wanted if rank == failing else sys.maxsize)
    said = ""
    if rank == failing:
        sys.setprofile(fault)
    try:
        call()
    except MemoryError as error:
        said = str(error)
    finally:
        sys.setprofile(None)
    fired = world.bcast(fault.fired, failing)
    if fired:
        assert said.startswith(f"rank {failing}: "), (rank, failing, wanted, said)
    else:
        assert said == "", (rank, failing, wanted, said)
    return not fired


def check(name: str, call: Callable[[], Any]) -> int:
    """Returns the number of faults."""
    faults = 0
    for failing in {0, size - 1}:
        wanted = 0
        while not ended(failing, wanted, call):
            wanted += 1
        faults += wanted
        check_context(failing, call)
    assert faults > 0 or name in NO_MEMORY, name
    return faults


def check_context(failing: int, call: Callable[[], Any]) -> None:
    """The first call of a thread makes a context; this fails on one rank."""
    make = _context._contexts

    def refuse() -> Any:
        _context._contexts = make
        raise MemoryError("the context of the test")

    if rank == failing:
        _context._local = threading.local()
        _context._contexts = refuse
    try:
        call()
    except MemoryError as error:
        assert str(error) == f"rank {failing}: the context of the test", error
    else:
        raise AssertionError("a context that cannot be made is no error")


def verbs(a: Any, numbers: bool) -> dict[str, Callable[[], Any]]:
    """Returns calls of every verb on the part `a`."""
    mpi = ordo.mpi
    calls: dict[str, Callable[[], Any]] = {
        "sort": lambda: mpi.sort(a),
        "balanced": lambda: mpi.sort(a, balanced=True),
        "argsort": lambda: mpi.argsort(a),
        "rankdata": lambda: mpi.rankdata(a, "min"),
        "quantile": lambda: mpi.quantile(a, [0.2, 0.9], method="lower"),
        "median": lambda: mpi.median(a),
        "topk": lambda: mpi.topk(a, 3),
        "is_sorted": lambda: mpi.is_sorted(a),
        "count_unique": lambda: mpi.count_unique(a),
    }
    if numbers:
        calls["omit"] = lambda: mpi.rankdata(a, nan_policy="omit")
        calls["raise"] = lambda: mpi.quantile(np.arange(5.0), 0.5, nan_policy="raise")
        calls["cumsum"] = lambda: mpi.cumsum(a)
        calls["cummax"] = lambda: mpi.cummax(a)
        calls["cummin"] = lambda: mpi.cummin(a)
    return calls


def main() -> None:
    HostPlace.isnan = staticmethod(watched_isnan)
    ordo.mpi.median(np.arange(3.0))  # makes the group and the context
    words = [str(i * i % 7) for i in range(5 + rank)]
    # Bytes in the other order are copied to and from the order of the machine.
    other = np.dtype("f8").newbyteorder("S")
    parts = [
        np.array([3.0, np.nan, 1.0, rank]),
        np.arange(4 + rank, dtype=other),
        np.arange(9)[::2],
        np.array(words, "S2"),
        np.array(words, "U3"),
        np.array(words, object),
    ]
    faults = 0
    for part in parts:
        for name, call in verbs(part, part.dtype.kind in "fi").items():
            faults += check(name, call)
    if rank == 0:
        print(f"passed on {size} ranks with {faults} faults")


def run() -> None:
    """Ends all ranks if one of them finds a mistake."""
    try:
        main()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        world.Abort(1)


if __name__ == "__main__":
    run()
