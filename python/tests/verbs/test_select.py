"""median, quantile, select, topk and partition against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cases import INTEGERS, NUMBERS, QUANTILES, arrays, layouts, same, sample
from hypothesis import given
from hypothesis import strategies as st

import ordo
from ordo._arrays import HostPlace

METHODS = QUANTILES.copy()
DISCRETE = ["inverted_cdf", "closest_observation", "lower", "higher", "nearest"]


if np.lib.NumpyVersion(np.__version__) < "2.0.0":
    METHODS.remove("closest_observation")  # older NumPy rounds it differently
    DISCRETE.remove("closest_observation")


@pytest.fixture(autouse=True)
def quiet():
    """NumPy warns when it divides or subtracts infinities."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def axes_of(a):
    one = st.integers(-a.ndim, a.ndim - 1)
    return st.one_of(st.none(), one, st.just(tuple(range(a.ndim))), st.just((0,)))


@given(arrays([*INTEGERS, "f8", "?"], min_side=1), st.data())
def test_median_is_numpys(a, data):
    axis, keepdims = data.draw(axes_of(a)), data.draw(st.booleans())
    if a.dtype.itemsize == 8 and a.dtype.kind in "iu":
        a = a // 4096  # NumPy also adds the middle elements as float64, but in another order
    same(ordo.median(a, axis, keepdims=keepdims), np.median(a, axis, keepdims=keepdims))


@given(arrays(["f2", "f4", ">f4"], min_side=1), st.data())
def test_median_of_short_floats_rounds_once(a, data):
    axis = data.draw(axes_of(a))
    exact = np.median(a.astype(np.float64), axis)
    same(ordo.median(a, axis), exact.astype(a.dtype.newbyteorder("=")))


@given(arrays(["f8", "f4"], min_side=1), st.data())
def test_nanmedian(a, data):
    axis = data.draw(axes_of(a))
    exact = np.nanmedian(a.astype(np.float64), axis)
    same(ordo.median(a, axis, nan_policy="omit"), np.asarray(exact).astype(a.dtype))


def test_empty_and_nan():
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        assert np.isnan(ordo.median(np.array([])))
    assert np.isnan(ordo.median(np.array([1.0, np.nan])))
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        assert np.isnan(ordo.quantile(np.array([], np.int64), 0.5))
    with pytest.raises(ValueError, match="nan"):
        ordo.median([1.0, np.nan], nan_policy="raise")


@pytest.mark.parametrize("axis", [(), [], [0], [1, 0], [-1]])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_in_a_list_and_no_axes(axis, keepdims):
    for dtype in ("i4", "f4", "f8"):
        a = np.array([[3, 1, 2], [5, 5, 4]], dtype)
        same(ordo.median(a, axis, keepdims=keepdims), np.median(a, axis, keepdims=keepdims))
        same(
            ordo.quantile(a, [0.1, 0.5], axis, keepdims=keepdims),
            np.quantile(a, [0.1, 0.5], axis, keepdims=keepdims),
        )
        weighted = ordo.quantile(a, 0.5, axis, weights=np.ones((2, 3), int), method="inverted_cdf")
        plain = np.quantile(a, 0.5, axis, method="inverted_cdf")
        same(weighted, plain)
    a, letters = np.array([[3, 0], [1, 2]]), np.array(list("abcd"))
    least = np.min(a, tuple(axis))
    same(ordo.select(a, 0, axis), least)
    same(ordo.select(letters[a], 0, axis), letters[least])


def same_where_numpy_is_right(result, expected, a, axis, keepdims=False):
    """Compares with numpy.quantile, except where the difference of two elements is not finite.

    numpy.quantile returns an infinity or NaN there. ordo's result is between the smallest and the
    largest element; it is NaN only if these are -inf and inf.
    """
    result, expected = np.asarray(result), np.asarray(expected)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    low, high = a.min(axis, keepdims=keepdims), a.max(axis, keepdims=keepdims)
    right = np.isfinite(expected) | np.isnan(low)
    between = (low <= result) & (result <= high)
    between |= np.isnan(result) & (low == -np.inf) & (high == np.inf)
    assert (right | between).all()
    same(np.where(right, result, 0), np.where(right, expected, 0))


@pytest.mark.parametrize("method", METHODS)
@given(a=arrays([*INTEGERS[:-2], "f8"], max_dims=2, min_side=1), data=st.data())
def test_quantile_is_numpys(method, a, data):
    axis = data.draw(axes_of(a))
    keepdims = data.draw(st.booleans())
    numbers = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1))
    q = data.draw(st.one_of(numbers, st.lists(numbers, min_size=1, max_size=5)))
    q = data.draw(st.sampled_from([q, np.asarray(q)]))
    if a.dtype.kind == "f" or method in DISCRETE:
        expected = np.quantile(a, q, axis, method=method, keepdims=keepdims)
    else:  # NumPy's difference of integers may overflow
        expected = np.quantile(a.astype(float), q, axis, method=method, keepdims=keepdims)
    result = ordo.quantile(a, q, axis, method=method, keepdims=keepdims)
    same_where_numpy_is_right(result, expected, a, axis, keepdims)


@pytest.mark.parametrize("method", METHODS)
@given(a=arrays(["f4", "f2"], max_dims=2, min_side=1))
def test_quantile_of_short_floats(method, a):
    q = [0.0, 0.1, 0.5, 0.77, 1.0]
    exact = np.quantile(a.astype(np.float64), q, -1, method=method)
    result = ordo.quantile(a, q, -1, method=method)
    assert result.dtype == np.quantile(a, q, -1, method=method).dtype
    same_where_numpy_is_right(result, exact.astype(result.dtype), a, -1)
    one = ordo.quantile(a, 0.5, -1, method=method)
    assert one.dtype == a.dtype


@pytest.mark.parametrize("method", DISCRETE)
@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_discrete_quantiles_of_wide_integers_are_exact(rng, method, dtype):
    a = rng.integers(1 << 60, 1 << 62, 1001).astype(dtype)
    q = np.linspace(0, 1, 23)
    same(ordo.quantile(a, q, method=method), np.quantile(a, q, method=method))


@pytest.mark.parametrize("method", METHODS)
def test_quantile_omits_nan(rng, method):
    a = rng.standard_normal((4, 50))
    a[rng.random(a.shape) < 0.2] = np.nan
    q = [0.0, 0.3, 0.9]
    expected = np.nanquantile(a, q, axis=1, method=method)
    same(ordo.quantile(a, q, 1, method=method, nan_policy="omit"), expected)


def test_integer_q(rng):
    a = rng.integers(0, 99, 20)
    for q in (0, 1, [0, 1]):
        same(ordo.quantile(a, q), np.quantile(a, q))


@given(arrays(min_side=1), st.data())
def test_select_is_the_sorted_element(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    n = a.shape[axis]
    k = data.draw(st.integers(-n, n - 1) | st.lists(st.integers(-n, n - 1), max_size=4))
    expected = np.take(np.moveaxis(np.sort(a, axis), axis, 0), np.asarray(k, np.intp), 0)
    same(ordo.select(a, k, axis), expected)


@given(arrays(min_side=1), st.data())
def test_topk_is_the_head_of_the_order(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    k = data.draw(st.integers(0, a.shape[axis]))
    largest = data.draw(st.booleans())
    order = ordo.argsort(a, axis, descending=largest)
    index = np.take(order, range(k), axis)
    values, indices = ordo.topk(a, k, axis, largest=largest)
    same(indices, index)
    same(values, np.take_along_axis(a, index, axis))


def check_partition(result, a, kth, axis):
    same(np.sort(result, axis), np.sort(a, axis))
    rows, expected = np.moveaxis(result, axis, -1), np.moveaxis(np.sort(a, axis), axis, -1)
    for k in np.atleast_1d(kth):
        assert np.array_equal(rows[..., k], expected[..., k], equal_nan=a.dtype.kind == "f")
        before, at = np.sort(rows[..., :k], -1), np.sort(expected[..., :k], -1)
        assert np.array_equal(before, at, equal_nan=a.dtype.kind == "f")


@given(arrays(min_side=1), st.data())
def test_partition(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    n = a.shape[axis]
    kth = data.draw(st.integers(-n, n - 1) | st.lists(st.integers(0, n - 1), min_size=1))
    check_partition(ordo.partition(a, kth, axis), a, kth, axis)
    index = ordo.argpartition(a, kth, axis)
    check_partition(np.take_along_axis(a, index, axis), a, kth, axis)


def test_large(rng):
    for dtype in NUMBERS:
        a = sample(rng, 100_000, dtype)
        same(ordo.select(a, 777), np.sort(a)[777])
        check_partition(ordo.partition(a, 50_000), a, 50_000, -1)
        same(ordo.topk(a, 5).values, np.sort(a)[::-1][:5])


def test_every_layout(rng):
    a = rng.standard_normal((5, 31))
    for name, view in layouts(a):
        for axis in (None, 0, 1):
            assert np.array_equal(ordo.median(view, axis), np.median(a, axis)), name
            expected = np.quantile(a, [0.2, 0.7], axis)
            assert np.array_equal(ordo.quantile(view, [0.2, 0.7], axis), expected), name


@given(arrays([*NUMBERS, "f2"], max_dims=2, min_side=1))
def test_medians_of_short_rows_in_one_call(a):
    a = np.atleast_2d(a)
    together = ordo.median(a, -1)
    same(together, np.array([ordo.median(row) for row in a]))


@pytest.mark.parametrize("special", [[], [np.nan], [np.inf], [np.inf, -np.inf, np.inf], [-np.nan]])
@pytest.mark.parametrize("n", [4095, 5000, 5001, 20_000])
@pytest.mark.parametrize("on_device", [False, True])
def test_many_elements_with_special_values(rng, special, n, on_device, monkeypatch):
    """Rows so long that quantiles find NaNs by the last element in order."""
    monkeypatch.setattr(HostPlace, "on_device", on_device)
    a = rng.standard_normal((2, n))
    a[1, 17 : 17 + len(special)] = special
    same(ordo.median(a, -1), np.median(a, -1))
    same(ordo.median(a[1]), np.median(a[1]))
    half = a.astype(np.float32)
    same(ordo.median(half, 1), np.median(half.astype(float), 1).astype(np.float32))
    for method in METHODS:
        q = [0.0, 0.2, 0.5, 1.0]
        expected = np.quantile(a, q, -1, method=method)
        same_where_numpy_is_right(ordo.quantile(a, q, -1, method=method), expected, a, -1)


@pytest.mark.parametrize(
    ("a", "expected"),
    [
        ([-1.7e308, 1.7e308], [-1.7e308, -0.85e308, 0.0, 0.85e308, 1.7e308]),
        ([1.0, np.inf], [1.0, np.inf, np.inf, np.inf, np.inf]),
        ([-np.inf, 1.0], [-np.inf, -np.inf, -np.inf, -np.inf, 1.0]),
        ([np.inf, np.inf], [np.inf] * 5),
        ([-np.inf, np.inf], [-np.inf, np.nan, np.nan, np.nan, np.inf]),
    ],
)
@pytest.mark.parametrize("shape", [(), (1,), (3, 1)])
def test_quantiles_where_the_difference_is_not_finite(a, expected, shape):
    """numpy.quantile returns infinities and NaNs for these elements."""
    keys = np.broadcast_to(np.array(a), (*shape, 2)).copy()
    result = ordo.quantile(keys, [0.0, 0.25, 0.5, 0.75, 1.0], -1)
    same(np.moveaxis(result, 0, -1), np.broadcast_to(np.array(expected), (*shape, 5)))


def test_float32_quantiles_of_the_largest_keys():
    most = np.finfo(np.float32).max
    result = ordo.quantile(np.array([-most, most]), np.array([0.25, 0.5], np.float32))
    assert result.tolist() == [-most / 2, 0.0]


def test_the_median_is_finite_where_the_sum_is_not():
    a = np.full(6000, 1.75e308)
    a[:3000] = 1.5e308
    assert ordo.median(a) == 1.5e308 / 2 + 1.75e308 / 2


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_plain_rows_without_nans(dtype):
    """A plain row takes a short path for 'omit', too; a row of NaNs still warns."""
    row = np.array([3.0, np.nan, 4.0, np.nan, 8.0], dtype)
    for result in (ordo.nanmedian(row), ordo.nanquantile(row, 0.5)):
        assert result == 4 and result.dtype == dtype
    for function in (ordo.nanmedian, lambda a: ordo.nanquantile(a, 0.5)):
        with pytest.warns(RuntimeWarning, match="All-NaN"):
            assert np.isnan(function(row[1:4:2].copy()))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=20))
def test_nanmedian_with_weights(pairs):
    keys, weights = np.array(pairs).T
    keys = np.where(keys == 5, np.nan, keys)
    repeated = np.repeat(keys, weights)
    if np.isnan(repeated).all():
        return
    assert ordo.nanmedian(keys, weights=weights) == np.nanmedian(repeated)


# ---- The bytes of NumPy ------------------------------------------------------------------------

# NumPy's median and its quantile 0.5 round differently, and ordo has the bytes of both.

BYTES_TYPES = ["i1", "i8", "u8", "f2", "f4", "f8"]


def pair_of(rng, dtype, kind):
    """Returns two elements of all magnitudes."""
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        info = np.iinfo(dtype)
        a = rng.integers(info.min, info.max, 2, dtype, endpoint=True)
        return a if kind == "far" else a[:1] // 2 + rng.integers(0, 100, 2).astype(dtype)
    if kind == "far":  # bits of any finite number that cannot overflow a sum
        a = rng.integers(0, np.array(np.finfo(dtype).max / 2).view(f"u{dtype.itemsize}"), 2)
        a = a.astype(f"u{dtype.itemsize}").view(dtype)
        return a * rng.choice(np.array([-1, 1], dtype), 2)
    a = (rng.standard_normal(2) * 10.0 ** rng.integers(-4, 4)).astype(dtype)
    if kind == "special":
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, float(np.finfo(dtype).smallest_subnormal)]
        a[rng.integers(2)] = rng.choice(special)
    return a


def around(rng, pair, n):
    """Returns n elements, of which `pair` are the two in the middle, in any order."""
    low, high = np.sort(pair)
    return rng.permutation(np.concatenate([[low] * (n // 2 - 1), pair, [high] * (n // 2 - 1)]))


def same_bytes(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    nan = np.isnan(expected)
    assert np.array_equal(np.isnan(found), nan)
    assert found[~nan].tobytes() == expected[~nan].tobytes()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["far", "near", "special"])
@pytest.mark.parametrize("dtype", BYTES_TYPES)
def test_medians_have_the_bytes_of_numpy(rng, dtype, kind):
    for n in (2, 2, 2, 4, 20, 3000, 5000) * 30:
        a = around(rng, pair_of(rng, dtype, kind), n).astype(dtype)
        expected = np.median(a)
        same_bytes(ordo.median(a), expected)
        same_bytes(ordo.median([a, a], 1), [expected, expected])
        same_bytes(ordo.median(np.stack([a, a], 1), 0), [expected, expected])
        same_bytes(ordo.nanmedian(a), np.nanmedian(a))
        same_bytes(ordo.median(a[:-1], nan_policy="omit"), np.nanmedian(a[:-1]))
        same_bytes(ordo.moving_median(a, n, nan_policy="propagate")[-1], expected)
        if n == 4:
            same_bytes(ordo.external.median(a), expected)
        wide = np.median(a.astype(np.float64))
        same_bytes(ordo.group_median(np.ones(n), a, skipna=False).values, [wide])


@pytest.mark.parametrize("kind", ["far", "near"])
@pytest.mark.parametrize("dtype", BYTES_TYPES)
def test_quantiles_have_the_bytes_of_numpy(rng, dtype, kind):
    """numpy.quantile of the elements as float64, in which ordo interpolates.

    The difference of i8 wraps in NumPy, and float16 and float32 are interpolated in their own type.
    """
    for n in (2, 2, 2, 4, 20, 3000, 5000) * 30:
        a = around(rng, pair_of(rng, dtype, kind), n).astype(dtype)
        wanted = np.quantile(a.astype(np.float64), 0.5)
        expected = wanted.astype(dtype) if a.dtype.kind == "f" else wanted
        same_bytes(ordo.quantile(a, 0.5), expected)
        same_bytes(ordo.quantile([a, a], 0.5, 1), [expected, expected])
        same_bytes(ordo.quantile(a, [0.5, 0.5]), [wanted, wanted])
        exact = np.abs(a.astype(np.float64)).max() < 2**53 and float(a.max()) - float(a.min()) < 128
        if dtype == "f8" or (a.dtype.kind != "f" and exact):
            same_bytes(ordo.quantile(a, 0.5), np.quantile(a, 0.5))
        if a.dtype.kind == "f":
            a[0] = np.nan
            assert np.isnan(ordo.quantile(a, 0.5)) and np.isnan(np.quantile(a, 0.5))


def test_medians_with_weights_have_the_bytes_of_numpy(rng):
    for _ in range(100):
        a, weights = rng.standard_normal(4), rng.integers(0, 3, 4)
        weights[0] += weights.sum() % 2 + 1  # often an even number of elements
        repeated = np.repeat(a, weights)
        expected = np.median(repeated)
        same_bytes(ordo.median(a, weights=weights), expected)
        same_bytes(ordo.median([a, a], 1, weights=weights), [expected, expected])
        same_bytes(ordo.group_median(np.ones(4), a, weights=weights).values, [expected])


def test_medians_that_overflow_in_numpy():
    for dtype in ("f2", "f4", "f8"):
        most = np.finfo(dtype).max
        for pair in ([most, most], [-most, -most], [most, most / 2]):
            a = np.array(pair, dtype)
            assert ordo.median(a) == a[0] / 2 + a[1] / 2
            assert ordo.median([a, a], 1).tolist() == [a[0] / 2 + a[1] / 2] * 2
