#!/usr/bin/env python3
"""Measures the sort of data larger than memory, beside GNU sort and DuckDB with the same limit.

    bench/external/measure.py build/ordo DIRECTORY --keys 2^29 --memory 512
    bench/external/measure.py build/ordo DIRECTORY --text 2^26 --text-memory 128
    bench/external/measure.py build/ordo DIRECTORY --text 10^7 --text-memory 0

DIRECTORY needs free space for four times the data. Rows go to stdout:
    binary   ordo sorts u64 keys from a raw file to a raw file
    bound    two reads and two writes of (1 + packed) / 2 of the same bytes, in the same directory,
             before and after the sort; before it `packed` is that of --packed
    text     ordo, GNU sort, DuckDB and Polars sort numbers, one a line; Polars has no limit
Before each row the files are written to disk and dropped from the page cache. Times are wall clock;
memory is the peak resident memory of the process; CPU is the time of all its threads. The outputs
of a table are compared.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time

PIECE = 8 << 20


def count(text):
    base, _, exponent = text.partition("^")
    return int(base) ** int(exponent) if exponent else int(text)


def drop(path):
    """Writes a file to disk and drops its pages from the cache."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def run(command, environment=None):
    """Wall seconds, peak resident MiB, stderr, status and CPU seconds of a command."""
    begin = time.monotonic()
    child = subprocess.Popen(
        command, env={**os.environ, **(environment or {})}, stderr=subprocess.PIPE, text=True
    )
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return time.monotonic() - begin, usage.ru_maxrss / 1024, errors, child.returncode, cpu


def row(name, keys, seconds, peak, note=""):
    rate = keys / seconds / 1e6
    numbers = f"{keys:12d} {seconds:9.2f} s {rate:9.2f} Mkeys/s {peak:9.0f} MiB"
    print(f"{name:28s} {numbers}  {note}", flush=True)


def generate(options, keys, form, path):
    """Writes uniform u64 keys to a file."""
    command = f"gen uniform -n {keys} --dtype u64 --format {form} -o {path}"
    subprocess.run([options.ordo, *command.split()], check=True)


def copy_bytes(source, target, n):
    """Reads and writes n bytes with the sizes that ordo uses, in one thread."""
    with open(source, "rb", buffering=0) as data, open(target, "wb", buffering=0) as out:
        left = n
        while left > 0:
            piece = data.read(min(PIECE, left))
            if not piece:
                break
            out.write(piece)
            left -= len(piece)
        os.fsync(out.fileno())


def bound(source, folder, n, packed):
    """Two reads and two writes of (1 + packed) / 2 of the bytes."""
    target = os.path.join(folder, "bound.bin")
    seconds = 0.0
    for _ in range(2):
        drop(source)
        begin = time.monotonic()
        copy_bytes(source, target, int(n * (1 + packed) / 2))
        seconds += time.monotonic() - begin
        os.remove(target)
    return seconds


def binary(options, folder):
    keys, memory = options.keys, options.memory << 20
    source, target = os.path.join(folder, "keys.bin"), os.path.join(folder, "sorted.bin")
    generate(options, keys, "raw", source)
    for _ in range(options.repeat):
        before = bound(source, folder, 8 * keys, options.packed)
        row("  bound before", keys, before, 0, f"packed {options.packed:.3f}")
        drop(source)
        command = f"sort {source} --dtype u64 -S {memory}b -T {folder} -o {target} --json"
        seconds, peak, errors, status, cpu = run([options.ordo, *command.split()])
        if status != 0:
            sys.exit(errors)
        report = json.loads(errors.splitlines()[-1])
        parts = [f"{p['name']} {p['seconds']:.1f} s ({p['bound']})" for p in report["phases"]]
        packed = report["packed"]
        note = f"CPU {cpu:.1f} s, packed {packed:.3f}, runs {report['runs']}, {', '.join(parts)}"
        row("ordo, binary", keys, seconds, peak, note)
        limit = bound(source, folder, 8 * keys, packed)
        times = f"ordo takes {seconds / limit:.2f} times as long, {seconds / before:.2f} of before"
        row("  bound after", keys, limit, 0, times)
    command = f"sort {target} --dtype u64 --check"
    checked = subprocess.run([options.ordo, *command.split()], check=False)
    print("  the output is sorted" if checked.returncode == 0 else "  THE OUTPUT IS NOT SORTED")
    os.remove(source)
    os.remove(target)


DUCKDB = """
import duckdb, sys
source, target, memory, folder = sys.argv[1:]
limit = {"memory_limit": memory} if memory != "0MiB" else {}
c = duckdb.connect(config={"temp_directory": folder + "/duckdb",
                           "preserve_insertion_order": False, **limit})
c.execute("SET enable_progress_bar = false")
c.execute(f"COPY (SELECT k FROM read_csv('{source}', header=false, columns={{'k': 'UBIGINT'}}) "
          f"ORDER BY k) TO '{target}' (FORMAT csv, HEADER false)")
"""


POLARS = """
import polars, sys
source, target = sys.argv[1:3]
table = polars.read_csv(source, has_header=False, schema={"k": polars.UInt64})
table.sort("k").write_csv(target, include_header=False)
"""


def text(options, folder):
    keys, memory = options.text, options.text_memory << 20
    source = os.path.join(folder, "keys.txt")
    names = ["ordo", "gnu", "duckdb", "polars"]
    targets = {name: os.path.join(folder, f"sorted-{name}.txt") for name in names}
    gnu_limit, limit = (f"-S{memory}b", f"-S {memory}b -T {folder}") if memory else ("", "")
    gnu = f"-n {gnu_limit} --parallel={os.cpu_count()} -T {folder} -o {targets['gnu']} {source}"
    ordo = f"sort {source} {limit} -o {targets['ordo']}"
    duckdb = [source, targets["duckdb"], f"{options.text_memory}MiB", folder]
    commands = {
        "ordo": ([options.ordo, *ordo.split()], {}),
        "gnu": (["sort", *gnu.split()], {"LC_ALL": "C"}),
        "duckdb": ([sys.executable, "-c", DUCKDB, *duckdb], {}),
        "polars": ([sys.executable, "-c", POLARS, source, targets["polars"]], {}),
    }
    generate(options, keys, "text", source)
    for name in names:
        drop(source)
        seconds, peak, errors, status, cpu = run(*commands[name])
        if status != 0:
            lines = errors.strip().splitlines() or [str(status)]
            reason = next((line for line in lines if "Error" in line), lines[-1])
            print(f"{name}, text: failed: {reason}")
            continue
        compare = subprocess.run(["cmp", "-s", targets["ordo"], targets[name]], check=False)
        same = compare.returncode == 0
        note = f"CPU {cpu:.1f} s" + ("" if same else ", OTHER BYTES THAN ORDO")
        row(f"{name}, text", keys, seconds, peak, note)
    for path in [source, *targets.values()]:
        if os.path.exists(path):
            os.remove(path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ordo")
    parser.add_argument("directory")
    parser.add_argument("--keys", type=count, default=0, help="binary keys; 0: none")
    parser.add_argument("--memory", type=int, default=512, help="MiB for the binary keys")
    parser.add_argument("--text", type=count, default=0, help="numbers in text; 0: none")
    parser.add_argument(
        "--text-memory", type=int, default=128, help="MiB for the numbers in text; 0: no limit"
    )
    parser.add_argument("--packed", type=float, default=0.7, help="ratio for the copy before")
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        models = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    model = models[0] if models else platform.machine()
    load = " ".join(f"{x:.1f}" for x in os.getloadavg())
    print(f"{model}, {os.cpu_count()} threads, load {load}, {time.strftime('%Y-%m-%d')}")
    print("command: bench/external/measure.py", *sys.argv[3:], flush=True)
    if options.keys:
        print(f"\n{options.keys} u64 keys, {options.memory} MiB of memory")
        binary(options, options.directory)
    if options.text:
        memory = f"{options.text_memory} MiB of memory" if options.text_memory else "no limit"
        print(f"\n{options.text} numbers in text, {memory}")
        text(options, options.directory)


if __name__ == "__main__":
    main()
