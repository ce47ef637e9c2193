"""Strings in S, U and object arrays against the order of Python strings."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

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


# ---- FASTA ---------------------------------------------------------------------------------------

# `ordo sort --fasta` against an oracle: a stable sort of the records by Python.

COMMAND = Path(os.environ.get("ORDO_LIBRARY", "")).parent / "ordo"

pytestmark = pytest.mark.skipif(
    not os.access(COMMAND, os.X_OK), reason="the command is not beside the library"
)


def devices():
    """Returns the devices that this machine and build can use."""
    if not os.access(COMMAND, os.X_OK):
        return []
    info = subprocess.run([COMMAND, "info"], capture_output=True, text=True, check=True).stdout
    gpu = any(line.split() == ["cuda", "usable"] for line in info.splitlines())
    return ["cpu", "cuda", "hybrid"] if gpu else ["cpu"]


def run(data, *arguments):
    done = subprocess.run(
        [COMMAND, "sort", "--fasta", *arguments], input=data, capture_output=True, check=True
    )
    assert done.stderr == b""
    return done.stdout


def without_newline(line):
    line = line.removesuffix(b"\n")
    return line.removesuffix(b"\r")


def oracle(data, by="sequence", descending=False, unique=False):
    """Returns the blank lines before the first record and the sorted records, as bytes."""
    lines = data.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    first = next((i for i, line in enumerate(lines) if line.startswith(b">")), len(lines))
    records = []
    for line in lines[first:]:
        if line.startswith(b">"):
            records.append([line])
        else:
            records[-1].append(line)

    def key(record):
        if by == "header":
            return without_newline(record[0])[1:]
        return b"".join(without_newline(line) for line in record[1:])

    last = records[-1] if records else None
    if descending:  # Python's `reverse` is stable, too
        records.sort(key=key, reverse=True)
    else:
        records.sort(key=key)
    if unique:
        records = [r for i, r in enumerate(records) if i == 0 or key(records[i - 1]) != key(r)]
    if last is not None and not last[-1].endswith(b"\n") and records and records[-1] is not last:
        crlf = lines[0].endswith(b"\r\n") and not last[-1].endswith(b"\r")
        last[-1] += b"\r\n" if crlf else b"\n"
    return b"".join(lines[:first]) + b"".join(line for record in records for line in record)


def options(by, descending, unique):
    return ["--by", by] + ["--descending"] * descending + ["--unique"] * unique


ends = st.sampled_from([b"\n", b"\r\n"])
texts = st.binary(max_size=6).map(lambda b: b.translate(None, b"\0\n\r"))
residues = texts.map(lambda b: b.lstrip(b">"))
letters = st.text("AC", max_size=3).map(str.encode)


@st.composite
def files(draw):
    data = b"".join(draw(st.lists(ends, max_size=2)))
    for _ in range(draw(st.integers(0, 8))):
        data += b">" + draw(texts | letters) + draw(ends)
        for line in draw(st.lists(residues | letters, max_size=4)):
            data += line + draw(ends)
    if draw(st.booleans()) and data.endswith(b"\n"):
        data = data[:-1]
    return data


@given(files(), st.sampled_from(["sequence", "header"]), st.booleans(), st.booleans())
def test_any_file(data, by, descending, unique):
    found = run(data, *options(by, descending, unique))
    assert found == oracle(data, by, descending, unique)


@pytest.mark.parametrize("by", ["sequence", "header"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize("device", devices())
def test_large(by, descending, unique, device):
    """Families with long common prefixes, ties, and lines of any width."""
    chance = random.Random(7)
    ancestors = ["".join(chance.choices("ACDEFGHIKLMNPQRSTVWY", k=300)) for _ in range(20)]
    parts = []
    for _ in range(20000):
        sequence = chance.choice(ancestors)[: chance.randint(0, 300)]
        sequence += "".join(chance.choices("acXY", k=chance.randint(0, 3)))
        width = chance.choice([60, 80, 7, 1000])
        end = chance.choice(["\n", "\n", "\r\n"])
        parts.append(f">id{chance.randint(0, 15000)} text{end}")
        parts += [sequence[i : i + width] + end for i in range(0, len(sequence), width)]
    data = "".join(parts).encode()
    found = run(data, *options(by, descending, unique), "--threads", "2", "--device", device)
    assert found == oracle(data, by, descending, unique)
