"""``python -m ordo`` and the command ``ordo`` of the wheel: run the program beside the library.

``python -m ordo [--stats] script.py args`` runs a Python program with `ordo.patch`.
"""

from __future__ import annotations

import os
import sys


def program() -> str:
    """Returns the path of the program: in the wheel, or in the build folder of the tree."""
    here = os.path.dirname(os.path.realpath(__file__))
    tree = os.path.dirname(os.path.dirname(here))
    for path in (os.path.join(here, "ordo-command"), os.path.join(tree, "build", "ordo")):
        if os.access(path, os.X_OK):
            return path
    raise SystemExit(
        "ordo: the program was not found; install the package with `pip install .`, or build the "
        "tree with `make`"
    )


def main() -> None:
    """Replaces this process by the program, with the same arguments."""
    path = program()
    os.execv(path, ["ordo", *sys.argv[1:]])


def run_patched(arguments: list[str]) -> None:
    """Runs a Python program, as ``python`` does, while NumPy, SciPy and pandas use ordo."""
    import atexit
    import runpy

    from . import _patch

    with_stats = arguments[0] == "--stats"
    sys.argv = arguments[with_stats:]
    if not sys.argv:
        raise SystemExit("ordo: --stats needs a Python program, as in python -m ordo --stats a.py")
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    _patch.patch()
    if with_stats:
        atexit.register(lambda: print(_patch.stats(), file=sys.stderr))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    if sys.argv[1:] and (sys.argv[1] == "--stats" or sys.argv[1].endswith(".py")):
        run_patched(sys.argv[1:])
    else:
        main()
