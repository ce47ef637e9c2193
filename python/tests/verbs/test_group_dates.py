"""Groups and windows of dates, numbers of 16 bits, bools and Series, against pandas and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo

pd = pytest.importorskip("pandas")
NAT = np.iinfo(np.int64).min
DAYS = st.sampled_from([NAT, -3, 0, 1, 2, 5, 18262])
KINDS = st.sampled_from(["M8[D]", "M8[ns]", "m8[s]"])


def dates(days: list[int], kind: str) -> np.ndarray:
    return np.array(days, np.int64).view(kind)


def series(a: np.ndarray) -> pd.Series:
    """pandas has no days: the dates become seconds."""
    return pd.Series(a.astype(a.dtype.str[:2] + "8[s]") if a.dtype.str.endswith("[D]") else a)


rows = st.lists(st.tuples(st.integers(0, 3), DAYS), max_size=30)


def parts(pairs: list[tuple[int, int]], kind: str) -> tuple[np.ndarray, np.ndarray]:
    return np.array([g for g, _ in pairs], np.int64), dates([d for _, d in pairs], kind)


@settings(max_examples=60, deadline=None)
@given(rows, KINDS, st.booleans())
def test_medians_and_quantiles_of_dates(pairs, kind, skipna):
    groups, a = parts(pairs, kind)
    found = ordo.group_median(groups, a, skipna=skipna)
    assert found.values.dtype == a.dtype and np.array_equal(found.groups, np.unique(groups))
    quantiles = ordo.group_quantile(groups, a, [0.1, 0.5], method="lower", skipna=skipna)
    for g, median, low in zip(found.groups, found.values, quantiles.values):
        mine = a[groups == g]
        kept = mine[~np.isnat(mine)] if skipna else mine
        if kept.size == 0 or np.isnat(kept).any():
            assert np.isnat(median) and np.isnat(low).all()
            continue
        expected = np.quantile(kept.view("i8"), [0.1, 0.5], method="lower")
        assert median == ordo.median(kept)
        assert np.array_equal(low, expected.view(a.dtype))


@settings(max_examples=60, deadline=None)
@given(rows, KINDS, st.sampled_from(["average", "min", "max", "dense"]), st.booleans())
def test_ranks_of_dates(pairs, kind, method, descending):
    groups, a = parts(pairs, kind)
    mine = ordo.group_rank(groups, a, method, descending=descending)
    theirs = series(a).groupby(groups).rank(
        method, ascending=not descending, na_option="bottom"
    )  # fmt: skip
    assert np.array_equal(mine, theirs)


@settings(max_examples=60, deadline=None)
@given(rows, KINDS, st.integers(0, 4), st.booleans(), st.booleans())
def test_topk_of_dates(pairs, kind, k, largest, skipna):
    groups, a = parts(pairs, kind)
    top = ordo.group_topk(groups, a, k, largest=largest, skipna=skipna)
    assert top.values.dtype == a.dtype
    for g, values, index, count in zip(*top):
        at = np.flatnonzero(groups == g)
        order = at[ordo.argsort(a[at], descending=largest)]
        if skipna:
            order = order[~np.isnat(a[order])]
        assert count == min(k, order.size)
        assert np.array_equal(index[:count], order[:count]) and (index[count:] == -1).all()
        assert np.array_equal(values[:count], a[order[:count]], equal_nan=True)
        assert np.isnat(values[count:]).all()


@settings(max_examples=60, deadline=None)
@given(rows, KINDS, st.booleans())
def test_dates_as_groups(pairs, kind, dropna):
    numbers, groups = parts(pairs, kind)
    sizes = series(groups).groupby(series(groups), dropna=dropna).size()
    counts = ordo.group_count(groups, dropna=dropna)
    assert counts.groups.dtype == groups.dtype
    known = counts.groups[~np.isnat(counts.groups)]
    assert np.array_equal(known, np.unique(groups[~np.isnat(groups)]))
    assert (known.size == counts.groups.size) == (dropna or not np.isnat(groups).any())
    assert np.array_equal(counts.counts, sizes.sort_index(na_position="last"))
    missing = np.isnat(groups) if dropna else np.zeros(groups.size, bool)
    ranks = ordo.group_rank(groups, numbers, dropna=dropna)
    assert np.array_equal(np.isnan(ranks), missing)
    assert not ordo.group_rank(groups, numbers, "min", dropna=dropna)[missing].any()
    order = ordo.group_argsort(groups, numbers, dropna=dropna)
    expected = np.lexsort((numbers, groups))
    assert np.array_equal(order, expected[~missing[expected]])
    top = ordo.group_topk(groups, numbers, 1, dropna=dropna)
    medians = ordo.group_median(groups, numbers, dropna=dropna)
    for one, (g, n) in enumerate(zip(*counts)):
        at = np.flatnonzero(np.isnat(groups) if np.isnat(g) else groups == g)
        assert at.size == n and medians.values[one] == np.median(numbers[at])
        assert top.indices[one, 0] == at[np.argmax(numbers[at])]


def test_dates_in_lexsort():
    days = dates([5, NAT, 1, 5], "M8[D]")
    key = np.array([1, 0, 0, 0])
    assert ordo.lexsort((key, days)).tolist() == np.lexsort((key, days)).tolist()
    assert ordo.lexsort((key, days), descending=True).tolist() == [0, 3, 2, 1]


@pytest.mark.parametrize("dtype", ["bool", "float16", "int8", ">f8"])
def test_results_have_the_dtype_of_the_argument(dtype):
    a = np.array([1, 0, 1], dtype)
    top = ordo.group_topk(a, a, 1)
    assert top.groups.dtype == top.values.dtype == a.dtype.newbyteorder("=")
    assert ordo.group_count(a).groups.tolist() == np.unique(a).tolist()


@pytest.mark.parametrize("kind", ["M8[D]", "m8[s]"])
def test_windows_of_dates_are_rejected(kind):
    with pytest.raises(TypeError, match="astype"):
        ordo.moving_median(dates([1, 2], kind), 2)


def test_series_in_series_out():
    a = pd.Series([3.0, 1.0, np.nan, 2.0], index=list("wxyz"), name="a")
    pd.testing.assert_series_equal(ordo.moving_median(a, 2, 1), a.rolling(2, 1).median())
    pd.testing.assert_series_equal(a.ordo.moving_min(2), a.rolling(2).min())
    pd.testing.assert_series_equal(ordo.moving_rank(a, 3, 1), a.rolling(3, 1).rank())
    groups = [1, 1, 2, 2]
    pd.testing.assert_series_equal(ordo.group_rank(groups, a), a.groupby(groups).rank())
    expected = a.groupby(groups).rank(na_option="bottom")
    assert ordo.group_rank(groups, a.to_numpy()).tolist() == expected.tolist()


def test_polars_in_polars_out():
    pl = pytest.importorskip("polars")
    a = pl.Series("a", [3.0, 1.0, 2.0])
    assert ordo.moving_max(a, 2, 1).equals(pl.Series("a", [3.0, 3.0, 2.0]))
    assert ordo.group_rank([1, 1, 2], a).equals(pl.Series("a", [2.0, 1.0, 1.0]))


def test_out():
    groups, a = np.array([1, 2, 1]), np.array([5.0, 4.0, 3.0])
    calls = [
        lambda **out: ordo.lexsort((a, groups), **out),
        lambda **out: ordo.lexrank((a, groups), **out),
        lambda **out: ordo.group_argsort(groups, a, **out),
        lambda **out: ordo.group_rank(groups, a, **out),
        lambda **out: ordo.moving_median(a, 2, 1, **out),
        lambda **out: ordo.moving_quantile(a, 2, 0.5, 1, **out),
        lambda **out: ordo.moving_rank(pd.Series(a), 2, 1, **out),
        lambda **out: ordo.moving_min(a, 2, 1, **out),
        lambda **out: ordo.moving_max(a, 2, 1, **out),
    ]
    for call in calls:
        expected = np.asarray(call())
        room = np.empty_like(expected)
        assert call(out=room) is room and np.array_equal(room, expected)
        with pytest.raises(ValueError, match="out has shape"):
            call(out=np.empty(5))
