"""The benchmarks of the Python package run, print rows and write them to a JSON file."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import ordo
from ordo import _lib

ROOT = Path(__file__).resolve().parents[2]
bench = SimpleNamespace(**runpy.run_path(str(ROOT / "bench" / "python")))


def test_a_small_run(tmp_path, capsys):
    target = tmp_path / "rows.json"
    arguments = ["host", "rows", "strings", "-n", "2000", "--repeat", "1", "--json", str(target)]
    bench.main([*arguments, "--revision", "abc"])
    document = json.loads(target.read_text())
    assert document["revision"] == "abc"
    names = [row["name"] for row in document["rows"]]
    assert {"sort", "rankdata average", "quantile, nine q", "sort S12"} <= set(names)
    assert {"sort 200x3", "median 20x100", "cummin 1x2000"} <= set(names)
    assert "numpy" in document["machine"]
    assert "median" in capsys.readouterr().out


def test_every_distribution_and_type_has_a_row(tmp_path, capsys):
    target = tmp_path / "rows.json"
    bench.main(["distributions", "-n", "500", "--repeat", "1", "--json", str(target)])
    document = json.loads(target.read_text())
    assert len(document["rows"]) == len(bench.subjects.DISTS) * len(_lib.DTYPES)
    points = sum(len(row["ratios"]) for row in document["rows"])
    assert [score["points"] for score in document["scores"]] == [points]
    assert f"distributions: {points} points: " in capsys.readouterr().out


def test_short_calls():
    """bench/short.py prints a row for each function and counts the rows."""
    program = [sys.executable, str(ROOT / "bench" / "short.py"), "--rounds", "1"]
    program += ["-n", "10", "--types", "f8"]
    lines = subprocess.run(program, capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line.split()[0] for line in lines[3:-1]]
    assert {"sort", "median", "partition", "is_sorted"} <= set(names)
    counts = [int(n) for n in re.findall(r"(\d+) (?:ahead|level|behind)", lines[-1])]
    assert sum(counts) == 2 * len(names)


def test_the_points_of_a_run():
    def row(section, name, ours, **peers):
        seconds = {"ordo/1": ours, **peers}
        best = min(peers.values(), default=None)
        ratios = {"ordo/1": best / ours} if best else {}
        return {"section": section, "name": name, "seconds": seconds, "ratios": ratios}

    rows = [
        row("host", "sort", 1.0, numpy=2.0, torch=4.0),
        row("host", "median", 1.0, numpy=0.98),
        row("host", "unique", 1.0, numpy=0.9, pandas=0.5),
        row("host", "radius", 1.0),
        row("strings", "sort S12", 1.0, numpy=1.5),
    ]
    host, strings = bench.scores(rows)
    assert host == {
        "score": "host", "points": 3, "ahead": 1, "behind": 1,
        "worst_ratio": 0.5, "worst_label": "unique, ordo/1", "worst_peer": "pandas",
    }  # fmt: skip
    assert (strings["points"], strings["ahead"], strings["behind"]) == (1, 1, 0)
    assert bench.scores([]) == []


def test_every_function_has_a_row_of_its_overhead(tmp_path):
    target = tmp_path / "rows.json"
    bench.main(["overhead", "--repeat", "1", "--json", str(target)])
    names = {row["name"].split(",")[0] for row in json.loads(target.read_text())["rows"]}
    others = {"config", "context", "explain", "patch", "patched", "show_config", "unpatch"}
    public = {name for name in ordo.__all__ if name.islower() and not name.startswith("_")}
    aliases = {name for name in public if getattr(ordo, name).__name__ != name}
    assert aliases == {"rank", "top_k"}
    assert names == public - others - aliases


def test_the_list_of_sections(capsys):
    bench.main(["--list"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[2] for line in lines] == list(bench.SECTIONS)
    assert {line[2] for line in lines if line[1] == "cuda"} == {"gpu", "transfer"}


def test_windows(tmp_path):
    target = tmp_path / "rows.json"
    bench.main(["windows", "-n", "300", "--repeat", "1", "--json", str(target)])
    names = [row["name"] for row in json.loads(target.read_text())["rows"]]
    assert {"moving_median, 100", "moving_rank, 10"} <= set(names)


def test_sizes(tmp_path):
    target = tmp_path / "rows.json"
    bench.main(["sizes", "-n", "1000", "--repeat", "1", "--json", str(target)])
    rows = json.loads(target.read_text())["rows"]
    calls = ("partition", "argpartition", "unique", "searchsorted", "searchsorted, sorted")
    kinds = ("uniform", "100 values", "zipf")
    names = [f"{name} {kind} 1000" for kind in kinds for name in calls]
    assert [row["name"] for row in rows] == names
    assert all(set(row["seconds"]) == {"ordo/1", "numpy"} for row in rows)


def test_groups(tmp_path):
    target = tmp_path / "rows.json"
    bench.main(["groups", "-n", "300", "--repeat", "1", "--json", str(target)])
    names = [row["name"] for row in json.loads(target.read_text())["rows"]]
    assert {"group_count", "group_median", "group_rank", "group_topk", "sort_records"} <= set(names)


def test_shapes_of_rows(tmp_path):
    target = tmp_path / "rows.json"
    bench.main(["rows", "--shapes", "6x3,2x9", "--only", "sort", "--repeat", "1", "--json",
                str(target)])  # fmt: skip
    names = [row["name"] for row in json.loads(target.read_text())["rows"]]
    assert names == ["sort 6x3", "sort 2x9"]
    for wrong in ("6", "6x0", "axb", "1x2x3"):
        with pytest.raises(SystemExit, match="expected rows and columns"):
            bench.main(["rows", "--shapes", wrong])


def test_an_unknown_section():
    with pytest.raises(SystemExit):
        bench.main(["nonsense"])
