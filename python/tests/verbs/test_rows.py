"""Functions along an axis: one call for all rows gives the results of one call for each row."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any, Callable

import numpy as np
import pytest
from cases import FLOATS, NUMBERS, TIES, arrays, layouts, same, sample
from hypothesis import given
from hypothesis import strategies as st

import ordo


def each_row(a: Any, axis: int, function: Callable[[Any], Any]) -> Any:
    """Returns the results of `function` for every row, along `axis` again if they are rows."""
    moved = np.moveaxis(a, axis, -1)
    results = [np.asarray(function(row.copy())) for row in moved.reshape(-1, moved.shape[-1])]
    shaped = np.array(results).reshape(moved.shape[:-1] + results[0].shape)
    return np.moveaxis(shaped, -1, axis) if results[0].ndim else shaped


def same_bytes(result: Any, expected: Any) -> None:
    got, wanted = np.ascontiguousarray(result), np.ascontiguousarray(expected)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    assert got.tobytes() == wanted.tobytes()


def cases(down: bool, k: int) -> list[Callable[..., Any]]:
    """Returns functions of an array and an axis; a row without axis is one call."""
    return [
        lambda a, axis: ordo.sort(a, axis, descending=down),
        lambda a, axis: ordo.argsort(a, axis, descending=down),
        lambda a, axis: ordo.select(a, k, axis, descending=down),
        lambda a, axis: ordo.topk(a, k + 1, axis, largest=down).values,
        lambda a, axis: ordo.topk(a, k + 1, axis, largest=down).indices,
        lambda a, axis: ordo.cumsum(a, axis, exclusive=down),
        lambda a, axis: (ordo.cummax if down else ordo.cummin)(a, axis),
        lambda a, axis: ordo.is_sorted(a, axis, descending=down),
        lambda a, axis: ordo.radius(a, axis, descending=down),
        lambda a, axis: ordo.radius(a, axis, descending=down, sequences=True)[1],
        lambda a, axis: ordo.radius(a, axis, descending=down, sequences=True)[3],
        lambda a, axis: ordo.median(a, axis),
        lambda a, axis: ordo.quantile(a, 0.3, axis),
    ]


@given(arrays([*NUMBERS, "?", "f2"], max_dims=4, min_side=1, max_side=5), st.booleans(), st.data())
def test_every_function(a, down, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    k = data.draw(st.integers(0, a.shape[axis] - 1))
    with np.errstate(all="ignore"):
        for function in cases(down, k):
            same_bytes(function(a, axis), each_row(a, axis, lambda row, f=function: f(row, -1)))


@given(arrays(NUMBERS, max_dims=3, min_side=1, max_side=6), st.booleans(), st.data())
def test_ranks(a, down, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    policy = data.draw(st.sampled_from(["propagate", "omit"]))
    for method in TIES:
        result = ordo.rankdata(a, method, axis=axis, descending=down, nan_policy=policy)
        expected = each_row(
            a,
            axis,
            lambda row, m=method: ordo.rankdata(row, m, descending=down, nan_policy=policy),
        )
        np.testing.assert_array_equal(result, expected)


@given(arrays(FLOATS, max_dims=3, min_side=1, max_side=6), st.data())
def test_quantiles_with_nans(a, data):
    axis = data.draw(st.integers(0, a.ndim - 1))
    policy = data.draw(st.sampled_from(["propagate", "omit"]))
    method = data.draw(st.sampled_from(["linear", "hazen", "lower", "midpoint"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows of NaNs
        result = ordo.quantile(a, [0.2, 0.9], axis, method=method, nan_policy=policy)
        expected = each_row(
            a,
            axis,
            lambda row: ordo.quantile(row, [0.2, 0.9], method=method, nan_policy=policy),
        )
    same_bytes(result, np.moveaxis(expected, axis, 0))


@pytest.mark.parametrize("shape", [(300, 3), (40, 100), (3, 400), (7, 90, 5), (2, 3, 4, 5)])
def test_like_numpy(rng, shape):
    for dtype, axis in product(["f8", "f4", "i4", "u1"], range(len(shape))):
        a = sample(rng, int(np.prod(shape)), dtype).reshape(shape)
        for name, array in layouts(a):
            k = shape[axis] // 2
            same(ordo.sort(array, axis), np.sort(a, axis))
            same(ordo.argsort(array, axis), np.argsort(a, axis, kind="stable"))
            same(ordo.median(array, axis), np.median(a, axis))
            if dtype != "f4":  # NumPy interpolates float32 in float32
                same(ordo.quantile(array, 0.25, axis), np.quantile(a, 0.25, axis))
            same(ordo.select(array, k, axis), np.take(np.sort(a, axis), k, axis))
            same(ordo.cummax(array, axis), np.maximum.accumulate(a, axis))
            assert (np.take(ordo.partition(array, k, axis), k, axis) ==
                    np.take(np.sort(a, axis), k, axis)).all(), name  # fmt: skip
            index = ordo.argpartition(array, k, axis)
            moved = np.take_along_axis(a, index, axis)
            same(np.take(moved, k, axis), np.take(np.sort(a, axis), k, axis))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_outputs_and_empty_rows(rng, axis):
    a = rng.standard_normal((4, 6, 5))
    out = np.empty_like(a)
    assert ordo.sort(a, axis, out=out) is out
    same(out, np.sort(a, axis))
    assert ordo.sort(a, axis, out=a) is a
    same(a, out)
    for shape in [(0, 3, 2), (3, 0, 2), (3, 2, 0)]:
        empty = np.empty(shape)
        same(ordo.sort(empty, axis), empty)
        same(ordo.argsort(empty, axis), np.empty(shape, np.intp))
        same(ordo.cumsum(empty, axis), empty)


def test_refusals_of_rows(rng):
    a = rng.standard_normal((6, 4))
    with pytest.raises(ordo.OrderError, match="segment"):
        ordo.rank_sorted(a, axis=1)
    with pytest.raises(ValueError, match="k is"):
        ordo.topk(a, 5, 1)
    with pytest.raises(ordo.DeviceError):
        ordo.rank_sorted(np.sort(a, 1), axis=1, algorithm="naive")


def test_threads_and_memory(rng):
    a = rng.standard_normal((700, 300))
    a[5, 7] = np.nan
    expected = np.sort(a, 0), np.argsort(a, 1, kind="stable")
    for threads, limit in [(1, None), (3, None), (3, 1 << 16)]:
        with ordo.context(threads=threads, device="cpu", memory_limit=limit):
            same(ordo.sort(a, 0), expected[0])
            same(ordo.argsort(a, 1), expected[1])


def one_of(dtype: Any, rng: Any, shape: tuple, kind: str) -> Any:
    """Returns numbers that are spread, that often tie, or that differ only in their lowest bits."""
    kind_of = np.dtype(dtype).kind
    if kind == "ties":
        choice = [0.0, -0.0, 1.0, np.nan, np.inf, -np.inf] if kind_of == "f" else [0, 1, 2]
        return rng.choice(np.array(choice, dtype), shape)
    if kind_of == "f":
        near = np.array([-3.0, 3.0], dtype)[rng.integers(0, 2, shape)]
        steps = rng.integers(0, 50, shape) * np.finfo(dtype).eps * 2
        return (
            near + steps.astype(dtype) if kind == "near" else rng.normal(size=shape).astype(dtype)
        )
    ends = np.iinfo(dtype)
    if kind == "spread":
        return rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
    low = rng.integers(0, 50, shape).astype(dtype)
    return np.where(rng.random(shape) < 0.5, ends.min + low, ends.max - low).astype(dtype)


@pytest.mark.parametrize("kind", ["spread", "ties", "near"])
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 16, 17, 100, 128, 129, 256, 257])
def test_short_rows(n, dtype, kind):
    """The order of many short rows, which is found by networks and by vector sorts."""
    a = one_of(dtype, np.random.default_rng(n), (40, n), kind)
    expected = np.argsort(a, axis=1, kind="stable")
    for keys in (a, np.asfortranarray(a)):
        assert np.array_equal(ordo.argsort(keys, 1), expected)
        top = ordo.topk(keys, min(n, 3), 1, largest=False)
        assert np.array_equal(top.indices, expected[:, :3])
        same(top.values, np.take_along_axis(a, expected, 1)[:, :3])
        same(ordo.sort(keys, 1), np.sort(a, 1))
    ordinal = np.empty((40, n), np.int64)
    np.put_along_axis(ordinal, expected, np.arange(1, n + 1)[None, :], 1)
    held = np.where(a != a, a.dtype.type(0), a)  # ranks of rows with NaNs are NaN
    if not (a != a).any():
        assert np.array_equal(ordo.rankdata(a, "ordinal", axis=1), ordinal)
    for method in TIES:
        each = [ordo.rankdata(row, method, algorithm="merge") for row in held]
        assert np.array_equal(ordo.rankdata(held, method, axis=1), each)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_sums_and_quantiles_of_short_rows(dtype, n):
    """Each row has the bytes of a separate call, also with NaNs and zeros of both signs."""
    values = np.array([np.nan, np.inf, -0.0, 0.0, 1e-3, 2.5, -7.0, 1e30], dtype)
    a = values[np.random.default_rng(n).integers(0, values.size, (300, n))]
    with np.errstate(all="ignore"):
        for exclusive in (False, True):
            sums = ordo.cumsum(a, 1, exclusive=exclusive)
            each = [ordo.cumsum(row, exclusive=exclusive) for row in a]
            assert sums.tobytes() == np.array(each).tobytes()
        clean = a[~np.isnan(a).all(1)]
        for policy in ("propagate", "omit"):
            q = ordo.quantile(clean, [0.0, 0.3, 0.5, 1.0], 1, nan_policy=policy)
            each = [ordo.quantile(row, [0.0, 0.3, 0.5, 1.0], nan_policy=policy) for row in clean]
            assert np.array_equal(q, np.array(each).T, equal_nan=True)
            middle = ordo.median(clean, 1, nan_policy=policy)
            each = [ordo.median(row, nan_policy=policy) for row in clean]
            assert np.array_equal(middle, each, equal_nan=True)


# ---- Rows without elements -----------------------------------------------------------------------

WITHOUT_RESULTS = {
    "sort": lambda a, axis: ordo.sort(a, axis),
    "sort of float16": lambda a, axis: ordo.sort(a.astype("f2"), axis),
    "sort of dates": lambda a, axis: ordo.sort(a.astype("M8[s]"), axis),
    "sort in place": lambda a, axis: ordo.sort(a, axis, out=a),
    "argsort": lambda a, axis: ordo.argsort(a, axis, descending=True),
    "rankdata": lambda a, axis: ordo.rankdata(a, axis=axis),
    "rank_sorted": lambda a, axis: ordo.rank_sorted(a, axis=axis),
    "cumsum": lambda a, axis: ordo.cumsum(a, axis),
    "cummin": lambda a, axis: ordo.cummin(a, axis),
    "partition": lambda a, axis: ordo.partition(a, [], axis),
    "moving_median": lambda a, axis: ordo.moving_median(a, 3, axis=axis),
}
ONE_RESULT = {
    "median": (lambda a, axis: ordo.median(a, axis), np.nan),
    "nanmedian": (lambda a, axis: ordo.nanmedian(a, axis), np.nan),
    "quantile": (lambda a, axis: ordo.quantile(a, 0.3, axis), np.nan),
    "is_sorted": (lambda a, axis: ordo.is_sorted(a, axis), True),
    "radius": (lambda a, axis: ordo.radius(a, axis), 0),
    "sequences": (lambda a, axis: ordo.radius(a, axis, sequences=True)[0], 0),
}


def empty_rows() -> list:
    return [(np.empty((10**5, 0)), 1), (np.empty((0, 10**5)), 0), (np.empty((3, 0, 10**4)), -2)]


@pytest.mark.parametrize("name", WITHOUT_RESULTS)
def test_rows_without_elements_and_results(name):
    for a, axis in empty_rows():
        assert WITHOUT_RESULTS[name](a, axis).shape == a.shape


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize("name", ONE_RESULT)
def test_rows_without_elements(name):
    call, expected = ONE_RESULT[name]
    for a, axis in empty_rows():
        found = call(a, axis)
        assert found.shape == tuple(np.delete(a.shape, axis))
        assert np.array_equal(found, np.full(found.shape, expected), equal_nan=True)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(5, 0), (0, 5), (0, 0), (100_000, 0), (0, 100_000)])
def test_slices_without_elements(shape, axis):
    found = ordo.unique(np.empty(shape), True, True, True, axis)
    n = shape[axis]
    wanted = list(shape)
    wanted[axis] = min(n, 1)
    assert [part.shape for part in found] == [tuple(wanted), (min(n, 1),), (n,), (min(n, 1),)]
    assert found[3].sum() == n and not found[2].any()
    if n * max(shape) < 1000 and 100_000 not in shape:  # NumPy makes a field for each element
        for x, y in zip(found, np.unique(np.empty(shape), True, True, True, axis)):
            assert x.dtype == y.dtype and np.array_equal(x, y.reshape(x.shape))
