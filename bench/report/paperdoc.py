"""Writes docs/papers.md: every figure and table of the papers, its command, result and verdict."""

from papercards import counts
from papers import PAPERS, citation

HEAD = """# The papers

Five papers describe algorithms of ordo. Each figure and table that shows a measurement is measured
again by `ordo bench`, and so are some remarks of their texts. `scripts/measure --paper NAME`
repeats one paper. This page lists the commands, the result files and the verdicts;
[report.html](report.html) shows the curves. `make report` writes both files from
[bench/results](../bench/results/README.md) and `bench/papers`.

*Reproduced*: within a factor of 1.25 of the paper's value, or the same order of algorithms, trend
or crossover at every point. *Exceeded*: better than that, by two algorithms on the same devices.
*Not comparable*: the paper states no value, the rows are too noisy, or the value depends on
hardware that is not the paper's; then the time over that of a copy is shown. *Not measured yet*: a
gap. *Stale*: the algorithm changed since the measurement.
"""


def cell(words):
    """Words of a result file may have markup of Markdown or HTML."""
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "\\|"), ("\n", " ")):
        words = words.replace(sign, written)
    return words


def result_of(card):
    if card.gap:
        return card.gap
    words = "; ".join(outcome.ours for outcome in card.outcomes)
    if card.verdict == "not reproduced" and "why" in card.spec:
        words += f". Why: {card.spec['why'].rstrip('.')}"
    if card.stale:
        words += f". Stale: {card.stale}"
    return words


def write(papers, cards):
    parts = [HEAD, f"\n{counts(cards)}\n"]
    for key in PAPERS:
        paper = papers[key]
        mine = [card for card in cards if card.paper is paper]
        parts.append(f"\n## {paper['name']}\n\n{citation(paper)}.\n")
        parts.append(f"\n{counts(mine)} Repeat all: `scripts/measure --paper {key}`.\n")
        parts.append(
            "\n| figure or table | command | result file | verdict | measured |\n"
            "|---|---|---|---|---|\n"
        )
        by_figure = {card.figure["id"]: card for card in mine}
        for figure in paper["figures"]:
            card = by_figure.get(figure["id"])
            if card is None:
                row = [
                    f"{figure['number']}: {figure['shows']}",
                    "",
                    "",
                    "no measurement",
                    figure["here"],
                ]
            else:
                command = f"`{card.command}`" if card.command else ""
                files = f"`{card.document.file}`" if card.document is not None else ""
                name = f"{figure['number']}: {figure['quantity']}"
                row = [name, command, files, card.verdict, result_of(card)]
            parts.append(f"| {' | '.join(cell(words) for words in row)} |\n")
    return "".join(parts)
