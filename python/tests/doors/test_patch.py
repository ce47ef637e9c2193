"""NumPy, SciPy and pandas with `ordo.patch`, beside themselves without it."""

import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import ordo
from ordo import _patch

RANDOM = np.random.default_rng(7)
N = 70_001  # every rule takes it
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
    with ordo.patched():
        found = outcome(call)
    assert taken() > before
    assert type(found) is type(expected), (found, expected)
    if not isinstance(expected, Exception):
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_array_equal(found, expected)


def taken():
    return ordo._lib.ext.sorts_hooked()[0] + sum(calls for calls, _, _ in _patch._done.values())


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
        with ordo.patched():
            b.sort()
        np.testing.assert_array_equal(b, np.sort(a))
    with ordo.patched():
        order = np.argsort(a)
    np.testing.assert_array_equal(a[order], np.sort(a))
    np.testing.assert_array_equal(np.sort(order), np.arange(N))


@pytest.mark.parametrize("dtype", DTYPES)
def test_selections(dtype):
    a = keys(dtype)
    whole = np.nan_to_num(a)
    for b in (a, whole, whole[: N // 3 * 3].reshape(3, -1)):
        assert_same(lambda b=b: np.median(b))
        assert_same(lambda b=b: np.nanmedian(b, axis=-1))
    if dtype != "f4":
        assert_same(lambda: np.quantile(whole, [0.1, 0.5, 0.77]))
        assert_same(lambda: np.percentile(a, 90))
        assert_same(lambda: np.nanquantile(a, 0.3, method="hazen"))
        assert_same(lambda: np.nanpercentile(a, [0, 30, 100]))
    assert_same(lambda: np.searchsorted(np.sort(a), a[:9000], side="right"))
    assert_same(lambda: np.partition(a, 500)[500])
    assert_same(lambda: a[np.argpartition(a, 500)[500]])
    if dtype[0] != "f":
        assert_same(lambda: np.cumsum(a))


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
def test_scipy(method):
    stats = pytest.importorskip("scipy.stats")
    for dtype in ("i2", "f8"):
        a = np.nan_to_num(keys(dtype, 5000))
        assert_same(lambda a=a: stats.rankdata(a, method))


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "first"])
def test_pandas(method):
    pd = pytest.importorskip("pandas")
    column = pd.Series(keys("f8"), index=np.arange(N)[::-1], name="x")
    for call in (
        lambda: column.rank(method=method),
        lambda: column.sort_values(kind="stable"),
        lambda: column.median(),
        lambda: column.quantile([0.1, 0.9]),
        lambda: pd.DataFrame({"x": column, "y": 1}).sort_values("x", kind="stable"),
    ):
        expected = call()
        with ordo.patched():
            found = call()
        if isinstance(found, pd.DataFrame):
            pd.testing.assert_frame_equal(found, expected)
        elif isinstance(found, pd.Series):
            pd.testing.assert_series_equal(found, expected)
        else:
            assert found == expected


def test_what_is_left_to_the_original():
    a = keys("f8")
    infinite = np.append(a, np.inf)
    calls = [
        lambda: np.median(a[:100]),
        lambda: np.median(a.astype("f2")),
        lambda: np.median(np.ma.masked_invalid(a)),
        lambda: np.median(a, overwrite_input=False),
        lambda: np.quantile(infinite, 0.5),
        lambda: np.sort(a.astype(a.dtype.newbyteorder())),
        lambda: np.lexsort((a, np.round(a))),
        lambda: np.quantile(np.nan_to_num(a), 2.0),
        lambda: np.median(a, axis=3),
        lambda: np.searchsorted(np.sort(a), 1.5),
    ]
    for call in calls:
        expected = outcome(call)
        with ordo.patched():
            found = outcome(call)
        assert type(found) is type(expected)
        if isinstance(expected, Exception):
            assert str(found) == str(expected)
        else:
            np.testing.assert_array_equal(found, expected)


def test_the_switch():
    ours = [rule.name for rule in _patch._RULES if rule.module == "numpy"]
    functions = {name: getattr(np, name) for name in ours}
    ordo.patch()
    ordo.patch()
    with ordo.patched():
        pass
    assert np.median is not functions["median"] and np.median.__wrapped__ is functions["median"]
    ordo.unpatch()
    ordo.unpatch()
    assert all(getattr(np, name) is function for name, function in functions.items())


def test_warnings():
    """A row without a number warns once, as before."""
    a = np.full((2, 5000), np.nan)
    with ordo.patched(), pytest.warns(RuntimeWarning, match="All-NaN") as found:
        assert np.isnan(np.nanmedian(a, axis=None))
    assert len(found) == 1


def test_threads():
    a, failed = keys("f8"), []
    expected = np.sort(a)

    def work():
        for _ in range(5):
            if not np.array_equal(np.sort(a), expected, equal_nan=True):
                failed.append(1)

    with ordo.patched():
        threads = [threading.Thread(target=work) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failed


PROGRAM = """
import os, sys
import numpy as np
from scipy.stats import rankdata
a = np.random.default_rng(1).permutation(100_000)
assert (rankdata(a) == a + 1).all() and (np.sort(a) == np.arange(100_000)).all()
child = os.fork()
if child == 0:
    os._exit(not (np.sort(a) == np.arange(100_000)).all())
assert os.waitpid(child, 0)[1] == 0
print(sys.argv[1:], __name__)
"""


def test_programs(tmp_path):
    pytest.importorskip("scipy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "ordo", "--stats", str(program), "--x", "1"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "['--x', '1'] __main__\n"
    assert "scipy.stats.rankdata" in done.stderr and "calls" in done.stderr
    plain = subprocess.run(
        [sys.executable, "-m", "ordo", str(program)], capture_output=True, text=True, check=True
    )
    assert plain.stderr == ""
