"""The rules of other libraries: pandas, polars, xarray and Dask in and out; their keywords."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pytest

import ordo

pd = pytest.importorskip("pandas", reason="needs pandas")
N = 300


def readings():
    """A Series of random times in ascending order, with ties and NaNs."""
    draws = np.random.default_rng(5)
    hours = np.sort(draws.integers(0, 2000, N))
    values = draws.normal(size=N).round(1)
    values[::7] = np.nan
    index = pd.DatetimeIndex(np.datetime64("2024-01-01T00", "h") + hours)
    return pd.Series(values, index=index, name="reading")


# ---- Windows of a span of time, windows in groups ----------------------------------------------


@pytest.mark.parametrize("window", ["7D", "12h", "90min", "1s", datetime.timedelta(days=3)])
def test_spans_of_time(window):
    s = readings()
    rolling = s.rolling(window)
    same = pd.testing.assert_series_equal
    same(ordo.moving_median(s, window), rolling.median())
    same(ordo.moving_min(s, window), rolling.min())
    same(ordo.moving_max(s, window), rolling.max())
    same(ordo.moving_rank(s, window, method="min"), rolling.rank(method="min"))
    same(ordo.moving_quantile(s, window, 0.3, 3), s.rolling(window, 3).quantile(0.3))
    plain = ordo.moving_median(s.to_numpy(), window, times=s.index)
    np.testing.assert_array_equal(plain, rolling.median())


def test_windows_in_groups():
    s = readings()
    groups = np.random.default_rng(6).integers(0, 5, N)
    frame = pd.DataFrame({"g": groups, "x": s.to_numpy(), "t": s.index})
    wanted = frame.groupby("g").x.rolling(4, min_periods=2).median()
    wanted = wanted.reset_index(0, drop=True).sort_index()
    pd.testing.assert_series_equal(ordo.moving_median(frame.x, 4, 2, groups=frame.g), wanted)
    wanted = frame.groupby("g").rolling("7D", on="t").x.max().to_numpy()
    found = ordo.moving_max(frame.x.to_numpy(), "7D", groups=groups, times=frame.t)
    np.testing.assert_array_equal(found[np.argsort(groups, kind="stable")], wanted)
    some = np.where(groups == 2, np.nan, groups)
    assert np.isnan(ordo.moving_max(s.to_numpy(), 3, 1, groups=some)[groups == 2]).all()


def test_wrong_spans():
    s = readings()
    with pytest.raises(ValueError, match="'7X'"):
        ordo.moving_median(s, "7X")
    with pytest.raises(TypeError, match="times"):
        ordo.moving_median([1.0, 2.0], "7D")
    with pytest.raises(ValueError, match="ascending"):
        ordo.moving_median(s[::-1], "7D")
    with pytest.raises(ValueError, match="center"):
        ordo.moving_median(s, "7D", center=True)
    with pytest.raises(ValueError, match="NaT"):
        ordo.moving_median([1.0], "7D", times=np.array(["NaT"], "M8[s]"))
    with pytest.raises(ValueError, match="elements"):
        ordo.moving_median([1.0], 2, groups=[1, 2])
    with pytest.raises(TypeError, match="span of time"):
        ordo.moving_median([1.0], 2, times=np.zeros(1, "M8[s]"))


SPANS = [pd.Timedelta("2D"), pd.Timedelta("5ns"), pd.offsets.Day(2), np.timedelta64(48, "h")]


@pytest.mark.parametrize("window", SPANS, ids=str)
def test_objects_as_spans(window):
    s = readings()
    s.index = s.index.as_unit("ns")
    wanted = s.rolling(pd.Timedelta(window)).median()
    pd.testing.assert_series_equal(ordo.moving_median(s, window), wanted)


@pytest.mark.parametrize(
    "window",
    ["0D", "999999999W", "9" * 30 + "D", pd.offsets.MonthEnd(1), pd.Timedelta("-2D")]
    + [np.timedelta64("NaT"), np.timedelta64(2), np.timedelta64(1, "M")],
    ids=str,
)
def test_no_spans(window):
    with pytest.raises(ValueError, match=r"window is|non-fixed"):
        ordo.moving_median(readings(), window)


def test_times_beyond_their_unit():
    for first, window, unit in (("1677-09-22", "1D", "ns"), ("2300-01-01", "1ns", "D")):
        times = np.array([first], f"M8[{unit}]")
        with pytest.raises(ValueError, match=r"datetime64\[ns\] do not hold"):
            ordo.moving_median([1.0], window, times=times)
    far = np.array(["2300-01-01", "2300-01-02"], "M8[D]")
    assert ordo.moving_max([2.0, 1.0], "2D", times=far).tolist() == [2, 2]


def test_arguments_of_divided_windows():
    s = readings()
    for more in ({"groups": np.zeros(N, int), "window": 2}, {"window": "2D"}):
        with pytest.raises(np.exceptions.AxisError):
            ordo.moving_median(s, axis=1, **more)
        with pytest.raises(ValueError, match=r"min_periods is -1; expected.*0"):
            ordo.moving_median(s, min_periods=-1, **more)
        with pytest.raises(TypeError, match="window of dates"):
            ordo.moving_median(s.index, times=s.index if len(more) == 1 else None, **more)
    with pytest.raises(TypeError, match="times: the elements are strings"):
        ordo.moving_median([1.0], "1D", times=["b"])


# ---- Shares, frames, several keys --------------------------------------------------------------


@pytest.mark.parametrize("method", ["average", "min", "max", "dense"])
def test_shares(method):
    s = readings()
    wanted = s.rank(method=method, pct=True)
    pd.testing.assert_series_equal(ordo.rankdata(s, method, pct=True), wanted)
    pd.testing.assert_series_equal(s.ordo.rank(method, pct=True), wanted)
    square = s.dropna().to_numpy()[:240].reshape(12, 20)
    wanted = pd.DataFrame(square).rank(axis=1, method=method, pct=True)
    np.testing.assert_array_equal(ordo.rankdata(square, method, axis=1, pct=True), wanted)
    with pytest.raises(ValueError, match="weights"):
        ordo.rankdata([1.0], pct=True, weights=[1])


def test_frames():
    frame = pd.DataFrame({"x": [3.0, None, 1.0], "n": [1, 2, 5]}, index=[7, 8, 9])
    pd.testing.assert_series_equal(frame.ordo.quantile(0.3), frame.quantile(0.3))
    pd.testing.assert_frame_equal(frame.ordo.quantile([0.1, 0.9]), frame.quantile([0.1, 0.9]))
    pd.testing.assert_series_equal(frame.ordo.median(), frame.median())
    pl = pytest.importorskip("polars", reason="needs polars")
    frame = pl.DataFrame({"x": [3.0, None, 1.0], "n": [1, 2, 5]})
    assert frame.ordo.quantile([0, 1]).to_dict(as_series=False) == {"x": [1, 3], "n": [1, 5]}
    assert frame.ordo.median().to_dict(as_series=False) == {"x": [2], "n": [2]}


def test_several_keys():
    frame = pd.DataFrame({"a": ["x", "y", "x", "y", None, "x"], "b": [1, 2, 1, 1, 1, 2]})
    x = pd.Series([1.0, 2.0, 4.0, 5.0, 6.0, 7.0])
    wanted = x.groupby([frame.a, frame.b]).median()
    for keys in (frame, [frame.a, frame.b], (frame.a, frame.b.to_numpy())):
        found = ordo.group_median(keys, x)
        assert found.index.to_list() == wanted.index.to_list()
        assert found.to_list() == wanted.to_list()
    assert ordo.group_count(frame).tolist() == [2, 1, 1, 1]
    assert ordo.group_count(frame, dropna=False).tolist() == [2, 1, 1, 1, 1]
    ranks = x.groupby([frame.a, frame.b]).rank()
    np.testing.assert_array_equal(ordo.group_rank(frame, x), ranks)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_frames_as_keys(library):
    frame = pd.DataFrame({"a": [3, 1, 2, 1], "b": ["x", "y", "x", "x"]})
    if library == "polars":
        frame = pytest.importorskip("polars", reason="needs polars").DataFrame(dict(frame))
    elif library == "pyarrow":
        arrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
        frame = arrow.table({"a": [3, 1, 2, 1], "b": ["x", "y", "x", "x"]})
    assert ordo.lexsort(frame).tolist() == [3, 2, 0, 1]
    assert ordo.lexrank(frame, "min").tolist() == [3, 4, 2, 1]
    found = ordo.group_count(frame)
    assert (found if library == "pandas" else found.counts).tolist() == [1, 1, 1, 1]


def test_frames_with_a_name_twice():
    frame = pd.DataFrame([[1, 2], [0, 2]], columns=["a", "a"])
    assert ordo.group_count(frame).tolist() == [1, 1]
    assert ordo.lexsort(frame).tolist() == [1, 0]
    assert frame.ordo.median().tolist() == [0.5, 2]


@pytest.mark.parametrize("a", [[Decimal(2), Decimal(1)], [datetime.date(2024, 1, 1)], ["a", None]])
def test_objects_that_arrow_has(a):
    with pytest.raises(TypeError, match=r"pass pyarrow\.array\(a\)"):
        ordo.sort(a)
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    assert len(ordo.sort(arrow.array(a))) == len(a)


# ---- Other libraries ---------------------------------------------------------------------------


def test_nulls_of_polars():
    pl = pytest.importorskip("polars", reason="needs polars")
    column = pl.Series("x", [3.0, None, 1.0])
    assert ordo.rankdata(column).to_list() == [2, None, 1]
    assert ordo.cumsum(column).to_list() == [3, None, 4]
    assert ordo.moving_median(column, 2, 1).to_list() == [3, 3, 1]
    assert ordo.moving_median(column, 2).to_list() == [None, None, None]


def test_labels_of_xarray():
    xr = pytest.importorskip("xarray", reason="needs xarray")
    a = xr.DataArray([3.0, 1.0, 2.0], dims="t", coords={"t": [10, 20, 30]}, name="q")
    assert ordo.sort(a).t.to_numpy().tolist() == [20, 30, 10]
    xr.testing.assert_identical(ordo.rankdata(a), a.copy(data=[3.0, 1.0, 2.0]))
    square = xr.DataArray([[3.0, 1.0], [0.0, np.nan]], dims=("s", "t"), coords={"s": [1, 2]})
    ranks = ordo.rankdata(square, axis=1)
    xr.testing.assert_identical(ranks, square.copy(data=[[2.0, 1.0], [1.0, np.nan]]))
    assert ordo.median(a) == 2


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "str", "category", "datetime64[us, UTC]"])
def test_arrays_of_pandas(dtype):
    values = {"str": ["b", None, "a"], "category": ["b", None, "a"]}.get(dtype, [1, None, 0])
    array = pd.array(values, dtype=dtype)
    wanted = pd.Series(array).sort_values(ignore_index=True).array
    pd.testing.assert_extension_array_equal(ordo.sort(array), wanted)
    pd.testing.assert_extension_array_equal(ordo.unique(array), wanted)
    pd.testing.assert_extension_array_equal(ordo.topk(array, 1).values, wanted[1:2])
    np.testing.assert_array_equal(ordo.rankdata(array), [2, np.nan, 1])


@pytest.mark.parametrize("a", [{2, 1}, iter([2, 1]), {2: 1}.keys()], ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("name", ["sort", "argsort", "rankdata", "median", "unique", "cumsum"])
def test_containers_that_are_no_arrays(name, a):
    with pytest.raises(
        TypeError, match=r"the argument is a \w+; expected an array; pass list\(a\)"
    ):
        getattr(ordo, name)(a)


def test_arrow_keys_without_values():
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    names = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), pa.array([], "str"))
    found = ordo.group_count(pa.table({"name": names, "n": [2, 1]}), dropna=False)
    assert found.groups[0].tolist() == [None, None]
    assert found.groups[1].to_pylist() == [1, 2]


def test_dask_is_lazy():
    da = pytest.importorskip("dask.array", reason="needs Dask")
    x = da.from_array(np.array([3.0, 1.0, 2.0, 2.0]), chunks=2)
    assert isinstance(ordo.sort(x), da.Array)
    assert ordo.sort(x).compute().tolist() == [1, 2, 2, 3]
    assert ordo.rankdata(x, "min").compute().tolist() == [4, 1, 2, 2]
    assert ordo.median(x).compute() == 2
    steps = da.from_array(np.array([1.0, 2.0]), chunks=1)
    assert ordo.searchsorted(steps, x).compute().tolist() == [2, 0, 1, 1]
    assert ordo.searchsorted(np.array([1.0, 2.0]), x).compute().tolist() == [2, 0, 1, 1]
    assert isinstance(ordo.sort(a=x), da.Array)
    assert isinstance(ordo.searchsorted(a=np.array([1.0, 2.0]), v=x), da.Array)
    with pytest.raises(ValueError, match="a has 2 dimensions"):
        ordo.searchsorted(np.eye(2), x)
    for call in (lambda: ordo.sort(x, axis=0), lambda: ordo.median(x, 0)):
        with pytest.raises(TypeError, match=r"ordo\.dask\.(sort|median), for a Dask collection"):
            call()
    with pytest.raises(TypeError, match=r"a\.compute\(\)"):
        ordo.cumsum(x)


@pytest.mark.parametrize("name", ["sort", "argsort", "rankdata", "sort_pairs", "argpartition"])
@pytest.mark.parametrize("word", ["ascending", "reverse"])
def test_keywords_of_others(name, word):
    with pytest.raises(TypeError, match=f"{name}.*{word}.*descending=True"):
        getattr(ordo, name)([2, 1], **{word: True})


def test_answers_to_keywords():
    frame = pd.DataFrame({"x": [2, 1], "name": ["b", "a"]})
    answers = [
        (lambda: frame.ordo.sort("x", ascending=False), "sort.*descending=True"),
        (lambda: frame.ordo.topk(1, "x", reverse=True), "topk.*largest=False"),
        (lambda: ordo.topk(frame.x, 1, ascending=True), "topk.*largest=False"),
        (lambda: ordo.median(frame.x, ascending=True), "no argument 'ascending'$"),
        (lambda: ordo.sort(frame.x, skipna=True), "no argument 'skipna'$"),
        (lambda: ordo.median(frame.x, skipna=True), "nan_policy='omit'"),
        (lambda: frame.ordo.median(), "column 'name': the elements are strings"),
        (lambda: frame.ordo.quantile(), "column 'name'"),
    ]
    for call, message in answers:
        with pytest.raises(TypeError, match=message):
            call()
    assert frame.x.ordo.cumprod().tolist() == [2, 2]
    assert frame.x[::-1].ordo.searchsorted(2) == 1
