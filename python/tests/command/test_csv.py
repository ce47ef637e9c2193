"""Commands with --csv against Python's csv module.

Rows must be written byte for byte as they were read. Examples come from hypothesis and from a
generator with fixed seeds.
"""

from __future__ import annotations

import random
import statistics

import numpy as np
import pytest
from cases import RANKS, TIES
from csv_model import (
    COLUMNS,
    arguments_of,
    model_key,
    needs_command,
    number_key,
    ordo,
    random_keys,
    random_rows,
    run,
    split,
    table,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = needs_command


def check_sort(text, keys, separator=",", end="\n", options=(), threads=1):
    got = ordo(text, "sort", "-t", separator, "--csv", "--threads", str(threads), *options,
               *arguments_of(keys))  # fmt: skip
    mark = "\ufeff".encode() if text.startswith("\ufeff".encode()) else b""
    raw, values = split(text, separator, end)
    order = sorted(range(1, len(values)), key=lambda i: model_key(values[i], keys))
    assert got == mark + raw[0] + b"".join(raw[i] for i in order)


@pytest.mark.parametrize("seed", range(60))
def test_sort_is_that_of_the_model(seed):
    r = random.Random(seed)
    rows = random_rows(r, r.choice([0, 1, 2, 7, 40, 300]))
    separator = r.choice([",", ";", "\t", "|"])
    end = r.choice(["\n", "\r\n"])
    always = {i for i in range(len(rows) + 1) if r.random() < 0.3}
    text = table(rows, separator, end, r.random() < 0.5, always, r.choice(["", "\ufeff"]))
    check_sort(text, random_keys(r), separator, end)


@pytest.mark.parametrize("seed", range(30))
def test_sort_in_pieces_is_that_of_the_model(seed):
    """A pipe and a limit of memory: the external sort."""
    r = random.Random(1000 + seed)
    rows = random_rows(r, r.choice([0, 1, 7, 300, 2000]))
    separator = r.choice([",", ";", "\t", "|"])
    end = r.choice(["\n", "\r\n"])
    always = {i for i in range(len(rows) + 1) if r.random() < 0.3}
    text = table(rows, separator, end, r.random() < 0.5, always, r.choice(["", "\ufeff"]))
    check_sort(text, random_keys(r), separator, end, ["-S", "8M"])


values_of_text = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=12)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(values_of_text, st.floats(width=64) | st.integers(-(2**63), 2**64 - 1)),
             max_size=30),
    st.booleans(),
    st.booleans(),
)  # fmt: skip
def test_any_text_and_any_number(pairs, descending, text_first):
    rows = [[str(i), t, str(n), "", ""] for i, (t, n) in enumerate(pairs)]
    keys = [("text", "text", descending), ("number", "number", not descending)]
    check_sort(table(rows), keys if text_first else keys[::-1])


def test_many_rows_in_many_parts():
    """Rows with quotes and newlines, large enough for several threads."""
    r = random.Random(5)
    rows = random_rows(r, 30000)
    text = table(rows, always={i for i in range(30001) if i % 3 == 0})
    for threads in (1, 3, 8):
        check_sort(text, [("text", "text", False), ("number", "number", True)], threads=threads)
        check_sort(text, [("number", "number", False)], threads=threads)


def test_many_rows_in_pieces(tmp_path):
    """Several runs on disk; rows that are longer than a buffer; blank lines at the end."""
    r = random.Random(7)
    rows = random_rows(r, 60000)
    rows[50000][1] = "long, " * 22000
    text = table(rows) + b"\n\n\n"
    path = tmp_path / "t.csv"
    path.write_bytes(text)
    keys = arguments_of([("text", "text", False), ("number", "number", True)])
    whole = ordo(b"", "sort", "--csv", *keys, path)
    assert ordo(b"", "sort", "--csv", *keys, path, "-S", "12M", "-T", tmp_path) == whole
    assert ordo(text, "sort", "-u", "--csv", *keys, "-S", "12M") == ordo(
        text, "sort", "-u", "--csv", *keys
    )
    rows[100][1] = "longer than the buffer of the reader, " * 50000
    check_sort(table(rows), [("number", "number", True)], options=["-S", "1500M"])


def test_parts_that_begin_inside_quotes():
    """Fields so long that whole parts lie inside quotes."""
    r = random.Random(6)
    rows = [[str(r.randrange(100)), ("line, \"q\"\n" * r.randrange(20000)), "1", "", ""]
            for _ in range(40)]  # fmt: skip
    check_sort(table(rows), [("id", "number", False)], threads=8)


# ---- Types that are guessed ----------------------------------------------------------------------


def test_a_column_of_numbers_is_compared_by_number():
    assert ordo(b"a\n10\n9\n-1\n", "sort", "--csv", "--key", "a") == b"a\n-1\n9\n10\n"
    assert ordo(b"a\n10\n9\nx\n", "sort", "--csv", "--key", "a") == b"a\n10\n9\nx\n"
    assert ordo(b"a\n10\n9\n", "sort", "--csv", "--key", "a:text") == b"a\n10\n9\n"


def test_a_later_value_that_is_no_number_is_an_error_with_its_place():
    text = b"a,b\n" + b"1,2\n" * 5000 + b'"x\ny",3\n'
    done = run(text, "sort", "--csv", "--key", "a")
    assert done.returncode == 2 and done.stdout == b""
    assert b"stdin: line 5002, column 1 'a': '\"x" in done.stderr
    assert b"give :text" in done.stderr


# ---- Bad rows ------------------------------------------------------------------------------------


def random_bad(r, n):
    rows = random_rows(r, n)
    for row in rows:
        if r.random() < 0.2:
            row[2] = r.choice(["x", "1,5", "--1", "0x10", "1e", "NA", "1 2"])
        if r.random() < 0.1:
            row[:] = r.choice([row + ["more"], row[:2], [""]])
    return rows


def is_bad(row):
    if len(row) != len(COLUMNS):
        return True
    try:
        number_key(row[2], False)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("seed", range(12))
def test_bad_rows_are_last_or_left_out(seed):
    r = random.Random(100 + seed)
    text = table([*random_bad(r, 60), ["1", "", "1", "", ""]])
    raw, values = split(text)
    values = [v if v else [""] for v in values]
    keys = [("number", "number", seed % 2 == 1)]
    good = [i for i in range(1, len(values)) if not is_bad(values[i])]
    bad = [i for i in range(1, len(values)) if is_bad(values[i])]
    good.sort(key=lambda i: model_key(values[i], keys))
    pieces = ["-S", "8M"]
    for option, order, more in (
        ("last", good + bad, []),
        ("skip", good, []),
        ("last", good + bad, pieces),
        ("skip", good, pieces),
    ):
        done = run(text, "sort", "--csv", "--bad", option, *arguments_of(keys), *more)
        assert done.returncode == 0
        assert done.stdout == raw[0] + b"".join(raw[i] for i in order)
        assert (f": {len(bad)} bad row".encode() in done.stderr) == (len(bad) > 0)


@pytest.mark.parametrize("seed", range(6))
def test_bad_values_as_text_come_after_numbers(seed):
    r = random.Random(200 + seed)
    text = table(random_bad(r, 60))
    raw, values = split(text)

    def key(i):
        row = values[i]
        value = row[2] if len(row) > 2 else ""
        try:
            return number_key(value, False)
        except ValueError:
            return (2, value.encode())

    order = sorted(range(1, len(values)), key=key)
    for more in ([], ["-S", "8M"]):
        got = ordo(text, "sort", "--csv", "--bad", "text", "--key", "number:number", *more)
        assert got == raw[0] + b"".join(raw[i] for i in order)


# ---- Other commands ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_rank_adds_a_column(seed):
    r = random.Random(300 + seed)
    end = r.choice(["\n", "\r\n"])
    text = table(random_rows(r, 80), ",", end)
    raw, values = split(text, ",", end)
    keys = random_keys(r)
    ties = r.choice(TIES)
    by = r.choice([[], ["--by", "name"], ["--by", "name", "--by", "number"]])
    groups = {}
    for i in range(1, len(values)):
        group = tuple(values[i][COLUMNS.index(c)] for c in by[1::2])
        groups.setdefault(group, []).append(i)
    ranks = {}
    for members in groups.values():
        keyed = {i: model_key(values[i], keys) for i in members}
        order = sorted(members, key=keyed.get)
        distinct = 0
        for place, i in enumerate(order):
            first = next(p for p, j in enumerate(order) if keyed[j] == keyed[i])
            last = max(p for p, j in enumerate(order) if keyed[j] == keyed[i])
            distinct += place == first
            ranks[i] = RANKS[ties](first, last, place, distinct)
    got = ordo(text, "rank", "--csv", "--ties", ties, "--as", "a,b", *by, *arguments_of(keys))
    strip = len(end)
    expected = [raw[0][:-strip] + b',"a,b"' + end.encode()]
    for i in range(1, len(values)):
        rank = ranks[i] if ranks[i] != int(ranks[i]) else int(ranks[i])
        expected.append(raw[i][:-strip] + f",{rank}{end}".encode())
    assert got == b"".join(expected)


@pytest.mark.parametrize("seed", range(12))
def test_topk_and_select_write_rows(seed):
    r = random.Random(400 + seed)
    text = table(random_rows(r, 50))
    raw, values = split(text)
    keys = random_keys(r)
    largest = [(c, t, True) for c, t, d in keys]  # a key without a direction is descending
    order = sorted(range(1, len(values)), key=lambda i: model_key(values[i], largest))
    got = ordo(text, "topk", "--csv", "-k", "7", *arguments_of(keys))
    assert got == raw[0] + b"".join(raw[i] for i in order[:7])
    names = sorted({v[4].encode() for v in values[1:]})
    expected = b"".join(
        raw[i] for name in names for i in [j for j in order if values[j][4].encode() == name][:2]
    )
    got = ordo(text, "topk", "--csv", "-k", "2", "--by", "name", *arguments_of(keys))
    assert got == raw[0] + expected
    order = sorted(range(1, len(values)), key=lambda i: model_key(values[i], keys))
    got = ordo(text, "select", "--csv", "-k", "3,1,50", *arguments_of(keys))
    assert got == raw[0] + raw[order[2]] + raw[order[0]] + raw[order[49]]


@pytest.mark.parametrize("seed", range(8))
def test_unique_and_check(seed):
    r = random.Random(500 + seed)
    text = table(random_rows(r, 60))
    raw, values = split(text)
    keys = random_keys(r)[:1]
    order = sorted(range(1, len(values)), key=lambda i: model_key(values[i], keys))
    keyed = [model_key(values[i], keys) for i in order]
    first = [i for p, i in enumerate(order) if p == 0 or keyed[p] != keyed[p - 1]]
    got = ordo(text, "sort", "-u", "--csv", *arguments_of(keys))
    assert got == raw[0] + b"".join(raw[i] for i in first)
    assert run(got, "sort", "-uc", "--csv", *arguments_of(keys)).returncode == 0
    assert run(text, "sort", "-C", "--csv", *arguments_of(keys)).returncode == int(
        order != sorted(order)
    )


def numbers(r, whole):
    if whole:
        return [r.choice(["", str(r.randrange(-50, 50)), " 7 "]) for _ in range(80)]
    return [r.choice(["", f"{r.uniform(-9, 9):.4f}", "1e2", "-3e-2"]) for _ in range(80)]


@pytest.mark.parametrize("seed", range(8))
def test_quantiles_of_columns_and_groups(seed):
    r = random.Random(600 + seed)
    one, two = numbers(r, True), numbers(r, False)
    group = [r.choice(["b", "a", '"a,b"', "10", "9"]) for _ in range(80)]
    text = ("g,one,word,two\n" + "".join(
        f"{g},{x},w,{y}\n" for g, x, y in zip(group, one, two))).encode()  # fmt: skip
    got = ordo(text, "quantile", "--csv", "-q", "0,0.3,1").decode().splitlines()
    assert got[0] == "column,0,0.3,1"
    for line, name, column in zip(got[1:], ("one", "two"), (one, two)):
        values = [float(v) for v in column if v.strip()]
        expected = np.quantile(values, [0, 0.3, 1])
        assert line.split(",")[0] == name
        assert [float(v) for v in line.split(",")[1:]] == pytest.approx(list(expected), nan_ok=True)
    got = ordo(text, "median", "--csv", "--column", "one", "--by", "g").decode().splitlines()
    assert got[0] == "g,column,median"
    expected = {}
    for g, x in zip(group, one):
        if x.strip():
            expected.setdefault(g, []).append(int(x))
    assert [line.rsplit(",", 2)[0] for line in got[1:]] == sorted(
        expected, key=lambda g: g.strip('"').encode()
    )
    for line in got[1:]:
        g, name, value = line.rsplit(",", 2)
        assert name == "one" and float(value) == statistics.median(expected[g])


def test_groups_of_numbers_are_in_the_order_of_numbers():
    text = b"year,x\n10,1\n9,2\n10,3\n9.0,4\n"
    assert ordo(text, "median", "--csv", "--by", "year", "--column", "x") == (
        b"year,column,median\n9,x,2\n9.0,x,4\n10,x,2\n"
    )


# ---- Files ---------------------------------------------------------------------------------------


def test_several_files_are_read_as_one(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfx,y\r\n3,a\r\n1,b")
    (tmp_path / "b").write_bytes(b"x,y\n2,c")
    (tmp_path / "c").write_bytes(b"")
    (tmp_path / "d").write_bytes(b"x,y")
    (tmp_path / "e").write_bytes(b"x,y\n0,d\nz,e\n")
    names = [tmp_path / n for n in "abcd"]
    (tmp_path / "f").write_bytes(b"x,z\n0,d\n")
    for pipe in ([], ["-S", "8M", "-"]):
        assert ordo(b"", "sort", "--csv", "--key", "x", *names, *pipe) == (
            b"\xef\xbb\xbfx,y\r\n1,b\r\n2,c\r\n3,a\r\n"
        )
        done = run(b"", "sort", "--csv", "--key", "x:number", *names, tmp_path / "e", *pipe)
        assert done.returncode == 2
        assert b"/e: line 3, column 1 'x': 'z' is not a number" in done.stderr
        done = run(b"", "sort", "--csv", "--key", "x", *names, tmp_path / "f", *pipe)
        assert done.returncode == 2 and b"/f: line 1: the header is not that of" in done.stderr


def test_in_place(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"x,y\n2,a\n1,b\n")
    assert ordo(b"", "sort", "--csv", "--key", "x", path, "-o", path) == b""
    assert path.read_bytes() == b"x,y\n1,b\n2,a\n"
