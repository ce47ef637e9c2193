"""Measures ordo beside NumPy, SciPy, pandas, PyTorch and CuPy, in one run.

Sections: `overhead` (calls with ten elements, in microseconds), `host` (10^7 float64 in host
memory, one thread and all threads), `sizes` (partition, argpartition and unique of 10^3 to 10^7
float64 with one thread, beside NumPy), `distributions` (sort of 10^7 keys of every type, beside
NumPy), `rows` (functions along the rows of arrays of 10^6 x 3, 10^5 x 100 and 1000 x 10^5 float64,
beside NumPy and bottleneck), `groups` (10^6 float64 in 10^4 groups, rows of two columns, structs,
beside pandas and NumPy), `windows` (moving windows over 10^6 float64, beside pandas and
bottleneck), `strings`, `gpu` (2^28 float32 on the GPU) and `transfer` (10^8 float32 in host memory,
on the GPU where that is faster). A row shows the shortest time of several calls, and how many times
faster ordo is than the fastest other library. The run ends with the number of points (a row with a
number of threads) where ordo is ahead, level or behind, and the worst point. Libraries that are not
installed are skipped.

    python bench/python                           every section that this machine can run
    python bench/python host -n 1e6 --json out.json
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from typing import Any

import subjects
from harness import Bench, cpus, print_scores, scores

import ordo

SECTIONS = (
    "overhead", "host", "sizes", "distributions", "rows", "groups", "windows", "strings", "gpu",
    "transfer",
)  # fmt: skip
ON_GPU = ("gpu", "transfer")
SIZES = {"groups": 10**6, "windows": 10**6, "gpu": 1 << 28, "transfer": 10**8}


def machine() -> dict[str, Any]:
    versions: dict[str, Any] = {
        name: getattr(sys.modules[name], "__version__", "?")
        for name in ("numpy", "scipy", "pandas", "torch", "cupy")
        if name in sys.modules
    }
    return {
        "ordo": ordo.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": cpus(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **versions,
    }


def shape_of(text: str) -> tuple[int, ...]:
    shape = tuple(int(part) if part.isdigit() else 0 for part in text.split("x"))
    if len(shape) != 2 or 0 in shape:
        raise SystemExit(f"--shapes has {text!r}; expected rows and columns, as in 1000x3")
    return shape


def save(bench: Bench, path: str, revision: str | None) -> None:
    about = {"machine": machine(), "revision": revision}
    document = {**about, "scores": scores(bench.rows), "rows": bench.rows}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)


def main(arguments: list[str] | None = None) -> None:
    about = __doc__.split("\n")[0]
    parser = argparse.ArgumentParser(prog="python bench/python", description=about)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    of_n = "elements (defaults: 1e7, groups and windows 1e6, gpu 2^28, transfer 1e8)"
    parser.add_argument("-n", type=float, help=of_n)
    parser.add_argument(
        "--only", metavar="NAMES", help="only rows whose names start with one of these (a,b,c)"
    )
    parser.add_argument(
        "--shapes", metavar="LIST", help="shapes of section rows instead of those of -n: 1000x3,9x9"
    )
    parser.add_argument("--repeat", type=int, default=3, help="calls; the smallest time counts")
    parser.add_argument("--json", metavar="FILE", help="also write the rows to a JSON file")
    parser.add_argument("--revision", help="of the source; written to the JSON file")
    parser.add_argument("--list", action="store_true", help="print the sections and end")
    wish = parser.parse_args(arguments)
    if wish.list:
        for section in SECTIONS:
            print("python", "cuda" if section in ON_GPU else "cpu", section)
        return
    unknown = set(wish.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {', '.join(unknown)}; expected {', '.join(SECTIONS)}")
    shapes = [shape_of(text) for text in wish.shapes.split(",")] if wish.shapes else []
    bench = Bench(wish.repeat, wish.only.split(",") if wish.only else [], shapes)
    ordo.show_config()
    for section in wish.sections or SECTIONS:
        n = 10 if section == "overhead" else int(wish.n or SIZES.get(section, 10**7))
        print(f"\n{section}, {n} elements")
        getattr(subjects, section)(bench, n)
        if wish.json:
            save(bench, wish.json, wish.revision)
    print_scores(bench.rows)


if __name__ == "__main__":
    main()
