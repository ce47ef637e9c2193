"""Strings in S, U and object arrays against the order of Python strings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordo

words = st.lists(
    st.text(max_size=6) | st.sampled_from(["", "a", "aa", "b", "é", "語", "🙂"]), max_size=40
)
byte_words = st.lists(st.binary(max_size=5) | st.sampled_from([b"", b"a", b"ab"]), max_size=40)


def without_end(word):
    """NumPy removes zeros at the end of a string."""
    return word.rstrip("\0" if isinstance(word, str) else b"\0")


def order_of(strings, reverse=False):
    key = sorted(set(strings))
    rank = {word: -i if reverse else i for i, word in enumerate(key)}
    return sorted(range(len(strings)), key=lambda i: rank[strings[i]])


def check(array, strings):
    assert list(ordo.argsort(array)) == order_of(strings)
    assert list(ordo.argsort(array, descending=True)) == order_of(strings, reverse=True)
    assert ordo.sort(array).tolist() == sorted(strings)
    rank = {word: i + 1 for i, word in enumerate(sorted(set(strings)))}
    dense = ordo.rankdata(array, "dense")
    assert dense.dtype == np.int64
    assert dense.tolist() == [rank[word] for word in strings]
    values, index, inverse, counts = ordo.unique(array, True, True, True)
    assert values.tolist() == sorted(set(strings))
    assert [strings[i] for i in index] == values.tolist()
    assert [values.tolist()[i] for i in inverse] == strings
    assert counts.tolist() == [strings.count(word) for word in values.tolist()]
    if strings:
        k = len(strings) // 2
        assert ordo.select(array, k) == sorted(strings)[k]
        assert ordo.topk(array, k, largest=False).values.tolist() == sorted(strings)[:k]
    assert ordo.is_sorted(array) == (strings == sorted(strings))


@given(words)
def test_unicode_arrays(strings):
    strings = [without_end(word) for word in strings]
    check(np.array(strings, dtype="U6" if strings else "U1"), strings)


@given(byte_words)
def test_byte_arrays(strings):
    strings = [without_end(word) for word in strings]
    check(np.array(strings, dtype="S5"), strings)


@given(words | byte_words)
def test_object_arrays(strings):
    check(np.array([*strings, None], object)[:-1], strings)


@pytest.mark.parametrize("top", ["z", "ÿ", "語", "🙂"])
def test_code_points_of_every_width(rng, top):
    alphabet = np.array(list("abc" + top))
    strings = ["".join(rng.choice(alphabet, rng.integers(0, 5))) for _ in range(500)]
    check(np.array(strings), strings)
    check(np.array(strings).astype(">U5"), strings)


def test_rows_of_strings(rng):
    a = rng.choice(np.array(["x", "yy", "zzz", "w"]), (6, 7))
    for axis in (0, 1, None):
        assert np.array_equal(ordo.sort(a, axis), np.sort(a, axis))
        assert np.array_equal(ordo.argsort(a, axis), np.argsort(a, axis, kind="stable"))
    ranks = ordo.rankdata(a, "min", axis=1)
    assert ranks.shape == a.shape
    assert np.array_equal(np.sort(a, 1)[0, ranks[0] - 1], a[0])


def test_strided_strings(rng):
    a = rng.choice(np.array([b"x", b"yy", b"zzz"]), 40)
    assert np.array_equal(ordo.sort(a[::-3]), np.sort(a[::-3]))


def test_mixed_objects_are_rejected():
    for bad in ([b"a", "b"], ["a", None], ["a", 3]):
        with pytest.raises(TypeError, match="all bytes or all str"):
            ordo.sort(np.array(bad, object))


def test_lone_surrogates_are_ordered_by_code_point():
    strings = ["\ud800", "\ue000", "\u7fff", "\U00010000"]
    assert ordo.sort(np.array(strings, object)).tolist() == sorted(strings)


def test_rows_of_no_strings_keep_dtype_and_shape():
    for dtype in ("U3", "S2", object):
        for shape, axis in (((0, 4), 1), ((0, 4), 0), ((3, 0), 1), ((2, 0, 3), 2), ((0,), 0)):
            a = np.empty(shape, dtype)
            result = ordo.sort(a, axis)
            assert (result.shape, result.dtype) == (shape, a.dtype)
            result = ordo.argsort(a, axis)
            assert (result.shape, result.dtype) == (shape, np.intp)
            result = ordo.rankdata(a, axis=axis)
            assert (result.shape, result.dtype) == (shape, np.float64)
            k = min(2, shape[axis])
            values, index = ordo.topk(a, k, axis)
            expected = ordo.topk(np.empty(shape), k, axis)
            assert (values.shape, values.dtype) == (expected.values.shape, a.dtype)
            assert (index.shape, index.dtype) == (expected.indices.shape, np.int64)
            rows = ordo.is_sorted(a, axis)
            assert np.shape(rows) == np.shape(ordo.is_sorted(np.empty(shape), axis))
            assert ordo.unique(a).dtype == a.dtype


@pytest.mark.parametrize("dtype", ["U4", "S4", object, ">U4"])
def test_select_of_strings(dtype):
    words = np.array([["bb", "a", "cccc"], ["d", "f", "ee"]]).astype(dtype)
    numbers = np.array([[2, 1, 3], [4, 6, 5]])
    names = dict(zip(numbers.ravel().tolist(), words.ravel().tolist()))
    for k in (0, -1, [0], [0, 1], [[0, 1], [1, 0]], np.empty((0, 2), int)):
        for axis in (None, 0, 1, -2, (0, 1), (1, 0), (1,)):
            for descending in (False, True):
                result = ordo.select(words, k, axis, descending=descending)
                expected = ordo.select(numbers, k, axis, descending=descending)
                assert np.shape(result) == np.shape(expected)
                if np.ndim(expected):
                    assert result.dtype == words.dtype
                flat = np.asarray(result, object).ravel().tolist()
                assert flat == [names[x] for x in np.ravel(expected).tolist()]
    assert isinstance(ordo.select(words, 0), (str, bytes))
