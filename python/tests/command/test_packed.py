"""Compressed files, against what writes and reads them elsewhere: gzip, xz and bzip2 of Python's
library, and the program zstd."""

from __future__ import annotations

import bz2
import ctypes
import gzip
import io
import lzma
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

COMMAND = Path(os.environ.get("ORDO_LIBRARY", "")).parent / "ordo"
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "ORDO_TUNE_FILE": ""}

pytestmark = pytest.mark.skipif(
    not (COMMAND.is_file() and os.access(COMMAND, os.X_OK)),
    reason="the command is not beside the library",
)


def zstd(option):
    return lambda data: (
        subprocess.run(
            ["zstd", "-q", "-c", option], input=data, capture_output=True, check=True
        ).stdout
    )


FORMATS = {
    "gz": (gzip.compress, gzip.decompress),
    "xz": (lzma.compress, lzma.decompress),
    "bz2": (bz2.compress, bz2.decompress),
    "zst": (zstd("-3"), zstd("-d")),
}
LIBRARIES = {"gz": "libz.so.1", "xz": "liblzma.so.5", "bz2": "libbz2.so.1.0", "zst": "libzstd.so.1"}
NAMES = {"gz": "gzip", "xz": "xz", "bz2": "bzip2", "zst": "zstd"}


@pytest.fixture(params=list(FORMATS))
def packed(request):
    if request.param == "zst" and shutil.which("zstd") is None:
        pytest.skip("the program zstd is not installed")
    try:
        ctypes.CDLL(LIBRARIES[request.param])
    except OSError:
        pytest.skip(f"{LIBRARIES[request.param]} is not installed")
    return request.param


def run(*words, data=b"", code=0):
    done = subprocess.run(
        [COMMAND, *map(str, words)], input=data, capture_output=True, env=ENVIRONMENT, check=False
    )
    assert done.returncode == code, (words, done.stderr)
    return done


def numbers(n):
    return np.random.default_rng(n).integers(-(10**9), 10**9, n)


def as_text(a):
    return b"".join(b"%d\n" % v for v in a)


@pytest.mark.parametrize("n", [0, 1, 1000, 60000])
def test_reads(packed, n, tmp_path):
    pack = FORMATS[packed][0]
    a = numbers(n)
    file = tmp_path / "any name"
    file.write_bytes(pack(as_text(a)))
    assert run("sort", file).stdout == as_text(np.sort(a))
    assert run("sort", data=file.read_bytes()).stdout == as_text(np.sort(a))
    if n > 0:
        assert int(run("max", file).stdout) == a.max()
    raw = io.BytesIO()
    np.save(raw, a)
    npy = tmp_path / f"a.npy.{packed}"
    npy.write_bytes(pack(raw.getvalue()))
    done = run("sort", npy, "--format", "npy")
    assert np.array_equal(np.load(io.BytesIO(done.stdout)), np.sort(a))
    assert run("check", npy, code=0 if n < 2 else 1).stdout == b""
    raw = tmp_path / f"a.bin.{packed}"
    raw.write_bytes(pack(a.tobytes()))
    assert run("count", raw, "--dtype", "i64").stdout == b"%d\n" % n


@pytest.mark.parametrize("n", [0, 1, 450000])
def test_writes(packed, n, tmp_path):
    """Text of any number of threads, .npy and lines; the bytes do not depend on the threads."""
    unpack = FORMATS[packed][1]
    a = numbers(n)
    text, ordered = as_text(a), np.sort(a)
    written = []
    for threads in (1, 2, 3):
        file = tmp_path / f"a.txt.{packed}"
        run("sort", "-o", file, "--threads", threads, data=text)
        written.append(file.read_bytes())
    assert unpack(written[0]) == as_text(ordered)
    assert written[1] == written[0] and written[2] == written[0]
    file = tmp_path / f"a.npy.{packed}"
    run("sort", "-o", file, data=text)
    got = np.load(io.BytesIO(unpack(file.read_bytes())))
    assert np.array_equal(got, ordered)
    assert run("count", file).stdout == b"%d\n" % n
    file = tmp_path / f"lines.{packed}"
    run("sort", "--text", "-o", file, data=text)
    assert unpack(file.read_bytes()) == b"".join(sorted(text.splitlines(keepends=True)))


def test_several_members(packed, tmp_path):
    pack = FORMATS[packed][0]
    a = numbers(5000)
    parts = [as_text(a[:1000]), b"", as_text(a[1000:1001]), as_text(a[1001:])]
    file = tmp_path / "a"
    file.write_bytes(b"".join(map(pack, parts)))
    assert run("sort", file).stdout == as_text(np.sort(a))


def test_truncated(packed, tmp_path):
    """Every prefix that begins like the format is an error, and the old output stays."""
    pack = FORMATS[packed][0]
    whole = pack(as_text(numbers(300)))
    out = tmp_path / "out"
    out.write_bytes(b"old")
    magic = 6
    step = max(1, (len(whole) - magic) // 40)
    for length in [*range(magic, len(whole), step), len(whole) - 1]:
        file = tmp_path / "a"
        file.write_bytes(whole[:length])
        done = run("sort", file, "-o", out, code=2)
        assert b"truncated" in done.stderr and NAMES[packed].encode() in done.stderr
        assert out.read_bytes() == b"old"
    file.write_bytes(whole + whole[: len(whole) // 2])
    assert b"truncated" in run("sort", file, code=2).stderr


def test_corrupted(packed, tmp_path):
    """A changed byte is an error, or changes nothing (a name or a time in a header)."""
    pack = FORMATS[packed][0]
    a = numbers(300)
    whole = bytearray(pack(as_text(a)))
    expected = as_text(np.sort(a))
    errors = 0
    file = tmp_path / "a"
    for at in range(6, len(whole), max(1, len(whole) // 60)):
        changed = bytearray(whole)
        changed[at] ^= 0x55
        file.write_bytes(changed)
        done = subprocess.run(
            [COMMAND, "sort", file], capture_output=True, env=ENVIRONMENT, check=False
        )
        if done.returncode == 0 and packed != "zst":  # zstd writes no checksum of its own accord
            assert done.stdout == expected
        elif done.returncode != 0:
            assert done.returncode == 2 and done.stdout == b""
            errors += 1
    assert errors > 10


def test_other_bytes_follow(packed, tmp_path):
    pack = FORMATS[packed][0]
    file = tmp_path / "a"
    file.write_bytes(pack(b"1\n2\n") + b"and more text")
    assert b"followed by other bytes" in run("sort", file, code=2).stderr


def test_names_of_plain_data(tmp_path):
    """Data in .bin files may begin like a compressed file."""
    file = tmp_path / "a.bin"
    file.write_bytes(gzip.compress(b"1\n")[:8])
    assert run("count", file, "--dtype", "u8").stdout == b"8\n"


def test_output_of_a_full_disk():
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    done = run("gen", "uniform", "-n", "1e5", "-o", "/dev/full", code=2)
    assert b"/dev/full: cannot write" in done.stderr
