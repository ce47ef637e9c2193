"""The part of the page with the data: a link to all rows as CSV, and tools that need JavaScript."""

import csv
import io
from urllib.parse import quote

from markup import details, table, tag

SAFE = "!$()*+,-./:;=?@_~"  # allowed in a data URL and in an HTML attribute


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
    """Adds an apostrophe to text that a spreadsheet would read as a formula."""
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
    packed = quote(as_csv(results), safe=SAFE)
    rows = sum(len(d.rows) for d in results.documents)
    link = tag(
        "a",
        f"CSV, {rows:,} rows",
        id="csv",
        href=f"data:text/csv;charset=utf-8,{packed}",
        download="ordo-results.csv",
    )
    tools = link + '<button class="js" id="save" type="button">JSON</button>'
    table_tools = (
        '<div class="js"><div class="tools"><button id="show" type="button">Show all rows</button>'
        '<label>Filter <input id="filter" type="search" placeholder="sort u32 cub"></label>'
        '<span id="found" class="note"></span></div>'
        '<div id="all" class="scroll" tabindex="0"></div></div>'
    )
    words = (
        "Every measured row with median, quartiles and least time. The link works without "
        "JavaScript. The JSON files with every single time are in bench/results of the repository."
    )
    return (
        tag("h2", "Data", id="data")
        + tag("p", words)
        + tag("div", tools, css="tools")
        + table_tools
        + details("Result files", machines(results))
    )
