"""Commands with --csv beside sort: in memory and with a limit of memory, against a model.

With -S and a pipe, or a file that does not fit, the commands work in blocks and with temporary
files. Their output must be the same bytes.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from cases import TIES
from csv_model import (
    arguments_of,
    model_key,
    needs_command,
    ordo,
    random_keys,
    random_rows,
    run,
    split,
    table,
)

pytestmark = needs_command

LIMITED = ["-S", "8M"]


def some_table(r, n):
    end = r.choice(["\n", "\r\n"])
    always = {i for i in range(n + 1) if r.random() < 0.3}
    text = table(random_rows(r, n), ",", end, r.random() < 0.7, always, r.choice(["", "\ufeff"]))
    mark = "\ufeff".encode() if text.startswith("\ufeff".encode()) else b""
    raw, values = split(text, ",", end)
    return text, mark, raw, values, end


def in_order(values, keys):
    return sorted(range(1, len(values)), key=lambda i: model_key(values[i], keys))


@pytest.mark.parametrize("seed", range(15))
def test_argsort(seed):
    r = random.Random(seed)
    text, _, _, values, _ = some_table(r, r.choice([0, 1, 40, 700]))
    keys = random_keys(r)
    base = r.randrange(2)
    expected = "".join(f"{i - 1 + base}\n" for i in in_order(values, keys)).encode()
    for limit in ([], LIMITED):
        more = ["--one-based"] if base else []
        assert ordo(text, "argsort", "--csv", *more, *arguments_of(keys), *limit) == expected


@pytest.mark.parametrize("seed", range(15))
def test_unique(seed):
    r = random.Random(100 + seed)
    text, mark, raw, values, end = some_table(r, r.choice([0, 1, 40, 700]))
    keys = random_keys(r)[: r.randrange(1, 3)]
    ties = []
    for i in in_order(values, keys):
        if ties and model_key(values[ties[-1][0]], keys) == model_key(values[i], keys):
            ties[-1].append(i)
        else:
            ties.append([i])

    def wider(i, value):
        return raw[i][: -len(end)] + f",{value}{end}".encode()

    plain = mark + raw[0] + b"".join(raw[t[0]] for t in ties)
    counts = mark + wider(0, "times") + b"".join(wider(t[0], len(t)) for t in ties)
    for limit in ([], LIMITED):
        common = ["unique", "--csv", *arguments_of(keys), *limit]
        assert ordo(text, *common) == plain
        assert ordo(text, *common, "--counts", "--as", "times") == counts
        assert ordo(text, *common, "--count") == f"{len(ties)}\n".encode()


@pytest.mark.parametrize("seed", range(20))
def test_topk_and_select_in_blocks(seed, tmp_path):
    r = random.Random(200 + seed)
    text, mark, raw, values, _ = some_table(r, r.choice([0, 1, 40, 700]))
    keys = random_keys(r)
    smallest = r.random() < 0.5 and not all(d for c, t, d in keys)
    order = in_order(values, [(c, t, d or not smallest) for c, t, d in keys])
    k = r.choice([0, 1, 7, 100, 10**9])
    arguments = ["--csv", "-k", str(k), *arguments_of(keys), *(["--smallest"] if smallest else [])]
    path = tmp_path / "t.csv"
    path.write_bytes(text)
    top = mark + raw[0] + b"".join(raw[i] for i in order[:k])
    for limit in ([], LIMITED):
        assert ordo(text, "topk", *arguments, *limit) == top
        assert ordo(b"", "topk", path, *arguments, *limit) == top
    groups = {}
    for i in order:
        groups.setdefault(values[i][4].encode(), []).append(i)
    top = mark + raw[0] + b"".join(raw[i] for g in sorted(groups) for i in groups[g][:k])
    for limit in ([], LIMITED):
        assert ordo(text, "topk", *arguments, "--by", "name", *limit) == top
    if len(values) > 3:
        order = in_order(values, keys)
        for limit in ([], LIMITED):
            got = ordo(text, "select", "--csv", "-k", "3,1,3", *arguments_of(keys), *limit)
            assert got == mark + b"".join(raw[i] for i in (0, order[2], order[0], order[2]))
            done = run(text, "select", "--csv", "-k", "9999", *arguments_of(keys), *limit)
            assert done.returncode == 2 and b"-k 9999 is too large" in done.stderr


@pytest.mark.parametrize("seed", range(15))
def test_rank_with_a_limit_is_that_in_memory(seed, tmp_path):
    """test_csv.py compares ranks in memory with a model."""
    r = random.Random(300 + seed)
    text, *_ = some_table(r, r.choice([0, 1, 40, 700]))
    by = r.choice([[], ["--by", "name"], ["--by", "name", "--by", "number"]])
    arguments = ["--csv", "--ties", r.choice(TIES), *by, *arguments_of(random_keys(r))]
    path = tmp_path / "t.csv"
    path.write_bytes(text)
    whole = ordo(text, "rank", *arguments)
    assert ordo(text, "rank", *arguments, *LIMITED) == whole
    assert ordo(b"", "rank", path, *arguments, *LIMITED, "-T", tmp_path) == whole


@pytest.mark.parametrize("rule", ["last", "skip", "text"])
@pytest.mark.parametrize("seed", range(4))
def test_bad_rows_are_the_same_with_a_limit(seed, rule):
    r = random.Random(400 + seed)
    rows = random_rows(r, 300)
    for row in rows:
        if r.random() < 0.2:
            row[2] = r.choice(["x", "--1", "NA"])
        if r.random() < 0.1:
            row[:] = r.choice([[*row, "more"], row[:2]])
    text = table(rows)
    for command in (["sort"], ["argsort"], ["unique", "--counts"], ["topk", "-k", "9"],
                    ["topk", "-k", "299", "--smallest"], ["select", "-k", "5"],
                    ["rank", "--ties", "average"], ["rank", "--by", "name"]):  # fmt: skip
        arguments = [*command, "--csv", "--bad", rule, "--key", "number:number"]
        whole, limited = run(text, *arguments), run(text, *arguments, *LIMITED)
        assert (whole.returncode, whole.stdout) == (0, limited.stdout), limited.stderr
        assert whole.stderr == limited.stderr
        assert (b" bad rows " in whole.stderr) == (rule != "text")


def test_a_bad_value_is_named_in_any_block(tmp_path):
    text = b"a,b\n" + b"1,2\n" * 900000 + b'x,"\n",\n3,y\n'
    path = tmp_path / "t.csv"
    path.write_bytes(text)
    for command in (["sort"], ["argsort"], ["unique"], ["topk", "-k", "2"], ["select", "-k", "1"],
                    ["rank"]):  # fmt: skip
        done = run(b"", *command, path, "--csv", "--key", "a:number", *LIMITED)
        assert done.returncode == 2
        assert b"line 900002: the row has 3 fields" in done.stderr
    path.write_bytes(text.replace(b'x,"\n",\n', b'5,"6"\n'))
    for command in ("min", "describe", "median"):
        done = run(b"", command, path, "--csv", "--column", "b", *LIMITED)
        assert done.returncode == 2
        assert b"line 900003, column 2 'b': 'y' is not a number" in done.stderr


# ---- Columns -------------------------------------------------------------------------------------


def some_values(r, kind, n):
    choices = {
        "whole": lambda: r.choice(["", str(r.randrange(-50, 50)), " 7 "]),
        "large": lambda: str(r.randrange(2**63, 2**64)),
        "mixed": lambda: str(r.randrange(99)),
        "real": lambda: r.choice(["", f"{r.uniform(-9, 9):.4f}", "1e2", "-3e-2", "7"]),
        "nan": lambda: r.choice(["nan", "1.5", "-2", "1e300", ""]),
    }
    values = [choices[kind]() for _ in range(n)]
    if kind == "mixed" and n > 0:
        values[-1] = "0.5"
    return values


def exact_sum(values):
    return math.nan if any(math.isnan(v) for v in values) else sum(Fraction(v) for v in values)


def deviation(values):
    """The sample standard deviation, rounded at the end."""
    if len(values) < 2:
        return math.nan
    exact = [Fraction(v) for v in values]
    mean = sum(exact) / len(exact)
    square = sum((v - mean) ** 2 for v in exact) / (len(exact) - 1)
    digits = 2000  # more than f64 has on both sides of the point
    return float(Fraction(math.isqrt((square.numerator << 2 * digits) // square.denominator),
                          1 << digits))  # fmt: skip


def model(command, values, omit):
    """The results of a column as numbers."""
    if omit:
        values = [v for v in values if not math.isnan(v)]
    nan = any(math.isnan(v) for v in values) or not values
    if command == "count":
        return [len(values)]
    if command == "sum":
        return [float(exact_sum(values))]
    least, most = (math.nan, math.nan) if nan else (min(values), max(values))
    if command in ("min", "max"):
        return [float(least if command == "min" else most)]
    quartiles = np.quantile(values, [0.25, 0.5, 0.75]) if values else [math.nan] * 3
    mean = math.nan if nan else float(exact_sum(values)) / len(values)
    spread = math.nan if nan else deviation(values)
    return [len(values), mean, spread, float(least), *quartiles, float(most)]


@pytest.mark.parametrize("command", ["min", "max", "sum", "count", "describe"])
@pytest.mark.parametrize("seed", range(6))
def test_summaries_of_columns_and_groups(command, seed):
    r = random.Random(f"{command} {seed}")
    n = r.choice([1, 3, 60, 1500])
    kinds = r.sample(["whole", "large", "mixed", "real", "nan"], 3)
    columns = [some_values(r, kind, n) for kind in kinds]
    for column in columns:
        column[0] = column[0].strip() or "1"
    groups = [r.choice(["b", "a", "a,b", 'q"', "10", "9"]) for _ in range(n)]
    groups[0] = "b"  # so that --by compares text
    quoted = ['"' + g.replace('"', '""') + '"' if set(g) & set(',"') else g for g in groups]
    text = ("g,w," + ",".join(kinds) + "\n").encode()
    for row in zip(quoted, *columns):
        text += f"{row[0]},word,{','.join(row[1:])}\n".encode()
    numbers = [[float(v) if kind in ("mixed", "real", "nan") else int(v) for v in c if v.strip()]
               for kind, c in zip(kinds, columns)]  # fmt: skip
    omit = r.random() < 0.5
    more = ["--nans", "omit"] if omit else []
    whole = ordo(text, command, "--csv", *more)
    assert whole == ordo(text, command, "--csv", *more, *LIMITED)
    lines = whole.decode().splitlines()
    assert lines[0].split(",")[0] == "column" and len(lines) == 4
    for line, kind, values in zip(lines[1:], kinds, numbers):
        name, *results = line.split(",")
        expected = pytest.approx(model(command, values, omit), rel=1e-14, abs=1e-13, nan_ok=True)
        assert name == kind and [float(v) for v in results] == expected
        if command == "sum" and kind == "large":
            assert int(results[0]) == sum(values)
    some = ["--column", kinds[1], "--column", "3", "--by", "g"]
    whole = ordo(text, command, "--csv", *more, *some)
    assert whole == ordo(text, command, "--csv", *more, *some, *LIMITED)
    _, rows = split(whole)
    assert rows[0][:2] == ["g", "column"]
    expected = []
    for place in (1, 0):
        for g in sorted(set(groups), key=str.encode):
            values = [float(v) if kinds[place] in ("mixed", "real", "nan") else int(v)
                      for v, h in zip(columns[place], groups) if h == g and v.strip()]  # fmt: skip
            if values:
                expected.append((g, kinds[place], model(command, values, omit)))
    assert [(row[0], row[1]) for row in rows[1:]] == [(g, c) for g, c, _ in expected]
    for row, (_, _, values) in zip(rows[1:], expected):
        found = [float(v) for v in row[2:]]
        assert found == pytest.approx(values, rel=1e-14, abs=1e-13, nan_ok=True)


@pytest.mark.parametrize("seed", range(6))
def test_quantiles_with_a_limit_are_those_in_memory(seed):
    r = random.Random(700 + seed)
    rows = random_rows(r, 400)
    for row in rows:
        row[2] = r.choice([str(r.randrange(99)), f"{r.uniform(-9, 9):.3f}", "", "x"])
    text = table(rows)
    by = r.choice([[], ["--by", "name"], ["--by", "text", "--by", "name"]])
    for command in (["quantile", "-q", "0,0.3,1"], ["median"], ["percentile", "-p", "99"],
                    ["quantile", "--method", "nearest"]):  # fmt: skip
        arguments = [*command, "--csv", "--bad", "skip", "--column", "number", *by]
        whole, limited = run(text, *arguments), run(text, *arguments, *LIMITED)
        assert whole.returncode == 0 and b"left out: not a number" in whole.stderr
        assert (limited.stdout, limited.stderr) == (whole.stdout, whole.stderr)


def test_many_rows_with_temporary_files(tmp_path):
    """Enough rows for several sorted runs and blocks."""
    r = random.Random(8)
    lines = [f"{i % 7},{r.randrange(1 << 40)},{'w' * r.randrange(40)}\n" for i in range(400000)]
    path = tmp_path / "t.csv"
    path.write_text("g,n,w\n" + "".join(lines), encoding="ascii")
    for arguments in (["argsort", "--key", "n"], ["rank", "--key", "w", "--ties", "average"],
                      ["rank", "--key", "n", "--by", "g"], ["unique", "--key", "w", "--counts"],
                      ["select", "--key", "n", "-k", "400000,200000"],
                      ["topk", "--key", "n", "-k", "100000"], ["topk", "--key", "n", "-k", "3"],
                      ["topk", "--key", "n", "-k", "2", "--by", "w"],
                      ["median", "--column", "n"], ["describe", "--by", "g"],
                      ["sum", "--by", "g", "--by", "w"]):  # fmt: skip
        whole = ordo(b"", arguments[0], "--csv", path, *arguments[1:])
        assert ordo(b"", arguments[0], "--csv", path, *arguments[1:], *LIMITED, "-T",
                    tmp_path) == whole  # fmt: skip
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_columns_that_do_not_exist():
    for command in (["argsort", "--key"], ["unique", "--key"], ["min", "--column"]):
        done = run(b"a,b\n1,2\n", command[0], "--csv", command[1], "price")
        assert done.returncode == 2 and b"price" in done.stderr and b"a, b" in done.stderr
