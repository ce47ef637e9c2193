"""min, max, sum, count, describe, unique, percentile, shuffle, sample and merge against NumPy, the
exact sums of Python's integers and math.fsum, and the NaN rules of the Python package."""

from __future__ import annotations

import io
import itertools
import math
import os
import subprocess
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from cases import FLOATS, INTEGERS

import ordo

COMMAND = Path(os.environ.get("ORDO_LIBRARY", "")).parent / "ordo"
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "ORDO_TUNE_FILE": ""}

pytestmark = pytest.mark.skipif(
    not (COMMAND.is_file() and os.access(COMMAND, os.X_OK)),
    reason="the command is not beside the library",
)


def run(*words, data=b"", code=0):
    done = subprocess.run(
        [COMMAND, *map(str, words)], input=data, capture_output=True, env=ENVIRONMENT, check=False
    )
    assert done.returncode == code, (words, done.stderr)
    return done


def npy(a):
    file = io.BytesIO()
    np.save(file, a)
    return file.getvalue()


def results(*words, data=b""):
    return np.load(io.BytesIO(run(*words, "--format", "npy", data=data).stdout))


def exact_sum(a):
    """math.fsum() cannot hold sums beyond f64, but is faster than fractions."""
    values = a.astype("f8").tolist()
    return math.fsum(values) if len(values) > 100 else float(sum(map(Fraction, values)))


def arrays():
    r = np.random.default_rng(5)
    for kind in INTEGERS:
        limits = np.iinfo(kind)
        for n in (1, 2, 1000, 70000):
            yield r.integers(limits.min, limits.max, n, dtype=kind, endpoint=True)
    for kind in FLOATS:
        for n in (1, 3, 1000, 70000):
            a = r.standard_normal(n) * 10.0 ** r.integers(-20, 20, n)
            yield a.astype(kind)
    yield np.array([5e-324, -5e-324, 2.2250738585072014e-308, 5e-324])
    yield np.array([1e308, 1e308, -1e308, -1e308, 1e292, 5e-324])
    yield np.array([0.0, -0.0])
    # More than one task of the command, with an exact sum that rounding one by one would miss.
    big = np.tile(np.array([1e16, 1.0, -1e16]), 1200000)
    yield r.permutation(big)


@pytest.mark.parametrize("a", list(arrays()), ids=lambda a: f"{a.dtype}-{len(a)}")
def test_sums_and_extremes(a):
    data = npy(a)
    total = run("sum", data=data).stdout.decode().strip()
    if a.dtype.kind == "f":
        assert float(total) == exact_sum(a)
    else:
        assert int(total) == sum(a.tolist())
    low, high = results("min", data=data), results("max", data=data)
    assert low.dtype == a.dtype and high.dtype == a.dtype
    assert low[0] == a.min() and high[0] == a.max()
    if a.dtype.kind == "f" and a.min() == 0:
        assert np.signbit(low[0]) and not np.signbit(high[0])
    assert int(run("count", data=data).stdout) == len(a)


@pytest.mark.parametrize("threads", [1, 3])
def test_sum_does_not_depend_on_threads(threads):
    a = np.random.default_rng(6).standard_normal(3 << 20)
    total = run("sum", "--threads", threads, data=npy(a)).stdout
    assert float(total) == math.fsum(a.tolist())


def test_sum_of_infinities():
    assert run("sum", data=b"inf\n1.5\n").stdout == b"inf\n"
    assert run("sum", data=b"-inf\n1.5\n").stdout == b"-inf\n"
    assert run("sum", data=b"inf\n-inf\n").stdout == b"nan\n"
    assert run("sum", data=b"").stdout == b"0\n"
    assert run("sum", data=b"1e308\n1e308\n").stdout == b"inf\n"


def test_sum_beyond_64_bits():
    data = npy(np.full(3, 2**64 - 1, dtype="u8"))
    assert int(run("sum", data=data).stdout) == 3 * (2**64 - 1)
    assert b"--format text" in run("sum", "--format", "npy", data=data, code=2).stderr
    one = npy(np.array([2**64 - 1], dtype="u8"))
    assert results("sum", data=one)[0] == 2**64 - 1


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_nans_as_in_python(kind):
    """By default a NaN is the result, in the command and in the package; omit leaves it out."""
    a = np.array([3, np.nan, 1, 2], dtype=kind)
    data = npy(a)
    for verb in ("min", "max", "sum", "median", "percentile", "quantile"):
        assert np.isnan(results(verb, data=data)).all(), verb
    assert np.isnan(ordo.median(a)) and np.isnan(ordo.percentile(a, 50))
    assert results("min", "--nans", "omit", data=data)[0] == 1
    assert results("max", "--nans", "omit", data=data)[0] == 3
    assert results("sum", "--nans", "omit", data=data)[0] == 6
    assert results("median", "--nans", "omit", data=data)[0] == ordo.nanmedian(a)
    assert run("count", data=data).stdout == b"4\n"
    assert run("count", "--nans", "omit", data=data).stdout == b"3\n"
    described = results("describe", data=data)
    assert described[0] == 4 and np.isnan(described[1:]).all()
    described = results("describe", "--nans", "omit", data=data)
    assert described.tolist() == [3, 2, 1, 1, 1.5, 2, 2.5, 3]


def test_no_numbers():
    assert b"no numbers" in run("min", data=b"", code=2).stderr
    nothing = npy(np.array([np.nan]))
    assert b"not NaN" in run("max", "--nans", "omit", data=nothing, code=2).stderr
    lines = run("describe", data=b"").stdout.decode().split()
    assert lines[:2] == ["count", "0"] and lines[3::2] == ["nan"] * 7


def test_describe():
    a = np.random.default_rng(7).integers(0, 2**64, 1001, dtype="u8", endpoint=False)
    words = run("describe", data=npy(a)).stdout.decode().split()
    values = dict(zip(words[::2], words[1::2]))
    assert list(values) == ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
    assert int(values["count"]) == 1001
    assert float(values["mean"]) == float(sum(a.tolist())) / 1001
    assert int(values["min"]) == a.min() and int(values["max"]) == a.max()
    for name in ("25%", "50%", "75%"):
        assert float(values[name]) == ordo.percentile(a, float(name[:-1]))


def test_percentile():
    a = np.random.default_rng(8).standard_normal(999)
    places = [0, 1, 12.5, 50, 99.9, 100]
    got = results("percentile", "-p", ",".join(map(str, places)), data=npy(a))
    assert np.array_equal(got, np.percentile(a, places))
    assert b"from 0 to 100" in run("percentile", "-p", "101", data=b"1\n", code=2).stderr


@pytest.mark.parametrize("kind", ["u1", "i8", "f8"])
def test_unique(kind):
    a = np.random.default_rng(9).integers(0, 50, 3000).astype(kind)
    values, counts = np.unique(a, return_counts=True)
    assert np.array_equal(results("unique", data=npy(a)), values)
    assert int(run("unique", "--count", data=npy(a)).stdout) == len(values)
    lines = run("unique", "--counts", "--format", "text", data=npy(a)).stdout.decode().split("\n")
    assert lines[:-1] == [f"{c} {int(v)}" for v, c in zip(values, counts)]
    back = results("unique", "--descending", data=npy(a))
    assert np.array_equal(back, values[::-1])


def test_shuffle_is_a_permutation():
    a = np.arange(10000, dtype="i4")
    one = results("shuffle", "--seed", 3, data=npy(a))
    assert np.array_equal(np.sort(one), a) and not np.array_equal(one, a)
    for threads in (1, 4):
        again = results("shuffle", "--seed", 3, "--threads", threads, data=npy(a))
        assert np.array_equal(one, again)
    assert not np.array_equal(one, results("shuffle", "--seed", 4, data=npy(a)))
    some = results("sample", "-k", 100, "--seed", 3, data=npy(a))
    assert np.array_equal(some, one[:100])
    lines = run("shuffle", "--text", "--seed", 3, data=b"".join(b"%d\n" % i for i in a)).stdout
    assert np.array_equal(np.array(lines.split(), dtype="i4"), one)


def test_orders_are_equally_likely():
    """The seeds are fixed, so the counts are, too. 240 draws of 6 orders: the sum of the squared
    deviations over 40 has mean 5 and exceeds 20 with a probability of 0.1 %."""
    counts = Counter(
        run("shuffle", "--seed", seed, data=b"1\n2\n3\n").stdout for seed in range(240)
    )
    assert len(counts) == len(list(itertools.permutations(range(3))))
    assert sum((c - 40) ** 2 / 40 for c in counts.values()) < 20


def test_sample():
    data = npy(np.arange(10, dtype="u2"))
    assert len(results("sample", "-k", 20, data=data)) == 10
    assert len(results("sample", "-k", 0, data=data)) == 0
    many = results("sample", "-k", 500, "--replace", data=data)
    assert len(many) == 500 and set(many.tolist()) == set(range(10))
    assert b"no elements" in run("sample", "-k", 1, "--replace", data=b"", code=2).stderr
    assert b"-k K is missing" in run("sample", data=b"1\n", code=2).stderr


def test_merge(tmp_path):
    r = np.random.default_rng(10)
    parts = [np.sort(r.integers(0, 1000, n)) for n in (0, 1, 500, 3000)]
    names = []
    for i, part in enumerate(parts):
        names.append(tmp_path / f"{i}.npy")
        np.save(names[-1], part)
    whole = np.sort(np.concatenate(parts))
    run("merge", *names, "-o", tmp_path / "all.npy")
    assert np.array_equal(np.load(tmp_path / "all.npy"), whole)
    run("merge", *names, "--unique", "-o", tmp_path / "all.npy")
    assert np.array_equal(np.load(tmp_path / "all.npy"), np.unique(whole))
    np.save(names[2], parts[2][::-1])
    (tmp_path / "all.npy").unlink()
    done = run("merge", *names, "-o", tmp_path / "all.npy", code=2)
    assert b"2.npy: not sorted: number" in done.stderr
    assert not (tmp_path / "all.npy").exists()
    (tmp_path / "a.txt").write_bytes(b"1\n007\n")
    (tmp_path / "b.txt").write_bytes(b"+3\n7.0\n9\n")
    done = run("merge", tmp_path / "a.txt", tmp_path / "b.txt")
    assert done.stdout == b"1\n+3\n007\n7.0\n9\n"


def test_check(tmp_path):
    file = tmp_path / "a.npy"
    np.save(file, np.array([1, 2, 2, 5]))
    assert run("check", file).stderr == b""
    assert b":3: disorder: 2" in run("check", "--unique", file, code=1).stderr
    assert b":2: disorder: 2" in run("check", "-r", file, code=1).stderr
    assert run("check", "-r", "-q", file, code=1).stderr == b""
    assert run("check", "--text", data=b"a\nb\n").stderr == b""
    assert b":2: disorder: a" in run("check", "--text", data=b"b\na\n", code=1).stderr
