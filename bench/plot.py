#!/usr/bin/env python3
"""Draws the results of `ordo bench` as SVG pictures.

    ordo bench sort --json sort.json
    python3 bench/plot.py sort.json pictures/
    python3 bench/plot.py bench/results pictures/      every document in the folder

Needs only Python 3.8. Each measured section becomes one file, named after the benchmark and the
section. From a folder, other JSON files are skipped, and pictures/ gets the same subfolders.
"""

import json
import math
import sys
from pathlib import Path
from xml.sax.saxutils import escape

INK, FAINT, GRID = "#1c2833", "#5d6d7e", "#e5e8eb"
# Distinct for colour-blind readers and in print. One colour per algorithm, dashes for one thread.
COLOURS = {
    "sequential": "#d55e00",
    "loop": "#d55e00",
    "threads": "#e69f00",
    "auto": "#0072b2",
    "copy": "#7f8c8d",
    "std::sort": "#d55e00",
    "std::stable_sort": "#e69f00",
    "std::nth_element": "#d55e00",
    "nth_element+sort": "#d55e00",
    "partial_sort_copy": "#e69f00",
    "lsd radix": "#009e73",
    "vqsort": "#cc79a7",
    "vqselect": "#cc79a7",
    "gnu parallel": "#a65628",
    "tbb parallel_sort": "#6a3d9a",
    "boost spreadsort": "#b8a800",
    "boost pdqsort": "#66a61e",
    "boost block_indirect": "#e7298a",
    "rough": "#cc79a7",
    "halving": "#6a3d9a",
    "bubble": "#999933",
    "merge": "#66a61e",
    "radix": "#009e73",
    "sample": "#e69f00",
    "bitonic": "#e7298a",
    "split": "#b8a800",
    "sort": "#66a61e",
    "is_sorted": "#009e73",
    "sum": "#b8a800",
}
FONT = "font-family='Helvetica,Arial,sans-serif'"


def colour_of(algorithm):
    return COLOURS.get(algorithm, "#34495e")


class Canvas:
    """SVG elements in the order they are drawn."""

    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def text(self, x, y, words, size=13, colour=INK, anchor="start", weight="normal", turn=0):
        """White around the letters keeps them readable on top of a line."""
        spin = f" transform='rotate({turn} {x:.1f} {y:.1f})'" if turn else ""
        self.parts.append(
            f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' fill='{colour}' "
            f"text-anchor='{anchor}' font-weight='{weight}' stroke='white' stroke-width='3' "
            f"paint-order='stroke'{spin}>{escape(words)}</text>"
        )

    def line(self, x1, y1, x2, y2, colour=GRID, width=1.0, dash=""):
        style = f" stroke-dasharray='{dash}'" if dash else ""
        self.parts.append(
            f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' "
            f"stroke='{colour}' stroke-width='{width}'{style}/>"
        )

    def path(self, points, colour, dash=""):
        style = f" stroke-dasharray='{dash}'" if dash else ""
        where = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f"<polyline points='{where}' fill='none' stroke='{colour}' stroke-width='2.2' "
            f"stroke-linejoin='round'{style}/>"
        )
        for x, y in points:
            self.parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>")

    def dot(self, x, y, colour, hollow):
        fill = "white" if hollow else colour
        self.parts.append(
            f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4.5' fill='{fill}' stroke='{colour}' "
            f"stroke-width='2'/>"
        )

    def bar(self, x, y, width, height, colour, opacity=1.0):
        self.parts.append(
            f"<rect x='{x:.1f}' y='{y:.1f}' width='{max(width, 0.5):.1f}' height='{height:.1f}' "
            f"rx='2' fill='{colour}' fill-opacity='{opacity}'/>"
        )

    def save(self, path):
        body = "\n".join(self.parts)
        path.write_text(
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {self.width} {self.height}' "
            f"width='{self.width}' height='{self.height}' {FONT}>\n"
            f"<rect width='100%' height='100%' fill='white'/>\n{body}\n</svg>\n",
            encoding="utf-8",
        )
        print(path)


def count(n):
    """128000000 as 128M, for the axes."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "K")):
        if n >= size:
            return f"{n / size:.4g}{unit}"
    return f"{n:g}"


def chance(p):
    """Writes 0.99999 as 1 - 10⁻⁵, because sixteen labels share one axis."""
    if p <= 0.999 or p == 1:
        return f"{p:g}"
    return "1\N{MINUS SIGN}10⁻" + "⁰¹²³⁴⁵⁶⁷⁸⁹"[round(-math.log10(1 - p))]


def figure(value):
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def nice_ticks(top, wanted=6):
    """Multiples of 1, 2 or 5 times a power of ten from 0 to at least top."""
    raw = top / wanted
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
    return [i * step for i in range(math.ceil(top / step - 1e-9) + 1)]


def log_ticks(low, high):
    """1, 2 and 5 times the powers of ten from at most low to at least high; only the powers of ten
    if that gives more than 12 ticks."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = [m * 10.0**e for e in range(first, last + 1) for m in (1, 2, 5)]
    start = max(i for i, t in enumerate(every) if t <= low * 1.0001)
    end = min(i for i, t in enumerate(every) if t >= high * 0.9999)
    if end - start < 12:
        return every[start : end + 1]
    return [10.0**e for e in range(first, last + 1)]


class Document:
    """The measured rows and the footer of every picture."""

    def __init__(self, path):
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        self.name, self.rows, self.threads = data["benchmark"], data["rows"], data["threads"]
        machine = data["machine"]
        self.footer = (
            f"{machine['cpu']}, {machine['cpus']} CPUs, {machine['isa']} · "
            f"{machine['compiler']} · ordo {data['version']} · {data['date'][:10]} · "
            f"median of {data['repeat']}"
        )

    def section(self, name):
        return [row for row in self.rows if row["section"] == name]


def series_of(rows, x_of, y_of):
    """[(algorithm, threads, {x: y})] in the order of the rows."""
    found = {}
    for row in rows:
        if y_of(row) is not None:
            key = (row["algorithm"], row["threads"])
            found.setdefault(key, {})[x_of(row)] = y_of(row)
    return [(algorithm, threads, points) for (algorithm, threads), points in found.items()]


def by_algorithm(rows, x_of, y_of):
    """The same with one series per algorithm, for charts whose x axis is the number of threads."""
    found = {}
    for row in rows:
        if y_of(row) is not None:
            found.setdefault(row["algorithm"], {})[x_of(row)] = y_of(row)
    return [(algorithm, None, points) for algorithm, points in found.items()]


def legend_name(algorithm, threads):
    """`auto` is ordo's default algorithm."""
    name = "ordo auto" if algorithm == "auto" else algorithm
    return name if threads is None else f"{name}, {threads} thread{'s' if threads > 1 else ''}"


def draw_legend(canvas, series, left, y):
    x = left
    for algorithm, threads, _ in series:
        words = legend_name(algorithm, threads)
        dash = "6 4" if threads == 1 else ""
        if x + 34 + 7 * len(words) > canvas.width - 20:
            x, y = left, y + 20
        canvas.line(x, y, x + 26, y, colour_of(algorithm), 2.2, dash)
        canvas.text(x + 32, y + 4, words, 12)
        x += 54 + 6.3 * len(words)
    return y


def line_chart(path, title, axis_x, axis_y, series, footer, label=str, guide=None):
    """One line per series; the x values are evenly spaced. The y axis starts at 0. It is
    logarithmic if the largest value is more than 12 times the smallest."""
    series = [s for s in series if len(s[2]) > 0]
    if not series:
        return
    places = sorted({x for _, _, points in series for x in points})
    values = [y for _, _, points in series for y in points.values()]
    canvas = Canvas(860, 500)
    canvas.text(24, 32, title, 17, weight="bold")
    left, right, bottom = 78, 836, 420
    top = draw_legend(canvas, series, 24, 58) + 24

    logarithmic = max(values) / min(values) > 12
    ticks = log_ticks(min(values), max(values)) if logarithmic else nice_ticks(max(values))

    def height(value):
        if logarithmic:
            share = math.log(value / ticks[0]) / math.log(ticks[-1] / ticks[0])
        else:
            share = value / ticks[-1]
        return bottom - share * (bottom - top)

    def across(x):
        step = (right - left) / len(places)
        return left + step * (places.index(x) + 0.5)

    for tick in ticks:
        canvas.line(left, height(tick), right, height(tick))
        canvas.text(left - 8, height(tick) + 4, figure(tick), 12, FAINT, "end")
    for x in places:
        size = 12 if len(places) < 12 else 11
        canvas.text(across(x), bottom + 18, label(x), size, FAINT, "middle")
    if guide is not None and ticks[0] <= guide <= ticks[-1]:
        canvas.line(left, height(guide), right, height(guide), FAINT, 1.2, "2 3")
    canvas.line(left, bottom, right, bottom, FAINT, 1.2)
    for algorithm, threads, points in series:
        where = [(across(x), height(points[x])) for x in places if x in points]
        canvas.path(where, colour_of(algorithm), "6 4" if threads == 1 else "")
    scale = " (logarithmic)" if logarithmic else ""
    canvas.text((left + right) / 2, bottom + 42, axis_x, 13, INK, "middle")
    canvas.text(24, (top + bottom) / 2, axis_y + scale, 13, INK, "middle", turn=-90)
    canvas.text(24, 488, footer, 11, FAINT)
    canvas.save(path)


def bar_chart(path, title, axis, rows, value, footer):
    """Two bars per label: pale for one thread, solid for all threads. The line at 1 is the copy."""
    shown = [row for row in rows if row["algorithm"] == "auto" and row[value] is not None]
    if not shown:
        return
    labels = list(dict.fromkeys(row["label"].strip() for row in shown))
    threads = sorted({row["threads"] for row in shown})
    left, right, top, step = 168, 790, 84, 12 * len(threads) + 12
    bottom = top + step * len(labels)
    ticks = nice_ticks(max(max(row[value] for row in shown), 1.2))
    canvas = Canvas(860, bottom + 74)

    def across(amount):
        return left + amount / ticks[-1] * (right - left)

    def place(row):
        line = labels.index(row["label"].strip())
        return top + line * step + 6 + 12 * threads.index(row["threads"])

    canvas.text(24, 32, title, 17, weight="bold")
    x = 24
    for order, t in enumerate(threads):
        canvas.bar(x, 50, 22, 11, COLOURS["auto"], shade(order, threads))
        canvas.text(x + 28, 60, legend_name("auto", t), 12)
        x += 140
    for tick in ticks:
        canvas.line(across(tick), top, across(tick), bottom)
        canvas.text(across(tick), bottom + 18, figure(tick), 12, FAINT, "middle")
    for row in shown:
        strength = shade(threads.index(row["threads"]), threads)
        canvas.bar(left, place(row), across(row[value]) - left, 10, COLOURS["auto"], strength)
    for i, words in enumerate(labels):
        canvas.text(left - 10, top + i * step + step / 2 + 4, words, 12, INK, "end")
    canvas.line(across(1), top - 6, across(1), bottom, INK, 1.4, "4 3")
    for row in shown:
        canvas.text(across(row[value]) + 5, place(row) + 9, f"{row[value]:.2f}", 10, FAINT)
    canvas.text(across(1), top - 10, "copy", 11, INK, "middle")
    canvas.text((left + right) / 2, bottom + 40, axis, 13, INK, "middle")
    canvas.text(24, bottom + 64, footer, 11, FAINT)
    canvas.save(path)


def dot_chart(path, title, rows, footer):
    """One line per label and one dot per contender at its rate; a hollow dot means one thread."""
    if not rows:
        return
    labels = list(dict.fromkeys(row["label"].strip() for row in rows))
    series = series_of(rows, lambda r: r["label"].strip(), lambda r: r["mkeys_per_s"])
    left, right, step = 190, 830, 24
    canvas = Canvas(860, 0)
    sizes = {row["n"] for row in rows}
    words = f"{title}, {count(sizes.pop())} keys" if len(sizes) == 1 else title
    canvas.text(24, 32, words, 17, weight="bold")
    x, y = 24, 58
    for algorithm, threads, _ in series:
        words = legend_name(algorithm, threads)
        if x + 24 + 7 * len(words) > canvas.width - 20:
            x, y = 24, y + 20
        canvas.dot(x + 6, y, colour_of(algorithm), threads == 1)
        canvas.text(x + 18, y + 4, words, 12)
        x += 40 + 6.3 * len(words)
    top = y + 24
    bottom = top + step * len(labels)
    rates = [rate for _, _, points in series for rate in points.values()]
    ticks = log_ticks(min(rates), max(rates))
    canvas.height = bottom + 74

    def across(rate):
        return left + math.log(rate / ticks[0]) / math.log(ticks[-1] / ticks[0]) * (right - left)

    for tick in ticks:
        canvas.line(across(tick), top, across(tick), bottom)
        canvas.text(across(tick), bottom + 18, figure(tick), 12, FAINT, "middle")
    for i, words in enumerate(labels):
        middle = top + i * step + step / 2
        canvas.line(left, middle, right, middle)
        canvas.text(left - 10, middle + 4, words, 12, INK, "end")
    for algorithm, threads, points in series:
        for words, rate in points.items():
            middle = top + labels.index(words) * step + step / 2
            canvas.dot(across(rate), middle, colour_of(algorithm), threads == 1)
    axis = "million per second (logarithmic)"
    canvas.text((left + right) / 2, bottom + 40, axis, 13, INK, "middle")
    canvas.text(24, bottom + 64, footer, 11, FAINT)
    canvas.save(path)


def shade(order, threads):
    return 1.0 if order == len(threads) - 1 else 0.45


def milliseconds(row):
    return row["median_s"] * 1e3


def microseconds(row):
    return row["median_s"] * 1e6


def draw_rank(doc, folder):
    rows = doc.section("p")
    line_chart(
        folder / "rank_p_time.svg",
        "Ranking time against the recurrence probability",
        "probability that a key repeats its predecessor",
        "milliseconds",
        series_of(rows, lambda r: r["p"], milliseconds),
        doc.footer,
        chance,
    )
    rows = [row for row in rows if row["algorithm"] != "copy"]
    line_chart(
        folder / "rank_p_copy.svg",
        "Ranking against the copy of the same bytes",
        "probability that a key repeats its predecessor",
        "time / time of the copy",
        series_of(rows, lambda r: r["p"], lambda r: r["time_over_copy"]),
        doc.footer,
        chance,
        guide=1.0,
    )
    rows = doc.section("n")
    line_chart(
        folder / "rank_n_time.svg",
        "Ranking time against the number of keys",
        "keys",
        "milliseconds",
        series_of(rows, lambda r: r["n"], milliseconds),
        doc.footer,
        count,
    )
    line_chart(
        folder / "rank_n_speedup.svg",
        "Speed-up over the sequential loop",
        "keys",
        "times as fast",
        series_of(rows, lambda r: r["n"], lambda r: r["speedup"]),
        doc.footer,
        count,
        guide=1.0,
    )
    bar_chart(
        folder / "rank_ties_copy.svg",
        "Tie strategies and rank types",
        "time / time of the copy",
        doc.section("ties"),
        "time_over_copy",
        doc.footer,
    )
    bar_chart(
        folder / "rank_types_copy.svg",
        "Key types",
        "time / time of the copy",
        doc.section("types"),
        "time_over_copy",
        doc.footer,
    )


def draw_scan(doc, folder):
    for section, title in (
        ("ops", "Prefix scans"),
        ("bits", "Binary prefix sums"),
        ("partition", "Stable partition"),
        ("sorted", "Test for order"),
    ):
        bar_chart(
            folder / f"scan_{section}_copy.svg",
            title,
            "time / time of the copy",
            doc.section(section),
            "time_over_copy",
            doc.footer,
        )


def without_copy(rows):
    return [row for row in rows if row["algorithm"] != "copy"]


def kinds(rows):
    """Groups rows by operation and key type; the name has the type only if it varies."""
    found = {}
    for row in rows:
        found.setdefault((row["op"], row["type"]), []).append(row)
    for (op, kind), group in found.items():
        several = sum(1 for other, _ in found if other == op) > 1
        yield f"{op}_{kind}" if several and kind else op, group


def draw_rates(doc, folder):
    """Rates by label and by number of keys, for the subjects on unsorted keys."""
    titles = {
        "types": "key types",
        "distributions": "distributions",
        "pairs": "pairs",
        "unsorted": "ranks of unsorted keys",
        "quantiles": "several quantiles",
        "topk": "the largest keys",
        "words": "words of 15 letters",
        "strings": "random strings",
        "fasta": "protein records",
        "algorithms": "named algorithms",
    }
    for section, title in titles.items():
        if section == "types" and doc.name in ("rank", "radius"):
            continue
        dot_chart(
            folder / f"{doc.name}_{section}_rate.svg",
            f"{doc.name}: {title}",
            without_copy(doc.section(section)),
            doc.footer,
        )
    if doc.name == "rank":
        return
    for name, rows in kinds(without_copy(doc.section("n"))):
        for k in dict.fromkeys(row["k"] for row in rows):
            fixed = [row for row in rows if row["k"] == k]
            words = name if k is None else f"{name}_k{k:.0f}"
            line_chart(
                folder / f"{doc.name}_n_{words}.svg",
                f"Rate against the number of keys: {words}",
                "keys",
                "million per second",
                series_of(fixed, lambda r: r["n"], lambda r: r["mkeys_per_s"]),
                doc.footer,
                count,
            )


def draw_radius(doc, folder):
    rows = [row for row in without_copy(doc.section("k")) if row["k"] is not None]
    line_chart(
        folder / "radius_k_rate.svg",
        "Finding the radius k",
        "k",
        "million keys per second",
        series_of(rows, lambda r: r["k"], lambda r: r["mkeys_per_s"]),
        doc.footer,
        count,
    )
    draw_rates(doc, folder)


def draw_rough(doc, folder):
    """Figures 3 to 6 of the Roughsort paper: n swept at two k, k swept at two n."""
    rows = without_copy(doc.section("rough"))
    by_n, by_k = {}, {}
    for row in rows:
        by_n.setdefault(row["k"], []).append(row)
        by_k.setdefault(row["n"], []).append(row)
    for k, group in by_n.items():
        if len({row["n"] for row in group}) > 4:
            line_chart(
                folder / f"sort_rough_k{k:.0f}.svg",
                f"Sorting k-sorted arrays, k = {k:.0f}",
                "keys",
                "milliseconds",
                series_of(group, lambda r: r["n"], milliseconds),
                doc.footer,
                count,
            )
    for n, group in by_k.items():
        if len({row["k"] for row in group}) > 4:
            line_chart(
                folder / f"sort_rough_n{n}.svg",
                f"Sorting k-sorted arrays of {count(n)} keys",
                "k",
                "milliseconds",
                series_of(group, lambda r: r["k"], milliseconds),
                doc.footer,
                count,
            )


def draw_sort(doc, folder):
    draw_rates(doc, folder)
    draw_rough(doc, folder)


def draw_rank_all(doc, folder):
    draw_rank(doc, folder)
    draw_rates(doc, folder)


def draw_both(doc, folder):
    for name, rows in kinds(doc.section("threads")):
        line_chart(
            folder / f"{doc.name}_threads_{name}.svg",
            f"Time against the number of threads: {name}",
            "threads",
            "milliseconds",
            by_algorithm(rows, lambda r: r["threads"], milliseconds),
            doc.footer,
        )
    for name, rows in kinds(doc.section("small")):
        line_chart(
            folder / f"{doc.name}_small_{name}.svg",
            f"One call on a small array: {name}",
            "keys",
            "microseconds",
            series_of(rows, lambda r: r["n"], microseconds),
            doc.footer,
            count,
        )


DRAW = {
    "rank": draw_rank_all,
    "scan": draw_scan,
    "sort": draw_sort,
    "argsort": draw_rates,
    "select": draw_rates,
    "radius": draw_radius,
    "strings": draw_rates,
    "hybrid": draw_rates,
}


def draw(path, folder):
    doc = Document(path)
    folder.mkdir(parents=True, exist_ok=True)
    DRAW[doc.name](doc, folder)
    draw_both(doc, folder)


def main(arguments):
    if len(arguments) != 3:
        print("usage: plot.py RESULTS.json|RESULTS_FOLDER FOLDER", file=sys.stderr)
        return 2
    source, folder = Path(arguments[1]), Path(arguments[2])
    paths = [source]
    if source.is_dir():
        found = sorted(source.rglob("*.json"))
        paths = [path for path in found if "benchmark" in json.loads(path.read_text())]
    for path in paths:
        try:
            draw(path, folder if path == source else folder / path.parent.relative_to(source))
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"plot.py: {path}: not results of ordo bench: {error!r}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
