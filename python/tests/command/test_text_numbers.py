"""Numbers in text, against Python's exact conversions: the threads read and write the same as the
line by line way, for any chunks and any mixture of types."""

from __future__ import annotations

import io
import os
import random
import struct
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


def run(*words, data=b"", code=0):
    done = subprocess.run(
        [COMMAND, *map(str, words)], input=data, capture_output=True, env=ENVIRONMENT, check=False
    )
    assert done.returncode == code, (words, done.stderr[:300])
    return done


def read(data, *words):
    """The numbers of a text, as the command reads them, in some order."""
    return np.load(io.BytesIO(run("shuffle", "--format", "npy", *words, data=data).stdout))


def any_double(r):
    while True:
        v = struct.unpack("<d", r.randbytes(8))[0]
        if v == v and abs(v) != float("inf"):
            return v


def real(r):
    v = r.choice([any_double(r), r.random(), r.uniform(-1e6, 1e6), r.randrange(10**6) / 100])
    return r.choice([repr(v), f"{v:.17g}", f"{v:.3g}", f"{v:.25e}", f"{v:.8e}", f"+{abs(v)!r}"])


def small(r):
    return str(r.randrange(-(10**6), 10**6))


def large(r):
    return str(r.randrange(-(2**63), 2**63))


def unsigned(r):
    return str(r.randrange(0, 2**64))


def lines_of(kinds, n, seed, ends=("\n",)):
    r = random.Random(seed)
    return [(r.choice(kinds)(r), r.choice(ends)) for _ in range(n)]


def joined(lines):
    return "".join(a + b for a, b in lines).encode()


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("n", [1, 2, 1000, 60000])
@pytest.mark.parametrize("ends", [("\n",), ("\n", "\r\n")])
@pytest.mark.parametrize(
    "kinds, kind",
    [([small], "i8"), ([large], "i8"), ([unsigned], "u8"), ([real], "f8"), ([small, real], "f8")],
    ids=["small", "large", "unsigned", "real", "mixed"],
)
def test_values(kinds, kind, n, ends, threads):
    lines = lines_of(kinds, n, n, ends)
    got = np.sort(read(joined(lines), "--threads", threads))
    if kind == "f8" and all(a.lstrip("+-").isdigit() for a, _ in lines):
        kind = "i8"
    if kind == "u8" and all(int(a) < 2**63 for a, _ in lines):
        kind = "i8"
    convert = float if kind == "f8" else int
    expected = np.sort(np.array([convert(a) for a, _ in lines], dtype=kind))
    assert got.dtype == expected.dtype
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("where", [0, 30000, 59999])
def test_a_late_fraction_changes_the_type(where, threads):
    lines = lines_of([small], 60000, 3)
    lines[where] = ("0.5", "\n")
    got = read(joined(lines), "--threads", threads)
    assert got.dtype == "f8"
    assert np.array_equal(np.sort(got), np.sort([float(a) for a, _ in lines]))


@pytest.mark.parametrize("threads", [1, 4])
def test_minus_zero(threads):
    """-0 is 0 in a text of integers, and -0.0 if any line has a fraction."""
    before = ["1"] * 30000 + ["-0"]
    after = ["0.5"] + ["1"] * 30000 + ["-0"] + ["1"] * 30000
    for lines, negative in ((before, 0), (after, 1), (["-0", *after], 2)):
        data = "".join(a + "\n" for a in lines).encode()
        got = read(data, "--threads", threads)
        assert np.count_nonzero(np.signbit(got) & (got == 0)) == negative


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    "bad, why",
    [
        ("x", "not a number: 'x'"),
        ("", "empty line"),
        ("1e999", "out of range"),
        ("1 2", "not a number"),
        ("0x10", "not a number"),
        ("1e", "not a number"),
        (".", "not a"),
    ],
)
def test_bad_lines(bad, why, threads):
    lines = lines_of([small], 60000, 4)
    lines[45678] = (bad, "\n")
    done = run("sort", "--threads", threads, data=joined(lines), code=2)
    assert f"stdin:45679: {why}" in done.stderr.decode()
    assert done.stdout == b""
    done = run("count", "--skip-bad", "--threads", threads, data=joined(lines))
    assert done.stdout == b"59999\n" and b"line 45679" in done.stderr


@pytest.mark.parametrize("threads", [1, 4])
def test_an_integer_that_f64_cannot_hold(threads):
    lines = lines_of([small], 60000, 5)
    lines[100] = ("9007199254740993", "\n")
    lines[50000] = ("0.5", "\n")
    done = run("sort", "--threads", threads, data=joined(lines), code=2)
    assert b"stdin:101: the lines together need f64" in done.stderr
    lines[100] = ("9007199254740992", "\n")
    run("sort", "--threads", threads, data=joined(lines))


def test_blanks_and_the_last_lines():
    lines = lines_of([small], 50000, 6)
    text = joined(lines)
    expected = np.sort([int(a) for a, _ in lines])
    for data in (text, text[:-1], text + b"\n\n", b" " + text, text.replace(b"\n", b" \n", 1)):
        assert np.array_equal(np.sort(read(data)), expected)


@pytest.mark.parametrize("threads", [1, 4])
def test_sort_keeps_the_lines(threads):
    lines = lines_of([small, real], 60000, 7, ("\n", "\r\n"))
    got = run("sort", "--threads", threads, data=joined(lines)).stdout
    whole = [(float(a), (a + b.rstrip("\n")).encode()) for a, b in lines]
    whole.sort(key=lambda x: (x[0], np.copysign(1, x[0])))
    assert got == b"".join(line + b"\n" for _, line in whole)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_written_floats(kind, threads):
    """The fewest of 15, 16, 17 (f32: 6 to 9) digits of %g that read back as the same value."""
    r = random.Random(8)
    bits = "<u4" if kind == "f4" else "<u8"
    size = 4 if kind == "f4" else 8
    raw = np.frombuffer(r.randbytes(40000 * size), dtype=bits).view(kind)
    values = [2.0**e for e in range(-1074, 1024, 7)] + [10.0**e for e in range(-320, 308)]
    values += [
        5e-324,
        1e-45,
        0.1,
        1 / 3,
        9007199254740993.0,
        123456789012345680.0,
        1e15,
        1e16,
        999999999999999.9,
        0.0001,
        0.00001,
        1e22,
        1e23,
    ]
    with np.errstate(over="ignore", invalid="ignore"):
        a = np.concatenate(
            [raw, np.array(values).astype(kind), (np.arange(9000) / 100).astype(kind)]
        )
    a = a[np.isfinite(a)]
    data = io.BytesIO()
    np.save(data, a)
    data = data.getvalue()
    done = run("scan", "--op", "max", "--format", "text", "--threads", threads, data=data)
    assert len(done.stdout.split()) == len(a)
    done = run("shuffle", "--format", "text", "--threads", threads, data=data)
    order = np.load(io.BytesIO(run("shuffle", "--format", "npy", data=data).stdout))
    least = 6 if kind == "f4" else 15
    make = np.float32 if kind == "f4" else float

    def shortest(v):
        for digits in range(least, 18):
            text = f"{float(v):.{digits}g}"
            if make(text) == v:
                return text
        raise AssertionError(v)

    assert done.stdout.decode().split() == [shortest(v) for v in order]
