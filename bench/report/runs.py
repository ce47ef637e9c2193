"""The runs of `ordo bench` that repeat a paper: subject, device, section, options.

scripts/measure --paper NAME makes these runs, the page prints them as commands, and a test compares
the rows that they make with those that the cards expect. The numbers of rounds are as small as the
verdicts allow. Some are the paper's: Figure 6 shows the least of 10 times, Roughsort's figures the
average of 8, and Table 2 that of 3.
"""

RUNS = {
    "ranking": [
        ("rank", "cuda", "p", "-n 128e6 --repeat 7"),
        ("rank", "cuda", "n", "-n 128e6 --repeat 5"),
        ("rank", "cpu", "p", "-n 128e6 --threads 32 --repeat 10"),
        ("rank", "cpu", "n", "-n 128e6 --repeat 3"),
    ],
    "hybrid": [
        ("hybrid", "cpu", "sample-keys", "--repeat 5"),
        ("hybrid", "cpu", "sample-pairs", "--repeat 5"),
        ("hybrid", "cpu", "sample-gaussian", "--repeat 5"),
        ("hybrid", "cpu", "sample-wide", "--repeat 5"),
        ("hybrid", "cpu", "sample-intervals", "--repeat 5"),
        ("hybrid", "cpu", "sample-gain", "--repeat 5"),
        ("hybrid", "cpu", "sample-inputs", "--repeat 5"),
        ("hybrid", "cpu", "sample-phases", "--repeat 21"),
        ("hybrid", "cpu", "sample-platforms", "--repeat 5"),
        ("hybrid", "cpu", "sample-threshold", "--repeat 7"),
        ("hybrid", "cpu", "strings", "--repeat 3"),
        ("hybrid", "cpu", "n", "-n 2^30 --repeat 3"),
    ],
    "roughsort": [
        ("radius", "cuda", "n", "-n 2e6 --repeat 8"),
        ("sort", "cuda", "rough", "-n 2e6 --repeat 8"),
    ],
    "median": [("select", "cuda", "paper", "--repeat 3")],
    "ballot": [
        ("scan", "cuda", "block", "-n 268435456 --repeat 7"),
        ("scan", "cuda", "poster", "-n 268435456 --repeat 7"),
        ("sort", "cuda", "split", "-n 268435456 --repeat 7"),
    ],
}


def options_of(paper, source):
    """The options of the run with this subject, device and section; "" if there is none."""
    return next((run[3] for run in RUNS.get(paper, ()) if run[:3] == source), "")


def file_of(run):
    """The name of the result file, as scripts/measure gives it."""
    subject, device, _, _ = run
    return subject if device == "cuda" or subject == "hybrid" else f"{subject}_cpu"


def needs_gpu(run):
    """Whether no row of the run can be measured without a GPU."""
    return run[1] == "cuda"


def command_of(run):
    subject, device, section, options = run
    where = " --device cuda" if device == "cuda" else ""
    return f"ordo bench {subject}{where} --only {section} {options}".rstrip()
