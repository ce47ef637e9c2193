"""A pytest plugin that runs the tests of NumPy and SciPy on the functions of ordo.

The modules in ``MODULES`` are compiled from the installed source with one change, made in memory:
every attribute ``x.sort``, ``np.unique`` and so on is looked up by ``attribute``, which returns
ordo's function instead of NumPy's or SciPy's. Nothing else changes, so NumPy still computes the
expected results.

``run`` starts pytest with this plugin in another process and returns the outcome of each case.
"""

from __future__ import annotations

import ast
import builtins
import gc
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from typing import Any

# Test modules, and a pattern for the names (class::function) of the cases that call a function of
# ordo. Older releases of NumPy have test_multiarray in numpy.core.
MODULES = {
    "numpy._core.tests.test_multiarray": "(?i)sort|partition",
    "numpy.core.tests.test_multiarray": "(?i)sort|partition",
    "numpy.lib.tests.test_arraysetops": "TestUnique::",
    "numpy.lib.tests.test_function_base":
        "Test(Cumsum|Median|Percentile|Quantile|SortComplex)::",
    "numpy.lib.tests.test_nanfunctions": "TestNanFunctions_(Median|Percentile|Quantile)::",
    "scipy.stats.tests.test_hypotests": "TestMannWhitneyU::",
    "scipy.stats.tests.test_rank": "TestRankData::",
    "scipy.stats.tests.test_stats": "TestCorrSpearmanr2?::",
}  # fmt: skip
OUTCOMES = "ORDO_SUITE_OUTCOMES"  # environment variable: the file for the outcomes
PLAIN = "ORDO_SUITE_PLAIN"  # environment variable: if set, the tests run without ordo

FUNCTIONS: dict[Any, Any] = {}  # function of NumPy or SciPy -> function of ordo
METHODS: dict[str, Any] = {}  # method of arrays -> function with the array as first argument
NAMES: set[str] = set()  # the names of both


# ---- Substitution ------------------------------------------------------------------------------


def _sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> None:
    import ordo

    ordo.sort(a, axis, kind, order, stable=stable, out=a)


def _partition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> None:
    import ordo

    if axis is None:
        raise TypeError("the method partitions in place and needs an axis")
    a[...] = ordo.partition(a, kth, axis, kind, order)


def _without_nans(function: Any) -> Any:
    def call(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, nan_policy="omit", **named)

    return call


def fill() -> None:
    """Fills the tables above."""
    import numpy as np

    import ordo

    for name in (
        "argpartition argsort cumsum median partition percentile quantile searchsorted sort unique"
    ).split():
        FUNCTIONS[getattr(np, name)] = getattr(ordo, name)
    for name in ("median", "percentile", "quantile"):
        FUNCTIONS[getattr(np, "nan" + name)] = _without_nans(getattr(ordo, name))
    METHODS.update(
        argpartition=ordo.argpartition,
        argsort=ordo.argsort,
        cumsum=ordo.cumsum,
        partition=_partition,
        searchsorted=ordo.searchsorted,
        sort=_sort,
    )
    try:
        from scipy import stats
    except ImportError:
        pass
    else:
        for name in ("mannwhitneyu", "rankdata", "spearmanr"):
            FUNCTIONS[getattr(stats, name)] = getattr(ordo, name)
    NAMES.update(METHODS, (function.__name__ for function in FUNCTIONS))


def attribute(owner: Any, name: str, *default: Any) -> Any:
    """Returns getattr(owner, name), or ordo's function if the tables have one for it."""
    import numpy as np

    found = getattr(owner, name, *default)
    if isinstance(owner, np.ndarray) and name in METHODS:
        if getattr(type(owner), name) is getattr(np.ndarray, name):
            return lambda *arguments, **named: METHODS[name](owner, *arguments, **named)
        return found
    try:
        return FUNCTIONS.get(found, found)
    except TypeError:  # not hashable
        return found


class _Rewrite(ast.NodeTransformer):
    """Replaces x.name by attribute(x, "name"), and getattr by attribute.

    Decorators other than pytest's do not change, because some look up a function in a table.
    """

    def _definition(self, node: Any) -> ast.AST:
        kept = node.decorator_list
        node.decorator_list = []
        self.generic_visit(node)
        node.decorator_list = [
            self.visit(one) if "parametrize" in ast.dump(one) else one for one in kept
        ]
        return node

    visit_FunctionDef = visit_ClassDef = _definition

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr not in NAMES or not isinstance(node.ctx, ast.Load):
            return node
        function = ast.Name("_ordo_attribute", ast.Load())
        call = ast.Call(function, [node.value, ast.Constant(node.attr)], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "getattr":
            return ast.copy_location(ast.Name("_ordo_attribute", node.ctx), node)
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        tree = _Rewrite().visit(ast.parse(self.get_data(path), path))
        return compile(tree, path, "exec", dont_inherit=True)

    def exec_module(self, module: Any) -> None:
        super().exec_module(module)
        for name, value in list(vars(module).items()):  # from numpy import sort
            if getattr(value, "__name__", None) in NAMES and value in FUNCTIONS:
                setattr(module, name, FUNCTIONS[value])


class _Finder:
    """Sets the loader of the modules above, also if pytest imports them without a package."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        stem = name.rpartition(".")[2]
        if not any(module.endswith("." + stem) for module in MODULES):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(name, spec.origin)
        return spec


# ---- Plugin ------------------------------------------------------------------------------------

_outcomes: dict[str, dict[str, str]] = {}
_modules: dict[str, str] = {}  # by the id of a case


def pytest_configure(config: Any) -> None:
    gc.set_threshold(100_000)
    if not os.environ.get(PLAIN):
        fill()
        builtins._ordo_attribute = attribute  # type: ignore[attr-defined]
        sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type]


def _module_of(path: str) -> str:
    name = os.path.splitext(os.path.realpath(path))[0].replace(os.sep, ".")
    return next((module for module in MODULES if name.endswith("." + module)), "")


def pytest_collection_modifyitems(items: list[Any]) -> None:
    gc.freeze()

    def chosen(item: Any) -> bool:
        module = _modules[item.nodeid] = _module_of(item.path)
        names = item.nodeid.partition("[")[0].partition("::")[2]  # without its parameters
        return bool(module) and bool(re.search(MODULES[module], names))

    items[:] = filter(chosen, items)


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" or report.outcome != "passed":
        text = report.outcome  # also "skipped" if NumPy expects the case to fail
        if report.failed:
            text += ": " + str(getattr(report.longrepr, "reprcrash", report.longrepr))
        case = report.nodeid.partition("::")[2]
        _outcomes.setdefault(_modules[report.nodeid], {})[case] = text


def pytest_sessionfinish() -> None:
    with open(os.environ[OUTCOMES], "w") as file:
        json.dump(_outcomes, file)


# ---- Running it --------------------------------------------------------------------------------


def installed(package: str) -> list[str]:
    """Returns the installed test modules of a package, which may be none."""
    found = []
    for module in MODULES:
        try:
            if module.startswith(package + ".") and importlib.util.find_spec(module) is not None:
                found.append(module)
        except ImportError:
            continue
    return found


def run(modules: list[str], plain: bool = False) -> dict[str, dict[str, str]]:
    """Returns the outcome of each case of each module: "passed", "skipped", "failed: ..."."""
    here = os.path.dirname(os.path.realpath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        outcomes = os.path.join(folder, "outcomes.json")
        paths = [here, os.path.dirname(here), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, OUTCOMES: outcomes, PLAIN: "1" if plain else "",
                       "PYTHONPATH": os.pathsep.join(filter(None, paths))}  # fmt: skip
        command = [sys.executable, "-m", "pytest", "-q", "-p", "numpy_suite", "-p",
                   "no:cacheprovider", "-p", "no:logging", "-s", "--tb=line", "--no-summary",
                   "--assert=plain", "-W", "ignore", "-c", os.devnull, "--rootdir", folder,
                   "--pyargs", *modules]  # fmt: skip
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode not in (0, 1) or not os.path.exists(outcomes):
            raise RuntimeError(done.stdout + done.stderr)
        with open(outcomes) as file:
            return json.load(file)
