"""The package: every example runs, every public function is documented, and the wheel works.

The test of the wheel needs ORDO_TEST_WHEEL=1.
"""

from __future__ import annotations

import ast
import ctypes
import doctest
import functools
import inspect
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import numpy as np
import pytest

import ordo
from ordo import _lib

ROOT = Path(__file__).resolve().parents[2]
NO_ARGUMENTS = {"explain", "patch", "patched", "show_config", "unpatch"}


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@functools.cache
def _can_run(need: str) -> bool:
    """Whether a block marked ```python NEED runs here: with the module NEED, torch with a GPU,
    duckdb with the extension of ordo."""
    program = f"import {need}"
    if need == "torch":
        program += "; assert torch.cuda.is_available()"
    if need == "duckdb":
        program += "; import ordo; ordo.duckdb.path()"
    return not subprocess.run([sys.executable, "-c", program], capture_output=True).returncode


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 prints numbers differently"
)
@pytest.mark.parametrize("page", [p for p in PAGES if "\n```python" in p.read_text()], ids=str)
def test_the_documents(page, tmp_path):
    """The Python blocks of a page run one after the other and print what they show."""
    seen: dict[str, object] = {}
    ran = 0
    for needs, block in re.findall(r"^```python(.*?)\n(.*?)^```", page.read_text(), re.S | re.M):
        if not all(map(_can_run, needs.split())):
            continue
        ran += 1
        if ">>> " in block:
            example = doctest.DocTestParser().get_doctest(block, seen, page.name, None, 0)
            runner = doctest.DocTestRunner()
            assert runner.run(example, clear_globs=False).failed == 0
            seen = example.globs
        else:
            program = tmp_path / "program.py"
            program.write_text(block)
            subprocess.run([sys.executable, program], cwd=tmp_path, check=True)
    if not ran:
        pytest.skip("needs a module or a GPU that is not here")


def _anchors(page: Path) -> set[str]:
    """The names that GitHub gives the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.M)
    }


def test_links_to_headings():
    """A link to a heading names one; examples.sh checks links to files."""
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")]:
        for file, anchor in re.findall(r"\]\(([^):#]*)#([^)]+)\)", page.read_text()):
            target = page.parent / file if file else page
            assert anchor in _anchors(target), f"{page.name}: no heading {file}#{anchor}"


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


def _imports(file: Path, package: Path) -> set[str]:
    """Returns the modules of the package that a module imports, also inside its functions."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = file.parents[node.level - 1] / (node.module or "").replace(".", "/")
        for path in [base, *(base / alias.name for alias in node.names)]:
            for target in (path.with_suffix(".py"), path / "__init__.py"):
                if target.exists() and target.parent != package.parent:
                    found.add(str(target.relative_to(package)))
    return found - {str(file.relative_to(package)), "__init__.py"}


def test_imports_form_no_cycle():
    package = Path(ordo.__file__).parent
    files = [f for f in package.rglob("*.py") if f != package / "__init__.py"]
    waiting = {str(f.relative_to(package)): _imports(f, package) for f in files}
    assert {"_lib.py", "_context/__init__.py"} <= waiting["_places.py"]
    while waiting:
        ready = {name for name, needs in waiting.items() if not needs & waiting.keys()}
        assert ready, f"modules import each other: {waiting}"
        waiting = {name: needs for name, needs in waiting.items() if name not in ready}


@pytest.mark.skipif(os.environ.get("ORDO_TEST_WHEEL") != "1", reason="ORDO_TEST_WHEEL is not 1")
def test_the_wheel_works_on_its_own(tmp_path):
    pytest.importorskip("scikit_build_core", reason="needs scikit-build-core")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-build-isolation", "--no-deps", "-w",
         str(tmp_path), "-C", "cmake.define.ORDO_CUDA=OFF", "-C", f"build-dir={tmp_path}/build"],
        check=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert f"-{tag}-{tag}" in wheel.name
    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(wheel).extractall(unpacked)
    extension = "_ext" + sysconfig.get_config_var("EXT_SUFFIX")
    assert not list(unpacked.rglob("*bench*"))
    assert {"libordo.so.0", "ordo-command", "py.typed", "_lib.py", extension} <= {
        p.name for p in (unpacked / "ordo").iterdir()
    }
    environment = {k: v for k, v in os.environ.items() if k not in ("ORDO_LIBRARY", "PYTHONPATH")}
    code = "import ordo; print(ordo.sort([2, 1]), ordo._lib.path)"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(unpacked)},
    )  # fmt: skip
    assert done.stdout.split("] ")[0] == "[1 2"
    assert str(unpacked) in done.stdout
    (unpacked / "ordo" / "ordo-command").chmod(0o755)  # zipfile does not set the mode
    done = subprocess.run(
        [sys.executable, "-m", "ordo", "--version"], check=True, capture_output=True, text=True,
        cwd=tmp_path, env={**environment, "PYTHONPATH": str(unpacked)},
    )  # fmt: skip
    assert ordo.__version__ in done.stdout


def test_the_command():
    """`python -m ordo` runs the program that was built with the library, and returns its status."""
    program = Path(__file__).resolve().parents[2] / "build" / "ordo"
    if not program.exists():
        pytest.skip("build/ordo does not exist")
    command = [sys.executable, "-m", "ordo"]
    done = subprocess.run([*command, "--version"], check=True, capture_output=True, text=True)
    assert ordo.__version__ in done.stdout
    done = subprocess.run([*command, "sort", "--no-such-option"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr


def test_signatures_for_checkers():
    """Every overload in _out.pyi has the parameters of its function, in the same order."""
    tree = ast.parse((ROOT / "python" / "ordo" / "_out.pyi").read_text())
    overloads = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert len(overloads) > 30
    for node in overloads:
        names = [each.arg for each in (*node.args.args, *node.args.kwonlyargs)]
        assert names == list(inspect.signature(getattr(ordo, node.name)).parameters), node.name
    with_out = {
        name for name in ordo.__all__
        if inspect.isroutine(inspect.unwrap(getattr(ordo, name)))
        and "out" in inspect.signature(getattr(ordo, name)).parameters
    }  # fmt: skip
    assert with_out - {"topk", "top_k"} == {node.name for node in overloads}


def test_types_for_checkers(tmp_path):
    """mypy finds no fault in right calls, and one in each wrong call."""
    pytest.importorskip("mypy", reason="needs mypy")
    right = ["rankdata([1], 'min')", "quantile([1], 0.5, method='hazen')", "sort([1])", "rank([1])",
             "unique([1]).size", "unique([1], True)[1]", "unique([1], return_counts=True)[1]",
             "unique([1], True, return_counts=True)[2]", "unique([1], False, True, True)[2]",
             "radius([1], sequences=True)[3]", "is_sorted([1], None).bit_length()",
             "sort([1], out=bytearray()).hex()", "cumsum([1], None, None, bytearray()).hex()",
             "median([1]).anything", "rank([1], out=None).anything", "lexrank([[1]], 'min')",
             "moving_rank([1], 2, out=bytearray()).hex()", "group_rank([1], [1]).size",
             "sort([1], kind='stable')", "generate('zipf', 5)", "bwt(b'a', 'msd').primary",
             "scan_bits([True], out=bytearray()).hex()", "radius([1], None).bit_length()",
             "cumprod([1], None, None, bytearray()).hex()", "partition([1], 0, -1, 'introselect')",
             "is_sorted([1], None, keepdims=True).shape", "dask.rankdata([1], 'min')",
             "external.median('f', nan_policy='omit')", "mpi.quantile([1], 0.5)"]  # fmt: skip
    wrong = ["rankdata([1], 'averge')", "quantile([1], 0.5, method='lin')", "sort(1, axis='x')",
             "median([1], nan_policy='omitted')", "searchsorted(1, 2, side='middle')",
             "unique([1], True)[2]", "unique([1], return_counts=True).size",
             "unique([1], return_inverse=True, return_counts=True)[3]",
             "radius([1], sequences=True)[4]", "radius([1], None)[0]",
             "quantile([1], 0.5, out=bytearray()).shape", "cummax([1], 0, bytearray()).shape",
             "nanquantile([1], 0.5, method='lin', out=bytearray())", "lexrank([[1]], 'averge')",
             "group_rank([1], [1], 'averge')", "group_quantile([1], [1], 0.5, method='lin')",
             "moving_rank([1], 2, method='averge')", "moving_min([1], 2, nan_policy='omitted')",
             "moving_max([1], 2, out=bytearray()).shape", "cumprod([1], out=bytearray()).shape",
             "sort([1], kind='quicksrt')", "argsort([1], kind='quicksrt')",
             "partition([1], 0, kind='quicksort')", "argpartition([1], 0, kind='quicksort')",
             "generate('zifp', 5)", "suffix_array(b'a', 'sais')", "bwt(b'a', algorithm='sais')",
             "rank_sorted([1], 'averge')", "percentile([1], 5, method='lin')",
             "mannwhitneyu([1], [2], alternative='both')",
             "spearmanr([1], [2], nan_policy='omitted')",
             "dask.rankdata([1], 'averge')", "dask.quantile([1], 0.5, method='lin')",
             "dask.median([1], nan_policy='omitted')", "dask.searchsorted(1, 2, side='middle')",
             "mpi.rankdata([1], 'averge')",
             "external.median('f', nan_policy='omitted')"]  # fmt: skip
    file = tmp_path / "calls.py"
    lines = [f"ordo.{call}" for call in right + wrong]
    file.write_text("\n".join(["import ordo, ordo.dask, ordo.external, ordo.mpi", *lines, ""]))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), str(file)],
        capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(ROOT / "python")},
    )  # fmt: skip
    own = [line for line in done.stdout.splitlines() if "calls.py:" in line and ": error:" in line]
    faults = [int(line.split(":")[1]) for line in own]
    assert faults == list(range(2 + len(right), 2 + len(right + wrong)))


# ---- The structs of the C header ---------------------------------------------------------------

STRUCTS = {
    "ordo_device_share": _lib.DeviceShare,
    "ordo_ctx_opts": _lib.ContextOptions,
    "ordo_sort_opts": _lib.SortOptions,
    "ordo_rank_opts": _lib.RankOptions,
    "ordo_select_opts": _lib.SelectOptions,
    "ordo_quantile_opts": _lib.QuantileOptions,
    "ordo_moving_opts": _lib.MovingOptions,
    "ordo_scan_opts": _lib.ScanOptions,
    "ordo_partition_opts": _lib.PartitionOptions,
    "ordo_order_opts": _lib.OrderOptions,
    "ordo_segments": _lib.Segments,
    "ordo_gen_opts": _lib.GenOptions,
    "ordo_strings": _lib.Strings,
    "ordo_report": _lib.ReportStruct,
    "ordo_info": _lib.InfoStruct,
}


def member(struct: str, name: str) -> str:
    """Returns the C name of a field. ReportStruct has the fields of ordo_facts as its own."""
    names = [field for field, _ in _lib.ReportStruct._fields_]
    is_fact = struct == "ordo_report" and names.index(name) >= names.index("input")
    return f"facts.{name}" if is_fact else name


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.skipif(not (ROOT / "include").is_dir(), reason="no headers")
def test_the_structs(tmp_path):
    """Every ctypes struct has the size and the offsets of the struct in the header."""
    lines, expected = [], []
    for name, struct in STRUCTS.items():
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        expected.append((name, ctypes.sizeof(struct)))
        for field, _ in struct._fields_:
            c_name = member(name, field)
            lines.append(f'printf("%zu\\n", offsetof({name}, {c_name}));')
            expected.append((f"{name}.{field}", getattr(struct, field).offset))
    headers = [path.name for path in sorted((ROOT / "include").glob("ordo*.h"))]
    headers.remove("ordo_mpi.h")  # needs an MPI
    source = tmp_path / "structs.c"
    text = "".join(f'#include "{header}"\n' for header in headers)
    text += "#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n"
    source.write_text(text + "\n".join(lines) + "\n}\n")
    program = tmp_path / "structs"
    command = ["cc", f"-I{ROOT / 'include'}", str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    found = subprocess.run([str(program)], check=True, capture_output=True, timeout=60).stdout
    sizes = [int(line) for line in found.split()]
    assert list(zip((name for name, _ in expected), sizes)) == expected
