"""cumprod, and sums of float16, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from cases import NUMBERS
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo

TYPES = ["?", "f2", *NUMBERS]


def numbers(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    if dtype[0] == "f":
        values = rng.choice([0.5, 2, -1.25, 1e30, 1e-30, np.inf, np.nan, -0.0], shape)
        with np.errstate(over="ignore"):
            usual = rng.normal(1, 0.2, shape)
            return np.where(rng.random(shape) < 0.9, usual, values).astype(dtype)
    if dtype == "?":
        return rng.random(shape) < 0.9
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def same(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert np.array_equal(found, expected, equal_nan=expected.dtype.kind == "f")
    if expected.dtype.kind == "f":
        there = ~np.isnan(expected)
        assert np.array_equal(np.signbit(found)[there], np.signbit(expected)[there])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(TYPES),
    st.tuples(st.integers(0, 7), st.integers(0, 90)),
    st.sampled_from([None, 0, 1, -1]),
    st.sampled_from([None, "i2", "u8", "f2", "f4", "f8", "?"]),
    st.integers(0, 2**32),
)
def test_as_numpy(dtype: str, shape: tuple, axis: int | None, to: str | None, seed: int) -> None:
    a = numbers(np.random.default_rng(seed), dtype, shape)
    with np.errstate(all="ignore"):
        if to is not None and a.dtype.kind == "f":
            to = to if to[0] == "f" else None  # NumPy's cast of NaN to integers is undefined
        same(ordo.cumprod(a, axis, to), np.cumprod(a, axis, to))
        before = ordo.cumprod(a, axis, exclusive=True)
        after = np.moveaxis(np.cumprod(a, axis), 0 if axis is None else axis, -1)
        before = np.moveaxis(before, 0 if axis is None else axis, -1)
    if before.shape[-1]:
        assert (before[..., 0] == 1).all()
        same(before[..., 1:], after[..., :-1])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([1, 100, 30_000]),
    st.tuples(st.integers(0, 7), st.integers(0, 90)),
    st.sampled_from([None, 0, 1, -2]),
    st.sampled_from(["f2", ">f2"]),
    st.integers(0, 2**32),
)
def test_sums_of_halves(scale: int, shape: tuple, axis: int | None, dtype: str, seed: int) -> None:
    """Every step is rounded to float16, so a sum that overflows stays infinite."""
    rng = np.random.default_rng(seed)
    a = (rng.standard_normal(shape) * scale).clip(-65504, 65504).astype(dtype)
    with np.errstate(all="ignore"):
        expected = np.cumsum(a, axis)
        same(ordo.cumsum(a, axis), expected.astype("f2"))
        same(ordo.cumsum(a.astype("f4"), axis, np.float16), expected.astype("f2"))
        before = np.moveaxis(ordo.cumsum(a, axis, exclusive=True), 0 if axis is None else axis, 0)
    after = np.moveaxis(expected, 0 if axis is None else axis, 0)
    if len(before):
        assert (before[0] == 0).all()
        same(before[1:], after[:-1].astype("f2"))


def test_halves_stay_infinite() -> None:
    a = np.array([60000, 60000, -60000], "f2")
    assert ordo.cumsum(a).tolist() == [60000, np.inf, np.inf]
    assert ordo.cumprod(np.array([60000, 2, 0.25], "f2")).tolist() == [60000, np.inf, np.inf]
    with pytest.raises(ValueError, match="ballot scans only"):
        ordo.cumsum(a, algorithm="ballot")


@pytest.mark.parametrize("dtype", ["i4", "u8", "f2", "f4", "f8"])
def test_long_rows(dtype: str) -> None:
    """Many pieces: floats go on after underflow and overflow, as in NumPy."""
    rng = np.random.default_rng(3)
    a = numbers(rng, dtype, (300_003,))
    if a.dtype.kind == "f":
        a = rng.normal(1, 0.6, a.size).astype(dtype)
    with np.errstate(all="ignore"):
        for threads in (1, 2, 3):
            with ordo.context(threads=threads):
                same(ordo.cumprod(a), np.cumprod(a))
                same(ordo.cumprod(a.reshape(3, -1), 1), np.cumprod(a.reshape(3, -1), 1))


def test_forms() -> None:
    out = np.empty(3)
    assert ordo.cumprod([1, 2, 3], out=out) is out and out.tolist() == [1, 2, 6]
    assert ordo.cumprod(np.array([2, 3], "f2")).dtype == np.float16
    assert ordo.cumprod(np.array([2, 3], ">i4")).tolist() == [2, 6]
    assert ordo.cumprod([0, 2], dtype=bool).tolist() == [False, False]
    with pytest.raises(TypeError, match="expected numbers"):
        ordo.cumprod(np.array([1], "m8[s]"))
    pd = pytest.importorskip("pandas")
    series = pd.Series([2.0, 3.0], index=["a", "b"])
    assert ordo.cumprod(series).equals(series.cumprod())
