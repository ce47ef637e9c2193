"""Runs programs in turn and prints their times, for bench/lines and bench/csv.

A row is the median of the wall times, with the least one, the median of the CPU times, the largest
peak memory and the ratio of the median to that of ordo. The first program is ordo.
"""

import argparse
import filecmp
import importlib.metadata
import importlib.util
import multiprocessing
import os
import platform
import statistics
import subprocess
import time


def parser_of(description):
    """A parser with the arguments that all measurements have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ordo")
    parser.add_argument("directory")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--memory", type=int, default=0, help="MiB; 0: none")
    parser.add_argument("--case", action="append", help="may be given several times; default: all")
    parser.add_argument("--peers", help="names with commas; default: all that are installed")
    return parser


def in_child(make, *arguments):
    """Makes files in a process of its own: the peak memory of a child counts that of its parent."""
    maker = multiprocessing.Process(target=make, args=arguments)
    maker.start()
    maker.join()


def same_bytes(target, reference):
    return filecmp.cmp(target["ordo"], target[reference], shallow=False)


def has(module):
    return importlib.util.find_spec(module) is not None


def run(command, threads):
    """Wall seconds, CPU seconds, peak MiB and a line of stderr if the command fails."""
    environment = {**os.environ, "LC_ALL": "C", "POLARS_MAX_THREADS": str(threads)}
    begin = time.monotonic()
    child = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    lines = errors.strip().splitlines() or ["failed"]
    reason = next((line for line in lines if "Error: " in line or "Exception: " in line), lines[-1])
    why = reason[:80] if child.returncode != 0 else ""
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, why


def machine():
    """The CPU, the system and the versions of the peers."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    found = [names[0] if names else platform.machine(), platform.release()]
    version = subprocess.run(["sort", "--version"], capture_output=True, text=True, check=False)
    found += [version.stdout.split("\n")[0], f"Python {platform.python_version()}"]
    for name in ("duckdb", "polars", "pandas"):
        if has(name):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(found)


def print_heading(what, arguments):
    print(machine())
    print(f"{what}, {arguments.threads} threads, median of {arguments.repeat}")
    print("case           limit program    wall s   least s     CPU s peak MiB    ratio")


def race(case, commands, target, arguments, memory, compare, reference):
    """Prints the rows of a case; returns whether the outputs of ordo and of `reference` agree."""
    if arguments.peers is not None:
        wanted = ["ordo", reference, *arguments.peers.split(",")]
        commands = {name: c for name, c in commands.items() if name in wanted}
    results = {name: [] for name in commands}
    for _ in range(arguments.repeat):
        for name, command in commands.items():
            results[name].append(run(command, arguments.threads))
    same = compare(case, target)
    base = statistics.median(r[0] for r in results["ordo"])
    limit = f"{memory} MiB" if memory else "none"
    for name, found in results.items():
        wall = statistics.median(r[0] for r in found)
        cpu = statistics.median(r[1] for r in found)
        note = found[-1][3] or (
            "" if name != reference else "same bytes" if same else "OTHER BYTES"
        )
        numbers = (
            f"{wall:9.3f} {min(r[0] for r in found):9.3f} {cpu:9.3f} "
            f"{max(r[2] for r in found):8.0f} {wall / base:8.2f}"
        )
        print(f"{case[0]:10s} {limit:>9s} {name:8s} {numbers}  {note}", flush=True)
    for path in target.values():
        if os.path.exists(path):
            os.unlink(path)
    return same


def race_all(cases, arguments, commands_of, compare, reference="sort"):
    """Races the programs in the chosen cases, whose first item is their name, without and with
    --memory. commands_of(case, memory) returns two maps from the name of a program: to its command,
    and to the file that it writes. compare(case, files) returns whether the outputs of ordo and of
    the program `reference` agree. Returns the exit status: 1 if some outputs differ."""
    same = True
    for memory in [0, arguments.memory] if arguments.memory else [0]:
        for case in cases:
            if not arguments.case or case[0] in arguments.case:
                commands, target = commands_of(case, memory)
                same = race(case, commands, target, arguments, memory, compare, reference) and same
    return 0 if same else 1
