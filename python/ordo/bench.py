"""python -m ordo.bench: ordo beside NumPy, SciPy, pandas, PyTorch and CuPy, in one run.

Sections: `overhead` (calls with ten elements, in microseconds), `host` (10^7 float64 in host
memory, one thread and all), `strings`, `gpu` (2^28 float32 on the GPU) and `transfer` (10^8 float32
in host memory, worked on by the GPU where that pays). A row is the least time of several calls; the
last column says how many times faster ordo is than the fastest peer. What is not installed is left
out.

    python -m ordo.bench                          every section this machine can do
    python -m ordo.bench host -n 1e6 --json out.json
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import time
from typing import Any, Callable

import numpy as np

import ordo

SECTIONS = ("overhead", "host", "strings", "gpu", "transfer")
NINE = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]
Calls = dict  # what is measured, by name


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def cpus() -> int:
    return len(os.sched_getaffinity(0))


class Bench:
    """Collects rows, prints them as they come, and keeps them for the JSON document."""

    def __init__(self, repeat: int, only: list[str]) -> None:
        self.repeat = repeat
        self.only = only
        self.rows: list[dict[str, Any]] = []

    def least(self, call: Callable[[], Any], wait: Callable[[], Any] | None) -> float:
        """Seconds of the fastest of several calls, after one that is not counted."""
        times = []
        for _ in range(self.repeat + 1):
            start = time.perf_counter()
            call()
            if wait:
                wait()
            times.append(time.perf_counter() - start)
        return min(times[1:])

    def wants(self, name: str) -> bool:
        return not self.only or any(name.startswith(start) for start in self.only)

    def row(
        self, section: str, name: str, call: Callable[[], Any], peers: Calls, wait: Any = None,
        scale: int = 1,
    ) -> None:  # fmt: skip
        """Measures one verb; `scale` calls make up one measurement."""
        if not self.wants(name):
            return
        mine = {"ordo": self.least(call, wait) / scale}
        self._add(section, name, mine, peers, wait, scale)

    def pair(self, section: str, name: str, call: Callable[[], Any], peers: Calls) -> None:
        """Measures one verb with one thread and with all of them."""
        if not self.wants(name):
            return
        mine = {}
        for threads in sorted({1, cpus()}):
            with ordo.context(threads=threads, device="cpu"):
                mine[f"ordo/{threads}"] = self.least(call, None)
        self._add(section, name, mine, peers, None, 1)

    def _add(
        self, section: str, name: str, mine: dict[str, float], peers: Calls, wait: Any, scale: int
    ) -> None:
        theirs = {who: self.least(call, wait) / scale for who, call in peers.items()}
        best = min(theirs.values(), default=None)
        ratios = {who: best / value for who, value in mine.items()} if best else {}
        seconds = {**mine, **theirs}
        self.rows.append({"section": section, "name": name, "seconds": seconds, "ratios": ratios})
        unit, factor = ("us", 1e6) if section == "overhead" else ("ms", 1e3)
        cells = [f"{who} {value * factor:.2f} {unit}" for who, value in seconds.items()]
        times = " ".join(f"{ratio:.1f}x" for ratio in ratios.values())
        print(f"{name:24} {times:>14}   " + ", ".join(cells), flush=True)


def overhead(bench: Bench, n: int) -> None:
    """Ten elements: what a call costs before it does anything."""
    rng = np.random.default_rng(1)
    x, y = rng.random(10), rng.random(10)
    ordered, names = np.sort(x), np.arange(10)
    stats, pandas = optional("scipy.stats"), optional("pandas")
    series: Any = pandas.Series(x) if pandas else None
    many = 100

    def times(call: Callable[[], Any]) -> Callable[[], Any]:
        def run() -> None:
            for _ in range(many):
                call()

        return run

    def pairs() -> Any:
        index = np.argsort(x, kind="stable")
        return x[index], names[index]

    def largest() -> Any:
        index = np.argsort(-x, kind="stable")[:3]
        return x[index], index

    subjects: list[tuple[str, Callable, Calls]] = [
        ("sort", lambda: ordo.sort(x), {"numpy": lambda: np.sort(x)}),
        ("argsort", lambda: ordo.argsort(x), {"numpy": lambda: np.argsort(x)}),
        ("sort_pairs", lambda: ordo.sort_pairs(x, names), {"numpy": pairs}),
        (
            "rankdata",
            lambda: ordo.rankdata(x),
            {"scipy": lambda: stats.rankdata(x), "pandas": lambda: series.rank()},
        ),
        (
            "median",
            lambda: ordo.median(x),
            {"numpy": lambda: np.median(x), "pandas": lambda: series.median()},
        ),
        (
            "quantile",
            lambda: ordo.quantile(x, 0.9),
            {"numpy": lambda: np.quantile(x, 0.9), "pandas": lambda: series.quantile(0.9)},
        ),
        (
            "quantile, nine q",
            lambda: ordo.quantile(x, NINE),
            {"numpy": lambda: np.quantile(x, NINE)},
        ),
        ("percentile", lambda: ordo.percentile(x, 90), {"numpy": lambda: np.percentile(x, 90)}),
        ("select", lambda: ordo.select(x, 3), {"numpy": lambda: np.partition(x, 3)[3]}),
        (
            "topk",
            lambda: ordo.topk(x, 3),
            {"numpy": largest, "pandas": lambda: series.nlargest(3)},
        ),
        ("partition", lambda: ordo.partition(x, 3), {"numpy": lambda: np.partition(x, 3)}),
        ("argpartition", lambda: ordo.argpartition(x, 3), {"numpy": lambda: np.argpartition(x, 3)}),
        (
            "unique",
            lambda: ordo.unique(x),
            {"numpy": lambda: np.unique(x), "pandas": lambda: np.sort(series.unique())},
        ),
        (
            "unique, all results",
            lambda: ordo.unique(x, True, True, True),
            {"numpy": lambda: np.unique(x, True, True, True)},
        ),
        (
            "searchsorted",
            lambda: ordo.searchsorted(ordered, x),
            {"numpy": lambda: np.searchsorted(ordered, x)},
        ),
        ("cumsum", lambda: ordo.cumsum(x), {"numpy": lambda: np.cumsum(x)}),
        ("cummax", lambda: ordo.cummax(x), {"numpy": lambda: np.maximum.accumulate(x)}),
        ("cummin", lambda: ordo.cummin(x), {"numpy": lambda: np.minimum.accumulate(x)}),
        ("is_sorted", lambda: ordo.is_sorted(x), {"numpy": lambda: (x[1:] >= x[:-1]).all()}),
        ("radius", lambda: ordo.radius(x), {}),
        ("spearmanr", lambda: ordo.spearmanr(x, y), {"scipy": lambda: stats.spearmanr(x, y)}),
        (
            "mannwhitneyu",
            lambda: ordo.mannwhitneyu(x, y),
            {"scipy": lambda: stats.mannwhitneyu(x, y)},
        ),
    ]
    here = {"numpy": np, "scipy": stats, "pandas": pandas}
    repeat, bench.repeat = bench.repeat, 5 * bench.repeat  # microseconds are easily disturbed
    for name, mine, peers in subjects:
        found = {who: times(call) for who, call in peers.items() if here[who] is not None}
        bench.row("overhead", name, times(mine), found, scale=many)
    bench.repeat = repeat


def host(bench: Bench, n: int) -> None:
    rng = np.random.default_rng(2)
    x = rng.random(n)
    few = rng.integers(0, 1000, n)
    stats, pandas, torch = optional("scipy.stats"), optional("pandas"), optional("torch")
    series: Any = pandas.Series(x) if pandas else None
    tensor: Any = torch.from_numpy(x) if torch else None

    def peers(**calls: Callable[[], Any] | None) -> Calls:
        return {name: call for name, call in calls.items() if call is not None}

    bench.pair(
        "host",
        "sort",
        lambda: ordo.sort(x),
        peers(numpy=lambda: np.sort(x), torch=(lambda: torch.sort(tensor)) if torch else None),
    )
    bench.pair(
        "host",
        "argsort",
        lambda: ordo.argsort(x),
        peers(
            numpy=lambda: np.argsort(x), torch=(lambda: torch.argsort(tensor)) if torch else None
        ),
    )
    bench.pair(
        "host",
        "rankdata average",
        lambda: ordo.rankdata(x),
        peers(
            scipy=(lambda: stats.rankdata(x)) if stats else None,
            pandas=(lambda: series.rank()) if pandas else None,
        ),
    )
    bench.pair(
        "host",
        "rankdata dense, ties",
        lambda: ordo.rankdata(few, "dense"),
        peers(scipy=(lambda: stats.rankdata(few, "dense")) if stats else None),
    )
    bench.pair(
        "host",
        "median",
        lambda: ordo.median(x),
        peers(
            numpy=lambda: np.median(x),
            pandas=(lambda: series.median()) if pandas else None,
            torch=(lambda: torch.median(tensor)) if torch else None,
        ),
    )
    bench.pair(
        "host",
        "quantile, nine q",
        lambda: ordo.quantile(x, NINE),
        peers(
            numpy=lambda: np.quantile(x, NINE),
            pandas=(lambda: series.quantile(NINE)) if pandas else None,
        ),
    )
    bench.pair(
        "host",
        "partition",
        lambda: ordo.partition(x, n // 2),
        peers(numpy=lambda: np.partition(x, n // 2)),
    )
    bench.pair(
        "host",
        "argpartition",
        lambda: ordo.argpartition(x, n // 2),
        peers(numpy=lambda: np.argpartition(x, n // 2)),
    )
    bench.pair(
        "host",
        "topk, 100",
        lambda: ordo.topk(x, 100),
        peers(
            numpy=lambda: np.argpartition(x, -100),
            torch=(lambda: torch.topk(tensor, 100)) if torch else None,
        ),
    )
    bench.pair(
        "host",
        "unique",
        lambda: ordo.unique(x),
        peers(
            numpy=lambda: np.unique(x),
            pandas=(lambda: np.sort(pandas.unique(x))) if pandas else None,
        ),
    )
    bench.pair(
        "host",
        "unique, all results",
        lambda: ordo.unique(x, True, True, True),
        peers(numpy=lambda: np.unique(x, True, True, True)),
    )
    bench.pair(
        "host",
        "unique, 1000 values",
        lambda: ordo.unique(few),
        peers(
            numpy=lambda: np.unique(few),
            pandas=(lambda: np.sort(pandas.unique(few))) if pandas else None,
        ),
    )
    bench.pair(
        "host",
        "unique, 1000 values and inverse",
        lambda: ordo.unique(few, return_inverse=True),
        peers(numpy=lambda: np.unique(few, return_inverse=True)),
    )
    bench.pair(
        "host",
        "cumsum",
        lambda: ordo.cumsum(x),
        peers(
            numpy=lambda: np.cumsum(x), torch=(lambda: torch.cumsum(tensor, 0)) if torch else None
        ),
    )
    ordered = np.sort(x)
    bench.pair(
        "host",
        "searchsorted",
        lambda: ordo.searchsorted(ordered, x),
        peers(numpy=lambda: np.searchsorted(ordered, x)),
    )
    y = rng.random(n)
    bench.pair(
        "host",
        "spearmanr",
        lambda: ordo.spearmanr(x, y),
        peers(scipy=(lambda: stats.spearmanr(x, y)) if stats else None),
    )


def strings(bench: Bench, n: int) -> None:
    rng = np.random.default_rng(3)
    words = rng.integers(97, 123, (max(n // 10, 10), 12), np.uint8).view("S12").reshape(-1)
    bench.pair("strings", "sort S12", lambda: ordo.sort(words), {"numpy": lambda: np.sort(words)})
    wide = words.astype("U12")
    bench.pair("strings", "sort U12", lambda: ordo.sort(wide), {"numpy": lambda: np.sort(wide)})
    bench.pair(
        "strings",
        "argsort S12",
        lambda: ordo.argsort(words),
        {"numpy": lambda: np.argsort(words, kind="stable")},
    )


def gpu(bench: Bench, n: int) -> None:
    """Arrays that are on the GPU and stay there."""
    cupy, torch = optional("cupy"), optional("torch")
    if torch is not None and not torch.cuda.is_available():
        torch = None
    if cupy is None and torch is None:
        print("gpu: neither CuPy nor PyTorch with a GPU is here")
        return
    source = np.random.default_rng(4).random(n, np.float32)
    x = cupy.asarray(source) if cupy else torch.from_numpy(source).cuda()
    tensor = torch.as_tensor(x, device="cuda") if torch else None
    wait = cupy.cuda.Device().synchronize if cupy else torch.cuda.synchronize

    def peers(on_cupy: Callable, on_torch: Callable) -> Calls:
        found = {"cupy": on_cupy if cupy else None, "torch": on_torch if torch else None}
        return {name: call for name, call in found.items() if call is not None}

    def twice(module: Any, array: Any) -> Any:
        return module.argsort(module.argsort(array))

    bench.row(
        "gpu",
        "sort",
        lambda: ordo.sort(x),
        peers(lambda: cupy.sort(x), lambda: torch.sort(tensor)),
        wait,
    )
    bench.row(
        "gpu",
        "argsort",
        lambda: ordo.argsort(x),
        peers(lambda: cupy.argsort(x), lambda: torch.argsort(tensor)),
        wait,
    )
    bench.row(
        "gpu",
        "rankdata ordinal",
        lambda: ordo.rankdata(x, "ordinal"),
        peers(lambda: twice(cupy, x), lambda: twice(torch, tensor)),
        wait,
    )
    bench.row(
        "gpu",
        "rankdata average",
        lambda: ordo.rankdata(x),
        peers(lambda: twice(cupy, x), lambda: twice(torch, tensor)),
        wait,
    )
    bench.row(
        "gpu",
        "median",
        lambda: ordo.median(x),
        peers(lambda: cupy.median(x), lambda: torch.median(tensor)),
        wait,
    )
    bench.row(
        "gpu",
        "quantile, nine q",
        lambda: ordo.quantile(x, NINE),
        peers(lambda: cupy.quantile(x, cupy.asarray(NINE)), lambda: torch.sort(tensor)),
        wait,
    )
    bench.row(
        "gpu",
        "topk, 100",
        lambda: ordo.topk(x, 100),
        peers(lambda: cupy.argpartition(x, -100), lambda: torch.topk(tensor, 100)),
        wait,
    )
    bench.row(
        "gpu",
        "unique",
        lambda: ordo.unique(x),
        peers(lambda: cupy.unique(x), lambda: torch.unique(tensor)),
        wait,
    )
    bench.row(
        "gpu",
        "cumsum",
        lambda: ordo.cumsum(x),
        peers(lambda: cupy.cumsum(x), lambda: torch.cumsum(tensor, 0)),
        wait,
    )


def transfer(bench: Bench, n: int) -> None:
    """A NumPy array there and back, against CuPy's way of doing it."""
    cupy = optional("cupy")
    if cupy is None:
        print("transfer: CuPy is not here")
        return
    x = np.random.default_rng(5).random(n, np.float32)
    for device in ("auto", "cuda", "hybrid"):
        with ordo.context(device=device):
            try:
                for _ in range(20):  # auto opens the GPU once that would have paid
                    ordo.sort(x)
                    if ordo.explain().backend != "cpu":
                        break
            except ordo.DeviceError as error:
                print(f"transfer, {device}: {error}")
                continue
            bench.row(
                "transfer",
                f"sort, {device}",
                lambda: ordo.sort(x),
                {"cupy": lambda: cupy.asnumpy(cupy.sort(cupy.asarray(x)))},
            )
            print(" " * 4, ordo.explain())


def machine() -> dict[str, Any]:
    versions: dict[str, Any] = {
        name: getattr(sys.modules[name], "__version__", "?")
        for name in ("numpy", "scipy", "pandas", "torch", "cupy")
        if name in sys.modules
    }
    return {
        "ordo": ordo.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": cpus(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **versions,
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m ordo.bench", description=__doc__.split("\n")[0]
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("-n", type=float, help="elements (defaults: 1e7, GPU 2^28, transfer 1e8)")
    parser.add_argument("--only", metavar="NAMES", help="rows that begin so, with commas between")
    parser.add_argument("--repeat", type=int, default=3, help="calls of which the least counts")
    parser.add_argument("--json", metavar="FILE", help="also write the rows as JSON")
    wish = parser.parse_args(arguments)
    unknown = set(wish.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    sizes = {"gpu": 1 << 28, "transfer": 10**8}
    bench = Bench(wish.repeat, wish.only.split(",") if wish.only else [])
    ordo.show_config()
    for section in wish.sections or SECTIONS:
        n = int(wish.n or sizes.get(section, 10**7))
        print(f"\n{section}" + (f", {n} elements" if section != "overhead" else ", 10 elements"))
        globals()[section](bench, n)
        if wish.json:
            with open(wish.json, "w", encoding="utf-8") as file:
                json.dump({"machine": machine(), "rows": bench.rows}, file, indent=1)


if __name__ == "__main__":
    main()
