"""Expressions of polars beside the methods of polars."""

import datetime
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordo  # noqa: F401 - registers the accessor

pl = pytest.importorskip("polars")

X = pl.col("x")
NAN = float("nan")
RANKS = ["average", "min", "max", "dense", "ordinal"]
INTERPOLATIONS = ["nearest", "higher", "lower", "midpoint", "linear", "equiprobable"]
INTEGERS = [pl.Int8, pl.UInt8, pl.Int16, pl.UInt16, pl.Int32, pl.UInt32, pl.Int64, pl.UInt64]

small = st.integers(0, 5)
floats = st.sampled_from([0.0, -0.0, 1.5, -2.5, NAN, float("inf"), -float("inf"), 1e-300])
days = st.dates(datetime.date(1960, 1, 1), datetime.date(1960, 1, 9))
times = st.datetimes(datetime.datetime(1969, 12, 31), datetime.datetime(1970, 1, 2))
texts = st.text("ab\0é", max_size=15)


def columns(kinds):
    values = {pl.Date: days, pl.Datetime: times, pl.String: texts, pl.Boolean: st.booleans()}
    for kind in INTEGERS:
        values[kind] = small
    values[pl.Float32] = floats.map(lambda x: x if abs(x) > 1e-40 or x != x else 0.0)
    values[pl.Float64] = floats

    @st.composite
    def column(draw):
        kind = draw(st.sampled_from(kinds))
        chunks = draw(st.lists(st.lists(st.none() | values[kind], max_size=12), max_size=3))
        series = [pl.Series("x", chunk, dtype=kind) for chunk in [[], *chunks]]
        whole = pl.concat(series, rechunk=draw(st.booleans()))
        start = draw(st.integers(0, 3))
        return pl.DataFrame({"x": whole})[start:]

    return column()


numbers = columns([*INTEGERS, pl.Float32, pl.Float64, pl.Boolean])
anything = columns([*INTEGERS, pl.Float32, pl.Float64, pl.Boolean, pl.Date, pl.Datetime, pl.String])


def same(frame, ours, theirs):
    a, b = frame.select(ours), frame.select(theirs)
    assert a.schema == b.schema
    assert a.equals(b), (frame, a, b)


@given(anything, st.sampled_from(RANKS), st.booleans())
def test_rank(frame, method, descending):
    same(frame, X.ordo.rank(method, descending=descending), X.rank(method, descending=descending))


@given(anything, st.booleans(), st.booleans())
def test_argsort(frame, descending, nulls_last):
    order = frame.select(X.ordo.argsort(descending=descending, nulls_last=nulls_last))["x"]
    assert order.dtype == pl.get_index_type()
    expected = frame.with_row_index().sort(
        "x", descending=descending, nulls_last=nulls_last, maintain_order=True
    )
    assert order.to_list() == expected["index"].to_list()


@given(
    columns([*INTEGERS, pl.Float32, pl.Float64, pl.Date, pl.Datetime, pl.String]),
    st.integers(0, 40),
    st.booleans(),
)
def test_top_k(frame, k, largest):
    found = frame.select(X.ordo.top_k(k, largest=largest))["x"]
    expected = frame["x"].sort(descending=largest, nulls_last=True).head(k)
    assert found.dtype == frame["x"].dtype
    assert found.equals(expected), (found, expected)


@given(numbers)
def test_median(frame):
    same(frame, X.ordo.median(), X.median())


@given(numbers, st.floats(0, 1), st.sampled_from(INTERPOLATIONS))
def test_quantile(frame, q, interpolation):
    same(frame, X.ordo.quantile(q, interpolation), X.quantile(q, interpolation))


def window_median(values, least):
    ordered = sorted((x for x in values if x is not None), key=lambda x: (x != x, x))
    n = len(ordered)
    if n < max(least, 1):
        return None
    low, high = ordered[(n - 1) // 2], ordered[n // 2]
    return low if low == high else (low + high) / 2


@given(numbers, st.integers(1, 6), st.integers(0, 6), st.booleans())
def test_rolling_median(frame, window, least, center):
    least = min(least, window)
    ahead = (window - 1) // 2 if center else 0
    x = frame["x"].cast(pl.Float64).to_list()
    expected = [
        window_median(x[max(i + ahead - window + 1, 0) : i + ahead + 1], least)
        for i in range(len(x))
    ]
    found = frame.select(X.ordo.rolling_median(window, min_samples=least, center=center))["x"]
    assert found.dtype == (pl.Float32 if frame["x"].dtype == pl.Float32 else pl.Float64)
    assert found.equals(pl.Series("x", expected, dtype=found.dtype)), (found, expected)


def test_windows_of_whole_columns():
    frame = pl.DataFrame({"x": [3.0, None, 1.0, 2.0]})
    assert frame.select(X.ordo.rolling_median(2))["x"].to_list() == [None, None, None, 1.5]
    wide = X.ordo.rolling_median(1 << 40, min_samples=1)
    assert frame.select(wide)["x"].to_list() == [3, 3, 2, 2]


@given(st.lists(st.tuples(st.integers(0, 3), st.none() | floats), max_size=30))
def test_groups(rows):
    frame = pl.DataFrame(rows, schema={"g": pl.Int64, "x": pl.Float64}, orient="row")
    for ours, theirs in ((X.ordo.rank("min"), X.rank("min")), (X.ordo.median(), X.median())):
        same(frame, ours.over("g"), theirs.over("g"))
    for by in (frame.group_by("g", maintain_order=True), frame.lazy().group_by("g")):
        medians = by.agg(X.ordo.median(), X.ordo.top_k(2).alias("top"))
        result = medians.lazy().sort("g").collect()
        expected = frame.group_by("g").agg(X.median()).sort("g")
        assert result.select("g", "x").equals(expected)
        sizes = frame.group_by("g").len().sort("g")["len"].to_list()
        assert result["top"].list.len().to_list() == [min(size, 2) for size in sizes]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lazy_frames(engine):
    frame = pl.LazyFrame({"x": range(100000, 0, -1)})
    found = frame.select(X.ordo.rank("min"), m=X.ordo.median()).collect(engine=engine)
    assert found["x"].to_list() == list(range(100000, 0, -1))
    assert found["m"][0] == 50000.5


def test_calls_from_many_threads():
    """More calls at once than contexts are kept; some have enough rows for all threads."""
    frame = pl.DataFrame({"x": [(i * 7919) % 40009 for i in range(40009)]})
    expected = frame.select(X.rank("min"))
    failed = []

    def work():
        for _ in range(3):
            if not frame.select(X.ordo.rank("min")).equals(expected):
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(80)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_errors():
    frame = pl.DataFrame({"x": ["a"], "y": [[1]]})
    with pytest.raises(pl.exceptions.ComputeError, match=r"ordo\.median does not take column 'x'"):
        frame.select(X.ordo.median())
    with pytest.raises(pl.exceptions.ComputeError, match=r"ordo\.rank does not take column 'y'"):
        frame.select(pl.col("y").ordo.rank())
    numbers = pl.DataFrame({"x": [1]})
    with pytest.raises(pl.exceptions.ComputeError, match=r"between 0\.0 and 1\.0"):
        numbers.select(X.ordo.quantile(1.5))
    with pytest.raises(pl.exceptions.ComputeError, match="min_samples 4"):
        numbers.select(X.ordo.rolling_median(3, min_samples=4))
    with pytest.raises(pl.exceptions.ComputeError, match="k is -1"):
        numbers.select(X.ordo.top_k(-1))
    with pytest.raises(ValueError, match="expected one of average, min"):
        X.ordo.rank("first")
    for wrong in (
        lambda: X.ordo.top_k(2.7),
        lambda: X.ordo.rolling_median(2.0),
        lambda: X.ordo.top_k(largest=2),
    ):
        with pytest.raises(TypeError, match="expected"):
            wrong()
    with pytest.raises(ValueError, match="expected one of nearest"):
        X.ordo.quantile(0.5, "cubic")


def test_plugins_refuse_other_arguments():
    from polars.plugins import register_plugin_function

    from ordo._expressions import plugin

    for kwargs in ({"other": 1}, {"method": ["min"]}, {"method": "a method with a long name"}):
        call = register_plugin_function(
            plugin_path=plugin(), function_name="rank", args=[X], kwargs=kwargs, use_abs_path=True
        )
        with pytest.raises(pl.exceptions.ComputeError, match="keyword arguments"):
            pl.DataFrame({"x": [1]}).select(call)
