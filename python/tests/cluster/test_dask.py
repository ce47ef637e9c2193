"""ordo.dask against ordo on the whole array: every dtype, tie rule, chunking; and a lost worker."""

from __future__ import annotations

import os
import signal
import warnings

import numpy as np
import pytest
from cases import NUMBERS, TIES, arrays, sample
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo

dask = pytest.importorskip("dask", reason="needs Dask")
da = pytest.importorskip("dask.array", reason="needs the arrays of Dask")

import ordo.dask  # noqa: E402 # after the check that Dask is installed
from ordo import _lib  # noqa: E402
from ordo._dask import cuts  # noqa: E402

COUNTS = [1, 2, 5, 12]


def chunked(a, sizes):
    return da.from_array(a, chunks=(tuple(sizes),))


def split(a, count):
    """Returns a Dask array of `count` chunks of unequal sizes; some are empty."""
    weights = np.arange(count) % 4
    edges = a.size * np.cumsum(weights) // max(1, weights.sum())
    edges[-1] = a.size
    return chunked(a, np.diff(edges, prepend=0).tolist())


def unknown(x):
    """Returns the same Dask array without the sizes of its chunks."""
    return da.Array(x.dask, x.name, ((np.nan,) * x.numblocks[0],), dtype=x.dtype)


def computed(x):
    """Returns the chunks of a Dask array, and checks that they have the sizes it says."""
    assert isinstance(x, da.Array)
    parts = dask.compute(*x.to_delayed().reshape(-1))
    for part, size in zip(parts, x.chunks[0]):
        assert np.isnan(size) or part.size == size
        assert part.dtype == x.dtype
    return np.concatenate(parts)


def same_bytes(result, expected):
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert result.tobytes() == expected.tobytes()


def check_all(a, x, down, method):
    """Compares every function of a Dask array `x` with the one of ordo of the array `a`."""
    same_bytes(computed(ordo.dask.sort(x, descending=down)), ordo.sort(a, descending=down))
    same_bytes(computed(ordo.dask.argsort(x, descending=down)), ordo.argsort(a, descending=down))
    for policy in ("propagate", "omit"):
        ranks = computed(ordo.dask.rankdata(x, method, descending=down, nan_policy=policy))
        expected = ordo.rankdata(a, method, descending=down, nan_policy=policy)
        np.testing.assert_array_equal(ranks, expected)
    k = min(3, a.size)
    for result, expected in zip(ordo.dask.topk(x, k, largest=down), ordo.topk(a, k, largest=down)):
        same_bytes(computed(result), expected)
    same_bytes(computed(ordo.dask.unique(x)), ordo.unique(a))
    for result, expected in zip(
        ordo.dask.unique(x, True, True, True), ordo.unique(a, True, True, True)
    ):
        same_bytes(computed(result), expected)


def check_quantiles(a, x, q, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # without elements the result is NaN
        for policy in ("propagate", "omit"):
            expected = np.asarray(ordo.quantile(a, q, method=method, nan_policy=policy))
            found = ordo.dask.quantile(x, q, method=method, nan_policy=policy)
            result = np.asarray(found.compute())
            assert found.shape == result.shape
            if expected.size and a.size:
                assert found.dtype == result.dtype == expected.dtype
            np.testing.assert_array_equal(result, expected)
            middle = ordo.dask.median(x, nan_policy=policy).compute()
            np.testing.assert_array_equal(middle, ordo.median(a, nan_policy=policy))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_every_dtype(rng, dtype, count):
    a = sample(rng, 2000, dtype)
    if dtype[0] == "f":
        a[::50], a[1::50], a[2::50] = np.nan, -0.0, 0.0
        a[3::50].view(f"u{a.itemsize}")[...] = np.array(-np.nan, a.dtype).view(f"u{a.itemsize}")
    x = split(a, count)
    position = NUMBERS.index(dtype) + COUNTS.index(count)
    check_all(a, x, bool(position % 2), TIES[position % len(TIES)])
    check_quantiles(a, x, [0.0, 0.01, 0.5, 1.0], list(_lib.METHODS)[position % len(_lib.METHODS)])


@pytest.mark.parametrize("count", range(1, 21))
def test_every_count(rng, count):
    a = rng.integers(0, 30, 300).astype(float)
    with dask.config.set(scheduler="synchronous"):
        same_bytes(computed(ordo.dask.sort(split(a, count))), ordo.sort(a))
        same_bytes(computed(ordo.dask.argsort(split(a, count))), ordo.argsort(a))
        same_bytes(computed(ordo.dask.rankdata(split(a, count))), ordo.rankdata(a))


@pytest.mark.parametrize("method", _lib.METHODS)
def test_every_quantile_method(rng, method):
    for a in (rng.standard_normal(999), rng.integers(0, 2**63, 1000), rng.random(64, np.float32)):
        check_quantiles(a, split(a, 6), np.linspace(0, 1, 23), method)


@pytest.mark.parametrize("verb", [ordo.dask.sort, ordo.dask.argsort])
def test_chunks_without_elements(verb):
    with pytest.raises(ValueError, match="chunks is 0"):
        verb(split(np.arange(10.0), 3), chunks=0)


@pytest.mark.parametrize("method", ["lower", "linear"])
@pytest.mark.parametrize("dtype", ["i4", "u8", "f8"])
def test_no_quantiles(dtype, method):
    a = np.arange(10).astype(dtype)
    found = ordo.dask.quantile(split(a, 3), [], method=method).compute()
    assert found.shape == (0,) and found.dtype == ordo.quantile(a, [], method=method).dtype


@settings(max_examples=25)
@given(a=arrays([*NUMBERS, "f2"], max_dims=1, max_side=40), data=st.data())
def test_any_chunks(a, data):
    edges = sorted(data.draw(st.lists(st.integers(0, a.size), max_size=5)))
    x = chunked(a, np.diff([0, *edges, a.size]).tolist())
    down, method = data.draw(st.booleans()), data.draw(st.sampled_from(TIES))
    with dask.config.set(scheduler="synchronous"):
        check_all(a, x, down, method)
        check_quantiles(a, x, 0.3, data.draw(st.sampled_from(list(_lib.METHODS))))


@pytest.mark.parametrize("kind", ["equal", "sorted", "reversed", "random", "few", "one chunk"])
def test_many_rounds(rng, monkeypatch, kind):
    """With few samples a cut needs many rounds, and it is still exact."""
    monkeypatch.setattr(cuts, "samples_of", lambda chunks: 4 * chunks)
    assert cuts.rounds_of(5000, 7) > 5
    a = {
        "equal": np.ones(5000),
        "sorted": np.arange(5000.0),
        "reversed": np.arange(5000.0)[::-1].copy(),
        "random": rng.standard_normal(5000),
        "few": rng.integers(0, 3, 5000).astype(float),
        "one chunk": rng.standard_normal(5000),
    }[kind]
    sizes = [1, 4990, 0, 3, 2, 2, 2] if kind == "one chunk" else [714] * 6 + [716]
    check_all(a, chunked(a, sizes), False, "average")
    check_quantiles(a, chunked(a, sizes), [0.1, 0.9], "linear")


@pytest.mark.parametrize("chunks", [1, 2, 20])
def test_bounds_narrow_as_promised(rng, chunks):
    """After the rounds that a graph has, the bounds of every cut have met."""
    parts = [np.sort(rng.integers(0, 1000, 3000)) for _ in range(chunks)]
    state = cuts.begin([3000] * chunks, [0, 1, 1500, 3000 * chunks // 3, 3000 * chunks])
    for _ in range(cuts.rounds_of(3000 * chunks, chunks)):
        offers = [cuts.offer(i, (part,), state) for i, part in enumerate(parts)]
        state = cuts.narrow([False], False, state, offers)
    assert (state.low == state.high).all()
    assert (state.low.sum(axis=1) == state.targets).all()


def test_equal_keys_are_spread(rng):
    x = chunked(np.zeros(1000, np.int32), [100] * 10)
    result = ordo.dask.sort(x, chunks=(250, 250, 500))
    assert result.chunks == ((250, 250, 500),)
    assert computed(result).size == 1000
    assert (computed(ordo.dask.argsort(x)) == np.arange(1000)).all()


def test_unknown_sizes(rng):
    a = rng.integers(0, 50, 1000)
    x = unknown(split(a, 7))
    check_all(a, x, False, "dense")
    check_quantiles(a, x, 0.25, "hazen")
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        ordo.dask.sort(x, chunks=100)
    assert np.isnan(ordo.dask.sort(x).shape[0])
    none = unknown(da.from_array(np.empty(0, np.int8)))
    with pytest.raises(ValueError, match="there are no elements, and int8 cannot hold NaN"):
        ordo.dask.quantile(none, 0.5, method="lower").compute()
    with pytest.raises(ValueError, match="number of elements"):
        ordo.dask.topk(x, 1001).values.compute()


def test_searchsorted(rng):
    a, v = np.sort(rng.integers(0, 99, 500)), rng.integers(-5, 105, 70)
    for side in ("left", "right"):
        expected = ordo.searchsorted(a, v, side=side)
        same_bytes(computed(ordo.dask.searchsorted(split(a, 6), split(v, 3), side)), expected)
        same_bytes(computed(ordo.dask.searchsorted(split(a, 6), v, side)), expected)
    assert int(ordo.dask.searchsorted(split(a, 6), 7).compute()) == ordo.searchsorted(a, 7)


def test_dates_and_strings(rng):
    days = rng.integers(0, 90, 300).astype("M8[D]")
    days[::40] = np.datetime64("NaT")
    check_all(days, split(days, 5), True, "min")
    check_quantiles(days, split(days, 5), [0.2, 0.5], "linear")
    words = rng.choice(["pear", "fig", "apple", ""], 300)
    x = split(words, 5)
    assert (computed(ordo.dask.sort(x)) == ordo.sort(words)).all()
    assert (computed(ordo.dask.argsort(x)) == ordo.argsort(words)).all()
    assert (computed(ordo.dask.rankdata(x, "dense")) == ordo.rankdata(words, "dense")).all()


def test_nothing_is_computed_early(rng):
    def fail(block):
        raise AssertionError("a chunk was computed")

    x = da.ones(100, chunks=10).map_blocks(fail, dtype="f8", meta=np.empty(0))
    ordo.dask.sort(x), ordo.dask.argsort(x), ordo.dask.rankdata(x), ordo.dask.median(x)
    ordo.dask.quantile(x, [0.5]), ordo.dask.topk(x, 3), ordo.dask.unique(x)
    later = ordo.dask.searchsorted(x, x)
    with pytest.raises(AssertionError, match="a chunk was computed"):
        later.compute()


def test_wrong_arguments():
    x = da.from_array(np.array([1.0, np.nan, 2.0]), chunks=2)
    for call, error, message in [
        (lambda: ordo.dask.sort(np.ones(3)), TypeError, "expected a Dask array"),
        (lambda: ordo.dask.sort(da.ones((2, 2))), ValueError, "expected 1"),
        (lambda: ordo.dask.sort(da.ma.masked_invalid(x)), TypeError, "chunks of type MaskedArray"),
        (lambda: ordo.dask.sort(x, by="a"), TypeError, "for data frames"),
        (lambda: ordo.dask.sort(x.astype(complex)), TypeError, "complex128; expected numbers"),
        (lambda: ordo.dask.sort(x, descending="yes"), TypeError, "descending is 'yes'"),
        (lambda: ordo.dask.rankdata(x, "middle"), ValueError, "middle"),
        (lambda: ordo.dask.quantile(x, 2), ValueError, "expected 0 to 1"),
        (lambda: ordo.dask.quantile(x, 0.5, method="no"), ValueError, "no"),
        (lambda: ordo.dask.topk(x, 4), ValueError, "k is 4; expected 0 to 3"),
        (lambda: ordo.dask.searchsorted(x, x, "middle"), ValueError, "side is 'middle'"),
        (lambda: ordo.dask.median(x, nan_policy="raise").compute(), ValueError, "nan values"),
        (lambda: ordo.dask.rankdata(x, nan_policy="raise").compute(), ValueError, "nan values"),
        (lambda: ordo.dask.rankdata(x, "min", dtype="i8").compute(), ValueError, "cannot hold NaN"),
    ]:
        with pytest.raises(error, match=message):
            call()


# ---- Series and data frames ----------------------------------------------------------------------


@pytest.fixture
def frames(rng):
    pd = pytest.importorskip("pandas", reason="needs pandas")
    dd = pytest.importorskip("dask.dataframe", reason="needs the data frames of Dask")
    key = rng.integers(0, 20, 500).astype(float)
    key[::30] = np.nan
    frame = pd.DataFrame({"key": key, "n": rng.integers(0, 5, 500), "at": np.arange(500)})
    return frame, dd.from_pandas(frame, npartitions=6, sort=False)


@pytest.mark.parametrize("down", [False, True])
def test_frame_sort(frames, down):
    frame, lazy = frames
    expected = ordo.sort(frame, by="key", descending=down)
    result = ordo.dask.sort(lazy, by="key", descending=down)
    assert result.known_divisions
    assert result.divisions[0] == 0 and result.divisions[-1] == 499
    assert result.compute().equals(expected.reset_index(drop=True))
    assert result.loc[100:102].compute()["at"].tolist() == expected["at"].tolist()[100:103]
    kept = ordo.dask.sort(lazy, by="key", descending=down, keep_index=True)
    assert not kept.known_divisions
    assert kept.compute().equals(expected)
    both = ordo.dask.sort(lazy, by=["n", "key"], descending=[down, not down], chunks=(100, 400))
    assert both.divisions == (0, 100, 499)
    wanted = ordo.sort(frame, by=["n", "key"], descending=[down, not down])
    assert both.compute().equals(wanted.reset_index(drop=True))


def test_arrays_with_lengths(rng):
    a = rng.integers(0, 50, 300)
    x = split(a, 7)
    sizes = list(x.chunks[0])
    for lazy in (x, unknown(x)):
        for lengths in (True, sizes):
            found = ordo.dask.sort(lazy, lengths=lengths, chunks=100)
            assert found.chunks == ((100, 100, 100),)
            np.testing.assert_array_equal(found.compute(), ordo.sort(a))
            order = ordo.dask.argsort(lazy, lengths=lengths)
            assert order.chunks == x.chunks
            np.testing.assert_array_equal(order.compute(), ordo.argsort(a))
            assert ordo.dask.rankdata(lazy, lengths=lengths).chunks == x.chunks
            assert ordo.dask.median(lazy, lengths=lengths).compute() == ordo.median(a)
            with pytest.raises(ValueError, match="k is 301; expected 0 to 300"):
                ordo.dask.topk(lazy, 301, lengths=lengths)
            assert (
                ordo.dask.unique(lazy, return_inverse=True, lengths=lengths)[1].chunks == x.chunks
            )
    with pytest.raises(ValueError, match="the sizes of the chunks"):
        ordo.dask.sort(x, lengths=[300])
    with pytest.raises(ValueError, match="lengths has 1 numbers; expected 7"):
        ordo.dask.sort(unknown(x), lengths=[300])
    with pytest.raises(TypeError, match="by is for data frames"):
        ordo.dask.sort(x, by="key")


def test_frame_of_unknown_lengths(frames):
    frame, lazy = frames
    some, expected = lazy[lazy["at"] > 99], ordo.sort(frame[frame["at"] > 99], by="key")
    result = ordo.dask.sort(some, by="key")
    assert not result.known_divisions
    assert result.compute().equals(expected.reset_index(drop=True))
    counted = ordo.dask.sort(some, by="key", lengths=True)
    assert counted.known_divisions and counted.divisions[-1] == 399
    assert counted.compute().equals(expected.reset_index(drop=True))
    with pytest.raises(ValueError, match="lengths=True"):
        ordo.dask.sort(some, by="key", chunks=100)
    with pytest.raises(ValueError, match="lengths has 1 numbers; expected 6"):
        ordo.dask.sort(some, by="key", lengths=[5])
    with pytest.raises(ValueError, match="expected 100, the sum"):
        ordo.dask.sort(lazy, by="key", lengths=[100, 0, 0, 0, 0, 0]).compute()


def test_series(frames):
    frame, lazy = frames
    column, key = lazy["key"], frame["key"]
    ranks = ordo.dask.rankdata(column, "min", nan_policy="omit")
    assert ranks.divisions == column.divisions
    assert ranks.compute().equals(ordo.rankdata(key, "min", nan_policy="omit"))
    result = ordo.dask.sort(column)
    assert result.known_divisions
    assert result.compute().equals(ordo.sort(key).reset_index(drop=True))
    assert (ordo.dask.argsort(column).compute() == ordo.argsort(key)).all()
    assert ordo.dask.median(column, nan_policy="omit").compute() == key.median()
    found = ordo.dask.quantile(column, [0.1, 0.9], nan_policy="omit").compute()
    assert found.tolist() == key.quantile([0.1, 0.9]).tolist()
    assert ordo.dask.topk(lazy["at"], 3).values.compute().tolist() == [499, 498, 497]
    places = ordo.dask.searchsorted(lazy["at"], lazy["n"], side="right").compute()
    assert places.tolist() == (frame["n"] + 1).tolist()
    values, counts = ordo.dask.unique(lazy["n"], return_counts=True)
    assert dict(zip(values.compute(), counts.compute())) == frame["n"].value_counts().to_dict()


@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "boolean"])
def test_nullable_series(frames, dtype):
    import dask.dataframe as dd
    import pandas as pd

    series = pd.Series([1, None, 1, 0, 1, 0], dtype=dtype)  # only the first partition has a null
    lazy = dd.from_pandas(series, npartitions=3, sort=False)
    for policy in ("propagate", "omit"):
        ranks = ordo.dask.rankdata(lazy, "min", nan_policy=policy)
        assert ranks.compute().equals(ordo.rankdata(series, "min", nan_policy=policy))
        middle = ordo.dask.median(lazy, nan_policy=policy).compute()
        same_bytes(middle, np.asarray(ordo.median(series, nan_policy=policy)))
        if dtype != "boolean":
            found = ordo.dask.quantile(lazy, [0.1, 0.9], nan_policy=policy).compute()
            same_bytes(found, ordo.quantile(series, [0.1, 0.9], nan_policy=policy))
    if dtype != "boolean":
        with pytest.raises(ValueError, match="an element is missing"):
            ordo.dask.quantile(lazy, 0.5, method="lower", nan_policy="propagate").compute()


@pytest.mark.parametrize("dtype", ["f8", "Int64", "M8[ns]"])
def test_a_series_skips_missing_values(frames, dtype):
    import dask.dataframe as dd
    import pandas as pd

    series = pd.Series([5, None, 1, 0, 3, 1], dtype="f8").astype(dtype)
    lazy = dd.from_pandas(series, npartitions=3, sort=False)
    assert ordo.dask.rankdata(lazy).compute().equals(ordo.rankdata(series))
    assert ordo.dask.median(lazy).compute() == ordo.median(series)
    assert ordo.dask.quantile(lazy, 1.0).compute() == ordo.quantile(series, 1.0)
    numbers = da.from_array(np.array([5, np.nan, 1]), chunks=2)
    assert np.isnan(ordo.dask.median(numbers).compute())


def large_integers(dtype, nulls):
    """Returns a Series whose integers differ, but not as float64, in partitions with and without
    nulls, and its Dask Series."""
    import dask.dataframe as dd
    import pandas as pd

    top = 2**64 - 1 if "uint64" in dtype.lower() else 2**63 - 1
    low = 0 if top > 2**63 else -(2**63)
    numbers = [top - 1, top, 2**53 + 1, 2**53, low + 1, low, top - 2, top, low, 2**62 + 1, 2**62]
    numbers += [top - 1, 0, 0]
    for place in nulls:
        numbers[place] = None
    series = pd.Series(numbers, dtype=dtype, name="n")
    return series, dd.from_pandas(series, npartitions=4, sort=False)


def place_in(order, one):
    return len(order) if one is None else order.index(one)


LARGE = [(dtype, nulls) for dtype in ("Int64", "UInt64") for nulls in ([], [1], [2, 3, 10])]
LARGE += [("UInt64", list(range(14))), ("int64[pyarrow]", [1]), ("uint64[pyarrow]", [1])]


@pytest.mark.parametrize("dtype, nulls", LARGE)
def test_large_nullable_integers(frames, dtype, nulls):
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow", reason="needs pyarrow")
    series, lazy = large_integers(dtype, nulls)
    exact = [None if at in nulls else int(one) for at, one in enumerate(series)]
    kept = [one for one in exact if one is not None]
    for down in (False, True):
        distinct = sorted(set(kept), reverse=down)
        order = sorted(range(14), key=lambda at: place_in(distinct, exact[at]))
        assert ordo.dask.argsort(lazy, descending=down).compute().tolist() == order
        for a, rows in ((lazy, series), (lazy.to_frame(), series.to_frame())):
            by = "n" if a.ndim == 2 else None
            found = ordo.dask.sort(a, by=by, descending=down, keep_index=True).compute()
            assert found.equals(rows.take(order))
        ranks = ordo.dask.rankdata(lazy, "dense", nan_policy="omit", descending=down).compute()
        assert ranks.dropna().tolist() == [distinct.index(one) + 1 for one in kept]
        assert np.flatnonzero(ranks.isna()).tolist() == nulls
        top = ordo.dask.topk(lazy, len(kept), largest=down)
        assert top.values.compute().tolist() == sorted(kept, reverse=down)
        assert top.indices.compute().tolist() == order[: len(kept)]
    check_large_statistics(lazy, sorted(kept), len(nulls))
    check_large_sets(lazy, exact, sorted(set(kept)))


@pytest.mark.parametrize("dtype", ["Int64", "UInt64"])
def test_large_nullable_index(frames, dtype):
    import dask.dataframe as dd
    import pandas as pd

    index = pd.Index([2**60 + 1, None, 5, 2**60], dtype=dtype)
    lazy = dd.from_pandas(pd.Series(range(4), index=index), npartitions=2, sort=False).index
    assert ordo.dask.argsort(lazy).compute().tolist() == [2, 3, 0, 1]
    assert ordo.dask.sort(lazy).compute().equals(index.take([2, 3, 0, 1]))
    assert ordo.dask.topk(lazy, 2).values.compute().tolist() == [2**60 + 1, 2**60]


def indexes():
    """Returns an index of every kind that ordo.dask sorts; some have ties and nulls."""
    import pandas as pd

    days = np.array([300, 100, 0, 200, 100, 50, 400], "M8[D]").astype("M8[ns]")
    numbers = [2**60 + 1, 3, 5, 2**60, 3, 0, 9]
    return [
        pd.Index(numbers, name="n"),
        pd.Index([0.5, -1.0, np.nan, 3.0, -1.0, 0.0, 2.5]),
        pd.Index([7, None, 5, 6, 5, 0, 9], dtype="Int64"),
        pd.DatetimeIndex(days, name="day"),
        pd.DatetimeIndex(days).tz_localize("Europe/Berlin"),
        pd.TimedeltaIndex(np.array(numbers, "m8[ns]")),
        pd.RangeIndex(7, 0, -1),
        pd.CategoricalIndex([5, 1, 3, 1, 5, 3, 1], categories=[1, 3, 5], ordered=True),
    ]


@pytest.mark.parametrize("which", range(8))
def test_index(frames, which):
    import dask.dataframe as dd
    import pandas as pd

    index = indexes()[which]
    lazy = dd.from_pandas(pd.Series(range(7), index=index), npartitions=3, sort=False).index
    for down in (False, True):
        found = ordo.dask.sort(lazy, descending=down)
        assert isinstance(found, dd.Index) and not found.known_divisions
        expected = index.take(ordo.argsort(index, descending=down))
        pd.testing.assert_index_equal(found.compute(), expected, exact="equiv")
        order = ordo.dask.argsort(lazy, descending=down).compute()
        assert order.tolist() == ordo.argsort(index, descending=down).tolist()
    whole = ordo.dask.sort(lazy, lengths=True, chunks=(2, 5))
    assert [len(part.compute()) for part in whole.partitions] == [2, 5]
    for method in TIES:
        ranks = ordo.dask.rankdata(lazy, method, nan_policy="omit", lengths=True)
        assert isinstance(ranks, da.Array)
        np.testing.assert_array_equal(
            computed(ranks), ordo.rankdata(index, method, nan_policy="omit")
        )


def test_large_categories(frames):
    series, _ = large_integers("Int64", [1])
    import dask.dataframe as dd

    lazy = dd.from_pandas(series.astype("category"), npartitions=4, sort=False)
    order = np.argsort(series.array, kind="stable")
    assert ordo.dask.argsort(lazy).compute().tolist() == order.tolist()


def check_large_statistics(lazy, kept, nulls):
    if kept:
        for q, at in ((0, 0), (1, -1), (0.5, (len(kept) - 1) // 2)):
            found = ordo.dask.quantile(lazy, q, method="lower", nan_policy="omit").compute()
            assert int(found) == kept[at]
    if nulls:
        assert np.isnan(ordo.dask.median(lazy, nan_policy="propagate").compute())
    if kept:
        middle = ordo.dask.median(lazy).compute()  # a Series skips nulls
        same_bytes(middle, np.asarray(ordo.median(np.array(kept))))


def check_large_sets(lazy, exact, distinct):
    found = ordo.dask.unique(lazy, return_index=True, return_inverse=True, return_counts=True)
    inverse = [place_in(distinct, one) for one in exact]
    assert found[1].compute().tolist() == [inverse.index(i) for i in sorted(set(inverse))]
    assert found[2].compute().tolist() == inverse
    assert found[3].compute().tolist() == [inverse.count(i) for i in sorted(set(inverse))]
    if None not in exact:
        assert found[0].compute().tolist() == distinct
        assert ordo.dask.unique(lazy).compute().tolist() == distinct
    elif distinct:
        with pytest.raises(ValueError, match="which float64 cannot hold"):
            ordo.dask.unique(lazy).compute()
    else:
        assert np.isnan(ordo.dask.unique(lazy).compute()).tolist() == [True]
    ordered = ordo.dask.sort(lazy)
    for side in ("left", "right"):
        before = (lambda key, i: key < i) if side == "left" else (lambda key, i: key <= i)
        expected = [sum(before(key, i) for key in inverse) for i in inverse]
        assert ordo.dask.searchsorted(ordered, lazy, side=side).compute().tolist() == expected


def test_wrong_frames(frames):
    _, lazy = frames
    for call, error, message in [
        (lambda: ordo.dask.sort(lazy), ValueError, "by is missing"),
        (lambda: ordo.dask.sort(lazy, by="no"), ValueError, "by is 'no'; expected one of 'key'"),
        (lambda: ordo.dask.sort(lazy["n"], by="n"), TypeError, "a is a Series"),
        (lambda: ordo.dask.sort(lazy.index, by="n"), TypeError, "a is an index"),
        (lambda: ordo.dask.sort(lazy.index, keep_index=True), TypeError, "a is an index"),
        (lambda: ordo.dask.sort(lazy.set_index("n").index.astype(complex)), TypeError,
         "index 'n' has"),
        (lambda: ordo.dask.median(lazy), TypeError, "a is a data frame"),
        (lambda: ordo.dask.sort(lazy, by="n", descending=[True] * 2), ValueError, "2 flags"),
        (lambda: ordo.dask.sort(lazy.astype({"n": complex}), by="n"), TypeError, "column 'n'"),
    ]:  # fmt: skip
        with pytest.raises(error, match=message):
            call()


# ---- a lost worker -------------------------------------------------------------------------------


def kills_once(x, key, marker):
    """Returns the Dask array with a task that kills its own worker when it first runs."""

    def run(task, *arguments):
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return task(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
        return None

    graph = dict(x.dask)
    task = graph[key]
    graph[key] = (run, *task)
    return da.Array(graph, x.name, x.chunks, dtype=x.dtype)


def test_a_lost_worker(rng, tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs dask.distributed")
    a = rng.integers(0, 1000, 40_000)
    x = da.from_array(a, chunks=5000)
    sort, rank = ordo.dask.sort(x), ordo.dask.rankdata(x)
    cases = [
        (sort, (sort.name, 3), ordo.sort(a)),
        (rank, (rank.name + "-local", 5), ordo.rankdata(a)),
    ]
    with distributed.LocalCluster(
        n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None,
        local_directory=str(tmp_path),
    ) as cluster, distributed.Client(cluster) as client:  # fmt: skip
        for number, (result, key, expected) in enumerate(cases):
            marker = tmp_path / f"killed-{number}"
            found = client.compute(kills_once(result, key, str(marker))).result()
            assert marker.exists()
            np.testing.assert_array_equal(found, expected)
