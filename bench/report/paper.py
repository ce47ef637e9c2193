"""The part of scripts/measure --paper that needs Python.

python3 bench/report/paper.py runs PAPER...           folder, file and arguments of every run
python3 bench/report/paper.py stamp PAPER             the fields that a result file gets
python3 bench/report/paper.py stale [FOLDER]          the figures and remarks whose rows are missing
    or older than their kernels, by run; FOLDER: bench/results. Exits 1 if there are any
python3 bench/report/paper.py finish FOLDER REVISION GPU TIMES PAPER...
    writes FOLDER/paper-PAPER/paper.json, which lists the runs, their seconds and the missing rows,
    and prints the verdict of every figure, a line for a badge and the seconds of all. GPU is yes or
    no; TIMES has lines "build SECONDS" and "FOLDER SUBJECT DEVICE SECTION SECONDS"
"""

import json
import sys
from pathlib import Path

import verdicts
from cards import CARDS
from papers import PAPERS, build_cards, load_papers
from results import load
from runs import RUNS, command_of, file_of, needs_gpu
from sources import kernels_of

ROOT = Path(__file__).resolve().parents[2]


def folder_of(paper):
    return f"paper-{paper}"


def series_of(paper, run):
    """The algorithms that the cards of a run need."""
    wanted = [
        card
        for card in CARDS
        if card["figure"].split("/")[0] == paper and tuple(card["source"]) == run[:3]
    ]
    names = [
        algorithms[0]
        for card in wanted
        for role, algorithms in card["roles"].items()
        if role not in card.get("optional", ())
    ]
    return list(dict.fromkeys(names))


def read_times(path):
    """{words of a line: seconds}"""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return {words: int(number) for words, number in (line.rsplit(" ", 1) for line in lines)}


def describe(paper, run, results, gpu, times):
    """What a run has and what it lacks."""
    rows = [
        row
        for document in results.documents
        if (document.subject, document.device) == run[:2]
        for row in document.section(run[2])
    ]
    present = {row.algorithm for row in rows}
    missing = [name for name in series_of(paper, run) if name not in present]
    no_gpu = gpu == "no" and (rows or needs_gpu(run) or run[0] == "hybrid")
    why = "this machine has no GPU" if no_gpu else "the run failed or lacks them"
    made = [c for d in results.documents for c in d.commands]
    start = command_of((*run[:3], ""))
    return {
        "command": next((c for c in made if f"{c} ".startswith(f"{start} ")), command_of(run)),
        "file": f"{file_of(run)}.json" if rows else None,
        "rows": len(rows),
        "seconds": times.get(" ".join([folder_of(paper), *run[:3]])) if rows else None,
        "missing": missing,
        "why": why if missing else None,
    }


def badge_of(paper, cards, results):
    """One line: what was measured, where, with which kernels."""
    counted = verdicts.count(cards)
    parts = [f"{number} {verdict}" for verdict, number in counted.items() if number]
    hardware = {d.hardware.split(",")[0] for d in results.documents}
    hardware |= {d.gpu for d in results.documents if d.subject == "hybrid" and d.gpu}
    days = sorted({d.day for d in results.documents})
    where = ", ".join(
        [
            *(sorted(hardware) or ["nothing measured"]),
            *days[-1:],
            f"kernels {kernels_of(paper)[:8]}",
        ]
    )
    return f"{paper}: {', '.join(parts)} ({where})"


def print_summary(name, cards, manifest):
    print(f"\n{name}")
    for card in cards:
        found = "; ".join(outcome.ours for outcome in card.outcomes) or card.gap
        print(f"  {card.figure['number']}: {card.verdict}. {found}")
    for run in manifest["runs"]:
        if run["seconds"] is not None:
            print(f"  {run['seconds']} s: `{run['command']}`")
    for run in manifest["runs"]:
        if run["missing"]:
            print(f"  missing: {'; '.join(run['missing'])} of `{run['command']}`: {run['why']}")
    print(f"badge: {manifest['badge']}")


def print_times(total, build):
    how = "without a build" if build is None else f"of which the build took {build} s"
    print(f"\ntime: {total} s, {how}")


def finish(folder, revision, gpu, times, names):
    papers = load_papers(ROOT / "bench" / "papers")
    build = times.get("build")
    for paper in names:
        place = Path(folder) / folder_of(paper)
        place.mkdir(parents=True, exist_ok=True)
        results = load(Path(folder).parent, f"{Path(folder).name}/{folder_of(paper)}/*.json")
        cards = [c for c in build_cards(CARDS, papers, results) if c.paper is papers[paper]]
        runs = [describe(paper, run, results, gpu, times) for run in RUNS[paper]]
        sections = sum(run["seconds"] or 0 for run in runs)
        manifest = {
            "paper": paper,
            "revision": revision,
            "kernels": kernels_of(paper),
            "badge": badge_of(paper, cards, results),
            "seconds": {"sections": sections, "build": build, "all papers": sum(times.values())},
            "runs": runs,
        }
        words = json.dumps(manifest, indent=1) + "\n"
        (place / "paper.json").write_text(words, encoding="utf-8")
        print_summary(papers[paper]["name"], cards, manifest)
    print_times(sum(times.values()), build)


def stale(folder):
    """Prints a line for each run with such cards; whether there are none."""
    papers = load_papers(ROOT / "bench" / "papers")
    found = {}
    for card in build_cards(CARDS, papers, load(folder)):
        why = card.gap or card.stale
        if why:
            key = (card.paper["key"], *card.spec["source"], why)
            found.setdefault(key, []).append(card.figure["number"])
    for (paper, *source, why), numbers in found.items():
        command = command_of((*source, ""))
        print(f"{paper}: {', '.join(numbers)}: `{command}`: {why}")
    return not found


def main(arguments):
    verb, *rest = arguments[1:] or [""]
    if verb == "stale" and len(rest) < 2:
        return 0 if stale(*rest or [ROOT / "bench" / "results"]) else 1
    names = rest if verb in ("runs", "stamp") else rest[4:]
    unknown = [name for name in names if name not in PAPERS]
    if verb not in ("runs", "stamp", "finish") or not names or unknown:
        for name in unknown:
            print(f"measure: no paper {name}; there are {', '.join(PAPERS)}", file=sys.stderr)
        return 2
    if verb == "runs":
        for name in names:
            for run in RUNS[name]:
                print(folder_of(name), file_of(run), "gpu" if needs_gpu(run) else "any", *run)
    elif verb == "stamp":
        print(f'  "paper": "{names[0]}", "kernels": "{kernels_of(names[0])}",')
    else:
        finish(*rest[:3], read_times(rest[3]), names)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
