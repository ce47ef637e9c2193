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


def test_an_unknown_section():
    with pytest.raises(SystemExit):
        bench.main(["nonsense"])
