"""python -m ordo.bench runs, prints rows and writes them to a JSON file."""

from __future__ import annotations

import json

import pytest

import ordo
from ordo import bench


def test_a_small_run(tmp_path, capsys):
    target = tmp_path / "rows.json"
    arguments = ["host", "strings", "-n", "2000", "--repeat", "1", "--json", str(target)]
    bench.main([*arguments, "--revision", "abc"])
    document = json.loads(target.read_text())
    assert document["revision"] == "abc"
    names = [row["name"] for row in document["rows"]]
    assert {"sort", "rankdata average", "quantile, nine q", "sort S12"} <= set(names)
    assert "numpy" in document["machine"]
    assert "median" in capsys.readouterr().out


def test_every_distribution_and_type_has_a_row(tmp_path, capsys):
    target = tmp_path / "rows.json"
    bench.main(["distributions", "-n", "500", "--repeat", "1", "--json", str(target)])
    document = json.loads(target.read_text())
    assert len(document["rows"]) == len(bench.DISTS) * len(bench.TYPES)
    points = sum(len(row["ratios"]) for row in document["rows"])
    assert [score["points"] for score in document["scores"]] == [points]
    assert f"distributions: {points} points: " in capsys.readouterr().out


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
    others = {"config", "context", "explain", "show_config"}
    public = {name for name in ordo.__all__ if name.islower() and not name.startswith("_")}
    assert names == public - others


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


def test_an_unknown_section():
    with pytest.raises(SystemExit):
        bench.main(["nonsense"])
