"""Cards beyond the papers: ordo against other libraries, one for each section of a machine."""

from collections import Counter
from html import escape

import charts
from markup import details, figure, quartiles, seconds, slug, table, tag
from papers import MACHINES
from peers import PAPER_KERNELS, score
from stats import geometric_mean, times

# Sections with a chart: heading, and the field on the x axis of a line chart ("" for a dot chart).
SECTIONS = {
    "types": ("key types", ""),
    "distributions": ("distributions", ""),
    "pairs": ("pairs", ""),
    "unsorted": ("unsorted keys", ""),
    "ties": ("tie strategies", ""),
    "quantiles": ("several quantiles", ""),
    "topk": ("the largest keys", ""),
    "ops": ("operations", ""),
    "bits": ("counts of flags", ""),
    "partition": ("stable partition", ""),
    "sorted": ("test for order", ""),
    "words": ("words of 15 letters", ""),
    "strings": ("random strings", ""),
    "fasta": ("protein records", ""),
    "n": ("number of keys", "n"),
    "small": ("small arrays", "n"),
    "single": ("single calls", "n"),
    "k": ("radius", "k"),
    "rough": ("k-sorted keys", "k"),
    "table": ("types and distributions", ""),
    "suffix": ("suffix arrays", ""),
    "bwt": ("Burrows-Wheeler transform", ""),
    "unbwt": ("inverse transform", ""),
    "search": ("counts of patterns in an FM-index", ""),
    "compress": ("compression", ""),
    "decompress": ("decompression", ""),
}
TEXT_SUBJECTS = ("text", "bzip2")  # whose cards have a part of their own
MOST_LABELS = 40  # of a dot chart
MOST_SERIES = 10


def groups(comparisons):
    """{(machine, subject, device, section, threads): comparisons} of the sections with a chart."""
    found = {}
    for c in comparisons:
        if c.ours.section in SECTIONS:
            d = c.document
            key = (d.machine, d.subject, d.device, c.ours.section, c.ours.threads)
            found.setdefault(key, []).append(c)
    return found


def rate(row):
    """Keys, bytes or patterns per second."""
    return (row.k if row.section == "search" else row.n) / row.time.median


def unit_of(subject, section):
    if subject not in TEXT_SUBJECTS:
        return "keys"
    return "patterns" if section == "search" else "bytes"


def rows_of(document, section, threads):
    """The rows of ordo with this number of threads, and of peers with at most this number."""
    for row in document.section(section):
        fits = row.threads == threads or (row.peer and row.threads < threads)
        if fits and row.algorithm not in ("copy", *PAPER_KERNELS):
            yield row


def dot_series(group):
    """{contender: {label: row}}. If several inputs have one label, the first input is taken."""
    labels = {c.ours.label for c in group}
    documents = list(dict.fromkeys(id(c.document) for c in group))
    by_id = {id(c.document): c.document for c in group}
    first = group[0].ours
    found = {}
    for key in documents:
        for row in rows_of(by_id[key], first.section, first.threads):
            if row.label in labels and (row.algorithm == "auto" or row.peer):
                found.setdefault(row.algorithm, {}).setdefault(row.label, row)
    return found


def line_series(group, x, kind):
    """The same over x, for the rows of one operation, type and radius."""
    found = {}
    for document in {id(c.document): c.document for c in group}.values():
        for row in rows_of(document, group[0].ours.section, group[0].ours.threads):
            same = kind_of(row, x) == kind and getattr(row, x) is not None
            if same and (row.algorithm == "auto" or row.peer):
                found.setdefault(row.algorithm, {}).setdefault(getattr(row, x), row)
    return {name: {p: points[p] for p in sorted(points)} for name, points in found.items()}


def kind_of(row, x):
    """What a line chart keeps fixed, in words: operation, type, and k or n."""
    if x == "k":
        fixed = f"n = {charts.count(row.n)}"
    else:
        fixed = "" if row.k is None else f"k = {charts.radius(row.k)}"
    return " ".join(word for word in (row.op, row.type, fixed) if word)


def as_series(found, unit):
    """Series of the contenders, ordo first. unit: "rate" or "time"."""
    names = ["auto", *sorted(name for name in found if name != "auto")]
    series = []
    for place, name in enumerate(names[:MOST_SERIES]):
        points = []
        for x, row in found.get(name, {}).items():
            words = f"{name}, {x}: {charts.count(rate(row))}/s, {seconds(row.time.median)}"
            if unit == "rate":
                points.append((x, rate(row), None, None, words))
            else:
                s = row.time.scaled(1e6)
                points.append((x, s.median, s.low, s.high, words))
        if points:
            shown = "ordo" if name == "auto" else name
            series.append(charts.Series(shown, place, points))
    return series


def summary(group):
    """One sentence: wins, mean and worst case."""
    gains = [c.gain.median for c in group]
    lost = sum(c.lost for c in group)
    worst = min(group, key=lambda c: c.gain.median)
    words = (
        f"ordo is {times(geometric_mean(gains))} as fast as the best other library "
        f"(geometric mean of {len(gains)}); "
    )
    if len(gains) == 1:
        words = f"ordo is {times(gains[0])} as fast as {worst.peer.algorithm}; "
    words += f"the worst case is {times(worst.gain.median)} ({worst.ours.label}, {worst.rival})"
    words += f"; it loses {lost}." if lost else "; it loses none."
    ours, most = worst.ours.threads, max(c.peer.threads for c in group)
    if most < ours:
        words += f" ordo uses {ours} threads, the other library {most}: not like for like."
    if max(c.ours.time.count for c in group) == 1:
        words += " One round, so the spread is not known."
    return words


def comparison_table(group):
    rows = [
        [
            c.ours.label or c.ours.op,
            charts.count(c.ours.n),
            seconds(c.ours.time.median) + (" ~" if c.ours.time.noisy else ""),
            c.rival,
            seconds(c.peer.time.median) + (" ~" if c.peer.time.noisy else ""),
            (times(c.gain.median), "lost" if c.lost else None),
            quartiles(c.gain, times),
        ]
        for c in group
    ]
    unit = "bytes" if group[0].document.subject in TEXT_SUBJECTS else "keys"
    heads = ["input", f">{unit}", ">ordo", "best other", ">its time", ">ratio", ">quartiles"]
    return details(
        f"Table: {len(rows)} inputs", table("Median times; ratios by rounds", heads, rows)
    )


def type_table(group):
    """Ratios of distributions (rows) and key types (columns), if the group has several of each."""
    types = list(dict.fromkeys(c.ours.type for c in group))
    dists = list(dict.fromkeys(c.ours.dist for c in group))
    if len(types) < 3 or len(dists) < 3:
        return ""
    cells = {}
    for c in group:
        words = times(c.gain.median) + (" ~" if c.noisy else "")
        cells.setdefault((c.ours.dist, c.ours.type), (words, "lost" if c.lost else None))
    rows = [[dist, *(cells.get((dist, type_), "") for type_ in types)] for dist in dists]
    heads = ["distribution", *(f">{type_}" for type_ in types)]
    return table("Speed of ordo relative to the best other library", heads, rows)


def figures(card_id, title, group, caption, words):
    """The charts of one card: one dot chart, or one line chart for each operation and type."""
    section = group[0].ours.section
    x = SECTIONS[section][1]
    if not x:
        series = as_series(dot_series(group), "rate")
        labels = {p[0] for s in series for p in s.points}
        if len(labels) > MOST_LABELS:
            return ""
        unit = unit_of(group[0].document.subject, section)
        chart = charts.Chart(card_id, title, words, "", f"{unit} per second", series)
        return figure(chart, charts.dot_chart, caption)
    parts = []
    kinds = Counter(kind_of(c.ours, x) for c in group)
    for place, (kind, _) in enumerate(kinds.most_common(4)):
        unit = "time" if section in ("small", "single") else "rate"
        series = as_series(line_series(group, x, kind), unit)
        axis = "microseconds" if unit == "time" else "keys per second"
        chart = charts.Chart(
            f"{card_id}-{place}",
            f"{title}: {kind}",
            words,
            f"{'number of keys' if x == 'n' else 'k'} ({kind})",
            axis,
            series,
            label=charts.count if x == "n" else charts.radius,
            show=charts.figure if unit == "time" else charts.count,
        )
        if len({p[0] for s in series for p in s.points}) > 1:
            parts.append(figure(chart, charts.line_chart, caption))
    return "".join(parts)


def peer_card(key, group):
    machine, subject, device, section, threads = key
    document = group[0].document
    if device == "cuda":
        where = f"{document.hardware}, arrays in GPU memory"
    else:
        where = f"{document.hardware.split(',')[0]}, {threads} thread{'s' if threads > 1 else ''}"
    title = f"{subject}: {SECTIONS[section][0]}"
    card_id = slug(f"peer-{machine}-{subject}-{device}-{section}-{threads}")
    head = tag("header", tag("p", escape(where), css="eyebrow") + tag("h3", escape(title)))
    rounds = group[0].ours.time.count
    caption = f"{where}. {document.day}, {rounds} round{'s' if rounds > 1 else ''}."
    words = summary(group)
    where_option = " --device cuda" if device == "cuda" else ""
    command = f"ordo bench {subject}{where_option} --only {section}"
    if subject == "bzip2":
        command = f"python3 bench/bzip2.py --threads {threads} FILE..."
    body = (
        figures(card_id, title, group, caption, words)
        + type_table(group)
        + tag("p", escape(words), css="finding")
        + comparison_table(group)
        + tag("p", tag("code", escape(command)), css="note")
    )
    return tag("article", head + body, css="card", id=card_id)


def python_card(machine, group):
    rows = []
    for c in group:
        ours, theirs = c.row.seconds[c.ours], c.row.seconds[c.peer]
        rows.append(
            [
                c.label,
                c.row.section,
                seconds(ours),
                c.peer,
                seconds(theirs),
                (times(c.gain), "lost" if c.lost else None),
            ]
        )
    heads = ["function", "section", ">ordo", "best other", ">its time", ">ratio"]
    content = table("One time for each contender, without quartiles", heads, rows)
    head = tag("header", tag("h3", "The Python package"))
    words = f"ordo is not behind in {sum(not c.lost for c in group)} of {len(group)} rows."
    body = tag("p", words, css="finding") + details(f"Table: {len(rows)} rows", content)
    body += tag("p", tag("code", "python bench/python"), css="note")
    return tag("article", head + body, css="card", id=slug(f"peer-{machine}-python"))


def score_table(comparisons, python):
    """Points ahead, level and behind for each machine and benchmark, with the worst point."""
    found = {}
    for c in comparisons:
        d = c.document
        found.setdefault(
            (d.machine, d.subject + (", GPU" if d.device == "cuda" else "")), []
        ).append(c)
    rows = []
    for (machine, subject), group in sorted(found.items()):
        s = score(group, lambda c: c.gain.median)
        where = f"{s.worst.ours.section} {s.worst.ours.label}, {s.worst.rival}"
        rows.append([machine, subject, *counts(s), times(s.worst.gain.median), (where, "wrap")])
    for machine in sorted({c.row.machine for c in python}):
        s = score([c for c in python if c.row.machine == machine], lambda c: c.gain)
        where = f"{s.worst.row.section} {s.worst.label}, {s.worst.peer}"
        rows.append([machine, "Python", *counts(s), times(s.worst.gain), (where, "wrap")])
    heads = [">points", ">ahead", ">level", ">behind", ">worst ratio", "worst point"]
    words = "Points of every benchmark; level is a ratio from 0.97 to 1.03"
    return table(words, ["machine", "benchmark", *heads], rows)


def counts(s):
    return [f"{value:,}" for value in (s.points, s.ahead, s.level)] + [
        (f"{s.behind:,}", "lost" if s.behind else None)
    ]


def bzip2_table(results):
    """Compression by ordo with a GPU beside that by its CPU threads."""
    if not results.bzip2:
        return ""
    rows = [
        [r.text, f"{r.cpu:,.0f}", f"{r.cuda:,.0f}", times(r.cuda / r.cpu), (r.file, "wrap")]
        for r in results.bzip2
    ]
    words = "Compression to bzip2 by ordo, in memory, MB/s: CPU threads alone, and with the GPU"
    heads = ["text", ">CPU", ">with the GPU", ">ratio", "file"]
    return tag("div", table(words, heads, rows), id="bzip2-gpu")


def text_cards(results, comparisons):
    """The part of texts: suffix arrays, transforms, searches and bzip2, of all machines."""
    found = groups(c for c in comparisons if c.document.subject in TEXT_SUBJECTS)
    words = (
        "Suffix arrays, transforms and searches beside libdivsufsort and sdsl, and bzip2 files "
        "beside other programs. docs/internals/text.md and docs/internals/bzip2.md say how they "
        "work."
    )
    parts = [tag("h2", "Text", id="text"), tag("p", words)]
    if found:
        cards = "".join(peer_card(key, group) for key, group in sorted(found.items()))
        parts.append(tag("div", cards, css="flow"))
    else:
        parts.append(tag("p", "No result file has texts.", css="note"))
    parts.append(bzip2_table(results))
    return "".join(parts)


def peer_cards(results, comparisons, python):
    parts = [
        tag("h2", "Beyond the papers: other libraries", id="peers"),
        tag(
            "p",
            "ordo and the libraries of the same run, on the same keys, with at most as many "
            "threads. A point is an input with a number of threads.",
        ),
    ]
    if comparisons or python:
        parts.append(score_table(comparisons, python))
    start = len(parts)
    found = groups(c for c in comparisons if c.document.subject not in TEXT_SUBJECTS)
    rank = {name: place for place, name in enumerate(MACHINES)}
    names = {key[0] for key in found} | {c.row.machine for c in python}
    for machine in sorted(names, key=lambda name: (rank.get(name, len(rank)), name)):
        documents = [d for d in results.documents if d.machine == machine]
        hardware = results.gpus.get(machine) or (documents[0].host if documents else "")
        cards = "".join(peer_card(key, group) for key, group in found.items() if key[0] == machine)
        mine = [c for c in python if c.row.machine == machine]
        if mine:
            cards += python_card(machine, mine)
        parts.append(tag("h3", escape(f"{machine}: {hardware}"), id=slug(f"peers-{machine}")))
        parts.append(tag("div", cards, css="flow"))
    if len(parts) == start:
        parts.append(tag("p", "No result file has another library.", css="note"))
    return "".join(parts)
