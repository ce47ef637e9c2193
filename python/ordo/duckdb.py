"""Functions for DuckDB: ``ordo.duckdb.load(connection)``.

They run in ordo.duckdb_extension, a loadable extension of DuckDB, without Python::

    ordo_median(x), ordo_quantile(x, q)     as median, quantile_cont; q may be a list
    ordo_topk(x, k), ordo_bottomk(x, k)     as max(x, k), min(x, k)
    ordo_rank(list), ordo_rank(list, ties)  the ranks of the elements of a list
"""

from __future__ import annotations

from typing import Any


def path() -> str:
    """Returns the path of the extension, which the statement LOAD takes."""
    from . import _lib

    return _lib.beside(
        "ordo.duckdb_extension", "`pip install .` and `make` build it after scripts/duckdb-header"
    )


def load(connection: Any) -> None:
    """Loads the functions into the database of a connection.

    DuckDB refuses extensions that it has not signed, unless the database was opened with
    ``duckdb.connect(config={"allow_unsigned_extensions": "true"})``.
    """
    from . import _workers

    name = path().replace("'", "''")
    connection.execute(f"LOAD '{name}'")
    _workers.add_door(path())
