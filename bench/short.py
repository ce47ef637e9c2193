"""Measures calls of ordo on short arrays beside NumPy, SciPy and bottleneck, from Python.

Each row is a function, a type and a number of elements: microseconds of CPU time of the thread for
one call of ordo and of the fastest other library, and how many times faster ordo is. `same` calls
with one array again and again, whose comparisons the branch predictor learns; `turns` calls with
arrays that take turns. The libraries take turns after a round of calls, and the least time of all
rounds counts. ordo runs on one thread. The last line counts the rows of each kind.

    python bench/short.py                                      every function
    python bench/short.py --functions partition -n 1000 --rounds 200
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import platform
import time
from typing import Any, Callable

import numpy as np

import ordo

LEVEL = 0.97  # from this ratio to 1 / LEVEL, ordo and another library are level
ROUND = 2e-4  # seconds of calls between two looks at the clock
TYPES = "f8 f4 i8 i4 u1".split()
Call = Callable[[Any], Any]


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def functions(n: int, ordered: Any) -> dict[str, tuple[Call, dict[str, Call]]]:
    """Returns the call of ordo and those of other libraries by their names, for each function."""
    k, few = n // 2, min(n, 10)
    stats, bottleneck = optional("scipy.stats"), optional("bottleneck")
    found: dict[str, tuple[Call, dict[str, Call]]] = {
        "sort": (ordo.sort, {"numpy": np.sort}),
        "argsort": (ordo.argsort, {"numpy": np.argsort}),
        "rankdata": (ordo.rankdata, {"scipy": stats.rankdata} if stats else {}),
        "median": (ordo.median, {"numpy": np.median}),
        "nanmedian": (ordo.nanmedian, {"numpy": np.nanmedian}),
        "quantile": (lambda a: ordo.quantile(a, 0.9), {"numpy": lambda a: np.quantile(a, 0.9)}),
        "select": (lambda a: ordo.select(a, k), {"numpy": lambda a: np.partition(a, k)[k]}),
        "partition": (lambda a: ordo.partition(a, k), {"numpy": lambda a: np.partition(a, k)}),
        "argpartition": (
            lambda a: ordo.argpartition(a, k),
            {"numpy": lambda a: np.argpartition(a, k)},
        ),
        "topk": (lambda a: ordo.topk(a, few), {"numpy": lambda a: np.argpartition(a, n - few)}),
        "unique": (ordo.unique, {"numpy": np.unique}),
        "searchsorted": (
            lambda a: ordo.searchsorted(ordered, a),
            {"numpy": lambda a: np.searchsorted(ordered, a)},
        ),
        "cumsum": (ordo.cumsum, {"numpy": np.cumsum}),
        "cumprod": (ordo.cumprod, {"numpy": np.cumprod}),
        "cummax": (ordo.cummax, {"numpy": np.maximum.accumulate}),
        "is_sorted": (
            lambda a: ordo.is_sorted(ordered),
            {"numpy": lambda a: (ordered[1:] >= ordered[:-1]).all()},
        ),
    }
    if bottleneck:
        for name in ("rankdata", "median", "nanmedian"):
            found[name][1]["bottleneck"] = getattr(bottleneck, name)
        found["partition"][1]["bottleneck"] = lambda a: bottleneck.partition(a, k)
        found["argpartition"][1]["bottleneck"] = lambda a: bottleneck.argpartition(a, k)
    return found


def arrays_of(kind: str, n: int, count: int) -> list[Any]:
    """Returns arrays of random elements: floats from -1 to 1, all integers of the type."""
    rng, dtype = np.random.default_rng(n), np.dtype(kind)
    if dtype.kind == "f":
        return [(2 * rng.random(n) - 1).astype(dtype) for _ in range(count)]
    info = np.iinfo(dtype)
    return [rng.integers(info.min, info.max, n, dtype, endpoint=True) for _ in range(count)]


def seconds(call: Call, arrays: list[Any], times: int) -> float:
    """Returns the CPU time of the thread for calls with the arrays in turn."""
    chosen = list(itertools.islice(itertools.cycle(arrays), times))
    start = time.thread_time_ns()
    for a in chosen:
        call(a)
    return (time.thread_time_ns() - start) * 1e-9


def least(calls: list[Call], arrays: list[Any], rounds: int) -> list[float]:
    """Returns the least time of a call in microseconds, for each of the calls."""
    times = []
    for call in calls:
        seconds(call, arrays, len(arrays))
        each = seconds(call, arrays, len(arrays)) / len(arrays)
        turns = int(ROUND / max(each, 1e-7) / len(arrays)) + 1
        times.append(turns * len(arrays))
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            best[i] = min(best[i], seconds(call, arrays, times[i]) / times[i] * 1e6)
    return best


def row(name: str, kind: str, n: int, rounds: int) -> list[float]:
    """Prints a row and returns its ratios."""
    arrays = arrays_of(kind, n, min(64, max(2, 10**5 // n)))
    ordered = np.sort(arrays_of(kind, n, 1)[0])
    own, others = functions(n, ordered)[name]
    cells, ratios = "", []
    for used in (arrays[:1], arrays):
        mine, *peers = least([own, *others.values()], used, rounds)
        fastest = min(zip(peers, others))
        ratios.append(fastest[0] / mine)
        cells += f"  {mine:9.2f} {fastest[0]:9.2f} {ratios[-1]:7.2f} {fastest[1]:<10}"
    print(f"{name:<13} {kind:<4} {n:>6}{cells}", flush=True)
    return ratios


def count(kind: str, ratios: list[float]) -> str:
    ahead = sum(r > 1 / LEVEL for r in ratios)
    behind = sum(r < LEVEL for r in ratios)
    level = len(ratios) - ahead - behind
    return f"{kind}: {ahead} ahead, {level} level, {behind} behind, worst {min(ratios):.2f}"


def main() -> None:
    names = list(functions(10, np.zeros(10)))
    parser = argparse.ArgumentParser(description="Calls on short arrays beside other libraries.")
    parser.add_argument("--functions", nargs="+", default=names, choices=names)
    parser.add_argument("--types", nargs="+", default=TYPES, choices=TYPES)
    parser.add_argument("-n", nargs="+", type=int, default=[10, 100, 1000, 10000])
    parser.add_argument("--rounds", type=int, default=25)
    args = parser.parse_args()
    ordo.config(threads=1)
    print(f"ordo {ordo.__version__}, NumPy {np.__version__}, Python {platform.python_version()},")
    print(f"{platform.machine()}, 1 thread, load {os.getloadavg()[0]:.0f}, {args.rounds} rounds")
    head = "".join(f"  {kind:>9} {'peer':>9} {'ratio':>7} {'':10}" for kind in ("same", "turns"))
    print(f"{'function':<13} {'type':<4} {'n':>6}{head}")
    with np.errstate(over="ignore"):
        found = [
            row(name, kind, n, args.rounds)
            for name in args.functions
            for n in args.n
            for kind in args.types
            if functions(n, np.zeros(1))[name][1]
        ]
    print("; ".join(count(kind, list(r)) for kind, r in zip(("same", "turns"), zip(*found))))


if __name__ == "__main__":
    main()
