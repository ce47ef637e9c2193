"""unique and searchsorted against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from cases import EVERY_DTYPE, arrays, same, sample
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ordo
import ordo._sets


@given(arrays(), st.booleans())
def test_unique_is_numpys(a, equal_nan):
    flags = {"return_index": True, "return_inverse": True, "return_counts": True}
    expected = np.unique(a, **flags, equal_nan=equal_nan)
    result = ordo.unique(a, **flags, equal_nan=equal_nan)
    for got, wanted in zip(result[:2] + result[3:], expected[:2] + expected[3:]):
        same(got, wanted)
    same(result[2].reshape(-1), expected[2].reshape(-1))
    assert result[2].shape == a.shape
    same(ordo.unique(a, equal_nan=equal_nan), expected[0])
    values, inverse = ordo.unique(a, return_inverse=True, equal_nan=equal_nan)
    assert np.array_equal(values[inverse], a, equal_nan=a.dtype.kind == "f")
    same(ordo.unique(a, return_counts=True, equal_nan=equal_nan)[1], expected[3])


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_unique_of_many(rng, dtype):
    a = sample(rng, 60_000, dtype)
    for got, wanted in zip(ordo.unique(a, True, True, True), np.unique(a, True, True, True)):
        same(got, wanted)


@given(arrays(["i4", "f8", "u1"], max_dims=1), arrays(["i4", "f8"], max_dims=2), st.data())
def test_searchsorted_is_numpys(a, v, data):
    side = data.draw(st.sampled_from(["left", "right"]))
    haystack = np.sort(a)
    same(ordo.searchsorted(haystack, v, side), np.searchsorted(haystack, v, side))
    order = np.argsort(a)
    same(ordo.searchsorted(a, v, side, order), np.searchsorted(a, v, side, order))


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_of_many(rng, side):
    haystack = np.sort(rng.random(400_000))
    needles = rng.random((200, 300))
    needles[5, 7] = np.nan
    needles[0, :50] = haystack[:50]
    same(ordo.searchsorted(haystack, needles, side), np.searchsorted(haystack, needles, side))
    assert ordo.searchsorted(haystack, 0.5) == np.searchsorted(haystack, 0.5)


def test_searchsorted_of_variable_strings():
    """Of StringDType, with strings of more than 15 bytes in several arrays."""
    words = np.array([letter * 40 for letter in "abc"], np.dtypes.StringDType())
    needles = np.concatenate([words[::-1], words[:1], words])
    for side in ("left", "right"):
        expected = np.searchsorted(words.astype(object), needles.astype(object), side)
        same(ordo.searchsorted(words[[0, 1, 2]], needles, side), expected)
    with pytest.raises(TypeError, match="expected numbers in both or strings in both"):
        ordo.searchsorted(words, [1.5])


@pytest.fixture
def few_are_many(monkeypatch):
    """Searches a few needles with the code for many needles, on several threads."""
    for name, value in {"_MANY_NEEDLES": 1, "_SLICE": 5}.items():
        monkeypatch.setattr(ordo._sets, name, value)
    with ordo.context(threads=3):
        yield


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("needle_dtype", [*EVERY_DTYPE, "g"])
def test_searchsorted_by_threads(rng, few_are_many, needle_dtype, side):
    """Every pair of types, needles in any order, ascending and descending, strided, with NaNs."""
    needles = sample(rng, 40, needle_dtype, 3)
    if needles.dtype.kind == "f":
        needles[::7] = np.nan
        needles[1::9] = -0.0
    for dtype in (*EVERY_DTYPE, "g"):
        a = sample(rng, 30, dtype, 3)
        if a.dtype.kind == "f":
            a[::5] = np.nan
        order = np.argsort(a, kind="stable")
        haystack = a[order]
        ascending = np.sort(needles)
        for v in (needles, ascending, ascending[::-1], needles[::2], needles.reshape(4, 10).T):
            wanted = np.searchsorted(haystack, v, side)
            same(ordo.searchsorted(haystack, v, side), wanted)
            same(ordo.searchsorted(a, v, side, order), wanted)
            same(ordo.searchsorted(np.repeat(haystack, 2)[::2], v, side), wanted)
        same(ordo.searchsorted(haystack[:0], needles, side), np.zeros(40, np.intp))
        same(ordo.searchsorted(haystack, needles[:0], side), np.zeros(0, np.intp))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["u4", "i8", "f8"])
def test_searchsorted_of_slices(rng, dtype, threads):
    """Enough needles for several threads, without changed thresholds."""
    haystack = np.sort(sample(rng, 50_000, dtype, 30))
    needles = sample(rng, 140_000, dtype, 30)
    with ordo.context(threads=threads):
        for v in (needles, np.sort(needles)):
            for side in ("left", "right"):
                wanted = np.searchsorted(haystack, v, side)
                same(ordo.searchsorted(haystack, v, side), wanted)
                same(
                    ordo.searchsorted(haystack[::100], v, side),
                    np.searchsorted(haystack[::100], v, side),
                )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arrays(max_dims=1, max_side=30), arrays(max_dims=2, max_side=12), st.data())
def test_searchsorted_by_threads_is_numpys(few_are_many, a, v, data):
    side = data.draw(st.sampled_from(["left", "right"]))
    haystack = np.sort(a)
    same(ordo.searchsorted(haystack, v, side), np.searchsorted(haystack, v, side))
