#!/usr/bin/env python3
"""Speed of `ordo bzip2` beside bzip2, lbzip2 and pbzip2, in one run.

    python3 bench/bzip2.py [--ordo build/ordo] [--threads 16] [--rounds 3]
        [--programs ordo,lbzip2,pbzip2,bzip2] [--json FILE] FILE...
    PYTHONPATH=python python3 bench/bzip2.py --memory cpu,cuda [--threads 16] [--rounds 3] FILE...
    PYTHONPATH=python python3 bench/bzip2.py --pieces 65536,4194304 [--threads 16] [--cpu] FILE...

Each program compresses each FILE with -9 and decompresses the result of bzip2 -9 (pbzip2: its own
result, because it uses several threads only for those). Programs take turns, so that all see the
same machine; the best of the rounds counts. Output goes to a pipe that is only read. The table has
MB/s of uncompressed bytes; with --cpu per second of CPU time, which depends less on other load. A
program that is not installed is left out, with a note. --json also writes all times, for
`make report`.

With --memory, each FILE is read once and compressed from memory to memory by ordo_bz_compress, in
one process, on each device: a program needs a few tenths of a second to start a GPU. The first call
of a device is left out. The compressed bytes are compared.

With --pieces, BZ2Compressor and BZ2Decompressor of ordo.bz2 and of Python's bz2 get each FILE, or
its compressed bytes, in pieces of that many bytes. The results are compared.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import hashlib
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from typing import Any


def programs(ordo: str, threads: int) -> dict[str, list[str]]:
    known = {
        "ordo": [ordo, "bzip2", "--threads", str(threads)],
        "lbzip2": ["lbzip2", "-n", str(threads)],
        "pbzip2": ["pbzip2", f"-p{threads}"],
        "bzip2": ["bzip2"],
    }
    found = {}
    for name, command in known.items():
        if shutil.which(command[0]) is None:
            print(f"{name}: {command[0]} was not found; it is left out")
        else:
            found[name] = command
    return found


def clock(cpu: bool) -> float:
    """Returns elapsed seconds, or the CPU seconds of the programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime if cpu else time.perf_counter()


def seconds(command: list[str], path: str, cpu: bool) -> float:
    """Returns the time of the command, which reads the file and writes to a pipe."""
    begin = clock(cpu)
    with (
        open(path, "rb") as source,
        subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE) as process,
    ):
        buffer = bytearray(1 << 20)
        while process.stdout.readinto(buffer):
            pass
    if process.returncode != 0:
        raise SystemExit(f"bzip2.py: {' '.join(command)} failed: {process.returncode}")
    return clock(cpu) - begin


def pack(path: str, found: dict[str, list[str]], folder: str) -> dict[str, str]:
    """Returns the compressed files: of bzip2 or ordo ("plain"), and of pbzip2."""
    packed = {}
    for name in ("bzip2", "pbzip2", "ordo"):
        if name in found and (name == "pbzip2" or "plain" not in packed):
            target = os.path.join(folder, name)
            with open(path, "rb") as source, open(target, "wb") as sink:
                subprocess.run([*found[name], "-9", "-c"], stdin=source, stdout=sink, check=True)
            packed["pbzip2" if name == "pbzip2" else "plain"] = target
    return packed


def measure(
    path: str, found: dict[str, list[str]], rounds: int, cpu: bool, folder: str
) -> dict[tuple[str, str], list[float]]:
    """Prints the rows of a file and returns all its times by work and program."""
    size = os.path.getsize(path)
    packed = pack(path, found, folder)
    taken: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds):
        for name, command in found.items():
            source = packed["pbzip2" if name == "pbzip2" else "plain"]
            for work, option, file in (("compress", "-9", path), ("decompress", "-d", source)):
                # One round of the program with one thread is enough.
                if name == "bzip2" and (work, name) in taken:
                    continue
                spent = seconds([*command, option, "-c"], file, cpu)
                taken.setdefault((work, name), []).append(spent)
    best = {key: min(times) for key, times in taken.items()}
    for work in ("compress", "decompress"):
        row = [f"{size / best[work, name] / 1e6:8.1f}" for name in found]
        ratio = "-"
        if "lbzip2" in found and "ordo" in found:
            ratio = f"{best[work, 'lbzip2'] / best[work, 'ordo']:.2f}"
        cells = [f"{os.path.basename(path)}, {size / 1e6:.0f} MB", work, *row, ratio]
        print(f"| {' | '.join(cells)} |")
    return taken


class Memory:
    """A file and its compressed bytes, for calls of the library."""

    def __init__(self, path: str) -> None:
        from ordo import _bz2

        self.calls = _bz2
        with open(path, "rb") as file:
            self.text = file.read()
        self.out = ctypes.create_string_buffer(_bz2.bound(len(self.text)))
        self.digest = ""

    def seconds(self) -> float:
        """Returns the time of one call on the device of the current context."""
        written = ctypes.c_size_t()
        source = ctypes.cast(ctypes.c_char_p(self.text), ctypes.c_void_p)
        begin = time.perf_counter()
        self.calls.compress(
            self.calls.host_context(), source, len(self.text), self.out, len(self.out),
            ctypes.addressof(written), self.calls.options(9), None,
        )  # fmt: skip
        spent = time.perf_counter() - begin
        digest = hashlib.md5(memoryview(self.out)[: written.value]).hexdigest()
        if self.digest not in ("", digest):
            raise SystemExit("bzip2.py: the devices gave different bytes")
        self.digest = digest
        return spent


def measure_memory(path: str, devices: list[str], threads: int, rounds: int) -> None:
    """Prints the row of a file: MB/s of the best call on each device."""
    import ordo

    data = Memory(path)
    size = len(data.text)
    best = {}
    for device in devices:
        with ordo.context(device=device, threads=threads):
            data.seconds()
            best[device] = min(data.seconds() for _ in range(rounds))
    row = [f"{size / best[device] / 1e6:8.1f}" for device in devices]
    ratio = f"{best[devices[0]] / best[devices[-1]]:.2f}"
    print(f"| {os.path.basename(path)}, {size / 1e6:.0f} MB | {' | '.join(row)} | {ratio} |")


def pieces_of(data: bytes, size: int) -> list[bytes]:
    return [data[place : place + size] for place in range(0, len(data), size)]


def own_clock(cpu: bool) -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime if cpu else time.perf_counter()


def pack_pieces(module: Any, pieces: list[bytes]) -> bytes:
    packer = module.BZ2Compressor()
    parts = [packer.compress(piece) for piece in pieces]
    return b"".join([*parts, packer.flush()])


def unpack_pieces(module: Any, pieces: list[bytes]) -> bytes:
    unpacker = module.BZ2Decompressor()
    return b"".join([unpacker.decompress(piece) for piece in pieces])


def measure_pieces(path: str, sizes: list[int], given: argparse.Namespace) -> None:
    """Prints the rows of a file: MB/s of the classes of both modules, which take turns."""
    import bz2 as python_bz2

    import ordo
    from ordo import bz2 as ordo_bz2

    with open(path, "rb") as file:
        text = file.read()
    packed = python_bz2.compress(text)
    modules = {"ordo": ordo_bz2, "Python": python_bz2}
    works = {"compress": (pack_pieces, text, packed), "decompress": (unpack_pieces, packed, text)}
    for work, (call, data, expected) in works.items():
        for size in sizes:
            pieces = pieces_of(data, size)
            best = dict.fromkeys(modules, float("inf"))
            for _ in range(given.rounds):
                for name, module in modules.items():
                    with ordo.context(threads=given.threads, device="cpu"):
                        begin = own_clock(given.cpu)
                        made = call(module, pieces)
                        best[name] = min(best[name], own_clock(given.cpu) - begin)
                    if made != expected:
                        raise SystemExit(f"bzip2.py: {name} gave other bytes")
            row = [f"{len(text) / best[name] / 1e6:8.1f}" for name in modules]
            ratio = f"{best['Python'] / best['ordo']:.2f}"
            name = f"{os.path.basename(path)}, {len(text) / 1e6:.0f} MB"
            print(f"| {name} | {work} | {size} | {' | '.join(row)} | {ratio} |")


def row_of(path: str, work: str, name: str, times: list[float], threads: int) -> dict[str, object]:
    """A row as the benchmarks of ordo write it."""
    size = os.path.getsize(path)
    return {
        "section": work,
        "label": os.path.basename(path),
        "op": work,
        "n": size,
        "bytes": size,
        "algorithm": "auto" if name == "ordo" else name,
        "peer": name != "ordo",
        "threads": 1 if name == "bzip2" else threads,
        "median_s": statistics.median(times),
        "seconds": times,
    }


def processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
        return names[0] if names else platform.machine()
    except OSError:
        return platform.machine()


def write_json(
    target: str, given: argparse.Namespace, version: str, rows: list[dict[str, object]]
) -> None:
    document = {
        "benchmark": "bzip2",
        "version": version,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": {"cpu": processor(), "cpus": len(os.sched_getaffinity(0))},
        "repeat": given.rounds,
        "threads": given.threads,
        "seed": 0,
        "rows": rows,
    }
    with open(target, "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ordo", default="build/ordo")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cpu", action="store_true", help="count CPU seconds, for busy machines")
    parser.add_argument("--programs", default="ordo,lbzip2,pbzip2,bzip2")
    parser.add_argument("--json", help="also write all times to this file")
    parser.add_argument("--memory", help="devices to compress on, from memory to memory")
    parser.add_argument("--pieces", help="sizes of the pieces for BZ2Compressor, BZ2Decompressor")
    parser.add_argument("files", nargs="+")
    given = parser.parse_args()
    unit = "MB per CPU second" if given.cpu else "MB/s"
    if given.pieces:
        print(f"{given.threads} threads, in pieces, {unit}, best of {given.rounds}")
        print("| file | work | bytes of a piece | ordo | Python | ordo / Python |")
        print("|---|---|---|---|---|---|")
        for path in given.files:
            measure_pieces(path, [int(size) for size in given.pieces.split(",")], given)
        return
    if given.memory:
        devices = given.memory.split(",")
        print(f"{given.threads} threads, memory to memory, MB/s, best of {given.rounds}")
        print("| file |", " | ".join(devices), f"| {devices[-1]} / {devices[0]} |")
        print("|---|" + "---|" * (len(devices) + 1))
        for path in given.files:
            measure_memory(path, devices, given.threads, given.rounds)
        return
    found = programs(given.ordo, given.threads)
    found = {name: found[name] for name in given.programs.split(",") if name in found}
    print(f"{given.threads} threads, {unit}, best of {given.rounds}")
    print("| file | work |", " | ".join(found), "| ordo / lbzip2 |")
    print("|---|---|" + "---|" * (len(found) + 1))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in given.files:
            taken = measure(path, found, given.rounds, given.cpu, folder)
            for (work, name), times in taken.items():
                rows.append(row_of(path, work, name, times, given.threads))
    if given.json:
        told = subprocess.run([given.ordo, "--version"], stdout=subprocess.PIPE, check=True)
        write_json(given.json, given, told.stdout.decode().split()[1], rows)


if __name__ == "__main__":
    main()
