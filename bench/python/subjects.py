"""The sections of the benchmarks of the Python package: a function for each, which makes the arrays
and measures its subjects with a `Bench`.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any, Callable

import numpy as np
from harness import Bench, Call, Subject, cpus, optional, repeated

import ordo
from ordo import _lib

DISTS = (
    "uniform few zipf organpipe signed normal loguniform outliers timestamps prices sensors".split()
)
NINE = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]


def of_groups(x: Any, groups: Any) -> list[Subject]:
    """Rows of several keys, structs, and groups of rows."""
    pd = optional("pandas")
    records = np.zeros(x.size, [("id", "i4"), ("key", "f8"), ("more", "V20")])
    records["key"] = x
    grouped: Any = pd.Series(x).groupby(groups) if pd else None
    return [
        ("lexsort", lambda: ordo.lexsort((x, groups)), {"numpy": lambda: np.lexsort((x, groups))}),
        ("lexrank", lambda: ordo.lexrank((x, groups)), {}),
        ("group_count", lambda: ordo.group_count(groups), {"pandas": lambda: grouped.size()}),
        ("group_argsort", lambda: ordo.group_argsort(groups, x),
         {"numpy": lambda: np.lexsort((x, groups))}),
        ("group_rank", lambda: ordo.group_rank(groups, x), {"pandas": lambda: grouped.rank()}),
        ("group_quantile", lambda: ordo.group_quantile(groups, x, 0.9),
         {"pandas": lambda: grouped.quantile(0.9)}),
        ("group_median", lambda: ordo.group_median(groups, x),
         {"pandas": lambda: grouped.median()}),
        ("group_topk", lambda: ordo.group_topk(groups, x, 2),
         {"pandas": lambda: grouped.nlargest(2)}),
        ("sort_records", lambda: ordo.sort_records(records, "key"),
         {"numpy": lambda: records[np.argsort(records["key"])]}),
    ]  # fmt: skip


def overhead(bench: Bench, n: int) -> None:
    """Calls with ten elements: the fixed cost of a call."""
    rng = np.random.default_rng(1)
    x, y = rng.random(10), rng.random(10)
    ordered, names, flags = np.sort(x), np.arange(10), x > 0.5
    stats, pd, bn = optional("scipy.stats"), optional("pandas"), optional("bottleneck")
    series: Any = pd.Series(x) if pd else None
    many, text = 100, b"mississipp"
    suffixes, transform = ordo.suffix_array(text), ordo.bwt(text)

    def pairs() -> Any:
        index = np.argsort(x, kind="stable")
        return x[index], names[index]

    def largest() -> Any:
        index = np.argsort(-x, kind="stable")[:3]
        return x[index], index

    subjects: list[Subject] = [
        ("sort", lambda: ordo.sort(x), {"numpy": lambda: np.sort(x)}),
        ("argsort", lambda: ordo.argsort(x), {"numpy": lambda: np.argsort(x)}),
        ("sort_pairs", lambda: ordo.sort_pairs(x, names), {"numpy": pairs}),
        ("rankdata", lambda: ordo.rankdata(x),
         {"scipy": lambda: stats.rankdata(x), "bottleneck": lambda: bn.rankdata(x)}),
        ("median", lambda: ordo.median(x),
         {"numpy": lambda: np.median(x), "bottleneck": lambda: bn.median(x)}),
        ("quantile", lambda: ordo.quantile(x, 0.9),
         {"numpy": lambda: np.quantile(x, 0.9), "pandas": lambda: series.quantile(0.9)}),
        ("quantile, nine q", lambda: ordo.quantile(x, NINE),
         {"numpy": lambda: np.quantile(x, NINE)}),
        ("percentile", lambda: ordo.percentile(x, 90), {"numpy": lambda: np.percentile(x, 90)}),
        ("nanmedian", lambda: ordo.nanmedian(x),
         {"numpy": lambda: np.nanmedian(x), "bottleneck": lambda: bn.nanmedian(x)}),
        ("nanquantile", lambda: ordo.nanquantile(x, 0.9),
         {"numpy": lambda: np.nanquantile(x, 0.9)}),
        ("nanpercentile", lambda: ordo.nanpercentile(x, 90),
         {"numpy": lambda: np.nanpercentile(x, 90)}),
        ("select", lambda: ordo.select(x, 3), {"numpy": lambda: np.partition(x, 3)[3]}),
        ("topk", lambda: ordo.topk(x, 3), {"numpy": largest, "pandas": lambda: series.nlargest(3)}),
        ("argtopk", lambda: ordo.argtopk(x, 3),
         {"numpy": lambda: np.argsort(-x, kind="stable")[:3]}),
        ("partition", lambda: ordo.partition(x, 3),
         {"numpy": lambda: np.partition(x, 3), "bottleneck": lambda: bn.partition(x, 3)}),
        ("argpartition", lambda: ordo.argpartition(x, 3),
         {"numpy": lambda: np.argpartition(x, 3), "bottleneck": lambda: bn.argpartition(x, 3)}),
        ("unique", lambda: ordo.unique(x),
         {"numpy": lambda: np.unique(x), "pandas": lambda: np.sort(series.unique())}),
        ("unique, all results", lambda: ordo.unique(x, True, True, True),
         {"numpy": lambda: np.unique(x, True, True, True)}),
        ("searchsorted", lambda: ordo.searchsorted(ordered, x),
         {"numpy": lambda: np.searchsorted(ordered, x)}),
        ("cumsum", lambda: ordo.cumsum(x), {"numpy": lambda: np.cumsum(x)}),
        ("cumprod", lambda: ordo.cumprod(x), {"numpy": lambda: np.cumprod(x)}),
        ("cummax", lambda: ordo.cummax(x), {"numpy": lambda: np.maximum.accumulate(x)}),
        ("cummin", lambda: ordo.cummin(x), {"numpy": lambda: np.minimum.accumulate(x)}),
        ("is_sorted", lambda: ordo.is_sorted(x), {"numpy": lambda: (x[1:] >= x[:-1]).all()}),
        ("radius", lambda: ordo.radius(x), {}),
        ("rank_sorted", lambda: ordo.rank_sorted(ordered), {}),
        ("scan_bits", lambda: ordo.scan_bits(flags), {"numpy": lambda: np.cumsum(flags)}),
        ("split_by_flags", lambda: ordo.split_by_flags(x, flags),
         {"numpy": lambda: (x[flags], x[~flags])}),
        ("generate", lambda: ordo.generate("uniform", x.size), {}),
        ("read_fasta", lambda: ordo.read_fasta(b">a\nACGT\nAC\n>b\nACG\n"), {}),
        ("spearmanr", lambda: ordo.spearmanr(x, y), {"scipy": lambda: stats.spearmanr(x, y)}),
        ("mannwhitneyu", lambda: ordo.mannwhitneyu(x, y),
         {"scipy": lambda: stats.mannwhitneyu(x, y)}),
        ("suffix_array", lambda: ordo.suffix_array(text), {}),
        ("lcp", lambda: ordo.lcp(text, suffixes), {}),
        ("bwt", lambda: ordo.bwt(text), {}),
        ("unbwt", lambda: ordo.unbwt(*transform), {}),
        *moving(x, 4),
        *of_groups(x, np.arange(x.size) % 3),
    ]  # fmt: skip
    looped = [
        (name, repeated(call, many), {who: repeated(peer, many) for who, peer in peers.items()})
        for name, call, peers in subjects
    ]
    repeat, bench.repeat = bench.repeat, 5 * bench.repeat  # short times vary more
    modules = {"numpy": np, "scipy": stats, "pandas": pd, "bottleneck": bn}
    bench.run("overhead", looped, modules, scale=many)
    bench.repeat = repeat


def host(bench: Bench, n: int) -> None:
    """Arrays in host memory, with one thread and with all threads."""
    rng = np.random.default_rng(2)
    x, few = rng.random(n), rng.integers(0, 1000, n)
    ordered, y = np.sort(x), rng.random(n)
    stats, pd, torch = optional("scipy.stats"), optional("pandas"), optional("torch")
    series: Any = pd.Series(x) if pd else None
    tensor: Any = torch.from_numpy(x) if torch else None
    k = n // 2
    subjects: list[Subject] = [
        ("sort", lambda: ordo.sort(x),
         {"numpy": lambda: np.sort(x), "torch": lambda: torch.sort(tensor)}),
        ("argsort", lambda: ordo.argsort(x),
         {"numpy": lambda: np.argsort(x), "torch": lambda: torch.argsort(tensor)}),
        ("rankdata average", lambda: ordo.rankdata(x),
         {"scipy": lambda: stats.rankdata(x), "pandas": lambda: series.rank()}),
        ("rankdata dense, ties", lambda: ordo.rankdata(few, "dense"),
         {"scipy": lambda: stats.rankdata(few, "dense")}),
        ("median", lambda: ordo.median(x),
         {"numpy": lambda: np.median(x), "pandas": lambda: series.median(),
          "torch": lambda: torch.median(tensor)}),
        ("quantile, nine q", lambda: ordo.quantile(x, NINE),
         {"numpy": lambda: np.quantile(x, NINE), "pandas": lambda: series.quantile(NINE)}),
        ("partition", lambda: ordo.partition(x, k), {"numpy": lambda: np.partition(x, k)}),
        ("argpartition", lambda: ordo.argpartition(x, k),
         {"numpy": lambda: np.argpartition(x, k)}),
        ("topk, 100", lambda: ordo.topk(x, 100),
         {"numpy": lambda: np.argpartition(x, -100), "torch": lambda: torch.topk(tensor, 100)}),
        ("unique", lambda: ordo.unique(x),
         {"numpy": lambda: np.unique(x), "pandas": lambda: np.sort(pd.unique(x))}),
        ("unique, all results", lambda: ordo.unique(x, True, True, True),
         {"numpy": lambda: np.unique(x, True, True, True)}),
        ("unique, 1000 values", lambda: ordo.unique(few),
         {"numpy": lambda: np.unique(few), "pandas": lambda: np.sort(pd.unique(few))}),
        ("unique, 1000 values and inverse", lambda: ordo.unique(few, return_inverse=True),
         {"numpy": lambda: np.unique(few, return_inverse=True)}),
        ("cumsum", lambda: ordo.cumsum(x),
         {"numpy": lambda: np.cumsum(x), "torch": lambda: torch.cumsum(tensor, 0)}),
        ("searchsorted", lambda: ordo.searchsorted(ordered, x),
         {"numpy": lambda: np.searchsorted(ordered, x)}),
        ("spearmanr", lambda: ordo.spearmanr(x, y), {"scipy": lambda: stats.spearmanr(x, y)}),
    ]  # fmt: skip
    installed = {"numpy": np, "scipy": stats, "pandas": pd, "torch": torch}
    bench.run("host", subjects, installed, threads=tuple(sorted({1, cpus()})))


def of_size(n: int, draw: Callable[[int], Any], kind: str) -> list[Subject]:
    """Partitions, distinct elements and searches. Short arrays take turns: the branch predictor
    would learn the order of one of them."""
    arrays = [draw(n) for _ in range(min(64, max(1, 10**5 // n)))]
    ordered, ascending = np.sort(draw(n)), [np.sort(x) for x in arrays]

    def of_all(function: Callable, inputs: list[Any], *more: Any) -> Call:
        def run() -> None:
            for x in inputs:
                function(x, *more)

        return run

    calls: list[tuple[str, Callable, list[Any], tuple]] = [
        ("partition", lambda module: module.partition, arrays, (n // 2,)),
        ("argpartition", lambda module: module.argpartition, arrays, (n // 2,)),
        ("unique", lambda module: module.unique, arrays, ()),
        ("searchsorted", lambda module: partial(module.searchsorted, ordered), arrays, ()),
    ]
    calls.append(("searchsorted, sorted", calls[-1][1], ascending, ()))
    return [
        (f"{name} {kind} {n}", of_all(get(ordo), of, *more), {"numpy": of_all(get(np), of, *more)})
        for name, get, of, more in calls
    ]


def sizes(bench: Bench, n: int) -> None:
    """Arrays of 10^3 to n elements, with one thread. A row is the time of one call."""
    rng, seeds = np.random.default_rng(6), itertools.count(1)
    draws: dict[str, Callable[[int], Any]] = {
        "uniform": rng.random,
        "100 values": lambda count: rng.integers(0, 100, count).astype(float),
        "zipf": lambda count: ordo.generate("zipf", count, "f8", seed=next(seeds)),
    }
    repeat = bench.repeat
    for kind, draw in draws.items():
        for count in (10**power for power in range(3, 8) if 10**power <= max(n, 1000)):
            many = min(64, max(1, 10**5 // count))
            bench.repeat = repeat * max(1, min(50, 10**6 // (many * count)))
            subjects = of_size(count, draw, kind)
            bench.run("sizes", subjects, {"numpy": np}, threads=(1,), scale=many)
    bench.repeat = repeat


def distributions(bench: Bench, n: int) -> None:
    """Sorts of generated keys. NumPy sorts most types with vector instructions where it can."""
    threads = tuple(sorted({1, cpus()}))
    for type_ in _lib.DTYPES:
        dist: Any
        for dist in DISTS:
            name = f"{dist} {np.dtype(type_).name}"
            if bench.only and not any(name.startswith(start) for start in bench.only):
                continue
            x = ordo.generate(dist, n, type_, seed=1)
            subject = (name, lambda x=x: ordo.sort(x), {"numpy": lambda x=x: np.sort(x)})
            bench.run("distributions", [subject], {"numpy": np}, threads=threads)


def of_rows(x: Any) -> list[Subject]:
    """The functions along the rows of x, beside those of NumPy, SciPy and bottleneck."""
    stats, bn = optional("scipy.stats"), optional("bottleneck")
    k, holes = x.shape[1] // 2, x.copy()
    holes[::7, 0] = np.nan
    return [
        ("sort", lambda: ordo.sort(x), {"numpy": lambda: np.sort(x)}),
        ("argsort", lambda: ordo.argsort(x), {"numpy": lambda: np.argsort(x)}),
        ("rankdata", lambda: ordo.rankdata(x, axis=1),
         {"scipy": lambda: stats.rankdata(x, axis=1), "bottleneck": lambda: bn.rankdata(x, 1)}),
        ("rankdata omit", lambda: ordo.rankdata(holes, axis=1, nan_policy="omit"),
         {"bottleneck": lambda: bn.nanrankdata(holes, 1)}),
        ("median", lambda: ordo.median(x, 1),
         {"numpy": lambda: np.median(x, 1), "bottleneck": lambda: bn.median(x, 1)}),
        ("nanmedian", lambda: ordo.nanmedian(holes, 1),
         {"numpy": lambda: np.nanmedian(holes, 1), "bottleneck": lambda: bn.nanmedian(holes, 1)}),
        ("quantile", lambda: ordo.quantile(x, 0.9, 1), {"numpy": lambda: np.quantile(x, 0.9, 1)}),
        ("quantile, nine q", lambda: ordo.quantile(x, NINE, 1),
         {"numpy": lambda: np.quantile(x, NINE, 1)}),
        ("select", lambda: ordo.select(x, k, 1), {"numpy": lambda: np.partition(x, k)[:, k]}),
        ("topk", lambda: ordo.topk(x, 2), {"numpy": lambda: np.argpartition(x, -2)}),
        ("partition", lambda: ordo.partition(x, k),
         {"numpy": lambda: np.partition(x, k), "bottleneck": lambda: bn.partition(x, k)}),
        ("argpartition", lambda: ordo.argpartition(x, k),
         {"numpy": lambda: np.argpartition(x, k), "bottleneck": lambda: bn.argpartition(x, k)}),
        ("cumsum", lambda: ordo.cumsum(x, 1), {"numpy": lambda: np.cumsum(x, 1)}),
        ("cumprod", lambda: ordo.cumprod(x, 1), {"numpy": lambda: np.cumprod(x, 1)}),
        ("cummax", lambda: ordo.cummax(x, 1), {"numpy": lambda: np.maximum.accumulate(x, 1)}),
        ("cummin", lambda: ordo.cummin(x, 1), {"numpy": lambda: np.minimum.accumulate(x, 1)}),
        ("is_sorted", lambda: ordo.is_sorted(x),
         {"numpy": lambda: (x[:, 1:] >= x[:, :-1]).all(1)}),
    ]  # fmt: skip


def rows(bench: Bench, n: int) -> None:
    """Rows of 3, 100 and 10^5 elements: 10^6, 10^5 and 1000 of them for n = 10^7."""
    modules = {name: optional(name) for name in ("numpy", "bottleneck")}
    modules["scipy"] = optional("scipy.stats")
    usual = [
        (max(n // share, 1), min(length, n))
        for length, share in ((3, 10), (100, 100), (10**5, 10**4))
    ]
    for shape in bench.shapes or usual:
        x = np.random.default_rng(6).random(shape)
        subjects = [(f"{name} {shape[0]}x{shape[1]}", *calls) for name, *calls in of_rows(x)]
        bench.run("rows", subjects, modules, threads=tuple(sorted({1, cpus()})))


def groups(bench: Bench, n: int) -> None:
    """About 100 rows a group. Above 10^6 rows the top-k is left out: pandas takes long."""
    rng = np.random.default_rng(9)
    x, codes = rng.random(n), rng.integers(0, n // 100 + 1, n)
    modules = {"numpy": np, "pandas": optional("pandas")}
    left_out = ("group_topk", "lexrank") if n > 10**6 else ("lexrank",)
    subjects = [s for s in of_groups(x, codes) if s[0] not in left_out]
    bench.run("groups", subjects, modules, threads=tuple(sorted({1, cpus()})))


def moving(x: Any, window: int) -> list[Subject]:
    """The calls on a moving window, beside those of pandas and bottleneck."""
    pd, bn = optional("pandas"), optional("bottleneck")
    rolling: Any = pd.Series(x).rolling(window) if pd else None
    return [
        ("moving_median", lambda: ordo.moving_median(x, window),
         {"pandas": lambda: rolling.median(), "bottleneck": lambda: bn.move_median(x, window)}),
        ("moving_quantile", lambda: ordo.moving_quantile(x, window, 0.9),
         {"pandas": lambda: rolling.quantile(0.9)}),
        ("moving_rank", lambda: ordo.moving_rank(x, window),
         {"pandas": lambda: rolling.rank()}),
        ("moving_min", lambda: ordo.moving_min(x, window),
         {"pandas": lambda: rolling.min(), "bottleneck": lambda: bn.move_min(x, window)}),
        ("moving_max", lambda: ordo.moving_max(x, window),
         {"pandas": lambda: rolling.max(), "bottleneck": lambda: bn.move_max(x, window)}),
    ]  # fmt: skip


def windows(bench: Bench, n: int) -> None:
    """Moving windows of 10, 100 and 10^4 elements."""
    x = np.random.default_rng(8).standard_normal(n)
    modules = {"pandas": optional("pandas"), "bottleneck": optional("bottleneck")}
    for window in (10, 100, 10**4):
        subjects = [
            (f"{name}, {window}", call, peers) for name, call, peers in moving(x, min(window, n))
        ]
        bench.run("windows", subjects, modules, threads=tuple(sorted({1, cpus()})))


def strings(bench: Bench, n: int) -> None:
    """Strings of twelve random letters."""
    rng = np.random.default_rng(3)
    words = rng.integers(97, 123, (max(n // 10, 10), 12), np.uint8).view("S12").reshape(-1)
    wide = words.astype("U12")
    subjects: list[Subject] = [
        ("sort S12", lambda: ordo.sort(words), {"numpy": lambda: np.sort(words)}),
        ("sort U12", lambda: ordo.sort(wide), {"numpy": lambda: np.sort(wide)}),
        ("argsort S12", lambda: ordo.argsort(words),
         {"numpy": lambda: np.argsort(words, kind="stable")}),
    ]  # fmt: skip
    bench.run("strings", subjects, {"numpy": np}, threads=tuple(sorted({1, cpus()})))


def gpu(bench: Bench, n: int) -> None:
    """Arrays on the GPU."""
    cupy, torch = optional("cupy"), optional("torch")
    if torch is not None and not torch.cuda.is_available():
        torch = None
    if cupy is None and torch is None:
        print("gpu: skipped: neither CuPy nor PyTorch with a GPU is installed")
        return
    source = np.random.default_rng(4).random(n, np.float32)
    x = cupy.asarray(source) if cupy else torch.from_numpy(source).cuda()
    t = torch.as_tensor(x, device="cuda") if torch else None
    wait = cupy.cuda.Device().synchronize if cupy else torch.cuda.synchronize

    def twice(module: Any, array: Any) -> Any:
        return module.argsort(module.argsort(array))

    subjects: list[Subject] = [
        ("sort", lambda: ordo.sort(x),
         {"cupy": lambda: cupy.sort(x), "torch": lambda: torch.sort(t)}),
        ("argsort", lambda: ordo.argsort(x),
         {"cupy": lambda: cupy.argsort(x), "torch": lambda: torch.argsort(t)}),
        ("rankdata ordinal", lambda: ordo.rankdata(x, "ordinal"),
         {"cupy": lambda: twice(cupy, x), "torch": lambda: twice(torch, t)}),
        ("rankdata average", lambda: ordo.rankdata(x),
         {"cupy": lambda: twice(cupy, x), "torch": lambda: twice(torch, t)}),
        ("median", lambda: ordo.median(x),
         {"cupy": lambda: cupy.median(x), "torch": lambda: torch.median(t)}),
        ("quantile, nine q", lambda: ordo.quantile(x, NINE),
         {"cupy": lambda: cupy.quantile(x, cupy.asarray(NINE)), "torch": lambda: torch.sort(t)}),
        ("topk, 100", lambda: ordo.topk(x, 100),
         {"cupy": lambda: cupy.argpartition(x, -100), "torch": lambda: torch.topk(t, 100)}),
        ("unique", lambda: ordo.unique(x),
         {"cupy": lambda: cupy.unique(x), "torch": lambda: torch.unique(t)}),
        ("cumsum", lambda: ordo.cumsum(x),
         {"cupy": lambda: cupy.cumsum(x), "torch": lambda: torch.cumsum(t, 0)}),
    ]  # fmt: skip
    bench.run("gpu", subjects, {"cupy": cupy, "torch": torch}, wait=wait)


def transfer(bench: Bench, n: int) -> None:
    """NumPy arrays sorted on the GPU, with both copies, as CuPy does it."""
    cupy = optional("cupy")
    if cupy is None:
        print("transfer: skipped: CuPy is not installed")
        return
    x = np.random.default_rng(5).random(n, np.float32)
    for device in ("auto", "cuda", "hybrid"):
        with ordo.context(device=device):
            try:
                for _ in range(20):  # auto opens the GPU only after some calls
                    ordo.sort(x)
                    if ordo.explain().backend != "cpu":
                        break
            except ordo.DeviceError as error:
                print(f"transfer, {device}: {error}")
                continue
            peers = {"cupy": lambda: cupy.asnumpy(cupy.sort(cupy.asarray(x)))}
            subjects = [(f"sort, {device}", lambda: ordo.sort(x), peers)]
            bench.run("transfer", subjects, {"cupy": cupy})
            print(" " * 4, ordo.explain())
