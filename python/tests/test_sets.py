"""unique and searchsorted against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from cases import EVERY_DTYPE, arrays, same, sample
from hypothesis import given
from hypothesis import strategies as st

import ordo


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
