"""Loads bench/papers and joins each card with its paper, its rows and its verdict."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

import verdicts
from runs import command_of, options_of
from sources import kernels_of
from verdicts import Line, judge, together

PAPERS = ["ranking", "hybrid", "roughsort", "median", "ballot"]  # order on the page
MACHINES = ["h200", "emerald-rapids-16", "neoverse-v1-2"]  # preferred for cards; then by name
FIELDS = ("key", "name", "authors", "title", "year", "hardware", "method", "figures")
# A measurement is a figure or table of the paper, a remark is a claim of its text.
MEASURED = ("measurement", "remark")
KINDS = (*MEASURED, "code", "diagram", "proof", "example", "hardware", "text")


@dataclass
class Card:
    """One figure of a paper, measured or not."""

    id: str
    spec: dict
    paper: dict
    figure: dict
    verdict: str
    outcomes: list = field(default_factory=list)
    lines: list = field(default_factory=list)  # of roles
    beside: list = field(default_factory=list)
    others: list = field(default_factory=list)  # of rules, but not drawn
    document: Optional[object] = None
    gap: str = ""
    stale: str = ""  # why the rows may not be those of the present kernels

    @property
    def command(self):
        """Made the rows of the card, if their file says how; else a measurement of the paper."""
        source = tuple(self.spec["source"])
        if source[2] is None:
            return ""
        start = command_of((*source, ""))
        made = self.document.commands if self.document is not None else ()
        command = next((c for c in made if f"{c} ".startswith(f"{start} ")), None)
        command = command or command_of((*source, options_of(self.paper["key"], source)))
        return f"{command} --json {source[0]}.json"

    @property
    def remark(self):
        return self.figure["kind"] == "remark"


def check_figure(figure, file):
    if figure["kind"] not in KINDS:
        raise ValueError(f"{file}: {figure['id']}: unknown kind {figure['kind']}")
    if figure["kind"] not in MEASURED:
        return figure["shows"], figure["here"]
    for point in figure["points"]:
        if point["read"] not in ("text", "table", "figure"):
            raise ValueError(f"{file}: {figure['id']}: unknown reading {point['read']}")
        if not (point["y"] > 0 and point.get("printed", 1) > 0):
            raise ValueError(f"{file}: {figure['id']}: a point is not positive")
    return figure["quantity"], figure["unit"], figure["read"], figure["claims"]


def load_papers(folder):
    """{key: paper}. The files are part of the program, so a mistake in them ends it."""
    found = {}
    for key in PAPERS:
        path = Path(folder) / f"{key}.json"
        paper = json.loads(path.read_text(encoding="utf-8"))
        missing = set(FIELDS) - set(paper)
        if missing:
            raise ValueError(f"{path.name} lacks {', '.join(sorted(missing))}")
        for figure in paper["figures"]:
            check_figure(figure, path.name)
        found[key] = paper
    return found


def citation(paper):
    names = paper["authors"]
    authors = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    year = f" ({paper['year']})" if paper["year"] else ""
    return f"{authors}: {paper['title']}{year}"


def allowed(row, where):
    for name, wanted in where.items():
        value = getattr(row, name)
        if value is None:
            return False
        if isinstance(wanted, tuple):
            if not wanted[1] <= value <= wanted[2]:
                return False
        elif isinstance(wanted, list):
            if not any(value == w for w in wanted):
                return False
        elif value != wanted:
            return False
    return True


def lines_of(rows, algorithm, role, x):
    """One Line for each number of threads; with x = threads only one."""
    found = {}
    for row in rows:
        if row.algorithm == algorithm and getattr(row, x) is not None:
            threads = 0 if x == "threads" else row.threads
            found.setdefault(threads, {})[getattr(row, x)] = row
    lines = []
    for threads, points in sorted(found.items()):
        order = points if x in ("label", "variant") else sorted(points)
        lines.append(Line(role, threads, {place: points[place] for place in order}))
    return lines


def choose_machine(found):
    """The preferred machine of {machine: ...}."""
    rank = {name: place for place, name in enumerate(MACHINES)}
    return min(found, key=lambda name: (rank.get(name, len(rank)), name))


def stale_words(document, paper):
    """Why the rows of a paper are not those of its present kernels; "" if they are."""
    if document.kernels == kernels_of(paper):
        return ""
    if not document.kernels:
        return f"the file of {document.day} does not say which kernels it measured"
    return f"the kernels changed since {document.day}"


def fill(card, results):
    """Adds rows, outcomes and the verdict; or says why the card is a gap."""
    spec = card.spec
    subject, device, section = spec["source"]
    if section is None:
        card.gap = f"No section of the benchmark {subject} measures this yet."
        return
    found = results.find(subject, device, section, card.paper["key"])
    if not found:
        on = "on a GPU" if device == "cuda" else "on a CPU"
        on = "on a CPU with a GPU" if subject == "hybrid" else on
        card.gap = f"No result file has the section {section} of {subject} {on}."
        return
    card.document, measured = found[choose_machine(found)]
    card.stale = stale_words(card.document, card.paper["key"])
    rows = [row for row in measured if allowed(row, spec.get("where", {}))]
    missing = []
    for role, names in spec["roles"].items():
        present = {row.algorithm for row in rows}
        name = next((n for n in names if n in present), None)
        if name is not None:
            card.lines += lines_of(rows, name, role, spec["x"])
        elif role not in spec.get("optional", ()):
            missing.append(role)
    if missing:
        card.gap = f"The result file {card.document.file} lacks: {', '.join(missing)}."
        card.lines = []
        return
    for role, (name, where) in spec.get("others", {}).items():
        card.others += lines_of(
            [row for row in measured if allowed(row, where)], name, role, spec["x"]
        )
    for name in spec.get("beside", ()):
        lines = lines_of(rows, name, name, spec["x"])
        card.beside += lines if len(lines) < 3 else [lines[0], lines[-1]]
    lines, cpus = card.lines + card.others, card.document.cpus
    card.outcomes = [judge(rule, card.figure, lines, cpus) for rule in spec["rules"]]
    card.verdict = together(card.outcomes)


def build_cards(table, papers, results):
    """All cards, in the order of the papers."""
    cards = []
    for spec in table:
        key, figure_id = spec["figure"].split("/")
        paper = papers[key]
        figure = next(f for f in paper["figures"] if f["id"] == figure_id)
        card = Card(
            f"{key}-{figure_id.replace('.', '-')}",
            spec,
            paper,
            figure,
            verdicts.NOT_MEASURED,
        )
        fill(card, results)
        cards.append(card)
    return sorted(cards, key=lambda card: PAPERS.index(card.paper["key"]))
