"""Array-likes that are accepted, and exceptions for other arguments."""

from __future__ import annotations

import array
import pickle
import warnings

import numpy as np
import pytest

import ordo
import ordo.external


@pytest.mark.parametrize(
    "make",
    [
        lambda: array.array("d", [3, 1, 2]),
        lambda: memoryview(np.array([3, 1, 2])),
        lambda: [3, 1, 2],
        lambda: (3.0, 1.0, 2.0),
        lambda: bytearray(b"\3\1\2"),
        lambda: range(3, 0, -1),
    ],
)
def test_buffers_and_sequences(make):
    assert np.array_equal(ordo.sort(make()), [1, 2, 3])
    assert np.array_equal(
        ordo.rankdata(make()), [3, 1, 2] if type(make()) is not range else [3, 2, 1]
    )
    assert ordo.median(make()) == 2


def test_subclasses_and_pandas(tmp_path):
    mapped = np.memmap(tmp_path / "keys", np.float32, "w+", shape=5)
    mapped[:] = [5, 4, 3, 2, 1]
    assert np.array_equal(ordo.sort(mapped), [1, 2, 3, 4, 5])
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    series = pandas.Series([3.0, np.nan, 1.0])
    assert np.array_equal(ordo.rankdata(series, nan_policy="omit"), [2, np.nan, 1], equal_nan=True)
    words = pandas.Series(["b", "a", "c"])
    assert np.array_equal(ordo.argsort(words), [1, 0, 2])


def test_no_dimensions():
    assert ordo.median(3.0) == 3
    assert ordo.rankdata(7)[0] == 1
    assert ordo.sort(np.array(5), None)[0] == 5
    with pytest.raises(ValueError, match="axis"):
        ordo.sort(np.array(5))


@pytest.mark.parametrize(
    "call",
    [
        lambda a: ordo.sort(a, 2),
        lambda a: ordo.argsort(a, -3),
        lambda a: ordo.rankdata(a, axis=9),
        lambda a: ordo.median(a, 5),
        lambda a: ordo.quantile(a, 0.5, (0, 4)),
        lambda a: ordo.topk(a, 1, 3),
        lambda a: ordo.cumsum(a, 2),
        lambda a: ordo.partition(a, 0, 2),
        lambda a: ordo.select(a, 0, 2),
    ],
)
def test_bad_axis(call):
    with pytest.raises(np.exceptions.AxisError if hasattr(np, "exceptions") else ValueError):
        call(np.ones((2, 3)))


@pytest.mark.parametrize(
    "bad",
    [
        np.array([1, None, "a"], object),
        np.array([1, 2], object),
        np.ones(3, complex),
        np.zeros(3, [("a", int)]),
    ],
)
@pytest.mark.parametrize("verb", ["sort", "argsort", "rankdata", "unique", "median", "cumsum"])
def test_bad_dtype(verb, bad):
    with pytest.raises(TypeError, match="expected"):
        getattr(ordo, verb)(bad)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda a: ordo.rankdata(a, "mean"), "expected one of min"),
        (lambda a: ordo.rankdata(a, nan_policy="ignore"), "propagate, omit, raise"),
        (lambda a: ordo.quantile(a, 1.5), "expected 0 to 1"),
        (lambda a: ordo.quantile(a, np.nan), "expected 0 to 1"),
        (lambda a: ordo.quantile(a, -1, method="lower"), "expected 0 to 1"),
        (lambda a: ordo.quantile(a, 0.5, method="best"), "expected one of inverted_cdf"),
        (lambda a: ordo.sort(a, kind="slow"), "expected one of quicksort"),
        (lambda a: ordo.sort(a, algorithm="bogo"), "expected one of auto"),
        (lambda a: ordo.topk(a, 9), "expected 0 to 4"),
        (lambda a: ordo.select(a, 4), "expected -4 to 3"),
        (lambda a: ordo.partition(a, -5), "expected -4 to 3"),
        (lambda a: ordo.sort(a, out=np.empty(3)), "expected float64"),
        (lambda a: ordo.sort_pairs(a, a[:2]), "one value for each key"),
        (lambda a: ordo.searchsorted(a, a, "middle"), "left, right"),
        (lambda a: ordo.median(a, (0, 0)), "twice"),
        (lambda a: ordo.config(device="tpu"), "expected 'auto', 'cpu'"),
        (lambda a: ordo.config(threads=-1), "expected a number"),
        (lambda a: ordo.spearmanr(a, a[1:]), "expected equal lengths"),
    ],
)
def test_bad_values_are_named(call, text):
    with pytest.raises(ValueError, match=text):
        call(np.array([3.0, 1.0, 2.0, 4.0]))


def test_bad_types_are_named():
    with pytest.raises(TypeError, match="integers"):
        ordo.select([1, 2, 3], 0.5)
    with pytest.raises(TypeError, match="expected numbers"):
        ordo.median(["a", "b"])
    with pytest.raises(TypeError, match="numbers"):
        ordo.quantile([1, 2], ["a"])
    with pytest.raises(TypeError, match="int64"):
        ordo.argsort([1, 2], dtype=np.float32)


def test_masks_are_not_dropped():
    with pytest.raises(TypeError, match="compressed"):
        ordo.sort(np.ma.array([1, 2], mask=[True, False]))


@pytest.mark.parametrize(
    "dtype, bits", [("f2", 0x7C01), ("f4", 0x7F800001), ("f8", 0x7FF << 52 | 1)]
)
def test_signalling_nans_raise_no_warning(dtype, bits):
    for shape in ((5,), (3, 5), (300,), (2, 300), (5000,)):
        a = (np.arange(np.prod(shape)) % 7).reshape(shape).astype(dtype)
        a.view(f"u{a.itemsize}")[..., 1] = bits
        row = a.reshape(-1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.isnan(ordo.sort(row)[-1])
            assert ordo.argsort(row)[0] == 0
            assert np.isnan(ordo.rankdata(a, axis=-1)).all()
            assert np.isnan(ordo.median(a, -1)).all()
            assert np.isnan(ordo.quantile(a, [0.1, 0.9], -1)).all()
            assert ordo.median(row, nan_policy="omit") >= 0
            assert np.isnan(ordo.select(a, -1, -1)).all()
            assert np.isnan(ordo.unique(row)[-1])
            assert np.isnan(ordo.unique(row, True, True, True)[0][-1])
            assert np.isnan(ordo.cummin(row)[-1])
            assert np.isnan(ordo.cumsum(row)[-1])
            ordo.topk(a, 3)
            ordo.partition(a, 2)
            ordo.searchsorted(ordo.sort(row), row)
            ordo.spearmanr(row, row, nan_policy="omit")
            ordo.mannwhitneyu(row, row, nan_policy="omit")


def test_read_only_out():
    a = np.array([2.0, 1.0])
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ordo.sort(a, out=a)


def test_memory_limit_is_a_memory_error(rng):
    with ordo.context(memory_limit=4096, device="cpu"), pytest.raises(MemoryError, match="limit"):
        ordo.rankdata(rng.random(100_000))


def test_names():
    assert set(ordo.__all__) == set(dir(ordo))
    for name in ordo.__all__:
        assert getattr(ordo, name) is not None
    with pytest.raises(AttributeError):
        _ = ordo.bogosort
    assert pickle.loads(pickle.dumps(ordo.sort)) is ordo.sort


class Undescribed:
    """An array on the CPU whose library refuses to describe it by DLPack."""

    def __init__(self, keys, error):
        self.keys, self.error = keys, error

    def __array__(self, dtype=None, copy=None):
        return np.array(self.keys, dtype)

    def __dlpack_device__(self):
        raise self.error


@pytest.mark.parametrize("error", [TypeError("no"), ValueError("no"), BufferError("no")])
def test_an_array_without_dlpack_is_read_as_any_other(error):
    keys = Undescribed([3.0, 1.0, 2.0], error)
    assert ordo.sort(keys).tolist() == [1.0, 2.0, 3.0]
    assert ordo.argsort(keys).tolist() == [1, 2, 0]


KEYS = np.array([3.0, 1.0, 2.0, 1.0, 5.0])
WEIGHTS = np.array([1, 2, 0, 3, 1])
GROUPS = np.array([7, 3, 7, 7, 3])
PARTS = np.array([0.25, 0.5])
SORTER = np.argsort(KEYS)
PLACES = np.array([1, 3], np.uint64)
TEXT = np.frombuffer(b"banan", np.uint8)
SUFFIXES = ordo.suffix_array(TEXT)
MISALIGNED = {
    "sort": (ordo.sort, KEYS),
    "sort_pairs": (ordo.sort_pairs, KEYS, GROUPS),
    "lexsort": (lambda *keys: ordo.lexsort(keys), KEYS, GROUPS),
    "rankdata": (lambda a, w: ordo.rankdata(a, weights=w), KEYS, WEIGHTS),
    "median": (lambda a, w: ordo.median(a, weights=w), KEYS, WEIGHTS),
    "quantile": (ordo.quantile, KEYS, PARTS),
    "quantiles of rows": (lambda a, q: ordo.quantile([a, a], q, axis=1), KEYS, PARTS),
    "weighted quantile": (lambda a, q, w: ordo.quantile(a, q, weights=w), KEYS, PARTS, WEIGHTS),
    "weighted rows": (lambda a, w: ordo.median([a, a], 1, weights=[w, w]), KEYS, WEIGHTS),
    "select": (ordo.select, KEYS, PLACES),
    "partition": (ordo.partition, KEYS, PLACES.astype(int)),
    "unique": (lambda a: ordo.unique(a, True, True, True), KEYS),
    "searchsorted": (
        lambda a, v, s: ordo.searchsorted(a, v, sorter=s),
        KEYS,
        KEYS,
        [1, 3, 2, 0, 4],
    ),
    "cumsum": (ordo.cumsum, KEYS),
    "moving_median": (lambda a: ordo.moving_median(a, 2), KEYS),
    "group_median": (lambda g, a, w: ordo.group_median(g, a, weights=w), GROUPS, KEYS, WEIGHTS),
    "group_quantile": (ordo.group_quantile, GROUPS, KEYS, PARTS),
    "group_topk": (lambda g, a: ordo.group_topk(g, a, 2), GROUPS, KEYS),
    "lcp": (lambda sa: ordo.lcp(TEXT, sa), SUFFIXES),
    "spearmanr": (ordo.spearmanr, KEYS, WEIGHTS),
    "mannwhitneyu": (ordo.mannwhitneyu, KEYS, WEIGHTS),
    "external.select": (ordo.external.select, KEYS, PLACES),
    "external.quantile": (ordo.external.quantile, KEYS, PARTS),
}


def misaligned(a):
    """Returns a copy of an array at an odd address."""
    a = np.asarray(a)
    octets = np.empty(a.nbytes + 1, np.uint8)
    start = 1 - octets.ctypes.data % 2
    copy = octets[start : start + a.nbytes].view(a.dtype).reshape(a.shape)
    copy[...] = a
    assert not copy.flags.aligned
    return copy


@pytest.mark.parametrize("name", MISALIGNED)
def test_misaligned_arguments(name):
    call, *arguments = MISALIGNED[name]
    expected = call(*arguments)
    for i, argument in enumerate(arguments):
        found = call(*arguments[:i], misaligned(argument), *arguments[i + 1 :])
        pairs = zip(found, expected) if isinstance(expected, tuple) else [(found, expected)]
        for x, y in pairs:
            np.testing.assert_array_equal(x, y)
