"""Builds the report from the JSON files of `ordo bench`.

    python3 bench/report [RESULTS [PAGE [TABLE]]]

RESULTS is a folder with one folder per machine (default: bench/results), PAGE the HTML file
(docs/report.html), TABLE the Markdown table of figures (docs/papers.md). Needs only Python 3.9. The
same input gives the same bytes. Exits 1 if a result file is damaged; the page is still written and
shows the gap.
"""

import sys
from pathlib import Path

import page
import paperdoc
from cards import CARDS
from papers import build_cards, load_papers
from results import load

ROOT = Path(__file__).resolve().parents[2]


def build(folder):
    """(page, table, problems) of a folder of results."""
    results = load(folder)
    papers = load_papers(ROOT / "bench" / "papers")
    cards = build_cards(CARDS, papers, results)
    return page.build(results, papers, cards), paperdoc.write(papers, cards), results.problems


def main(arguments):
    if len(arguments) > 4 or any(a.startswith("-") for a in arguments[1:]):
        print(__doc__, file=sys.stderr)
        return 2
    defaults = [
        ROOT / "bench" / "results",
        ROOT / "docs" / "report.html",
        ROOT / "docs" / "papers.md",
    ]
    given = [Path(a) for a in arguments[1:]]
    folder, page_path, table_path = given + defaults[len(given) :]
    if not folder.is_dir():
        print(f"report: {folder} is not a folder", file=sys.stderr)
        return 2
    html, table, problems = build(folder)
    page_path.write_text(html, encoding="utf-8")
    table_path.write_text(table, encoding="utf-8")
    print(f"{page_path}: {len(html.encode('utf-8')):,} bytes")
    for problem in problems:
        print(f"report: {problem.file}: {problem.words}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
