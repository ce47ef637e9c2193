"""Charts as SVG, for the page and for a file of its own.

Colours are the classes c0 ... c9 and a style sheet gives them values, so that a chart follows the
theme of the page. A marker has a shape besides its colour. Bars show the quartiles. Values of a
paper are hollow. Every chart has a title, a description in words and a tooltip for each point.
"""

import math
from dataclasses import dataclass, field
from html import escape

SHAPES = 6
CHAR = 0.6  # width of a letter over the font size, rounded up


@dataclass
class Series:
    name: str
    colour: int
    points: list  # (x, y, low, high, words); low and high may be None
    paper: bool = False
    thin: bool = False


def count(n):
    """128000000 as 128M, 2 to the power of 28 as 2²⁸."""
    if isinstance(n, int) and n >= 1024 and n & (n - 1) == 0:
        return "2" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] for d in str(n.bit_length() - 1))
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if n >= size:
            return f"{n / size:.4g}{unit}"
    return f"{n:g}"


def radius(k):
    """Like count, but small numbers in full."""
    return f"{k:,.0f}" if k < 10_000 else count(float(k))


def chance(p):
    """0.99999 as 1-10⁻⁵."""
    if p <= 0.999 or p == 1:
        return f"{p:g}"
    return "1\N{MINUS SIGN}10⁻" + "⁰¹²³⁴⁵⁶⁷⁸⁹"[round(-math.log10(1 - p)) % 10]


def figure(value):
    """A number with three digits."""
    if value == 0:
        return "0"
    if value >= 1000:
        return f"{value:,.0f}"
    if value < 0.001:
        return f"{value:.1e}"
    return f"{value:.3g}"


@dataclass
class Chart:
    id: str
    title: str
    words: str  # the finding, for readers who do not see the chart
    axis_x: str
    axis_y: str
    series: list
    guides: list = field(default_factory=list)  # (y, words): values of a paper without an x
    bands: list = field(default_factory=list)  # (x1, x2, words)
    label: object = str  # of an x
    show: object = figure  # of a tick of y


def linear_ticks(top, wanted=5):
    """Multiples of 1, 2 or 5 times a power of ten from 0 to at least top."""
    raw = top / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    return [i * step for i in range(math.ceil(top / step - 1e-9) + 1)]


def log_ticks(low, high):
    """1, 2 and 5 times the powers of ten around low ... high; only powers of ten if too many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = [m * 10.0**e for e in range(first, last + 1) for m in (1, 2, 5)]
    start = max(i for i, t in enumerate(every) if t <= low * 1.0001)
    end = min(i for i, t in enumerate(every) if t >= high * 0.9999)
    if end - start < 8:
        return every[start : max(end, start + 1) + 1]
    return [10.0**e for e in range(first, max(last, first + 1) + 1)]


class Scale:
    """Maps values to pixels, linear from 0 or logarithmic."""

    def __init__(self, values, start, end, logarithmic):
        self.log, self.start, self.end = logarithmic, start, end
        self.ticks = log_ticks(min(values), max(values)) if self.log else linear_ticks(max(values))

    def __call__(self, value):
        first, last = self.ticks[0], self.ticks[-1]
        if self.log:
            share = math.log(max(value, first) / first) / math.log(last / first)
        else:
            share = value / last
        return self.start + share * (self.end - self.start)


def spaced(values):
    return max(values) / min(values) > 12


def width_of(words, size):
    return CHAR * size * len(words)


def element(name, content=None, **attributes):
    """An SVG element; the class is given as `css`, and - is written as _."""
    parts = [name]
    for key, value in attributes.items():
        if value is None:
            continue
        key = "class" if key == "css" else key.replace("_", "-")
        value = f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
        parts.append(f'{key}="{escape(str(value))}"')
    opening = " ".join(parts)
    return f"<{opening}/>" if content is None else f"<{opening}>{content}</{name}>"


def words(x, y, content, anchor="start", css=None, turn=None, size=12):
    spin = None if turn is None else f"rotate({turn} {x:.1f} {y:.1f})"
    return element(
        "text",
        escape(content),
        x=float(x),
        y=float(y),
        text_anchor=None if anchor == "start" else anchor,
        css=css,
        transform=spin,
        font_size=None if size == 12 else size,
    )


def marker(shape, x, y, css, tip="", size=4.2):
    """One of SHAPES shapes around the point."""
    content = f"<title>{escape(tip)}</title>" if tip else None
    x, y, s = float(x), float(y), float(size)
    if shape == 0:
        return element("circle", content, cx=x, cy=y, r=s, css=css)
    if shape == 1:
        return element(
            "rect", content, x=x - s * 0.9, y=y - s * 0.9, width=s * 1.8, height=s * 1.8, css=css
        )
    corners = {
        2: [(0, -1.25), (1.15, 0.85), (-1.15, 0.85)],
        3: [(0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)],
        4: [(0, 1.25), (1.15, -0.85), (-1.15, -0.85)],
        5: [(-0.7, -1.2), (0.7, -1.2), (1.3, 0), (0.7, 1.2), (-0.7, 1.2), (-1.3, 0)],
    }[shape]
    where = " ".join(f"{x + dx * s:.1f},{y + dy * s:.1f}" for dx, dy in corners)
    return element("polygon", content, points=where, css=css)


def style_of(series):
    return f"c{series.colour % 10}" + (" hollow" if series.paper else "")


def svg(chart, width, height, parts, narrow):
    """The element with its title and description. Ids differ between the two sizes of a chart."""
    name = f"{chart.id}-{'narrow' if narrow else 'wide'}"
    head = (
        f'<title id="{name}-t">{escape(chart.title)}</title>'
        f'<desc id="{name}-d">{escape(chart.words)}</desc>'
    )
    return (
        f'<svg class="chart {"narrow" if narrow else "wide"}" id="{name}" role="img" '
        f'aria-labelledby="{name}-t {name}-d" viewBox="0 0 {width} {height}" '
        f'xmlns="http://www.w3.org/2000/svg">{head}{"".join(parts)}</svg>'
    )


def positions(places, left, right):
    """A function from x to pixels: the places are evenly spaced, other numbers lie between them."""
    step = (right - left) / len(places)
    at = {x: left + step * (i + 0.5) for i, x in enumerate(places)}

    def across(x):
        if x in at:
            return at[x]
        if x < places[0] or x > places[-1]:
            return at[places[0] if x < places[0] else places[-1]]
        after = next(i for i, place in enumerate(places) if place > x)
        low, high = places[after - 1], places[after]
        return at[low] + step * (x - low) / (high - low)

    return across, step


def shown_labels(places, label, step, size=12):
    """The places that get a label, so that labels do not touch; the last one always does."""
    widest = max(width_of(label(x), size) for x in places) + 8
    stride = max(1, math.ceil(widest / step))
    last = len(places) - 1
    return [x for i, x in enumerate(places) if (last - i) % stride == 0]


def wrapped(label, room, size=12):
    """The words of a label in lines of at most `room`; one line if a word is longer."""
    lines = []
    for word in label.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines if all(width_of(line, size) <= room for line in lines) else [label]


def value_axis(scale, left, right, axis, show):
    parts = []
    for tick in scale.ticks:
        y = scale(tick)
        parts.append(element("line", x1=float(left), y1=y, x2=float(right), y2=y, css="grid"))
        parts.append(words(left - 7, y + 4, show(tick), "end", "faint"))
    note = f"{axis}, logarithmic" if scale.log else axis
    parts.append(words(6, 14, note, "start", "axis"))
    return parts


def draw_series(series, across, scale, tips, connected):
    parts = []
    css = style_of(series)
    where = [(across(x), scale(y)) for x, y, *_ in series.points]
    if connected and len(where) > 1:
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in where)
        dash = "4 4" if series.paper else None
        parts.append(
            element(
                "polyline",
                points=line,
                css=f"line {css}" + (" thin" if series.thin else ""),
                stroke_dasharray=dash,
            )
        )
    for (x, y), (_, _, low, high, tip) in zip(where, series.points):
        if low is not None and scale(low) - scale(high) > 1:
            parts.append(
                element("line", x1=x, x2=x, y1=scale(low), y2=scale(high), css=f"bar {css}")
            )
        size = 2.8 if series.thin else 4.2
        parts.append(marker(series.colour % SHAPES, x, y, f"mark {css}", tip if tips else "", size))
    return parts


def line_chart(chart, narrow=False):
    """One line for each series over evenly spaced x; no lines between x that are not numbers."""
    width, height = (340, 300) if narrow else (640, 340)
    values = [v for s in chart.series for _, y, low, high, _ in s.points for v in (y, low, high)]
    values = [v for v in values if v is not None] + [y for y, _ in chart.guides]
    numbers = {x for s in chart.series for x, *_ in s.points}
    connected = all(isinstance(x, (int, float)) for x in numbers)
    if connected:
        places = sorted(numbers)
    else:
        places = list(dict.fromkeys(x for s in chart.series for x, *_ in s.points))
    top, bottom, right = 28, height - 44, width - 10
    logarithmic = spaced(values)
    ticks = Scale(values, bottom, top, logarithmic).ticks
    left = 14 + max(width_of(chart.show(t), 12) for t in ticks)
    across, step = positions(places, left, right)
    lines = {
        x: [chart.label(x)] if connected else wrapped(chart.label(x), step - 8) for x in places
    }
    bottom -= 14 * (max(map(len, lines.values()), default=1) - 1)
    scale = Scale(values, bottom, top, logarithmic)
    parts = []
    for x1, x2, label in chart.bands:
        start, end = across(x1) - 3, across(x2) + 3
        parts.append(
            element(
                "rect",
                f"<title>{escape(label)}</title>",
                x=float(start),
                y=float(top),
                width=float(end - start),
                height=float(bottom - top),
                css="band",
            )
        )
    parts += value_axis(scale, left, right, chart.axis_y, chart.show)
    for x in shown_labels(places, lambda x: max(lines[x], key=len), step):
        for i, line in enumerate(lines[x]):
            half = width_of(line, 12) / 2  # the label stays inside the picture
            middle = min(max(across(x), half), width - half - 2)
            parts.append(words(middle, bottom + 18 + 14 * i, line, "middle", "faint"))
    parts.append(words((left + right) / 2, height - 6, chart.axis_x, "middle", "axis"))
    for y, label in chart.guides:
        parts.append(
            element(
                "line",
                f"<title>{escape(label)}</title>",
                x1=float(left),
                x2=float(right),
                y1=scale(y),
                y2=scale(y),
                css="guide",
            )
        )
        parts.append(marker(3, right - 4, scale(y), "mark paper hollow", "" if narrow else label))
    for series in chart.series:
        parts += draw_series(series, across, scale, not narrow, connected)
    return svg(chart, width, height, parts, narrow)


def dot_chart(chart, narrow=False):
    """One line for each label and one marker for each contender on a logarithmic axis."""
    labels = list(dict.fromkeys(x for s in chart.series for x, *_ in s.points))
    width = 340 if narrow else 640
    step = 34 if narrow else 24
    values = [y for s in chart.series for _, y, *_ in s.points]
    left = 12 if narrow else 14 + max(width_of(x, 12) for x in labels)
    right, top = width - 24, 26
    bottom = top + step * len(labels)
    height = bottom + 24
    scale = Scale(values, left + 6, right, True)
    parts = []
    spare = -100.0
    for tick in scale.ticks:
        x = scale(tick)
        parts.append(element("line", x1=x, y1=float(top), x2=x, y2=float(bottom), css="grid"))
        half = width_of(count(tick), 12) / 2
        if x - half > spare and x + half < width:
            parts.append(words(x, bottom + 16, count(tick), "middle", "faint"))
            spare = x + half + 6
    parts.append(words(6, 14, f"{chart.axis_y}, logarithmic", "start", "axis"))
    for place, name in enumerate(labels):
        middle = top + place * step + (step - 10 if narrow else step / 2)
        parts.append(
            element(
                "line",
                x1=float(left),
                y1=middle * 1.0,
                x2=float(right),
                y2=middle * 1.0,
                css="grid",
            )
        )
        if narrow:
            parts.append(words(left, middle - 10, name))
        else:
            parts.append(words(left - 8, middle + 4, name, "end"))
        for series in chart.series:
            for x, y, _, _, tip in series.points:
                if x == name:
                    css = f"mark {style_of(series)}"
                    tip = "" if narrow else tip
                    parts.append(marker(series.colour % SHAPES, scale(y), middle, css, tip))
    return svg(chart, width, height, parts, narrow)


def swatch(series):
    """The marker of a series, for legends outside of the chart."""
    mark = marker(series.colour % SHAPES, 9, 7, f"mark {style_of(series)}")
    line = element("line", x1=0.0, x2=18.0, y1=7.0, y2=7.0, css=f"line {style_of(series)}")
    return (
        '<svg class="swatch" aria-hidden="true" width="18" height="14" '
        f'viewBox="0 0 18 14">{line}{mark}</svg>'
    )
