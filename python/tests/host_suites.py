"""Runs the tests of NumPy, SciPy and pandas with and without `ordo.patch`, and compares.

    python host_suites.py [--least N] [--only WORD]

`make test-hosts` calls this. The functions are taken over from N elements on (default 0, so that
the small arrays of the tests reach ordo). Prints the numbers of outcomes, how many calls ordo has
done, and every test whose outcome differs; exit status 1 if there is one.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

# Files of tests in the installed packages, and an expression for -k.
SUITES = [
    ("numpy", "_core/tests/test_multiarray.py", "sort or partition or cumsum or median"),
    ("numpy", "_core/tests/test_overrides.py", "sort or partition or cumsum or median"),
    ("numpy", "lib/tests/test_function_base.py", ""),
    ("numpy", "lib/tests/test_arraysetops.py", ""),
    ("numpy", "lib/tests/test_nanfunctions.py", ""),
    ("numpy", "lib/tests/test_histograms.py", ""),
    ("numpy", "ma/tests/test_core.py", "sort or partition or median"),
    ("numpy", "ma/tests/test_extras.py", "sort or unique or median"),
    ("scipy", "stats/tests/test_rank.py", ""),
    ("scipy", "stats/tests/test_hypotests.py", "MannWhitney"),
    ("scipy", "stats/tests/test_stats.py", "Spearman or Kruskal or ks_2samp or rank or Friedman"),
    ("scipy", "stats/tests/test_morestats.py", "Wilcoxon or Ansari or Fligner or Mood"),
    ("pandas", "tests/frame/methods/test_rank.py", ""),
    ("pandas", "tests/frame/methods/test_sort_values.py", ""),
    ("pandas", "tests/frame/methods/test_nlargest.py", ""),
    ("pandas", "tests/frame/methods/test_quantile.py", ""),
    ("pandas", "tests/frame/methods/test_describe.py", ""),
    ("pandas", "tests/series/methods/test_rank.py", ""),
    ("pandas", "tests/series/methods/test_sort_values.py", ""),
    ("pandas", "tests/series/methods/test_argsort.py", ""),
    ("pandas", "tests/series/methods/test_nlargest.py", ""),
    ("pandas", "tests/series/methods/test_quantile.py", ""),
    ("pandas", "tests/groupby/methods/test_rank.py", ""),
    ("pandas", "tests/groupby/methods/test_quantile.py", ""),
    ("pandas", "tests/groupby/methods/test_nlargest_nsmallest.py", ""),
    ("pandas", "tests/groupby/test_reductions.py", "median or quantile"),
    ("pandas", "tests/groupby/test_libgroupby.py", ""),
    ("pandas", "tests/groupby/aggregate", "median or quantile or rank"),
    ("pandas", "tests/reductions", "median or quantile"),
    ("pandas", "tests/test_sorting.py", ""),
    ("pandas", "tests/test_nanops.py", "median"),
    ("pandas", "tests/window/test_rolling_quantile.py", ""),
    ("pandas", "tests/window/test_rolling_functions.py", "median or rank"),
    ("pandas", "tests/window/test_rolling.py", "median or rank or quantile"),
    ("pandas", "tests/window/test_groupby.py", "median or rank or quantile"),
]
LEAST = "ORDO_HOSTS_LEAST"  # environment variables of the process that runs pytest
OUTCOMES = "ORDO_HOSTS_OUTCOMES"

# ---- The plugin of pytest ----------------------------------------------------------------------

_outcomes: dict[str, list[str]] = {}


def pytest_configure(config):
    if LEAST in os.environ:
        import ordo

        ordo.patch(int(os.environ[LEAST]))


def pytest_runtest_logreport(report):
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if outcome == "skipped" else "xpassed"
    if report.when == "call" or outcome != "passed":
        last = str(report.longrepr or "").strip().splitlines()[-1:]
        _outcomes[report.nodeid] = [outcome, *(last if outcome == "failed" else [])]


def pytest_unconfigure(config):
    if OUTCOMES in os.environ:
        table = ""
        if LEAST in os.environ:
            from ordo import _patch

            table = _patch.stats()
        with open(os.environ[OUTCOMES], "w", encoding="utf-8") as file:
            json.dump([_outcomes, table], file)


# ---- The comparison ----------------------------------------------------------------------------


def run(files, expression, least):
    """Returns the outcome of each test, and the table of calls."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    here = os.path.dirname(os.path.abspath(__file__))
    paths = [here, os.path.dirname(here), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    if least is not None:
        environment[LEAST] = str(least)
    with tempfile.TemporaryDirectory() as folder:
        environment[OUTCOMES] = os.path.join(folder, "outcomes.json")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "host_suites"]
        command += ["-p", "no:cacheprovider", "-c", os.devnull]
        command += ["--rootdir", os.path.dirname(os.path.dirname(files[0]))]
        command += ["--continue-on-collection-errors", "-k", expression, *files]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
        if not os.path.exists(environment[OUTCOMES]):
            raise SystemExit(f"host_suites: pytest failed:\n{(done.stdout + done.stderr)[-4000:]}")
        with open(environment[OUTCOMES], encoding="utf-8") as file:
            return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--only", default="", help="files whose path has this word")
    options = parser.parse_args()
    different = 0
    groups = collections.defaultdict(list)
    for package, path, expression in SUITES:
        spec = importlib.util.find_spec(package)
        file = os.path.join(spec.submodule_search_locations[0], path) if spec else ""
        if options.only in f"{package}/{path}" and os.path.exists(file):
            groups[package, expression].append(file)
        elif not os.path.exists(file):
            print(f"not installed: {package}/{path}")
    for (package, expression), files in groups.items():
        before, _ = run(files, expression, None)
        after, table = run(files, expression, options.least)
        kinds = collections.Counter(outcome[0] for outcome in after.values())
        print(f"\n{package} -k {expression!r}: {len(after)} tests: {dict(sorted(kinds.items()))}")
        print(table, flush=True)
        for name in sorted(before.keys() | after.keys()):
            old, new = before.get(name, ["missing"]), after.get(name, ["missing"])
            if old[0] != new[0]:
                different += 1
                print(f"DIFFERENT {name}: {old[0]} -> {' '.join(new)}", flush=True)
    print(f"\n{different} tests have another outcome with ordo.patch")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
