"""cumsum, cummax, cummin, is_sorted and radius against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from cases import INTEGERS, arrays, layouts, same
from hypothesis import given
from hypothesis import strategies as st

import ordo


@given(arrays([*INTEGERS, "?", ">i4"]), st.data())
def test_integer_sums_are_numpys(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1) | st.none())
    same(ordo.cumsum(a, axis), np.cumsum(a, axis))
    for dtype in ("i8", "f8", "u2"):
        same(ordo.cumsum(a, axis, dtype), np.cumsum(a.astype(dtype), axis, dtype))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
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


def test_every_layout(rng):
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
