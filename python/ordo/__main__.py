"""``python -m ordo`` and the command ``ordo`` of the wheel: run the program beside the library."""

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


if __name__ == "__main__":
    main()
