"""lexsort, lexrank, the group functions and sort_records, against NumPy and pandas."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cases import NUMBERS
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo


def column(rng: np.random.Generator, dtype: str, n: int, distinct: int) -> np.ndarray:
    """Keys of all magnitudes that tie often; floats with NaNs and zeros of both signs."""
    if dtype[0] == "f":
        values = rng.standard_normal(distinct) * 10.0 ** rng.integers(-3, 4, distinct)
        values[: min(3, distinct)] = [np.nan, -0.0, 0.0][: min(3, distinct)]
        pool = values.astype(dtype)
    else:
        info = np.iinfo(dtype)
        pool = rng.integers(info.min, info.max, distinct, dtype=dtype, endpoint=True)
    return pool[rng.integers(0, distinct, n)]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 400),
    st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=5),
    st.sampled_from([1, 3, 20, 400]),
    st.integers(0, 2**32),
)
def test_lexsort_as_numpy(n: int, types: list[str], distinct: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = [column(rng, dtype, n, distinct) for dtype in types]
    expected = np.lexsort(keys)
    assert np.array_equal(ordo.lexsort(keys), expected)
    ranks = ordo.lexrank(keys, "ordinal")
    assert np.array_equal(ranks[expected], np.arange(1, n + 1))
    dense = ordo.lexrank(keys, "dense")[expected]
    for i in range(1, n):
        a, b = expected[i - 1], expected[i]
        ties = all(k[a] == k[b] or (k[a] != k[a] and k[b] != k[b]) for k in keys)
        assert dense[i] - dense[i - 1] == (0 if ties else 1)


def other_column(rng: np.random.Generator, kind: str, n: int) -> np.ndarray:
    """Keys of few values, of a type that the library does not have."""
    numbers = rng.integers(-3, 4, n)
    if kind == "object":
        return np.array([*(int(x) << 70 for x in numbers), None], object)[:-1]
    if kind == "str objects":
        return np.array([*map(str, numbers), None], object)[:-1]
    if kind == "complex":
        return np.where(numbers == 3, np.nan, numbers + 1j * rng.integers(0, 2, n))
    if kind == "fields":
        made = np.zeros(n, "i4,f4")
        made["f0"], made["f1"] = numbers, rng.integers(0, 2, n)
        return made
    return numbers.astype(kind)


OTHERS = ["U3", "S3", "object", "str objects", "complex", "fields", "g", "f2", "?", ">i8", "M8[D]"]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 30),
    st.lists(st.sampled_from(OTHERS), min_size=1, max_size=40),
    st.integers(0, 2**32),
)
def test_lexsort_of_other_types_as_numpy(n: int, kinds: list[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = [other_column(rng, kind, n) for kind in kinds]
    expected = np.lexsort(keys)
    assert np.array_equal(ordo.lexsort(keys), expected)
    assert np.array_equal(ordo.lexrank(keys, "ordinal")[expected], np.arange(1, n + 1))
    tables = [np.stack([key, key[::-1]], 1) for key in keys]
    for axis in (0, 1):
        assert np.array_equal(ordo.lexsort(tables, axis), np.lexsort(tables, axis))


@pytest.mark.parametrize("keys", [np.array([3, 1, 2]), [3, 1, 2], ["b", "a"], [np.nan], (True,)])
def test_lexsort_of_scalars_as_numpy(keys) -> None:
    expected, found = np.lexsort(keys), ordo.lexsort(keys)
    assert (found, type(found)) == (expected, type(expected))
    for axis in (1, -2):
        with pytest.raises(ValueError, match="axis"):
            ordo.lexsort(keys, axis)


def test_elements_that_do_not_compare_are_keys_of_a_single_row() -> None:
    for keys in (np.array([2, None, 1], object), [np.array([None])], [np.array([None, 1])] * 2):
        try:
            expected = np.lexsort(keys)
        except TypeError:
            with pytest.raises(TypeError):
                ordo.lexsort(keys)
        else:
            assert np.array_equal(ordo.lexsort(keys), expected)


def test_lexsort_of_other_types_descending() -> None:
    words = ["b", "a", "c", "b"]
    for key in (words, np.array(words, object), np.array(words, "S1")):
        assert ordo.lexsort([[0, 1, 2, 3], key], descending=True).tolist() == [2, 3, 0, 1]
        assert ordo.lexrank([key], "min", descending=True).tolist() == [2, 4, 1, 2]
    for dtype in (complex, np.longdouble):
        key = np.array([1, np.nan, 2], dtype)
        assert ordo.lexsort([key], descending=True).tolist() == [2, 0, 1]
    missing = pytest.importorskip("pyarrow").array(["b", None, "a"])
    assert ordo.lexsort([missing]).tolist() == [2, 0, 1]
    assert ordo.lexsort([missing], descending=True).tolist() == [0, 2, 1]


def test_lexsort_descending() -> None:
    a, b = [1, 2, 1, 2], [0.5, np.nan, 0.5, 1.0]
    assert ordo.lexsort((a, b), descending=[True, False]).tolist() == [0, 2, 3, 1]
    assert ordo.lexsort((a, b), descending=True).tolist() == [3, 0, 2, 1]


def test_lexsort_arguments() -> None:
    for empty in ([], (), np.zeros((0, 3))):
        with pytest.raises(TypeError, match="there are no key columns"):
            ordo.lexsort(empty)
    for mixed in ([1, [2]], [[1], 2], [[1], [[2]]]):
        with pytest.raises(ValueError, match="shapes of the keys differ"):
            ordo.lexsort(mixed)
    with pytest.raises(ValueError, match="elements"):
        ordo.lexsort(([1, 2], [1]))
    with pytest.raises(ValueError, match="descending"):
        ordo.lexsort(([1], [1]), descending=[True])


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 300),
    st.sampled_from(NUMBERS),
    st.sampled_from(NUMBERS),
    st.sampled_from([1, 4, 50, 300]),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_groups_one_by_one(
    n: int, group_type: str, key_type: str, distinct: int, dropna: bool, seed: int
) -> None:
    """Each group has the results of a separate call on its rows."""
    rng = np.random.default_rng(seed)
    groups = column(rng, group_type, n, distinct)
    a = column(rng, key_type, n, 40)
    found, counts = ordo.group_count(groups, dropna=dropna)
    order = ordo.group_argsort(groups, a, dropna=dropna)
    ranks = ordo.group_rank(groups, a, dropna=dropna)
    medians = ordo.group_median(groups, a, dropna=dropna)
    quantiles = ordo.group_quantile(groups, a, [0.1, 0.75], method="hazen", dropna=dropna)
    top = ordo.group_topk(groups, a, 3, dropna=dropna)
    whole = groups[~np.isnan(groups)] if dropna and group_type[0] == "f" else groups
    expected = np.unique(whole)
    assert np.array_equal(found, expected, equal_nan=group_type[0] == "f")
    start = 0
    for g, key in enumerate(found):
        rows = np.flatnonzero(groups == key if key == key else groups != groups)
        keys = a[rows]
        numbers = keys[keys == keys]
        assert counts[g] == rows.size
        assert np.array_equal(
            order[start : start + rows.size], rows[np.argsort(keys, kind="stable")]
        )
        start += rows.size
        if numbers.size == keys.size:
            assert np.array_equal(ranks[rows], ordo.rankdata(keys))
        if numbers.size:
            wide = numbers.astype("f8")
            assert medians.values[g] == ordo.median(wide)
            assert np.array_equal(
                quantiles.values[g], ordo.quantile(wide, [0.1, 0.75], method="hazen")
            )
        else:
            assert np.isnan(medians.values[g])
        best = ordo.topk(numbers, min(3, numbers.size)) if numbers.size else None
        assert top.counts[g] == min(3, numbers.size)
        if best is not None:
            assert np.array_equal(top.values[g, : top.counts[g]], best.values)
            assert np.array_equal(a[top.indices[g, : top.counts[g]]], best.values)
    assert start == order.size


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 300), st.sampled_from([1, 5, 80]), st.integers(0, 2**32))
def test_groups_as_pandas(n: int, distinct: int, seed: int) -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, distinct, n)
    a = np.round(rng.standard_normal(n), 1)
    by = pandas.Series(a).groupby(groups)
    for method, name in zip(
        ("average", "min", "max", "dense", "ordinal"), ("average", "min", "max", "dense", "first")
    ):
        assert np.array_equal(ordo.group_rank(groups, a, method), by.rank(name).to_numpy())
    assert np.array_equal(ordo.group_median(groups, a).values, by.median().to_numpy())
    assert np.allclose(
        ordo.group_quantile(groups, a, 0.3).values, by.quantile(0.3).to_numpy(), rtol=1e-12
    )
    assert np.array_equal(ordo.group_count(groups).counts, by.size().to_numpy())
    top = ordo.group_topk(groups, a, 2)
    taken = np.concatenate([row[:count] for row, count in zip(top.values, top.counts)])
    assert np.array_equal(taken, by.nlargest(2).to_numpy())


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 300),
    st.sampled_from(NUMBERS),
    st.sampled_from(NUMBERS),
    st.sampled_from(["i1", "u2", "i8", "u8", "?"]),
    st.sampled_from([1, 4, 60]),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_weights_repeat_rows(
    n: int, dtype: str, by: str, of: str, distinct: int, skipna: bool, seed: int
) -> None:
    """Integer weights give the results of rows that are repeated, group by group."""
    rng = np.random.default_rng(seed)
    groups, a = column(rng, by, n, distinct), column(rng, dtype, n, 40)
    weights = rng.integers(0, 2 if of == "?" else 5, n).astype(of)
    q, method = [0.0, 0.3, 1.0], "hazen" if seed % 2 else "linear"
    found = ordo.group_quantile(groups, a, q, method=method, skipna=skipna, weights=weights)
    middle = ordo.group_median(groups, a, skipna=skipna, weights=weights)
    assert np.array_equal(found.groups, ordo.group_count(groups).groups)
    policy = "omit" if skipna else "propagate"
    for i, group in enumerate(found.groups):
        inside = groups == group
        rows = np.repeat(a[inside], weights[inside].astype(int))
        if rows.size == 0:
            assert np.isnan(found.values[i]).all() and np.isnan(middle.values[i])
            continue
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = ordo.quantile(rows.astype("f8"), q, method=method, nan_policy=policy)
            half = ordo.median(rows.astype("f8"), nan_policy=policy)
        np.testing.assert_allclose(found.values[i], expected, rtol=1e-14)
        np.testing.assert_allclose(middle.values[i], half, rtol=1e-14)


def test_float_weights_of_groups() -> None:
    rng = np.random.default_rng(4)
    groups, a, weights = rng.integers(0, 50, 5000), rng.random(5000), rng.random(5000)
    found = ordo.group_quantile(groups, a, 0.7, method="inverted_cdf", weights=weights)
    for group, value in zip(*found):
        rows = groups == group
        assert value == np.quantile(a[rows], 0.7, weights=weights[rows], method="inverted_cdf")
    days = np.array(["2020-01-01", "NaT", "2020-01-01", "2020-01-02"], "M8[D]")
    dated = ordo.group_median(days, [1.0, 9.0, 3.0, 4.0], weights=[1, 1, 2, 1])
    assert dated.values.tolist() == [3.0, 4.0]


def test_group_weight_arguments() -> None:
    with pytest.raises(ValueError, match=r"weights\[1\] is -2"):
        ordo.group_median([1, 1], [1, 2], weights=[1, -2])
    days = np.array(["NaT", "2020"], "M8[D]")
    for at, weights in enumerate(([-2, 1], [1, np.inf])):
        with pytest.raises(ValueError, match=rf"weights\[{at}\] is (-2|inf)"):
            ordo.group_quantile(days, [1, 2], 0.5, weights=weights)
    with pytest.raises(ValueError, match="weights have shape"):
        ordo.group_median([1, 1], [1, 2], weights=[1])
    with pytest.raises(ValueError, match="no form for weights that are floats"):
        ordo.group_quantile([1, 1], [1, 2], 0.5, method="nearest", weights=[0.5, 1])
    with pytest.raises(TypeError, match="dates"):
        ordo.group_median([1], np.array(["2020"], "M8[D]"), weights=[1])
    with pytest.raises(TypeError, match="weights have dtype"):
        ordo.group_median([1], [1.0], weights=["x"])


def string_groups(kind: str, rows: list) -> object:
    if kind == "numpy":
        return np.array(["" if each is None else each for each in rows])
    if kind == "objects":
        return np.array(["" if each is None else each for each in rows], object)
    library = pytest.importorskip(kind)
    if kind == "pyarrow":
        return library.array(rows)
    return library.array(rows, dtype="string") if kind == "pandas" else library.Series(rows)


@pytest.mark.parametrize("kind", ["numpy", "objects", "pyarrow", "pandas", "polars"])
@pytest.mark.parametrize("dropna", [True, False])
def test_groups_of_strings(kind: str, dropna: bool) -> None:
    """The same results as numbers in the order of the strings; missing strings as NaN."""
    rng = np.random.default_rng(7)
    words = np.array(["", "a", "ab", "b", "\u00e9", None], object)
    picked = rng.integers(1, 6, 200)
    strings = string_groups(kind, words[picked].tolist())
    has_missing = kind in ("pyarrow", "pandas", "polars")
    numbers = np.where(picked == 5, np.nan if has_missing else 0, picked)
    a, weights = rng.random(200), rng.integers(0, 4, 200)
    found = ordo.group_count(strings, dropna=dropna)
    expected = ordo.group_count(numbers, dropna=dropna)
    named = [None if each != each else words[int(each)] for each in expected.groups]
    assert [each if isinstance(each, str) else None for each in found.groups.tolist()] == named
    assert np.array_equal(found.counts, expected.counts)
    for call in (
        lambda g: ordo.group_median(g, a, dropna=dropna, weights=weights).values,
        lambda g: ordo.group_quantile(g, a, [0.1, 0.9], dropna=dropna).values,
        lambda g: ordo.group_rank(g, a, dropna=dropna),
        lambda g: ordo.group_argsort(g, a, dropna=dropna),
        lambda g: ordo.group_topk(g, a, 2, dropna=dropna).indices,
    ):
        assert np.array_equal(call(strings), call(numbers), equal_nan=True)
    with pytest.raises(ValueError, match="2 dimensions"):
        ordo.group_count(np.array([["a"]]))


def test_group_arguments() -> None:
    with pytest.raises(ValueError, match="elements"):
        ordo.group_rank([1, 2], [1])
    with pytest.raises(ValueError, match="dimensions"):
        ordo.group_count(np.array([[1, 2]]))
    with pytest.raises(ValueError, match="method"):
        ordo.group_rank([1], [1], "middle")
    with pytest.raises(ValueError):
        ordo.group_quantile([1], [1], 1.5)
    with pytest.raises(ValueError, match="k is"):
        ordo.group_topk([1], [1], -1)
    assert np.isnan(ordo.group_rank([np.nan, 1.0], [3, 4])[0])
    assert ordo.group_count([], dropna=False).counts.size == 0


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 300), st.sampled_from(NUMBERS), st.integers(0, 70), st.booleans(), st.integers(0)
)
def test_sort_records_as_numpy(n: int, dtype: str, more: int, inplace: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    fields = [("tag", "u1"), ("key", dtype), ("row", "i8"), ("rest", f"V{more + 1}")]
    a = np.zeros(n, fields)
    a["key"] = column(rng, dtype, n, 50)
    a["row"] = np.arange(n)
    expected = a[np.argsort(a["key"], kind="stable")]
    result = ordo.sort_records(a, "key", inplace=inplace)
    assert (result is a) == inplace
    assert result.tobytes() == expected.tobytes()


def test_sort_records_arguments() -> None:
    a = np.zeros(3, [("key", "i4"), ("name", "S3")])
    with pytest.raises(TypeError, match="structured"):
        ordo.sort_records(np.zeros(3), "key")
    with pytest.raises(ValueError, match="field"):
        ordo.sort_records(a, "other")
    others = np.array([(True, 2, 3, "a"), (False, 1, 1, "b")], "?, f2, >i4, U1")
    for field, records in (("name", a), *((name, others) for name in others.dtype.names)):
        with pytest.raises(TypeError, match="integer of 8 to 64 bits, float32 or float64, in nat"):
            ordo.sort_records(records, field)
    assert others[ordo.argsort(others["f1"])]["f3"].tolist() == ["b", "a"]  # as the message says
    with pytest.raises(ValueError, match="inplace"):
        ordo.sort_records(a[::2], "key", inplace=True)


def test_lexsort_along_an_axis():
    rng = np.random.default_rng(5)
    keys = rng.integers(0, 3, (2, 4, 5, 6))
    for axis in (-1, 0, 1, 2, -3):
        assert np.array_equal(ordo.lexsort(keys, axis), np.lexsort(keys, axis))
    assert ordo.lexsort(keys, 1, descending=[True, False]).shape == keys.shape[1:]
    for shape, axis in (((3,), 1), ((2, 3), 2), ((2, 3), -3)):
        with pytest.raises(ValueError, match="axis"):
            ordo.lexsort([np.zeros(shape)], axis)
    with pytest.raises(ValueError, match="shapes"):
        ordo.lexsort([np.zeros((2, 3)), np.zeros((3, 2))])


def test_sort_many_records() -> None:
    """So many bytes that all threads make the copy that is sorted."""
    records = np.zeros(1 << 17, [("id", "u4"), ("key", "f8"), ("more", "V20")])
    records["id"] = np.arange(records.size)
    records["key"] = np.random.default_rng(4).integers(0, 1000, records.size)
    before = records.copy()
    expected = records[np.argsort(records["key"], kind="stable")]
    assert ordo.sort_records(records, "key").tobytes() == expected.tobytes()
    assert records.tobytes() == before.tobytes()
    assert ordo.sort_records(records[::-1], "id").tobytes() == before.tobytes()
