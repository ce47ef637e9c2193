"""Times ordo.dask beside the calls of Dask, on the same data in the same run.

    python chunks_dask.py [ELEMENTS [CHUNKS [ROUNDS]]]

Uses the threaded scheduler. Prints the median of the elapsed times and the least CPU time (of all
threads) of the rounds, the smallest and the largest partition of sorts, and the largest error of
quantiles (beside numpy.quantile of the whole array). Results are computed to one NumPy or pandas
object, for which Dask joins the partitions before it sorts; rows with "partitions" keep them.
"""

from __future__ import annotations

import sys
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

import ordo.dask

QUANTILES = [0.01, 0.5, 0.99]


def sizes(frame):
    """Returns the lengths of the partitions, as text."""
    lengths = list(map(len, dask.compute(*frame.to_delayed(), scheduler="threads")))
    return f"partitions of {min(lengths)} to {max(lengths)} rows"


def main():
    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7
    chunks = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    values = np.random.default_rng(1).standard_normal(n)
    x = da.from_array(values, chunks=-(-n // chunks))
    frame = dd.from_pandas(pd.DataFrame({"a": values, "b": np.arange(n)}), npartitions=chunks)
    exact = np.quantile(values, QUANTILES)
    calls = {
        "ordo.dask.sort(x)": lambda: ordo.dask.sort(x),
        "ordo.dask.argsort(x)": lambda: ordo.dask.argsort(x),
        "ordo.dask.rankdata(x)": lambda: ordo.dask.rankdata(x),
        "ordo.dask.topk(x, 100)": lambda: ordo.dask.topk(x, 100)[0],
        "dask.array.topk(x, 100)": lambda: da.topk(x, 100),
        "ordo.dask.sort(df, by='a')": lambda: ordo.dask.sort(frame, by="a"),
        "df.sort_values('a')": lambda: frame.sort_values("a"),
        "df.set_index('a')": lambda: frame.set_index("a"),
        "ordo.dask.sort, partitions": lambda: ordo.dask.sort(frame, by="a"),
        "sort_values, partitions": lambda: frame.sort_values("a"),
        "ordo.dask.quantile(x)": lambda: ordo.dask.quantile(x, QUANTILES),
        "dask.array.percentile(x)": lambda: da.percentile(x, [100 * q for q in QUANTILES]),
        "df['a'].quantile()": lambda: frame["a"].quantile(QUANTILES),
    }
    print(f"{n} normally distributed f64 in {chunks} chunks, dask {dask.__version__},", end=" ")
    print(f"pandas {pd.__version__}, threaded scheduler, {rounds} rounds: median s, least CPU s")
    times = {name: [] for name in calls}
    seconds = {name: [] for name in calls}
    notes = dict.fromkeys(calls, "")
    for _ in range(rounds):
        for name, make in calls.items():
            begun, begun_cpu = time.perf_counter(), time.process_time()
            run = dask.persist if "partitions" in name else dask.compute
            (result,) = run(make(), scheduler="threads")
            times[name].append(time.perf_counter() - begun)
            seconds[name].append(time.process_time() - begun_cpu)
            if "quantile" in name or "percentile" in name:
                notes[name] = f"largest error {np.abs(np.asarray(result) - exact).max():.2g}"
            del result
    for name in ("ordo.dask.sort(df, by='a')", "df.sort_values('a')", "df.set_index('a')"):
        notes[name] = sizes(calls[name]())
    for name in calls:
        middle, least = sorted(times[name])[rounds // 2], min(seconds[name])
        print(f"{name:<28}{middle:>8.3f}{least:>8.3f}  {notes[name]}".rstrip())


if __name__ == "__main__":
    main()
