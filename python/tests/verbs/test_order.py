"""sort, argsort and sort_pairs against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from cases import EVERY_DTYPE, INTEGERS, arrays, layouts, same, sample
from hypothesis import given
from hypothesis import strategies as st

import ordo


def descending_order(a, axis):
    """Returns a stable descending argsort with NaNs last, computed by NumPy."""
    return np.argsort(_descending_keys(a), axis=axis, kind="stable")


def _descending_keys(a):
    _, dense = np.unique(a, return_inverse=True)
    dense = dense.reshape(a.shape)
    if a.dtype.kind == "f":
        dense[np.isnan(a)] = -1
    return -dense


@pytest.mark.parametrize("descending", [False, True])
def test_large_arrays_are_unchanged(rng, descending):
    for a in (rng.random(1 << 20), np.arange(1 << 21, dtype="i4"), rng.random(1 << 21)[::2]):
        before = a.copy()
        found = ordo.sort(a, descending=descending)
        same(found, np.sort(a)[::-1] if descending else np.sort(a))
        same(a, before)


@given(arrays(), st.data())
def test_sort_is_numpys(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1) | st.none())
    before = a.copy()
    same(ordo.sort(a, axis), np.sort(a, axis))
    same(a, before)


@given(arrays(), st.data())
def test_argsort_equals_numpys_stable_argsort(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1) | st.none())
    same(ordo.argsort(a, axis), np.argsort(a, axis, kind="stable"))


@given(arrays(min_side=1))
def test_descending_keeps_nan_last_and_ties_by_index(a):
    order = descending_order(a, -1)
    same(ordo.argsort(a, descending=True), order)
    same(ordo.sort(a, descending=True), np.take_along_axis(a, order, -1))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 200_000])
def test_every_dtype_and_size(rng, dtype, n):
    a = sample(rng, n, dtype)
    same(ordo.sort(a), np.sort(a))
    same(ordo.argsort(a), np.argsort(a, kind="stable"))


@pytest.mark.parametrize("dtype", ["i2", "f4", "f8", "?", "f2"])
def test_every_layout(rng, dtype):
    a = (rng.standard_normal((7, 40)) * 9).astype(dtype)
    for name, view in layouts(a):
        for axis in (0, 1, None):
            assert np.array_equal(ordo.sort(view, axis), np.sort(a, axis)), name
            expected = np.argsort(a, axis, kind="stable")
            assert np.array_equal(ordo.argsort(view, axis), expected), name


def test_broadcast_and_many_dimensions(rng):
    a = np.broadcast_to(rng.random((5, 1, 3)), (5, 4, 3))
    for axis in (0, 1, 2):
        same(ordo.sort(a, axis), np.sort(a, axis))


@pytest.mark.parametrize(
    "algorithm",
    ["radix", "sample", "intervals", "merge", "bitonic", "split", "rough", "halving", "windows"],
)
def test_named_algorithms_agree(rng, algorithm):
    a = rng.integers(-50, 50, 3000).astype(np.float32)
    same(ordo.sort(a, algorithm=algorithm), np.sort(a))
    assert ordo.explain().algorithm == algorithm


def test_out(rng):
    a = rng.random((6, 5))
    for axis in (0, 1):
        target = np.empty_like(a)
        assert ordo.sort(a, axis, out=target) is target
        same(target, np.sort(a, axis))
    b = a.copy()
    ordo.sort(b, 0, out=b)
    same(b, np.sort(a, 0))
    flags = rng.random(20) < 0.5
    same(ordo.sort(flags, out=np.empty(20, bool)), np.sort(flags))
    flat = np.empty(a.size)
    same(ordo.sort(a, None, out=flat), np.sort(a, None))


def test_index_dtypes(rng):
    a = rng.random(1000)
    for dtype in (np.uint32, np.int32, np.int64, np.uint64):
        result = ordo.argsort(a, dtype=dtype)
        assert result.dtype == dtype
        assert np.array_equal(result, np.argsort(a, kind="stable"))


@given(
    st.integers(0, 300),
    st.sampled_from(["i1", "f4", "u8"]),
    st.sampled_from(["u1", "f8", "c16", "S3", "S20", "O", "U5"]),
)
def test_pairs_move_together(n, key_dtype, value_dtype):
    keys = (np.random.default_rng(n).integers(0, 9, n)).astype(key_dtype)
    values = np.arange(n).astype(value_dtype)
    order = np.argsort(keys, kind="stable")
    sorted_keys, moved = ordo.sort_pairs(keys, values)
    same(sorted_keys, keys[order])
    assert np.array_equal(moved, values[order])


def test_pairs_with_rows_of_values(rng):
    keys, values = rng.integers(0, 5, 50), rng.random((50, 3))
    order = np.argsort(-keys, kind="stable")
    sorted_keys, moved = ordo.sort_pairs(keys, values, descending=True)
    same(sorted_keys, keys[order])
    same(moved, values[order])


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f4", "f8"])
@pytest.mark.parametrize("descending", [False, True])
def test_rows_give_the_same_bytes_in_one_call(rng, dtype, descending):
    """Short rows in one call give the same bytes as one call for each row."""
    a = sample(rng, 60 * 50, dtype, scale=3).reshape(60, 50)
    if a.dtype.kind == "f":
        a[::7] = np.round(a[::7])  # zeros of both signs
        a[3, 5] = a[9, 1] = np.nan
    for view in (a, a[:2], a[10:20]):
        rows = ordo.sort(view, descending=descending)
        order = ordo.argsort(view, descending=descending)
        for i, row in enumerate(view):
            assert rows[i].tobytes() == ordo.sort(row, descending=descending).tobytes()
            assert np.array_equal(order[i], ordo.argsort(row, descending=descending))


def test_radius_sequences(rng):
    """LR, RL and DM against their definitions."""
    for dtype in (np.int8, np.uint32, np.float64):
        a = rng.integers(0, 100, 200).astype(dtype)
        for descending in (False, True):
            found, lr, rl, dm = ordo.radius(a, descending=descending, sequences=True)
            high, low = (np.minimum, np.maximum) if descending else (np.maximum, np.minimum)
            same(lr, high.accumulate(a))
            same(rl, low.accumulate(a[::-1])[::-1])
            out_of_order = (lr < rl[:, None]) if descending else (lr > rl[:, None])
            expected = [i - int(np.argmax(row[:i])) if row[:i].any() else 0
                        for i, row in enumerate(out_of_order)]  # fmt: skip
            same(dm, np.array(expected, np.uint64))
            assert found == max(expected) == ordo.radius(a, descending=descending)
            by_one = ordo.radius(a, descending=descending, algorithm="sequential", sequences=True)
            assert by_one[0] == found
            for got, wanted in zip(by_one[1:], (lr, rl, dm)):
                same(got, wanted)


def test_radius_sequences_of_rows(rng):
    a = rng.integers(0, 9, (3, 7))
    for axis in (0, 1):
        found, lr, rl, dm = ordo.radius(a, axis, sequences=True)
        same(found, ordo.radius(a, axis))
        same(lr, np.maximum.accumulate(a, axis))
        same(found, dm.max(axis).astype(np.int64))
        assert rl.shape == dm.shape == a.shape
    assert ordo.radius([], sequences=True)[0] == 0
    with pytest.raises(ValueError, match="algorithm"):
        ordo.radius(a, algorithm="radix")
    with pytest.raises(TypeError, match="sequences"):
        ordo.radius(a, sequences="yes")


# ---- Scans ---------------------------------------------------------------------------------------

# cumsum, cummax, cummin, is_sorted and radius against NumPy.


@given(arrays([*INTEGERS, "?", ">i4"]), st.data())
def test_integer_sums_are_numpys(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1) | st.none())
    same(ordo.cumsum(a, axis), np.cumsum(a, axis))
    for dtype in ("i8", "f8", "u2"):
        same(ordo.cumsum(a, axis, dtype), np.cumsum(a.astype(dtype), axis, dtype))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_float_sums_are_close(rng, dtype):
    a = rng.random((3, 2000)).astype(dtype)
    for axis in (None, 0, 1):
        exact = np.cumsum(a.astype(np.float64), axis)
        result = ordo.cumsum(a, axis)
        assert result.dtype == a.dtype
        np.testing.assert_allclose(result, exact, rtol=100 * np.finfo(dtype).eps)


def test_exclusive(rng):
    a = rng.integers(0, 9, 1000)
    same(ordo.cumsum(a, exclusive=True), np.cumsum(a) - a)


@given(arrays(), st.data())
def test_cummax_and_cummin_equal_numpys(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1) | st.none())
    view = a.reshape(-1) if axis is None else a
    along = -1 if axis is None else axis
    same(ordo.cummax(a, axis), np.maximum.accumulate(view, along))
    same(ordo.cummin(a, axis), np.minimum.accumulate(view, along))


def test_every_layout_of_scans(rng):
    a = rng.integers(-99, 99, (5, 30)).astype(np.int16)
    for name, view in layouts(a):
        for axis in (None, 0, 1):
            assert np.array_equal(ordo.cumsum(view, axis), np.cumsum(a, axis)), name


def slow_radius(row):
    pairs = [j - i for i in range(len(row)) for j in range(i, len(row)) if row[j] < row[i]]
    return max(pairs, default=0)


@given(arrays([*INTEGERS, "f8"], max_dims=2, min_side=1))
def test_radius_and_is_sorted(a):
    if a.dtype.kind == "f":
        a = np.nan_to_num(a)
    rows = a.reshape(-1, a.shape[-1])
    expected = [slow_radius(row) for row in rows]
    assert np.array_equal(np.ravel(ordo.radius(a)), expected)
    assert np.array_equal(np.ravel(ordo.is_sorted(a)), [radius == 0 for radius in expected])


def test_answers_are_python_types():
    assert ordo.is_sorted([1, 2, 2]) is True
    assert ordo.is_sorted([3, 2, 1]) is False
    assert ordo.is_sorted([3, 2, 1], descending=True) is True
    assert ordo.is_sorted([1.0, np.nan]) is True
    assert type(ordo.radius([2, 1])) is int
    assert ordo.is_sorted([]) is True
