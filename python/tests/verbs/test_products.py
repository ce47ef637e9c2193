"""cumprod against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo

TYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split()


def numbers(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    if dtype[0] == "f":
        values = rng.choice([0.5, 2, -1.25, 1e30, 1e-30, np.inf, np.nan, -0.0], shape)
        return np.where(rng.random(shape) < 0.9, rng.normal(1, 0.2, shape), values).astype(dtype)
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
    st.sampled_from([None, "i2", "u8", "f4", "f8", "?"]),
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


@pytest.mark.parametrize("dtype", ["i4", "u8", "f4", "f8"])
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
