"""ordo.dask of columns and indexes of strings, beside pandas."""

from __future__ import annotations

import numpy as np
import pytest
from cases import TIES

import ordo

dask = pytest.importorskip("dask", reason="needs Dask")
dd = pytest.importorskip("dask.dataframe", reason="needs the data frames of Dask")
pd = pytest.importorskip("pandas", reason="needs pandas")

import ordo.dask  # noqa: E402 # after the check that Dask is installed

WORDS = ["pear", "fig", "äpfel", "", "figs", "z" * 30, None]
KINDS = ["object", "str", "string", "category"]
PLACES = {"ordinal": "first"}  # names of pandas


def frame_of(rng, kind):
    # Dask takes equal strings of `str` and `string` for the same collection: they differ here.
    words = np.roll(np.array(WORDS, object)[rng.integers(0, 7, 300)], KINDS.index(kind))
    frame = pd.DataFrame({"word": words})
    frame["word"] = frame["word"].astype(kind)
    return frame.assign(n=rng.integers(0, 5, 300), at=np.arange(300))


def lazy_of(frame, count=6):
    return dd.from_pandas(frame, npartitions=count, sort=False)


@pytest.fixture(autouse=True)
def dtypes_are_kept():
    with dask.config.set({"dataframe.convert-string": False}):
        yield


@pytest.fixture(params=KINDS)
def frames(rng, request):
    frame = frame_of(rng, request.param)
    return frame, lazy_of(frame)


@pytest.mark.parametrize("count", [1, 6])
@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_by_strings(rng, kind, down, count):
    frame = frame_of(rng, kind)
    lazy = lazy_of(frame, count)
    plain = frame.astype({"word": object})
    both = [down, down], [not down, down]
    for by, way in ((["word"], [down]), (["word", "n"], both[0]), (["n", "word"], both[1])):
        found = ordo.sort(lazy, by=by, descending=way)
        assert isinstance(found, dd.DataFrame) and found.known_divisions
        if by == ["word"]:
            expected = plain.sort_values("word", ascending=not down, kind="stable")
        else:  # with several columns pandas is stable, too
            expected = plain.sort_values(by, ascending=[not one for one in way])
        assert found.compute()["at"].tolist() == expected["at"].tolist()
        assert found.compute().dtypes.equals(frame.dtypes)
        kept = ordo.sort(lazy, by=by, descending=way, lengths=True, keep_index=True).compute()
        assert kept.index.tolist() == expected.index.tolist()


def test_orders_and_ranks(frames):
    frame, lazy = frames
    words = frame["word"].astype(object)
    for down in (False, True):
        expected = words.reset_index(drop=True).sort_values(ascending=not down, kind="stable")
        order = ordo.argsort(lazy["word"], descending=down)
        assert order.compute().tolist() == expected.index.tolist()
        found = ordo.sort(lazy["word"], descending=down, chunks=(100, 0, 200)).compute()
        assert found.astype(object).dropna().tolist() == expected.dropna().tolist()
        assert found.dtype == frame["word"].dtype
        for method in TIES:
            ranks = ordo.rankdata(lazy["word"], method, descending=down)
            assert ranks.dtype == np.float64
            wanted = words.rank(method=PLACES.get(method, method), ascending=not down)
            np.testing.assert_array_equal(ranks.compute(), wanted)
    with pytest.raises(ValueError, match="nan values"):
        ordo.rankdata(lazy["word"], nan_policy="raise").compute()


def test_sets_of_strings(frames):
    frame, lazy = frames
    words = frame["word"].astype(object).where(frame["word"].notna(), None)
    whole = sorted(words.dropna())
    distinct = sorted(set(whole))
    values, index, inverse, counts = ordo.unique(lazy["word"], True, True, True)
    assert values.compute().tolist()[:-1] == distinct
    assert pd.isna(values.compute()[-1])  # the nulls are one element, the last
    assert ordo.unique(lazy["word"]).compute().tolist()[:-1] == distinct
    assert index.compute().tolist()[:-1] == [words.tolist().index(one) for one in distinct]
    assert counts.compute().tolist() == [
        *map(whole.count, distinct),
        int(frame["word"].isna().sum()),
    ]
    again = values.compute()[inverse.compute()]
    assert (pd.isna(again) == words.isna()).all()
    assert again[~pd.isna(again)].tolist() == words.dropna().tolist()
    assert ordo.topk(lazy["word"], 5, largest=False).values.compute().tolist() == whole[:5]
    top = ordo.topk(lazy["word"], 5)
    assert top.values.compute().tolist() == whole[:-6:-1]
    assert words.iloc[top.indices.compute()].tolist() == whole[:-6:-1]


@pytest.mark.parametrize("side", ["left", "right"])
def test_searches_of_strings(frames, side):
    frame, lazy = frames
    whole = np.array(sorted(frame["word"].astype(object).dropna()), object)
    ordered = ordo.sort(lazy["word"])
    for needles in (np.array(["fig", "zz"]), np.array(["a" * 40, "z" * 30], object)):
        found = ordo.searchsorted(ordered, needles, side=side).compute()
        assert found.tolist() == whole.searchsorted(needles.astype(object), side).tolist()
    present = frame["word"].dropna()
    found = ordo.searchsorted(whole.astype(str), lazy_of(present), side=side).compute()
    assert found.tolist() == whole.searchsorted(present.astype(object), side).tolist()
    found = ordo.searchsorted(ordered, lazy["word"], side=side).compute()
    absent = frame["word"].isna().to_numpy()
    assert set(found[absent]) == {whole.size if side == "left" else len(frame)}
    with pytest.raises(TypeError, match="expected strings"):
        ordo.searchsorted(ordered, np.array([1.5])).compute()


@pytest.mark.parametrize("kind", ["object", "str", "category"])
def test_an_index_of_strings(kind):
    words = ["pear", "fig", "äpfel", "", "fig", "figs"]
    index = pd.Index(words, dtype=kind, name="word")
    lazy = lazy_of(pd.Series(range(6), index=index), 3).index
    found = ordo.sort(lazy)
    assert isinstance(found, dd.Index)
    assert found.compute().tolist() == sorted(words)
    assert ordo.argsort(lazy).compute().tolist() == [3, 1, 4, 5, 0, 2]
    ranks = ordo.rankdata(lazy, "min").compute()
    assert ranks.tolist() == pd.Series(words).rank(method="min").tolist()


def test_what_is_no_string():
    lazy = lazy_of(pd.DataFrame({"any": np.array(["a", 2.5, None, b"c"], object)}), 1)
    with pytest.raises(TypeError, match="'any' has elements of type bytes, float, str"):
        ordo.sort(lazy, by="any").compute()
    for call in (lambda: ordo.median(lazy["any"]), lambda: ordo.quantile(lazy["any"], 0.5)):
        with pytest.raises(TypeError, match="expected numbers, dates or times"):
            call()
