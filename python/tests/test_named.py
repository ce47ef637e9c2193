"""Algorithms by name, ranks of sorted arrays, flags, generators and the CPU's share."""

from __future__ import annotations

import numpy as np
import pytest
from cases import NUMBERS, same, sample
from hypothesis import given
from hypothesis import strategies as st

import ordo

METHODS = ["average", "min", "max", "dense", "ordinal"]
SORTS = ["radix", "sample", "merge", "bitonic", "split", "bubble", "rough", "halving"]


@pytest.mark.parametrize("algorithm", SORTS)
def test_ranks_by_every_sort(rng, algorithm):
    a = rng.integers(0, 50, 700).astype(np.float32)
    for method in METHODS:
        same(ordo.rankdata(a, method, algorithm=algorithm), ordo.rankdata(a, method))
    rows = a.reshape(70, 10)
    same(ordo.rankdata(rows, axis=1, algorithm=algorithm), ordo.rankdata(rows, axis=1))
    same(ordo.argsort(rows, algorithm=algorithm), np.argsort(rows, kind="stable"))
    assert ordo.explain().algorithm == algorithm


@pytest.mark.parametrize("algorithm", ["rough", "halving"])
def test_radius_is_given(algorithm):
    a = ordo.generate("ksorted", 5000, "int32", k=7, seed=3)
    values = np.arange(a.size)
    for radius in (0, 1, 7, 4999):  # 1 is too small, which the call detects
        same(ordo.sort(a, algorithm=algorithm, radius=radius), np.sort(a))
        same(ordo.argsort(a, algorithm=algorithm, radius=radius), np.argsort(a, kind="stable"))
        keys, moved = ordo.sort_pairs(a, values, algorithm=algorithm, radius=radius)
        same(keys, np.sort(a))
        same(moved, np.argsort(a, kind="stable"))
    for call in (ordo.sort, ordo.argsort, lambda a, **f: ordo.sort_pairs(a, a, **f)):
        with pytest.raises(TypeError, match=r"radius is 1\.5; expected an integer"):
            call(a, algorithm=algorithm, radius=1.5)
        with pytest.raises(ValueError, match="radius is -1; expected"):
            call(a, algorithm=algorithm, radius=-1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_rank_sorted(rng, method, dtype):
    a = np.sort(sample(rng, 3000, dtype))
    expected = ordo.rankdata(a, method, nan_policy="omit")
    keep = ~np.isnan(a)
    for algorithm in ("auto", "sequential", "threads"):
        ranks = ordo.rank_sorted(a, method, algorithm=algorithm)
        same(ranks[keep], expected[keep].astype(ranks.dtype))
    falling = ordo.sort(a[keep], descending=True)
    ranks = ordo.rank_sorted(falling, method, descending=True)
    same(ranks, ordo.rankdata(falling, method, descending=True))


def test_rank_sorted_checks_the_order():
    with pytest.raises(ordo.OrderError):
        ordo.rank_sorted([2, 1])
    with pytest.raises(ordo.OrderError):
        ordo.rank_sorted([[1, 2], [2, 1]], axis=1)
    assert ordo.rank_sorted([[1, 2], [2, 2]], "min", axis=1).tolist() == [[1, 2], [1, 1]]
    assert ordo.rank_sorted([2, 1], check=False).size == 2
    with pytest.raises(ValueError, match="algorithm is 'bogus'; expected one of auto"):
        ordo.rank_sorted([1, 2], algorithm="bogus")
    with pytest.raises(TypeError, match="expected numbers"):
        ordo.rank_sorted(["a", "b"])


@given(st.lists(st.booleans(), max_size=200), st.booleans())
def test_flags(flags, exclusive):
    flags = np.array(flags, bool)
    expected = np.cumsum(flags) - (flags if exclusive else 0)
    packed = np.packbits(flags, bitorder="little")
    for dtype in (np.int64, np.uint32):
        same(ordo.scan_bits(flags, exclusive=exclusive, dtype=dtype), expected.astype(dtype))
        counts = ordo.scan_bits(packed, flags.size, exclusive=exclusive, dtype=dtype)
        same(counts, expected.astype(dtype))
    for dtype in ("i1", "f4", "c16", "S3", "M8[s]"):
        a = np.arange(flags.size).astype("i8").astype(dtype)
        chosen, others = ordo.split_by_flags(a, flags)
        same(chosen, a[flags])
        same(others, a[~flags])
        by_bits = ordo.split_by_flags(a, packed, flags.size)
        assert all(map(np.array_equal, by_bits, (chosen, others)))


def test_flags_are_checked():
    for call in (ordo.scan_bits, lambda f, n=None: ordo.split_by_flags(np.zeros(3), f, n)):
        with pytest.raises(TypeError, match="flags has dtype int64; expected bool"):
            call(np.zeros(3, np.int64))
        with pytest.raises(TypeError, match="expected uint8 for 3 packed bits"):
            call(np.zeros(3, bool), 3)
        with pytest.raises(ValueError, match="n is 9; expected at most 8"):
            call(np.zeros(1, np.uint8), 9)
        with pytest.raises(TypeError, match=r"n is 1\.5; expected an integer"):
            call(np.zeros(1, np.uint8), 1.5)
    with pytest.raises(ValueError, match=r"a has shape \(3,\) and there are 2 flags"):
        ordo.split_by_flags(np.zeros(3), np.zeros(2, bool))
    for a in (np.zeros(2, "S17"), np.array([1, "x"], object)):
        with pytest.raises(TypeError, match="expected elements of 1 to 16 bytes"):
            ordo.split_by_flags(a, np.zeros(2, bool))
    with pytest.raises(TypeError, match="dtype is float64"):
        ordo.scan_bits(np.zeros(2, bool), dtype=float)


def test_generate():
    a = ordo.generate("ksorted", 4000, "u4", k=9, seed=5)
    assert ordo.radius(a) == 9
    assert np.array_equal(a, ordo.generate("ksorted", 4000, "u4", k=9, seed=5))
    assert not np.array_equal(a, ordo.generate("ksorted", 4000, "u4", k=9, seed=6))
    assert np.unique(ordo.generate("few", 4000, "f8", k=7)).size == 7
    assert (np.diff(ordo.generate("recur", 4000, "i8", p=0.5)) == 0).sum() in range(1500, 2500)
    prices = ordo.generate("prices", 4000, "f4")
    assert np.array_equal(np.round(prices * 100).astype("f4") / np.float32(100), prices)
    readings = ordo.generate("sensors", 4000, "i2", k=10)
    assert np.unique(ordo.generate("sensors", 4000, "f8", k=10)).size == np.unique(readings).size
    for dist in ("signed", "normal", "loguniform"):
        assert 1000 < (ordo.generate(dist, 4000, "f4") < 0).sum() < 3000
    assert 3 < (np.diff(ordo.generate("outliers", 4000, "f8", k=100)) < 0).sum() < 200
    assert ordo.radius(ordo.generate("timestamps", 4000, "i8", k=100)) > 16
    words = ordo.generate("strings", 20, seed=1)
    assert len(words) == 20
    assert all(type(word) is bytes and 1 <= len(word) <= 500 for word in words)
    same(ordo.sort(words), np.array(sorted(words), object))
    with pytest.raises(ValueError, match="dist is 'bogus'; expected one of uniform"):
        ordo.generate("bogus", 3)
    with pytest.raises(TypeError, match="dtype is complex128; expected integers"):
        ordo.generate("uniform", 3, complex)
    with pytest.raises(ValueError, match="radius k = 5, but 5 keys"):
        ordo.generate("ksorted", 5, k=5)
    for name in ("n", "seed", "k"):
        given_ = {"n": 1, name: -1}
        with pytest.raises(ValueError, match=f"{name} is -1; expected"):
            ordo.generate("uniform", **given_)


def test_share_of_the_cpu():
    for bad in (-0.1, 1.5, float("nan"), 2):
        with pytest.raises(ValueError, match=r"cpu_share is .*; expected a number from 0 to 1"):
            ordo.config(cpu_share=bad)
    for bad in ("0.5", b"1", [0.5], 1j):
        with pytest.raises(TypeError, match=r"cpu_share is .*; expected a number from 0 to 1"):
            ordo.context(cpu_share=bad)
    assert ordo.config(cpu_share=0.25)["cpu_share"] == 0.25
    same(ordo.sort(np.array([3, 1, 2])), np.array([1, 2, 3]))
    assert ordo.config(cpu_share=None)["cpu_share"] is None


def test_multiprocessors():
    with pytest.raises(ValueError, match=r"device_sms is -1; expected"):
        ordo.config(device_sms=-1)
    with pytest.raises(TypeError, match="device_sms"):
        ordo.context(device_sms="8")
    with ordo.context(device="cpu", device_sms=8):
        same(ordo.sort(np.array([3, 1, 2])), np.array([1, 2, 3]))
    assert ordo.config()["device_sms"] is None


PAPER = [41, 18467, 6334, 26500, 19169, 15724, 11478, 29358]
PAPER += [26962, 24464, 5705, 28145, 23281, 16827, 9961, 491]


@pytest.mark.parametrize("algorithm", ["bitonic", "merge"])
def test_sub_arrays(rng, algorithm):
    example = np.array(PAPER, np.int32)
    assert ordo.select(example, 8, algorithm=algorithm, sub_array=4) == 18467
    assert ordo.median(example, algorithm=algorithm, sub_array=4) == 17647
    for dtype in NUMBERS:
        a = sample(rng, 3000, dtype)
        for sub_array in (0, 2, 64, 2048):
            by = {"algorithm": algorithm, "sub_array": sub_array}
            same(ordo.median(a, **by), ordo.median(a))
            same(ordo.median(a, nan_policy="omit", **by), ordo.median(a, nan_policy="omit"))
            same(ordo.quantile(a, [0.1, 0.5], **by), ordo.quantile(a, [0.1, 0.5]))
            same(ordo.percentile(a, 30, **by), ordo.percentile(a, 30))
            same(ordo.select(a, [5, -1, 5], **by), ordo.select(a, [5, -1, 5]))
            same(ordo.select(a, 7, descending=True, **by), ordo.select(a, 7, descending=True))
    rows = sample(rng, 300, np.float32).reshape(10, 30)
    same(ordo.median(rows, 1, algorithm=algorithm, sub_array=8), ordo.median(rows, 1))
    ordo.select(example, 3, algorithm=algorithm, sub_array=4)
    assert ordo.explain().algorithm == algorithm


def test_sub_arrays_are_refused():
    a = np.arange(100)
    calls = (
        ordo.median,
        lambda a, **by: ordo.quantile(a, 0.5, **by),
        lambda a, **by: ordo.select(a, 1, **by),
    )
    for call in calls:
        for wrong in (1, 3, 1000):
            with pytest.raises(ValueError, match=f"sub_array is {wrong}; expected a power of 2"):
                call(a, algorithm="bitonic", sub_array=wrong)
        with pytest.raises(ValueError, match="sub_array is -4; expected a power of 2"):
            call(a, algorithm="bitonic", sub_array=-4)
        with pytest.raises(ValueError, match="only the algorithms bitonic and merge"):
            call(a, sub_array=4)
        with pytest.raises(TypeError, match=r"sub_array is 4\.0; expected an integer"):
            call(a, algorithm="merge", sub_array=4.0)
        with pytest.raises(ValueError, match="algorithm is 'quick'; expected one of auto"):
            call(a, algorithm="quick")
        with pytest.raises(ValueError, match="does not select"):
            call(a, algorithm="sample")
    with pytest.raises(ValueError, match="expected 'auto' for strings"):
        ordo.select(["a", "b"], 0, algorithm="merge")
    with pytest.raises(ValueError, match="expected 0 for strings"):
        ordo.select(["a", "b"], 0, sub_array=4)


def test_ballots_need_a_gpu():
    flags = np.array([True, False, True])
    with ordo.context(device="cpu"):
        for algorithm in ("ballot", "shared"):
            with pytest.raises(ordo.DeviceError, match="algorithms of GPUs"):
                ordo.scan_bits(flags, algorithm=algorithm)
        with pytest.raises(ordo.DeviceError, match="algorithms of GPUs"):
            ordo.cumsum(np.arange(4, dtype=np.int32), dtype=np.int32, algorithm="ballot")
    with pytest.raises(ValueError, match="does not count flags"):
        ordo.scan_bits(flags, algorithm="radix")
    with pytest.raises(ValueError, match="ballot scans only sums of u32"):
        ordo.cumsum(np.arange(4.0), algorithm="ballot")
    with pytest.raises(ValueError, match="algorithm is 'vote'; expected one of auto"):
        ordo.scan_bits(flags, algorithm="vote")
