#!/usr/bin/env python3
"""Measures `ordo sort` of lines beside GNU sort and the other programs that are installed.

    bench/lines/measure.py build/ordo DIRECTORY [--lines N] [--threads N] [--repeat N] [--memory N]
                           [--case NAME]... [--peers NAME,NAME]

Cases, each a file of --lines lines that is made in DIRECTORY:
    words      lines of random letters, 8 on average          sort
    numbers    whole numbers below 10^9                       sort -n
    two keys   a number below 1000, a tab, a number, a word   sort -k1,1n -k2,2n
--memory N also sorts each file with -S of N MiB.
Peers: GNU sort --parallel; DuckDB and Polars if Python can import them; Miller (mlr) and qsv if
they are installed. All programs read the file and write the result to a file in DIRECTORY. Rows are
explained in bench/programs.py. The output of GNU sort is compared with that of ordo.
"""

import array
import os
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import programs

DUCKDB = """
import sys, duckdb
source, target, threads, keys, memory = sys.argv[1:]
c = duckdb.connect()
c.execute(f"SET threads={threads}")
c.execute("SET preserve_insertion_order=false")
c.execute("SET enable_progress_bar=false")
if memory != "0":
    c.execute(f"SET memory_limit='{memory}MiB'")
columns, order = keys.split(";")
read = f"header=false, auto_detect=false, quote='', escape='', delim='\\t', columns={{{columns}}}"
write = "FORMAT csv, HEADER false, DELIMITER '\\t', QUOTE ''"
rows = f"SELECT * FROM read_csv('{source}', {read}) ORDER BY {order}"
c.execute(f"COPY ({rows}) TO '{target}' ({write})")
"""
POLARS = """
import sys, polars as pl
source, target, by, types = sys.argv[1:]
schema = {f"c{i}": {"s": pl.String, "i": pl.Int64}[t] for i, t in enumerate(types)}
frame = pl.read_csv(source, has_header=False, separator="\\t", quote_char=None, schema=schema)
sorted_frame = frame.sort(by.split(","))
sorted_frame.write_csv(target, include_header=False, separator="\\t", quote_style="never")
"""


def words(n):
    """Letters, and a newline for one byte of nine."""
    letters = bytes(ord("a") + i % 26 for i in range(208))
    table = letters + b"\n" * 26 + bytes(ord("a") + i for i in range(22))
    return random.Random(1).randbytes(n * 256 // 26).translate(table)


def integers(seed, n, below):
    return (value % below for value in array.array("I", random.Random(seed).randbytes(4 * n)))


def make_files(paths, n):
    """Writes the files of the cases."""
    with open(paths[0], "wb") as out:
        out.write(words(n) + b"\n")
    with open(paths[1], "w", encoding="ascii") as out:
        out.write("\n".join(map(str, integers(2, n, 10**9))) + "\n")
    with open(paths[2], "w", encoding="ascii") as out:
        rows = zip(integers(3, n, 1000), integers(4, n, 10**9))
        out.write("\n".join(f"{a}\t{b}\tpayload" for a, b in rows) + "\n")


def cases(paths):
    """Name, file, options of sort(1), DuckDB's columns and order, Polars' keys and types, Miller's
    options."""
    three = "'a': 'BIGINT', 'b': 'BIGINT', 'c': 'VARCHAR';a, b, c"
    return [
        ("words", paths[0], [], "'a': 'VARCHAR';a", ("c0", "s"), ["-f", "1"]),
        ("numbers", paths[1], ["-n"], "'a': 'BIGINT';a", ("c0", "i"), ["-nf", "1"]),
        ("two keys", paths[2], ["-k1,1n", "-k2,2n"], three,
         ("c0,c1", "iis"), ["-nf", "1", "-nf", "2"]),
    ]  # fmt: skip


def commands_of(ordo, case, threads, memory, folder):
    """The commands to run, each with the file that it writes."""
    _, path, options, duck, polars, miller = case
    size = ["-S", f"{memory}Mi" if memory else "75%"]
    gnu_size = ["-S", f"{memory}M" if memory else "75%"]
    text = ["--text"] if not options else []
    target = {
        p: os.path.join(folder, f"{p}.out")
        for p in ("ordo", "sort", "duckdb", "polars", "mlr", "qsv")
    }
    count = str(threads)
    found = {
        "ordo": [ordo, "sort", *text, *options, *size, "-T", folder, "--threads", count, path,
                 "-o", target["ordo"]],
        "sort": ["sort", *options, *gnu_size, "-T", folder, f"--parallel={count}", path,
                 "-o", target["sort"]],
    }  # fmt: skip
    python = [sys.executable, "-c"]
    if programs.has("duckdb"):
        found["duckdb"] = [*python, DUCKDB, path, target["duckdb"], count, duck, str(memory)]
    if programs.has("polars") and not memory:
        found["polars"] = [*python, POLARS, path, target["polars"], *polars]
    if shutil.which("mlr") and not memory:
        script = 'mlr --inidx --onidx --fs tab sort "$@" > "$0"'
        found["mlr"] = ["sh", "-c", script, target["mlr"], *miller, path]
    if shutil.which("qsv") and not memory and not options:
        found["qsv"] = ["qsv", "sort", "--no-headers", "--jobs", count, path, "-o", target["qsv"]]
    return found, target


def main():
    parser = programs.parser_of(__doc__)
    parser.add_argument("--lines", type=int, default=10_000_000)
    arguments = parser.parse_args()
    folder = arguments.directory
    paths = [os.path.join(folder, f"{name}.txt") for name in ("words", "numbers", "two")]
    programs.in_child(make_files, paths, arguments.lines)
    programs.print_heading(f"{arguments.lines} lines", arguments)

    def commands(case, memory):
        return commands_of(arguments.ordo, case, arguments.threads, memory, folder)

    def compare(_, target):
        return programs.same_bytes(target, "sort")

    status = programs.race_all(cases(paths), arguments, commands, compare)
    for path in paths:
        os.unlink(path)
    return status


if __name__ == "__main__":
    sys.exit(main())
