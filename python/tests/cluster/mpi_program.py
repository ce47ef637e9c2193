"""A program for mpiexec: ordo.mpi on every rank, compared with ordo on the whole array.

test_mpi.py runs it. Every rank makes the same global array from a seed and takes its part.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy as np

import ordo
import ordo.mpi
from ordo import _lib

world: Any = None
rank, size = 0, 1
rng = np.random.default_rng(7)
QUANTILES = [0, 0.05, 0.5, 0.77, 1]


def parts(n: int, kind: str) -> list[int]:
    """Returns where the parts of the ranks begin, and n."""
    if kind == "equal":
        return [n * r // size for r in range(size + 1)]
    if kind == "one":  # the last rank has all
        return [0] * size + [n]
    cuts = np.sort(np.random.default_rng(n).integers(0, n + 1, size - 1))
    return [0, *cuts.tolist(), n]


def gpu_libraries() -> list[Callable[[Any], Any]]:
    """Returns functions that copy a NumPy array to a GPU, one for each library with a GPU."""
    makers: list[Callable[[Any], Any]] = []
    try:
        import cupy

        if cupy.cuda.runtime.getDeviceCount() > 0:
            makers.append(cupy.asarray)
    except Exception:  # the library or its driver is missing
        pass
    try:
        import torch

        if torch.cuda.is_available():
            makers.append(lambda a: torch.as_tensor(a, device="cuda"))
    except Exception:
        pass
    return makers


def to_host(a: Any) -> Any:
    """Returns an array of any library as a NumPy array."""
    if hasattr(a, "cpu"):
        return a.cpu().numpy()
    return a.get() if hasattr(a, "get") else np.asarray(a)


def same(found, expected) -> None:
    found, expected = to_host(found), np.asarray(expected)
    assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert found.tobytes() == expected.tobytes(), (found, expected)


def check(a: np.ndarray, kind: str, down: bool, to: Callable[[Any], Any] = np.array) -> None:
    edges = parts(a.size, kind)
    mine = slice(edges[rank], edges[rank + 1])
    part = to(a[mine])
    before = to_host(part).tobytes()
    assert type(ordo.mpi.sort(part)) is type(ordo.mpi.rankdata(part)) is type(part)
    same(ordo.mpi.sort(part, descending=down), ordo.sort(a, descending=down)[mine])
    even = [a.size // size + (r < a.size % size) for r in range(size)]
    start = sum(even[:rank])
    found = ordo.mpi.sort(part, descending=down, balanced=True)
    same(found, ordo.sort(a, descending=down)[start : start + even[rank]])
    expected = ordo.argsort(a, descending=down, stable=True)[mine]
    same(ordo.mpi.argsort(part, descending=down), expected)
    for method in _lib.TIES:
        for policy in ("propagate", "omit"):
            expected = ordo.rankdata(a, method, nan_policy=policy, descending=down)[mine]
            same(ordo.mpi.rankdata(part, method, nan_policy=policy, descending=down), expected)
    k = min(5, a.size)
    found, expected = ordo.mpi.topk(part, k, largest=down), ordo.topk(a, k, largest=down)
    same(found.values, expected.values)
    same(found.indices, expected.indices)
    same(ordo.mpi.cummax(part), ordo.cummax(a)[mine])
    same(ordo.mpi.cummin(part), ordo.cummin(a)[mine])
    if a.dtype.kind != "f":
        same(ordo.mpi.cumsum(part), ordo.cumsum(a)[mine])
        same(ordo.mpi.cumsum(part, exclusive=True), ordo.cumsum(a, exclusive=True)[mine])
    assert ordo.mpi.is_sorted(part, descending=down) == ordo.is_sorted(a, descending=down)
    assert ordo.mpi.is_sorted(ordo.mpi.sort(part)) is True
    assert ordo.mpi.count_unique(part) == ordo.unique(a).size
    for policy in ("propagate", "omit"):
        for method in ("linear", "hazen", "lower"):
            expected = ordo.quantile(a.astype("f8"), QUANTILES, method=method, nan_policy=policy)
            same(ordo.mpi.quantile(part, QUANTILES, method=method, nan_policy=policy), expected)
        expected = np.float64(ordo.median(a.astype("f8"), nan_policy=policy))
        same(ordo.mpi.median(part, nan_policy=policy), expected)
    assert to_host(part).tobytes() == before, "the input changed"


def plain(values: Any) -> list:
    """Returns the strings of any array as a list."""
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(values, name):
            return getattr(values, name)()
    raise AssertionError(type(values))


def check_strings(make: Any, words: list, kind: str, down: bool) -> None:
    """All functions on strings; make(list) returns an array of one library."""
    edges = parts(len(words), kind)
    mine = slice(edges[rank], edges[rank + 1])
    part, whole = make(words[mine]), np.array(words, object)
    ordered = sorted(words, reverse=down)
    found = ordo.mpi.sort(part, descending=down)
    assert type(found) is type(part), type(found)
    assert plain(found) == ordered[mine]
    even = [len(words) // size + (r < len(words) % size) for r in range(size)]
    start = sum(even[:rank])
    found = plain(ordo.mpi.sort(part, descending=down, balanced=True))
    assert found == ordered[start : start + even[rank]]
    same(ordo.mpi.argsort(part, descending=down), ordo.argsort(whole, descending=down)[mine])
    for method in _lib.TIES:
        expected = ordo.rankdata(whole, method, descending=down)[mine]
        same(ordo.mpi.rankdata(part, method, descending=down), expected)
    top, expected = ordo.mpi.topk(part, 5, largest=down), ordo.topk(whole, 5, largest=down)
    assert plain(top.values) == plain(expected.values)
    same(top.indices, expected.indices)
    assert ordo.mpi.is_sorted(part, descending=down) == (words == ordered)
    assert ordo.mpi.is_sorted(ordo.mpi.sort(part)) is True
    assert ordo.mpi.count_unique(part) == len(set(words))
    ascending = sorted(words)
    assert ordo.mpi.median(part) == ascending[(len(words) - 1) // 2]
    found = plain(ordo.mpi.quantile(part, [0, 0.25, 1], method="lower"))
    assert found == [ascending[0], ascending[(len(words) - 1) // 4], ascending[-1]]


def check_text() -> None:
    words = ["", "a", "ab", "b", "żółw", "\U0001f40d", "abc", "z" * 50]
    words = [words[i] for i in rng.integers(0, len(words), 200)]
    ascii_words = [str(i * i % 57) + "x" * (i % 3) for i in range(150)]
    binary = [bytes([i % 5, 0, 255, 1 + i % 7]) for i in range(120)]
    makers: list[Any] = [
        lambda x: np.array(x, "U50"),
        lambda x: np.array(x, object),
        lambda x: np.array(x, f"U{max(map(len, x), default=1)}"),  # another width on each rank
    ]
    if hasattr(np.dtypes, "StringDType"):
        makers.append(lambda x: np.array(x, np.dtypes.StringDType()))
    try:
        import pyarrow

        makers.append(lambda x: pyarrow.array(x, "string"))
        makers.append(lambda x: pyarrow.chunked_array([x], "large_string"))
    except ImportError:
        pass
    try:
        import pandas

        makers.append(lambda x: pandas.Series(x, dtype="string", name="s"))
        makers.append(lambda x: pandas.array(x, dtype="string"))
    except ImportError:
        pass
    try:
        import polars

        makers.append(lambda x: polars.Series("s", x, polars.String))
    except ImportError:
        pass
    for i, make in enumerate(makers):
        check_strings(make, words, ("equal", "random", "one")[i % 3], i % 2 == 1)
        check_strings(make, ascii_words, ("random", "equal")[i % 2], i % 2 == 0)
    check_strings(lambda x: np.array(x, "S4"), binary, "random", False)
    check_strings(lambda x: np.array(x, object), binary, "equal", True)
    last = size - 1
    if size > 1:
        mixed = ["a"] if rank != last else [1.5]
        raised(TypeError, f"rank {last} has numbers", ordo.mpi.sort, mixed)
        mixed = np.array(["a" if rank != last else b"a"], object)
        raised(TypeError, "objects of types bytes, str", ordo.mpi.sort, mixed)
    raised(ValueError, "computes a mean", ordo.mpi.quantile, ["a"], 0.5)
    raised(ValueError, "k is 1000", ordo.mpi.topk, ["a"], 1000)
    bad = np.array(["a"]) if rank != last else np.array([["a"]])
    raised(ValueError, f"rank {last}: the array has 2 dimensions", ordo.mpi.sort, bad)


def raised(error: type[Exception], text: str, function, *arguments, **named) -> None:
    try:
        function(*arguments, **named)
    except error as found:
        assert text in str(found), str(found)
        return
    raise AssertionError(f"{error.__name__} was not raised")


def check_errors() -> None:
    """A mistake of one rank is an error of every rank."""
    last = size - 1
    good = np.arange(4.0)
    bad = good if rank != last else good.reshape(2, 2)
    raised(ValueError, f"rank {last}: the array has 2 dimensions", ordo.mpi.sort, bad)
    huge = good if rank != last else np.broadcast_to(good[:1], 1 << 50)
    raised(MemoryError, f"rank {last}: ", ordo.mpi.sort, huge)
    words = np.array([b"a"])
    huge = words if rank != last else np.broadcast_to(words, 1 << 50)
    raised(MemoryError, f"rank {last}: ", ordo.mpi.sort, huge)
    bad = good if rank != last else np.array(["x"])
    if size > 1:
        raised(TypeError, f"rank {last} has strings", ordo.mpi.rankdata, bad)
    raised(TypeError, "the elements are strings", ordo.mpi.cumsum, np.array(["x"]))
    other = good if rank != last else good.astype("f4")
    if size > 1:
        raised(ValueError, "another type", ordo.mpi.sort, other)
    raised(ValueError, "method is 'x'", ordo.mpi.quantile, good, 0.5, method="x")
    raised(ValueError, "q", ordo.mpi.quantile, good, 1.5)
    raised(TypeError, "masked", ordo.mpi.quantile, good, np.ma.masked_array([0.5], [True]))
    raised(ValueError, "k is 1000", ordo.mpi.topk, good, 1000)
    with_nan = good if rank != last else np.array([np.nan])
    raised(ValueError, "nan", ordo.mpi.rankdata, with_nan, nan_policy="raise")
    if size > 1:
        check_different_calls(good, last)
        check_different_calls(np.array(["b", "a"], object), last)
    raised(TypeError, "intracommunicator", ordo.mpi.sort, good, comm=3)
    same(ordo.mpi.median(good), np.float64(1.5))  # the group still works


def check_different_calls(a: np.ndarray, last: int) -> None:
    """Ranks that call different functions, or with other options, all get an error."""
    text, mine = f"rank {last} calls", rank == last
    raised(ValueError, text, ordo.mpi.median if mine else ordo.mpi.sort, a)
    raised(ValueError, text, ordo.mpi.sort, a, balanced=mine)
    raised(ValueError, text, ordo.mpi.topk, a, 1000 if mine else 1)
    raised(ValueError, text, ordo.mpi.rankdata, a, "min" if mine else "average")
    if a.dtype.kind == "f":
        raised(ValueError, text, ordo.mpi.cummax if mine else ordo.mpi.cummin, a)
        policy = "raise" if mine else "omit"
        raised(ValueError, text, ordo.mpi.quantile, a, 0.5, nan_policy=policy)


def check_other_comm() -> None:
    """Half of the ranks, in reverse order, and a communicator that is freed."""
    half = world.Split(rank % 2, -rank)
    found = ordo.mpi.sort(np.array([rank, rank + 100]), comm=half)
    members = sorted(r for r in range(size) if r % 2 == rank % 2)
    expected = np.sort([x for r in members for x in (r, r + 100)])
    at = 2 * half.Get_rank()
    same(found, expected[at : at + 2])
    half.Free()


def check_large_messages() -> None:
    """Pieces that need several messages."""
    from ordo import _mpi

    _mpi._PIECE = 1000
    check(np.round(rng.standard_normal(9000), 2), "random", False)
    _mpi._PIECE = 256 << 20


def check_gpu() -> None:
    """Parts on a GPU, on every rank and on some ranks."""
    for to in gpu_libraries():
        for dtype, kind in zip(("i1", "u1", "i2", "i4", "i8", "f4"), ("equal", "random") * 3):
            check((rng.standard_normal(900) * 30).astype(dtype), kind, dtype in ("i2", "f4"), to)
        check(np.array([np.nan, -0.0, 0.0, np.inf, 1.0, np.nan] * 50), "random", True, to)
        check(np.arange(50.0), "equal", False, to if rank != size - 1 else np.array)
        check(rng.standard_normal(300_000), "random", False, to)


def main() -> None:
    global world, rank, size
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    rank, size = world.Get_rank(), world.Get_size()
    for dtype, kind in zip(("i1", "u2", "i4", "u8", "f4"), ("equal", "random", "one") * 2):
        a = rng.standard_normal(700) * 60
        check((abs(a) if dtype[0] == "u" else a).astype(dtype), kind, dtype in ("u2", "f4"))
    for dtype in ["f2", "?", ">i4"]:
        edges = parts(90, "random")
        a = (rng.standard_normal(90) * 3).astype(dtype)
        mine = slice(edges[rank], edges[rank + 1])
        same(ordo.mpi.sort(a[mine]), ordo.sort(a)[mine])
        if dtype == "?":
            same(ordo.mpi.cumsum(a[mine]), ordo.cumsum(a)[mine])
    special = np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, 1.0, -0.0, np.nan] * 30)
    check(special, "random", True)
    check(np.full(301, 7, "u4"), "random", False)
    check_text()
    check_errors()
    check_other_comm()
    check_large_messages()
    check_gpu()
    world.Barrier()
    if rank == 0:
        print(f"passed on {size} ranks, with GPU arrays of {len(gpu_libraries())} libraries")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
