"""BZ2Compressor and BZ2Decompressor beside those of Python's bz2, with data cut at random."""

from __future__ import annotations

import bz2 as oracle
import copy
import pickle
import random
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordo
from ordo import bz2


def words(size, seed=1):
    rng = random.Random(seed)
    table = [bytes(rng.choices(b"etaoinshrdlu", k=rng.randint(1, 9))) for _ in range(800)]
    return b" ".join(rng.choices(table, k=size // 4 + 1))[:size]


def cut(data, rng, most):
    """Cuts data into pieces of random sizes, some of them empty."""
    place, pieces = 0, []
    while place < len(data):
        size = rng.randint(0, most)
        pieces.append(data[place : place + size])
        place += size
    return pieces


def pack(pieces, level=9):
    packer = bz2.BZ2Compressor(level)
    return b"".join([packer.compress(piece) for piece in pieces]) + packer.flush()


def unpack(made, pieces, rng=None, most=0):
    """Feeds a decompressor; returns its bytes. With `most`, every call has a random max_length."""
    parts = []
    for number, piece in enumerate(pieces):
        if made.eof:
            return b"".join(parts), pieces[number:]
        while True:
            limit = rng.randint(0, most) if most else -1
            part = made.decompress(piece, limit)
            assert limit < 0 or len(part) <= limit
            parts.append(part)
            piece = b""
            if made.needs_input or made.eof:
                break
    return b"".join(parts), []


@pytest.mark.parametrize("level", range(1, 10))
def test_levels(level):
    data = words(1_100_000) + bytes(3000) + random.Random(2).randbytes(120_000)
    rng = random.Random(level)
    for threads in (1, 3):
        with ordo.context(threads=threads):
            packed = pack(cut(data, rng, 200_000), level)
            assert packed == oracle.compress(data, level)
            for most in (0, 90_000):
                made = bz2.BZ2Decompressor()
                assert unpack(made, cut(packed, rng, 100_000), rng, most) == (data, [])
                assert made.eof and made.unused_data == b"" and not made.needs_input


PIECES = st.lists(st.binary(max_size=300) | st.tuples(st.binary(max_size=3), st.integers(0, 600)))


@settings(deadline=None)
@given(PIECES, st.integers(1, 9), st.integers(1, 200), st.integers(0, 50), st.binary(max_size=9))
def test_any_pieces(pieces, level, most_in, most_out, trash):
    pieces = [p if isinstance(p, bytes) else p[0] * p[1] for p in pieces]
    data = b"".join(pieces)
    packed = pack(pieces, level)
    assert packed == bz2.compress(data, level) and oracle.decompress(packed) == data
    rng = random.Random(most_in)
    made = bz2.BZ2Decompressor()
    result, rest = unpack(
        made, cut(oracle.compress(data, level) + trash, rng, most_in), rng, most_out
    )
    assert result == data and made.eof
    assert made.unused_data + b"".join(rest) == trash


def test_after_the_end():
    packer = bz2.BZ2Compressor()
    assert packer.compress(b"") == b""
    assert packer.flush() == oracle.compress(b"")
    for call in (packer.flush, lambda: packer.compress(b"x")):
        with pytest.raises(ValueError, match="flush"):
            call()
    made = bz2.BZ2Decompressor()
    assert made.needs_input and not made.eof and made.decompress(b"") == b""
    both = oracle.compress(b"one") + oracle.compress(b"two")
    assert made.decompress(both) == b"one"
    assert made.eof and not made.needs_input and made.unused_data == oracle.compress(b"two")
    with pytest.raises(EOFError):
        made.decompress(b"x")
    assert bz2.BZ2Decompressor().decompress(made.unused_data) == b"two"


def test_max_length():
    data = words(300_000)
    packed = oracle.compress(data, 1) + b"more"
    made = bz2.BZ2Decompressor()
    assert made.decompress(packed, 0) == b"" and not made.needs_input
    assert made.decompress(b"", max_length=10) == data[:10] and not made.needs_input
    assert made.decompress(b"", 200_000) == data[10:200_010] and not made.eof
    assert made.decompress(data=b"") == data[200_010:] and made.eof
    assert made.unused_data == b"more"


def outcome(made, pieces):
    """What a user sees: the bytes, or the exception, or the bytes before the data were cut."""
    try:
        data, _ = unpack(made, pieces)
    except OSError:
        return "damaged"
    return data if made.eof else "cut"


def test_damage():
    packed = bytearray(oracle.compress(words(150), 1))
    for bit in range(8 * len(packed)):
        packed[bit // 8] ^= 1 << bit % 8
        theirs = outcome(oracle.BZ2Decompressor(), [packed])
        assert outcome(bz2.BZ2Decompressor(), [packed]) == theirs
        pieces = [packed[i : i + 1] for i in range(len(packed))]
        # A damaged mark of the end may be noticed only with more data.
        assert outcome(bz2.BZ2Decompressor(), pieces) in (
            theirs,
            "cut" if theirs == "damaged" else theirs,
        )
        packed[bit // 8] ^= 1 << bit % 8
    for size in range(len(packed)):
        assert outcome(bz2.BZ2Decompressor(), [packed[:size]]) == "cut"
    for trash in (b"no bzip2 data", b"BZh0", b"BZh9nothing", b"x"):
        made = bz2.BZ2Decompressor()
        with pytest.raises(OSError):
            made.decompress(trash)
        with pytest.raises(OSError):
            made.decompress(b"")


def test_after_damage():
    """Further data are refused in the same way, also while the error is kept."""
    made, errors = bz2.BZ2Decompressor(), []
    made.decompress(b"BZh")
    for data in (b"9nothing", b"more"):
        with pytest.raises(OSError) as error:
            made.decompress(data)
        errors.append(error)


def test_a_block_without_an_end():
    """No more data wait than the longest block can have."""
    trash, most = random.Random(2), 5 << 19
    packed = oracle.compress(trash.randbytes(900_000))[:800_000]
    made, given = bz2.BZ2Decompressor(), len(packed)
    made.decompress(packed)
    with pytest.raises(OSError, match="block 1"):
        while given < 2 * most:
            given += 1 << 16
            made.decompress(trash.randbytes(1 << 16))
    assert given <= most + (1 << 16)


def test_a_second_block_without_an_end():
    """Marks that are far apart cost no scratch for what is between them."""
    trash, mark = random.Random(3), bytes.fromhex("314159265359")
    packed = oracle.compress(trash.randbytes(170_000), 1)
    bits = f"{int.from_bytes(packed, 'big'):0{8 * len(packed)}b}"
    second = bits.index(f"{int.from_bytes(mark, 'big'):048b}", 80) // 8
    data = packed[: second + 4000] + trash.randbytes(20_000_000) + mark + bytes(9)
    with ordo.context(memory_limit=16 << 20, threads=4):
        made = bz2.BZ2Decompressor()
        assert len(made.decompress(data, 90_000)) == 90_000
        with pytest.raises(OSError, match="block 2"):
            made.decompress(b"")


def test_whole_blocks_before_a_cut():
    data = words(350_000)
    packed = oracle.compress(data, 1)
    ours, theirs = bz2.BZ2Decompressor(), oracle.BZ2Decompressor()
    assert ours.decompress(packed[:-60]) == theirs.decompress(packed[:-60])
    assert ours.decompress(packed[-60:]) == theirs.decompress(packed[-60:])


def test_arguments():
    for level, wrong in ((0, ValueError), (10, ValueError), ("9", TypeError), (1.5, TypeError)):
        for made in (bz2.BZ2Compressor, oracle.BZ2Compressor):
            with pytest.raises(wrong):
                made(level)
    for module in (bz2, oracle):
        for call in (module.BZ2Compressor().compress, module.BZ2Decompressor().decompress):
            for data in ("text", None, 3):
                with pytest.raises(TypeError):
                    call(data)
        with pytest.raises(TypeError):
            module.BZ2Decompressor(3)
        with pytest.raises(TypeError):
            module.BZ2Decompressor().decompress(b"", "1")
        made = module.BZ2Decompressor()
        for name in ("eof", "needs_input", "unused_data"):
            with pytest.raises(AttributeError):
                setattr(made, name, 1)
    assert bz2.BZ2Decompressor().decompress(memoryview(b"__BZ")[2:]) == b""


def test_no_copies():
    for made in (bz2.BZ2Compressor(), bz2.BZ2Decompressor()):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match="pickle"):
                pickle.dumps(made, protocol)
        with pytest.raises(TypeError):
            copy.copy(made)


def test_memory_limit():
    data = words(500_000)
    with ordo.context(memory_limit=8 << 20, threads=4):
        packed = pack(cut(data, random.Random(1), 40_000), 1)
        assert packed == oracle.compress(data, 1)
        assert ordo.explain().scratch_bytes <= 8 << 20
    with ordo.context(memory_limit=16 << 20, threads=4):
        made = bz2.BZ2Decompressor()
        assert unpack(made, [packed], random.Random(1), 30_000)[0] == data
        assert ordo.explain().scratch_bytes <= 16 << 20
    with ordo.context(memory_limit=1 << 16), pytest.raises(MemoryError):
        bz2.BZ2Decompressor().decompress(packed)


def test_threads_share_an_object():
    """Every piece is in the stream once, in some order; the bytes that come out are in order."""
    packer, parts, lock = bz2.BZ2Compressor(1), [], threading.Lock()

    def add(number):
        for i in range(50):
            with lock:  # the pieces of the result must be in order
                parts.append(packer.compress(b"%d:%d;" % (number, i) * 300))

    def run(calls):
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    run([lambda number=number: add(number) for number in range(4)])
    data = oracle.decompress(b"".join(parts) + packer.flush())
    assert sorted(set(data.split(b";"))) == sorted(
        {b"", *(b"%d:%d" % (n, i) for n in range(4) for i in range(50))}
    )
    assert len(data) == sum(300 * len(b"%d:%d;" % (n, i)) for n in range(4) for i in range(50))

    packed, got = oracle.compress(data, 1), []
    made = bz2.BZ2Decompressor()
    made.decompress(packed, 0)

    def take():
        while not made.eof:
            try:
                got.append(len(made.decompress(b"", 7001)))
            except EOFError:
                return

    run([take] * 4)
    assert sum(got) == len(data)


SUITE = """
import sys, unittest
from ordo import bz2
sys.modules["bz2"] = bz2
from test import test_bz2
wanted = ("BZ2CompressorTest", "BZ2DecompressorTest")
load = unittest.defaultTestLoader.loadTestsFromTestCase
tests = [load(getattr(test_bz2, name)) for name in wanted]
result = unittest.TextTestRunner(sys.stdout, verbosity=2).run(unittest.TestSuite(tests))
sys.exit(not result.wasSuccessful())
"""


def test_suite_of_python():
    """The tests that Python has for these classes, if they are installed."""
    pytest.importorskip("test.test_bz2")
    done = subprocess.run([sys.executable, "-c", SUITE], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
