"""Numbers larger than memory in the command: text of many kinds, compressed output, signals.

Seeds are fixed. Files of more than a sixth of the limit, 8 MiB, are read in pieces. Every result is
compared with that of the same command without a limit, which keeps all data in memory.
"""

from __future__ import annotations

import gzip
import os
import random
import signal
import struct
import subprocess

import pytest
from test_sort_lines import COMMAND, ENVIRONMENT
from test_sort_lines import pytestmark as pytestmark

LITTLE = ["-S", "8Mi", "-T", "."]
N = 150_000


def run(arguments, folder, stdin=None):
    done = subprocess.run(
        [COMMAND, *arguments], cwd=folder, env=ENVIRONMENT, input=stdin, capture_output=True,
        check=False, timeout=1800,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def integers(r):
    return [b"%d" % r.randrange(-(10**9), 10**9) for _ in range(N)]


def reals(r):
    return [repr(r.uniform(-5, 5)).encode() for _ in range(N)]


def with_line(make, at, line):
    """The lines of `make`, one of them replaced."""

    def lines(r):
        content = make(r)
        content[at] = line
        return content

    return lines


TEXTS = {
    "integers": integers,
    "unsigned": lambda r: [b"%d" % r.randrange(2**64) for _ in range(N)],
    "reals": reals,
    "few digits": lambda r: [b"%.3g" % r.uniform(0, 1000) for _ in range(3 * N)],
    "zeros at the end": lambda r: [b"%.6f" % r.uniform(0, 1000) for _ in range(N)],
    "small": lambda r: [b"%de-0%d" % (r.randrange(1, 10), r.randrange(3, 9)) for _ in range(3 * N)],
    "ties": lambda r: [b"%d" % r.randrange(-20, 20) for _ in range(5 * N)],
    "carriage returns": lambda r: [b"%d\r" % r.randrange(10**9) for _ in range(N)],
    "blanks": lambda r: [b" %d" % r.randrange(10**9) for _ in range(N)],
    "an empty line at the end": with_line(integers, -1, b""),
    "a late fraction": with_line(integers, -2, b"0.5"),
    "a late large integer": with_line(lambda r: [b"1"] * N + integers(r), -2, b"%d" % (2**53)),
    "a late unsigned": with_line(lambda r: [b"%d" % r.randrange(10**9) for _ in range(N)], -2,
                                 b"18446744073709551615"),
    "a late plus": with_line(integers, -2, b"+7"),
    "a late zero in front": with_line(integers, N // 2, b"007"),
    "a late minus zero": with_line(reals, -2, b"-0.0"),
    "a late nan": with_line(reals, -2, b"NaN"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
def test_text(kind, tmp_path):
    """The same bytes as in memory, from a file, several files and a pipe."""
    r = random.Random(kind)
    lines = TEXTS[kind](r)
    text = b"\n".join(lines) + (b"\n" if r.random() < 0.5 else b"")
    (tmp_path / "a").write_bytes(text)
    (tmp_path / "b").write_bytes(b"3\n1\n")
    for options in ([], ["-r"], ["-u"], ["-r", "-u"]):
        whole = run(["sort", *options, "a"], tmp_path)
        assert whole[0] == 0, whole[2]
        assert run(["sort", *options, *LITTLE, "a"], tmp_path) == whole
    assert run(["sort", *LITTLE], tmp_path, text) == run(["sort"], tmp_path, text)
    if lines[-1] != b"":
        whole = run(["sort", "a", "b"], tmp_path)
        assert run(["sort", *LITTLE, "a", "b"], tmp_path) == whole


@pytest.mark.parametrize("kind", ["integers", "reals", "zeros at the end", "a late fraction"])
def test_verbs(kind, tmp_path):
    """Other commands, to text and to .npy files."""
    text = b"\n".join(TEXTS[kind](random.Random(kind))) + b"\n"
    (tmp_path / "a").write_bytes(text)
    for verb in (
        ["argsort"], ["argsort", "--one-based"], ["rank"], ["rank", "--ties", "average"],
        ["topk", "-k", "1000"], ["topk", "-k", "9", "--index", "--one-based"], ["median"],
        ["topk", "-k", "1000", "--with-index", "--smallest"],
        ["quantile", "-q", "0,0.1,0.5,0.999,1"],
        ["select", "-k", "1,777"], ["sort", "--dtype", "f64"], ["sort", "--format", "raw"],
    ):  # fmt: skip
        whole = run([*verb, "a"], tmp_path)
        assert whole[0] == 0, whole[2]
        assert run([*verb, *LITTLE, "a"], tmp_path) == whole, verb
    for verb in (["sort"], ["argsort"], ["rank"], ["topk", "-k", "50", "--index"]):
        run([*verb, "a", "-o", "whole.npy"], tmp_path)
        assert run([*verb, *LITTLE, "a", "-o", "out.npy"], tmp_path)[0] == 0
        assert (tmp_path / "out.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes(), verb


@pytest.mark.parametrize("form", ["f32", "u8", "i64"])
def test_index(form, tmp_path):
    """Positions of the first elements, with ties, NaN and both zeros, from a file and a pipe."""
    r = random.Random(form)
    letter, most = {"f32": ("f", 1e3), "u8": ("B", 255), "i64": ("q", 10**6)}[form]
    some = [
        r.uniform(-most, most) if form == "f32" else int(r.uniform(0, most)) for _ in range(999)
    ]
    some += [0.0, -0.0, float("nan")] if form == "f32" else [0]
    data = struct.pack(f"<{20 * N}{letter}", *r.choices(some, k=20 * N))
    (tmp_path / "a.bin").write_bytes(data)
    for options in (
        ["--index"], ["--index", "--smallest"], ["--with-index", "--one-based", "--format", "text"],
        ["--index", "--nans", "omit", "--format", "text", "--smallest"],
    ):  # fmt: skip
        verb = ["topk", "-k", "3000", "--dtype", form, *options]
        whole = run([*verb, "a.bin"], tmp_path)
        assert whole[0] == 0, whole[2]
        assert run([*verb, *LITTLE, "a.bin"], tmp_path) == whole, options
        if "--format" in options:
            assert run([*verb, "--from", "raw", *LITTLE], tmp_path, data) == whole, options


@pytest.mark.parametrize("line", [b"x", b"1 2", b"", b"1e999999", b"0x10"])
def test_bad_line(line, tmp_path):
    """A bad line late in the text gets the message of the sort in memory; the output stays."""
    (tmp_path / "a").write_bytes(b"\n".join(with_line(integers, -9, line)(random.Random(1))))
    (tmp_path / "old").write_bytes(b"old\n")
    whole = run(["sort", "a", "-o", "old"], tmp_path)
    assert run(["sort", *LITTLE, "a", "-o", "old"], tmp_path) == whole
    assert (tmp_path / "old").read_bytes() == b"old\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "old"]


def test_compressed_output(tmp_path):
    """A name that ends in .gz gets compressed data, of text and of numbers."""
    text = b"\n".join(integers(random.Random(2)) * 10) + b"\n"
    (tmp_path / "a").write_bytes(text)
    for options in ([], ["--format", "raw"], ["--format", "npy"]):
        whole = run(["sort", "a", *options], tmp_path)[1]
        code, _, message = run(["sort", *LITTLE, "a", *options, "-o", "a.gz"], tmp_path)
        assert code == 2 and b"more than half of the memory limit" in message
        assert run(["sort", "-S", "24Mi", "-T", ".", "a", *options, "-o", "a.gz"], tmp_path)[0] == 0
        assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == whole


def test_quantiles(tmp_path):
    """10^4 quantiles of data that do not fit: few reads, the same values."""
    r = random.Random(3)
    (tmp_path / "a.raw").write_bytes(
        struct.pack("<400000d", *(r.gauss(0, 1) for _ in range(400000)))
    )
    q = ",".join("%.5f" % (i / 10000) for i in range(10001))
    verb = ["quantile", "a.raw", "--dtype", "f64", "-q", q]
    verb.append("--json")
    whole, little = run(verb, tmp_path), run([*verb, *LITTLE], tmp_path)
    assert little[:2] == whole[:2]
    assert int(little[2].split(b'"passes": ')[1].split(b",")[0]) <= 3


def take_interrupts():
    """Runs in the child: a shell that starts the tests in the background ignores SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("size", [8, 100_000, 9_000_000])
@pytest.mark.parametrize("form", [["--dtype", "u64"], ["--from", "text"]])
def test_waiting_for_input(how, size, form, tmp_path):
    """A signal ends a command that waits for a pipe; the output stays, and nothing else is left."""
    (tmp_path / "old").write_bytes(b"old\n")
    child = subprocess.Popen(
        [COMMAND, "sort", *form, *LITTLE, "-", "-o", "old"], cwd=tmp_path, env=ENVIRONMENT,
        stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=take_interrupts,
    )  # fmt: skip
    data = b"1234567\n" * (size // 8)
    while data:
        data = data[os.write(child.stdin.fileno(), data) :]
    child.send_signal(how)
    assert child.wait(timeout=60) == -how
    child.stdin.close()
    assert (tmp_path / "old").read_bytes() == b"old\n"
    assert [p.name for p in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_waiting_for_output(how, tmp_path):
    """The same while nobody reads the output."""
    (tmp_path / "a.bin").write_bytes(random.Random(4).randbytes(8 * N * 6))
    child = subprocess.Popen(
        [COMMAND, "sort", "a.bin", "--dtype", "u64", "--format", "raw", *LITTLE], cwd=tmp_path,
        env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        preexec_fn=take_interrupts,
    )  # fmt: skip
    assert len(os.read(child.stdout.fileno(), 1)) == 1
    child.send_signal(how)
    assert child.wait(timeout=60) == -how
    child.stdout.close()
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]
