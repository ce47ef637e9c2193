"""`ordo sort -n` of whole numbers against GNU sort.

Files are larger than the chunks that threads read (2^18 bytes). One line of a file may be something
else than a plain number, so that the command must start again or keep the bytes of lines.
"""

from __future__ import annotations

import random

import pytest
from test_sort_lines import pytestmark as pytestmark
from test_sort_lines import run

CHUNK = 1 << 18
N = 40_000


def same(options, texts, folder, stdin=b""):
    """Whether both programs write the same bytes."""
    names = [f"in{i}" for i in range(len(texts))]
    for name, text in zip(names, texts):
        (folder / name).write_bytes(text)
    mine, other = (run(program, options, names, folder, stdin) for program in ("ordo", "sort"))
    assert mine[0] == 0, mine[2]
    assert mine[1] == other[1]


def lines_of(seed, least, below, n=N):
    r = random.Random(seed)
    return [b"%d" % r.randrange(least, below) for _ in range(n)]


@pytest.mark.parametrize("options", [[], ["-r"], ["-u"], ["-ru"], ["-s"], ["-k1n"], ["-z"]])
@pytest.mark.parametrize("least, below", [(0, 10), (0, 10**9), (-(10**18) + 1, 10**18)])
def test_plain(options, least, below, tmp_path):
    end = b"\0" if "-z" in options else b"\n"
    lines = lines_of(1, least, below)
    keys = options if "-k1n" in options else ["-n", *options]
    same(keys, [end.join(lines) + end, end.join(lines[:9])], tmp_path)
    same(keys, [], tmp_path, stdin=end.join(lines))


@pytest.mark.parametrize("where", [0, N // 2, N - 1])
@pytest.mark.parametrize(
    "other",
    [b"1000000000", b"-1", b"999999999999999999", b"1000000000000000000", b"-0", b"00", b"007",
     b"+5", b"1.5", b"", b" 3", b"3 ", b"3\r", b"x", b"-", b"--1", b"9" * 30, b"1\0", b"/"],
)  # fmt: skip
def test_one_other_line(other, where, tmp_path):
    lines = lines_of(2, 0, 10**9)
    lines[where] = other
    same(["-n"], [b"\n".join(lines)], tmp_path)
    same(["-n", "-u"], [b"\n".join(lines[:2000]), b"\n".join(lines)], tmp_path)


@pytest.mark.parametrize("width", [2, 4, 8, 9, 10, 19, 20])
@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_ends_of_chunks(width, extra, tmp_path):
    """Lines of one width begin and end at every place around the end of a chunk."""
    r = random.Random(width)
    n = 2 * CHUNK // width + 2
    lines = [b"%d" % r.randrange(10 ** (width - 2), 10 ** (width - 1)) for _ in range(n)]
    text = b"\n".join(lines)[: 2 * CHUNK + extra]
    same(["-n"], [text], tmp_path)
    same(["-n"], [b"7\n" + text, b"-5"], tmp_path)


def test_no_numbers(tmp_path):
    same(["-n"], [b""], tmp_path)
    same(["-n"], [b"", b"5"], tmp_path)
    same(["-n"], [b"\n"], tmp_path)
    same(["-n"], [b"1" * (2 * CHUNK), b"2\n"], tmp_path)
    same(["-n"], [b"1\n" * 3 + b"2" * CHUNK + b"\n3"], tmp_path)
