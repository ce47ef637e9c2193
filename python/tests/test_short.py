"""Fast paths for plain arrays, few elements and large rows give the bytes of the general path."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import NUMBERS, TIES, arrays, sample
from hypothesis import given
from hypothesis import strategies as st

import ordo
from ordo import _sets
from ordo._context import threads
from ordo._sets import distinct
from ordo._verbs import measure as _measure
from ordo._verbs import order as _order
from ordo._verbs import rank as _rank
from ordo._verbs import scan as _scan
from ordo._verbs import select as _select
from ordo._verbs import topk as _topk


def same_bytes(result: Any, expected: Any) -> None:
    assert type(result) is type(expected)
    if isinstance(expected, tuple):
        assert len(result) == len(expected)
        for got, wanted in zip(result, expected):
            same_bytes(got, wanted)
        return
    got, wanted = np.asarray(result), np.asarray(expected)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    assert got.tobytes() == wanted.tobytes()


INTP = np.dtype(np.intp)
BOTH = (False, True)
rows = arrays(NUMBERS, max_dims=1, max_side=140)


def check_order(a: Any) -> None:
    values = np.arange(a.size, dtype=np.int16)[::-1]
    for down in BOTH:
        wish = _order._Wish(down)
        same_bytes(ordo.sort(a, descending=down), _order._sort(a, -1, wish, None))
        same_bytes(ordo.argsort(a, descending=down), _order._argsort(a, -1, wish, INTP))
        pairs = ordo.sort_pairs(a, values, descending=down)
        same_bytes(pairs, _order._sort_pairs(a, values, wish))
        for method in TIES:
            general = _rank._rankdata(a, method, None, "propagate", down, None, "auto", None)
            same_bytes(ordo.rankdata(a, method, descending=down), general)


def check_places(a: Any, k: int, q: float) -> None:
    same_bytes(ordo.median(a), _select._median(a, None, False, "propagate", _select._AUTO))
    for wanted in (q, [q, 0.25], np.array([0.5, q]), [0, 1], 1):
        general = _select._quantile(a, wanted, None, "linear", False, "propagate", _select._AUTO)
        same_bytes(ordo.quantile(a, wanted), general)
    same_bytes(ordo.select(a, k), _topk._select(a, k, None, False, _select._AUTO, False))
    for largest in BOTH:
        same_bytes(ordo.topk(a, abs(k), largest=largest), _topk._topk(a, abs(k), -1, largest))


def check_scans(a: Any) -> None:
    same_bytes(ordo.cumsum(a), _scan._cumulated(a, _scan._SUM, None, None, False, "auto"))
    same_bytes(ordo.cummax(a), _scan._extremes_of_rows(a, None, _scan._MAX))
    same_bytes(ordo.cummin(a), _scan._extremes_of_rows(a, None, _scan._MIN))
    same_bytes(ordo.is_sorted(a), _measure._is_sorted(a, -1, False))
    same_bytes(ordo.radius(a), _measure._radius(a, -1, False, 0))


def check_distinct(a: Any) -> None:
    for *wish, equal_nan in product(BOTH, repeat=4):
        general = _sets._unique(a, *wish, equal_nan)
        same_bytes(ordo.unique(a, *wish, equal_nan=equal_nan), general)


@given(rows, st.floats(0, 1), st.data())
def test_any_row(a, q, data):
    check_order(a)
    check_scans(a)
    check_distinct(a)
    if a.size:
        check_places(a, data.draw(st.integers(-a.size, a.size - 1)), q)


SPECIAL = [(0.0, -0.0, 1.0), (1.0, np.nan), (2.0, np.inf, -np.inf), ()]


@pytest.mark.parametrize("dtype, values", [*product(["f4", "f8"], SPECIAL), ("i4", ())])
def test_ties_zeros_and_nans(rng, dtype, values):
    for n in [*range(1, 30), 64, 65, 4096, 4097]:
        a = sample(rng, n, dtype, 3)
        if values:
            special = rng.choice(np.array(values, dtype), n)
            a = np.where(rng.random(n) < 0.4, special, a)
            bits = a.view(f"u{a.itemsize}")
            bits[np.isnan(a)] ^= rng.integers(0, 3, np.isnan(a).sum(), bits.dtype)
        check_order(a)
        check_scans(a)
        check_distinct(a)
        check_places(a, int(rng.integers(-n, n)), 0.3)


@given(arrays(NUMBERS, max_dims=1), arrays(NUMBERS, max_dims=2), st.floats(), st.integers(0, 9))
def test_searches(a, v, x, i):
    haystack = np.sort(a)
    for side, needle in product(("left", "right"), (v, x, i)):
        general = _sets._searchsorted(haystack, needle, side, None)
        same_bytes(ordo.searchsorted(haystack, needle, side), general)


# ---- Large rows --------------------------------------------------------------------------------


@pytest.fixture
def small_limits(monkeypatch):
    """Lowers the limits: 6000 elements are a large row of several slices and blocks."""
    monkeypatch.setattr(_sets, "_LARGE", 1000)
    monkeypatch.setattr(distinct, "VERY_LARGE", 1000)
    monkeypatch.setattr(distinct, "_BLOCK", 64)
    monkeypatch.setattr(threads, "_SLICE", 1000)
    monkeypatch.setattr(distinct, "_SAMPLE", 1024)
    monkeypatch.setattr(distinct, "_FIRST_LOOK", 128)
    monkeypatch.setattr(distinct, "_SECOND_LOOK", 512)


def large_rows(rng: np.random.Generator, dtype: str) -> dict[str, Any]:
    n = 6000
    sampled = distinct._scattered(n, distinct._SAMPLE)
    rows = {
        "many": rng.permutation(n),
        "half": rng.integers(0, n // 2, n),
        "few": rng.integers(0, 50, n) - 25,
        "rare": np.where(rng.random(n) < 0.02, rng.integers(0, 30_000, n), rng.integers(0, 9, n)),
        "two": rng.integers(0, 2, n),
        "one": np.zeros(n),
        # Most sampled elements are equal to another, but there are many distinct ones.
        "uneven": np.exp(rng.random(n) * np.log(10_000)).astype(int),
        "sorted": np.sort(rng.integers(0, 50, n)),
        "a zero": rng.integers(1, 50, n),
        # The sampled elements have one value; the others are distinct.
        "hidden": np.where(np.isin(np.arange(n), sampled), 7, rng.permutation(n)),
    }
    rows["a zero"][np.setdiff1d(np.arange(n), sampled)[0]] = 0
    made = {name: row.astype(dtype) for name, row in rows.items()}
    if np.dtype(dtype).kind == "f":
        made["fractions"] = (rows["few"] / 7).astype(dtype)
        for name in ("many", "few"):
            special = made[name].copy()
            special[rng.integers(0, n, 200)] = np.nan
            special[rng.integers(0, n, 200)] = -0.0
            bits = special.view(f"u{special.itemsize}")
            bits[np.isnan(special)] ^= rng.integers(0, 3, np.isnan(special).sum(), bits.dtype)
            made[name + ", special"] = special
        made["nan"] = np.full(n, np.nan, dtype)
    return made


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u4", "i2", "f2"])
def test_unique_of_large_rows(rng, small_limits, monkeypatch, dtype, threads):
    for name, a in large_rows(rng, dtype).items():
        before = a.tobytes()
        for *wish, equal_nan in product(BOTH, repeat=4):
            with ordo.context(threads=threads, device="cpu"):
                result = ordo.unique(a, *wish, equal_nan=equal_nan)
            with monkeypatch.context() as general:
                general.setattr(_sets, "_LARGE", 1 << 60)
                expected = _sets._unique(a, *wish, equal_nan)
            same_bytes(result, expected)
            assert a.tobytes() == before, name
            values = result[0] if any(wish) else result
            np.testing.assert_array_equal(values, np.unique(a, equal_nan=equal_nan), name)


def test_rows_of_few_values_are_recognised(rng, small_limits):
    shapes = large_rows(rng, "f8")
    for name in ("few", "rare", "two", "fractions", "few, special"):
        assert distinct.inverse_of_few(shapes[name]) is not None, name
    for name in ("many", "half", "hidden", "sorted"):
        assert distinct.inverse_of_few(shapes[name]) is None, name
    assert distinct.counts_of_few(shapes["few"]) is not None
    for name in ("many", "uneven"):
        assert distinct.counts_of_few(shapes[name]) is None, name


def test_threads_that_fail(small_limits, monkeypatch):
    ordo.sort(np.arange(9))

    def fails(lo: int, hi: int) -> None:
        raise IndexError(f"{lo} {hi}")

    with ordo.context(threads=4, device="cpu"):
        ordo.sort(np.arange(9))
        with pytest.raises(IndexError):
            threads.by_threads(fails, 9000)
        expected = [(0, 2250), (2250, 4500), (4500, 6750), (6750, 9000)]
        assert threads.by_threads(lambda lo, hi: hi, 9000) == expected

        def refuses(self: Any) -> None:
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(threads.threading.Thread, "start", refuses)
        assert threads.by_threads(lambda lo, hi: hi, 9000) == expected


def test_medians_of_two_elements():
    """Every pair of special numbers, as rows and by one call each."""
    specials = [0.0, -0.0, 1.0, -2.5, 1.7e308, -1.7e308, np.inf, -np.inf, np.nan, 5e-324]
    rows = np.array([sorted(pair) for pair in product(specials, repeat=2)])
    same_bytes(ordo.median(rows, 1), np.array([ordo.median(row) for row in rows]))
