"""Algorithms by name, ranks of sorted arrays, flags, generators and the CPU's share."""

from __future__ import annotations

import inspect
import os
import warnings

import numpy as np
import pytest
from cases import NUMBERS, TIES, same, sample
from hypothesis import given
from hypothesis import strategies as st

import ordo
from ordo import _lib

SORTS = ["radix", "sample", "merge", "bitonic", "split", "bubble", "rough", "halving"]


@pytest.mark.parametrize("algorithm", SORTS)
def test_ranks_by_every_sort(rng, algorithm):
    a = rng.integers(0, 50, 700).astype(np.float32)
    for method in TIES:
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


@pytest.mark.parametrize("method", TIES)
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
    with pytest.raises(ValueError, match="k, the radius, is 5; expected at most 4 for 5 keys"):
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
    for device in ("cpu", "cuda", "auto", None):
        with pytest.raises(ValueError, match=r"cpu_share is 0.3, but .*; expected device='hybrid'"):
            ordo.context(device=device, cpu_share=0.3)
    try:
        assert ordo.config(device="hybrid", cpu_share=0.25)["cpu_share"] == 0.25
        with ordo.context(device="cpu"):  # the share belongs to the other device
            same(ordo.sort(np.array([3, 1, 2])), np.array([1, 2, 3]))
        assert ordo.config(device=None)["cpu_share"] is None
    finally:
        ordo.config(device=None, cpu_share=None)


def test_shares_of_gpus():
    for bad in ([], [0.5, 0.6], [0.0, 0.5], [-0.1], [float("nan")], [0.1] * 9):
        with pytest.raises(ValueError, match="gpu_shares is"):
            ordo.context(device="hybrid", gpu_shares=bad)
    for bad in (0.5, "0.5", ["a"], [None]):
        with pytest.raises(TypeError, match="gpu_shares is"):
            ordo.config(device="hybrid", gpu_shares=bad)
    with pytest.raises(ValueError, match=r"gpu_shares is .*; expected device='hybrid'"):
        ordo.context(gpu_shares=[0.3, 0.3])
    with pytest.raises(ValueError, match="cpu_share and gpu_shares"):
        ordo.context(device="hybrid", cpu_share=0.4, gpu_shares=[0.3, 0.3])


def test_shares_on_a_played_device(monkeypatch):
    folder = os.path.join(os.path.dirname(_lib.path), "tests/plugins/playing")
    if not os.path.exists(os.path.join(folder, "libordo_cuda.so")):
        pytest.skip("the played device is not built")
    monkeypatch.setenv("ORDO_BACKEND_DIR", folder)
    keys = np.random.default_rng(1).integers(0, 1 << 30, 70_000, dtype=np.uint32)
    with ordo.context(device="hybrid", gpu_shares=(0.3, 0.2)):
        same(ordo.sort(keys, algorithm="sample"), np.sort(keys))
        assert "devices: 2" in ordo.explain().text
        assert "50.0 % of the keys sorted by the CPU" in ordo.explain().text
        with pytest.raises(ValueError, match=r"shares for 2 GPUs.*expected algorithm sample"):
            ordo.sort(keys)
        ordo.median(keys)
        assert "shares of the context are not used" in ordo.explain().text
    with ordo.context(device="hybrid", cpu_share=0.3):
        ranks = ordo.rankdata(keys, method="min", algorithm="sample")
        same(ranks, ordo.rank_sorted(np.sort(keys), method="min")[np.argsort(np.argsort(keys))])
        with pytest.raises(ValueError, match=r"does not share strings.*expected algorithm sample"):
            ordo.argsort(keys.astype("S"))


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
            with pytest.raises(ordo.DeviceError, match="runs only on a GPU"):
                ordo.scan_bits(flags, algorithm=algorithm)
        with pytest.raises(ordo.DeviceError, match="runs only on a GPU"):
            ordo.cumsum(np.arange(4, dtype=np.int32), dtype=np.int32, algorithm="ballot")
    with pytest.raises(ValueError, match="does not count flags"):
        ordo.scan_bits(flags, algorithm="radix")
    with pytest.raises(ValueError, match="ballot scans only sums of u32"):
        ordo.cumsum(np.arange(4.0), algorithm="ballot")
    with pytest.raises(ValueError, match="algorithm is 'vote'; expected one of auto"):
        ordo.scan_bits(flags, algorithm="vote")


# ---- Spellings -----------------------------------------------------------------------------------

# Parameters of NumPy and SciPy: accepted, or rejected with an error.

A = np.array([3.0, 1.0, 2.0, 5.0])
# Parameters of NumPy or SciPy that ordo's function of the same name does not have.
LEFT_OUT: dict[str, set] = {}


def _pairs():
    for name in ordo.__all__:
        if callable(getattr(np, name, None)) and name not in ("select", "show_config"):
            yield name, getattr(np, name)
    stats = pytest.importorskip("scipy.stats")
    for name in ("mannwhitneyu", "rankdata", "spearmanr"):
        yield name, getattr(stats, name)


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="parameters of older NumPy differ"
)
def test_parameters_have_their_names_and_places():
    pairs = dict(_pairs())
    assert len(pairs) > 10
    for name, theirs in pairs.items():
        expected = inspect.signature(theirs).parameters
        found = inspect.signature(getattr(ordo, name)).parameters
        assert set(expected) - set(found) == LEFT_OUT.get(name, set()), name
        places = [
            p for p in expected if expected[p].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        ]
        assert list(found)[: len(places)] == places, name


@pytest.mark.parametrize(
    "kind", [None, "q", "quick", "QuickSort", "h", "heap", "m", "Merge", "s", "stab", "stable"]
)
def test_kinds_of_sorts(kind):
    assert ordo.sort(A, kind=kind).tolist() == [1, 2, 3, 5]
    assert ordo.argsort(A, -1, kind).tolist() == [1, 2, 0, 3]


def test_unknown_kinds():
    for kind in ("", "x", "quickest", "introselect"):
        with pytest.raises(ValueError, match="expected one of quicksort"):
            ordo.sort(A, kind=kind)
    with pytest.raises(TypeError, match="expected a str"):
        ordo.argsort(A, kind=1)
    for function in (ordo.partition, ordo.argpartition):
        assert function(A, 1, -1, "introselect", None).shape == A.shape
        with pytest.raises(ValueError, match="expected one of introselect"):
            function(A, 1, kind="quicksort")
        with pytest.raises(ValueError, match="structured"):
            function(A, 1, order="name")


def test_out_and_overwrite_input():
    rows = np.array([[1.0, 2.0, 4.0], [8.0, 6.0, 7.0]])
    out = np.zeros(2)
    assert ordo.median(rows, 1, out, True, False) is out
    assert out.tolist() == [2, 7]
    assert ordo.quantile(rows, 0.5, 1, out, True, "linear", False) is out
    assert ordo.percentile(rows, 100, 1, out) is out
    assert out.tolist() == [4, 8]
    sums = np.zeros(4)
    assert ordo.cumsum(A, 0, None, sums) is sums
    assert sums.tolist() == [3, 4, 6, 11]
    with pytest.raises(ValueError, match="expected"):
        ordo.median(rows, 1, np.zeros(3))
    with pytest.raises(TypeError, match="same_kind"):
        ordo.median(rows, 1, np.zeros(2, int))
    with pytest.raises(TypeError, match="expected an array"):
        ordo.median(rows, 1, [0, 0])
    with pytest.raises(TypeError, match="weights"):
        ordo.quantile(A, 0.5, weights=["a", "b", "c", "d"])
    assert ordo.quantile(A, 0.5, weights=A, method="inverted_cdf") == 3
    assert rows.tolist() == [[1, 2, 4], [8, 6, 7]]


def test_percentile():
    assert ordo.percentile(A, 25) == np.percentile(A, 25)
    assert ordo.percentile(A, [0, 50, 100]).tolist() == [1, 2.5, 5]
    assert ordo.percentile(A, 50, method="lower") == 2
    for q in (-1, 101, [5, 150], np.nan):
        with pytest.raises(ValueError, match="0, 100"):
            ordo.percentile(A, q)


def test_unique_of_an_axis():
    rows = np.array([[1, 2], [0, 5], [1, 2]])
    assert ordo.unique(rows, axis=0).tolist() == [[0, 5], [1, 2]]
    values, counts = ordo.unique(A, False, False, True, -1, sorted=False)
    assert values.tolist() == [1, 2, 3, 5]
    assert counts.tolist() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="axis"):
        ordo.unique(A, axis=1)


@pytest.mark.parametrize("shape, axis", [((0,), None), ((0,), 0), ((3, 0), 1), ((3, 0), 0)])
def test_warnings_of_empty_rows(shape, axis):
    a = np.zeros(shape)
    for function in (ordo.median, lambda a, axis: ordo.quantile(a, 0.5, axis)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(a, axis)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.array_equal(result, np.median(a, axis), equal_nan=True)
        expected = [] if result.size == 0 else ["Mean of empty slice"]
        assert [str(warning.message) for warning in caught] == expected
        assert all(warning.filename == __file__ for warning in caught)


def test_warnings_of_rows_of_nans():
    rows = np.array([[1.0, np.nan], [np.nan, np.nan], [-np.inf, np.inf]])
    for name in ("median", "quantile"):
        more = () if name == "median" else (0.5,)
        with pytest.warns(RuntimeWarning, match="All-NaN slice encountered"):
            result = getattr(ordo, name)(rows, *more, axis=1, nan_policy="omit")
        assert np.isnan(result).tolist() == [False, True, True]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            getattr(ordo, name)(rows[::2], *more, axis=1, nan_policy="omit")
            getattr(ordo, name)(rows, *more, axis=1)


def test_samples_of_scipy():
    table = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert ordo.spearmanr(table, table, None).correlation == 1
    assert ordo.mannwhitneyu([1, 2], [3, 4], True, "two-sided", 0, "exact").statistic == 0
    assert ordo.spearmanr(table, table, 0).statistic.shape == (4, 4)
