"""Arguments that NumPy would convert to something else: the functions refuse them and name them."""

from __future__ import annotations

import numpy as np
import pytest

import ordo

ROW = np.array([3.0, 1.0, 2.0, 2.0, 5.0])
GROUPS = np.array([1, 0, 1, 0, 1])
MASK = [True, False, False, False, False]


@pytest.mark.parametrize("k", [1.5, "2", True, None, [1]])
def test_k_of_groups_is_an_integer(k):
    with pytest.raises(TypeError, match="k is"):
        ordo.group_topk(GROUPS, ROW, k)


QUANTILES = {
    "quantile": lambda q: ordo.quantile(ROW, q),
    "weights": lambda q: ordo.quantile(ROW, q, weights=[1, 2, 3, 4, 5]),
    "percentile": lambda q: ordo.percentile(ROW, q),
    "group_quantile": lambda q: ordo.group_quantile(GROUPS, ROW, q),
    "moving_quantile": lambda q: ordo.moving_quantile(ROW, 2, q),
}


@pytest.mark.parametrize("name", QUANTILES)
def test_q_is_numbers(name):
    for q in ["x", "0.5", None, 1j, [None]]:
        with pytest.raises(TypeError, match="q has dtype"):
            QUANTILES[name](q)
    with pytest.raises(TypeError, match="q is a masked array"):
        QUANTILES[name](np.ma.masked_array([0.5], mask=[True]))
    for q in [-0.1, 101, np.nan]:
        with pytest.raises(ValueError, match=r"q(\[0\])? is"):
            QUANTILES[name](q)


def test_moving_quantile_has_one_q():
    with pytest.raises(TypeError, match="q has shape"):
        ordo.moving_quantile(ROW, 2, [0.5])


@pytest.mark.parametrize("verb", ["median", "rank", "min", "max"])
@pytest.mark.parametrize("window", [2**64, 2**64 + 2, 2**70, 0, -1])
def test_windows_do_not_wrap(verb, window):
    with pytest.raises(ValueError, match=f"window is {window}; expected at least 1"):
        getattr(ordo, f"moving_{verb}")(ROW, window)


def test_long_windows():
    assert np.isnan(ordo.moving_min(ROW, 2**64 - 1)).all()
    found = ordo.moving_max(ROW, 2**64 - 1, min_periods=1)
    assert np.array_equal(found, np.maximum.accumulate(ROW))


@pytest.mark.parametrize("dtype", ["f8", float, "i4", "i8", "u2", "?", "S8"])
def test_dtypes_of_suffix_arrays(dtype):
    with pytest.raises(ValueError, match="dtype is"):
        ordo.suffix_array(b"banana", dtype=dtype)


@pytest.mark.parametrize("axis", [0.0, True, "x", None])
def test_axis_of_lexsort(axis):
    for keys in [(ROW, GROUPS), (ROW[:4].reshape(2, 2),)]:
        with pytest.raises(TypeError, match="axis is"):
            ordo.lexsort(keys, axis=axis)


def test_keys_of_lexsort():
    with pytest.raises(TypeError, match="keys is 3"):
        ordo.lexsort(3)


MASKED = {
    "lexsort": lambda: ordo.lexsort((np.ma.masked_array(ROW, MASK), ROW)),
    "lexsort of rows": lambda: ordo.lexsort((np.ma.masked_array([[2, 1]], [[1, 0]]),)),
    "sort_records": lambda: ordo.sort_records(np.ma.zeros(3, [("k", "i4")]), "k"),
    "suffix_array": lambda: ordo.suffix_array(np.ma.masked_array(np.zeros(2, "u1"), [1, 0])),
    "bwt": lambda: ordo.bwt(np.ma.masked_array(np.zeros(2, "u1"), [1, 0])),
}


@pytest.mark.parametrize("name", MASKED)
def test_masks(name):
    with pytest.raises(TypeError, match="masked"):
        MASKED[name]()


OUTS = {
    "cumsum": lambda out: ordo.cumsum(ROW, out=out),
    "rankdata": lambda out: ordo.rankdata(ROW, out=out),
    "argsort": lambda out: ordo.argsort(ROW, out=out),
    "moving_median": lambda out: ordo.moving_median(ROW, 2, out=out),
    "group_rank": lambda out: ordo.group_rank(GROUPS, ROW, out=out),
    "lexsort": lambda out: ordo.lexsort((ROW, GROUPS), out=out),
}


@pytest.mark.parametrize("dtype", ["S3", "U3", "U40", "O", "V8"])
@pytest.mark.parametrize("name", OUTS)
def test_numbers_are_not_written_as_text(name, dtype):
    with pytest.raises(TypeError, match="out has dtype"):
        OUTS[name](np.zeros(5, dtype))


def test_strings_are_not_cut():
    words = np.array(["pear", "fig", "apple"])
    with pytest.raises(TypeError, match="out has dtype <U2; expected <U5"):
        ordo.select(words, [0, 1], out=np.zeros(2, "U2"))
    assert ordo.select(words, [0, 1], out=np.zeros(2, "U9")).tolist() == ["apple", "fig"]


def test_frames_have_no_out():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [2, 1]})
    with pytest.raises(TypeError, match="out is for arrays"):
        ordo.sort(frame, by="x", out=frame)
