"""ordo.bz2 beside Python's bz2: the same bytes, the same errors, files in every mode."""

from __future__ import annotations

import bz2 as oracle
import io
import random
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordo import bz2


def words(size, seed=1):
    rng = random.Random(seed)
    table = [bytes(rng.choices(b"etaoinshrdlu", k=rng.randint(1, 9))) for _ in range(800)]
    text = b" ".join(rng.choices(table, k=size // 4 + 1))
    return text[:size]


@pytest.mark.parametrize("level", range(1, 10))
def test_compress_gives_the_bytes_of_bz2(level):
    data = words(250_000) + bytes(3000) + random.Random(2).randbytes(120_000)
    packed = bz2.compress(data, level)
    assert packed == oracle.compress(data, level)
    assert bz2.decompress(packed) == data


# Around the size of a full block of level 1, where the last run may get a block of its own.
@pytest.mark.parametrize("size", [*range(99_975, 99_990), *range(199_955, 199_966)])
@pytest.mark.parametrize("run", [1, 2, 3, 4, 5, 255, 256, 259])
def test_block_ends(size, run):
    data = words(size - run, 3) + b"#" * run
    assert bz2.compress(data, 1) == oracle.compress(data, 1)


@given(st.binary(max_size=2000) | st.lists(st.tuples(st.binary(max_size=3), st.integers(0, 600))))
def test_any_data(data):
    if not isinstance(data, bytes):
        data = b"".join(piece * count for piece, count in data)
    packed = bz2.compress(data)
    assert oracle.decompress(packed) == data
    assert bz2.decompress(oracle.compress(data)) == data


@pytest.mark.parametrize("data", [b"", b"a", bytes(10**6), bytearray(b"abc"), memoryview(b"xyz")])
def test_kinds_of_data(data):
    assert bz2.compress(data) == oracle.compress(data)
    assert bz2.decompress(memoryview(oracle.compress(data))) == bytes(data)


def test_streams_and_trailing_bytes():
    packed = oracle.compress(b"one ") + oracle.compress(b"") + oracle.compress(b"two", 3)
    assert bz2.decompress(packed) == oracle.decompress(packed) == b"one two"
    assert bz2.decompress(packed + b"trash") == oracle.decompress(packed + b"trash") == b"one two"
    assert bz2.decompress(b"") == oracle.decompress(b"") == b""


def test_damaged_data():
    packed = bytearray(oracle.compress(words(5000)))
    for size in (1, 10, 100, len(packed) - 1):
        with pytest.raises(ValueError, match=r"ends in block [12]|at least 14"):
            bz2.decompress(packed[:size])
    packed[40] ^= 1
    for function in (bz2.decompress, oracle.decompress):
        with pytest.raises(OSError):
            function(packed)
    with pytest.raises(OSError, match="not a bzip2 file"):
        bz2.decompress(b"no bzip2 data")
    for level in (0, 10, "9"):
        with pytest.raises(ValueError, match="compresslevel"):
            bz2.compress(b"", level)


def test_files(tmp_path):
    path = tmp_path / "file.bz2"
    data = words(400_000)
    with bz2.open(path, "wb", compresslevel=1) as file:
        for place in range(0, len(data), 7001):
            file.write(data[place : place + 7001])
        assert file.tell() == len(data) and file.writable() and not file.readable()
    assert path.read_bytes() == oracle.compress(data, 1)
    with bz2.open(path, "ab") as file:
        file.write(b"more")
    with pytest.raises(FileExistsError):
        bz2.open(path, "xb")
    with bz2.BZ2File(path) as file:
        assert file.read(10) == data[:10] and file.peek(3)[:3] == data[10:13]
        assert file.seek(300_000) == 300_000 and file.read(5) == data[300_000:300_005]
        assert file.seek(20) == 20 and file.read(5) == data[20:25]
        assert file.seek(-4, io.SEEK_END) == len(data) and file.read() == b"more"
        assert file.read() == b""
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"x")
    with pytest.raises(ValueError, match="closed"):
        file.read()
    with oracle.open(path) as file:
        assert file.read() == data + b"more"


def test_text_and_file_objects():
    buffer = io.BytesIO()
    with bz2.open(buffer, "wt", encoding="utf-8") as file:
        file.write("zeile 1\nübermut\n")
    assert oracle.decompress(buffer.getvalue()).decode() == "zeile 1\nübermut\n"
    buffer.seek(0)
    with bz2.open(buffer, "rt", encoding="utf-8") as file:
        assert list(file) == ["zeile 1\n", "übermut\n"]
    assert not buffer.closed
    assert bz2.open(io.BytesIO()).read() == b""


def test_a_file_closed_early_ends_its_thread():
    before = threading.active_count()
    file = bz2.open(io.BytesIO(oracle.compress(bytes(50_000_000))))
    assert file.read(10) == bytes(10)
    file.close()
    assert threading.active_count() == before


def test_errors_of_files():
    packed = oracle.compress(words(300_000), 1)
    with pytest.raises(EOFError):
        bz2.open(io.BytesIO(packed[:-5])).read()
    with pytest.raises(OSError):
        bz2.open(io.BytesIO(b"something else")).read()

    class Full(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            raise OSError(28, "no space")

    file = bz2.BZ2File(Full(), "w")
    with pytest.raises(OSError, match="no space"):
        for _ in range(100):
            file.write(random.Random(1).randbytes(10**6))
        file.close()
    with pytest.raises(ValueError, match="mode"):
        bz2.open(io.BytesIO(), "rbt")
    with pytest.raises(ValueError, match="mode"):
        bz2.BZ2File(io.BytesIO(), "rw")
    with pytest.raises(TypeError):
        bz2.BZ2File(7)
