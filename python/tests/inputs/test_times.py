"""Dates, times and numbers of 16 bits, against NumPy."""

from __future__ import annotations

import datetime
import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from cases import QUANTILES, TIES, same
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo

TIMES = ["M8[D]", "M8[ns]", "m8[s]", "m8[ns]", ">M8[us]"]
LEAST = np.iinfo(np.int64).min  # NaT


def times(kinds=TIMES, far=True):
    """Returns a strategy of arrays with ties, NaTs and, if `far`, the extremes."""
    few = st.sampled_from([LEAST, -3, 0, 1, 2, 2, 10])
    wide = st.integers(LEAST, -LEAST - 1) if far else st.integers(-1000, 1000)
    shapes = hnp.array_shapes(max_dims=3, min_side=1, max_side=7)
    return st.sampled_from(kinds).flatmap(
        lambda kind: hnp.arrays(np.int64, shapes, elements=st.one_of(few, wide)).map(
            lambda a: a.view(kind.lstrip(">")).astype(kind)
        )
    )


def falling(a, axis=-1):
    """Returns the stable indices of descending order with NaTs last."""
    return np.argsort(~a.astype(a.dtype.newbyteorder("=")).view(np.int64), axis, kind="stable")


@given(times(), st.booleans(), st.data())
def test_sorts(a, descending, data):
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    row = a.reshape(-1) if axis is None else a
    along = -1 if axis is None else axis
    order = falling(row, along) if descending else np.argsort(row, along, kind="stable")
    same(ordo.argsort(a, axis, descending=descending), order)
    expected = np.take_along_axis(row, order, along)
    same(ordo.sort(a, axis, descending=descending), expected)
    out = np.empty_like(row)
    assert ordo.sort(row, along, descending=descending, out=out) is out
    same(out, expected)
    assert np.all(ordo.is_sorted(expected, along, descending=descending))
    k = data.draw(st.integers(0, row.shape[along]))
    values, index = ordo.topk(a, k, axis, largest=descending)
    same(index, np.take(order, range(k), along))
    same(values, np.take(expected, range(k), along))
    if k:
        chosen = ordo.select(a, k - 1, axis, descending=descending)
        same(chosen, np.take(expected, k - 1, along))
        if not descending:
            parted = ordo.partition(a, k - 1, axis)
            same(np.take(parted, k - 1, along), np.take(expected, k - 1, along))
    keys, moved = ordo.sort_pairs(a.reshape(-1), np.arange(a.size), descending=descending)
    flat = a.reshape(-1)
    order = falling(flat) if descending else np.argsort(flat, kind="stable")
    same(keys, flat[order])
    same(moved, order)


@given(times(), st.sampled_from(TIES), st.booleans())
def test_ranks(a, method, descending):
    row = a.reshape(-1).astype(a.dtype.newbyteorder("="))
    nat = np.isnat(row)
    numbers = row.view(np.int64)
    some = ordo.rankdata(numbers[~nat], method, descending=descending)
    ranks = ordo.rankdata(a, method, descending=descending, nan_policy="omit")
    np.testing.assert_array_equal(ranks[~nat], some)
    assert np.isnan(ranks[nat]).all()
    if nat.any():
        assert np.isnan(ordo.rankdata(a, method)).all()
        with pytest.raises(ValueError, match="nan"):
            ordo.rankdata(a, method, nan_policy="raise")


@given(times(), st.booleans())
def test_unique_and_extremes(a, equal_nan):
    native = a.astype(a.dtype.newbyteorder("="))
    found = ordo.unique(a, True, True, True, equal_nan=equal_nan)
    expected = np.unique(native, True, True, True, equal_nan=equal_nan)
    for part, wanted in zip(found, expected):
        same(np.asarray(part).reshape(-1), np.asarray(wanted).reshape(-1))
    same(ordo.cummax(a, -1), np.maximum.accumulate(native, -1))
    same(ordo.cummin(a, -1), np.minimum.accumulate(native, -1))
    row = ordo.sort(native.reshape(-1))
    same(ordo.searchsorted(row, native), np.searchsorted(row, native))


@settings(max_examples=60)
@given(times(far=False), st.sampled_from(QUANTILES), st.data())
def test_quantiles(a, method, data):
    axis = data.draw(st.sampled_from([None, *range(a.ndim), tuple(range(a.ndim))]))
    native = a.astype(a.dtype.newbyteorder("="))
    q = data.draw(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0]), min_size=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.quantile(native, q, axis, method=method)
        same(ordo.quantile(a, q, axis, method=method), expected)
        if a.dtype.kind == "m":
            same(ordo.median(a, axis), np.median(native, axis))
        kept = native[~np.isnat(native)]
        if kept.size:
            some = ordo.quantile(a, q, method=method, nan_policy="omit")
            same(some, np.quantile(kept, q, method=method))
        else:
            assert np.isnat(ordo.median(a, nan_policy="omit"))


def test_median_of_dates():
    days = np.array(["2020-01-01", "2020-01-04", "NaT", "2020-01-02"], "M8[D]")
    assert ordo.median(days[:2]) == np.datetime64("2020-01-02")
    assert np.isnat(ordo.median(days))
    assert ordo.median(days, nan_policy="omit") == np.datetime64("2020-01-02")
    with pytest.raises(ValueError, match="nan"):
        ordo.median(days, nan_policy="raise")
    with pytest.warns(RuntimeWarning, match="empty"):
        assert np.isnat(ordo.median(days[:0]))


@given(times(["m8[s]", "m8[ns]"], far=False), st.booleans())
def test_sums(a, exclusive):
    native = a.astype(a.dtype.newbyteorder("="))
    sums = np.cumsum(native, -1)
    if exclusive:
        sums = np.concatenate([np.zeros_like(sums[..., :1]), sums[..., :-1]], -1)
    same(ordo.cumsum(a, -1, exclusive=exclusive), sums)


def test_rejected_times():
    days = np.array(["2020-01-01", "2020-01-04"], "M8[D]")
    with pytest.raises(TypeError, match="timedelta64"):
        ordo.cumsum(days)
    with pytest.raises(TypeError, match="as the elements"):
        ordo.cumsum(days - days[0], dtype=int)
    with pytest.raises(TypeError, match="expected numbers"):
        ordo.spearmanr(days, days)


# ---- Arrow, pandas, polars ---------------------------------------------------------------------

DAY = datetime.datetime(2021, 1, 2, 3)
STEPS = [datetime.timedelta(2), None, datetime.timedelta(seconds=1), datetime.timedelta(-1)]


@pytest.mark.parametrize(
    "kind",
    ["date32", "date64", "timestamp s", "timestamp ns UTC", "duration us", "time32 s", "time64 ns"],
)
def test_arrow_times(kind):
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    name, *unit = kind.split()
    dates = [None if step is None else DAY + step for step in STEPS]
    if name == "duration":
        values, dtype = STEPS, pa.duration(*unit)
    elif name.startswith(("time3", "time6")):
        values = [None if d is None else d.time() for d in dates]
        dtype = getattr(pa, name)(*unit)
    else:
        values, dtype = dates, getattr(pa, name)(*unit)
    whole = pa.array(values, dtype)
    for column in (whole, pa.chunked_array([whole[:1], whole[1:]]), whole.dictionary_encode()):
        order = sorted(range(4), key=lambda i: (values[i] is None, values[i] or values[0], i))
        assert ordo.argsort(column).tolist() == order
        ranks = ordo.rankdata(column, "min").to_pylist()
        assert ranks[1] is None and ranks.count(None) == 1
        ordered = ordo.sort(column)
        missing = np.isnat(ordered) if isinstance(ordered, np.ndarray) else ordered.is_null()
        assert np.asarray(missing).tolist() == [False, False, False, True]
    assert len(ordo.sort(whole[:0])) == 0


def test_pandas_times():
    pd = pytest.importorskip("pandas", reason="needs pandas")
    naive = pd.Series([DAY, None, DAY - datetime.timedelta(1)])
    local = naive.dt.tz_localize("Europe/Berlin")
    for column in (naive, local, pd.DatetimeIndex(naive), pd.Categorical(naive)):
        assert ordo.argsort(column).tolist() == [2, 0, 1]
        assert ordo.rankdata(column, nan_policy="omit").tolist()[::2] == [2, 1]
    assert ordo.median(naive, nan_policy="omit") == np.median(naive.dropna().astype("i8")).astype(
        naive.to_numpy().dtype
    )


# ---- Numbers of 16 bits ------------------------------------------------------------------------


def halves():
    kinds = [np.dtype(np.float16), np.dtype(">f2")]
    try:
        import ml_dtypes

        kinds.append(np.dtype(ml_dtypes.bfloat16))
    except ImportError:
        pass
    return kinds


@pytest.mark.parametrize("dtype", halves(), ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_every_pattern_of_16_bits(dtype, descending):
    """Sorts, argsorts and ranks are those of the same numbers as float32."""
    rng = np.random.default_rng(1)
    native = dtype.newbyteorder("=")
    bits = np.concatenate([rng.permutation(1 << 16), rng.integers(0, 1 << 16, 5000)])
    a = bits.astype(np.uint16).view(native).astype(dtype)
    with np.errstate(invalid="ignore"):
        wide = a.astype(np.float32)
    same(ordo.argsort(a, descending=descending), ordo.argsort(wide, descending=descending))
    for method in ("average", "dense"):
        ranks = ordo.rankdata(a, method, descending=descending, nan_policy="omit")
        same(ranks, ordo.rankdata(wide, method, descending=descending, nan_policy="omit"))
    ordered = ordo.sort(a, descending=descending)
    assert ordered.dtype == native
    patterns = ordered.view(np.uint16)
    same(np.sort(patterns), np.sort(bits.astype(np.uint16)))
    same(ordered.astype(np.float32), ordo.sort(wide, descending=descending))
    number = ~np.isnan(ordered.astype(np.float32))
    zero = patterns[number][ordered[number].astype(np.float32) == 0]
    same(zero, np.sort(zero)[:: 1 if descending else -1])  # -0 has the larger bits
    nans, sign = patterns[~number], 1 << 15  # as of float32: NaNs with a sign in falling order
    same(
        nans,
        np.array(sorted(nans.tolist(), key=lambda u: -u % sign + sign if u >= sign else u), "u2"),
    )
    assert ordo.is_sorted(ordered, descending=descending)
    moved = ordo.sort_pairs(a, np.arange(a.size), descending=descending)[1]
    same(moved, ordo.argsort(a, descending=descending))
    same(np.asarray(ordo.topk(a, 9).values, np.float32), ordo.topk(wide, 9).values)
    assert ordo.median(a[:1000], nan_policy="omit") == ordo.median(wide[:1000], nan_policy="omit")
