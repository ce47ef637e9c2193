#!/usr/bin/env python3
"""Measures `ordo sort` of lines beside GNU sort and the other programs that are installed.

    bench/lines/measure.py build/ordo DIRECTORY [--lines N] [--threads N] [--repeat N] [--memory N]

Cases, each a file of --lines lines that is made in DIRECTORY:
    words      lines of random letters, 8 on average          sort
    numbers    whole numbers below 10^9                       sort -n
    two keys   a number below 1000, a tab, a number, a word   sort -k1,1n -k2,2n
--memory also sorts each file with -S of so many MiB.
Peers: GNU sort --parallel; DuckDB and Polars if Python can import them; Miller (mlr) and qsv if
they are installed. All programs read the file and write the result to a file in DIRECTORY. Rows go
to stdout: the least wall time of --repeat turns, in which the programs take turns, with the CPU
time and the peak memory of that turn. The output of GNU sort is compared with that of ordo.
"""

import argparse
import array
import filecmp
import importlib.util
import multiprocessing
import os
import platform
import random
import shutil
import subprocess
import sys
import time

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


def programs(ordo, case, threads, memory, folder):
    """The commands to run, each with the file that it writes."""
    _, path, options, duck, polars, miller = case
    size = ["-S", f"{memory}Mi" if memory else "75%"]
    gnu_size = ["-S", f"{memory}M" if memory else "75%"]
    text = ["--text"] if not options else []
    target = {
        p: os.path.join(folder, f"{p}.out")
        for p in ("ordo", "sort", "duckdb", "polars", "mlr", "qsv")
    }
    found = {
        "ordo": [
            ordo,
            "sort",
            *text,
            *options,
            *size,
            "-T",
            folder,
            "--threads",
            str(threads),
            path,
            "-o",
            target["ordo"],
        ],
        "sort": [
            "sort",
            *options,
            *gnu_size,
            "-T",
            folder,
            f"--parallel={threads}",
            path,
            "-o",
            target["sort"],
        ],
    }
    if importlib.util.find_spec("duckdb"):
        found["duckdb"] = [
            sys.executable,
            "-c",
            DUCKDB,
            path,
            target["duckdb"],
            str(threads),
            duck,
            str(memory),
        ]
    if importlib.util.find_spec("polars") and not memory:
        found["polars"] = [sys.executable, "-c", POLARS, path, target["polars"], *polars]
    if shutil.which("mlr") and not memory:
        found["mlr"] = [
            "sh",
            "-c",
            'mlr --inidx --onidx --fs tab sort "$@" > "$0"',
            target["mlr"],
            *miller,
            path,
        ]
    if shutil.which("qsv") and not memory and not options:
        found["qsv"] = [
            "qsv",
            "sort",
            "--no-headers",
            "--jobs",
            str(threads),
            path,
            "-o",
            target["qsv"],
        ]
    return found, target


def run(command, threads):
    """Wall seconds, CPU seconds, peak MiB and the last line of stderr if the command fails."""
    environment = {**os.environ, "LC_ALL": "C", "POLARS_MAX_THREADS": str(threads)}
    begin = time.monotonic()
    child = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    lines = errors.strip().splitlines() or ["failed"]
    reason = next((line for line in lines if "Error: " in line or "Exception: " in line), lines[-1])
    why = reason[:80] if child.returncode != 0 else ""
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, why


def measure(ordo, case, arguments, memory):
    """Prints the rows of a case; returns whether the outputs agree."""
    commands, target = programs(ordo, case, arguments.threads, memory, arguments.directory)
    best = {}
    for _ in range(arguments.repeat):
        for name, command in commands.items():
            result = run(command, arguments.threads)
            if name not in best or result[0] < best[name][0]:
                best[name] = result
    same = filecmp.cmp(target["ordo"], target["sort"], shallow=False)
    for name, (seconds, cpu, peak, why) in best.items():
        ratio = seconds / best["ordo"][0]
        limit = f"{memory} MiB" if memory else "none"
        note = why or ("" if name != "sort" else "same bytes" if same else "OTHER BYTES")
        times = f"{seconds:9.3f} {cpu:9.3f} {peak:8.0f} {ratio:8.2f}"
        print(f"{case[0]:10s} {limit:>9s} {name:8s} {times}  {note}", flush=True)
    for path in target.values():
        if os.path.exists(path):
            os.unlink(path)
    return same


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ordo")
    parser.add_argument("directory")
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--memory", type=int, default=0, help="MiB; 0: none")
    arguments = parser.parse_args()
    paths = [
        os.path.join(arguments.directory, f"{name}.txt") for name in ("words", "numbers", "two")
    ]
    # In a process of its own: the peak memory of a child includes that of its parent before exec().
    maker = multiprocessing.Process(target=make_files, args=(paths, arguments.lines))
    maker.start()
    maker.join()
    release = subprocess.run(
        ["sort", "--version"], capture_output=True, text=True, check=False
    ).stdout.split("\n")[0]
    machine = platform.processor() or platform.machine()
    print(f"{machine}, {arguments.threads} threads, {arguments.lines} lines, {release}")
    columns = f"{'seconds':>9s} {'CPU s':>9s} {'MiB':>8s} {'/ ordo':>8s}"
    print(f"{'case':10s} {'limit':>9s} {'program':8s} {columns}")
    same = True
    for memory in [0, *([arguments.memory] if arguments.memory else [])]:
        for case in cases(paths):
            same = measure(arguments.ordo, case, arguments, memory) and same
    for path in paths:
        os.unlink(path)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
