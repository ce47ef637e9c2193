"""Puts the page together: answers, papers, peers, limits, method, data."""

from collections import Counter
from html import escape
from pathlib import Path

import charts
import peers
import verdicts
from beside import beside_table
from beyond import peer_cards, text_cards
from download import data_part
from markup import quartiles, seconds, slug, table, tag
from papercards import counted, papers_part
from papers import PAPERS, choose_machine
from stats import times

HERE = Path(__file__).parent
MOST_BYTES = 3_000_000
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

# What the tiles at the top show: words ({n}: number of keys), subject, device, section, label,
# threads.
TILES = [
    ("min ranks of {n} sorted f32 keys", "rank", "cuda", "p", "0.5", 1),
    ("sort of {n} u32 keys on the GPU", "sort", "cuda", "types", "u32", 1),
    ("median of {n} f32 keys; CUB has no selection and sorts", "select", "cuda", "types", "f32", 1),
    ("sort of {n} u32 keys on one core", "sort", "cpu", "types", "u32", 1),
    ("argsort of {n} words on one core", "strings", "cpu", "words", "words, offsets", 1),
]

WHAT = (
    "ordo is a C library, a command and a Python package that sorts, ranks, selects and scans "
    "arrays, strings, texts and files, with CPU threads and NVIDIA GPUs, and gives the "
    "same bytes on each."
)

METHOD = [
    "Every round times each contender once, so that a slow phase of the machine affects all of "
    "them. All answers are compared byte for byte before the first round.",
    "A value is the median of the rounds; bars and ranges are the quartiles. Ratios are formed in "
    "each round first, then their median and quartiles are taken.",
    "Verdicts follow rules: a value within a factor of 1.25 of the paper's value, the same order "
    "of algorithms or the same trend at every point, or a crossover within a factor of 1.25 is "
    "reproduced. A better ratio of two algorithms on the same devices is exceeded. Times of "
    "different hardware are never compared; a ratio of two devices outside of the factor is not "
    "comparable, and the time over that of a copy is shown.",
    "The papers have 23 figures and tables with a measurement; remarks of their texts are counted "
    "apart. A figure is stale if a file of its algorithm changed since the measurement: the result "
    "file has a hash of the files in the map of the paper (lib/papers).",
    "Rows whose quartiles are more than 10 % of the median apart are marked with ~ and give no "
    "verdict.",
    "Results of different dates come from different revisions of ordo; compare rows of one file.",
    "GPU rows are timed by CUDA events, with the arrays in GPU memory. Hybrid rows start and end "
    "in host memory.",
]


def tile(strong, what, more, link, css=None):
    inner = (
        tag("strong", escape(strong))
        + tag("span", escape(what), css="what")
        + tag("span", escape(more), css="more")
    )
    return tag("li", tag("a", inner, href=link), css=css)


def peer_tile(spec, comparisons):
    what, subject, device, section, label, threads = spec
    found = {}
    for c in comparisons:
        row = c.ours
        if (c.document.subject, c.document.device, row.section) == (subject, device, section) and (
            row.label,
            row.threads,
        ) == (label, threads):
            found[c.document.machine] = c
    if not found:
        return tile("\N{EN DASH}", what.replace("{n} ", ""), "not measured", "#limits")
    c = found[choose_machine(found)]
    noisy = ", noisy" if c.noisy else ""
    more = (
        f"{seconds(c.ours.time.median)}; {c.peer.algorithm} {seconds(c.peer.time.median)}; "
        f"{c.document.hardware.split(',')[0]}{noisy}"
    )
    what = what.replace("{n}", charts.count(c.ours.n))
    return tile(
        f"{times(c.gain.median)} as fast", what, more, "#" + slug(f"peers-{c.document.machine}")
    )


def verdict_tiles(cards):
    """One tile of the same size for each verdict of the figures and tables."""
    figures = [card for card in cards if not card.remark]
    remarks = counted([card for card in cards if card.remark])
    found = []
    for verdict, number in verdicts.count(figures).items():
        if number == 0 and verdict not in (verdicts.REPRODUCED, verdicts.NOT_REPRODUCED):
            continue
        mine = Counter(card.paper["name"] for card in figures if card.verdict == verdict)
        more = ", ".join(f"{count} in {name}" for name, count in mine.items()) or "none"
        bad = verdict in (verdicts.NOT_REPRODUCED, verdicts.NOT_MEASURED) and number > 0
        link = "#limits" if bad else f"#paper-{PAPERS[0]}"
        words = f"figures and tables of the papers are {verdict}"
        found.append(
            tile(f"{number} of {len(figures)}", words, more, link, "warn" if bad else None)
        )
    stale = sum(bool(card.stale) for card in cards)
    words = f"Remarks of the texts and additions of ours, counted apart: {remarks}."
    if stale:
        words += f" {stale} of {len(cards)} cards are stale: an algorithm changed, or may have."
    return tag("ul", "".join(found), css="tiles") + tag("p", escape(words), css="note")


def library_tiles(comparisons, python):
    total = len(comparisons) + len(python)
    where = Counter(f"{c.document.subject} {c.ours.section}" for c in comparisons if c.lost)
    where.update(f"Python {c.row.section}" for c in python if c.lost)
    losses = sum(where.values())
    most = ", ".join(f"{number} in {name}" for name, number in where.most_common(3))
    first = tile(
        f"{losses} of {total}",
        "comparisons are won by another library",
        f"most of them: {most}" if most else "none",
        "#limits",
        "warn" if losses else None,
    )
    rest = "".join(peer_tile(spec, comparisons) for spec in TILES)
    return tag("ul", first + rest, css="tiles")


def limits(cards, comparisons, python):
    lost = sorted((c for c in comparisons if c.lost), key=lambda c: c.gain.median)
    rows = [
        [
            (c.ours.label or c.ours.op, "wrap"),
            f"{c.document.subject}, {c.ours.section}",
            charts.count(c.ours.n),
            c.document.machine,
            c.rival,
            (times(c.gain.median) + (" ~" if c.noisy else ""), "lost"),
            quartiles(c.gain, times),
        ]
        for c in lost
    ]
    rows += [
        [
            (c.label, "wrap"),
            f"Python, {c.row.section}",
            "",
            c.row.machine,
            c.peer,
            (times(c.gain), "lost"),
            "",
        ]
        for c in sorted(python, key=lambda c: c.gain)
        if c.lost
    ]
    heads = ["input", "benchmark", ">keys", "machine", "faster library", ">ratio", ">quartiles"]
    failed = [card for card in cards if card.verdict == verdicts.NOT_REPRODUCED]
    gaps = [card for card in cards if card.verdict == verdicts.NOT_MEASURED]
    parts = [tag("h2", "Limits", id="limits"), tag("h3", "Where another library is faster")]
    if rows:
        words = (
            "Speed of ordo relative to the fastest other library in the same run; below 1 it wins."
        )
        parts.append(table(words, heads, rows))
    else:
        parts.append(tag("p", "No comparison of these results is won by another library."))
    for title, listed in (("Not reproduced", failed), ("Not measured yet", gaps)):
        if listed:
            items = "".join(
                tag(
                    "li",
                    tag("a", escape(f"{c.paper['name']}, {c.figure['number']}"), href=f"#{c.id}"),
                )
                for c in listed
            )
            parts.append(tag("h3", title) + tag("ul", items, css="checks listing"))
    return "".join(parts)


def problems(results):
    if not results.problems:
        return ""
    items = "".join(tag("li", escape(f"{p.file}: {p.words}")) for p in results.problems[:50])
    more = len(results.problems) - 50
    if more > 0:
        items += tag("li", f"{more:,} more")
    words = (
        f"{len(results.problems):,} problems in the result files; what they concern is left out."
    )
    return tag("div", tag("strong", words) + tag("ul", items), css="problems", role="alert")


def build(results, papers, cards):
    """The whole page as one string. Raises ValueError if it would be larger than MOST_BYTES."""
    comparisons, python = peers.compare(results), peers.compare_python(results)
    dates = sorted({d.day for d in results.documents})
    span = " to ".join(dict.fromkeys([dates[0], dates[-1]])) if dates else "at no known date"
    title = "ordo: sort, rank, select and scan, measured"
    names = {key: papers[key]["name"] for key in PAPERS}
    links = [
        ("Comparison", "#answer"),
        ("Papers", "#papers"),
        *((names[k], f"#paper-{k}") for k in PAPERS),
    ]
    links += [("Other libraries", "#peers"), ("Text", "#text"), ("Limits", "#limits")]
    links += [("Method", "#method")]
    nav = "".join(tag("a", escape(w), href=h) for w, h in [*links, ("Data", "#data")])
    method = tag("ul", "".join(tag("li", escape(m)) for m in METHOD))
    body = (
        '<a class="skip" href="#answer">Skip to the comparison</a>'
        + tag(
            "header",
            tag("h1", title)
            + tag("p", WHAT, css="what")
            + tag(
                "p",
                f"Measured {escape(span)}; {sum(len(d.rows) for d in results.documents):,} rows of "
                f"{len(results.documents)} result files.",
                css="lead",
            ),
            css="top",
        )
        + tag(
            "nav",
            f"<div><div>{nav}</div>"
            '<button class="js" id="theme" type="button">Dark theme</button></div>',
        )
        + tag(
            "main",
            problems(results)
            + tag("h2", "How ordo compares with what you may use now", id="answer")
            + beside_table(results, comparisons)
            + tag("h2", "Five papers measured again", id="papers")
            + verdict_tiles(cards)
            + tag("h2", "Some points, and where others win", id="points")
            + library_tiles(comparisons, python)
            + papers_part(papers, cards)
            + peer_cards(results, comparisons, python)
            + text_cards(results, comparisons)
            + limits(cards, comparisons, python)
            + tag("h2", "Method", id="method")
            + method
            + data_part(results),
        )
        + tag(
            "footer",
            "Built by <code>make report</code> from the JSON files in bench/results. This page "
            "makes no request to anywhere.",
        )
    )
    css = (HERE / "page.css").read_text(encoding="utf-8")
    script = (HERE / "page.js").read_text(encoding="utf-8")
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>\n{css}</style></head>\n<body>{body}"
        f"<script>\n{script}</script></body></html>\n"
    )
    size = len(page.encode("utf-8"))
    if size > MOST_BYTES:
        raise ValueError(f"the page has {size:,} bytes; at most {MOST_BYTES:,} are allowed")
    return page
