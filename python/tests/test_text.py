"""suffix_array, lcp, bwt, unbwt and FMIndex beside definitions in Python."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordo

texts = st.one_of(
    st.binary(max_size=80),
    st.lists(st.sampled_from(b"ab"), max_size=60).map(bytes),
    st.tuples(st.binary(min_size=1, max_size=5), st.integers(1, 20)).map(lambda t: t[0] * t[1]),
)


def suffixes(text):
    return sorted(range(len(text)), key=lambda i: text[i:])


def suffixes_of_many(parts):
    ends = np.cumsum([len(part) for part in parts])
    found = [
        (part[i:], k, int(end) - len(part) + i)
        for k, (part, end) in enumerate(zip(parts, ends))
        for i in range(len(part))
    ]
    return [at for _, _, at in sorted(found)]


def common(a, b):
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


def positions(text, pattern):
    return [i for i in range(len(text)) if text[i : i + len(pattern)] == pattern]


@given(texts, st.sampled_from(["auto", "induced", "doubling", "msd"]))
def test_suffix_array(text, algorithm):
    sa = ordo.suffix_array(text, algorithm)
    assert sa.tolist() == suffixes(text)
    assert sa.dtype == np.uint32
    wide = ordo.suffix_array(np.frombuffer(text, np.uint8), algorithm, np.uint64)
    assert wide.dtype == np.uint64 and wide.tolist() == sa.tolist()


@given(st.lists(texts, max_size=6), st.sampled_from(["auto", "doubling", "msd"]))
def test_many_texts(parts, algorithm):
    sa = ordo.suffix_array(parts, algorithm)
    assert sa.tolist() == suffixes_of_many(parts)
    found = ordo.lcp(parts, sa).tolist()
    where = {}
    at = 0
    for part in parts:
        for i in range(len(part)):
            where[at] = part[i:]
            at += 1
    order = [where[i] for i in sa.tolist()]
    assert found == [0] * bool(order) + [common(a, b) for a, b in zip(order, order[1:])]


@given(texts)
def test_lcp(text):
    sa = ordo.suffix_array(text)
    order = [text[i:] for i in sa]
    expected = [0] * bool(text) + [common(a, b) for a, b in zip(order, order[1:])]
    assert ordo.lcp(text, sa).tolist() == expected
    assert ordo.lcp(text, sa.astype(np.uint64)).tolist() == expected


@given(texts)
def test_bwt(text):
    rows = sorted(range(len(text) + 1), key=lambda i: text[i:])
    found = ordo.bwt(text)
    assert found.primary == rows.index(0)
    assert found.data == bytes(text[i - 1] for i in rows if i > 0)
    assert ordo.unbwt(*found) == text


@given(texts, st.lists(st.binary(max_size=4), max_size=5), st.integers(1, 40))
def test_index(text, patterns, sample):
    index = ordo.FMIndex(text, sample)
    patterns += [text[i : i + 3] for i in range(0, len(text), 7)]
    assert len(index) == len(text)
    assert index.count(patterns).tolist() == [len(positions(text, p)) for p in patterns]
    assert [p.tolist() for p in index.locate(patterns)] == [positions(text, p) for p in patterns]
    for pattern in patterns:
        assert index.count(pattern) == len(positions(text, pattern))
        assert index.locate(pattern).tolist() == positions(text, pattern)
        assert (pattern in index) == (positions(text, pattern) != [])
    for start in range(-3, len(text) + 2, 5):
        assert index.extract(start, start + 9) == text[start : start + 9]


def test_stored_index(tmp_path):
    text = b"the quick brown fox jumps over the lazy dog" * 9
    index = ordo.FMIndex(text)
    index.save(tmp_path / "index")
    for again in (
        ordo.FMIndex.load(tmp_path / "index"),
        ordo.FMIndex.from_bytes(index.to_bytes()),
        pickle.loads(pickle.dumps(index)),
    ):
        assert again.locate(b"fox").tolist() == positions(text, b"fox")
        assert again.nbytes == index.nbytes == len(index.to_bytes())
    assert "letters" in repr(index)


def test_damaged_index():
    data = bytearray(ordo.FMIndex(b"mississippi" * 20).to_bytes())
    for i in range(0, len(data), 7):
        data[i] ^= 0x40
        with pytest.raises(ValueError):
            ordo.FMIndex.from_bytes(data)
        data[i] ^= 0x40
    with pytest.raises(ValueError, match="not an FM-index"):
        ordo.FMIndex.from_bytes(b"text")
    with pytest.raises(ValueError, match="empty"):
        ordo.FMIndex.from_bytes(b"")


def test_arguments():
    with pytest.raises(TypeError, match="encode"):
        ordo.suffix_array("text")
    with pytest.raises(TypeError, match="uint8"):
        ordo.suffix_array(np.arange(3))
    with pytest.raises(TypeError, match="int"):
        ordo.suffix_array(3)
    with pytest.raises(ValueError, match="algorithm"):
        ordo.suffix_array(b"text", "fast")
    with pytest.raises(ValueError, match="dtype"):
        ordo.suffix_array(b"text", dtype=np.int64)
    with pytest.raises(TypeError, match="dtype"):
        ordo.lcp(b"text", np.arange(4))
    with pytest.raises(ValueError, match="shape"):
        ordo.lcp(b"text", np.arange(3, dtype=np.uint32))
    with pytest.raises(ValueError, match="not below"):
        ordo.lcp(b"text", np.full(4, 9, np.uint32))
    with pytest.raises(ValueError, match="primary"):
        ordo.unbwt(b"text", 5)
    with pytest.raises(ValueError, match="not the transform"):
        ordo.unbwt(b"abab", 1)
    with pytest.raises(ValueError, match="sample"):
        ordo.FMIndex(b"text", 0)
    with pytest.raises(TypeError, match="patterns"):
        ordo.FMIndex(b"text").count(["a"])
