"""The first table of the page: ordo beside libraries and programs that many people use.

Each has one row of a result file, chosen here by its name and not by its ratio, and the mean of all
rows that it has. NumPy, SciPy and pandas use one thread for these functions, and so does ordo here.
"""

from dataclasses import dataclass

from markup import seconds, table, tag
from papers import choose_machine
from peers import LOSS
from stats import geometric_mean, times


@dataclass(frozen=True)
class Pair:
    """One row in which both took part."""

    name: str
    ours: float
    theirs: float
    machine: str
    file: str

    @property
    def gain(self):
        return self.theirs / self.ours


# What the table shows: library, its name in the rows, where they are, the row, what it is.
SHOWN = [
    ("NumPy", "numpy", "python", "rows sort 160x100000", "sort of 160 rows of 100,000 keys"),
    ("SciPy", "scipy", "python", "rows rankdata 160x100000", "ranks of 160 rows of 100,000 keys"),
    ("pandas", "pandas", "python", "groups group_median", "medians of groups"),
    ("GNU sort", "sort", "programs", "lines.txt words", "sort of a file of 10 million words"),
    ("DuckDB", "duckdb", "programs", "lines.txt words", "sort of a file of 10 million words"),
    ("torch", "torch", "python", "gpu sort", "sort on a GPU"),
    ("CUB", "cub", "documents", "sort types u32", "sort of u32 keys on a GPU"),
]


def python_pairs(results, library):
    """With one thread of ordo, or with as many as it chooses where the row says nothing."""
    for row in results.python:
        ours = row.seconds.get("ordo/1", row.seconds.get("ordo"))
        if ours is not None and library in row.seconds:
            name = f"{row.section} {row.name}"
            yield Pair(name, ours, row.seconds[library], row.machine, row.file)


def program_pairs(results, program):
    ours = {(r.file, r.case): r for r in results.programs if r.program == "ordo"}
    for row in results.programs:
        mine = ours.get((row.file, row.case))
        if row.program == program and mine is not None:
            name = f"{row.file.split('/')[-1]} {row.case}"
            yield Pair(name, mine.seconds, row.seconds, row.machine, row.file)


def library_pairs(comparisons, library):
    """Points where a kernel of the library is the best peer."""
    for c in comparisons:
        if c.peer.algorithm.split()[0] == library:
            name = f"{c.document.subject} {c.ours.section} {c.ours.label}"
            pair = (c.ours.time.median, c.peer.time.median, c.document.machine, c.document.file)
            yield Pair(name, *pair)


def pairs_of(results, comparisons, library, where):
    if where == "python":
        found = python_pairs(results, library)
    elif where == "programs":
        found = program_pairs(results, library)
    else:
        found = library_pairs(comparisons, library)
    machines = {}
    for pair in found:
        machines.setdefault(pair.machine, []).append(pair)
    return machines[choose_machine(machines)] if machines else []


def beside_table(results, comparisons):
    rows = []
    for title, library, where, name, words in SHOWN:
        found = pairs_of(results, comparisons, library, where)
        if not found:
            rows.append([title, "not measured", (words, "wrap"), "", "", "", "", ""])
            continue
        pair = next((p for p in found if p.name == name), None)
        behind = sum(p.gain < LOSS for p in found)
        ratio, both = "not measured", ["", ""]
        if pair is not None:
            ratio = (times(pair.gain), "lost" if pair.gain < LOSS else None)
            both = [seconds(pair.ours), seconds(pair.theirs)]
        mean = times(geometric_mean([p.gain for p in found]))
        count = (f"{behind} of {len(found)}", "lost" if behind else None)
        row = f"{pair.file}: {pair.name.split(' ', 1)[1]}" if pair is not None else found[0].file
        rows.append([title, ratio, (words, "wrap"), *both, mean, count, (row, "wrap")])
    heads = [
        "library",
        ">ordo is",
        "in one row",
        ">ordo",
        ">its time",
        ">mean of all",
        ">behind in",
    ]
    words = (
        "2 \N{MULTIPLICATION SIGN}: ordo takes half of the time. The mean is the geometric one of "
        "all rows of the library. One thread beside NumPy, SciPy and pandas; 16 threads each "
        "beside GNU sort and DuckDB; the same GPU beside torch and CUB."
    )
    content = table("How many times as fast ordo is", [*heads, "row"], rows)
    return tag("p", words, css="note") + content
