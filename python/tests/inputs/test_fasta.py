"""FASTA records by `read_fasta` and by the command, against a stable sort of Python."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordo

COMMAND = Path(os.environ.get("ORDO_LIBRARY", "")).parent / "ordo"
HAS_COMMAND = COMMAND.is_file() and os.access(COMMAND, os.X_OK)


def devices():
    """Returns the devices that this machine and build can use."""
    if not HAS_COMMAND:
        return ["cpu"]
    info = subprocess.run([COMMAND, "info"], capture_output=True, text=True, check=True).stdout
    gpu = any(line.split() == ["cuda", "usable"] for line in info.splitlines())
    return ["cpu", "cuda", "hybrid"] if gpu else ["cpu"]


def run(data, *arguments):
    if not HAS_COMMAND:
        pytest.skip("the command is not beside the library")
    done = subprocess.run(
        [COMMAND, "sort", "--fasta", *arguments], input=data, capture_output=True, check=True
    )
    assert done.stderr == b""
    return done.stdout


def without_newline(line):
    line = line.removesuffix(b"\n")
    return line.removesuffix(b"\r")


def split(data):
    """Returns the lines before the first record, and the lines of each record."""
    lines = data.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    first = next((i for i, line in enumerate(lines) if line.startswith(b">")), len(lines))
    records = []
    for line in lines[first:]:
        if line.startswith(b">"):
            records.append([line])
        else:
            records[-1].append(line)
    return lines[:first], records


def key_of(record, by):
    if by == "header":
        return without_newline(record[0])[1:]
    return b"".join(without_newline(line) for line in record[1:])


def oracle(data, by="sequence", descending=False, unique=False):
    """Returns the blank lines before the first record and the sorted records, as bytes."""
    before, records = split(data)
    first = (before + (records[0] if records else [b""]))[0]

    def key(record):
        return key_of(record, by)

    last = records[-1] if records else None
    if descending:  # Python's `reverse` is stable, too
        records.sort(key=key, reverse=True)
    else:
        records.sort(key=key)
    if unique:
        records = [r for i, r in enumerate(records) if i == 0 or key(records[i - 1]) != key(r)]
    if last is not None and not last[-1].endswith(b"\n") and records and records[-1] is not last:
        crlf = first.endswith(b"\r\n") and not last[-1].endswith(b"\r")
        last[-1] += b"\r\n" if crlf else b"\n"
    return b"".join(before) + b"".join(line for record in records for line in record)


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
    expected = oracle(data, by, descending, unique)
    f = ordo.read_fasta(data)
    assert f.tobytes() == data
    assert f.sort(by, descending=descending, unique=unique).tobytes() == expected
    assert run(data, *options(by, descending, unique)) == expected


@given(files())
def test_headers_and_sequences(data):
    f = ordo.read_fasta(data)
    _, records = split(data)
    assert len(f) == len(records)
    for by, keys in (("header", f.headers), ("sequence", f.sequences)):
        expected = [key_of(record, by) for record in records]
        assert keys.tolist() == expected
        order = sorted(range(len(expected)), key=expected.__getitem__)
        for algorithm in ("auto", "sample"):
            assert ordo.argsort(keys, algorithm=algorithm).tolist() == order
            assert f.argsort(by, algorithm=algorithm).tolist() == order


def families(n):
    """Returns n records with long common prefixes, ties, and lines of any width."""
    chance = random.Random(7)
    ancestors = ["".join(chance.choices("ACDEFGHIKLMNPQRSTVWY", k=300)) for _ in range(20)]
    parts = []
    for _ in range(n):
        sequence = chance.choice(ancestors)[: chance.randint(0, 300)]
        sequence += "".join(chance.choices("acXY", k=chance.randint(0, 3)))
        width = chance.choice([60, 80, 7, 1000])
        end = chance.choice(["\n", "\n", "\r\n"])
        parts.append(f">id{chance.randint(0, 15000)} text{end}")
        parts += [sequence[i : i + width] + end for i in range(0, len(sequence), width)]
    return "".join(parts).encode()


@pytest.mark.parametrize("by", ["sequence", "header"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize("device", devices())
def test_large(by, descending, unique, device):
    data = families(20000)
    found = run(data, *options(by, descending, unique), "--threads", "2", "--device", device)
    assert found == oracle(data, by, descending, unique)


@pytest.mark.parametrize("by", ["sequence", "header"])
def test_by_sample_from_python_and_the_command(by):
    data = families(3000)
    expected = oracle(data, by)
    f = ordo.read_fasta(data)
    assert f.sort(by, algorithm="sample").tobytes() == expected
    assert ordo.explain().n == len(expected)  # the sorted text is parsed last
    f.argsort(by, algorithm="sample")
    assert ordo.explain().algorithm == "sample"
    assert run(data, "--by", by, "--algorithm", "sample") == expected


def test_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    f = ordo.read_fasta(families(500))
    table = f.to_arrow()
    assert table.column_names == ["header", "sequence"]
    assert table["sequence"].to_pylist() == f.sequences.tolist()
    assert table["header"].to_pylist() == f.headers.tolist()
    for name in table.column_names:
        column = table[name].combine_chunks()
        assert column.type == pyarrow.large_binary()
        assert ordo.argsort(column).tolist() == f.argsort(name).tolist()
        assert (
            ordo.rankdata(column, "min").tolist()
            == ordo.rankdata(f.headers if name == "header" else f.sequences, "min").tolist()
        )


def test_sources(tmp_path):
    data = b">a\nAC\n>b\nG\n"
    path = tmp_path / "records.fasta"
    path.write_bytes(data)
    for source in (
        path, str(path), data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)
    ):  # fmt: skip
        assert ordo.read_fasta(source).sequences.tolist() == [b"AC", b"G"]
    assert repr(ordo.read_fasta(data)) == "<ordo.Fasta of 2 records, 11 bytes>"
    assert len(ordo.read_fasta(b"")) == 0
    assert ordo.read_fasta(b"\n\n").sort(unique=True).tobytes() == b"\n\n"


def test_bad_texts(tmp_path):
    path = tmp_path / "bad.fasta"
    for data, line, why in (
        (b"ACGT\n>a\nA\n", 1, "expected a header"),
        (b"\n\r\n  x\n>a\n", 3, "expected a header"),
        (b">a\nAC\0GT\n", 2, "zero byte"),
        (b"\0", 1, "zero byte"),
    ):
        with pytest.raises(ValueError, match=f"^line {line} of the text: .*{why}"):
            ordo.read_fasta(data)
        path.write_bytes(data)
        with pytest.raises(ValueError, match=rf"bad\.fasta: line {line} of the text: .*{why}"):
            ordo.read_fasta(path)
    with pytest.raises(FileNotFoundError):
        ordo.read_fasta(tmp_path / "missing")
    for source in (None, 3, ["a"], np.zeros((2, 2))[:, 0]):
        with pytest.raises(TypeError, match=r"source is a .*; expected a path, or bytes"):
            ordo.read_fasta(source)


def test_bad_arguments():
    f = ordo.read_fasta(b">a\nA\n")
    for call in (f.sort, f.argsort):
        with pytest.raises(ValueError, match="by is 'length'; expected one of sequence, header"):
            call("length")
        with pytest.raises(ValueError, match="algorithm is 'radix'; expected 'auto' or 'sample'"):
            call(algorithm="radix")
        with pytest.raises(TypeError, match="descending is 'no'; expected True or False"):
            call(descending="no")
    with pytest.raises(TypeError, match="unique is 2; expected True or False"):
        f.sort(unique=2)
