"""Series in, Series out; data frames; decimals. Against pandas and polars."""

from __future__ import annotations

import decimal
import subprocess
import sys
import warnings

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
    frames = [FRAME, *(lib.DataFrame({"a": [1], "b": [2], "c": [3]}) for lib in (pd, pl) if lib)]
    frames += [pa.table({"a": [1], "b": [2], "c": [3]})] if pa else []
    for frame in frames:
        with pytest.raises(KeyError, match="by is 'q'; expected one of 'a', 'b', 'c'"):
            ordo.sort(frame, by="q")
        with pytest.raises(KeyError, match="by is 'q'"):
            ordo.sort(frame, by=["a", "q"])
        with pytest.raises(TypeError, match=r"data frame \('a', 'b', 'c'\).*sort\(a, by=name\)"):
            ordo.sort(frame)
        with pytest.raises(ValueError, match="axis is 1; expected 0 with by"):
            ordo.sort(frame, by="a", axis=1)
        if hasattr(frame, "ordo"):
            with pytest.raises(KeyError, match="by is 'q'; expected one of"):
                frame.ordo.topk(1, "q")
    with pytest.raises(KeyError, match=r"'19', \.\.\. \(30 columns\)"):
        ordo.sort(pd.DataFrame([range(30)], columns=map(str, range(30))), by="q")
    with pytest.raises(ValueError, match="the name of 2 columns"):
        ordo.sort(pd.DataFrame([[1, 2]], columns=["a", "a"]), by="a")
    with pytest.raises(ValueError, match="kind is 'bogo'"):
        ordo.sort(FRAME, by="a", kind="bogo")
    with pytest.raises(TypeError, match="expected True or False"):
        ordo.sort(FRAME, by="a", descending="yes")


def test_names_that_are_tuples():
    frame = pd.DataFrame({("x", 1): [2, 1, 2], ("x", 2): [1, 5, 0]}, index=list("abc"))
    for by in (("x", 1), [("x", 1)], [("x", 1), ("x", 2)], (("x", 1), ("x", 2))):
        names = list(by) if isinstance(by[0], tuple) else by
        pd.testing.assert_frame_equal(
            ordo.sort(frame, by=by), frame.sort_values(names, kind="stable")
        )
    assert ordo.sort(frame, by=("x", 1), axis=0).index.tolist() == ["b", "a", "c"]
    assert frame.ordo.topk(1, ("x", 2)).index.tolist() == ["b"]
    with pytest.raises(KeyError, match=r"by is 'x'; expected one of \('x', 1\), \('x', 2\)"):
        ordo.sort(frame, by="x")


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
        ranks = as_list(ordo.rankdata(column, "dense", nan_policy="omit"))
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


def test_ranks_of_frames():
    for frame in (
        FRAME,
        pd.DataFrame(index=pd.Index(["u", "v"], name="i")),
        pd.DataFrame({"a": []}, index=pd.Index([], name="i")),
        pd.DataFrame([[1, 2.0], [0, np.nan]], index=["u", "u"], columns=["a", "a"]),
        pd.DataFrame([[1, 2], [0, 3]], columns=pd.MultiIndex.from_tuples([("x", 1), ("x", 2)])),
    ):
        pd.testing.assert_frame_equal(frame.ordo.rank(), frame.rank(), check_column_type=False)
    if pl is not None:
        assert pl.DataFrame().ordo.rank().shape == (0, 0)


# ---- Missing values ------------------------------------------------------------------------------

KINDS = ["f8", "f4", "i8", "Int64", "M8[ns]", "m8[ns]", "str"]
columns = st.tuples(
    st.sampled_from(KINDS),
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), max_size=15),
)


def missing_column(kind, values):
    if kind == "str":
        return pd.Series([None if x is None else chr(100 + x) for x in values], dtype="str")
    if kind == "i8":
        return pd.Series([x or 0 for x in values], dtype="i8")
    if kind[0] in "Mm":
        filled = np.array(["NaT" if x is None else x for x in values], object)
        return pd.Series(filled.astype(kind) if len(values) else np.zeros(0, kind))
    return pd.Series(values, dtype="Int64" if kind == "Int64" else kind)


@settings(max_examples=200, deadline=None)
@given(columns, st.sampled_from(["average", "min", "max", "dense", "first"]), st.booleans())
def test_missing_values_as_pandas(column, method, descending):
    kind, values = column
    s = missing_column(kind, values)
    s.index, s.name = [f"row {i}" for i in range(len(s))], "s"
    ours = "ordinal" if method == "first" else method
    expected = s.rank(method=method, ascending=not descending).astype(float)
    for found in (
        ordo.rankdata(s, ours, descending=descending),
        s.ordo.rank(ours, descending=descending),
    ):
        pd.testing.assert_series_equal(found.astype(float), expected)
    index = pd.Index(s)
    assert np.array_equal(ordo.rankdata(index, ours, descending=descending), found, equal_nan=True)
    if kind == "str":
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of no elements
        middle, wanted = s.ordo.median(), s.median()
        parts, wanted_parts = ordo.quantile(s, [0.25, 1.0]), s.quantile([0.25, 1.0])
    if pd.isna(wanted):
        assert pd.isna(middle) and pd.isna(parts).all()
    elif kind[0] in "Mm":
        assert abs(pd.Series([middle])[0] - wanted) <= pd.Timedelta(1, "ns")
    else:
        assert np.isclose(float(middle), float(wanted))
        assert np.allclose(parts, wanted_parts.to_numpy(float))
    for verb in ("cumsum", "cummax", "cummin") if kind != "M8[ns]" else ("cummax", "cummin"):
        found, wanted = getattr(s.ordo, verb)(), getattr(s, verb)()
        if len(s):
            pd.testing.assert_series_equal(found, wanted.astype(found.dtype))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_groups_with_missing_values_as_pandas(data):
    values = data.draw(st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=12))
    names = st.one_of(st.none(), st.integers(0, 2))
    groups = data.draw(st.lists(names, min_size=len(values), max_size=len(values)))
    kinds = st.sampled_from(["f8", "Int64", "M8[ns]", "str"])
    keys = missing_column(data.draw(st.sampled_from(KINDS[:-1])), values)
    keys.index, keys.name = [f"row {i}" for i in range(len(keys))], "s"
    by = missing_column(data.draw(kinds), groups)
    dropna, method = data.draw(st.booleans()), data.draw(st.sampled_from(["average", "min"]))
    found = ordo.group_rank(by, keys, method, dropna=dropna)
    expected = pd.Series(np.nan, keys.index, name="s")
    codes = pd.factorize(by, sort=True)[0]
    for code in set(codes) - ({-1} if dropna else set()):  # groupby().rank() misses NaTs
        expected[codes == code] = keys[codes == code].rank(method=method).astype(float)
    pd.testing.assert_series_equal(found.astype(float), expected)
    if keys.dtype.kind not in "Mm":
        medians = keys.astype(float).groupby(codes if dropna else codes % 99).median()
        medians = medians[medians.index >= 0]
        assert np.allclose(
            ordo.group_median(by, keys, dropna=dropna).values, medians, equal_nan=True
        )


def test_arrays_keep_the_rules_of_numpy():
    a = np.array([3.0, np.nan, 1.0])
    assert np.isnan(ordo.median(a)) and np.isnan(ordo.rankdata(a)).all()
    assert np.isnan(ordo.cumsum(a)[1:]).all()
    assert ordo.group_rank([1, 1, 1], a).tolist() == [2, 3, 1]
    s = pd.Series(a)
    assert np.isnan(ordo.median(s, nan_policy="propagate"))
    assert np.isnan(ordo.rankdata(s, nan_policy="propagate")).all()
    with pytest.raises(ValueError, match="cannot hold NaN"):
        ordo.rankdata(s, "min", dtype=np.int64)
    with pytest.raises(ValueError, match="cannot hold NaN"):
        ordo.group_rank([1, 1, 1], s, "min", dtype=np.int64)
    if pl is not None:
        column = pl.Series([3.0, None, 1.0])
        assert ordo.median(column) == 2
        assert ordo.rankdata(column).fill_nan(None).to_list() == column.rank().to_list()


# ---- Imports -------------------------------------------------------------------------------------


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


SEARCHES = {
    "polars": "import polars" if pl is not None else "",
    "find_spec": "import importlib.util; assert importlib.util.find_spec('pandas')",
    "find_spec twice": "import importlib.util as u; u.find_spec('pandas'); u.find_spec('pandas')",
    "no import": "import importlib.machinery as m; m.PathFinder.find_spec('pandas')",
}


@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_for_pandas_does_not_use_up_the_accessor(search):
    code = f"import ordo; {SEARCHES[search] or 'pass'}; import pandas as pd; " + (
        "assert pd.Series([2, 1]).ordo.rank().tolist() == [2, 1]; "
        "import importlib; importlib.reload(pd); assert pd.Series([2, 1]).ordo.median() == 1.5"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["bz2", "dask", "duckdb", "external", "mpi"])
def test_modules_load_on_first_use(name):
    code = f"""if True:
        import sys, ordo
        assert "ordo.{name}" not in sys.modules
        assert ordo.{name} is sys.modules["ordo.{name}"]
    """
    pytest.importorskip("dask" if name == "dask" else "numpy")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
