"""`ordo sort` of lines larger than memory, and merges of many files, against GNU sort.

Seeds are fixed. `-S 1` is raised to the least memory, about 8 MB, so a few megabytes of lines go
through temporary files. The command must write the bytes of GNU sort, keep its limit, leave an
output file as it was if it fails or is killed, and leave no temporary file behind.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys

import pytest
from test_sort_lines import COMMAND, ENVIRONMENT, MAKERS, option_set, run
from test_sort_lines import pytestmark as pytestmark

LITTLE = ["-S", "1", "-T", "."]


def big_content(r, make, zero, size):
    """At least `size` bytes of lines: the lines of `make`, many more than once, some long."""
    end = b"\0" if zero else b"\n"
    some = [make(r).encode("latin-1").replace(end, b"") for _ in range(3000)]
    parts = []
    while size > 0:
        line = r.choice(some) + (r.choice(some) if r.random() < 0.5 else b"")
        if r.random() < 0.0005:
            line += bytes(r.choices(b"abc ", k=r.randrange(6000)))
        parts.append(line)
        size -= len(line) + 1
    return end.join(parts) + (end if r.random() < 0.7 else b"")


def spilled(options, files, folder):
    """The number of runs that an external sort has written."""
    shown = run("ordo", ["--text", *LITTLE, "--json", "-o", "/dev/null", *options], files, folder)
    assert shown[0] == 0, shown
    return int(shown[2].split(b'"runs": ')[1].split(b",")[0])


@pytest.mark.parametrize("seed", range(5))
def test_options(seed, tmp_path):
    """Every kind of key, with ties, from files and from a pipe."""
    r = random.Random(300 + seed)
    for turn in range(4):
        options, zero = option_set(r)
        make = r.choice(MAKERS)
        stdin = big_content(r, make, zero, 400_000)
        (tmp_path / "a").write_bytes(big_content(r, make, zero, 1_500_000))
        (tmp_path / "empty").write_bytes(b"")
        files = [["a"], ["empty", "a", "empty"], ["a", "-"], ["-", "empty", "a"]][turn]
        mine = run("ordo", ["--text", *LITTLE, *options], files, tmp_path, stdin)
        other = run("sort", options, files, tmp_path, stdin)
        assert mine[0] == other[0] == 0, (options, mine[2], other[2])
        assert mine[1] == other[1], (options, files)
        if turn == 0:
            assert spilled(options, ["a"], tmp_path) > 1


def test_long_lines(tmp_path):
    """Lines of a megabyte, with NUL bytes; and lines that are too long for the memory."""
    r = random.Random(5)
    lines = [bytes(r.choices(b"ab\0", k=50)) * 20_000 for _ in range(40)]
    lines += [b"%d" % r.randrange(10**6) for _ in range(1000)]
    r.shuffle(lines)
    (tmp_path / "a").write_bytes(b"\n".join(lines))
    for options in ([], ["-r"], ["-k1,1"], ["-u", "-n"]):
        mine = run("ordo", ["--text", "-S", "100Mi", "-T", ".", *options], ["a"], tmp_path)
        assert mine[:2] == run("sort", options, ["a"], tmp_path)[:2], (options, mine[2])
    code, out, message = run("ordo", ["--text", *LITTLE], ["a"], tmp_path)
    assert code == 2 and out == b"" and b"expected a larger limit of the memory" in message


@pytest.mark.parametrize("seed", range(3))
def test_merge_many(seed, tmp_path):
    """More files than are read at once: -S 1 reads two, and 64 open files are fewer than 100."""
    r = random.Random(400 + seed)
    for count in (1, 2, 3, 17, 100):
        options, zero = option_set(r)
        make = r.choice(MAKERS)
        files = [f"f{i}" for i in range(count)]
        for name in files:
            lines = [make(r) for _ in range(r.choice([0, 1, 30]))]
            end = "\0" if zero else "\n"
            text = end.join(line.replace(end, "") for line in lines).encode("latin-1")
            (tmp_path / name).write_bytes(text)
            (tmp_path / name).write_bytes(run("sort", options, [name], tmp_path)[1])
        expected = run("sort", ["-m", *options], files, tmp_path)
        for more in ([], LITTLE):
            mine = run("ordo", ["--text", "-m", *more, *options], files, tmp_path)
            assert mine[:2] == expected[:2], (options, count, more, mine[2])
        few = subprocess.run(
            [COMMAND, "sort", "--text", "-m", *options, *files], cwd=tmp_path, env=ENVIRONMENT,
            capture_output=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
        )  # fmt: skip
        assert few.stdout == expected[1], few.stderr


PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.parametrize("options", [[], ["-k1,1n", "-k2,2"], ["-m"], ["-c"]])
def test_memory(options, tmp_path):
    """The peak of resident memory is at most the limit and 32 MiB."""
    line = b"%09d some words that make the line longer\n"
    order = range(1_000_000) if {"-m", "-c"} & set(options) else range(1_000_000, 0, -1)
    (tmp_path / "a").write_bytes(b"".join(line % i for i in order))
    command = [COMMAND, "sort", "--text", "-S", "16Mi", "-T", ".", *options, "a"]
    command += [] if "-c" in options else ["-o", "sorted"]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *command], cwd=tmp_path, env=ENVIRONMENT,
        capture_output=True, check=True,
    )  # fmt: skip
    if "-c" not in options:
        assert (tmp_path / "sorted").read_bytes() == b"".join(line % i for i in sorted(order))
    assert int(done.stdout) * 1024 <= (16 << 20) + (32 << 20)


def test_in_place(tmp_path):
    """The output file may be an input, also if it is larger than the memory."""
    r = random.Random(11)
    text = big_content(r, MAKERS[3], False, 2_000_000)
    for options in (["-o", "a"], ["-m", "-o", "a"], ["-u", "-o", "a"]):
        (tmp_path / "a").write_bytes(text)
        inputs = ["a", "a"] if "-m" in options else ["a"]
        expected = run("sort", [o for o in options if o not in ("-o", "a")], inputs, tmp_path)[1]
        assert run("ordo", ["--text", *LITTLE, *options], inputs, tmp_path)[0] == 0
        assert (tmp_path / "a").read_bytes() == expected
        assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_full_disk(tmp_path):
    """Files may have at most some bytes: the old output stays, and nothing is left behind."""
    (tmp_path / "a").write_bytes(big_content(random.Random(12), MAKERS[3], False, 2_500_000))
    (tmp_path / "old").write_bytes(b"old\n")
    for limit in (0, 4096, 300_000, 1_000_000, 2_400_000):
        done = subprocess.run(
            [COMMAND, "sort", "--text", *LITTLE, "a", "-o", "old"], cwd=tmp_path, env=ENVIRONMENT,
            capture_output=True, check=False,
            preexec_fn=lambda most=limit: (
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
            ),
        )  # fmt: skip
        assert done.returncode == 2 and b"File too large" in done.stderr, done
        assert done.stderr.count(b"\n") == 1, done.stderr
        assert (tmp_path / "old").read_bytes() == b"old\n"
        assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "old"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("part", [0, 100_000, 3_000_000])
def test_killed(how, part, tmp_path):
    """Killed while it waits for input: the old output stays, and nothing is left behind."""
    text = big_content(random.Random(13), MAKERS[3], False, 4_000_000)
    (tmp_path / "old").write_bytes(b"old\n")
    child = subprocess.Popen(
        [COMMAND, "sort", "--text", *LITTLE, "-", "-o", "old"], cwd=tmp_path, env=ENVIRONMENT,
        stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.write(child.stdin.fileno(), text[:1])
    while part > 0:
        part -= os.write(child.stdin.fileno(), text[:part])
    child.send_signal(how)
    assert child.wait(timeout=60) == -how
    child.stdin.close()
    assert (tmp_path / "old").read_bytes() == b"old\n"
    assert [p.name for p in tmp_path.iterdir()] == ["old"]


def test_messages(tmp_path):
    """Wrong sizes, folders and files."""
    (tmp_path / "a").write_bytes(big_content(random.Random(14), MAKERS[3], False, 2_000_000))
    for options, words in (
        (["-S", "no"], b"'no' is not a number of bytes"),
        (["-S", "1", "-T", "missing"], b"missing"),
        (["-S", "1", "missing"], b"missing: cannot"),
        (["-S", "1", "-m", "missing"], b"missing: cannot"),
    ):
        code, out, message = run("ordo", ["--text", *options], ["a"], tmp_path)
        assert code == 2 and out == b"" and words in message, message
        assert message.startswith(b"ordo: ") and message.count(b"\n") == 1, message


def test_locale(tmp_path):
    """--debug says that bytes decide, and which variable is not used."""
    (tmp_path / "a").write_text("a\n")
    for value, words in (("C", b"byte by byte\n"), ("en_US.UTF-8", b"LC_ALL=en_US.UTF-8 is not")):
        done = subprocess.run(
            [COMMAND, "sort", "--debug", "--text", "a"], cwd=tmp_path, capture_output=True,
            env={**ENVIRONMENT, "LC_ALL": value}, check=True,
        )  # fmt: skip
        assert words in done.stderr and done.stderr.count(b"\n") == 1
