"""Measures programs of other packages with and without `ordo.patch`.

A row is a call that users make, the number of elements, and the least CPU and wall seconds of the
rounds without and with ordo. Both take turns in one process. CPU seconds are those of all threads:
what ordo saves on a busy machine; wall seconds also fall with threads. `same` says whether both
results are equal, element by element. `taken over` is the work that ordo did.

    python bench/patched.py [--rounds 3] [--scale 1.0] [--only WORD]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import platform
import resource
import time
import warnings
from typing import Any, Callable

import numpy as np

import ordo
from ordo import _patch
from ordo._patch import _switch

Program = Callable[[], Any]
PROGRAMS: dict[str, tuple[int, Callable[[int], Program]]] = {}  # by name: elements, preparation


def program(name: str, n: int) -> Callable[[Callable[[int], Program]], Callable[[int], Program]]:
    """Decorates a function that makes the data and returns the call."""

    def keep(prepare: Callable[[int], Program]) -> Callable[[int], Program]:
        PROGRAMS[name] = n, prepare
        return prepare

    return keep


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def labels_and_scores(n: int) -> tuple[Any, Any]:
    scores = rng().normal(size=n)
    return (scores + rng(2).normal(size=n) > 0).astype(int), scores


def table(n: int) -> Any:
    import pandas as pd

    r = rng()
    return pd.DataFrame(
        {
            "shop": r.integers(0, 1000, n),
            "day": r.integers(0, 365, n),
            "price": np.round(r.lognormal(3, 1, n), 2),
            "weight": r.normal(size=n),
        }
    )


# ---- scikit-learn ------------------------------------------------------------------------------


@program("sklearn roc_auc_score", 10**6)
def _(n: int) -> Program:
    metrics = importlib.import_module("sklearn.metrics")
    truth, scores = labels_and_scores(n)
    return lambda: metrics.roc_auc_score(truth, scores)


@program("sklearn average_precision_score", 10**6)
def _(n: int) -> Program:
    metrics = importlib.import_module("sklearn.metrics")
    truth, scores = labels_and_scores(n)
    return lambda: metrics.average_precision_score(truth, scores)


@program("sklearn RobustScaler, 4 columns", 4 * 10**6)
def _(n: int) -> Program:
    made = importlib.import_module("sklearn.preprocessing").RobustScaler()
    x = rng().normal(size=(n // 4, 4))
    return lambda: made.fit_transform(x)


@program("sklearn KBinsDiscretizer, quantiles", 10**6)
def _(n: int) -> Program:
    kind = importlib.import_module("sklearn.preprocessing").KBinsDiscretizer
    made = kind(20, encode="ordinal", strategy="quantile", subsample=None)
    x = rng().normal(size=(n, 1))
    return lambda: made.fit_transform(x)


@program("sklearn quantile_transform, 4 columns", 10**6)
def _(n: int) -> Program:
    transform = importlib.import_module("sklearn.preprocessing").quantile_transform
    x = rng().normal(size=(n // 4, 4))
    return lambda: transform(x, subsample=n)


@program("sklearn IsotonicRegression", 10**6)
def _(n: int) -> Program:
    made = importlib.import_module("sklearn.isotonic").IsotonicRegression()
    x = rng().normal(size=n)
    y = x + rng(2).normal(size=n)
    return lambda: made.fit_transform(x, y)


@program("sklearn IsolationForest", 10**5)
def _(n: int) -> Program:
    kind = importlib.import_module("sklearn.ensemble").IsolationForest
    x = rng().normal(size=(n // 4, 4))
    return lambda: kind(n_estimators=20, contamination=0.1, random_state=1).fit_predict(x)


# ---- statsmodels, seaborn, Matplotlib ----------------------------------------------------------


@program("statsmodels robust.mad", 10**6)
def _(n: int) -> Program:
    robust = importlib.import_module("statsmodels.robust")
    x = rng().normal(size=n)
    return lambda: robust.mad(x)


@program("statsmodels ECDF at all points", 10**6)
def _(n: int) -> Program:
    kind = importlib.import_module("statsmodels.distributions").ECDF
    x = rng().normal(size=n)
    return lambda: kind(x)(x)


@program("statsmodels lowess", 10**4)
def _(n: int) -> Program:
    lowess = importlib.import_module("statsmodels.nonparametric.smoothers_lowess").lowess
    x = rng().normal(size=n)
    y = np.sin(x) + rng(2).normal(size=n)
    return lambda: lowess(y, x, frac=0.02)


@program("seaborn ECDF", 10**6)
def _(n: int) -> Program:
    kind = importlib.import_module("seaborn._statistics").ECDF
    pandas = importlib.import_module("pandas")
    x = pandas.Series(rng().normal(size=n))
    return lambda: kind()(x)


@program("Matplotlib boxplot_stats (seaborn boxplot)", 10**6)
def _(n: int) -> Program:
    cbook = importlib.import_module("matplotlib.cbook")
    x = rng().normal(size=n)
    return lambda: cbook.boxplot_stats(x)[0]["fliers"]


# ---- SciPy -------------------------------------------------------------------------------------


@program("scipy mannwhitneyu", 10**6)
def _(n: int) -> Program:
    stats = importlib.import_module("scipy.stats")
    x, y = rng().normal(size=n // 2), rng(2).normal(0.01, size=n // 2)
    return lambda: tuple(stats.mannwhitneyu(x, y))


@program("scipy spearmanr", 10**6)
def _(n: int) -> Program:
    stats = importlib.import_module("scipy.stats")
    x, y = rng().normal(size=n), rng(2).normal(size=n)
    return lambda: tuple(stats.spearmanr(x, y))


@program("scipy kruskal, 3 groups", 9 * 10**5)
def _(n: int) -> Program:
    stats = importlib.import_module("scipy.stats")
    groups = [np.round(rng(seed).normal(size=n // 3), 3) for seed in range(3)]
    return lambda: tuple(stats.kruskal(*groups))


@program("scipy ks_2samp", 10**6)
def _(n: int) -> Program:
    stats = importlib.import_module("scipy.stats")
    x, y = rng().normal(size=n // 2), rng(2).normal(size=n // 2)
    return lambda: tuple(stats.ks_2samp(x, y, method="asymp"))


# ---- pandas, xarray, networkx ------------------------------------------------------------------


@program("pandas DataFrame.describe", 4 * 10**6)
def _(n: int) -> Program:
    frame = table(n // 4)
    return lambda: frame.describe()


@program("pandas sort_values of 2 columns, head of groups", 10**6)
def _(n: int) -> Program:
    frame = table(n)
    return lambda: frame.sort_values(["shop", "price"]).groupby("shop").head(3)


@program("pandas sort_values of 1 column", 10**6)
def _(n: int) -> Program:
    frame = table(n)
    return lambda: frame.sort_values("weight")


@program("pandas rank(pct=True) and qcut", 10**6)
def _(n: int) -> Program:
    pandas = importlib.import_module("pandas")
    frame = table(n)
    return lambda: (frame.price.rank(pct=True), pandas.qcut(frame.weight, 10, labels=False))[0]


@program("pandas groupby rank", 10**6)
def _(n: int) -> Program:
    frame = table(n)
    return lambda: frame.groupby("shop").price.rank()


@program("pandas groupby median", 10**6)
def _(n: int) -> Program:
    frame = table(n)
    return lambda: frame.groupby("shop").price.median()


@program("pandas groupby quantile", 10**6)
def _(n: int) -> Program:
    frame = table(n)
    return lambda: frame.groupby("shop").price.quantile(0.9)


@program("pandas rolling(101) median", 10**6)
def _(n: int) -> Program:
    frame = table(n)
    return lambda: frame.price.rolling(101).median()


@program("pandas nlargest", 10**6)
def _(n: int) -> Program:
    frame = table(n)
    return lambda: frame.nlargest(100, "weight")


@program("xarray quantile along time", 10**6)
def _(n: int) -> Program:
    xarray = importlib.import_module("xarray")
    cube = xarray.DataArray(rng().normal(size=(100, 100, n // 10**4)), dims=("y", "x", "time"))
    return lambda: cube.quantile([0.1, 0.9], "time").values


@program("xarray groupby_bins median", 10**6)
def _(n: int) -> Program:
    xarray = importlib.import_module("xarray")
    values = xarray.DataArray(rng().normal(size=n), dims="x", coords={"x": rng(2).random(n)})
    return lambda: values.groupby_bins("x", 10).median().values


@program("networkx random_geometric_graph, degrees", 2 * 10**4)
def _(n: int) -> Program:
    networkx = importlib.import_module("networkx")
    graph = networkx.gnm_random_graph(n, 5 * n, seed=1)
    return lambda: np.percentile([degree for _, degree in graph.degree()], [50, 90, 99])


# ---- The measurement ---------------------------------------------------------------------------


def timed(call: Program) -> tuple[float, float, Any]:
    """Returns the CPU seconds, the wall seconds and the result of a call."""
    before, begun = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    result = call()
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, result


def work() -> dict[str, float]:
    """Returns the calls that ordo has done, by name."""
    rows = {name: row[0] for name, row in _switch.done.items()}
    return {"sorts of NumPy": ordo._lib.ext.sorts_hooked()[0], **rows}


def measure(name: str, n: int, prepare: Callable[[int], Program], rounds: int) -> None:
    """Prints a row."""
    _patch.patch()  # packages may take names of NumPy at their import
    call = prepare(n)
    _patch.unpatch()
    times: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    results: dict[bool, Any] = {}
    before = work()
    for _ in range(rounds):
        for with_ordo in (False, True):
            if with_ordo:
                _patch.patch()
            cpu, wall, results[with_ordo] = timed(call)
            _patch.unpatch()
            times[with_ordo].append((cpu, wall))
    best = {side: [min(column) for column in zip(*rows)] for side, rows in times.items()}
    same = np.array_equal(np.asarray(results[False]), np.asarray(results[True]), equal_nan=True)
    (cpu_old, wall_old), (cpu_new, wall_new) = best[False], best[True]
    names = [key for key, calls in work().items() if calls > before.get(key, 0)]
    print(
        f"{name:48} {n:9} {cpu_old:8.3f} {cpu_new:8.3f} {cpu_old / cpu_new:6.2f} "
        f"{wall_old:8.3f} {wall_new:8.3f} {wall_old / wall_new:6.2f} "
        f"{'yes' if same else 'NO':4} {', '.join(names)}",
        flush=True,
    )


def cpu_name() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="factor of all sizes")
    parser.add_argument("--only", default="", help="rows whose name has this word")
    arguments = parser.parse_args()
    packages = "numpy scipy pandas scikit-learn statsmodels seaborn matplotlib xarray networkx"
    versions = [f"{name} {importlib.metadata.version(name)}" for name in packages.split()]
    print(f"{cpu_name()}, Python {platform.python_version()}, {', '.join(versions)}")
    print(f"{arguments.rounds} rounds; seconds without and with ordo.patch, and their ratio")
    print(f"{'program':48} {'elements':>9} {'CPU':>8} {'ordo':>8} {'ratio':>6} "
          f"{'wall':>8} {'ordo':>8} {'ratio':>6} same taken over")  # fmt: skip
    warnings.simplefilter("ignore")
    for name, (n, prepare) in PROGRAMS.items():
        if arguments.only in name:
            measure(name, int(n * arguments.scale), prepare, arguments.rounds)


if __name__ == "__main__":
    main()
