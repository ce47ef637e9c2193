"""rankdata against SciPy: every method, axis and NaN policy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cases import INTEGERS, NUMBERS, RANKS, TIES, arrays, layouts, same, sample
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo

stats = pytest.importorskip("scipy.stats", reason="needs SciPy to compare with")
METHODS = ["average", "min", "max", "dense", "ordinal"]  # of SciPy
POLICIES = ["propagate", "omit", "raise"]


def outcome(function, *arguments, **named):
    try:
        return function(*arguments, **named)
    except ValueError as error:
        return type(error)


def ranks_of(a, method="average", **named):
    """Returns SciPy's ranks with the dtype of SciPy before 1.18, which ordo keeps: int64, float64
    for averages and NaNs. Later releases return the dtype of `a` if it is a float, or float64."""
    ranks = stats.rankdata(a, method, **named)
    whole = method != "average" and not np.isnan(ranks).any()
    return ranks.astype(np.int64 if whole else np.float64)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("policy", POLICIES)
@given(a=arrays([*NUMBERS, "f2", ">f8"]), data=st.data())
def test_rankdata_is_scipys(method, policy, a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1) | st.none())
    expected = outcome(ranks_of, a, method, axis=axis, nan_policy=policy)
    result = outcome(ordo.rankdata, a, method, axis=axis, nan_policy=policy)
    if expected is ValueError:
        assert result is ValueError
    else:
        same(result, expected)


@pytest.mark.parametrize("method", TIES)
@given(a=arrays(INTEGERS, max_dims=1))
def test_rule(method, a):
    keys = sorted(a.tolist())
    places = {key: (keys.index(key), len(keys) - 1 - keys[::-1].index(key)) for key in keys}
    groups = {key: group for group, key in enumerate(sorted(set(keys)), start=1)}
    order = np.argsort(a, kind="stable")
    expected = np.empty(a.size)
    for own, i in enumerate(order):
        expected[i] = RANKS[method](*places[a[i]], own, groups[a[i]])
    np.testing.assert_array_equal(ordo.rankdata(a, method), expected)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_one_long_row(rng, method, dtype):
    a = sample(rng, 50_000, dtype)
    same(ordo.rankdata(a, method), ranks_of(a, method))


@pytest.mark.parametrize("method", METHODS)
@given(a=arrays(["i2", "f8"], max_dims=2))
def test_descending_ranks_the_negated(method, a):
    negated = -a if a.dtype.kind == "f" else -a.astype(np.int64)
    for policy in ("propagate", "omit"):
        expected = ranks_of(negated, method, axis=-1, nan_policy=policy)
        result = ordo.rankdata(a, method, axis=-1, nan_policy=policy, descending=True)
        same(result, expected)


def test_every_layout(rng):
    a = rng.integers(0, 9, (6, 30)).astype(np.float32)
    for name, view in layouts(a):
        for axis in (None, 0, 1):
            expected = stats.rankdata(a, axis=axis)
            assert np.array_equal(ordo.rankdata(view, axis=axis), expected), name


def test_dtypes(rng):
    a = rng.integers(0, 99, 500)
    for dtype in ("u4", "i4", "u8", "i8", "f8"):
        result = ordo.rankdata(a, "min", dtype=dtype)
        assert result.dtype == np.dtype(dtype)
        assert np.array_equal(result, stats.rankdata(a, "min"))
    with pytest.raises(TypeError, match="2\\^24"):
        ordo.rankdata(a, "min", dtype=np.float32)
    with pytest.raises(TypeError, match="expected float64 for method 'average'"):
        ordo.rankdata(a, "average", dtype=np.int64)
    with pytest.raises(ValueError, match="NaN"):
        ordo.rankdata([1.0, np.nan], "min", dtype=np.int64)


def test_large_float32_ranks_are_exact():
    n = (1 << 24) + 3
    ranks = ordo.rankdata(np.arange(n, dtype=np.float32) // 2, "max", dtype=np.uint32)
    assert ranks.max() == n


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("descending", [False, True])
def test_short_rows_in_one_call(rng, method, descending):
    a = rng.integers(0, 9, (40, 30)).astype(np.float64)
    a[3, 4] = np.nan
    together = ordo.rankdata(a, method, axis=1, descending=descending)
    for i, row in enumerate(a):
        np.testing.assert_array_equal(
            together[i], ordo.rankdata(row, method, descending=descending)
        )


# ---- Tests that use ranks ------------------------------------------------------------------------

# spearmanr and mannwhitneyu against SciPy.

ALTERNATIVES = ["two-sided", "less", "greater"]


def close(result, expected):
    np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(result.pvalue, expected.pvalue, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(n=st.integers(3, 200), ties=st.integers(2, 300), seed=st.integers(0, 99))
def test_spearman(alternative, n, ties, seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, ties, n)
    y = x * rng.integers(-1, 2) + rng.integers(0, ties, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.spearmanr(x, y, alternative=alternative)
    close(ordo.spearmanr(x, y, alternative=alternative), expected)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
@pytest.mark.parametrize("continuity", [True, False])
@given(
    m=st.integers(1, 30), n=st.integers(1, 30), ties=st.integers(2, 400), seed=st.integers(0, 99)
)
def test_mann_whitney(alternative, method, continuity, m, n, ties, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, ties, m).astype(float), rng.integers(0, ties, n).astype(float)
    named = {"use_continuity": continuity, "alternative": alternative, "method": method}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.mannwhitneyu(x, y, **named)
    result = ordo.mannwhitneyu(x, y, **named)
    if continuity and np.unique([*x, *y]).size == 1:  # SciPy from 1.18 on: NaN, before: 1, as ordo
        assert (result.statistic, result.pvalue) == (expected.statistic, 1.0)
        assert expected.pvalue == 1 or np.isnan(expected.pvalue)
    else:
        close(result, expected)


def test_the_exact_method_rounds_a_half_down():
    x, y = [1, 3, 4, 6], [2, 3, 5, 7, 8]
    for alternative in ALTERNATIVES:
        named = {"method": "exact", "alternative": alternative}
        close(ordo.mannwhitneyu(x, y, **named), stats.mannwhitneyu(x, y, **named))
    assert ordo.mannwhitneyu(x, y).statistic == 6.5


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_mann_whitney_along_axes(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))]))
    shapes = [list(shape), list(shape)]
    if axis is not None:
        for each in shapes:
            each[axis] = data.draw(st.integers(1, 12))
        if len(shape) > 1 and data.draw(st.booleans()):
            shapes[1][(axis + 1) % len(shape)] = 1
    dtypes = st.sampled_from(["f8", "f4", "i4", "?"])
    x, y = (rng.integers(0, 12, each).astype(data.draw(dtypes)) for each in shapes)
    if x.dtype.kind == "f" and data.draw(st.booleans()):
        x[rng.random(x.shape) < 0.2] = np.nan
    named = {
        "axis": axis,
        "alternative": data.draw(st.sampled_from(ALTERNATIVES)),
        "method": data.draw(st.sampled_from(["auto", "exact", "asymptotic"])),
        "nan_policy": data.draw(st.sampled_from(["propagate", "omit"])),
        "keepdims": data.draw(st.booleans()),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.mannwhitneyu(x, y, **named)
        equal = degenerate(x, y, axis, named["keepdims"])
    result = ordo.mannwhitneyu(x, y, **named)
    for found, wanted in zip(result, expected):
        wanted = np.where(equal, found, wanted)
        assert np.shape(found) == wanted.shape
        single = np.result_type(x.dtype, y.dtype) == np.float32
        assert found.dtype == (np.float32 if single else np.float64)
        np.testing.assert_allclose(found, wanted, rtol=1e-4 if single else 1e-9, atol=1e-5)


def degenerate(x, y, axis, keepdims):
    """Returns whether all elements are equal: the p-value of SciPy from 1.18 on is NaN."""
    parts = [f(a, axis=axis, keepdims=keepdims) for a in (x, y) for f in (np.nanmin, np.nanmax)]
    return (parts[0] == parts[1]) & (parts[2] == parts[3]) & (parts[0] == parts[2])


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_spearman_of_several_variables(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n = data.draw(st.integers(3, 30))
    a, b = (rng.integers(0, 9, (n, data.draw(st.integers(1, 4)))).astype("f4") for _ in "ab")
    axis = data.draw(st.sampled_from([0, 1]))
    if data.draw(st.booleans()):
        a[rng.random(a.shape) < 0.05] = np.nan
    named = {"axis": axis, "alternative": data.draw(st.sampled_from(ALTERNATIVES))}
    samples = [a, b] if a.shape[1] == 1 or data.draw(st.booleans()) else [a]
    samples = [sample if axis == 0 else sample.T for sample in samples]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.spearmanr(*samples, **named)
    result = ordo.spearmanr(*samples, **named)
    assert np.shape(result.statistic) == np.shape(expected.statistic)
    assert result.statistic.dtype == result.pvalue.dtype == np.float64
    np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(result.pvalue, expected.pvalue, rtol=1e-9, atol=1e-7)
    assert result.correlation is result.statistic


def test_spearman_omits_pairs():
    table = np.array([[1, 2, 9], [np.nan, 1, 8], [3, 5, 7], [4, 4, np.nan], [2, 8, 6], [9, 7, 7]])
    result = ordo.spearmanr(table, nan_policy="omit")
    assert np.array_equal(result.statistic, result.statistic.T)
    for i in range(3):
        for j in range(i):
            pair = table[~np.isnan(table[:, [i, j]]).any(1)][:, [i, j]]
            expected = stats.spearmanr(pair)
            assert np.isclose(result.statistic[i, j], expected.statistic)
            assert np.isclose(result.pvalue[i, j], expected.pvalue)
    expected = stats.spearmanr(table, nan_policy="omit")
    np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-12)
    constant = np.where(np.arange(3) == 0, 1, table)
    assert np.isnan(ordo.spearmanr(constant, nan_policy="omit").statistic)


def test_nan_policies():
    x, y = [1.0, 2.0, np.nan, 4.0, 5.0], [2.0, 1.0, 3.0, 5.0, 4.0]
    assert np.isnan(ordo.spearmanr(x, y).statistic)
    close(ordo.spearmanr(x, y, nan_policy="omit"), stats.spearmanr([1, 2, 4, 5], [2, 1, 5, 4]))
    close(ordo.mannwhitneyu(x, y, nan_policy="omit"), stats.mannwhitneyu([1, 2, 4, 5], y))
    for test in (ordo.spearmanr, ordo.mannwhitneyu):
        with pytest.raises(ValueError, match="nan"):
            test(x, y, nan_policy="raise")


def test_constant_and_perfect():
    assert np.isnan(ordo.spearmanr([1, 1, 1], [1, 2, 3]).statistic)
    close(ordo.spearmanr(range(9), range(9)), stats.spearmanr(range(9), range(9)))


# ---- Weights -----------------------------------------------------------------------------------

WEIGHTED = [method for method in METHODS if method != "ordinal"]
pairs_of = st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 4)), min_size=1, max_size=30)


def weighted_ranks(keys, weights, method, descending=False):
    """The formulas of the contract, for keys without NaN and exact sums."""
    order = -keys.astype(np.float64) if descending else keys.astype(np.float64)
    before = np.array([weights[order < x].sum() for x in order], np.float64)
    up_to = np.array([weights[order <= x].sum() for x in order], np.float64)
    dense = np.array([np.unique(order[(order < x) & (weights > 0)]).size for x in order])
    ranks = {"min": before + 1, "max": up_to, "average": (before + up_to + 1) / 2}
    return ranks.get(method, dense + 1.0)


@pytest.mark.parametrize("method", WEIGHTED)
@given(pairs_of, st.sampled_from(NUMBERS), st.sampled_from([*NUMBERS, "f2"]), st.booleans())
def test_weights_by_the_formulas(method, pairs, dtype, weight_dtype, descending):
    keys, weights = np.array(pairs).T
    keys = (keys if np.dtype(dtype).kind != "u" else keys + 4).astype(dtype)
    result = ordo.rankdata(
        keys, method, weights=weights.astype(weight_dtype), descending=descending
    )
    np.testing.assert_array_equal(result, weighted_ranks(keys, weights, method, descending))
    floats = method == "average" or (np.dtype(weight_dtype).kind == "f" and method != "dense")
    assert result.dtype == (np.float64 if floats else np.int64)
    ones = np.ones(keys.size, weight_dtype)
    np.testing.assert_array_equal(
        ordo.rankdata(keys, method, weights=ones), stats.rankdata(keys, method)
    )


@pytest.mark.parametrize("method", WEIGHTED)
def test_weights_along_axes(method, rng):
    a = rng.integers(0, 4, (3, 5, 4)).astype(np.float32)
    weights = rng.integers(0, 3, a.shape) / 4
    for axis in (0, 1, -1):
        result = ordo.rankdata(a, method, axis=axis, weights=weights)
        for at in np.ndindex(*np.delete(a.shape, axis)):
            row = (*at[: axis % 3], slice(None), *at[axis % 3 :])
            np.testing.assert_array_equal(result[row], weighted_ranks(a[row], weights[row], method))
    shared = np.array([2, 0, 1, 1])
    every = np.broadcast_to(shared, a.shape)
    np.testing.assert_array_equal(
        ordo.rankdata(a, method, axis=-1, weights=shared),
        ordo.rankdata(a, method, axis=-1, weights=every),
    )
    flat = ordo.rankdata(a, method, weights=weights)
    np.testing.assert_array_equal(flat, weighted_ranks(a.ravel(), weights.ravel(), method))


def test_weights_and_nans():
    a, weights = [2.0, np.nan, 1.0, np.nan], [3, 5, 2, 1]
    assert np.isnan(ordo.rankdata(a, weights=weights)).all()
    result = ordo.rankdata(a, "max", weights=weights, nan_policy="omit")
    np.testing.assert_array_equal(result, [5, np.nan, 2, np.nan])
    with pytest.raises(ValueError, match="nan values"):
        ordo.rankdata(a, weights=weights, nan_policy="raise")


def test_weights_that_are_refused():
    for wrong in ([1, -1, 1], [1.0, np.nan, 1.0], [1, 2]):
        with pytest.raises(ValueError, match="weights"):
            ordo.rankdata([1, 2, 3], weights=wrong)
    with pytest.raises(ValueError, match="ordinal"):
        ordo.rankdata([1, 2, 3], "ordinal", weights=[1, 1, 1])
    with pytest.raises(ValueError, match="algorithm"):
        ordo.rankdata([1, 2, 3], weights=[1, 1, 1], algorithm="radix")
    with pytest.raises(TypeError, match="float64"):
        ordo.rankdata([1, 2, 3], "min", weights=[1.5, 1, 1], dtype="i8")
    with pytest.raises(TypeError, match="numbers"):
        ordo.rankdata(["a", "b"], weights=[1, 1])
    for dtype in ("i4", "u4"):
        with pytest.raises(ValueError, match="64 bits"):
            ordo.rankdata([1, 2], "max", weights=[np.iinfo(dtype).max, 1], dtype=dtype)
    result = ordo.rankdata([1, 2], "dense", weights=[2**40, 1], dtype="i4")
    assert result.dtype == np.int32 and result.tolist() == [1, 2]
