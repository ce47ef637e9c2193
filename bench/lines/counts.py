#!/usr/bin/env python3
"""Measures the ten most frequent lines by `ordo unique` beside awk, uniq, DuckDB and Polars.

    bench/lines/counts.py build/ordo DIRECTORY [--lines N] [--threads N] [--repeat N] [--memory N]
                          [--case NAME]... [--peers NAME,NAME]

Cases, each a file of --lines lines such as "/path/1234", made in DIRECTORY:
    100, 10000, 1000000   so many distinct lines, all equally frequent
    zipf                  a million distinct lines, the k-th with a weight of 1 / k
--memory N also counts with -S of N MiB. Lines of equal counts are in the order of their bytes. The
program "uniq" is sort | uniq -c | sort; its output is compared with that of ordo. Rows are
explained in bench/programs.py.
"""

import itertools
import os
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import programs

DUCKDB = """
import sys, duckdb
source, target, threads, memory = sys.argv[1:]
c = duckdb.connect()
c.execute(f"SET threads={threads}")
c.execute("SET enable_progress_bar=false")
if memory != "0":
    c.execute(f"SET memory_limit='{memory}MiB'")
read = "header=false, auto_detect=false, quote='', escape='', delim='\\t', columns={'a': 'VARCHAR'}"
rows = f"SELECT count(*) AS n, a FROM read_csv('{source}', {read}) GROUP BY a ORDER BY n DESC, a"
c.execute(f"COPY ({rows} LIMIT 10) TO '{target}' (FORMAT csv, HEADER false, DELIMITER ' ')")
"""
POLARS = """
import sys, polars as pl
source, target = sys.argv[1:]
frame = pl.scan_csv(source, has_header=False, separator="\\t", quote_char=None, new_columns=["a"])
counts = frame.group_by("a").len("n").sort(["n", "a"], descending=[True, False]).head(10)
counts.select("n", "a").collect().write_csv(target, include_header=False, separator=" ")
"""
AWK = """awk '{n[$0]++} END {for (a in n) print n[a], a}' "$1" |
         sort -k1,1nr -k2 | head -n 10 >"$0" """
SORT = """sort --parallel=$2 -S 50% -T "$3" "$1" | uniq -c | sort -k1,1nr -k2 | head -n 10 |
          sed 's/^ *//' >"$0" """


def make_file(path, case, n):
    count = 10**6 if case == "zipf" else int(case)
    names = [f"/path/{i}\n" for i in range(count)]
    sums = list(itertools.accumulate(1 / k for k in range(1, count + 1)))
    weights = {"cum_weights": sums} if case == "zipf" else {}
    draws = random.Random(1)
    with open(path, "w", encoding="ascii") as out:
        for begin in range(0, n, 10**6):
            out.writelines(draws.choices(names, k=min(10**6, n - begin), **weights))


def commands_of(ordo, path, threads, memory, folder):
    """The commands to run, and the file that each writes."""
    programs_run = ("ordo", "uniq", "awk", "duckdb", "polars")
    target = {name: os.path.join(folder, f"{name}.out") for name in programs_run}
    python = [sys.executable, "-c"]
    size = ["-S", f"{memory}Mi"] if memory else []
    found = {
        "ordo": [ordo, "unique", "--text", "--counts", "--sort", "count", "--top", "10", *size,
                 "-T", folder, "--threads", str(threads), path, "-o", target["ordo"]],
        "uniq": ["sh", "-c", SORT, target["uniq"], path, str(threads), folder],
    }  # fmt: skip
    if shutil.which("awk") and not memory:
        found["awk"] = ["sh", "-c", AWK, target["awk"], path]
    if programs.has("duckdb"):
        found["duckdb"] = [*python, DUCKDB, path, target["duckdb"], str(threads), str(memory)]
    if programs.has("polars") and not memory:
        found["polars"] = [*python, POLARS, path, target["polars"]]
    return found, target


def main():
    parser = programs.parser_of(__doc__)
    parser.add_argument("--lines", type=int, default=10_000_000)
    arguments = parser.parse_args()
    folder = arguments.directory
    path = os.path.join(folder, "counts.txt")
    programs.print_heading(f"{arguments.lines} lines", arguments)

    def commands(case, memory):
        programs.in_child(make_file, path, case[0], arguments.lines)
        return commands_of(arguments.ordo, path, arguments.threads, memory, folder)

    def compare(_, target):
        return programs.same_bytes(target, "uniq")

    cases = [(name,) for name in ("100", "10000", "1000000", "zipf")]
    status = programs.race_all(cases, arguments, commands, compare, "uniq")
    os.unlink(path)
    return status


if __name__ == "__main__":
    sys.exit(main())
