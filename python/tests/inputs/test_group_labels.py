"""The group functions of pandas objects beside `groupby`, and the rules of docs/python.md."""

from __future__ import annotations

import numpy as np
import pytest

import ordo

pd = pytest.importorskip("pandas", reason="needs pandas")
same = pd.testing.assert_series_equal

KEYS = {
    "text": ["b", "a", None, "b", "a", "b"],
    "category": pd.Categorical(["x", "y", "x", "y", "y", None]),
    "Int64": pd.array([1, 2, 3, None, 2, 1], dtype="Int64"),
    "float": [0.5, np.nan, -1.0, 0.5, -1.0, 0.5],
    "bool": [True, False, True, True, False, True],
    "day": pd.to_datetime(["2020-01-02", "2020-01-01", None, "2020-01-02", "2020-01-01", None]),
    "zone": pd.date_range("2020", periods=6, tz="Europe/Berlin")[[0, 1, 1, 0, 2, 2]],
}


@pytest.fixture
def frame():
    made = pd.DataFrame(KEYS, index=list("uvwxyz"))
    made["f16"] = np.array([2, 1, 2, 1, 2, 1], np.float16)
    made["x"] = [1.0, 2.5, np.nan, 4.0, -5.0, 4.0]
    made["n"] = pd.array([5, None, 3, 9, 1, 7], dtype="Int64")
    made["t"] = pd.date_range("2021", periods=6, tz="UTC").tz_convert("Asia/Tokyo")
    return made


@pytest.mark.parametrize("dropna", [True, False])
@pytest.mark.parametrize("key", KEYS)
def test_one_key(frame, key, dropna):
    by, x = frame[key], frame["x"]
    grouped = frame.groupby(key, dropna=dropna)
    same(ordo.group_count(by, dropna=dropna), grouped.size())
    same(ordo.group_median(by, x, dropna=dropna), grouped["x"].median())
    same(ordo.group_quantile(by, x, 0.3, dropna=dropna), grouped["x"].quantile(0.3))
    same(ordo.group_rank(by, x), x.groupby(by).rank())


@pytest.mark.parametrize("q", [[0.3, 0.9], [0.5], []])
def test_several_quantiles(frame, q):
    wanted = frame.groupby("text")["x"].quantile(q) if q else None
    found = ordo.group_quantile(frame["text"], frame["x"], q)
    if q:
        same(found, wanted)
    assert found.index.names == ["text", None] and len(found) == 2 * len(q)


@pytest.mark.parametrize("column", ["x", "n", "t"])
@pytest.mark.parametrize("key", KEYS)
def test_topk(frame, key, column):
    """The elements have the group and the label of their row, and the dtype of `a`."""
    grouped = frame.groupby(key)[column]
    same(ordo.group_topk(frame[key], frame[column], 2), grouped.nlargest(2).dropna())
    smallest = ordo.group_topk(frame[key], frame[column], 2, largest=False)
    same(smallest, grouped.nsmallest(2).dropna())
    assert ordo.group_topk(frame[key], frame[column], 0).empty


def test_topk_of_rows_with_two_labels(frame):
    frame = frame.set_index(["text", "n"], append=True).rename_axis(["one", "two", "three"])
    found = ordo.group_topk(frame["bool"], frame["x"], 2)
    same(found, frame.groupby("bool")["x"].nlargest(2))


def test_several_keys(frame):
    keys = ["text", "zone"]
    for groups in (frame[keys], [frame["text"], frame["zone"]]):
        same(ordo.group_count(groups), frame.groupby(keys).size())
        same(ordo.group_median(groups, frame["x"]), frame.groupby(keys)["x"].median())
        wanted = frame.groupby(keys)["x"].nlargest(1).dropna()
        same(ordo.group_topk(groups, frame["x"], 1), wanted)
    found = ordo.group_count([frame["text"], np.array([1, 1, 1, 2, 2, 2])])
    assert found.index.names == ["text", None]
    assert ordo.group_count(frame[["text"]]).index.equals(pd.Index(["a", "b"], name="text"))


def test_times_keep_their_zone(frame):
    grouped = frame.groupby("text")["t"]
    same(ordo.group_median(frame["text"], frame["t"]), grouped.median())
    same(ordo.group_quantile(frame["text"], frame["t"], 0.0), grouped.quantile(0.0))


def test_one_argument_of_pandas_is_enough(frame):
    by = frame["text"].fillna("c").tolist()
    expected = frame["x"].groupby(by).median()
    same(ordo.group_median(by, frame["x"]), expected)
    found = ordo.group_median(frame["text"].fillna("c"), frame["x"].to_numpy())
    same(found, expected.rename_axis("text").rename(None))
    found = ordo.group_topk(pd.Index(by), frame["x"].tolist(), 1)
    assert found.to_dict() == {("a", 1): 2.5, ("b", 3): 4.0}
    found = ordo.group_topk(frame["text"], frame["x"].to_numpy(), 1)
    assert found.to_dict() == {("a", "v"): 2.5, ("b", "x"): 4.0}


def test_rows_match_by_position(frame):
    by = frame["bool"].iloc[::-1]
    found = ordo.group_median(by, frame["x"])
    assert found.tolist() == frame["x"].groupby(by.to_numpy()).median().tolist()


def test_arrays_give_named_tuples():
    groups, a = np.array([7, 3, 7]), np.array([5.0, 1.0, 2.0])
    assert type(ordo.group_count(groups)).__name__ == "GroupCounts"
    assert type(ordo.group_median(groups, a)).__name__ == "GroupValues"
    assert type(ordo.group_quantile(groups, a, 0.5)).__name__ == "GroupValues"
    assert type(ordo.group_topk(groups, a, 1)).__name__ == "GroupTopK"
    assert type(ordo.group_count([groups, groups])).__name__ == "GroupCounts"
    assert type(ordo.group_count(pd.array(["a", "b"]))).__name__ == "GroupCounts"


def test_row_numbers_are_arrays(frame):
    order = ordo.group_argsort(frame["text"], frame["x"])
    assert type(order) is np.ndarray and order.tolist() == [4, 1, 0, 3, 5]


def test_keys_without_an_index_of_their_dtype(frame):
    found = ordo.group_count(frame["f16"])
    assert found.to_dict() == {1.0: 3, 2.0: 3} and found.index.dtype == np.float32


def test_no_rows():
    empty = pd.Series([], dtype=float, name="x")
    for found in (ordo.group_median(empty, empty), ordo.group_topk(empty, empty, 2)):
        assert isinstance(found, pd.Series) and found.empty
