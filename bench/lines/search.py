#!/usr/bin/env python3
"""Measures searches in an indexed text by `ordo search` beside grep, which reads the text.

    bench/lines/search.py build/ordo DIRECTORY [--megabytes N] [--threads N] [--repeat N]
                          [--case NAME]...

The text is lines of common words, made in DIRECTORY with its index; the first lines have the time
of `ordo index` and the size of the index. Cases:
    count 1, 1000   how often so many patterns of 12 bytes occur, beside one `grep -c -F` of one
    lines 1         the lines with a pattern, beside `grep -F`, whose output is compared
Rows are explained in bench/programs.py.
"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import programs

PATTERN = 12  # bytes


def make_text(path, megabytes):
    """Lines of words, the k-th of 20,000 words with a weight of 1 / k."""
    draws = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(draws.choices(letters, k=draws.randint(1, 12))) for _ in range(20_000)]
    weights = [1 / (k + 1) for k in range(len(words))]
    with open(path, "w", encoding="ascii") as out:
        while out.tell() < megabytes * 1_000_000:
            some = draws.choices(words, weights, k=200_000)
            out.writelines(" ".join(some[i : i + 10]) + "\n" for i in range(0, len(some), 10))


def patterns_of(path, count):
    """Parts of lines."""
    draws = random.Random(2)
    size = os.path.getsize(path)
    found = []
    with open(path, "rb") as text:
        while len(found) < count:
            text.seek(draws.randrange(size - 1000))
            lines = [line for line in text.read(1000).split(b"\n")[1:-1] if len(line) > 2 * PATTERN]
            found += [line[:PATTERN] for line in lines[:1]]
    return found


def commands_of(ordo, case, text, index, folder):
    kind, count = case[0].split()
    target = {name: os.path.join(folder, f"{name}.out") for name in ("ordo", "grep")}
    patterns = os.path.join(folder, "patterns.txt")
    found = patterns_of(text, int(count))
    Path(patterns).write_bytes(b"\n".join(found) + b"\n")
    one = found[0].decode()
    script = '"$@" >"$0"'
    sh = ["sh", "-c", script]
    if kind == "count":
        return {
            "ordo": [*sh, target["ordo"], ordo, "search", index, "-f", patterns, "--count"],
            "grep": [*sh, target["grep"], "grep", "-c", "-F", one, text],
        }, target
    return {
        "ordo": [*sh, target["ordo"], ordo, "search", index, one, "--line"],
        "grep": [*sh, target["grep"], "grep", "-F", one, text],
    }, target


def main():
    parser = programs.parser_of(__doc__)
    parser.add_argument("--megabytes", type=int, default=50)
    arguments = parser.parse_args()
    folder = arguments.directory
    text, index = os.path.join(folder, "search.txt"), os.path.join(folder, "search.fm")
    programs.in_child(make_text, text, arguments.megabytes)
    programs.print_heading(f"{arguments.megabytes} MB of text", arguments)
    begin = time.monotonic()
    subprocess.run([arguments.ordo, "index", text, "-o", index], check=True)
    share = os.path.getsize(index) / os.path.getsize(text)
    print(f"index: {time.monotonic() - begin:.1f} s, {share:.3f} of the text")

    def commands(case, _):
        return commands_of(arguments.ordo, case, text, index, folder)

    def compare(case, target):
        return case[0].startswith("count") or programs.same_bytes(target, "grep")

    cases = [(name,) for name in ("count 1", "count 1000", "lines 1")]
    status = programs.race_all(cases, arguments, commands, compare, "grep")
    for path in (text, index):
        os.unlink(path)
    return status


if __name__ == "__main__":
    sys.exit(main())
