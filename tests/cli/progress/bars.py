"""Runs commands with a pseudo terminal as stderr, and compares the progress bars that they draw.

ORDO_PROGRESS=0 draws every step, so that nothing depends on time. A line of COMMANDS is a command
line and, after a colon, phases whose bar must show a share, or "NAME:" for one that reports bytes.
"""

import os
import pty
import re
import signal
import subprocess
import sys

COMMANDS = """
sort k.npy -o out: sorting writing
sort k.txt: sorting writing
sort -n k.txt: sorting writing
sort --text k.txt: sorting writing
sort -k1,2 k.txt: sorting
sort -m --text sorted.txt sorted.txt: merging
sort -c --text sorted.txt: checking
sort -c sorted.npy: checking
sort --fasta p.fasta: splitting sorting
sort --csv t.csv --key b: sorting writing
sort -S 8Mi large.npy -o out: sort:
sort -S 8Mi --text large.txt: sorting:
sort -S 8Mi --csv large.csv --key 1: sorting:
argsort k.npy -o out: sorting writing
argsort --text k.txt: sorting writing
rank k.npy -o out: ranking writing
rank --csv t.csv --key b: ranking writing
rank -S 8Mi large.npy -o out: rank:
select k.npy -k 5: selecting
median k.npy: selecting
quantile k.npy: selecting
quantile -S 8Mi large.npy: quantile:
quantile --csv t.csv: selecting
percentile k.npy -p 5: selecting
topk k.npy -k 5: selecting
topk --text k.txt -k 5: reading
topk -S 8Mi large.npy -k 5: topk:
topk --csv t.csv -k 5 --key b: sorting
describe k.npy: selecting
unique k.npy -o out: sorting writing
unique --text large.txt: counting
unique --text -c -S 8Mi large.txt: sorting:
merge sorted.npy sorted.npy -o out: checking sorting
check sorted.npy: checking
check --text sorted.txt: checking
shuffle k.npy -o out: shuffling
sample k.npy -k 150000 -o out: shuffling
radius k.npy: measuring
scan k.npy --wide -o out: scanning
moving k.npy --window 10 -o out: moving.the.window
partition k.npy --flags flags.npy -o out: partitioning
suffix k.txt -o out.npy: sorting.suffixes
suffix k.txt -o out.npy --lcp lcp.npy --verify: verifying common.prefixes
bwt k.txt -o out: transforming
unbwt k.bwt -o out: inverting
index k.txt -o out: indexing
search k.fm 1 --check -o out: loading
bzip2 -kc k.txt: compressing
bzip2 -dc k.txt.bz2: decompressing
bzip2 -t k.txt.bz2: decompressing
gen uniform -n 2e5 -o out.npy: generating
gen strings -n 2e4 -o out: generating
gen uniform -n 2e5: generating writing
"""
# Commands whose steps report no share: the time they have taken is drawn.
TIMES = """
min k.npy: computing
max k.txt: reading
sum k.npy: computing
sum --csv t.csv: reading.columns
count --text k.txt: counting
search k.fm 1 -o out: search
unique --csv t.csv --key b --counts: unique
tune -n 2^12 --device cpu: measuring
"""
ERASE = b"\r\033[K"


def environment(seconds):
    return dict(os.environ, ORDO_PROGRESS=seconds, ORDO_TUNE_FILE="")


def start(words, seconds, stdin=subprocess.DEVNULL, results="a file"):
    """Begins a command; returns it and the end of the terminal to read its stderr from."""
    master, slave = pty.openpty()
    with open("stdout", "wb") as file:
        out = slave if results == "the terminal" else file
        process = subprocess.Popen(
            words, stdin=stdin, stdout=out, stderr=slave, env=environment(seconds)
        )
    os.close(slave)
    return process, master


def read_some(master):
    try:
        return os.read(master, 65536)
    except OSError:  # Linux: the other end is closed
        return b""


def read_all(master):
    data = b"".join(iter(lambda: read_some(master), b""))
    os.close(master)
    return data


def complain(line, why, data=b""):
    print(f"{line}: {why} {data[-200:]!r}")


def check(line, pattern):
    """Runs the command of a line. Each of its phases must match the pattern."""
    command, _, phases = line.rpartition(": ")
    words = ["ordo", *command.split()]
    if words[1] not in ("bzip2", "tune"):
        words += ["--threads", "1"]
    process, master = start(words, "0")
    data = read_all(master)
    if process.wait() != 0:
        complain(command, f"exit code {process.returncode}", data)
    for phase in phases.split():
        if not re.search(pattern(phase), data):
            complain(command, f"no bar of {phase}", data)
    if not data.endswith(ERASE):
        complain(command, "the bar is not erased", data)
    quiet = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment("0"),
    )
    if quiet.stderr:
        complain(command, "a bar, but stderr is no terminal", quiet.stderr)


def share(phase):
    if phase.endswith(":"):
        return rb"\r%s [a-z ]+ +[^\r]* of [0-9.]+ GB" % phase.encode()
    return rb"\r%s \[[#.]{40}\] +\d+ %%" % phase.encode()


def time_taken(phase):
    return rb"\r%s  \d+ s" % phase.encode()


def wait_for_input(interrupt):
    """A command that waits for its input draws a bar, too, by itself. A signal erases it."""
    process, master = start(["ordo", "sort", "--text"], "0.01", stdin=subprocess.PIPE)
    data = b""
    while not re.search(time_taken("reading"), data):
        some = read_some(master)
        if not some:
            break
        data += some
    if interrupt:
        process.send_signal(signal.SIGINT)
    else:
        process.stdin.write(b"b\na\n")
    process.stdin.close()
    data += read_all(master)
    expected = -signal.SIGINT if interrupt else 0
    if process.wait() != expected or not data.endswith(ERASE):
        complain("waiting", f"exit code {process.returncode}", data)


def main():
    for line in COMMANDS.strip().splitlines():
        check(line, share)
    for line in TIMES.strip().splitlines():
        check(line, time_taken)
    wait_for_input(interrupt=False)
    wait_for_input(interrupt=True)
    process, master = start(["ordo", "sort", "k.txt"], "1e9")
    data = read_all(master)
    if process.wait() != 0 or data:
        complain("sort", "a bar before its time", data)
    # Results on a terminal have no bar between them.
    process, master = start(["ordo", "sort", "k.txt"], "0", results="the terminal")
    data = read_all(master)
    alone = re.search(rb"\rsorting \[[^\n]*\033\[K(-?\d+\r\n){100000}$", data)
    if process.wait() != 0 or not alone:
        complain("sort", "a bar between results", data)


if __name__ == "__main__":
    sys.exit(main())
