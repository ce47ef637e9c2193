"""Series in, Series out; data frames; decimals. Against pandas and polars."""

from __future__ import annotations

import decimal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo

pd = pytest.importorskip("pandas", reason="needs pandas")
try:
    import polars as pl
except ImportError:
    pl = None
try:
    import pyarrow as pa
except ImportError:
    pa = None

COLUMNS = {
    "floats": [2.5, np.nan, -1.0, 2.5, 0.0],
    "integers": [3, 1, 2, 3, -5],
    "bools": [True, False, True, False, True],
    "words": ["pear", "fig", "apple", "fig", "kiwi"],
    "days": pd.to_datetime(["2021-02-01", None, "2020-01-01", "2020-01-01", "2022-05-05"]),
    "zoned": pd.to_datetime(["2021-02-01", "2020-03-01", "2020-01-01"]).tz_localize("Asia/Tokyo"),
    "spans": pd.to_timedelta([5, 1, None, 1], unit="h"),
    "nullable": pd.array([3, None, 1], dtype="Int64"),
    "categories": pd.Categorical(["b", "a", "b", None]),
}


def series(name):
    values = COLUMNS[name]
    labels = [f"row {i}" for i in range(len(values))]
    return pd.Series(values, index=labels, name="of " + name)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("descending", [False, True])
def test_pandas_series(name, descending):
    s = series(name)
    expected = s.sort_values(ascending=not descending, kind="stable", na_position="last")
    pd.testing.assert_series_equal(ordo.sort(s, descending=descending), expected)
    order = ordo.argsort(s, descending=descending)
    assert type(order) is np.ndarray
    pd.testing.assert_series_equal(s.iloc[order], expected)
    values, index = ordo.topk(s, 2, largest=descending)
    pd.testing.assert_series_equal(values, expected[:2])
    assert index.tolist() == order[:2].tolist()
    chosen = ordo.select(s, [0, -1], descending=descending)
    pd.testing.assert_series_equal(chosen, expected.iloc[[0, -1]])
    if name != "categories":  # pandas ranks them by category, ordo by value
        ranks = ordo.rankdata(s, "min", descending=descending, nan_policy="omit")
        wanted = s.rank(method="min", ascending=not descending).astype(float)
        pd.testing.assert_series_equal(ranks.astype(float), wanted, check_names=False)
    assert ranks.name == s.name if name != "categories" else True
    keys, moved = ordo.sort_pairs(s, np.arange(len(s)), descending=descending)
    pd.testing.assert_series_equal(keys, expected)
    assert moved.tolist() == order.tolist()
    parted = ordo.partition(s, 0)
    assert isinstance(parted, pd.Series) and sorted(parted.index) == sorted(s.index)


@pytest.mark.parametrize("name", COLUMNS)
def test_pandas_unique(name):
    s = series(name)
    values, index, inverse, counts = ordo.unique(s, True, True, True)
    assert isinstance(values, pd.Series) and values.dtype == s.dtype
    assert values.index.tolist() == s.index[index].tolist()
    assert not values.duplicated().any() and counts.sum() == len(s)
    again = values.iloc[inverse]
    assert all(pd.isna(y) if pd.isna(x) else x == y for x, y in zip(again, s))
    assert ordo.unique(s).equals(values)


@pytest.mark.parametrize("name", ["floats", "integers", "nullable", "spans", "days", "zoned"])
def test_pandas_scans(name):
    s = series(name)
    numbers = s.dropna() if name != "integers" else s  # pandas skips NaNs
    for verb in ("cummax", "cummin", "cumsum"):
        if verb == "cumsum" and name in ("days", "zoned"):
            continue
        found = getattr(ordo, verb)(numbers)
        expected = getattr(numbers, verb)()
        pd.testing.assert_series_equal(found, expected, check_dtype=name != "nullable")


def test_pandas_index():
    index = pd.Index([3, 1, 2], name="i")
    pd.testing.assert_index_equal(ordo.sort(index), pd.Index([1, 2, 3], name="i"))
    assert ordo.rankdata(index).tolist() == [3, 1, 2]
    dates = pd.DatetimeIndex(["2021-01-01", "2020-01-01"], tz="UTC")
    pd.testing.assert_index_equal(ordo.sort(dates), dates[::-1])


FRAME = pd.DataFrame(
    {
        "a": [2, 1, 2, 1, 2],
        "b": ["x", "y", "x", "x", "a"],
        "c": [1.0, np.nan, 0.5, 2.0, 3.0],
    },
    index=list("vwxyz"),
)


@pytest.mark.parametrize("by", ["a", "b", "c", ["a", "b"], ["a", "b", "c"], ("c",)])
@pytest.mark.parametrize("descending", [False, True, "mixed"])
def test_frames(by, descending):
    names = [by] if isinstance(by, str) else list(by)
    flags = [i % 2 == 0 for i in range(len(names))] if descending == "mixed" else descending
    falling = flags if isinstance(flags, list) else [flags] * len(names)
    expected = FRAME.sort_values(names, ascending=[not f for f in falling], kind="stable")
    pd.testing.assert_frame_equal(ordo.sort(FRAME, by=by, descending=flags), expected)
    if pl is not None:
        frame = pl.from_pandas(FRAME)
        found = ordo.sort(frame, by=by, descending=flags)
        assert isinstance(found, pl.DataFrame)
        assert found["a"].to_list() == expected["a"].tolist()
        assert found["b"].to_list() == expected["b"].tolist()
    if pa is not None:
        table = ordo.sort(pa.Table.from_pandas(FRAME), by=by, descending=flags)
        assert table["b"].to_pylist() == expected["b"].tolist()


def test_wrong_frames():
    with pytest.raises(TypeError, match="expected a data frame"):
        ordo.sort([1, 2], by="a")
    with pytest.raises(ValueError, match="by is empty"):
        ordo.sort(FRAME, by=[])
    with pytest.raises(ValueError, match="expected 2, as by"):
        ordo.sort(FRAME, by=["a", "b"], descending=[True])
    with pytest.raises(KeyError):
        ordo.sort(FRAME, by="q")
    with pytest.raises(TypeError, match="expected True or False"):
        ordo.sort(FRAME, by="a", descending="yes")


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.floats(-2, 2)), min_size=1))
def test_frames_by_all_columns(rows):
    frame = pd.DataFrame(rows, columns=list("abc"))
    expected = frame.sort_values(["a", "b", "c"], ascending=[True, False, True], kind="stable")
    found = ordo.sort(frame, by=["a", "b", "c"], descending=[False, True, False])
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.skipif(pl is None, reason="needs polars")
def test_polars_series():
    for values in ([2.5, None, -1.0, 2.5], [3, 1, 2, 3], ["b", "a", None], [True, False]):
        s = pl.Series("x", values)
        for descending in (False, True):
            found = ordo.sort(s, descending=descending)
            assert found.name == "x" and found.dtype == s.dtype
            assert found.equals(s.sort(descending=descending, nulls_last=True))
        ranks = ordo.rankdata(s, "min", nan_policy="omit")
        assert ranks.name == "x"
        assert ranks.fill_nan(None).to_list() == s.rank("min").to_list()
        top = ordo.topk(s, 1)
        assert isinstance(top.values, pl.Series) and type(top.indices) is np.ndarray
        assert isinstance(ordo.unique(s), pl.Series)
    assert ordo.cumsum(pl.Series("x", [1, 2])).to_list() == [1, 3]


@pytest.mark.skipif(pa is None, reason="needs pyarrow")
def test_decimals():
    texts = ["1.50", "-2.25", None, "10.00", "1.50"]
    values = [None if t is None else decimal.Decimal(t) for t in texts]
    makes = [lambda v, t=t: pa.array(v, t) for t in (pa.decimal128(20, 2), pa.decimal256(30, 2))]
    makes.append(
        lambda v: pa.chunked_array(
            [v[:2], v[2:]], pa.decimal64(9, 2) if hasattr(pa, "decimal64") else pa.decimal128(9, 2)
        )
    )
    makes.append(lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.decimal128(20, 2))))
    if pl is not None:
        makes.append(lambda v: pl.Series(v, dtype=pl.Decimal(20, 2)))
    expected = [values[i] for i in (1, 0, 4, 3)]
    for make in makes:
        column = make(values)
        found = ordo.sort(column)
        assert type(found) is type(column)
        assert as_list(found)[:4] == expected
        assert ordo.argsort(column).tolist() == [1, 0, 4, 3, 2]
        assert ordo.argsort(column, descending=True).tolist() == [3, 0, 4, 1, 2]
        ranks = list(ordo.rankdata(column, "dense", nan_policy="omit"))
        assert [ranks[i] for i in (0, 1, 3, 4)] == [2, 1, 3, 2]
        assert as_list(ordo.topk(column, 2).values) == [values[3], values[0]]
        assert as_list(ordo.unique(column))[:3] == [values[1], values[0], values[3]]
        assert as_list(ordo.sort_pairs(column, np.arange(5))[0])[:4] == expected
        assert as_list(ordo.select(column, [0]))[0] == values[1]
        for verb in ("median", "cumsum", "cummax"):
            with pytest.raises(TypeError, match="float64"):
                getattr(ordo, verb)(column)
        with pytest.raises(TypeError, match="float64"):
            ordo.searchsorted(column, column)
    large = pa.array([decimal.Decimal(10) ** 30, decimal.Decimal(1)])
    with pytest.raises(TypeError, match="do not fit 64 bits"):
        ordo.sort(large)


def as_list(column):
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


def test_the_pandas_accessor():
    pd.testing.assert_frame_equal(FRAME.ordo.sort("c"), FRAME.sort_values("c", kind="stable"))
    by, flags = ["a", "b"], [True, False]
    expected = FRAME.sort_values(by, ascending=[False, True], kind="stable")
    pd.testing.assert_frame_equal(FRAME.ordo.sort(by, descending=flags), expected)
    assert FRAME.ordo.argsort(by, descending=flags).tolist() == [4, 0, 2, 3, 1]
    ranks = FRAME[["a", "c"]].ordo.rank("min", nan_policy="omit")
    expected = FRAME[["a", "c"]].rank(method="min")
    pd.testing.assert_frame_equal(ranks.astype(float), expected)
    assert FRAME.ordo.topk(2, "a")["b"].tolist() == ["x", "x"]
    assert FRAME["a"].ordo.rank("dense").tolist() == [2, 1, 2, 1, 2]
    assert FRAME["c"].ordo.median(nan_policy="omit") == 1.5
    assert "sort" in dir(FRAME["a"].ordo)
    with pytest.raises(AttributeError, match="no method"):
        FRAME["a"].ordo.generate()


@pytest.mark.skipif(pl is None, reason="needs polars")
def test_the_polars_namespace():
    frame = pl.DataFrame({"x": [3, 1, 2], "y": ["c", "a", "b"]})
    assert frame.ordo.sort("x")["y"].to_list() == ["a", "b", "c"]
    assert frame.ordo.rank("min")["y"].to_list() == [3, 1, 2]
    assert frame.ordo.topk(1, "x")["y"].to_list() == ["c"]
    assert frame["x"].ordo.sort(descending=True).to_list() == [3, 2, 1]


@pytest.mark.parametrize("imports", ["pandas as pd, ordo", "ordo, pandas as pd"])
def test_the_accessor_in_any_order_of_imports(imports):
    code = f"""if True:
        import {imports}
        import importlib.util
        assert pd.Series([3.0, 1.0]).ordo.rank().tolist() == [2, 1]
        assert pd.DataFrame({{"x": [3, 1]}}).ordo.sort("x")["x"].tolist() == [1, 3]
        assert importlib.util.find_spec("pandas") is pd.__spec__
    """
    command = [sys.executable, "-W", "error::UserWarning", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
