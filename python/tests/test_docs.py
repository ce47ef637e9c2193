"""Documentation: every example runs, and every public function documents what it takes."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import ordo

ROOT = Path(__file__).resolve().parents[2]
NO_ARGUMENTS = {"explain", "show_config"}


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 prints numbers differently"
)
def test_the_guide():
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert tried > 10
    assert failed == 0


def test_the_readme():
    """The README has Python blocks, and each of them runs."""
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)
    assert blocks, "README.md has no block that starts with ```python"
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("name", [n for n in ordo.__all__ if n.islower() and n != "__version__"])
def test_docstrings(name):
    """A summary of one line, then parameters, result, errors and an example (run as a doctest)."""
    function = getattr(ordo, name)
    text = inspect.getdoc(function)
    summary, blank = (text + "\n").split("\n")[:2]
    assert summary.endswith(".") and not blank
    sections = re.findall(r"^(\w+)\n-+$", text, re.M)
    expected = ["Parameters", "Returns", "Raises", "Examples"]
    assert sections == [s for s in expected if s in sections]
    optional = {"Parameters", "Raises"} if name in NO_ARGUMENTS else set()
    assert set(expected) - set(sections) <= optional
    assert ">>> " in text.split("Examples\n")[1]
    described = text.split("Parameters\n")[1].split("Returns\n")[0] if "Parameters" in text else ""
    for parameter in inspect.signature(function).parameters:
        assert re.search(rf"^[\w, ]*\b{parameter}\b[\w, ]* : ", described, re.M), parameter
