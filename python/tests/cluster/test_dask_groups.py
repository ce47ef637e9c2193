"""The group functions of ordo.dask beside pandas."""

from __future__ import annotations

import numpy as np
import pytest

import ordo

dask = pytest.importorskip("dask", reason="needs Dask")
dd = pytest.importorskip("dask.dataframe", reason="needs the data frames of Dask")
pd = pytest.importorskip("pandas", reason="needs pandas")

import ordo.dask  # noqa: E402 # after the check that Dask is installed

WORDS = np.array(["pear", "fig", "äpfel", "", "figs", "z" * 30, None], object)
KEYS = ["word", "kind", "whole", "part", "day"]


@pytest.fixture(autouse=True)
def dtypes_are_kept():
    with dask.config.set({"dataframe.convert-string": False}):
        yield


@pytest.fixture
def frame(rng):
    n = 300
    made = pd.DataFrame({"word": WORDS[rng.integers(0, 7, n)]}, index=np.arange(n) * 2)
    made["kind"] = pd.Categorical(WORDS[rng.integers(0, 3, n)])
    made["whole"] = pd.array(rng.integers(0, 4, n) + 2**60, dtype="Int64")
    made["part"] = rng.integers(0, 4, n) / 4
    made["day"] = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 9, n), "D")
    made["x"] = rng.random(n).round(1)
    made.loc[::18, "x"] = np.nan
    made.loc[::22, "part"] = np.nan
    made.loc[::26, "day"] = pd.NaT
    return made


def lazy_of(frame, count=5):
    return dd.from_pandas(frame, npartitions=count, sort=False)


def same(found, expected):
    assert isinstance(found, dd.Series) and found.name == expected.name
    assert found.dtype == expected.dtype
    pd.testing.assert_series_equal(found.compute(), expected, check_freq=False)


def check_all(by, lazy, keys, frame):
    """Compares every function of Dask collections with the one of pandas."""
    grouped, x = frame.groupby(keys)["x"], lazy["x"]
    same(ordo.group_count(by), frame.groupby(keys).size())
    same(ordo.group_median(by, x), grouped.median())
    same(ordo.group_quantile(by, x, 0.3), grouped.quantile(0.3))
    same(ordo.group_quantile(by, x, [0.3, 0.9]), grouped.quantile([0.3, 0.9]))
    parts = frame[keys]
    same(ordo.group_topk(by, x, 2), ordo.group_topk(parts, frame["x"], 2))
    same(
        ordo.group_topk(by, x, 1, largest=False),
        ordo.group_topk(parts, frame["x"], 1, largest=False),
    )
    for method, name in (("average", "average"), ("ordinal", "first"), ("dense", "dense")):
        ranks = ordo.group_rank(by, x, method)
        assert ranks.divisions == lazy.divisions
        same(ranks, grouped.rank(name))
    falling = grouped.rank(ascending=False)
    same(ordo.group_rank(by, x, descending=True), falling)


@pytest.mark.parametrize("key", KEYS)
def test_one_key(frame, key):
    lazy = lazy_of(frame)
    check_all(lazy[key], lazy, key, frame)


def test_several_keys(frame):
    lazy, keys = lazy_of(frame), ["word", "part"]
    check_all(lazy[keys], lazy, keys, frame)
    found = ordo.group_median([lazy["word"], lazy["part"]], lazy["x"])
    same(found, frame.groupby(keys)["x"].median())
    same(ordo.group_count((lazy["word"], lazy["part"])), frame.groupby(keys).size())


@pytest.mark.parametrize("count", [1, 2, 12])
def test_partitions(frame, count):
    lazy = lazy_of(frame, count)
    check_all(lazy["word"], lazy, "word", frame)


def test_missing_keys_and_elements(frame):
    lazy = lazy_of(frame)
    wanted = frame.groupby("word", dropna=False).size()
    same(ordo.group_count(lazy["word"], dropna=False), wanted)
    found = ordo.group_median(lazy["word"], lazy["x"], skipna=False).compute()
    has_nan = frame["x"].isna().groupby(frame["word"]).any()
    assert (found.isna() == has_nan).all()


def test_partitions_without_rows(frame):
    lazy = lazy_of(frame)
    few = lazy[lazy["x"] > 0.95]
    check_all(few["word"], few, "word", frame[frame["x"] > 0.95])
    none = lazy[lazy["x"] > 2]
    assert ordo.group_count(none["word"]).compute().empty
    assert ordo.group_rank(none["word"], none["x"]).compute().empty


def test_one_large_group():
    frame = pd.DataFrame({"word": ["a"] * 99 + ["b"], "x": np.arange(100.0)})
    lazy = lazy_of(frame)
    check_all(lazy["word"], lazy, "word", frame)


def test_groups_are_spread(rng):
    """No output partition has much more than its share of many small groups."""
    lazy = lazy_of(pd.DataFrame({"key": rng.permutation(5000)}), 5)
    sizes = [len(part.compute()) for part in ordo.group_count(lazy["key"]).partitions]
    assert sum(sizes) == 5000 and max(sizes) < 1500


def test_nothing_is_computed_early():
    def fail(part):
        assert not len(part), "a partition was computed"
        return part

    frame = pd.DataFrame({"key": ["a", "b"], "x": [1.0, 2.0]})
    lazy = lazy_of(frame, 2).map_partitions(fail, meta=frame)
    by, x = lazy["key"], lazy["x"]
    later = [ordo.group_count(by), ordo.group_median(by, x), ordo.group_quantile(by, x, 0.5)]
    for result in [*later, ordo.group_topk(by, x, 1), ordo.group_rank(by, x)]:
        with pytest.raises(AssertionError, match="a partition was computed"):
            result.compute()


def test_wrong_arguments(frame):
    lazy = lazy_of(frame)
    for call, error, message in [
        (lambda: ordo.dask.group_count(frame["x"]), TypeError, "groups is a Series; expected a D"),
        (lambda: ordo.group_median(lazy["x"], frame["x"]), TypeError, "a is a Series; expected"),
        (lambda: ordo.group_median(lazy["x"], lazy), TypeError, "a is a DataFrame"),
        (lambda: ordo.group_median(lazy["x"], lazy_of(frame, 2)["x"]), ValueError, "2 partitions"),
        (lambda: ordo.group_rank(lazy["x"], lazy["x"], "middle"), ValueError, "middle"),
        (
            lambda: ordo.group_quantile(lazy["x"], lazy["x"], 2),
            ValueError,
            "q must|expected 0 to 1",
        ),
        (lambda: ordo.group_topk(lazy["x"], lazy["x"], -1), ValueError, "k is -1"),
        (lambda: ordo.group_rank(lazy["x"], lazy["word"]), TypeError, "expected numbers"),
        (lambda: ordo.group_argsort(lazy["x"]), TypeError, "which ordo.group_argsort does not"),
        (lambda: ordo.group_count(lazy[[]]), ValueError, "no columns"),
    ]:
        with pytest.raises(error, match=message):
            call()
    shorter = lazy["x"].map_partitions(lambda part: part[:3])
    with pytest.raises(ValueError, match="has 3 rows; expected 60"):
        ordo.group_median(lazy["word"], shorter).compute()
