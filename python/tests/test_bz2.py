"""ordo.bz2 beside Python's bz2: the same bytes, the same errors, files in every mode."""

from __future__ import annotations

import bz2 as oracle
import contextlib
import fcntl
import gc
import io
import os
import random
import subprocess
import sys
import termios
import threading
import warnings
import weakref

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


# Around 2048 rotations to sort, from which on tables are used.
@pytest.mark.parametrize("size", range(5000, 8000, 100))
def test_sizes_of_a_small_block(size):
    data = bytes(random.Random(size).choices(b"etaoinshrdlu", k=size))
    assert bz2.compress(data) == oracle.compress(data)


@given(st.binary(max_size=2000) | st.lists(st.tuples(st.binary(max_size=3), st.integers(0, 600))))
def test_any_data(data):
    if not isinstance(data, bytes):
        data = b"".join(piece * count for piece, count in data)
    packed = bz2.compress(data)
    assert oracle.decompress(packed) == data
    assert bz2.decompress(oracle.compress(data)) == data


KINDS = [b"", b"a", bytes(10**6), bytearray(b"abc"), memoryview(b"xyz"), memoryview(b"abcxyz")[3:]]


@pytest.mark.parametrize("data", KINDS)
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
        wrong = TypeError if level == "9" else ValueError
        with pytest.raises(wrong, match="compresslevel"):
            bz2.compress(b"", level)
        with pytest.raises(wrong):
            oracle.compress(b"", level)


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
        for call in (file.readline, file.readlines):
            with pytest.raises(TypeError):
                call(None)
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


SMALL = [b"", b"0123456789", words(60_000), bytes(899_999)]


@pytest.mark.parametrize("data", SMALL, ids=lambda data: str(len(data)))
@pytest.mark.parametrize("kind", ["path", "file"])
def test_a_small_file_needs_no_thread(tmp_path, monkeypatch, data, kind):
    def start(self):
        raise AssertionError("a thread was started")

    monkeypatch.setattr(threading.Thread, "start", start)
    path = tmp_path / "file.bz2"
    place = path if kind == "path" else io.BytesIO()
    with bz2.BZ2File(place, "w") as file:
        for begin in range(0, len(data), 1000):
            file.write(data[begin : begin + 1000])
    packed = path.read_bytes() if kind == "path" else place.getvalue()
    assert packed == oracle.compress(data)
    path.write_bytes(packed + oracle.compress(b"more") + b"trash")
    place = path if kind == "path" else io.BytesIO(path.read_bytes())
    expected = data + b"more"
    with bz2.BZ2File(place) as file:
        assert file.read(10) == expected[:10]
        assert file.read() == expected[10:]
        assert file.read() == b"" and file.tell() == len(expected)
        assert file.seek(3) == 3 and file.readline() == expected[3:]
    bz2.BZ2File(path).close()


@pytest.mark.parametrize("kind", ["small", "large", "pipe"])
def test_no_wait_with_a_time_limit_at_the_end(monkeypatch, kind):
    """The thread and its caller wake each other up."""
    limits = []
    wait = threading.Condition.wait

    def wait_and_note(condition, timeout=None):
        limits.append(timeout)
        return wait(condition, timeout)

    data = random.Random(1).randbytes(2_000_000 if kind == "large" else 1000)
    packed = oracle.compress(data, 1)
    source = io.BytesIO(packed)
    if kind == "pipe":
        end, begin = os.pipe()
        os.write(begin, packed)
        os.close(begin)
        source = os.fdopen(end, "rb")
    monkeypatch.setattr(threading.Condition, "wait", wait_and_note)
    with bz2.BZ2File(source) as file:
        assert file.read() == data
        assert file.read() == b""
    made = io.BytesIO()
    with bz2.BZ2File(made, "w", compresslevel=1) as file:
        for place in range(0, len(data), 50_000):
            file.write(data[place : place + 50_000])
    assert set(limits) <= {None}
    assert made.getvalue() == packed
    source.close()


def test_a_file_closed_early_ends_its_thread():
    before = threading.active_count()
    file = bz2.open(io.BytesIO(oracle.compress(bytes(50_000_000))))
    assert file.read(10) == bytes(10)
    file.close()
    assert threading.active_count() == before


@pytest.mark.parametrize("kind", ["path", "file"])
def test_close_does_not_wait_for_a_pipe(kind):
    """A read of another thread ends with an exception; the file is closed when its read ends."""
    end, begin = os.pipe()
    own = os.dup(end)
    file = bz2.BZ2File(f"/dev/fd/{end}" if kind == "path" else os.fdopen(end, "rb", buffering=0))
    errors = []

    def read():
        try:
            file.read()
        except ValueError as error:
            errors.append(str(error))

    reader = threading.Thread(target=read)
    reader.start()
    os.write(begin, oracle.compress(b"some text")[:20])
    waiting = bytearray(b"some")
    while any(waiting):
        fcntl.ioctl(own, termios.FIONREAD, waiting)
    file.close()
    reader.join()
    assert len(errors) == 1 and file.closed
    with pytest.raises(ValueError, match="closed"):
        file.read()
    os.close(begin)
    worker = file._raw.raw._worker
    worker.join()
    assert (file._file.closed is True) == (kind == "path")
    os.close(own)


def test_a_dropped_file_is_complete(tmp_path):
    before = threading.active_count()
    bz2.BZ2File(tmp_path / "file.bz2", "w").write(b"some text")
    bz2.open(tmp_path / "text.bz2", "wt").write("some text")
    gc.collect()
    for name in ("file.bz2", "text.bz2"):
        assert oracle.decompress((tmp_path / name).read_bytes()) == b"some text"
    assert threading.active_count() == before


def test_dropped_files_are_closed_by_the_garbage_collector():
    """Also those whose thread is just about to end, and those that raised an error."""
    damaged = oracle.compress(words(100_000), 1)[:-5]
    seen = []
    for size in (-1, -1, 10, 10):
        for _ in range(50):
            file = bz2.BZ2File(io.BytesIO(damaged))
            file.itself = file
            seen.append(weakref.ref(file))
            with contextlib.suppress(EOFError):
                file.read(size)
            del file
            gc.collect(0)
    gc.collect()
    assert [file() for file in seen] == [None] * len(seen)


EXIT = """
import atexit, bz2 as oracle, io, random, sys

def late():
    file.write(b"later")
    try:
        reader.read()
    except OSError as error:
        print(error)

atexit.register(late)
from ordo import bz2

file = bz2.BZ2File(sys.argv[1], "w", compresslevel=1)
file.write(b"some text" * 100_000)
text = bz2.open(sys.argv[2], "wt")
text.write("some text")
reader = bz2.BZ2File(io.BytesIO(oracle.compress(random.Random(1).randbytes(9_000_000))))
reader.read(1)
many = [bz2.BZ2File(io.BytesIO(), "w") for _ in range(20)]
for one in many:
    one.write(b"x")
"""


def test_open_files_at_exit(tmp_path):
    """The interpreter exits without a crash, and what was written is complete."""
    first, second = tmp_path / "file.bz2", tmp_path / "text.bz2"
    done = subprocess.run(
        [sys.executable, "-c", EXIT, str(first), str(second)], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr == ""
    assert "cannot be read while the interpreter exits" in done.stdout
    assert oracle.decompress(first.read_bytes()) == b"some text" * 100_000 + b"later"
    assert oracle.decompress(second.read_bytes()) == b"some text"


IDLE = """
import atexit, bz2 as oracle, os, random, sys, threading

def late():
    try:
        reader.read()
    except OSError as error:
        print(error)

atexit.register(late)
from ordo import bz2

end, begin = os.pipe()
data = oracle.compress(random.Random(1).randbytes(2_000_000))
threading.Thread(target=lambda: os.write(begin, data), daemon=True).start()
if sys.argv[1] == "path":
    reader = bz2.BZ2File(f"/dev/fd/{end}")
else:
    reader = bz2.BZ2File(open(end, "rb", buffering=0))
reader.read(3)
"""


@pytest.mark.parametrize("kind", ["path", "file"])
def test_a_pipe_without_an_end_at_exit(kind):
    """The interpreter does not wait for data that nobody writes."""
    program = [sys.executable, "-c", IDLE, kind]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stderr == ""
    assert "cannot be read while the interpreter exits" in done.stdout


def test_a_forked_process_does_not_wait(tmp_path):
    writer = bz2.BZ2File(tmp_path / "file.bz2", "w")
    reader = bz2.BZ2File(io.BytesIO(oracle.compress(random.Random(1).randbytes(9_000_000))))
    writer.write(b"some text")
    reader.read(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions of Python warn about threads
        child = os.fork()
    if child == 0:
        status = 0
        for call in (lambda: reader.read(), lambda: writer.write(b"x")):
            try:
                call()
                status = 1
            except OSError as error:
                status |= "before a fork" not in str(error)
        reader.close()
        writer.close()
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    writer.close()
    reader.close()
    assert oracle.decompress((tmp_path / "file.bz2").read_bytes()) == b"some text"


class SlowFile(io.BytesIO):
    """Each read takes longer than `close` waits for it."""

    def read(self, size=-1):
        threading.Event().wait(0.2)
        return super().read(min(size, 200_000))


def test_seek_back_in_a_slow_file():
    data = random.Random(1).randbytes(1_500_000)
    with bz2.BZ2File(SlowFile(oracle.compress(data, 1))) as file:
        assert file.read(600_000) == data[:600_000]
        assert file.seek(5) == 5
        assert file.read() == data[5:]


def test_modes(tmp_path):
    for mode in ("rw", "t", "U", 3, None):
        with pytest.raises(ValueError, match="mode is"):
            bz2.BZ2File(tmp_path / "file.bz2", mode)


def test_errors_of_files():
    packed = oracle.compress(words(300_000), 1)
    for module in (bz2, oracle):
        with module.open(io.BytesIO()) as file, pytest.raises(EOFError):
            file.read()
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
