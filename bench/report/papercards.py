"""The part of the page about the papers: one card for each figure or table with a measurement."""

from html import escape

import charts
import verdicts
from cards import SHARES
from markup import badge, code, details, figure, quartiles, seconds, table, tag
from papers import MEASURED, PAPERS, citation
from stats import TIMES, ratio, times

X_NAMES = {
    "p": "probability that a key repeats the one before",
    "n": "number of keys",
    "k": "k",
    "threads": "threads",
    "label": "case",
    "variant": "phase or other part of the call",
}
X_LABELS = {
    "p": charts.chance,
    "n": charts.count,
    "k": charts.radius,
    "variant": lambda part: "all" if part == "sample" else part.replace("phase ", ""),
}


def label_of(card):
    """The label of a place. Cases are named without the words that all of them have."""
    if card.spec["x"] != "label":
        return X_LABELS.get(card.spec["x"], str)
    cases = dict.fromkeys(x for line in card.lines for x in line.rows)
    common = set.intersection(*(set(case.split()) for case in cases)) if len(cases) > 1 else set()
    return lambda case: " ".join(w for w in case.split() if w not in common).strip(",") or case


def name_of(line, lines):
    """The role; with the number of threads if that is above 1 or varies."""
    name = "ordo auto" if line.role == "auto" else line.role
    several = sum(other.role == line.role for other in lines) > 1
    if line.threads > 1 or several:
        return f"{name}, {line.threads} thread{'s' if line.threads > 1 else ''}"
    return name


def points_of(line, base, least=False):
    """(x, y, low, high, words) in milliseconds, or as speed-ups over the rows of `base`. least: the
    least times, as the paper shows them."""
    found = []
    for x, row in line.rows.items():
        if least:
            y = row.time.least
            words = f"{seconds(y)}, the least of {row.time.count}"
            found.append((x, y * 1e3, None, None, f"{line.role}, {x}: {words}"))
            continue
        if base is None:
            spread = row.time.scaled(1e3)
            words = f"{seconds(row.time.median)} ({quartiles(row.time)})"
        elif x in base.rows:
            spread = ratio(base.rows[x].seconds, row.seconds)
            if spread is None:
                continue
            words = f"{times(spread.median)} ({quartiles(spread, times)})"
        else:
            continue
        found.append((x, spread.median, spread.low, spread.high, f"{line.role}, {x}: {words}"))
    return found


def model_series(card):
    """The measured speed-up and the model, over the ratio of the times of CPU and GPU."""
    points = verdicts.model_points(card.lines, *card.spec["y"][1:])
    where = [(x, round(r, 2), ours, model) for x, r, ours, model in points]
    measured = [
        (r, ours.median, ours.low, ours.high, f"{x}: ratio {r:g}, {times(ours.median)}")
        for x, r, ours, _ in where
    ]
    model = [(r, m, None, None, f"model, ratio {r:g}: {times(m)}") for _, r, _, m in where]
    return [
        charts.Series(card.spec["y"][3], 0, measured),
        charts.Series("model 1 / (1 + ratio)", 1, model, thin=True),
    ]


def series_of(card):
    kind = card.spec["y"]
    if kind[0] == "model":
        return model_series(card)
    base = None if kind == "time" else verdicts.line_of(card.lines, kind[1])
    lines = card.lines + card.beside
    found = []
    for place, line in enumerate(lines):
        points = points_of(line, base, "least" in card.spec)
        if line is base or not points:
            continue
        thin = line in card.beside
        found.append(charts.Series(name_of(line, lines), place, points, thin=thin))
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
            (p["x"], p["y"], None, None, f"paper, {role}, {p['x']}: {p['y']:,g} {unit}")
            for p in points
        ]
        series.append(charts.Series(f"{role}, paper", place, drawn, paper=True))
    return series


def chart_of(card):
    spec, data = card.spec, card.figure
    guides = [
        (p["y"], f"paper: {p['y']:g} {TIMES} ({p['series']})")
        for p in data["points"]
        if p["x"] is None and spec["y"] != "time"
    ]
    band = data.get("crossover")
    bands = [(band["from"], band["to"], f"paper: {band['words']}")] if band else []
    model = spec["y"][0] == "model"
    base = spec["y"][2 if model else 1]
    unit = "milliseconds" if spec["y"] == "time" else f"times as fast as {base}"
    return charts.Chart(
        card.id,
        f"{data['number']}: {data['quantity']}",
        " ".join(f"{o.ours}." for o in card.outcomes),
        spec.get("axis", X_NAMES[spec["x"]]),
        unit,
        series_of(card),
        guides,
        bands,
        charts.figure if model else label_of(card),
    )


def printed(point):
    return (
        f"{point['read']}, printed as {point['printed']:g}" if "printed" in point else point["read"]
    )


def threads_of(card, row):
    """The number of threads, or GPU. Rows of older files do not name their device, but those of the
    host in a run on a GPU do."""
    on_host = row.device == "cpu" or row.algorithm.endswith(", host")
    return str(row.threads) if card.document.device == "cpu" or on_host else "GPU"


def rows_table(card):
    rows = []
    told = any(row.parameters for line in card.lines + card.beside for row in line.rows.values())
    for line in card.lines + card.beside:
        for x, row in line.rows.items():
            sign = " ~" if row.time.noisy else ""
            rows.append(
                [
                    X_LABELS.get(card.spec["x"], str)(x),
                    row.algorithm,
                    threads_of(card, row),
                    seconds(row.time.median) + sign,
                    quartiles(row.time),
                    seconds(row.time.least),
                    str(row.time.count),
                    f"{row.bytes / row.time.median * 1e-9:,.4g}",
                    *([(row.parameters, "wrap")] if told else []),
                ]
            )
    heads = [card.spec["x"], "algorithm", ">threads", ">median", ">quartiles", ">least"]
    caption = "A ~ marks rows whose quartiles are more than 10 % apart; they give no verdict."
    heads += [">rounds", ">GB/s", *(["parameters"] if told else [])]
    content = table(caption, heads, rows)
    points = card.figure["points"]
    if points:
        values = [
            [p["series"], "all" if p["x"] is None else str(p["x"]), f"{p['y']:g}", printed(p)]
            for p in points
        ]
        heads = ["series", ">x", f">{card.figure['unit']}", "read from"]
        content += table("The paper's values", heads, values)
    return details(f"Table: {len(rows)} rows", content)


def source_of(document):
    revision = f", revision {document.revision}" if document.revision else ""
    return f"ordo {document.version}{revision}"


def details_of(card):
    return f"seed {card.document.seed}, {rounds(card)} rounds"


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
            ("measured", f"{document.day}, {source_of(document)}, {details_of(card)}"),
            ("result file", f"bench/results/{document.file}"),
        ]
    content = "".join(tag("dt", escape(a)) + tag("dd", escape(b)) for a, b in items)
    repeat = code(card.command) if card.command else ""
    return details("Set-ups and command", tag("dl", content) + repeat)


def claims(card):
    """What the paper says and, where it is measured, what we found."""
    reading = [card.figure["reading"]] if "reading" in card.figure else []
    if not card.outcomes:
        words = [f"Paper: {claim['words']}." for claim in card.figure["claims"]] + reading
        return tag("ul", "".join(tag("li", escape(w)) for w in words), css="checks")
    lines = [
        tag("li", f"Paper: {escape(o.claim)}. {badge(o.verdict) if len(card.outcomes) > 1 else ''}")
        for o in card.outcomes
    ]
    if card.verdict == verdicts.NOT_REPRODUCED and "why" in card.spec:
        lines.append(tag("li", f"Why: {escape(card.spec['why'])}"))
    lines += [tag("li", escape(words)) for words in reading]
    note = card.spec.get("notes", {}).get(f"{card.document.file}@{card.document.day}")
    if note is not None:
        lines.append(tag("li", escape(note)))
    return tag("ul", "".join(lines), css="checks")


def sentence(card):
    words = "; ".join(o.ours for o in card.outcomes)
    return words[:1].upper() + words[1:] + "."


def rounds(card):
    """The number of rounds of the card's rows, as "7" or "5 to 21"."""
    counts = sorted({row.time.count for line in card.lines for row in line.rows.values()})
    counts = counts or [card.document.repeat]  # a gap
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def caption_of(card):
    document = card.document
    if document.device == "cuda":
        where = f"{document.hardware}, arrays in GPU memory"
    else:
        where = document.hardware
    sizes = {row.n for line in card.lines for row in line.rows.values()}
    keys = f" {charts.count(sizes.pop())} keys." if len(sizes) == 1 else ""
    if card.spec.get("least"):
        theirs = f"the paper shows that of {card.spec['least']}"
        return f"{where}.{keys} The least of {rounds(card)} rounds; {theirs}."
    return f"{where}.{keys} Bars: quartiles of {rounds(card)} rounds."


def share_note(card):
    """The shares of the CPU that the benchmark found, if it searched them for each place."""
    if card.spec["x"] == "p":
        return ""  # the shares are the x axis
    found = {x: row.share for line in card.lines for x, row in line.rows.items() if row.share}
    if not found:
        return ""
    at_edge = [x for x, share in found.items() if share in SHARES]
    label = X_LABELS.get(card.spec["x"], str)
    words = (
        f"Share of the CPU: the best one found, {min(found.values()):g} to "
        f"{max(found.values()):g}; tried from {SHARES[0]:g} to {SHARES[1]:g}."
    )
    if at_edge:
        words += f" At the edge of what was tried: {', '.join(label(x) for x in at_edge)}."
    return tag("p", escape(words), css="note")


def stale_note(card):
    if not card.stale:
        return ""
    words = f"Stale: {card.stale}. Measure it again: scripts/measure --paper {card.paper['key']}"
    return tag("p", escape(words), css="note stale")


def counted(cards):
    """The verdicts in words, as "3 reproduced, 1 not comparable"."""
    found = verdicts.count(cards)
    return ", ".join(f"{number} {verdict}" for verdict, number in found.items() if number)


def counts(cards):
    """The figures and tables of the papers, then the remarks of their texts, in words."""
    parts = []
    for listed, one, many in (
        ([c for c in cards if not c.remark], "figure or table", "figures and tables"),
        (
            [c for c in cards if c.remark],
            "remark of the text or addition of ours",
            "remarks of the text and additions of ours",
        ),
    ):
        if listed:
            parts.append(f"{len(listed)} {one if len(listed) == 1 else many}: {counted(listed)}.")
    stale = sum(bool(card.stale) for card in cards)
    if stale:
        parts.append(f"{stale} of the {len(cards)} are stale.")
    return " ".join(parts)


def paper_card(card):
    head = (
        tag("p", escape(card.figure["number"]), css="eyebrow")
        + badge(card.verdict)
        + (badge("stale") if card.stale else "")
        + tag("h3", escape(card.spec["question"]))
    )
    quantity = card.figure["quantity"]
    head = tag("header", head) + tag("p", escape(quantity[0].upper() + quantity[1:]), css="note")
    if card.gap:
        body = tag("p", escape(card.gap), css="finding") + claims(card) + setup(card)
    else:
        chart = chart_of(card)
        drawn = any(series.points for series in chart.series)
        body = (
            (figure(chart, charts.line_chart, caption_of(card)) if drawn else "")
            + tag("p", escape(sentence(card)), css="finding")
            + share_note(card)
            + stale_note(card)
            + claims(card)
            + rows_table(card)
            + setup(card)
        )
    css = "card gap" if card.gap else "card"
    return tag("article", head + body, css=css, id=card.id)


def other_figures(paper):
    """Statements of the text as a list, figures and tables without a measurement as a table."""
    texts, rows = [], []
    for f in paper["figures"]:
        here = f.get("here", "").replace("`", "")
        if f["kind"] == "text":
            texts.append(tag("li", escape(f"{f['number']}: {f['shows']}. Here: {here}.")))
        elif f["kind"] not in MEASURED:
            rows.append([f["number"], f["kind"], (f["shows"], "wrap"), (here, "wrap")])
    content = tag("ul", "".join(texts), css="checks") if texts else ""
    if rows:
        heads = ["figure", "kind", "shows", "counterpart here"]
        listed = table("Nothing is measured here.", heads, rows)
        content += details(f"{len(rows)} figures and tables without a measurement", listed)
    return content


def code_of(key):
    return tag("code", escape(f"scripts/measure --paper {key}"))


def papers_part(papers, cards):
    parts = []
    for key in PAPERS:
        paper = papers[key]
        mine = [card for card in cards if card.paper is paper]
        parts.append(
            tag("h2", escape(paper["name"]), id=f"paper-{key}")
            + tag("p", escape(citation(paper)) + ".", css="lead")
            + tag("p", escape(counts(mine)) + " Repeat all: " + code_of(key))
            + tag("div", "".join(paper_card(card) for card in mine), css="cards")
            + other_figures(paper)
        )
    return "".join(parts)
