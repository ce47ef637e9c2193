"""moving_* against pandas, bottleneck and loops; weighted quantiles against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from cases import INTEGERS, QUANTILES, layouts
from hypothesis import given
from hypothesis import strategies as st

import ordo

FLOATS = st.sampled_from([np.nan, 0.0, 1.0, 2.0, -3.5, 7.25, 100.0])
windows = st.integers(1, 12)


def rows_of(values):
    return st.lists(values, max_size=40).map(lambda row: np.array(row, np.float64))


def periods_of(data, window):
    return data.draw(st.none() | st.integers(0, window))


def slow(a, window, min_periods, center, statistic):
    """The statistic of each window without its NaNs."""
    ahead = (window - 1) // 2 if center else 0
    needed = max(window if min_periods is None else min_periods, 1)
    result = []
    for i in range(len(a)):
        part = a[max(0, i + ahead - window + 1) : i + ahead + 1]
        kept = part[~np.isnan(part)]
        result.append(statistic(part, kept) if len(kept) >= needed else np.nan)
    return np.array(result)


def slow_rank(part, kept):
    last = part[-1]
    if np.isnan(last):
        return np.nan
    return (kept < last).sum() + ((kept == last).sum() + 1) / 2


SLOW = {
    ordo.moving_median: lambda part, kept: np.median(kept),
    ordo.moving_min: lambda part, kept: kept.min(),
    ordo.moving_max: lambda part, kept: kept.max(),
    ordo.moving_rank: slow_rank,
}


@pytest.mark.parametrize("function", SLOW)
@given(rows_of(FLOATS), windows, st.booleans(), st.data())
def test_windows_against_loops(function, a, window, center, data):
    periods = periods_of(data, window)
    result = function(a, window, periods, center=center)
    np.testing.assert_array_equal(result, slow(a, window, periods, center, SLOW[function]))


@given(rows_of(FLOATS), windows, st.sampled_from(QUANTILES), st.data())
def test_moving_quantiles(a, window, method, data):
    q = data.draw(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.8, 1.0]))
    periods = periods_of(data, window)
    expected = slow(
        a, window, periods, False, lambda part, kept: np.quantile(kept, q, method=method)
    )
    result = ordo.moving_quantile(a, window, q, periods, method=method)
    np.testing.assert_array_equal(result, expected)


@given(rows_of(FLOATS), windows, st.booleans(), st.data())
def test_pandas_agrees(a, window, center, data):
    pandas = pytest.importorskip("pandas")
    periods = periods_of(data, window)
    rolling = pandas.Series(a).rolling(window, min_periods=periods, center=center)
    options = {"min_periods": periods, "center": center}
    pairs = [
        (ordo.moving_median(a, window, **options), rolling.median()),
        (ordo.moving_quantile(a, window, 0.3, **options), rolling.quantile(0.3)),
        (ordo.moving_min(a, window, **options), rolling.min()),
        (ordo.moving_max(a, window, **options), rolling.max()),
        (ordo.moving_rank(a, window, **options), rolling.rank()),
        (ordo.moving_rank(a, window, method="min", **options), rolling.rank(method="min")),
        (ordo.moving_rank(a, window, method="max", **options), rolling.rank(method="max")),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs.to_numpy(), rtol=1e-12, atol=1e-12)


@given(rows_of(FLOATS), windows, st.data())
def test_bottleneck_agrees(a, window, data):
    bottleneck = pytest.importorskip("bottleneck")
    if window > len(a):
        return
    periods = data.draw(st.none() | st.integers(1, window))
    for name in ("median", "min", "max"):
        ours = getattr(ordo, f"moving_{name}")(a, window, periods)
        theirs = getattr(bottleneck, f"move_{name}")(a, window, periods)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("dtype", [*INTEGERS, "f2", "f4", "?"])
def test_every_dtype(rng, dtype):
    a = rng.integers(0, 2 if dtype == "?" else 100, 300).astype(dtype)
    wide = a.astype(np.float64)
    for function in SLOW:
        result = function(a, 7, 2)
        np.testing.assert_array_equal(result, slow(wide, 7, 2, False, SLOW[function]))
        keeps = a.dtype.kind == "f" and function is not ordo.moving_rank
        assert result.dtype == (a.dtype if keeps else np.float64)


def test_axes_and_layouts(rng):
    a = rng.random((6, 30))
    for name, view in layouts(a):
        for axis in (0, 1):
            expected = np.apply_along_axis(lambda row: ordo.moving_median(row, 4, 2), axis, a)
            np.testing.assert_array_equal(ordo.moving_median(view, 4, 2, axis), expected, name)
        flat = ordo.moving_max(view, 4, axis=None)
        np.testing.assert_array_equal(flat, ordo.moving_max(a.reshape(-1), 4), name)


def test_threads_and_chunks_agree(rng):
    a = rng.standard_normal(20_000)
    a[::97] = np.nan
    for function in SLOW:
        with ordo.context(threads=1):
            one = function(a, 301, 5)
        with ordo.context(threads=3):
            three = function(a, 301, 5)
        assert one.tobytes() == three.tobytes()
        where = rng.integers(0, a.size, 50)
        for i in where:
            part = a[max(0, i - 300) : i + 1]
            kept = part[~np.isnan(part)]
            expected = SLOW[function](part, kept) if kept.size >= 5 else np.nan
            np.testing.assert_array_equal(one[i], expected)


def test_nan_policies_and_specials():
    a = np.array([1.0, np.nan, 3.0, np.inf, -np.inf, -0.0])
    np.testing.assert_array_equal(
        ordo.moving_max(a, 2, nan_policy="propagate"),
        [np.nan, np.nan, np.nan, np.inf, np.inf, -0.0],
    )
    np.testing.assert_array_equal(ordo.moving_median(a, 2, 1)[3:], [np.inf, np.nan, -np.inf])
    with pytest.raises(ValueError, match="nan"):
        ordo.moving_median(a, 2, nan_policy="raise")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((0,), ValueError),
        ((2.5,), TypeError),
        ((3, 4), ValueError),
        ((3, -1), ValueError),
        ((3, 1, 2), ValueError),
    ],
)
def test_wrong_arguments(arguments, error):
    for function in SLOW:
        with pytest.raises(error):
            function([1, 2, 3], *arguments)
    with pytest.raises(ValueError, match="q is"):
        ordo.moving_quantile([1, 2], 2, 1.5)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u1", "?"])
def test_dtypes_of_moving_results(dtype):
    """Floats keep their type, as in bottleneck and as the medians of NumPy do."""
    a = np.array([3, 1, 2]).astype(dtype)
    expected = a.dtype if a.dtype.kind == "f" else np.dtype(np.float64)
    for call in (ordo.moving_median, ordo.moving_min, ordo.moving_max):
        assert call(a, 2).dtype == expected
    assert ordo.moving_quantile(a, 2, 0.5).dtype == expected
    assert ordo.moving_rank(a, 2).dtype == np.float64
    bottleneck = pytest.importorskip("bottleneck")
    if dtype == "f4":
        assert bottleneck.move_median(a, 2).dtype == np.float32


# ---- Weights -----------------------------------------------------------------------------------

weighted = st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4)), min_size=1, max_size=30)
SOME_Q = np.array([0.0, 0.125, 0.25, 1 / 3, 0.5, 0.75, 0.9, 1.0])


@pytest.mark.parametrize("method", QUANTILES)
@given(weighted)
def test_integer_weights_repeat(method, pairs):
    keys, weights = np.array(pairs, np.int32).T
    repeated = np.repeat(keys, weights).astype(np.float64)
    result = ordo.quantile(keys.astype(np.float64), SOME_Q, method=method, weights=weights)
    if repeated.size == 0:
        assert np.isnan(result).all()
        return
    np.testing.assert_array_equal(result, ordo.quantile(repeated, SOME_Q, method=method))
    middle = ordo.median(keys, weights=weights)
    assert middle == np.median(repeated)
    assert ordo.median(keys, weights=weights / 8.0) == middle


@given(weighted)
def test_float_weights_are_numpys(pairs):
    keys, weights = np.array(pairs, np.float64).T
    weights /= 8.0
    if not weights.any():
        return
    try:
        expected = np.quantile(keys, SOME_Q, method="inverted_cdf", weights=weights)
    except TypeError:
        pytest.skip("NumPy has no weights before 2.0")
    result = ordo.quantile(keys, SOME_Q, method="inverted_cdf", weights=weights)
    np.testing.assert_array_equal(result, expected)


ELEMENTS = ["inverted_cdf", "closest_observation", "lower", "higher", "nearest"]


@pytest.mark.parametrize("dtype", ["i1", "u2", ">i4", "i8", "u8", "?"])
@pytest.mark.parametrize("method", ELEMENTS)
@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 4)), min_size=1, max_size=30))
def test_weighted_elements_of_integers(method, dtype, pairs):
    keys, weights = np.array(pairs).T
    large = 2**63 - 11 if dtype in ("i8", "u8") else 0
    keys = (keys.astype("u8") + np.uint64(large)).astype(dtype)
    repeated = np.repeat(keys, weights)
    if repeated.size == 0:
        with pytest.raises(ValueError, match="as integers have no NaN"):
            ordo.quantile(keys, 0.5, method=method, weights=weights)
        return
    result = ordo.quantile(keys, SOME_Q, method=method, weights=weights)
    assert result.dtype == keys.dtype.newbyteorder("=")
    np.testing.assert_array_equal(result, ordo.quantile(repeated, SOME_Q, method=method))
    table, each = np.stack([keys, keys[::-1]]), np.stack([weights, weights])
    if each[1] @ np.ones(len(keys), int):
        found = ordo.quantile(table, 0.5, 1, method=method, weights=each)
        assert found[0] == result[4] and found.dtype == result.dtype
    if method == "inverted_cdf" and np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        expected = np.quantile(keys, SOME_Q, method=method, weights=weights)
        np.testing.assert_array_equal(result, expected)
        found = ordo.quantile(keys, SOME_Q, method=method, weights=weights / 2)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("method", QUANTILES[3:9])
@given(weighted)
def test_float_weights_are_scipys(method, pairs):
    stats = pytest.importorskip("scipy.stats")
    keys, weights = np.array(pairs, np.float64).T
    if not weights.any():
        return
    try:
        expected = stats.quantile(keys, SOME_Q, method=method, weights=weights)
    except (AttributeError, TypeError):
        pytest.skip("SciPy has no weighted quantiles before 1.17")
    result = ordo.quantile(keys, SOME_Q, method=method, weights=weights)
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


def test_weights_along_axes(rng):
    a = rng.random((4, 5, 6))
    weights = rng.integers(0, 5, a.shape)
    for axis in (0, 1, -1, (0, 2), None):
        result = ordo.quantile(a, [0.25, 0.5], axis, weights=weights, keepdims=True)
        assert result.shape == np.quantile(a, [0.25, 0.5], axis, keepdims=True).shape
    line = rng.integers(1, 5, 6)
    result = ordo.median(a, axis=2, weights=line)
    for i in range(4):
        for j in range(5):
            assert result[i, j] == np.median(np.repeat(a[i, j], line))


@pytest.mark.parametrize("dtype", ["?", "f2", ">f2", ">f8", ">u4"])
def test_types_of_weights(dtype):
    weights = np.array([1, 0, 1], dtype)
    assert ordo.median([1.0, 2.0, 4.0], weights=weights) == 2.5
    assert ordo.rankdata([1.0, 2.0, 4.0], "max", weights=weights).tolist() == [1, 1, 2]


def test_wrong_weights():
    a = [1.0, 2.0, 3.0]
    for bad in ([1, -1, 1], [1, np.nan, 1], [1, np.inf, 1]):
        with pytest.raises(ValueError, match=r"weights\[1\]"):
            ordo.quantile(a, 0.5, weights=bad)
    with pytest.raises(ValueError, match="shape"):
        ordo.quantile(a, 0.5, weights=[1, 2])
    with pytest.raises(ValueError, match="floats"):
        ordo.quantile(a, 0.5, weights=[1.0, 2.0, 3.0], method="lower")
    with pytest.raises(TypeError, match="dtype"):
        ordo.median(a, weights=["x", "y", "z"])
    with pytest.raises(ValueError, match="algorithm"):
        ordo.median(a, weights=a, algorithm="radix")
    assert np.isnan(ordo.median([np.nan, 1.0], weights=[1, 1]))
    for dtype in ("M8[s]", "m8[ms]"):
        dates = np.array([3, 1, 2]).astype(dtype)
        with pytest.raises(TypeError, match="weights are for numbers"):
            ordo.median(dates, weights=[1, 2, 1])
        with pytest.raises(TypeError, match="weights are for numbers"):
            ordo.quantile(dates, [0.5], weights=[1, 2, 1], method="inverted_cdf")
    assert ordo.median([np.nan, 1.0], weights=[0, 1]) == 1
    assert ordo.median([np.nan, 1.0], weights=[1, 1], nan_policy="omit") == 1
    assert np.isnan(ordo.median(a, weights=[0, 0, 0]))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
@pytest.mark.parametrize("n", [1, 2, 17, 32, 33, 64])
def test_a_short_array_has_the_results_of_a_longer_one(rng, dtype, n):
    """Few elements have loops of their own. Windows that end before others do not see these."""
    a = rng.integers(0, 9, 200).astype(dtype)
    if dtype[0] == "f":
        a[rng.integers(0, 200, 40)] = np.nan
        a[rng.integers(0, 200, 9)] = np.inf
    functions = [ordo.moving_median, lambda a, w, **named: ordo.moving_quantile(a, w, 0.3, **named)]
    for method in ("min", "max", "average", "dense"):
        functions.append(lambda a, w, m=method, **named: ordo.moving_rank(a, w, method=m, **named))
    for window in {1, 2, min(n, 5), n}:
        for periods in {1, window}:
            for function in functions:
                short = function(a[:n].copy(), window, min_periods=periods)
                whole = function(a, window, min_periods=periods)
                assert short.tobytes() == whole[:n].tobytes()
