"""Helpers of the report's tests: paths, made-up results, a balance check of HTML."""

import json
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "report"))

VOID = {"meta", "input", "br", "link", "img", "hr"}


def row(**changes):
    """A row of `ordo bench --json`; changes replace fields."""
    raw = {
        "section": "p",
        "label": "0.5",
        "op": "rank",
        "variant": "min",
        "type": "f32",
        "out_type": "u32",
        "dist": "recur",
        "p": 0.5,
        "k": None,
        "n": 1000,
        "bytes": 8000,
        "algorithm": "auto",
        "peer": False,
        "threads": 1,
        "calls_per_round": 1,
        "seconds": [0.001, 0.00102, 0.00101],
    }
    raw.update(changes)
    if "median_s" not in raw:
        raw["median_s"] = sorted(raw["seconds"])[len(raw["seconds"]) // 2]
    return raw


def document(rows, **changes):
    raw = {
        "benchmark": "rank",
        "version": "0.1.0",
        "date": "2026-11-15T06:24:22Z",
        "machine": {"cpu": "A processor", "cpus": 4, "isa": "avx2"},
        "device": "A GPU, compute capability 9.0",
        "peers": None,
        "n": 1000,
        "repeat": 3,
        "threads": 1,
        "seed": 1,
        "rows": rows,
    }
    raw.update(changes)
    return raw


class Folder:
    """A temporary folder of results; files are given as documents or as text."""

    def __init__(self, **files):
        self.files = files

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        folder = Path(self.temporary.name)
        (folder / "machine" / "subject").mkdir(parents=True)
        for name, content in self.files.items():
            words = content if isinstance(content, str) else json.dumps(content)
            (folder / "machine" / "subject" / f"{name}.json").write_text(words, encoding="utf-8")
        return folder

    def __exit__(self, *_):
        self.temporary.cleanup()


class Balance(HTMLParser):
    """Collects ids, links and unbalanced elements of a page."""

    def __init__(self):
        super().__init__()
        self.stack, self.wrong, self.ids, self.links, self.sources = [], [], [], [], []
        self.tags = {}

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"])
        if "href" in given:
            self.links.append(given["href"])
        for name in ("src", "srcset", "action", "data", "poster", "xlink:href"):
            if name in given:
                self.sources.append(given[name])
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.wrong.append(tag)


def parse(html):
    found = Balance()
    found.feed(html)
    found.close()
    return found
