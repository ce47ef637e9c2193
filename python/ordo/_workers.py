"""The threads of calls of the package and of its doors.

A door is a library that a host calls without Python: NumPy, Polars, DuckDB or PyTorch. All have the
same rule, in ``python/doors/contexts.c``. Only Python knows the setting of `config` and whether the
process is a worker of multiprocessing, so it tells every door, and again after a change.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from ._lib import ext

_doors: dict[str, ctypes.CDLL] = {}
_setting: int | None = None


def _is_worker() -> bool:
    workers = sys.modules.get("multiprocessing.process")
    return workers is not None and workers.parent_process() is not None


def usual_threads() -> int:
    """Returns the threads of a call if no setting says how many; 0: the library decides."""
    return int(_doors[ext.__file__].ordo_door_usual_threads(_is_worker()))


def _tell(_: Any = None) -> None:
    for door in _doors.values():
        door.ordo_door_tell(_setting or -_is_worker())


def tell_doors(threads: int | None) -> None:
    """Tells the doors the setting of `config`."""
    global _setting
    _setting = threads
    _tell()


def add_door(path: str) -> None:
    """Makes the library of a door, which the host loads, too, follow the settings."""
    if path not in _doors:
        _doors[path] = ctypes.CDLL(path)
        _tell()


def _watch() -> None:
    """Tells the doors anew when this process learns that it is a worker of multiprocessing."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.register_after_fork(_tell, _tell)


add_door(ext.__file__)
_watch()  # a spawned worker imports the package before it learns that
os.register_at_fork(after_in_child=_watch)
