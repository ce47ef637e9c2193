"""Test inputs: hypothesis strategies for arrays, and arrays with unusual memory layouts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import strategies as st

from ordo import _lib

INTEGERS = [name for name in _lib.DTYPES if name[0] != "f"]
FLOATS = [name for name in _lib.DTYPES if name[0] == "f"]
NUMBERS = INTEGERS + FLOATS
EVERY_DTYPE = [*NUMBERS, "f2", "?", ">i2", ">u4", ">i8", ">f4", ">f8"]
TIES = list(_lib.TIES)
# The rank of an element by each rule. Its ties have the places `first` to `last` from 0, it has the
# place `own`, and the sorted array has `groups` different keys up to it.
RANKS: dict[str, Callable[[int, int, int, int], float]] = {
    "min": lambda first, last, own, groups: first + 1,
    "max": lambda first, last, own, groups: last + 1,
    "dense": lambda first, last, own, groups: groups,
    "ordinal": lambda first, last, own, groups: own + 1,
    "average": lambda first, last, own, groups: (first + last) / 2 + 1,
}
QUANTILES = [  # the methods of NumPy
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
    "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher",
    "midpoint", "nearest",
]  # fmt: skip


def elements(dtype: np.dtype) -> st.SearchStrategy:
    """Returns a strategy with many ties, extremes and, for floats, NaN, -0, +0, -inf and inf."""
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind == "f":
        few = [0.0, -0.0, 1.0, 2.0, -1.5, np.inf, -np.inf, np.nan]
        width = dtype.itemsize * 8
        return st.one_of(st.sampled_from(few), st.floats(width=width))
    info = np.iinfo(dtype)
    few = [info.min, info.max, 0, 1, 2, 3]
    return st.one_of(st.sampled_from(few), st.integers(int(info.min), int(info.max)))


def arrays(
    dtypes: list[str] = EVERY_DTYPE, max_dims: int = 3, max_side: int = 9, min_side: int = 0
) -> st.SearchStrategy:
    shapes = hnp.array_shapes(max_dims=max_dims, min_side=min_side, max_side=max_side)
    return st.sampled_from(dtypes).flatmap(
        lambda name: hnp.arrays(np.dtype(name), shapes, elements=elements(np.dtype(name)))
    )


def sample(rng: np.random.Generator, n: int, dtype: str, scale: int = 50) -> Any:
    """Returns normally distributed numbers with ties; not negative for unsigned types."""
    numbers = rng.standard_normal(n) * scale
    if np.dtype(dtype).kind == "u":
        numbers = np.abs(numbers)
    return np.clip(numbers, -120, 120).astype(dtype)


def layouts(array: Any) -> Iterator[tuple[str, Any]]:
    """Yields arrays with the same elements and different memory layouts, with their names."""
    yield "plain", array
    wide = np.repeat(array, 2, axis=-1)
    yield "strided", wide[..., ::2]
    yield "negative", array[..., ::-1].copy()[..., ::-1]
    yield "fortran", np.asfortranarray(array)
    raw = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    raw[...] = array
    yield "misaligned", raw
    frozen = array.copy()
    frozen.flags.writeable = False
    yield "read-only", frozen


def same(result: Any, expected: Any) -> None:
    """Asserts equal values, shapes and dtypes. NaNs are equal to each other."""
    result, expected = np.asarray(result), np.asarray(expected)
    assert result.shape == expected.shape
    assert result.dtype.newbyteorder("=") == expected.dtype.newbyteorder("=")
    np.testing.assert_array_equal(result, expected)
