"""Compares ordo with the other libraries of the same run: who wins which question, by how much.

A question is one input: same section, label, type and size. A point is a question with one number
of threads of ordo, whose row is `auto`. Its rivals are the peers with at most as many threads.
Kernels that only repeat a paper are not peers, although the module of peers has some.
"""

from dataclasses import dataclass

from stats import Spread, ratio

PAPER_SECTIONS = ("paper", "poster", "split", "block")
PAPER_KERNELS = (
    "poster, ballot",
    "poster, shared",
    "split, shared scan",
    "sub-arrays",
    "merge",
    "thrust streams",
)
LOSS = 0.97  # below this ratio a peer wins


@dataclass(frozen=True)
class Comparison:
    """`gain`: how many times as fast as the best peer ordo is, by rounds."""

    document: object
    ours: object
    peer: object
    gain: Spread

    @property
    def noisy(self):
        return self.ours.time.noisy or self.peer.time.noisy

    @property
    def lost(self):
        return self.gain.median < LOSS

    @property
    def won(self):
        return self.gain.median > 1 / LOSS

    @property
    def rival(self):
        """The name of the peer, with its threads if ordo has more."""
        fewer = self.peer.threads < self.ours.threads
        threads = f"{self.peer.threads} thread{'s' if self.peer.threads > 1 else ''}"
        return f"{self.peer.algorithm}, {threads}" if fewer else self.peer.algorithm


@dataclass(frozen=True)
class PythonComparison:
    row: object
    ours: str
    peer: str
    gain: float

    @property
    def label(self):
        """The name of the row, with the threads of ordo if they were chosen."""
        threads = self.ours.partition("/")[2]
        many = "" if threads == "1" else "s"
        return f"{self.row.name}, {threads} thread{many}" if threads else self.row.name

    @property
    def lost(self):
        return self.gain < LOSS

    @property
    def won(self):
        return self.gain > 1 / LOSS


@dataclass(frozen=True)
class Score:
    """The numbers of points: all, ahead, level and behind; and the point with the least ratio."""

    points: int
    ahead: int
    level: int
    behind: int
    worst: object


def score(comparisons, ratio_of):
    """The Score of at least one comparison; ratio_of gives the ratio of one."""
    ahead = sum(c.won for c in comparisons)
    behind = sum(c.lost for c in comparisons)
    level = len(comparisons) - ahead - behind
    return Score(len(comparisons), ahead, level, behind, min(comparisons, key=ratio_of))


def is_peer(row):
    return row.peer and row.algorithm not in PAPER_KERNELS and row.section not in PAPER_SECTIONS


def question(row):
    return (row.section, row.label, row.op, row.variant, row.type, row.dist, row.p, row.k, row.n)


def questions(document):
    """{question: rows} of a document, without the copy."""
    found = {}
    for row in document.rows:
        if row.algorithm != "copy":
            found.setdefault(question(row), []).append(row)
    return found


def compare_document(document):
    """A Comparison for every point that has a rival."""
    found = []
    for rows in questions(document).values():
        mine = {}
        for row in rows:
            if row.algorithm == "auto":
                mine.setdefault(row.threads, row)
        for threads, ours in mine.items():
            rivals = [row for row in rows if is_peer(row) and row.threads <= threads]
            if not rivals:
                continue
            best = min(rivals, key=lambda row: row.time.median)
            gain = ratio(best.seconds, ours.seconds)
            if gain is not None:
                found.append(Comparison(document, ours, best, gain))
    return found


def compare(results):
    """The comparisons of all documents. A question that several documents of a machine answer is
    taken from the newest one."""
    newest = {}
    for document in sorted(results.documents, key=lambda d: d.date):
        for c in compare_document(document):
            place = (document.machine, document.subject, document.device)
            newest[(*place, c.ours.threads, *question(c.ours))] = c
    return list(newest.values())


def compare_python(results):
    """A PythonComparison for every row and number of threads of ordo."""
    found = []
    for row in results.python:
        ours = [name for name in row.seconds if name.split("/")[0] == "ordo"]
        rivals = {name: t for name, t in row.seconds.items() if name not in ours}
        if rivals:
            peer = min(rivals, key=rivals.get)
            for name in ours:
                gain = rivals[peer] / row.seconds[name]
                found.append(PythonComparison(row, name, peer, gain))
    return found
