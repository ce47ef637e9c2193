"""Work that waits for the import of another library."""

from __future__ import annotations

import sys
import threading
from typing import Any, Callable

_waiting: dict[str, list[Callable[[], None]]] = {}  # by the name of a library that is not imported


class _Finder:
    """An import hook that finds no module of its own: it makes work follow an import.

    A search for a library need not be an import, so work waits until the library is imported.
    """

    def __init__(self) -> None:
        self._searches = threading.local()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _waiting or getattr(self._searches, "inside", False):
            return None
        from importlib.util import find_spec

        self._searches.inside = True  # the search asks this finder, too
        try:
            spec = find_spec(name)
        finally:
            self._searches.inside = False
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        run = loader.exec_module

        def run_and_go_on(module: Any) -> None:
            run(module)
            for work in _waiting.pop(name, []):
                work()

        loader.exec_module = run_and_go_on
        return spec


def after_import(name: str, work: Callable[[], None]) -> None:
    """Does the work at the end of the import of a library, or now if it is imported."""
    if name in sys.modules:
        work()
        return
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        finder: Any = _Finder()
        sys.meta_path.insert(0, finder)
    _waiting.setdefault(name, []).append(work)
