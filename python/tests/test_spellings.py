"""Parameters of NumPy and SciPy: accepted, or rejected with an error."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import ordo

A = np.array([3.0, 1.0, 2.0, 5.0])
# Parameters of NumPy or SciPy that ordo's function of the same name does not have.
LEFT_OUT = {"mannwhitneyu": {"keepdims"}}


def _pairs():
    for name in ordo.__all__:
        if callable(getattr(np, name, None)) and name not in ("select", "show_config"):
            yield name, getattr(np, name)
    stats = pytest.importorskip("scipy.stats")
    for name in ("mannwhitneyu", "rankdata", "spearmanr"):
        yield name, getattr(stats, name)


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="parameters of older NumPy differ"
)
def test_parameters_have_their_names_and_places():
    pairs = dict(_pairs())
    assert len(pairs) > 10
    for name, theirs in pairs.items():
        expected = inspect.signature(theirs).parameters
        found = inspect.signature(getattr(ordo, name)).parameters
        assert set(expected) - set(found) == LEFT_OUT.get(name, set()), name
        places = [
            p for p in expected if expected[p].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        ]
        assert list(found)[: len(places)] == places, name


@pytest.mark.parametrize(
    "kind", [None, "q", "quick", "QuickSort", "h", "heap", "m", "Merge", "s", "stab", "stable"]
)
def test_kinds_of_sorts(kind):
    assert ordo.sort(A, kind=kind).tolist() == [1, 2, 3, 5]
    assert ordo.argsort(A, -1, kind).tolist() == [1, 2, 0, 3]


def test_unknown_kinds():
    for kind in ("", "x", "quickest", "introselect"):
        with pytest.raises(ValueError, match="expected one of quicksort"):
            ordo.sort(A, kind=kind)
    with pytest.raises(TypeError, match="expected a str"):
        ordo.argsort(A, kind=1)
    for function in (ordo.partition, ordo.argpartition):
        assert function(A, 1, -1, "introselect", None).shape == A.shape
        with pytest.raises(ValueError, match="expected one of introselect"):
            function(A, 1, kind="quicksort")
        with pytest.raises(ValueError, match="structured"):
            function(A, 1, order="name")


def test_out_and_overwrite_input():
    rows = np.array([[1.0, 2.0, 4.0], [8.0, 6.0, 7.0]])
    out = np.zeros(2)
    assert ordo.median(rows, 1, out, True, False) is out
    assert out.tolist() == [2, 7]
    assert ordo.quantile(rows, 0.5, 1, out, True, "linear", False) is out
    assert ordo.percentile(rows, 100, 1, out) is out
    assert out.tolist() == [4, 8]
    sums = np.zeros(4)
    assert ordo.cumsum(A, 0, None, sums) is sums
    assert sums.tolist() == [3, 4, 6, 11]
    with pytest.raises(ValueError, match="expected"):
        ordo.median(rows, 1, np.zeros(3))
    with pytest.raises(TypeError, match="same_kind"):
        ordo.median(rows, 1, np.zeros(2, int))
    with pytest.raises(TypeError, match="expected an array"):
        ordo.median(rows, 1, [0, 0])
    with pytest.raises(TypeError, match="weights"):
        ordo.quantile(A, 0.5, weights=["a", "b", "c", "d"])
    assert ordo.quantile(A, 0.5, weights=A, method="inverted_cdf") == 3
    assert rows.tolist() == [[1, 2, 4], [8, 6, 7]]


def test_percentile():
    assert ordo.percentile(A, 25) == np.percentile(A, 25)
    assert ordo.percentile(A, [0, 50, 100]).tolist() == [1, 2.5, 5]
    assert ordo.percentile(A, 50, method="lower") == 2
    for q in (-1, 101, [5, 150], np.nan):
        with pytest.raises(ValueError, match="0, 100"):
            ordo.percentile(A, q)


def test_unique_of_an_axis():
    rows = np.array([[1, 2], [0, 5], [1, 2]])
    assert ordo.unique(rows, axis=0).tolist() == [[0, 5], [1, 2]]
    values, counts = ordo.unique(A, False, False, True, -1, sorted=False)
    assert values.tolist() == [1, 2, 3, 5]
    assert counts.tolist() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="axis"):
        ordo.unique(A, axis=1)


@pytest.mark.parametrize("shape, axis", [((0,), None), ((0,), 0), ((3, 0), 1), ((3, 0), 0)])
def test_warnings_of_empty_rows(shape, axis):
    a = np.zeros(shape)
    for function in (ordo.median, lambda a, axis: ordo.quantile(a, 0.5, axis)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(a, axis)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.array_equal(result, np.median(a, axis), equal_nan=True)
        expected = [] if result.size == 0 else ["Mean of empty slice"]
        assert [str(warning.message) for warning in caught] == expected
        assert all(warning.filename == __file__ for warning in caught)


def test_warnings_of_rows_of_nans():
    rows = np.array([[1.0, np.nan], [np.nan, np.nan], [-np.inf, np.inf]])
    for name in ("median", "quantile"):
        more = () if name == "median" else (0.5,)
        with pytest.warns(RuntimeWarning, match="All-NaN slice encountered"):
            result = getattr(ordo, name)(rows, *more, axis=1, nan_policy="omit")
        assert np.isnan(result).tolist() == [False, True, True]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            getattr(ordo, name)(rows[::2], *more, axis=1, nan_policy="omit")
            getattr(ordo, name)(rows, *more, axis=1)


def test_samples_of_scipy():
    table = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert ordo.spearmanr(table, table, None).correlation == 1
    assert ordo.mannwhitneyu([1, 2], [3, 4], True, "two-sided", 0, "exact").statistic == 0
    with pytest.raises(ValueError, match="dimensions"):
        ordo.spearmanr(table, table, 0)
