"""`ordo sort --fasta` against an oracle: a stable sort of the records by Python."""

import os
import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

COMMAND = Path(os.environ.get("ORDO_LIBRARY", "")).parent / "ordo"

pytestmark = pytest.mark.skipif(
    not os.access(COMMAND, os.X_OK), reason="the command is not beside the library"
)


def devices():
    """Returns the devices that this machine and build can use."""
    if not os.access(COMMAND, os.X_OK):
        return []
    info = subprocess.run([COMMAND, "info"], capture_output=True, text=True, check=True).stdout
    gpu = any(line.split() == ["cuda", "usable"] for line in info.splitlines())
    return ["cpu", "cuda", "hybrid"] if gpu else ["cpu"]


def run(data, *arguments):
    done = subprocess.run(
        [COMMAND, "sort", "--fasta", *arguments], input=data, capture_output=True, check=True
    )
    assert done.stderr == b""
    return done.stdout


def without_end(line):
    line = line.removesuffix(b"\n")
    return line.removesuffix(b"\r")


def oracle(data, by="sequence", descending=False, unique=False):
    """Returns the blank lines before the first record and the sorted records, as bytes."""
    lines = data.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    first = next((i for i, line in enumerate(lines) if line.startswith(b">")), len(lines))
    records = []
    for line in lines[first:]:
        if line.startswith(b">"):
            records.append([line])
        else:
            records[-1].append(line)

    def key(record):
        if by == "header":
            return without_end(record[0])[1:]
        return b"".join(without_end(line) for line in record[1:])

    last = records[-1] if records else None
    if descending:  # Python's `reverse` is stable, too
        records.sort(key=key, reverse=True)
    else:
        records.sort(key=key)
    if unique:
        records = [r for i, r in enumerate(records) if i == 0 or key(records[i - 1]) != key(r)]
    if last is not None and not last[-1].endswith(b"\n") and records and records[-1] is not last:
        crlf = lines[0].endswith(b"\r\n") and not last[-1].endswith(b"\r")
        last[-1] += b"\r\n" if crlf else b"\n"
    return b"".join(lines[:first]) + b"".join(line for record in records for line in record)


def options(by, descending, unique):
    return ["--by", by] + ["--descending"] * descending + ["--unique"] * unique


ends = st.sampled_from([b"\n", b"\r\n"])
texts = st.binary(max_size=6).map(lambda b: b.translate(None, b"\0\n\r"))
residues = texts.map(lambda b: b.lstrip(b">"))
letters = st.text("AC", max_size=3).map(str.encode)


@st.composite
def files(draw):
    data = b"".join(draw(st.lists(ends, max_size=2)))
    for _ in range(draw(st.integers(0, 8))):
        data += b">" + draw(texts | letters) + draw(ends)
        for line in draw(st.lists(residues | letters, max_size=4)):
            data += line + draw(ends)
    if draw(st.booleans()) and data.endswith(b"\n"):
        data = data[:-1]
    return data


@given(files(), st.sampled_from(["sequence", "header"]), st.booleans(), st.booleans())
def test_any_file(data, by, descending, unique):
    found = run(data, *options(by, descending, unique))
    assert found == oracle(data, by, descending, unique)


@pytest.mark.parametrize("by", ["sequence", "header"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize("device", devices())
def test_large(by, descending, unique, device):
    """Families with long common prefixes, ties, and lines of any width."""
    chance = random.Random(7)
    ancestors = ["".join(chance.choices("ACDEFGHIKLMNPQRSTVWY", k=300)) for _ in range(20)]
    parts = []
    for _ in range(20000):
        sequence = chance.choice(ancestors)[: chance.randint(0, 300)]
        sequence += "".join(chance.choices("acXY", k=chance.randint(0, 3)))
        width = chance.choice([60, 80, 7, 1000])
        end = chance.choice(["\n", "\n", "\r\n"])
        parts.append(f">id{chance.randint(0, 15000)} text{end}")
        parts += [sequence[i : i + width] + end for i in range(0, len(sequence), width)]
    data = "".join(parts).encode()
    found = run(data, *options(by, descending, unique), "--threads", "2", "--device", device)
    assert found == oracle(data, by, descending, unique)
