"""Tables, and a model of the order of their rows, for tests of --csv.

The csv module finds the fields of each row; the model orders the rows.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path

import pytest

COMMAND = Path(os.environ.get("ORDO_LIBRARY", "")).parent / "ordo"
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "ORDO_TUNE_FILE": ""}

needs_command = pytest.mark.skipif(
    not (COMMAND.is_file() and os.access(COMMAND, os.X_OK)),
    reason="the command is not beside the library",
)

csv.field_size_limit(1 << 30)
COLUMNS = ["id", "text", "number", "date", "name"]


def run(text: bytes, *arguments):
    return subprocess.run(
        [COMMAND, *arguments], input=text, capture_output=True, env=ENVIRONMENT, check=False
    )


def ordo(text: bytes, *arguments) -> bytes:
    done = run(text, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- Tables --------------------------------------------------------------------------------------


def quoted(value: str, always: bool, separator: str) -> str:
    if always or any(c in value for c in f'"\n\r{separator}'):
        return '"' + value.replace('"', '""') + '"'
    return value


def table(rows, separator=",", end="\n", last_end=True, always=(), mark="") -> bytes:
    """Bytes of a table; `always` says which rows have quotes everywhere."""
    lines = [
        separator.join(quoted(v, i in always, separator) for v in row) + end
        for i, row in enumerate([COLUMNS, *rows])
    ]
    text = mark + "".join(lines)
    if not last_end:
        text = text[: -len(end)]
    return text.encode("utf-8", "surrogateescape")


def split(text: bytes, separator=",", end="\n"):
    """The rows of a text as bytes, each with its line end, and as lists of values."""
    text = text.removeprefix("\ufeff".encode())
    decoded = text.decode("utf-8", "surrogateescape")
    values = list(csv.reader(io.StringIO(decoded, newline=""), delimiter=separator))
    raw, at, inside = [], 0, False
    for i, c in enumerate(decoded):
        inside ^= c == '"'
        if c == "\n" and not inside:
            raw.append(decoded[at : i + 1])
            at = i + 1
    if at < len(decoded):
        raw.append(decoded[at:] + (end if raw else "\n"))
    assert len(raw) == len(values)
    return [r.encode("utf-8", "surrogateescape") for r in raw], values


# ---- The model of the order ----------------------------------------------------------------------

EMPTY, NAN, BAD = 3, 1, 9


def number_key(value: str, descending: bool):
    value = value.strip(" \t")
    if value == "":
        return (EMPTY, 0)
    number = int(value) if re.fullmatch(r"[+-]?\d+", value) else float(value)
    if math.isnan(number):
        return (NAN, 0)
    return (0, -number if descending else number)


def date_key(value: str, descending: bool):
    value = value.strip()
    if value == "":
        return (EMPTY, 0)
    when = datetime.fromisoformat(value.replace("Z", "+00:00"))
    when = when.replace(tzinfo=timezone.utc) if when.tzinfo is None else when
    elapsed = when - datetime(1, 1, 1, tzinfo=timezone.utc)
    moment = (elapsed.days * 86400 + elapsed.seconds) * 10**6 + elapsed.microseconds
    return (0, -moment if descending else moment)


class Reversed:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return other.value < self.value

    def __eq__(self, other):
        return self.value == other.value


def text_key(value: str, descending: bool):
    encoded = value.encode("utf-8", "surrogateescape")
    return Reversed(encoded) if descending else encoded


def natural_key(value: str, descending: bool):
    """For values that are letters, then digits: that is enough for natural order here."""
    letters, digits = re.fullmatch(r"([a-z]*)(\d*)", value).groups()
    key = (value != "", letters, int(digits or 0))
    return Reversed(key) if descending else key


KEYS = {"number": number_key, "date": date_key, "text": text_key, "natural": natural_key}
TYPES = {"id": "number", "text": "text", "number": "number", "date": "date", "name": "natural"}


def model_key(row, keys):
    return [KEYS[t](row[COLUMNS.index(c)], d) for c, t, d in keys]


def arguments_of(keys):
    return [f"--key={c}:{t}{':desc' if d else ''}" for c, t, d in keys]


# ---- Generated tables ----------------------------------------------------------------------------


def some_number(r):
    return r.choice([
        "", "0", "-0", "1", "12", "-3", "007", "+5", " 8 ", "1.5", "-1.25", "1e3", "1e-300", "inf",
        "-inf", "nan", "9007199254740993", "9007199254740992", "-9007199254740993",
        "18446744073709551615", "9223372036854775807", "0.1", "0.10", "123456789.123456789", ".5",
        "5.", "100000000000000000", str(r.randrange(-99, 99)), f"{r.uniform(-9, 9):.3f}",
    ])  # fmt: skip


def some_date(r):
    day = f"{r.randrange(1900, 2100):04}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}"
    return r.choice([
        "", day, day, f"{day}T{r.randrange(24):02}:{r.randrange(60):02}:00",
        f"{day} 12:30:{r.randrange(60):02}.{r.randrange(10**6):06}", f"{day}T01:02:03Z",
        f"{day}T01:02:03+05:30", f"{day} 01:02:03-08:00", "2024-02-29",
    ])  # fmt: skip


def some_text(r):
    return "".join(
        r.choice(["a", "b", "Z", "é", "\udcff", ",", '"', '""', "\n", "\r\n", " ", "\t", ";", "0",
                  "abcdefgh"])
        for _ in range(r.choice([0, 1, 2, 3, 9]))
    )  # fmt: skip


def some_name(r):
    return r.choice(["", "a", "file", "b"]) + r.choice(["", "1", "2", "10", "100", "33"])


def random_rows(r, n):
    return [[str(i), some_text(r), some_number(r), some_date(r), some_name(r)] for i in range(n)]


def random_keys(r):
    chosen = r.sample(["text", "number", "date", "name"], r.randrange(1, 4))
    return [(c, TYPES[c], r.random() < 0.5) for c in chosen]
