#!/usr/bin/env python3
"""Measures `ordo sort --csv` by two keys beside the other programs that are installed.

    bench/csv/measure.py build/ordo DIRECTORY [--megabytes N] [--threads N] [--repeat N]
                         [--memory N] [--case NAME]... [--peers NAME,NAME]

Makes a CSV file in DIRECTORY with 7 columns: id, city (200 values), date, price, quantity, a
comment in quotes with a comma, and a code of 15 hexadecimal digits. Cases:
    city price   by city as text, then by price, the largest first
    code         by code as text: every value is different
    id           by number: the file is sorted
--memory N also sorts with a limit of N MiB; DIRECTORY must then be on a disk.
Peers: GNU sort --parallel, without the header; DuckDB, Polars and pandas if Python can import them;
Miller (mlr) and qsv if they are installed. All programs read the file and write the result to a
file in DIRECTORY. Rows are explained in bench/programs.py. GNU sort's output is compared with that
of ordo.
"""

import multiprocessing
import os
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import programs

DUCKDB = """
import sys, duckdb
source, target, threads, order, memory = sys.argv[1:]
c = duckdb.connect()
c.execute(f"SET threads={threads}")
if memory != "0":
    c.execute(f"SET memory_limit='{memory}MiB'")
    c.execute(f"SET temp_directory='{target}.tmp'")
c.execute(f"COPY (SELECT * FROM read_csv('{source}') ORDER BY {order}) TO '{target}' (HEADER)")
"""
POLARS = """
import sys, polars as pl
source, target, by, down = sys.argv[1:]
down = [d == "1" for d in down.split(",")]
frame = pl.scan_csv(source).sort(by.split(","), descending=down, maintain_order=True)
frame.sink_csv(target)
"""
PANDAS = """
import sys, pandas as pd
source, target, by, down = sys.argv[1:]
up = [d == "0" for d in down.split(",")]
frame = pd.read_csv(source)
frame.sort_values(by.split(","), ascending=up, kind="stable").to_csv(target, index=False)
"""

# Name, keys of ordo, options of sort(1), DuckDB's order, columns, descending, Miller's, qsv's.
CASES = [
    ("city price", ["city:text", "price:number:desc"], ["-k2,2", "-k4,4nr"],
     "city, price DESC", "city,price", "0,1", ["-f", "city", "-nr", "price"], None),
    ("code", ["code:text"], ["-k8,8"], "code", "code", "0", ["-f", "code"], ["-s", "code"]),
    ("id", ["id:number"], ["-k1,1n"], "id", "id", "0", ["-nf", "id"], ["-s", "id", "-N"]),
]  # fmt: skip

CITIES = [
    "Amsterdam", "Berlin", "Copenhagen", "Dublin", "Edinburgh", "Frankfurt", "Geneva", "Hamburg",
]  # fmt: skip
WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india"]


DAYS = [f"{y}-{m:02}-{d:02}" for y in range(2015, 2025) for m in range(1, 13) for d in range(1, 29)]
CHUNK = 10000  # rows


def make_rows(chunk):
    """The text of CHUNK rows."""
    r = random.Random(chunk)
    lines = []
    for row in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        bits = r.getrandbits(64)
        city = bits % 200
        price = (bits >> 8) % 10**6 + 1
        comment = f"{WORDS[bits % 9]}, {WORDS[(bits >> 4) % 9]} {WORDS[(bits >> 9) % 9]}"
        lines.append(
            f"{row},{CITIES[city % 8]}{city},{DAYS[(bits >> 30) % len(DAYS)]},"
            f'{price // 100}.{price % 100:02},{(bits >> 50) % 1000},"{comment}",'
            f"{r.getrandbits(60):015x}\n"
        )
    return "".join(lines).encode()


def make_file(path, rows_path, size):
    """Writes the file, and the same without its header."""
    chunks = -(-size // len(make_rows(0)))
    with open(path, "wb") as out, open(rows_path, "wb") as rows, multiprocessing.Pool() as pool:
        out.write(b"id,city,date,price,quantity,comment,code\n")
        for text in pool.imap(make_rows, range(chunks)):
            out.write(text)
            rows.write(text)


def commands_of(ordo, case, arguments, memory, source, rows):
    """The commands to run, each with the file that it writes."""
    _, keys, gnu, duck, by, down, miller, qsv = case
    threads, folder = str(arguments.threads), arguments.directory
    target = {
        p: os.path.join(folder, f"{p}.out")
        for p in ("ordo", "sort", "duckdb", "polars", "pandas", "mlr", "qsv")
    }
    options = [f"--key={key}" for key in keys]
    limit = ["-S", f"{memory}Mi", "-T", folder] if memory else []
    gnu_limit = ["-S", f"{memory}M" if memory else "75%", "-T", folder]
    has = programs.has
    found = {
        "ordo": [ordo, "sort", "--csv", *options, *limit, "--threads", threads, source,
                 "-o", target["ordo"]],
        "sort": ["sort", "-s", "-t,", *gnu, *gnu_limit, f"--parallel={threads}", rows,
                 "-o", target["sort"]],
    }  # fmt: skip
    python = [sys.executable, "-c"]
    if has("duckdb"):
        found["duckdb"] = [*python, DUCKDB, source, target["duckdb"], threads, duck, str(memory)]
    if has("polars") and not memory:
        found["polars"] = [*python, POLARS, source, target["polars"], by, down]
    if has("pandas") and not memory:
        found["pandas"] = [*python, PANDAS, source, target["pandas"], by, down]
    if shutil.which("mlr") and not memory:
        script = 'mlr --csv sort "$@" > "$0"'
        found["mlr"] = ["sh", "-c", script, target["mlr"], *miller, source]
    if shutil.which("qsv") and not memory and qsv:
        found["qsv"] = ["qsv", "sort", *qsv, "--jobs", threads, source, "-o", target["qsv"]]
    return found, target


def same_rows(with_header, without):
    """Whether the first file is a header and then the second file."""
    if not os.path.exists(with_header) or not os.path.exists(without):
        return False
    with open(with_header, "rb") as a, open(without, "rb") as b:
        a.readline()
        while True:
            x, y = a.read(1 << 20), b.read(1 << 20)
            if x != y or not x:
                return x == y


def main():
    parser = programs.parser_of(__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    arguments = parser.parse_args()
    source = os.path.join(arguments.directory, "measure.csv")
    rows = os.path.join(arguments.directory, "measure-rows.csv")
    programs.in_child(make_file, source, rows, arguments.megabytes * 10**6)
    programs.print_heading(f"{os.path.getsize(source) / 1e6:.0f} MB", arguments)

    def commands(case, memory):
        return commands_of(arguments.ordo, case, arguments, memory, source, rows)

    def compare(_, target):
        return same_rows(target["ordo"], target["sort"])

    status = programs.race_all(CASES, arguments, commands, compare)
    os.unlink(source)
    os.unlink(rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
