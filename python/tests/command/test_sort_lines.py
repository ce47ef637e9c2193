"""`ordo sort` of lines against GNU sort in the C locale, over generated options and files.

Seeds are fixed. Every case is one option set and one to three files; stdout and exit code must be
equal. The last test does the same for errors, where only the exit code must be equal.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

COMMAND = Path(os.environ.get("ORDO_LIBRARY", "")).parent / "ordo"
SORT = shutil.which("sort")
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "ORDO_TUNE_FILE": ""}


def is_gnu():
    """Whether the sort of this system is GNU's; before release 9, -V had another order."""
    if SORT is None:
        return False
    done = subprocess.run([SORT, "--version"], capture_output=True, check=False)
    release = re.match(rb"sort \(GNU coreutils\) (\d+)", done.stdout)
    return release is not None and int(release[1]) >= 9


pytestmark = [
    pytest.mark.skipif(
        not (COMMAND.is_file() and os.access(COMMAND, os.X_OK)),
        reason="the command is not beside the library",
    ),
    pytest.mark.skipif(not is_gnu(), reason="the sort of this system is not GNU sort 9 or later"),
]

# ---- Files ---------------------------------------------------------------------------------------


def number(r):
    digits = "".join(r.choice("0123456789") for _ in range(r.choice([1, 1, 2, 3, 6, 17, 25])))
    return (
        r.choice(["", "", " ", "  ", "\t"])
        + r.choice(["", "", "-", "-", "+", "--"])
        + r.choice(["", "", "0", "000"])
        + r.choice([digits, digits[:2], digits[:1], "", "0"])
        + r.choice(["", "", ".", ".5", ".50", "." + digits, "e3", "E-2", "e", "0x1f", "inf"])
        + r.choice(["", "", "K", "k", "M", "m", "G", "Ki", "Y", " x", "\r", ",5"])
    )


def general(r):
    """No NaN: some releases of GNU sort compare the unused bytes of NaNs."""
    return r.choice([
        "inf", "-inf", "Infinity", "0x1p-3", "0X10", "1e", "1e+", "1e5000",
        "-1e5000", "1e-5000", "0.1", "0.10", "1e-1", "-0", "0", "+0", "", " ", "x", "1_000",
        "18446744073709551616", "18446744073709551617", "3.14159265358979323846", "1e400", ".5",
        ".", "-.5e1", "123456789012345678901234567890", "1.5e27", "1.5e28", "2e-27", "2e-28",
        "0.30000000000000004", "0.3", "1" * 300, "0." + "1" * 300,
    ])  # fmt: skip


def version(r):
    return "".join(
        r.choice(["a", "b", "Z", "1", "01", "10", "9", ".", ".", "-", "~", "..", ".tar.gz", ".x1",
                  "0", "00", "_", "\x7f", "\xe9"])
        for _ in range(r.randrange(6))
    )  # fmt: skip


def fields(r):
    return "".join(
        r.choice(["a", "B", "b", "12", "3", "-4", ":", ":", " ", "  ", "\t", ",", "x1", "Feb", "z"])
        for _ in range(r.randrange(9))
    )


def month(r):
    return r.choice(["", " ", "\t"]) + r.choice(
        ["jan", "FEB", "March", "apr 3", "MAY", "ju", "jun", "Jul", "DECx", "xdec", "12", ""]
    )


def byte_line(r):
    return "".join(chr(r.choice([0, 1, 2, 9, 13, 32, 65, 97, 98, 126, 127, 128, 200, 255]))
                   for _ in range(r.randrange(6)))  # fmt: skip


MAKERS = [number, general, version, fields, fields, month, byte_line]


def content(r, make, zero):
    lines = [make(r) for _ in range(r.choice([0, 1, 2, 5, 30, 60]))]
    if zero and r.random() < 0.5:
        lines = [line.replace(":", "\n") for line in lines]
    end = "\0" if zero else "\n"
    lines = [line.replace(end, "") for line in lines]
    text = end.join(lines) + (end if lines and r.random() < 0.8 else "")
    return text.encode("latin-1")


# ---- Options -------------------------------------------------------------------------------------

LETTERS = ["n", "g", "h", "M", "V", "f", "d", "i", "fd", "fi", "Vf", "Vd", "hf", "nf", "", "", "b"]


def position(r, end):
    field = r.choice([1, 1, 2, 2, 3, 5])
    byte = r.choice(["", "", ".1", ".2", ".4", ".0" if end else ".3", ".99"])
    return f"{field}{byte}"


def key(r):
    own = r.choice(["", "", r.choice(LETTERS) + r.choice(["", "r", "b"])])
    text = position(r, False) + own
    if r.random() < 0.7:
        text += "," + position(r, True) + r.choice(["", "", "b", "r"])
    return text


def option_set(r):
    options = []
    letters = r.choice(LETTERS) + r.choice(["", "", "r", "b"])
    if letters:
        options.append("-" + letters)
    for _ in range(r.choice([0, 0, 1, 1, 2, 3])):
        options += r.choice([["-k", k := key(r)], ["-k" + k], ["--key=" + k]])
    if r.random() < 0.4:
        options += ["-t", r.choice([":", ",", " ", "x", "\\0"])]
    options += r.choice([[], [], ["-s"], ["-u"], ["-su"], ["--stable", "--reverse"]])
    zero = r.random() < 0.15
    if zero:
        options.append("-z")
    return options, zero


def run(program, options, files, folder, stdin=b""):
    start = [COMMAND, "sort"] if program == "ordo" else [SORT]
    done = subprocess.run(
        [*start, *options, *files], cwd=folder, input=stdin, capture_output=True, check=False,
        env=ENVIRONMENT,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def same(options, files, folder, stdin=b""):
    """Runs both and compares. --text stands for the order of lines where no other option does."""
    mine = run("ordo", ["--text", *options], files, folder, stdin)
    other = run("sort", options, files, folder, stdin)
    shown = {name: (folder / name).read_bytes() for name in files if name != "-"}
    assert mine[:2] == other[:2], (options, shown, mine[2], other[2])
    return mine


@pytest.mark.parametrize("seed", range(8))
def test_sort(seed, tmp_path):
    """Sorts files of every kind; the result is checked by -c, and by -C in the other direction."""
    r = random.Random(seed)
    for _ in range(24):
        options, zero = option_set(r)
        make = r.choice(MAKERS)
        files = ["a", "b", "-"][: r.choice([1, 1, 2, 3])]
        for name in files:
            (tmp_path / name).write_bytes(content(r, make, zero))
        (tmp_path / "in").write_bytes(stdin := content(r, make, zero))
        _, result, _ = same(options, files, tmp_path, stdin)
        (tmp_path / "sorted").write_bytes(result)
        assert same(["-c", *options], ["sorted"], tmp_path)[0] == 0
        assert same(["-C", *options], ["in"], tmp_path)[0] in (0, 1)


@pytest.mark.parametrize("seed", range(3))
def test_merge(seed, tmp_path):
    """Merges sorted files, and files that are not sorted as GNU sort does."""
    r = random.Random(100 + seed)
    for _ in range(20):
        options, zero = option_set(r)
        make = r.choice(MAKERS)
        files = ["a", "b", "c"][: r.choice([1, 2, 3])]
        for name in files:
            (tmp_path / name).write_bytes(content(r, make, zero))
            if r.random() < 0.8:
                (tmp_path / name).write_bytes(run("sort", options, [name], tmp_path)[1])
        same(["-m", *options], files, tmp_path)


@pytest.mark.parametrize("seed", range(3))
def test_debug(seed, tmp_path):
    """The bytes that --debug marks. Printable lines: GNU sort counts columns, not bytes."""
    r = random.Random(200 + seed)
    for _ in range(20):
        options, _ = option_set(r)
        options = [o for o in options if o != "-z"]
        make = r.choice([number, fields, month])
        (tmp_path / "a").write_bytes(content(r, make, False).replace(b"\r", b""))
        same(["--debug", *options], ["a"], tmp_path)


def test_many_lines(tmp_path):
    """Enough lines for several threads; one word a key, several keys, and ties that differ."""
    r = random.Random(7)
    lines = [f"{r.randrange(300)}{r.choice(['', '.5', 'x'])}\t{r.choice('abc')}{r.randrange(99)}"
             for _ in range(70000)]  # fmt: skip
    (tmp_path / "a").write_text("\n".join(lines))
    for options in (["-n"], ["-nr"], ["-rn", "-s"], ["-nu"], ["-k2,2"], ["-k2,2r", "-u"], [],
                    ["-k2.1,2.1", "-k1,1nr"], ["-g"], ["-h", "-r"], ["-V"], ["-fr"]):  # fmt: skip
        same([*options, "--parallel=3"], ["a"], tmp_path)


def test_random(tmp_path):
    """-R keeps equal keys together; a seed and a file of random bytes give the same order again."""
    r = random.Random(9)
    lines = [f"{r.randrange(40)} {r.choice('aA')}" for _ in range(500)]
    (tmp_path / "a").write_text("\n".join(lines) + "\n")
    (tmp_path / "bytes").write_bytes(bytes(range(16)))

    def order(*options):
        code, out, message = run("ordo", options, ["a"], tmp_path)
        assert code == 0, message
        return out.decode().splitlines()

    first = order("-R", "--seed", "1")
    assert sorted(first) == sorted(lines) and first != sorted(lines)
    groups = [line for i, line in enumerate(first) if i == 0 or first[i - 1] != line]
    assert len(groups) == len(set(groups))
    assert order("-R", "--seed", "1") == first != order("-R", "--seed", "2")
    assert order("-R", "--random-source=bytes") == order("--sort=random", "--random-source=bytes")
    words = [line.split()[0] for line in order("-k1,1R", "-s", "--seed=3")]
    heads = [word for i, word in enumerate(words) if i == 0 or words[i - 1] != word]
    assert len(heads) == len(set(heads))
    assert order("-R") != order("-R")


@pytest.mark.parametrize(
    "options",
    ["-k 0", "-k 1.0", "-k 1x", "-k 1,0", "-k 1,", "-k ,2", "-k 1,2n,3", "-k 1.x", "-k -1", "-n -g",
     "-k 1ng", "-dn", "-MV", "-Rn", "-hi", "--sort=month -n",
     "-t xy", "-t ''", "-c -C", "-c -o x", "-c a a", "-o x -o y", "-k", "--files0-from=names a",
     "--files0-from=empty", "--files0-from=hole", "missing", "a missing", "-m missing",
     "-c missing", ".", "--no-such-option", "--reverse=yes", "--batch-size=1", "-S 1q"],
)  # fmt: skip
def test_refused(options, tmp_path):
    """Both refuse with exit code 2, print nothing on stdout and write no file."""
    (tmp_path / "a").write_text("b\na\n")
    (tmp_path / "names").write_bytes(b"a\0a")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "hole").write_bytes(b"a\0\0a\0")
    words = ["" if word == "''" else word for word in options.split()]
    operands = [] if "files0" in options or options.endswith(("missing", "a", ".")) else ["a"]
    if options == "-k":
        operands = []
    mine = run("ordo", ["--text", *words], operands, tmp_path)
    assert run("sort", words, operands, tmp_path)[0] == mine[0] == 2, mine
    assert mine[1] == b"" and mine[2].startswith(b"ordo: ") and mine[2].count(b"\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "empty", "hole", "names"]


@pytest.mark.parametrize("option", ["--sort=no", "--check=no"])
def test_refused_words(option, tmp_path):
    """GNU sort answers a word that it does not know with exit code 1, which means disorder."""
    (tmp_path / "a").write_text("a\n")
    assert run("ordo", [option], ["a"], tmp_path)[0] == 2
    assert run("sort", [option], ["a"], tmp_path)[0] != 0


def test_files(tmp_path):
    """Names in a file, the output file as input, and every long name."""
    (tmp_path / "a").write_bytes(b"3 c\n1 b")
    (tmp_path / "b").write_bytes(b"2 a\n")
    (tmp_path / "names").write_bytes(b"b\0a\0")
    same(["--files0-from=names"], [], tmp_path)
    same(["--files0-from=-", "-k2"], [], tmp_path, b"a\0b")
    for option in ("reverse", "numeric-sort", "general-numeric-sort", "human-numeric-sort",
                   "month-sort", "version-sort", "ignore-leading-blanks", "dictionary-order",
                   "ignore-case", "ignore-nonprinting", "unique", "stable", "zero-terminated",
                   "merge", "key=2", "field-separator= ", "sort=general-numeric", "parallel=2",
                   "sort=human-numeric", "sort=month", "sort=numeric", "sort=version", "check",
                   "check=quiet", "check=silent", "check=diagnose-first", "batch-size=2",
                   "buffer-size=1M", "buffer-size=100", "compress-program=gzip"):  # fmt: skip
        same(["--" + option], ["a"], tmp_path)
    for size in ("1k", "1m", "10K", "1g", "100", "50%"):
        same(["-S", size], ["a"], tmp_path)
    expected = run("sort", ["-k2"], ["a", "b"], tmp_path)[1]
    assert run("ordo", ["-k2", "-o", "a"], ["a", "b"], tmp_path)[0] == 0
    assert (tmp_path / "a").read_bytes() == expected
