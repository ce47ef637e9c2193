"""Arrow arrays of pyarrow and polars, through the PyCapsule interface."""

from __future__ import annotations

import numpy as np
import pytest

import ordo

pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
WORDS = ["pear", "fig", "", "apple", "fig", "a rather long word, longer than a view"]
TYPES = [
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
]


@pytest.mark.parametrize("name", TYPES)
def test_numbers(rng, name):
    values = rng.integers(0, 50, 300)
    column = pa.array(values, getattr(pa, name)())
    assert np.array_equal(ordo.sort(column), np.sort(values))
    assert np.array_equal(ordo.argsort(column[7:200]), np.argsort(values[7:200], kind="stable"))
    chunked = pa.chunked_array([column[:90], column[90:90], column[90:]])
    assert np.array_equal(ordo.rankdata(chunked, "min"), ordo.rankdata(values, "min"))
    assert ordo.median(chunked) == np.median(values)


def test_numbers_with_nulls():
    column = pa.array([3, None, 1, 2])
    assert ordo.median(column) == 2
    assert np.isnan(ordo.median(column, nan_policy="propagate"))
    assert np.array_equal(ordo.argsort(column), [2, 3, 0, 1])
    assert ordo.rankdata(column).to_pylist() == [3, None, 1, 2]
    assert ordo.sort(column).equals(pa.array([1, 2, 3, None]))
    halves = pa.array([1.5, None, 0.5], pa.float32())
    assert ordo.sort(halves).type == pa.float32()
    parts = pa.chunked_array([halves[:1], halves[1:]])
    assert ordo.rankdata(parts, "min").to_pylist() == [2, None, 1]
    assert isinstance(ordo.rankdata(parts), pa.ChunkedArray)
    assert ordo.cumsum(halves).to_pylist() == [1.5, None, 2.0]
    assert ordo.moving_max(halves, 2).to_pylist() == [None, None, None]
    assert ordo.moving_max(halves, 2, 1).to_pylist() == [1.5, 1.5, 0.5]
    assert ordo.topk(halves, 2).values.to_pylist() == [1.5, 0.5]
    assert ordo.unique(pa.array([2, None, 2])).to_pylist() == [2, None]
    with pytest.raises(ValueError, match="2\\^53"):
        ordo.median(pa.array([1 << 60, None]))
    assert ordo.sort(pa.array([True, False, True])).to_pylist() == [False, True, True]


@pytest.mark.parametrize(
    "name", ["string", "large_string", "binary", "large_binary", "string_view"]
)
def test_strings(name):
    if not hasattr(pa, name):
        pytest.skip(f"this pyarrow has no {name}")
    column = pa.array(WORDS * 3, getattr(pa, name)())
    expected = sorted(range(18), key=lambda i: (WORDS[i % 6], i))
    assert ordo.argsort(column).tolist() == expected
    assert ordo.sort(column).to_pylist() == [column[i].as_py() for i in expected]
    cut = column[2:11]
    assert ordo.argsort(cut).tolist() == sorted(range(9), key=lambda i: (WORDS[(i + 2) % 6], i))
    chunked = pa.chunked_array([column[:5], column[5:]])
    assert ordo.argsort(chunked).tolist() == expected
    values, counts = ordo.unique(column, return_counts=True)
    assert [v.as_py() for v in values] == sorted({c.as_py() for c in column})
    assert counts.tolist() == [3, 3, 3, 6, 3]


def test_strings_with_nulls():
    column = pa.array(["b", None, "a", None, "c"])
    assert ordo.argsort(column).tolist() == [2, 0, 4, 1, 3]
    assert ordo.argsort(column, descending=True).tolist() == [4, 0, 2, 1, 3]
    assert ordo.sort(column).to_pylist() == ["a", "b", "c", None, None]
    ranks = ordo.rankdata(column, nan_policy="omit")
    assert ranks.to_pylist() == ordo.rankdata(column).to_pylist() == [2, None, 1, None, 3]
    with pytest.raises(ValueError, match="null"):
        ordo.rankdata(column, nan_policy="raise")
    assert ordo.unique(column).to_pylist() == ["a", "b", "c", None]


def test_other_types_are_named():
    with pytest.raises(TypeError, match="format"):
        ordo.sort(pa.array([[1], [2]]))


def test_polars():
    pl = pytest.importorskip("polars", reason="needs polars")
    words = pl.Series(WORDS)
    assert ordo.argsort(words).tolist() == sorted(range(6), key=lambda i: (WORDS[i], i))
    assert ordo.sort(words).to_list() == sorted(WORDS)
    assert ordo.median(pl.Series([3.0, 1.0, 2.0])) == 2


def test_memory_is_released():
    """Views keep the memory of their array alive, and release it."""
    before = pa.total_allocated_bytes()
    for _ in range(50):
        column = pa.chunked_array([pa.array(np.arange(10_000.0)), pa.array(np.arange(10.0))])
        ordo.median(column)
        ordo.sort(pa.array(WORDS))
    del column
    assert pa.total_allocated_bytes() <= before + 1024
