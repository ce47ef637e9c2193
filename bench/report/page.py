"""Puts the page together: answers, papers, peers, limits, method, data."""

import base64
import csv
import io
from html import escape
from pathlib import Path

import charts
import peers
import verdicts
from beyond import peer_cards
from markup import badge, code, details, figure, quartiles, seconds, table, tag, times
from papers import PAPERS, choose_machine, citation

HERE = Path(__file__).parent
MOST_BYTES = 3_000_000
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
X_NAMES = {
    "p": "probability that a key repeats the one before",
    "n": "number of keys",
    "k": "k",
    "threads": "threads",
    "label": "case",
}
X_LABELS = {"p": charts.chance, "n": charts.count, "k": charts.count}

# What the tiles at the top show: words, subject, device, section, label, threads.
TILES = [
    ("min ranks of 128 million sorted f32 keys", "rank", "cuda", "p", "0.5", 1),
    ("sort of 2^28 u32 keys on the GPU", "sort", "cuda", "types", "u32", 1),
    ("median of 2^28 f32 keys on the GPU", "select", "cuda", "types", "f32", 1),
    ("sort of 2^28 k-sorted u32 keys, k = 16", "sort", "cuda", "rough", "268,435,456, 16", 1),
    ("sort of 10 million u32 keys on one core", "sort", "cpu", "types", "u32", 1),
    ("argsort of 2 million words on one core", "strings", "cpu", "words", "words, offsets", 1),
]


# ---- Cards of the papers --------------------------------------------------------------------------


def name_of(line, lines):
    """The role, with the number of threads if that varies."""
    several = len({other.threads for other in lines}) > 1
    return f"{line.role}, {line.threads} threads" if several and line.threads > 1 else line.role


def points_of(line, base):
    """(x, y, low, high, words) in milliseconds, or as speed-ups over the rows of `base`."""
    found = []
    for x, row in line.rows.items():
        if base is None:
            spread = row.time.scaled(1e3)
            words = f"{seconds(row.time.median)} ({quartiles(row.time)})"
        elif x in base.rows:
            spread = verdicts.ratio(base.rows[x].seconds, row.seconds)
            if spread is None:
                continue
            words = f"{times(spread.median)} ({quartiles(spread, times)})"
        else:
            continue
        found.append((x, spread.median, spread.low, spread.high, f"{line.role}, {x}: {words}"))
    return found


def series_of(card):
    kind = card.spec["y"]
    base = None if kind == "time" else verdicts.line_of(card.lines, kind[1])
    lines = card.lines + card.beside
    found = []
    for place, line in enumerate(lines):
        points = points_of(line, base)
        if line is base or not points:
            continue
        name = "ordo auto" if line.role == "auto" else name_of(line, lines)
        if line.role == "auto" and line.threads > 1 and name == "ordo auto":
            name = f"ordo auto, {line.threads} threads"
        found.append(charts.Series(name, place, points, thin=line in card.beside))
    return found + paper_series(card, lines)


def paper_series(card, lines):
    """The points of the paper that have an x, hollow and in the colour of their role."""
    found = {}
    for point in card.figure["points"]:
        if point["x"] is not None:
            found.setdefault(point["series"], []).append(point)
    series = []
    for role, points in found.items():
        place = next((i for i, line in enumerate(lines) if line.role == role), len(lines))
        unit = card.figure["unit"]
        drawn = [
            (p["x"], p["y"], None, None, f"paper, {role}, {p['x']}: {p['y']} {unit}")
            for p in points
        ]
        series.append(charts.Series(f"{role}, paper", place, drawn, paper=True))
    return series


def chart_of(card):
    spec, data = card.spec, card.figure
    guides = [
        (p["y"], f"paper: {p['y']:g} {data['unit']} ({p['series']})".replace(" x ", " × "))
        for p in data["points"]
        if p["x"] is None and spec["y"] != "time"
    ]
    band = data.get("crossover")
    bands = [(band["from"], band["to"], f"paper: {band['words']}")] if band else []
    unit = "milliseconds" if spec["y"] == "time" else f"times as fast as {spec['y'][1]}"
    return charts.Chart(
        card.id,
        f"{data['number']}: {data['quantity']}",
        " ".join(f"{o.ours}." for o in card.outcomes),
        X_NAMES[spec["x"]] if card.id != "median-table2" else "keys of a sub-array",
        unit,
        series_of(card),
        guides,
        bands,
        X_LABELS.get(spec["x"], str),
    )


def rows_table(card):
    rows = []
    for line in card.lines + card.beside:
        for x, row in line.rows.items():
            sign = " ~" if row.time.noisy else ""
            rows.append(
                [
                    X_LABELS.get(card.spec["x"], str)(x),
                    row.algorithm,
                    str(row.threads) if card.document.device == "cpu" else "GPU",
                    seconds(row.time.median) + sign,
                    quartiles(row.time),
                    seconds(row.time.least),
                    str(row.time.count),
                    f"{row.bytes / row.time.median * 1e-9:,.4g}",
                ]
            )
    heads = [card.spec["x"], "algorithm", ">threads", ">median", ">quartiles", ">least"]
    caption = "A ~ marks rows whose quartiles are more than 10 % apart; they give no verdict."
    content = table(caption, [*heads, ">rounds", ">GB/s"], rows)
    points = card.figure["points"]
    if points:
        values = [
            [p["series"], "all" if p["x"] is None else str(p["x"]), f"{p['y']:g}", p["read"]]
            for p in points
        ]
        heads = ["series", ">x", f">{card.figure['unit']}", "read from"]
        content += table("The paper's values", heads, values)
    return details(f"Table: {len(rows)} rows", content)


def setup(card):
    document = card.document
    reading = {
        "text": "from the paper's text, which states claims but not the values of the figure",
        "table": "from the paper's table",
        "figure": "off the paper's figure",
    }[card.figure["read"]]
    items = [
        ("paper's machine", card.paper["hardware"]),
        ("paper's method", card.paper["method"]),
        ("paper's values", f"read {reading}"),
    ]
    if document is not None:
        items += [
            ("our machine", f"{document.hardware} ({document.machine})"),
            ("measured", f"{document.date}, ordo {document.version}, {document.repeat} rounds"),
            ("result file", ", ".join(f"bench/results/{file}" for file in card.files)),
        ]
    content = "".join(tag("dt", escape(a)) + tag("dd", escape(b)) for a, b in items)
    repeat = code(card.command) if card.command else ""
    return details("Set-ups and command", tag("dl", content) + repeat)


def claims(card):
    """What the paper says and, where it is measured, what we found."""
    if not card.outcomes:
        words = [f"Paper: {claim['words']}." for claim in card.figure["claims"]]
        return tag("ul", "".join(tag("li", escape(w)) for w in words), css="checks")
    lines = [
        tag("li", f"Paper: {escape(o.claim)}. {badge(o.verdict) if len(card.outcomes) > 1 else ''}")
        for o in card.outcomes
    ]
    if card.verdict == verdicts.NOT_REPRODUCED and "why" in card.spec:
        lines.append(tag("li", f"Why: {escape(card.spec['why'])}"))
    if "note" in card.spec:
        lines.append(tag("li", escape(card.spec["note"])))
    return tag("ul", "".join(lines), css="checks")


def sentence(card):
    words = "; ".join(o.ours for o in card.outcomes)
    return words[:1].upper() + words[1:] + "."


def caption_of(document):
    if document.device == "cuda":
        return f"{document.hardware}, arrays in GPU memory. Bars: quartiles of {document.repeat} rounds."
    return f"{document.hardware}. Bars: quartiles of {document.repeat} rounds."


def paper_card(card):
    head = (
        tag("p", escape(f"{card.figure['number']} · {card.figure['quantity']}"), css="eyebrow")
        + badge(card.verdict)
        + tag("h3", escape(card.spec["question"]))
    )
    head = tag("header", head)
    if card.gap:
        body = tag("p", escape(card.gap), css="finding") + claims(card) + setup(card)
    else:
        body = (
            figure(chart_of(card), charts.line_chart, caption_of(card.document))
            + tag("p", escape(sentence(card)), css="finding")
            + claims(card)
            + rows_table(card)
            + setup(card)
        )
    css = "card gap" if card.gap else "card"
    return tag("article", head + body, css=css, id=card.id)


def other_figures(paper):
    rows = [
        [f["number"], f["kind"], (f["shows"], "wrap"), (f["here"].replace("`", ""), "wrap")]
        for f in paper["figures"]
        if f["kind"] != "measurement"
    ]
    if not rows:
        return ""
    heads = ["figure", "kind", "shows", "counterpart here"]
    content = table("Nothing is measured in these figures and tables.", heads, rows)
    return details(f"{len(rows)} figures and tables without a measurement", content)


def papers_part(papers, cards):
    parts = []
    for key in PAPERS:
        paper = papers[key]
        mine = [card for card in cards if card.paper is paper]
        counted = [(v, sum(card.verdict == v for card in mine)) for v in verdicts.VERDICTS]
        summary = ", ".join(f"{number} {v}" for v, number in counted if number)
        parts.append(
            tag("h2", escape(paper["name"]), id=f"paper-{key}")
            + tag("p", escape(citation(paper)) + ".", css="lead")
            + tag("p", escape(f"{len(mine)} measurements: {summary}."))
            + tag("div", "".join(paper_card(card) for card in mine), css="cards")
            + other_figures(paper)
        )
    return "".join(parts)


# ---- Answers and limits ---------------------------------------------------------------------------


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
        return tile("–", what, "not measured", "#limits")
    c = found[choose_machine(found)]
    noisy = ", noisy" if c.noisy else ""
    more = (
        f"as fast as {c.peer.algorithm}: {seconds(c.ours.time.median)} against "
        f"{seconds(c.peer.time.median)} on {c.document.hardware.split(',')[0]}{noisy}"
    )
    return tile(times(c.gain.median), what, more, f"#peers-{c.document.machine}")


def tiles(cards, comparisons, python):
    counted = {v: sum(card.verdict == v for card in cards) for v in verdicts.VERDICTS}
    measured = len(cards) - counted[verdicts.NOT_MEASURED]
    others = ", ".join(
        f"{number} {v}" for v, number in counted.items() if number and v != verdicts.NOT_MEASURED
    )
    lost = [c for c in comparisons if c.lost]
    total = len(comparisons) + len(python)
    losses = len(lost) + sum(c.gain < peers.LOSS for c in python)
    first = tile(
        f"{measured} of {len(cards)}",
        "figures of five papers are measured again",
        f"{others or 'no verdict'}; the rest are gaps",
        f"#paper-{PAPERS[0]}",
        "warn" if measured < len(cards) else None,
    )
    second = tile(
        f"{losses} of {total}",
        "comparisons are won by another library",
        "listed first among the limits",
        "#limits",
        "warn" if losses else None,
    )
    rest = "".join(peer_tile(spec, comparisons) for spec in TILES)
    return tag("ul", first + second + rest, css="tiles")


def limits(cards, comparisons, python):
    lost = sorted((c for c in comparisons if c.lost), key=lambda c: c.gain.median)
    rows = [
        [
            (c.ours.label or c.ours.op, "wrap"),
            f"{c.document.subject}, {c.ours.section}",
            charts.count(c.ours.n),
            c.document.machine,
            c.peer.algorithm,
            (times(c.gain.median) + (" ~" if c.noisy else ""), "lost"),
            quartiles(c.gain, times),
        ]
        for c in lost
    ]
    rows += [
        [
            (c.row.name, "wrap"),
            f"Python, {c.row.section}",
            "",
            c.row.machine,
            c.peer,
            (times(c.gain), "lost"),
            "",
        ]
        for c in sorted(python, key=lambda c: c.gain)
        if c.gain < peers.LOSS
    ]
    heads = ["input", "benchmark", ">keys", "machine", "faster library", ">ordo / it", ">quartiles"]
    failed = [card for card in cards if card.verdict == verdicts.NOT_REPRODUCED]
    gaps = [card for card in cards if card.verdict == verdicts.NOT_MEASURED]
    parts = [tag("h2", "Limits", id="limits"), tag("h3", "Where another library is faster")]
    if rows:
        words = "Speed of ordo relative to the fastest other library in the same run; below 1 it wins."
        parts.append(table(words, heads, rows))
    else:
        parts.append(tag("p", "No comparison of these results is won by another library."))
    for title, listed in (("Not reproduced", failed), ("Not measured yet", gaps)):
        if listed:
            items = "".join(
                tag("li", tag("a", escape(f"{c.paper['name']}, {c.figure['number']}"), href=f"#{c.id}"))
                for c in listed
            )
            parts.append(tag("h3", title) + tag("ul", items, css="checks"))
    return "".join(parts)


# ---- Method and data ------------------------------------------------------------------------------

METHOD = [
    "Every round times each contender once, so that a slow phase of the machine affects all of them. "
    "All answers are compared byte for byte before the first round.",
    "A value is the median of the rounds; bars and ranges are the quartiles. Ratios are formed in each "
    "round first, then their median and quartiles are taken.",
    "Verdicts follow rules: a value within a factor of 1.25 of the paper's value, the same order of "
    "algorithms, the same trend, or a crossover within a factor of 1.25 is reproduced; a better value is "
    "exceeded. Times of different hardware are never compared.",
    "Rows whose quartiles are more than 10 % of the median apart are marked with ~ and give no verdict.",
    "Results of different dates come from different revisions of ordo; compare rows of one file.",
    "GPU rows are timed by CUDA events, with the arrays in GPU memory. Hybrid rows start and end in host "
    "memory.",
]


def machines(results):
    rows = []
    for document in results.documents:
        rows.append(
            [
                document.machine,
                document.subject,
                (document.hardware, "wrap"),
                document.date,
                f"{document.repeat}",
                f"{len(document.rows):,}",
            ]
        )
    heads = ["folder", "benchmark", "hardware", "date", ">rounds", ">rows"]
    return table("Result files", heads, rows)


def cell(value):
    """Text that a spreadsheet must not take for a formula gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.9g}"
    words = " ".join(str(value).split())
    return f"'{words}" if words[:1] in ("=", "+", "-", "@") else words


def as_csv(results):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = "machine,subject,device,section,label,op,type,n,p,k,algorithm,peer,threads,rounds"
    writer.writerow([*heads.split(","), "median_s", "q1_s", "q3_s", "least_s"])
    for d in results.documents:
        for r in d.rows:
            head = [d.machine, d.subject, d.device, r.section, r.label, r.op, r.type, r.n, r.p, r.k]
            tail = [r.algorithm, int(r.peer), r.threads, r.time.count]
            values = [r.time.median, r.time.low, r.time.high, r.time.least]
            writer.writerow([cell(v) for v in head + tail] + [f"{v:.6g}" for v in values])
    return out.getvalue()


def data_part(results):
    packed = base64.b64encode(as_csv(results).encode("utf-8")).decode("ascii")
    rows = sum(len(d.rows) for d in results.documents)
    link = tag(
        "a",
        f"CSV, {rows:,} rows",
        id="csv",
        href=f"data:text/csv;charset=utf-8;base64,{packed}",
        download="ordo-results.csv",
    )
    tools = link + '<button class="js" id="save" type="button">JSON</button>'
    table_tools = (
        '<div class="js"><div class="tools"><button id="show" type="button">Show all rows</button>'
        '<label>Filter <input id="filter" type="search" placeholder="sort u32 cub"></label>'
        '<span id="found" class="note"></span></div><div id="all" class="scroll" tabindex="0"></div></div>'
    )
    words = (
        "Every measured row with median, quartiles and least time. The link works without JavaScript. "
        "The JSON files with every single time are in bench/results of the repository."
    )
    return (
        tag("h2", "Data", id="data")
        + tag("p", words)
        + tag("div", tools, css="tools")
        + table_tools
        + details("Result files", machines(results))
    )


def problems(results):
    if not results.problems:
        return ""
    items = "".join(tag("li", escape(f"{p.file}: {p.words}")) for p in results.problems[:50])
    more = len(results.problems) - 50
    if more > 0:
        items += tag("li", f"{more:,} more")
    words = f"{len(results.problems):,} problems in the result files; what they concern is left out."
    return tag("div", tag("strong", words) + tag("ul", items), css="problems", role="alert")


def build(results, papers, cards):
    """The whole page as one string. Raises ValueError if it would be larger than MOST_BYTES."""
    comparisons, python = peers.compare(results), peers.compare_python(results)
    dates = sorted({d.date for d in results.documents})
    span = f"{dates[0]} to {dates[-1]}" if dates else "no date"
    title = "ordo: five papers measured again"
    names = {key: papers[key]["name"] for key in PAPERS}
    links = [("Answer", "#answer"), *((names[k], f"#paper-{k}") for k in PAPERS)]
    links += [("Other libraries", "#peers"), ("Limits", "#limits"), ("Method", "#method")]
    nav = "".join(tag("a", escape(w), href=h) for w, h in [*links, ("Data", "#data")])
    method = tag("ul", "".join(tag("li", escape(m)) for m in METHOD))
    body = (
        '<a class="skip" href="#answer">Skip to the answer</a>'
        + tag(
            "header",
            tag("h1", title)
            + tag(
                "p",
                f"Sorting, ranking, selection and scans on CPUs and GPUs. Measured {escape(span)}; "
                f"{sum(len(d.rows) for d in results.documents):,} rows of "
                f"{len(results.documents)} result files.",
                css="lead",
            ),
            css="top",
        )
        + tag("nav", f'<div>{nav}<button class="js" id="theme" type="button">Dark theme</button></div>')
        + tag(
            "main",
            problems(results)
            + tag("h2", "Answer", id="answer")
            + tiles(cards, comparisons, python)
            + papers_part(papers, cards)
            + peer_cards(results, comparisons, python)
            + limits(cards, comparisons, python)
            + tag("h2", "Method", id="method")
            + method
            + data_part(results),
        )
        + tag("footer", "Built by <code>make report</code> from the JSON files in bench/results. This page "
              "makes no request to anywhere.")
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
