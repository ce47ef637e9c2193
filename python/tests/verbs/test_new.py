"""nan functions, argtopk, `out`, `keepdims`, `descending` and unique(axis=), against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cases import arrays, layouts, same
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo
from ordo._sets import slices
from ordo._verbs import partition as _partition

FLOATS = ["f2", "f4", "f8"]
rng = np.random.default_rng(5)


def axis_of(a, data):
    return data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))


@settings(max_examples=60)
@given(arrays([*FLOATS, "i4", "?"], min_side=1), st.data())
def test_nan_functions(a, data):
    axis = data.draw(st.sampled_from([None, 0, -1, tuple(range(a.ndim))]))
    keepdims = data.draw(st.booleans())
    q = data.draw(st.sampled_from([0.25, [0.0, 0.5, 1.0]]))
    method = "lower" if a.dtype.kind != "i" else "linear"
    a = np.where(np.isfinite(a), a, np.nan) if a.dtype.kind == "f" else a.astype("i4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wide = a.astype("f8") if a.dtype.kind == "f" else a
        expected = np.nanmedian(wide, axis, keepdims=keepdims)
        found = ordo.nanmedian(a, axis, keepdims=keepdims)
        np.testing.assert_array_equal(found, expected.astype(found.dtype))
        options = {"axis": axis, "method": method, "keepdims": keepdims}
        expected = np.nanquantile(wide, q, **options)
        np.testing.assert_allclose(ordo.nanquantile(a, q, **options), expected, rtol=1e-6)
        percents = np.multiply(q, 100)
        np.testing.assert_allclose(ordo.nanpercentile(a, percents, **options), expected, rtol=1e-6)


@given(arrays(min_side=1), st.booleans(), st.data())
def test_argtopk(a, largest, data):
    axis = axis_of(a, data)
    n = a.size if axis is None else a.shape[axis]
    k = data.draw(st.integers(0, n))
    values, index = ordo.topk(a, k, axis, largest=largest)
    same(ordo.argtopk(a, k, axis, largest=largest), index)
    out = (np.empty_like(values), np.empty_like(index))
    assert ordo.top_k(a, k, axis, largest=largest, out=out).values is out[0]
    same(out[0], values)
    same(out[1], index)
    row = a.reshape(-1)
    if not (a.dtype.kind == "f" and np.isnan(row).any()):
        best = row.argmax() if largest else row.argmin()
        assert ordo.argtopk(row, 1, largest=largest).tolist() == [best]


@given(arrays(), st.booleans(), st.data())
def test_out(a, descending, data):
    axis = axis_of(a, data)
    calls = {
        "argsort": {"descending": descending},
        "rankdata": {"descending": descending, "nan_policy": "omit"},
        "cummax": {},
        "cummin": {},
        "cumsum": {},
    }
    for verb, options in calls.items():
        function = getattr(ordo, verb)
        with np.errstate(all="ignore"):
            expected = function(a, axis=axis, **options)
            out = np.empty_like(expected)
            assert function(a, axis=axis, out=out, **options) is out
        same(out, expected)
    ordered = ordo.sort(a, axis, descending=descending)
    expected = ordo.rank_sorted(ordered, axis=-1 if axis is None else axis, descending=descending)
    out = np.empty_like(expected)
    ordo.rank_sorted(ordered, axis=-1 if axis is None else axis, descending=descending, out=out)
    same(out, expected)


@given(arrays(min_side=1), st.booleans(), st.booleans(), st.data())
def test_select_and_partition(a, descending, keepdims, data):
    axis = axis_of(a, data)
    ordered = ordo.sort(a, axis, descending=descending)
    along = -1 if axis is None else axis
    k = data.draw(st.integers(0, ordered.shape[along] - 1))
    expected = np.take(ordered, [k] if keepdims else k, along)
    if keepdims and axis is None:
        expected = expected.reshape((1,) * a.ndim)
    found = ordo.select(a, k, axis, descending=descending, keepdims=keepdims)
    same(found, expected)
    out = np.empty(np.shape(found), np.asarray(found).dtype)
    assert ordo.select(a, k, axis, descending=descending, keepdims=keepdims, out=out) is out
    same(out, expected)
    parted = ordo.partition(a, k, axis, descending=descending)
    out = np.empty_like(parted)
    assert ordo.partition(a, k, axis, descending=descending, out=out) is out
    index = ordo.argpartition(a, k, axis, descending=descending)
    row = a.reshape(-1) if axis is None else a
    for result in (parted, out, np.take_along_axis(row, index, along)):
        same(np.take(result, k, along), np.take(ordered, k, along))
        same(ordo.sort(result, along, descending=descending), ordered)


def split_around(k):
    """Calls of sort, partition and argpartition, with what makes their results comparable."""
    return [
        (lambda a, **out: ordo.sort(a, **out), lambda a, result: result, np.dtype("f8")),
        (lambda a, **out: ordo.partition(a, k, **out), lambda a, r: np.sort(r[k:]), np.dtype("f8")),
        (lambda a, **o: ordo.argpartition(a, k, **o), lambda a, r: np.sort(a[r[:k]]), np.intp),
    ]


def test_large_results_have_no_copy(rng, monkeypatch):
    a = rng.standard_normal(600_000)  # above COPY_BY_THREADS
    for call, view, dtype in split_around(1000):
        expected = view(a, call(a))
        out = np.empty(a.size, dtype)
        with monkeypatch.context() as patch, ordo.context(device="cpu"):
            patch.setattr(np, "copyto", None)  # fails if the result is copied to `out`
            patch.setattr(np, "empty", None)
            assert call(a, out=out) is out
        assert np.array_equal(view(a, out), expected)


def test_outputs_that_need_a_copy(rng):
    a = rng.standard_normal(600_001)
    frozen = np.empty(600_000)
    frozen.flags.writeable = False
    for call, view, dtype in split_around(1000):
        expected = view(a[:-1], call(a[:-1]))
        raw = np.empty(600_000 * 8 + 1, np.uint8)[1:]
        for out in (np.empty((600_000, 2), dtype)[:, 0], raw.view(dtype)):
            assert call(a[:-1], out=out) is out
            assert np.array_equal(view(a[:-1], out), expected)
        both = a.copy()  # `out` overlaps the keys
        out = both[1:].view(dtype)
        assert call(both[:-1], out=out) is out
        assert np.array_equal(view(a[:-1], out), expected)
        with pytest.raises(ValueError, match="read-only"):
            call(a[:-1], out=frozen.view(dtype))


def test_wrong_outputs():
    a = np.array([3, 1, 2])
    with pytest.raises(ValueError, match="shape"):
        ordo.argsort(a, out=np.empty(2, int))
    with pytest.raises(TypeError, match="expected an array"):
        ordo.rankdata(a, out=[1, 2, 3])
    with pytest.raises(TypeError, match="two arrays"):
        ordo.topk(a, 1, out=np.empty(1))
    with pytest.raises(TypeError, match="descending"):
        ordo.partition(a, 1, descending="yes")
    with pytest.raises(TypeError, match="keepdims"):
        ordo.select(a, 1, keepdims="yes")


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u2", "f2", "M8[s]", ">i8"])
@pytest.mark.parametrize("threads", [1, 3])
def test_many_long_rows(dtype, threads, monkeypatch):
    monkeypatch.setattr(_partition, "_SHORT_ROW", 8)
    a = rng.integers(-40, 40, (7, 33, 2)).astype(dtype)
    if a.dtype.kind == "f":
        a[2, 5], a[3, 7] = np.nan, -0.0
    with ordo.context(threads=threads):
        for axis in (1, -2):
            ordered = np.sort(a, axis)
            for k in (0, 16, -1):
                parted = ordo.partition(a, k, axis)
                assert ordo.explain().operation == "nth"
                index = ordo.argpartition(a, k, axis)
                assert ordo.explain().operation == "nth"
                for result in (parted, np.take_along_axis(a, index, axis)):
                    same(np.take(result, k, axis), np.take(ordered, k, axis))
                    same(np.sort(np.take(result, range(k % 33), axis), axis),
                         np.sort(np.take(ordered, range(k % 33), axis), axis))  # fmt: skip
                falling = ordo.partition(a, k, axis, descending=True)
                wanted = ordo.sort(a, axis, descending=True)
                same(np.take(falling, k, axis), np.take(wanted, k, axis))


@pytest.mark.parametrize("most, operations", [(8, ["nth", "nth"]), (33, ["sort", "argsort"])])
def test_one_row(most, operations, monkeypatch):
    monkeypatch.setattr(_partition, "FEW_TO_SPLIT", most)
    a = rng.random(33)
    partition, argpartition = ordo.partition.__wrapped__, ordo.argpartition.__wrapped__
    with ordo.context(device="cpu"):
        for k in (0, 16, -1):
            parted = partition(a, k)
            found = [ordo.explain().operation]
            index = argpartition(a, k)
            assert [*found, ordo.explain().operation] == operations
            for result in (parted, a[index]):
                assert result[k] == np.sort(a)[k]
                same(np.sort(result), np.sort(a))
                same(np.sort(result[: k % 33]), np.sort(a)[: k % 33])


SLICES = ["i1", "u1", "i2", "u4", "i8", "u8", "f4", "f8", "f2", "?", ">i4", ">f8", "S2", "U2"]


@pytest.mark.parametrize("step", [4, slices._STEP])
@pytest.mark.parametrize("dtype", SLICES)
def test_unique_slices(dtype, step, monkeypatch):
    monkeypatch.setattr(slices, "_STEP", step)
    for shape in ((9, 3), (3, 9), (5, 2, 3), (1, 4), (4, 1), (0, 3)):
        a = rng.integers(0, 2, shape)
        a = a - 1 if np.dtype(dtype).kind in "if" else a
        a = a.astype(dtype)
        for _, b in layouts(a):
            for axis in range(a.ndim):
                found = ordo.unique(b, True, True, True, axis=axis)
                expected = np.unique(a, True, True, True, axis=axis)
                for i, (part, wanted) in enumerate(zip(found, expected)):
                    same(part, wanted.reshape(-1) if i else wanted)
                same(ordo.unique(b, axis=axis), expected[0])


@pytest.mark.parametrize("step", [1, slices._STEP])
def test_unique_slices_of_zeros_and_nans(step, monkeypatch):
    monkeypatch.setattr(slices, "_STEP", step)
    a = np.array([[0.0, np.nan], [-0.0, np.nan], [0.0, 1.0], [-0.0, 1.0], [-1.0, np.nan]])
    values, index, counts = ordo.unique(a, True, False, True, axis=0)
    assert index.tolist() == [4, 2, 0] and counts.tolist() == [1, 2, 2]
    apart = ordo.unique(a, axis=0, equal_nan=False)
    assert apart.shape == (4, 2) and np.isnan(apart[[0, 2, 3], 1]).all()
    same(values[1], np.array([0.0, 1.0]))
    days = np.array([["2020-01-02", "NaT"], ["2020-01-01", "NaT"], ["2020-01-02", "NaT"]], "M8[D]")
    same(ordo.unique(days, axis=0), days[[1, 0]])
    with pytest.raises(ValueError):
        ordo.unique(a, axis=2)
