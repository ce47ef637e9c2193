"""NumPy, SciPy and pandas with `ordo.patch`, beside themselves without it."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import ordo
from ordo import _patch
from ordo._patch import _numpy, _switch

RANDOM = np.random.default_rng(7)
N = 20_001
DTYPES = "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split()


def keys(dtype, n=N):
    if dtype[0] == "f":
        made = (RANDOM.normal(size=n) * 100).astype(dtype)
        made[:: n // 7] = np.nan
        made[1 :: n // 5] = -0.0
        return made
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max, n, dtype, endpoint=True)


def outcome(call):
    """Returns the result of a call, or its exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception as error:
            return error


def assert_same(call):
    """The call gives the same with ordo, and ordo has done it."""
    expected = outcome(call)
    before = taken()
    with ordo.patched(least=1):
        found = outcome(call)
    assert taken() > before
    assert type(found) is type(expected), (found, expected)
    if not isinstance(expected, Exception):
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_array_equal(found, expected)


def taken():
    return ordo._lib.ext.sorts_hooked()[0] + sum(calls for calls, _, _ in _switch.done.values())


@pytest.mark.parametrize("dtype", DTYPES)
def test_sorts(dtype):
    a = keys(dtype)
    assert_same(lambda: np.sort(a))
    assert_same(lambda: np.sort(a, kind="stable"))
    assert_same(lambda: np.argsort(a, kind="stable"))
    assert_same(lambda: np.unique(a))
    every = {"return_index": True, "return_inverse": True, "return_counts": True}
    for part in range(4):
        assert_same(lambda part=part: np.unique(a, **every)[part])
    if _patch._has_table():
        assert_same(lambda: a.argsort(kind="stable"))
        assert_same(lambda: np.sort(np.stack([a, a[::-1]], axis=1), axis=0))
        b = a.copy()
        with ordo.patched(least=1):
            b.sort()
        np.testing.assert_array_equal(b, np.sort(a))
    with ordo.patched(least=1):
        order = np.argsort(a)
    np.testing.assert_array_equal(a[order], np.sort(a))
    np.testing.assert_array_equal(np.sort(order), np.arange(N))


@pytest.mark.parametrize("dtype", DTYPES)
def test_selections(dtype):
    a = keys(dtype) if dtype[1] != "8" or dtype[0] == "f" else keys(dtype) >> 11
    whole = np.nan_to_num(a)
    for b in (a, whole, whole[: N // 3 * 3].reshape(3, -1)):
        assert_same(lambda b=b: np.median(b))
        assert_same(lambda b=b: np.nanmedian(b, axis=-1))
    if dtype != "f4":
        assert_same(lambda: np.quantile(whole, [0.1, 0.5, 0.77]))
        assert_same(lambda: np.percentile(a, 90))
        assert_same(lambda: np.nanquantile(a, 0.3, method="hazen"))
        assert_same(lambda: np.nanpercentile(a, [0, 30, 100]))
        cube = whole[: N // 12 * 12].reshape(3, 4, -1)
        assert_same(lambda: np.nanquantile(cube, [0.1, 0.5], axis=(0, 2)))
        assert_same(lambda: np.nanquantile(cube, 0.5, axis=np.array([-1])))
    assert_same(lambda: np.searchsorted(np.sort(a), a[:9000], side="right"))
    assert_same(lambda: np.searchsorted(np.sort(a), a[:9000], "right"))
    assert_same(lambda: np.partition(a, 500)[500])
    assert_same(lambda: a[np.argpartition(a, 500)[500]])
    assert_same(lambda: np.lexsort((a, a[::-1].round(-1))))
    if dtype[0] != "f":
        assert_same(lambda: np.cumsum(a))


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
def test_scipy(method):
    stats = pytest.importorskip("scipy.stats")
    for dtype in ("i2", "f8"):
        a = np.nan_to_num(keys(dtype, 5000))
        assert_same(lambda a=a: stats.rankdata(a, method))
    b = keys("f8", 700)
    for policy in ("propagate", "omit"):
        assert_same(lambda policy=policy: stats.rankdata(b, method, nan_policy=policy))


def test_tests_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    a, b = RANDOM.normal(size=900).round(1), RANDOM.normal(size=900).round(1)
    for test in (stats.mannwhitneyu, stats.wilcoxon):  # SciPy 1.18 ranks them by sorts
        assert_same(lambda test=test: (np.median(a), *test(a, b)))
    assert_same(lambda: tuple(stats.spearmanr(a, b)))
    assert_same(lambda: tuple(stats.kruskal(a, b)))


# ---- pandas ------------------------------------------------------------------------------------


def frame(n=900):
    pd = pytest.importorskip("pandas")
    x = RANDOM.normal(size=n).round(1)
    x[:2], x[::9] = np.inf, np.nan
    made = {
        "g": RANDOM.integers(0, 20, n),
        "h": np.where(RANDOM.random(n) < 0.1, np.nan, RANDOM.integers(0, 5, n)),
        "x": x,
        "y": RANDOM.normal(size=n),
        "f": x.astype("f4"),
        "u": RANDOM.integers(0, 255, n).astype("u1"),
        "i": RANDOM.integers(-(2**60), 2**60, n),
        "m": pd.array(RANDOM.integers(0, 9, n), dtype="Int64"),
        "t": pd.to_datetime(RANDOM.integers(0, 10**18, n)),
    }
    made = pd.DataFrame(made, index=np.arange(n)[::-1])
    made.loc[made.g == 3, "x"] = np.nan
    made.loc[::7, "m"] = pd.NA
    made.loc[::8, "t"] = pd.NaT
    return made


def assert_same_frames(label, calls):
    """The calls give the same with ordo, which has done at least one of those of the label."""
    from pandas import testing

    def count():
        return taken() if label is None else _switch.done.get(label, [0])[0]

    expected = [outcome(call) for call in calls]
    before = count()
    with ordo.patched(least=1):
        found = [outcome(call) for call in calls]
    assert count() > before
    for old, new in zip(expected, found):
        if isinstance(old, Exception):
            assert type(old) is type(new) and str(old) == str(new)
        elif hasattr(old, "columns"):
            testing.assert_frame_equal(new, old, check_exact=True)
        elif hasattr(old, "index"):
            testing.assert_series_equal(new, old, check_exact=True)
        else:
            assert type(old) is type(new) and old == new


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "first", "wrong"])
def test_ranks_of_pandas(method):
    a = frame()
    options = [
        {"method": method, "ascending": ascending, "pct": pct, "na_option": option}
        for ascending in (True, False)
        for pct in (True, False)
        for option in ("keep", "top")
    ]
    label = "pandas rank" if method != "wrong" else "pandas sort_values"
    calls = [lambda: a.y.sort_values()]
    for each in options:
        calls += [
            lambda each=each: a.x.rank(**each),
            lambda each=each: a.rank(**each),
            lambda each=each: a[["x", "y"]].rank(axis=1, **each),
        ]
    assert_same_frames(label, calls)
    label = "pandas groupby.rank" if method != "wrong" else "pandas sort_values"
    calls = [lambda: a.y.sort_values()]
    for each in options:
        calls += [
            lambda each=each: a.groupby("g")[["x", "u", "m", "t"]].rank(**each),
            lambda each=each: a.groupby("h").y.rank(**each),
        ]
    assert_same_frames(label, calls)


def test_order_of_pandas():
    a = frame()
    calls = []
    for ascending in (True, False):
        for place in ("first", "last"):
            how = {"ascending": ascending, "na_position": place}
            calls += [
                lambda how=how: a.x.sort_values(kind="stable", **how),
                lambda how=how: a.y.sort_values(ignore_index=True, **how),
                lambda how=how: a.sort_values("x", kind="stable", **how),
                lambda how=how: a.sort_values(["u", "x"], **how),
                lambda how=how: a.sort_values("t", kind="stable", **how),
                lambda how=how: a.sort_values("m", kind="stable", **how),
                lambda how=how: a.sort_values("u", kind="stable", key=lambda k: -k, **how),
            ]
    assert_same_frames("pandas sort_values", calls)
    calls = []
    for keep in ("first", "last", "all"):
        calls += [
            lambda keep=keep: a.x.nlargest(30, keep=keep),
            lambda keep=keep: a.u.nsmallest(30, keep=keep),
            lambda keep=keep: a.nlargest(30, ["u", "x"], keep=keep),
            lambda keep=keep: a.t.nsmallest(3, keep=keep),
            lambda keep=keep: a.groupby("g").f.nlargest(3, keep=keep),
        ]
    assert_same_frames("pandas nlargest, nsmallest", calls)


def test_groups_of_pandas():
    a = frame()
    numbers = a.drop(columns="t")
    calls = [
        lambda: a.groupby("g").x.median(),
        lambda: a.groupby("h")[["x", "y", "u", "i", "f"]].median(),
        lambda: a.groupby("h", dropna=False).y.transform("median"),
        lambda: a.groupby(["g", "h"]).m.median(),
        lambda: a.groupby("g").x.agg(np.nanmedian),
    ]
    assert_same_frames("pandas groupby.median", calls)
    calls = []
    for between in ("linear", "lower", "higher", "midpoint", "nearest", "wrong"):
        calls += [
            lambda b=between: numbers.groupby("g").quantile([0, 0.1, 0.77, 1], interpolation=b),
            lambda b=between: numbers.groupby("h").quantile(0.3, interpolation=b),
            lambda b=between: a.groupby("h").y.quantile(0.2, interpolation=b),
            lambda b=between: a.groupby("h").y.quantile(2, interpolation=b),
        ]
    assert_same_frames("pandas groupby.quantile", calls)


@pytest.mark.parametrize("width", [1, 4, 51, 5000])
def test_windows_of_pandas(width):
    a = frame()[["x", "y"]]
    medians, quantiles, ranks = [lambda: a.rolling(1).median()], [], []
    for least in (None, 1, 0):
        for center in (True, False):
            for closed in (None, "both", "left"):
                windows = a.rolling(width, least, center=center, closed=closed)
                medians.append(windows.median)
                ranks += [windows.rank, lambda w=windows: w.rank("min", ascending=False, pct=True)]
                quantiles += [
                    lambda w=windows, b=between: w.quantile(0.37, interpolation=b)
                    for between in ("linear", "lower", "higher", "midpoint", "nearest", "wrong")
                ]
    medians += [lambda: a.rolling(width, step=3).median(), lambda: a.expanding().median()]
    assert_same_frames("pandas rolling.median", medians)
    assert_same_frames("pandas rolling.quantile", quantiles)
    assert_same_frames("pandas rolling.rank", ranks)


def test_descriptions_of_pandas():
    a = frame()
    calls = [
        a.y.describe,
        lambda: a.quantile([0.1, 0.77], numeric_only=True),
        lambda: a.y.quantile(0.9),
    ]
    for call in calls:
        assert_same_frames(None, [call])


# ---- The switch --------------------------------------------------------------------------------


def test_what_is_left_to_the_original():
    a = keys("f8")
    infinite, integers = np.append(a, np.inf), keys("i8", N // 3 * 3).reshape(3, -1)
    calls = [
        lambda: np.median(a.astype("f2")),
        lambda: np.median(np.ma.masked_invalid(a)),
        lambda: np.median(a, overwrite_input=False),
        lambda: np.quantile(infinite, 0.5),
        lambda: np.quantile(integers, 0.3, axis=1),
        lambda: np.sort(a.astype(a.dtype.newbyteorder())),
        lambda: np.lexsort((a, np.round(a))),
        lambda: np.quantile(np.nan_to_num(a), 2.0),
        lambda: np.median(a, axis=3),
        lambda: np.searchsorted(np.sort(a), 1.5),
        lambda: np.median(np.empty(0)),
        lambda: np.lexsort(np.stack([a, a])),
    ]
    for call in calls:
        expected = outcome(call)
        with ordo.patched(least=0):
            found = outcome(call)
        assert type(found) is type(expected)
        if isinstance(expected, Exception):
            assert str(found) == str(expected)
        else:
            np.testing.assert_array_equal(found, expected)


def test_the_switch():
    ours = [rule.name for rule in _numpy.RULES]
    functions = {name: getattr(np, name) for name in ours}
    ordo.patch()
    ordo.patch()
    with ordo.patched():
        pass
    assert np.median is not functions["median"] and np.median.__wrapped__ is functions["median"]
    ordo.unpatch()
    ordo.unpatch()
    assert all(getattr(np, name) is function for name, function in functions.items())


def test_small_arrays():
    a = keys("f8", 100)
    with ordo.patched():
        before = taken()
        np.median(a), np.sort(a), np.argsort(a)
        assert taken() == before
        np.argsort(keys("f8", _switch.LEAST))
        assert taken() == before + 1


class Length:
    """An array type that knows functions of NumPy by a table."""

    def __array_function__(self, function, types, args, kwargs):
        return {np.median: "median", np.sort: "sort"}[function]


def test_names_of_functions():
    """A replaced function equals the original, as a key and in a pickle."""
    median = np.median
    table = {np.median: "before"}
    with ordo.patched(least=1):
        assert table[np.median] == "before"
        table = {np.median: "with"}
        assert pickle.loads(pickle.dumps(np.median)) is np.median
        assert np.median(Length()) == "median" and np.sort(Length()) == "sort"
        kept = np.median
    assert table[median] == "with" and table[kept] == "with"
    before = taken()
    assert kept(np.arange(5.0)) == 2.0 and taken() == before
    assert np.median(Length()) == "median"


def test_without_a_table(monkeypatch):
    """As with NumPy 2.5: sorts are replaced by name."""
    monkeypatch.setattr(_patch, "_has_table", lambda: False)
    a = keys("f8")
    before = _switch.done.get("numpy.sort", [0])[0], _switch.done.get("numpy.argsort", [0])[0]
    assert_same(lambda: np.sort(a))
    assert_same(lambda: np.argsort(a, kind="stable"))
    assert (_switch.done["numpy.sort"][0], _switch.done["numpy.argsort"][0]) > before
    assert not hasattr(np.sort, "_attempt")


def test_the_version_of_numpy():
    version = tuple(int(part) for part in np.__version__.split(".")[:2])
    assert _patch._has_table() == (version < (2, 5))
    if version < (2, 5):
        with ordo.patched(least=1):
            before = ordo._lib.ext.sorts_hooked()[0]
            np.arange(9)[::-1].copy().sort()
        assert ordo._lib.ext.sorts_hooked()[0] == before + 1


def test_warnings():
    """A row without a number warns once, as before."""
    a = np.full((2, 5000), np.nan)
    with ordo.patched(), pytest.warns(RuntimeWarning, match="All-NaN") as found:
        assert np.isnan(np.nanmedian(a, axis=None))
    assert len(found) == 1


def test_threads():
    a, failed = keys("f8", 70_001), []
    expected = np.sort(a)

    def work():
        for _ in range(5):
            if not np.array_equal(np.sort(a), expected, equal_nan=True):
                failed.append(1)

    with ordo.patched(least=1):
        threads = [threading.Thread(target=work) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failed


def test_unpatch_waits_for_patch(monkeypatch):
    """Another thread that calls `unpatch` meanwhile leaves either state, but no part of both."""
    hook_sorts, begun = _patch._lib.ext.hook_sorts, []

    def hook_later(*least):
        begun.append(threading.Thread(target=ordo.unpatch))
        begun[0].start()
        begun[0].join(timeout=0.5)  # it ends here only if it does not wait
        return hook_sorts(*least)

    monkeypatch.setattr(_patch._lib.ext, "hook_sorts", hook_later)
    original = np.median
    ordo.patch(least=1)
    begun[0].join()
    before = _patch._lib.ext.sorts_hooked()[0]
    np.sort(np.arange(9.0)), np.argsort(np.arange(9.0))
    assert _patch._lib.ext.sorts_hooked()[0] == before
    assert not _patch._switch.active and np.median is original


@pytest.mark.skipif(not _patch._has_table(), reason="np.sort is replaced by name")
def test_sorts_while_threads_hook():
    ext, ended, failed = _patch._lib.ext, threading.Event(), []
    a = keys("f8", 3001)
    expected = np.sort(a)

    def work(step):
        while not ended.is_set():
            step()

    def check():
        if not np.array_equal(np.sort(a), expected, equal_nan=True):
            failed.append(1)

    steps = [check, check, ext.unhook_sorts, *[lambda: ext.hook_sorts(1, 1)] * 2]
    threads = [threading.Thread(target=work, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    for _ in range(200):
        check()
    ended.set()
    for thread in threads:
        thread.join()
    ext.unhook_sorts()
    before = ext.sorts_hooked()[0]
    check()
    assert not failed and ext.sorts_hooked()[0] == before


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_while_a_thread_patches():
    """The child of a fork can patch, though the parent has the lock for ever."""
    locked, end = threading.Event(), threading.Event()

    def hold():
        with _patch._switch.lock:
            locked.set()
            end.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    locked.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        with ordo.patched():
            os._exit(0)
    end.set()
    holder.join()
    assert os.waitpid(child, 0)[1] == 0


# Prints how many MiB stay after a large sort, and how many threads four sorts at once have.
MANY = """
import os, threading, time
import numpy as np, ordo
def resident():
    return int([line for line in open("/proc/self/status") if "VmRSS" in line][0].split()[1]) >> 10
ordo.patch(1)
small, large = np.random.default_rng(1).random(300_000), np.random.default_rng(1).random(12_000_000)
before = resident()
expected = np.sort(large)
assert (np.diff(expected) >= 0).all()
del expected
kept, most, failed = resident() - before, 0, []
def work():
    for a in (large[:9_000_000], small, small, small):
        if not (np.diff(np.sort(a)) >= 0).all():
            failed.append(1)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
while any(thread.is_alive() for thread in threads):
    most = max(most, len(os.listdir("/proc/self/task")))
    time.sleep(0.001)
assert not failed
print(kept, most)
"""

# Sorts with too little address space for scratch. The sorts of NumPy 2.0 to 2.4 need none.
SCARCE = """
import resource
import numpy as np, ordo
ordo.patch(1)
a = np.random.default_rng(1).random(12_000_000)
np.sort(a[:10]), np.argsort(a[:10])
used = int([line for line in open("/proc/self/status") if "VmSize" in line][0].split()[1]) << 10
resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20), resource.RLIM_INFINITY))
before = ordo._lib.ext.sorts_hooked()[0]
a.sort()
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert (np.diff(a) >= 0).all()
print("sorted")
"""


def printed(program):
    environment = {**os.environ, "ORDO_THREADS": "4"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(not _patch._has_table(), reason="np.sort is replaced by name")
def test_many_sorts():
    kept, threads = map(int, printed(MANY))
    assert kept < 80  # the keys have 92 MiB, and so has the scratch
    assert threads <= 1 + 4 + 3 + 3  # one small and one large sort at a time have four threads


@pytest.mark.skipif(not _patch._has_table(), reason="np.sort is replaced by name")
def test_little_memory():
    assert printed(SCARCE) == ["sorted"]


PROGRAM = """
import os, sys
import numpy as np
from scipy.stats import rankdata
n = 300_000
a = np.random.default_rng(1).permutation(n)
assert (rankdata(a) == a + 1).all() and (np.sort(a) == np.arange(n)).all()
child = os.fork()
if child == 0:
    os._exit(not (np.sort(a) == np.arange(n)).all())
assert os.waitpid(child, 0)[1] == 0
print(sys.argv[1:], __name__)
"""


def test_programs(tmp_path):
    pytest.importorskip("scipy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    python = [sys.executable, "-W", "ignore::DeprecationWarning"]  # of fork() with threads
    done = subprocess.run(
        [*python, "-m", "ordo", "--stats", str(program), "--x", "1"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "['--x', '1'] __main__\n"
    assert "scipy.stats.rankdata" in done.stderr and "calls" in done.stderr
    plain = subprocess.run(
        [*python, "-m", "ordo", str(program)], capture_output=True, text=True, check=True
    )
    assert plain.stderr == ""
