"""`patch`: NumPy, SciPy and pandas sort, select and rank by ordo.

    >>> import numpy as np, ordo
    >>> with ordo.patched():
    ...     middle = np.median(np.arange(100_000.0))
    >>> middle
    np.float64(49999.5)

NumPy 2.0 to 2.4 have a table of sorts, in which ordo puts its own: `np.sort`, `np.argsort`, the
methods of arrays, and what calls them, for example `DataFrame.sort_values`. From NumPy 2.5 on there
is no such table, so `np.sort` and `np.argsort` are replaced as the other functions are: by name.
Arrays that are small, of another type or of a subclass, and arguments that ordo does not take, get
the original function, also after an error. Results are those of the original functions; elements
that these may put anywhere, such as ties of an unstable `argsort`, are in another order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from .. import _lib
from .._imports import after_import
from . import _switch
from ._numpy import replace_numpy, replace_scipy
from ._pandas import replace_pandas


def _has_table() -> bool:
    return (2, 0) <= tuple(int(part) for part in np.__version__.split(".")[:2]) < (2, 5)


def patch(least: int | None = None) -> None:
    """Lets NumPy, SciPy and pandas use ordo, in this process, until `unpatch`.

    Libraries that are imported later are patched at the end of their import. Names that a module
    has taken before (`from numpy import median`) keep the original function.

    Parameters
    ----------
    least : the number of elements from which ordo is called, for tests. None: where it is faster.

    Returns
    -------
    None.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.patch()
    >>> np.median(np.arange(100_000.0))
    np.float64(49999.5)
    >>> ordo.unpatch()
    """
    with _switch.lock:
        if _switch.active:
            return
        _switch.active, _switch.least = True, least
        shortest = (_switch.SORT_LEAST, _switch.LEAST) if least is None else (least, least)
        hooked = _has_table() and _lib.ext.hook_sorts(*shortest)
        replace_numpy(hooked)
    after_import("scipy.stats", replace_scipy)
    after_import("pandas", replace_pandas)


def unpatch() -> None:
    """Gives NumPy, SciPy and pandas the functions back that `patch` replaced.

    Returns
    -------
    None.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.patch()
    >>> ordo.unpatch()
    >>> np.median(np.array([3.0, 1.0, 2.0]))
    np.float64(2.0)
    """
    with _switch.lock:
        _switch.active = False
        _lib.ext.unhook_sorts()
        _switch.restore()


@contextlib.contextmanager
def patched(least: int | None = None) -> Iterator[None]:
    """Calls `patch` for the time of a ``with`` block. A block in another one changes nothing.

    Parameters
    ----------
    least : as for `patch`.

    Returns
    -------
    A context manager.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> with ordo.patched():
    ...     order = np.argsort(np.arange(100_000.0)[::-1])
    >>> order[:3]
    array([99999, 99998, 99997])
    """
    if _switch.active:
        yield
        return
    patch(least)
    try:
        yield
    finally:
        unpatch()


def stats() -> str:
    """Returns a table of the calls that ordo has done for others."""
    rows = {"sorts of NumPy": list(_lib.ext.sorts_hooked()), **_switch.done}
    lines = [f"{'taken over':28}{'calls':>9}{'elements':>15}{'seconds':>10}"]
    for name, (calls, elements, seconds) in rows.items():
        if calls:
            lines.append(f"{name:28}{calls:>9}{elements:>15}{seconds:>10.3f}")
    return "\n".join(lines) if len(lines) > 1 else "ordo has taken over no call"
