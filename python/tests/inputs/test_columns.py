"""Columns of pandas, pyarrow and polars whose elements are not plain numbers.

Functions return the result for the values, or raise an error that says what to pass instead. They
never use the codes, the storage or the mask as values.
"""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pytest

import ordo

pd = pytest.importorskip("pandas", reason="needs pandas")
pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
try:
    import polars as pl
except ImportError:
    pl = None

NUMBERS = [300, 100, 200, 100]
WORDS = ["pear", "fig", "apple", "fig"]
FEW = [300, None, 100, 200]
SOME = ["pear", None, "apple", "fig"]
ARROW_DICTIONARY = pa.dictionary(pa.int32(), pa.int64())


def in_chunks(values):
    """A chunked array whose chunks have different dictionaries."""
    halves = [pa.array(part).dictionary_encode() for part in (values[:2], values[2:])]
    return pa.chunked_array(halves)


def with_null_in_dictionary(values):
    """A dictionary whose values contain the null; no code is null."""
    kinds = sorted({value for value in values if value is not None}, reverse=True)
    codes = [len(kinds) if value is None else kinds.index(value) for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int16()), pa.array([*kinds, None]))


CATEGORICALS = {
    "Series": lambda v: pd.Series(v, dtype="category"),
    "Series of an index": lambda v: pd.Series(v, dtype="category", index=[9, 8, 7, 6]),
    "Categorical": lambda v: pd.Categorical(v),
    "CategoricalIndex": lambda v: pd.CategoricalIndex(v),
    "ordered, ascending": lambda v: pd.Categorical(v, ordered=True),
    "unordered, descending": lambda v: pd.Categorical(
        v, sorted({x for x in v if x is not None}, reverse=True)
    ),
    "DictionaryArray": lambda v: pa.array(v).dictionary_encode(),
    "sliced DictionaryArray": lambda v: pa.array([*v[:2], *v]).dictionary_encode()[2:],
    "ChunkedArray": in_chunks,
    "null in the dictionary": with_null_in_dictionary,
    "Series of Arrow": lambda v: pd.Series(
        pa.array(v).dictionary_encode(), dtype=pd.ArrowDtype(pa.array(v).dictionary_encode().type)
    ),
}


def as_list(result):
    """Returns the elements as a list, with None for missing elements."""
    if hasattr(result, "to_pylist"):
        return result.to_pylist()
    found = result.to_list() if hasattr(result, "to_list") else result.tolist()
    return [None if pd.isna(x) else x for x in found]


def last(values):
    """Returns sorted elements with None last."""
    return sorted(values, key=lambda x: (x is None, 0 if x is None else x))


def order(values):
    keys = [(values[i] is None, 0 if values[i] is None else values[i], i) for i in range(4)]
    return [key[-1] for key in sorted(keys)]


@pytest.mark.parametrize("name", CATEGORICALS)
@pytest.mark.parametrize("values", [NUMBERS, WORDS, FEW, SOME], ids=str)
def test_categoricals_are_decoded(name, values):
    column = CATEGORICALS[name](values)
    assert as_list(ordo.sort(column)) == last(values)
    assert ordo.argsort(column).tolist() == order(values)
    ranks = ordo.rankdata(column, "min", nan_policy="omit")
    expected = [
        np.nan if x is None else 1 + sum(y is not None and y < x for y in values) for x in values
    ]
    np.testing.assert_array_equal(ranks, expected)
    assert as_list(ordo.unique(column)) == last(set(values))
    assert ordo.is_sorted(column) is False
    assert as_list(ordo.topk(column, 2, largest=False).values) == last(values)[:2]
    assert as_list(ordo.partition(column, 0))[0] == last(values)[0]
    keys, moved = ordo.sort_pairs([4, 3, 2, 1], column)
    assert keys.tolist() == [1, 2, 3, 4]
    assert as_list(moved) == values[::-1]
    assert as_list(ordo.sort_pairs(column, [1, 2, 3, 4])[0]) == last(values)
    if isinstance(values[0], str):
        with pytest.raises(TypeError, match="expected numbers"):
            ordo.median(column)
    else:
        present = [x for x in values if x is not None]
        assert ordo.median(column, nan_policy="omit") == np.median(present)


def test_the_dtype_of_values_is_kept():
    assert ordo.sort(pd.Series([2, 1], dtype="category")).dtype == "category"
    assert ordo.sort(pd.Categorical([2, 1])).dtype == "category"
    halves = pa.DictionaryArray.from_arrays([1, 0], pa.array([1.5, 0.5], pa.float32()))
    assert ordo.sort(halves).dtype == np.float32
    assert ordo.sort(pd.Categorical([True, False])).dtype == "category"
    assert ordo.sort(pa.array([], ARROW_DICTIONARY)).dtype == np.int64
    assert ordo.sort(pa.chunked_array([], ARROW_DICTIONARY)).dtype == np.int64
    empty = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), pa.array([], "f8"))
    assert np.isnan(ordo.sort(empty)).all()


@pytest.mark.parametrize("verb", ["sort", "argsort", "rankdata", "unique", "median", "is_sorted"])
def test_other_orders_of_categories_are_rejected(verb):
    sizes = pd.Categorical(["lo", "hi", "mid"], ["lo", "mid", "hi"], ordered=True)
    columns = [
        sizes,
        pd.Series(sizes),
        pd.CategoricalIndex(sizes),
        pd.Series(pd.Categorical([3, 1, 2], [3, 1, 2], ordered=True)),
        pa.DictionaryArray.from_arrays([1, 0], ["b", "a"], ordered=True),
        pa.chunked_array([pa.DictionaryArray.from_arrays([1, 0], [2, 1], ordered=True)]),
    ]
    if pl is not None:
        columns.append(pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])))
    for column in columns:
        with pytest.raises(TypeError, match=r"pass the codes .*np\.asarray\(a\)"):
            getattr(ordo, verb)(column)


def test_values_of_pairs_may_be_ordered_categories():
    sizes = pd.Categorical(["lo", "hi", "mid"], ["lo", "mid", "hi"], ordered=True)
    column = pa.DictionaryArray.from_arrays([1, 0, 1], ["b", "a"], ordered=True)
    for values in (sizes, pd.Series(sizes), column, pa.chunked_array([column])):
        expected = as_list(values)[::-1]
        assert as_list(ordo.sort_pairs([3, 2, 1], values)[1]) == expected
        with pytest.raises(TypeError, match="pass the codes"):
            ordo.sort_pairs(values, [3, 2, 1])


def test_codes_and_values_of_ordered_categories():
    sizes = pd.Series(pd.Categorical(["lo", "hi", "mid"], ["lo", "mid", "hi"], ordered=True))
    assert ordo.rankdata(sizes.cat.codes).tolist() == [1, 3, 2]
    assert ordo.sort(np.asarray(sizes)).tolist() == ["hi", "lo", "mid"]
    column = pa.DictionaryArray.from_arrays([1, 0, 1], ["b", "a"], ordered=True)
    assert ordo.argsort(column.indices).tolist() == [1, 0, 2]


@pytest.mark.skipif(pl is None, reason="needs polars")
def test_polars_categories():
    column = pl.Series(SOME, dtype=pl.Categorical)
    assert as_list(ordo.sort(column)) == last(SOME)
    assert ordo.sort(column).dtype == pl.Categorical
    assert ordo.argsort(column).tolist() == order(SOME)
    column = pl.Series(WORDS, dtype=pl.Enum(["apple", "fig", "pear"]))
    assert as_list(ordo.sort(column)) == last(WORDS)
    assert ordo.rankdata(column, "dense").to_list() == [3, 2, 1, 2]
    physical = pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])).to_physical()
    assert ordo.argsort(physical).tolist() == [0, 1]


def test_missing_numbers():
    for make in (pd.Series, pd.Index, pd.array):
        for name in ("Int64", "UInt8", "Float64", "Float32"):
            column = make([3, None, 1], dtype=name)
            assert as_list(ordo.sort(column)) == [1, 3, None]
            assert ordo.median(column) == 2
            assert np.isnan(ordo.median(column, nan_policy="propagate"))
        assert as_list(ordo.sort(make([True, None, False], dtype="boolean"))) == [0, 1, None]
        assert ordo.sort(make([3, 1], dtype="Int16")).dtype == "Int16"
        assert ordo.sort(make([True, False], dtype="boolean")).dtype == "boolean"
        with pytest.raises(ValueError, match=r"2\^53"):
            ordo.sort(make([(1 << 60) + 1, None], dtype="Int64"))
        assert ordo.sort(make([(1 << 60) + 1, 3], dtype="Int64")).tolist() == [3, (1 << 60) + 1]
    arrow = pd.ArrowDtype(pa.int64())
    for make in (pd.Series, pd.Index, pd.array):
        with pytest.raises(ValueError, match=r"2\^53"):
            ordo.sort(make([(1 << 60) + 1, None], dtype=arrow))
    assert ordo.sort(pa.array([])).tolist() == []
    assert ordo.sort(pa.nulls(2)).to_pylist() == [None, None]
    assert ordo.sort(pd.Series([0, 3, 1], dtype="Sparse[int]")).tolist() == [0, 1, 3]


@pytest.mark.parametrize("dtype", ["string", "str", object])
def test_missing_strings_of_pandas(dtype):
    for make in (pd.Series, pd.Index, pd.array):
        assert as_list(ordo.sort(make(["b", "a"], dtype=dtype))) == ["a", "b"]
        column = make(["b", None, "a"], dtype=dtype)
        if dtype is object:
            with pytest.raises(TypeError, match="all bytes or all str"):
                ordo.sort(column)
        else:
            assert ordo.argsort(column).tolist() == [2, 0, 1]


DAY = datetime.datetime(2021, 1, 1)
LATER = datetime.timedelta(1)
PERIODS = pd.Series(pd.period_range("2020", "2022", freq="Y"))
INTERVALS = pd.Series(pd.interval_range(0, 3))
REFUSED = {
    "period": (PERIODS, r"astype\('int64'\)"),
    "PeriodIndex": (pd.Index(PERIODS), r"astype\('int64'\)"),
    "interval": (INTERVALS, r"a\.array\.left"),
    "cut": (pd.Series(pd.cut([1, 5, 3], 3)), r"a\.array\.left"),
    "list": (pa.array([[1], [2]]), "flattened"),
    "struct": (pa.array([{"a": 1}]), r"one column, or a\.to_numpy\(\) of a frame"),
    "table": (pa.table({"a": [1]}), r"data frame \('a'\).*one column, .*sort\(a, by=name\)"),
    "frame": (pd.DataFrame({"a": [1]}), r"one column, or a\.to_numpy\(\); .*sort\(a, by=name\)"),
    "fixed size": (pa.array([b"a"], pa.binary(1)), "cast to binary"),
    "masked": (np.ma.array([1, 2], mask=[True, False]), "compressed"),
    "masked rows": ([np.ma.array([1, 2], mask=[True, False])], "without a mask"),
    "complex": (np.ones(2, complex), r"a\.real"),
    "long double": (np.ones(2, np.longdouble), r"a\.astype\('f8'\)"),
    "void": (np.zeros(2, "V3"), r"a\.astype\(\)"),
    "structured": (np.zeros(2, [("x", int)]), r"a\['x'\]"),
}
if pl is not None:
    REFUSED["polars list"] = (pl.Series([[1], [2]]), "flattened")
    REFUSED["polars struct"] = (pl.Series([{"a": 1}]), "one column")


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("verb", ["sort", "argsort", "rankdata", "median", "unique", "cumsum"])
def test_errors_say_what_to_pass_instead(verb, name):
    if np.longdouble is np.float64:
        pytest.skip("long double is double")
    column, text = REFUSED[name]
    with pytest.raises(TypeError, match=text):
        getattr(ordo, verb)(column)


def test_the_suggested_arguments_work():
    assert ordo.argsort(np.asarray(pd.Series([DAY + LATER, DAY])).view("i8")).tolist() == [1, 0]
    assert ordo.argsort(PERIODS.astype("int64"), descending=True).tolist() == [2, 1, 0]
    assert ordo.sort(INTERVALS.array.left).tolist() == [0, 1, 2]
    for column in (
        pa.array([DAY + LATER, DAY]),
        pa.array([(DAY + LATER).date(), DAY.date()]),
        pa.array([2 * LATER, LATER]),
        pd.Series([DAY + LATER, DAY]).astype("timestamp[ns][pyarrow]"),
    ):
        assert ordo.argsort(np.asarray(column).view("i8")).tolist() == [1, 0]
    frame = pd.DataFrame({"a": [3, 1], "b": [2, 0]})
    assert ordo.sort(frame["a"]).tolist() == [1, 3]
    assert ordo.sort(frame.to_numpy()).tolist() == [[2, 3], [0, 1]]


def test_extension_types_are_named():
    class Celsius(pa.ExtensionType):
        def __init__(self):
            super().__init__(pa.int64(), "test.celsius")

        def __arrow_ext_serialize__(self):
            return b""

        @classmethod
        def __arrow_ext_deserialize__(cls, storage_type, serialized):
            return cls()

    column = pa.ExtensionArray.from_storage(Celsius(), pa.array([3, 1]))
    with pytest.raises(TypeError, match=r"'test\.celsius'.*a\.storage"):
        ordo.sort(column)
    with pytest.raises(TypeError, match=r"'test\.celsius'.*a\.storage"):
        ordo.sort(pa.chunked_array([column]))
    assert ordo.sort(column.storage).tolist() == [1, 3]


def test_matrices_are_arrays():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        matrix = np.matrix([[3, 1], [2, 0]])
    assert ordo.sort(matrix).tolist() == [[1, 3], [0, 2]]
    assert ordo.median(matrix) == 1.5
    assert ordo.unique(matrix).tolist() == [0, 1, 2, 3]


def test_arrow_strings_everywhere():
    for column in (pa.array(WORDS), pd.Series(WORDS), pa.array(WORDS).dictionary_encode()):
        ordered = ordo.sort(column)
        assert ordo.searchsorted(ordered, ["fig"], side="right").tolist() == [3]
        assert ordo.searchsorted(np.array(sorted(WORDS)), column).tolist() == [3, 1, 0, 1]
        least = ordo.select(column, 0)
        assert (least.as_py() if hasattr(least, "as_py") else least) == "apple"
        assert as_list(ordo.select(column, [0, -1])) == ["apple", "pear"]
        with pytest.raises(ValueError, match="k has 2 dimensions"):
            ordo.select(column, [[0]])
        with pytest.raises(TypeError, match="expected out=None"):
            ordo.sort(column, out=np.empty(4, "U5"))
        with pytest.raises(TypeError, match="expected numbers"):
            ordo.radius(column)
        with pytest.raises(TypeError, match="expected numbers"):
            ordo.spearmanr(column, column)
    with pytest.raises(ValueError, match="nulls"):
        ordo.searchsorted(pa.array(SOME), ["a"])
    with pytest.raises(ValueError, match="cannot hold NaN"):
        ordo.rankdata(pa.array(SOME), "min", dtype=np.int32)
    with pytest.raises(ValueError, match="axis 1"):
        ordo.rankdata(pa.array(SOME), axis=1)
