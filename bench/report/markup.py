"""Pieces of HTML. Every text that comes from a file passes through escape()."""

import re
from html import escape

import charts


def tag(name, content, **attributes):
    """An element; the attribute class is written css, and - as _."""
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            key = "class" if key == "css" else key.replace("_", "-")
            parts.append(f'{key}="{escape(str(value))}"')
    return f"<{' '.join(parts)}>{content}</{name}>"


def slug(words):
    """Words as an id: letters, digits and - only."""
    return re.sub(r"[^A-Za-z0-9]+", "-", words).strip("-")


def table(caption, heads, rows, most=400):
    """rows: lists of texts; a cell (text, class) has a class. A head that starts with > is over a
    column of numbers. More than `most` rows are cut, and a line says so."""
    right = [h.startswith(">") for h in heads]
    head = "".join(
        tag("th", escape(h.lstrip(">")), scope="col", css="r" if r else None)
        for h, r in zip(heads, right)
    )
    body = []
    for row in rows[:most]:
        cells = []
        for place, cell in enumerate(row):
            words, css = cell if isinstance(cell, tuple) else (cell, None)
            css = " ".join(filter(None, [css, "r" if right[place] else None])) or None
            if place == 0:
                cells.append(tag("th", escape(words), scope="row", css=css))
            else:
                cells.append(tag("td", escape(words), css=css))
        body.append(f"<tr>{''.join(cells)}</tr>")
    cut = ""
    if len(rows) > most:
        cut = tag("p", f"{len(rows) - most:,} more rows are in the download.", css="note")
    inner = f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
    inner += f"<tbody>{''.join(body)}</tbody>"
    return tag("div", tag("table", inner), css="scroll", tabindex="0") + cut


def details(summary, content):
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def code(command):
    return tag("pre", tag("code", escape(command)), tabindex="0")


def badge(verdict):
    return tag("span", escape(verdict), css=f"badge {verdict.replace(' ', '-')}")


def figure(chart, draw, caption):
    """The chart in two sizes, of which the style sheet shows one, with a legend and a caption."""
    legend = "".join(
        tag("li", charts.swatch(series) + escape(series.name)) for series in chart.series
    )
    for _, label in chart.guides:
        guide = charts.Series(label, 0, [], paper=True)
        mark = charts.swatch(guide).replace("c0 hollow", "paper hollow")
        legend += tag("li", mark + escape(label))
    for _, _, label in chart.bands:
        legend += tag("li", '<span class="band-swatch"></span>' + escape(label))
    return tag(
        "figure",
        draw(chart)
        + draw(chart, narrow=True)
        + tag("ul", legend, css="legend")
        + tag("figcaption", escape(caption)),
    )


def seconds(value):
    """A time with a fitting unit."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def quartiles(spread, show=seconds):
    return f"{show(spread.low)} \N{EN DASH} {show(spread.high)}"
