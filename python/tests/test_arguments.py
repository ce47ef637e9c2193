"""Bad arguments: the type and the message of the exception, for each function and parameter.

The exception has the type that NumPy's or SciPy's function raises, with two differences: ordo
rejects a bool as an axis, and everything except a bool as a flag.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import ordo
from ordo import _arrays, _sets
from ordo._verbs import partition as _partition

AxisError = getattr(np, "exceptions", np).AxisError
ROW = np.array([3.0, 1.0, 2.0, 4.0])
GRID = np.arange(12).reshape(3, 4)[::-1].copy()
WORDS = np.array(["ccc", "a", "bb", "dddd"])
WORD_GRID = np.array([["b", "a", "c", "d"]] * 3)
OBJECTS = WORDS.astype(object)
INPUTS = {
    "row": ROW,
    "list": ROW.tolist(),
    "long row": np.arange(5000.0),
    "short rows": GRID,
    "long rows": np.zeros((3, 300)),
    "strided": ROW[::-1],
    "float16": ROW.astype("f2"),
    "empty": np.empty((0, 4)),
    "words": WORDS,
    "rows of words": WORD_GRID,
    "objects": OBJECTS,
    "no words": np.empty((0, 4), "U3"),
}
TEXT = ("words", "rows of words", "objects", "no words")
NUMBERS_ONLY = {"median", "quantile", "cumsum", "cumprod", "cummax", "cummin", "radius"}


def alike(ours, theirs):
    """Asserts that both calls raise, and that the exceptions have related types."""
    with pytest.raises(Exception) as expected:
        theirs()
    with pytest.raises(Exception) as found:
        ours()
    assert issubclass(expected.type, found.type)


# For each function with an axis: a call with any input, and NumPy's or SciPy's call.
ALONG = {
    "sort": (ordo.sort, np.sort),
    "argsort": (ordo.argsort, np.argsort),
    "partition": (
        lambda a, axis: ordo.partition(a, 0, axis),
        lambda a, axis: np.partition(a, 0, axis),
    ),
    "argpartition": (
        lambda a, axis: ordo.argpartition(a, 0, axis),
        lambda a, axis: np.argpartition(a, 0, axis),
    ),
    "rankdata": (lambda a, axis: ordo.rankdata(a, axis=axis), None),
    "median": (ordo.median, np.median),
    "quantile": (
        lambda a, axis: ordo.quantile(a, 0.5, axis),
        lambda a, axis: np.quantile(a, 0.5, axis),
    ),
    "select": (lambda a, axis: ordo.select(a, 0, axis), None),
    "topk": (lambda a, axis: ordo.topk(a, 0, axis), None),
    "cumsum": (ordo.cumsum, np.cumsum),
    "cumprod": (ordo.cumprod, np.cumprod),
    "cummax": (ordo.cummax, None),
    "cummin": (ordo.cummin, None),
    "is_sorted": (ordo.is_sorted, None),
    "radius": (ordo.radius, None),
}
SEVERAL = {"median", "quantile", "select"}  # functions that take a tuple of axes


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("verb", ALONG)
def test_axis(verb, name):
    call, reference = ALONG[verb]
    a = INPUTS[name]
    if verb in NUMBERS_ONLY and name in TEXT:
        with pytest.raises(TypeError, match="expected numbers"):
            call(a, 0)
        return
    bad = [0.0, -1.0, 1.5, "0", True, False, np.True_, b"0", 1j, np.array([0.0]), [0.0]]
    bad += [(0.0,), ("0",), (True,)] if verb in SEVERAL else [(), (0,), (-1,), (0, 1)]
    for axis in bad:
        with pytest.raises(TypeError, match="axis is"):
            call(a, axis)
    for axis in (2, 7, -3, np.int64(5)):
        with pytest.raises(AxisError, match="out of bounds"):
            call(a, axis)
    for axis in (1.5, "0", 7):
        if reference is not None and name != "empty":
            alike(functools.partial(call, a, axis), functools.partial(reference, a, axis))
    if verb in SEVERAL:
        with pytest.raises(ValueError, match="twice"):
            call(np.atleast_2d(a), (0, 0))
        with pytest.raises(AxisError, match="out of bounds"):
            call(a, (0, 5))
    if name not in ("empty", "no words"):
        call(a, np.int8(0))
        call(a, -1)


# ---- Flags -------------------------------------------------------------------------------------

FLAGS = [
    (ordo.sort, "descending", TypeError),
    (ordo.sort, "stable", TypeError),
    (ordo.argsort, "descending", TypeError),
    (ordo.argsort, "stable", TypeError),
    (lambda a, **f: ordo.sort_pairs(ROW, ROW, **f), "descending", TypeError),
    (ordo.rankdata, "descending", TypeError),
    (lambda a, **f: ordo.rank_sorted([1, 1], **f), "descending", TypeError),
    (lambda a, **f: ordo.rank_sorted([1, 1], **f), "check", TypeError),
    (lambda a, **f: ordo.scan_bits(ROW > 1, **f), "exclusive", TypeError),
    (ordo.median, "keepdims", TypeError),
    (lambda a, **f: ordo.quantile(a, 0.5, **f), "keepdims", TypeError),
    (lambda a, **f: ordo.select(a, 0, **f), "descending", TypeError),
    (lambda a, **f: ordo.topk(a, 1, **f), "largest", TypeError),
    (ordo.unique, "return_index", TypeError),
    (ordo.unique, "return_inverse", TypeError),
    (ordo.unique, "return_counts", TypeError),
    (ordo.unique, "equal_nan", TypeError),
    (ordo.cumsum, "exclusive", TypeError),
    (ordo.cumprod, "exclusive", TypeError),
    (ordo.is_sorted, "descending", TypeError),
    (ordo.is_sorted, "keepdims", TypeError),
    (ordo.radius, "descending", TypeError),
    (ordo.radius, "keepdims", TypeError),
    (lambda a, **f: ordo.mannwhitneyu(ROW, ROW, **f), "use_continuity", ValueError),
]


@pytest.mark.parametrize("call, name, error", FLAGS)
def test_flags(call, name, error):
    for a in (ROW, GRID, ROW.tolist(), np.arange(5000)):
        for value in ("x", "False", 2, -1, 0.5, np.int64(7)):
            with pytest.raises(error, match=f"{name} is .*; expected True or False"):
                call(a, **{name: value})
        for value in (True, False, np.True_, 0, 1):
            call(a, **{name: value})
    if name != "stable":
        for value in (None, [], ()):
            if value is None or "return" not in name:
                with pytest.raises(error, match="expected True or False"):
                    call(ROW, **{name: value})


# ---- Names -------------------------------------------------------------------------------------

NAMES = [
    (lambda v: ordo.sort(ROW, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.sort(GRID, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.sort(np.empty((0, 3)), algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.sort(WORDS, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.sort(ROW, algorithm=v, out=ROW.copy()), "algorithm", "one of auto"),
    (lambda v: ordo.argsort(ROW, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.argsort(GRID, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.argsort(OBJECTS, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.sort_pairs(ROW, ROW, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.sort_pairs(ROW, GRID.T, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.sort_pairs(WORDS, ROW, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.rankdata(ROW, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.rankdata(WORDS, algorithm=v), "algorithm", "one of auto"),
    (lambda v: ordo.rank_sorted(ROW, v), "method", "one of min"),
    (lambda v: ordo.rankdata(ROW, v), "method", "one of min"),
    (lambda v: ordo.rankdata(WORDS, v), "method", "one of min"),
    (lambda v: ordo.rankdata(np.empty((0, 3)), v), "method", "one of min"),
    (lambda v: ordo.rankdata(ROW, nan_policy=v), "nan_policy", "one of propagate"),
    (lambda v: ordo.rankdata(WORDS, nan_policy=v), "nan_policy", "one of propagate"),
    (lambda v: ordo.median(ROW, nan_policy=v), "nan_policy", "one of propagate"),
    (lambda v: ordo.median(GRID, 0, nan_policy=v), "nan_policy", "one of propagate"),
    (lambda v: ordo.median(np.empty((0, 3)), 1, nan_policy=v), "nan_policy", "one of propagate"),
    (lambda v: ordo.quantile(ROW, 0.5, nan_policy=v), "nan_policy", "one of propagate"),
    (lambda v: ordo.quantile(GRID, 1, method="lower", nan_policy=v), "nan_policy", "propagate"),
    (lambda v: ordo.quantile(ROW, 0.5, method=v), "method", "one of inverted_cdf"),
    (lambda v: ordo.quantile(np.empty((0, 3)), 0.5, 1, method=v), "method", "one of inverted"),
    (lambda v: ordo.quantile(ROW, 0.5, weights=ROW, method=v), "method", "one of inverted"),
    (lambda v: ordo.spearmanr(ROW, ROW, nan_policy=v), "nan_policy", "one of propagate"),
    (lambda v: ordo.spearmanr(ROW, ROW, alternative=v), "alternative", "one of two-sided"),
    (lambda v: ordo.mannwhitneyu(ROW, ROW, nan_policy=v), "nan_policy", "one of propagate"),
    (lambda v: ordo.mannwhitneyu(ROW, ROW, alternative=v), "alternative", "one of two-sided"),
    (lambda v: ordo.mannwhitneyu(ROW, ROW, method=v), "method", "auto, exact, asymptotic"),
    (lambda v: ordo.searchsorted(ROW, 1.0, v), "side", "left, right"),
    (lambda v: ordo.searchsorted(WORDS, "a", v), "side", "left, right"),
    (lambda v: ordo.config(device=v), "device", "'auto', 'cpu'"),
    (lambda v: ordo.context(device=v), "device", "'auto', 'cpu'"),
]


@pytest.mark.parametrize("call, name, text", NAMES)
def test_names(call, name, text):
    with pytest.raises(ValueError, match=f"{name} is 'bogus'; expected .*{text}"):
        call("bogus")
    if name == "device":  # None is the default
        return
    for value in (3, "", "AUTO", b"auto", [], *([] if name == "nan_policy" else [None])):
        error = TypeError if name == "side" and not isinstance(value, str) else ValueError
        with pytest.raises(error, match=f"{name} is .*; expected .*{text}"):
            call(value)


def test_strings_have_two_algorithms():
    same_order = ordo.argsort(WORDS)
    assert (ordo.argsort(WORDS, algorithm="sample") == same_order).all()
    assert (ordo.sort(WORDS, algorithm="sample") == ordo.sort(WORDS)).all()
    assert (ordo.rankdata(WORDS, algorithm="sample") == ordo.rankdata(WORDS)).all()
    for call in (
        lambda: ordo.sort(WORDS, algorithm="radix"),
        lambda: ordo.argsort(WORDS, algorithm="merge"),
        lambda: ordo.sort_pairs(WORDS, ROW, algorithm="radix"),
    ):
        with pytest.raises(ValueError, match="expected 'auto' or 'sample' for strings"):
            call()


def test_errors_name_the_algorithm():
    with pytest.raises(ValueError, match="algorithm sequential does not sort; expected auto"):
        ordo.sort(ROW, algorithm="sequential")
    with pytest.raises(ValueError, match="algorithm radix does not rank sorted arrays"):
        ordo.rank_sorted(np.sort(ROW), algorithm="radix")


def test_kind_and_stable_exclude_each_other():
    for verb in (ordo.sort, ordo.argsort):
        for a in (ROW, GRID, WORDS):
            for stable in (True, False):
                with pytest.raises(ValueError, match="`kind` and `stable` parameters can't be"):
                    verb(a, kind="stable", stable=stable)
            verb(a, kind="stable", stable=None)
            verb(a, stable=True)
            with pytest.raises(ValueError, match=r"order is .*; expected None"):
                verb(a, order="x")


# ---- Places in the order -----------------------------------------------------------------------

PLACES = [
    ("select", ordo.select, "k"),
    ("topk", ordo.topk, "k"),
    ("partition", ordo.partition, "kth"),
    ("argpartition", ordo.argpartition, "kth"),
]


@pytest.mark.parametrize("name", [n for n in INPUTS if n not in ("empty", "no words")])
@pytest.mark.parametrize("verb, call, parameter", PLACES)
def test_places(verb, call, parameter, name):
    a = np.asarray(INPUTS[name])
    n = a.shape[-1]
    for k in (1.5, 1.0, "1", None, 1j, [0.5], ["0"], 1 << 70):
        error = ValueError if verb == "topk" and k == 1 << 70 else TypeError
        with pytest.raises(error, match=f"{parameter} (is|has dtype) .*expected"):
            call(a, k, axis=-1)
    for k in (n, -n - 1, 10 * n, np.int64(n)) if verb != "topk" else (n + 1, -1, -n):
        with pytest.raises(ValueError, match=f"{parameter} (is|has dtype) .*; expected"):
            call(a, k, axis=-1)
    masked = np.ma.array([0, 1], mask=[True, False])
    with pytest.raises(TypeError, match=f"{parameter} is"):
        call(a, masked, axis=-1)
    wrong = ValueError if "partition" in verb else TypeError  # as NumPy raises
    for k in (True, np.False_):
        with pytest.raises(wrong, match=f"{parameter} (is|has dtype) .*; expected"):
            call(a, k, axis=-1)
    if verb != "topk":
        with pytest.raises(wrong, match=f"{parameter} (is|has dtype) .*; expected"):
            call(a, [True, False], axis=-1)
    for k in (0, np.int8(0), np.uint64(1)):
        call(a, k, axis=-1)


@pytest.mark.parametrize("verb", ["partition", "argpartition"])
def test_kth_as_numpy(verb):
    ours, theirs = getattr(ordo, verb), getattr(np, verb)
    for a in (ROW, GRID, WORDS, OBJECTS, np.arange(5000)):
        for kth in (1.5, "1", None, a.shape[-1], -9999, True, [True], [[0, 1]]):
            alike(functools.partial(ours, a, kth), functools.partial(theirs, a, kth))
            with pytest.raises((ValueError, TypeError), match="kth"):
                ours(a, kth)
    for dtype in ("f8", "i4", "f2", "U3", object):
        for shape, axis in (((0,), 0), ((0, 3), 0), ((0, 3), 1), ((3, 0), -1), ((0,), None)):
            empty = np.empty(shape, dtype)
            for kth in (0, 5, [1, 2]):
                result, expected = ours(empty, kth, axis), theirs(empty, kth, axis)
                assert result.shape == expected.shape
                assert result.dtype == expected.dtype
            with pytest.raises(TypeError, match="kth"):
                ours(empty, 1.5, axis)


def test_small_integers_count_from_the_end():
    long = np.arange(300.0)
    assert ordo.select(long, np.int8(5)) == 5
    assert ordo.select(long, np.array([1, -1], np.int8)).tolist() == [1, 299]
    assert ordo.partition(long[::-1], np.int8(-1))[-1] == 299


class Elsewhere(_arrays.HostPlace):
    """Host memory as a place of its own, to test checks for GPU arrays without a GPU."""

    name = where = "elsewhere"
    searchsorted = staticmethod(np.searchsorted)


def test_arguments_of_arrays_elsewhere(monkeypatch):
    place = Elsewhere()
    monkeypatch.setattr(_partition, "place_of", lambda a: (place, np.asarray(a)))
    for verb in (ordo.partition, ordo.argpartition):
        for kth, error in ((99999, ValueError), (1.5, TypeError), (True, ValueError)):
            with pytest.raises(error, match=r"kth (is|has)"):
                verb(np.arange(5000), kth)
        assert verb(np.arange(5000), 7)[7] == 7
    monkeypatch.setattr(_sets, "place_of", lambda a: (place, np.asarray(a)))
    for sorter, error in (([0, 1], ValueError), ([0, 1, 2, -1], ValueError), ([[0]], TypeError)):
        with pytest.raises(error, match="sorter"):
            ordo.searchsorted(ROW.tolist(), ROW, sorter=np.array(sorter))
    monkeypatch.setattr(_sets, "place_of", lambda a: (_arrays.HOST if a is ROW else place, a))
    with pytest.raises(TypeError, match="expected both in the same place"):
        ordo.searchsorted(GRID[0], ROW, sorter=np.arange(4))


# ---- searchsorted ------------------------------------------------------------------------------

SORTERS = [
    ([0, 1], ValueError, "sorter has 2 elements; expected 4"),
    ([0, 1, 2, 3, 3], ValueError, "sorter has 5 elements; expected 4"),
    ([], ValueError, "sorter has 0 elements; expected 4"),
    ([0, 1, 2, -1], ValueError, "sorter has the index -1; expected 0 to 3"),
    ([0, 1, 2, 4], ValueError, "sorter has the index 4; expected 0 to 3"),
    ([True, False, True, True], TypeError, "sorter has dtype bool"),
    ([0.0, 1.0, 2.0, 3.0], TypeError, "sorter has dtype float64"),
    (["0", "1", "2", "3"], TypeError, "sorter has dtype <U1"),
    ([[0, 1, 2, 3]], TypeError, "sorter has 2 dimensions"),
    (0, TypeError, "sorter has 0 dimensions"),
    ("x", TypeError, "sorter has dtype"),
    (np.ma.array([0, 1, 2, 3]), TypeError, "sorter is a masked array"),
]


@pytest.mark.parametrize("sorter, error, text", SORTERS)
@pytest.mark.parametrize("a", [ROW, ROW.tolist(), WORDS, OBJECTS], ids=lambda a: type(a).__name__)
def test_sorter(a, sorter, error, text):
    with pytest.raises(error, match=text):
        ordo.searchsorted(a, a[0], sorter=sorter)


def test_good_sorters():
    for a in (ROW, ROW.astype("i2"), WORDS, np.random.default_rng(1).random(50_000)):
        for v in (a, a[0], a[:3]):
            for dtype in ("i8", "u4", "i2" if a.size < 100 else "i4"):
                order = np.argsort(a).astype(dtype)
                result = ordo.searchsorted(a, v, sorter=order)
                assert np.array_equal(result, np.searchsorted(a, v, sorter=order))
    assert ordo.searchsorted([], [1.0], sorter=[]).tolist() == [0]


def test_needles():
    for a, v in ((ROW, "x"), (ROW, ["x"]), (ROW, WORDS), (WORDS, 1), (WORDS, ROW), (ROW, b"x")):
        with pytest.raises(TypeError, match="numbers in both or strings in both"):
            ordo.searchsorted(a, v)
    for a in (GRID, WORD_GRID, GRID.tolist(), 3.0):
        with pytest.raises(ValueError):
            ordo.searchsorted(a, a)
    with pytest.raises(ValueError, match="a has 2 dimensions; expected 1"):
        ordo.searchsorted(WORD_GRID, "a")


# ---- out, dtype, q -----------------------------------------------------------------------------


def read_only(a):
    a.flags.writeable = False
    return a


OUTS = [
    (ROW, {}, np.empty(3), ValueError, r"expected float64 and \(4,\)"),
    (ROW, {}, np.empty((2, 4)), ValueError, r"expected float64 and \(4,\)"),
    (ROW, {}, np.empty(4, "f4"), ValueError, "out has dtype float32"),
    (ROW, {}, np.empty(4, ">f8"), ValueError, "out has dtype >f8"),
    (ROW, {}, [0.0] * 4, TypeError, "out is a list; expected an array"),
    (ROW, {}, 3.0, TypeError, "out is a float; expected an array"),
    (ROW, {}, np.ma.zeros(4), TypeError, "masked"),
    (ROW, {}, read_only(np.empty(4)), ValueError, "read-only"),
    (GRID, {"axis": None}, np.empty((3, 4), GRID.dtype), ValueError, r"expected .* and \(12,\)"),
    (GRID, {"axis": 5}, np.empty((3, 4), GRID.dtype), AxisError, "out of bounds"),
    (WORDS, {}, np.empty(4, "U1"), ValueError, "out has dtype <U1 .*expected <U4"),
    (WORDS, {}, np.empty(4, "U9"), ValueError, "out has dtype <U9 .*expected <U4"),
    (WORDS, {}, np.empty((2, 4), "U4"), ValueError, r"expected <U4 and \(4,\)"),
    (WORDS, {}, np.empty(4, object), ValueError, "out has dtype object"),
    (WORDS, {}, np.empty(4, "S4"), ValueError, r"out has dtype \|S4"),
    (WORDS, {}, WORDS.tolist(), TypeError, "out is a list; expected an array"),
    (WORDS, {}, read_only(np.empty(4, "U4")), ValueError, "read-only"),
    (WORD_GRID, {"axis": None}, np.empty((3, 4), "U1"), ValueError, r"expected .* and \(12,\)"),
    (WORD_GRID, {"axis": 2}, np.empty((3, 4), "U1"), AxisError, "out of bounds"),
    (OBJECTS, {}, np.empty(4, "U4"), ValueError, "expected object"),
]


@pytest.mark.parametrize("a, named, out, error, text", OUTS)
def test_out(a, named, out, error, text):
    before = out.copy() if isinstance(out, np.ndarray) else out
    with pytest.raises(error, match=text):
        ordo.sort(a, out=out, **named)
    assert not isinstance(out, np.ndarray) or out.tobytes() == before.tobytes()


def test_out_is_unchanged_after_an_error():
    for named in ({"algorithm": "bogus"}, {"axis": 7}, {"descending": "x"}, {"kind": "bogus"}):
        out = np.zeros(4)
        with pytest.raises((ValueError, TypeError)):
            ordo.sort(ROW, out=out, **named)
        assert not out.any()


def test_good_out():
    for a in (ROW, GRID, WORDS, WORD_GRID, OBJECTS, ROW.astype("f2"), ROW.astype(">i4")):
        out = np.empty_like(a)
        assert ordo.sort(a, out=out) is out
        assert np.array_equal(out, np.sort(a))
        own = a.copy()
        assert ordo.sort(own, 0, out=own, descending=True) is own
        assert np.array_equal(own, np.sort(a, 0)[::-1])


DTYPES = [
    (lambda d: ordo.argsort(ROW, dtype=d), "expected int64"),
    (lambda d: ordo.argsort(GRID, dtype=d), "expected int64"),
    (lambda d: ordo.argsort(WORDS, dtype=d), "expected int64"),
    (lambda d: ordo.argsort(WORD_GRID, dtype=d), "expected int64"),
    (lambda d: ordo.rankdata(ROW, "min", dtype=d), "expected float64"),
    (lambda d: ordo.rankdata(WORDS, "min", dtype=d), "expected float64"),
    (lambda d: ordo.cumsum(ROW, dtype=d), "expected integers"),
    (lambda d: ordo.cumsum(GRID, 0, dtype=d), "expected integers"),
]


@pytest.mark.parametrize("call, text", DTYPES)
def test_dtypes(call, text):
    for dtype in (complex, object, "U3", "M8[s]", np.dtype([("x", int)])):
        with pytest.raises(TypeError, match=f"dtype is .*{text}"):
            call(dtype)
    for dtype in ("bogus", 3, [1, 2]):
        with pytest.raises(TypeError):
            call(dtype)


def test_index_dtypes_of_strings():
    for a in (WORDS, WORD_GRID, OBJECTS):
        for name in ("i4", "u4", "i8", "u8"):
            result = ordo.argsort(a, dtype=name)
            assert result.dtype == np.dtype(name)
            assert np.array_equal(result, np.argsort(a, kind="stable"))
        for name in ("f4", "i2", bool):
            with pytest.raises(TypeError, match="expected int64"):
                ordo.argsort(a, dtype=name)


def test_sums_of_dtype_bool():
    for a in ([0, 2, 3], [0.0, 0.5], np.ones(600, bool), np.zeros(3, int), GRID, [0, 256, -256]):
        for axis in (None, 0, -1):
            result = ordo.cumsum(a, axis, dtype=bool)
            expected = np.cumsum(a, axis, dtype=bool)
            assert result.dtype == bool
            assert np.array_equal(result, expected)
    assert ordo.cumsum([0, 2, 0], dtype=bool, exclusive=True).tolist() == [False, False, True]
    with pytest.raises(TypeError, match="timedelta64"):
        ordo.cumsum(np.array(["2020"], "M8[D]"), dtype=int)
    with pytest.raises(TypeError, match=r"a\.real"):
        ordo.cumsum([1j], dtype=float)


EMPTY = [np.empty(0), np.empty((0, 3)), np.empty((3, 0)), np.empty((0, 3), int), np.empty(0, "f2")]


@pytest.mark.parametrize("a", [ROW, GRID, np.arange(5000.0), *EMPTY], ids=lambda a: str(a.shape))
def test_q(a):
    for q in (1.5, -0.1, 2, -1, np.nan, np.inf, [0.5, 2], [[0.5], [np.nan]], np.float32(1.1)):
        for named in ({}, {"axis": -1}, {"method": "lower"}, {"nan_policy": "omit"}):
            with pytest.raises(ValueError, match=r"q.* is .*; expected 0 to 1"):
                ordo.quantile(a, q, **named)
    for q in ("x", None, 1j, ["a"], [None], np.array(["2020"], "M8[D]")):
        with pytest.raises(TypeError, match=r"q has dtype .*; expected numbers from 0 to 1"):
            ordo.quantile(a, q)
    with pytest.raises(TypeError, match="q is a masked array"):
        ordo.quantile(a, np.ma.array([0.5, 0.7], mask=[True, False]))


# ---- Samples, pairs, settings ------------------------------------------------------------------

OTHERS = [
    (lambda: ordo.sort_pairs(ROW, ROW[:2]), ValueError, "one value for each key"),
    (lambda: ordo.sort_pairs(ROW, 3.0), ValueError, "one value for each key"),
    (lambda: ordo.sort_pairs(GRID, GRID), ValueError, "keys of one dimension"),
    (lambda: ordo.sort_pairs(3.0, 3.0), ValueError, "keys of one dimension"),
    (lambda: ordo.sort_pairs(WORDS, WORDS[:2]), ValueError, "one value for each key"),
    (lambda: ordo.sort_pairs(np.ones(4, complex), ROW), TypeError, "expected integers"),
    (lambda: ordo.sort_pairs(ROW, np.ma.zeros(4)), TypeError, "masked"),
    (lambda: ordo.spearmanr(ROW, ROW[1:]), ValueError, "expected equal lengths"),
    (lambda: ordo.spearmanr(GRID, [GRID]), ValueError, "b has 3 dimensions; expected 1 or 2"),
    (lambda: ordo.spearmanr(ROW), ValueError, "variables: 1; expected b, or at least 2 in a"),
    (
        lambda: ordo.spearmanr(ROW, 3),
        ValueError,
        "a has 4 elements and b 1; expected",
    ),
    (lambda: ordo.spearmanr(WORDS, WORDS), TypeError, "expected numbers"),
    (lambda: ordo.spearmanr(OBJECTS, OBJECTS), TypeError, "expected numbers"),
    (lambda: ordo.mannwhitneyu(GRID, GRID[:, 1:]), ValueError, "expected shapes that broadcast"),
    (lambda: ordo.mannwhitneyu(ROW, WORDS), TypeError, "expected numbers"),
    (lambda: ordo.mannwhitneyu(ROW, [1j]), TypeError, "expected integers"),
    (lambda: ordo.config(threads=-1), ValueError, "expected a number"),
    (lambda: ordo.config(threads=1 << 40), ValueError, "expected a number from 0 to 4096"),
    (lambda: ordo.config(threads=True), TypeError, "threads is True; expected an integer"),
    (lambda: ordo.config(threads=2.0), TypeError, "threads is 2.0; expected an integer"),
    (lambda: ordo.config(threads="4"), TypeError, "threads is '4'; expected an integer"),
    (lambda: ordo.config(memory_limit=1 << 70), ValueError, "memory_limit is"),
    (lambda: ordo.config(memory_limit=1e9), TypeError, "memory_limit is"),
    (lambda: ordo.config(device_memory_limit=-5), ValueError, "device_memory_limit is"),
    (lambda: ordo.config(device=True), ValueError, "device is True"),
    (lambda: ordo.config(device=-1), ValueError, "device is -1"),
    (lambda: ordo.config(device=1.5), ValueError, "device is 1.5"),
    (lambda: ordo.context(threads=1 << 40), ValueError, "expected a number"),
    (lambda: ordo.context(threads=True), TypeError, "expected an integer"),
    (lambda: ordo.context(memory_limit="1G"), TypeError, "expected an integer"),
]


@pytest.mark.parametrize("call, error, text", OTHERS)
def test_others(call, error, text):
    before = ordo.config()
    with pytest.raises(error, match=text):
        call()
    assert ordo.config() == before


def test_settings_are_plain_integers():
    with ordo.context(threads=np.int64(1)):
        ordo.sort(ROW)
        assert ordo.explain().threads == 1


def test_scipy_raises_the_same():
    stats = pytest.importorskip("scipy.stats", reason="needs scipy")
    for verb, arguments, named in (
        ("rankdata", (ROW, "bogus"), {}),
        ("rankdata", (ROW, 3), {}),
        ("rankdata", (ROW,), {"nan_policy": "bogus"}),
        ("rankdata", (GRID,), {"axis": 1.5}),
        ("spearmanr", (ROW, ROW[1:]), {}),
        ("spearmanr", (ROW, ROW), {"alternative": "bogus"}),
        ("mannwhitneyu", (ROW, ROW), {"alternative": "bogus"}),
        ("mannwhitneyu", (ROW, ROW), {"method": "bogus"}),
        ("mannwhitneyu", (ROW, ROW), {"use_continuity": "x"}),
        ("mannwhitneyu", (ROW, ROW), {"nan_policy": "bogus"}),
    ):
        alike(
            functools.partial(getattr(ordo, verb), *arguments, **named),
            functools.partial(getattr(stats, verb), *arguments, **named),
        )


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 raises otherwise"
)
def test_numpy_raises_the_same():
    for verb, arguments, named in (
        ("sort", (ROW,), {"kind": "bogus"}),
        ("sort", (ROW,), {"kind": "stable", "stable": True}),
        ("sort", (ROW,), {"order": "x"}),
        ("argsort", (ROW,), {"order": "x"}),
        ("median", (GRID, (0, 0)), {}),
        ("median", (WORDS,), {}),
        ("quantile", (ROW, 1.5), {}),
        ("quantile", (np.empty((0, 3)), 1.5, 1), {}),
        ("quantile", (ROW, None), {}),
        ("quantile", (ROW, 0.5), {"method": "bogus"}),
        ("searchsorted", (ROW, 1, "bogus"), {}),
        ("searchsorted", (ROW, 1, None), {}),
        ("searchsorted", (ROW, 1), {"sorter": [0, 1]}),
        ("searchsorted", (ROW, 1), {"sorter": [True] * 4}),
        ("searchsorted", (ROW, 1), {"sorter": [0.0] * 4}),
        ("searchsorted", (ROW, 1), {"sorter": [[0, 1, 2, 3]]}),
        ("searchsorted", (GRID, 1), {}),
        ("cumsum", (ROW,), {"dtype": "bogus"}),
        ("cumsum", (ROW,), {"dtype": "U3"}),
        ("cumsum", (WORDS,), {}),
        ("cumprod", (ROW,), {"dtype": "U3"}),
        ("cumprod", (np.array([1], "m8[s]"),), {}),
    ):
        alike(
            functools.partial(getattr(ordo, verb), *arguments, **named),
            functools.partial(getattr(np, verb), *arguments, **named),
        )
