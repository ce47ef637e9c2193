"""Functions for DuckDB beside DuckDB's own."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

import ordo

duckdb = pytest.importorskip("duckdb")
try:
    ordo.duckdb.path()
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

INTEGERS = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT"]
INTEGERS += ["U" + name for name in INTEGERS]
NUMBERS = [*INTEGERS, "FLOAT", "DOUBLE"]
TIMES = ["DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"]
RULES = ["min", "max", "dense", "ordinal", "average"]


def connect(**config):
    db = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": 3, **config})
    ordo.duckdb.load(db)
    return db


@pytest.fixture(scope="module")
def db():
    return connect()


def make_table(db, name, kind, rows, groups, seed):
    """A table with a group g, a number x of a type and NULLs; floats have NaN, -0.0, infinity."""
    db.execute(f"SELECT setseed({seed % 100 / 100})")
    x = "(random() * 100)::INTEGER"
    if kind not in INTEGERS:
        x = """CASE (random() * 40)::INTEGER WHEN 0 THEN 'NaN'::DOUBLE WHEN 1 THEN -0.0
            WHEN 2 THEN 'inf'::DOUBLE ELSE (random() - 0.5) * 1000 END"""
    if kind in TIMES:
        moment = "TIMESTAMP '1969-12-31 23:00:00' + to_microseconds((random() * 1e10)::BIGINT)"
        x = f"({moment})::{kind}"
    db.execute(
        f"""CREATE OR REPLACE TABLE {name} AS SELECT g,
        CASE WHEN g % 7 = 3 OR random() < 0.1 THEN NULL ELSE ({x})::{kind} END AS x
        FROM (SELECT (random() * {groups})::INTEGER AS g FROM range({rows}))"""
    )


def same(db, query, ours, theirs, rounding=0.0):
    """The same rows from both; numbers between -1000 and 1000 may differ by a rounding."""
    a, b = (db.execute(query.format(e)).fetchall() for e in (ours, theirs))
    assert len(a) == len(b)
    for x, y in zip(a, b):
        for u, v in zip(x, y):
            if u != v:
                np.testing.assert_allclose(
                    np.array(u, float),
                    np.array(v, float),
                    rtol=rounding,
                    atol=rounding * 1000,  # of keys of different signs
                    err_msg=f"{ours} {x} {y}",
                )


QUERIES = [
    "SELECT {} FROM t",
    "SELECT g, {} FROM t GROUP BY g ORDER BY g",
    "SELECT {} FROM t WHERE g < 0",
    "SELECT g, {} FROM t WHERE g < 0 GROUP BY g",
]


@pytest.mark.parametrize("rows, groups", [(10, 3), (3000, 2000), (100000, 5)])
@pytest.mark.parametrize("kind", NUMBERS)
def test_medians_and_quantiles(db, kind, rows, groups):
    make_table(db, "t", kind, rows, groups, rows + groups)
    rounding = 3e-7 if kind == "FLOAT" else 3e-16
    for query in QUERIES:
        same(db, query, "ordo_median(x)", "median(x)", rounding if kind == "FLOAT" else 0)
        for q in ("0.25", "0", "1", "[0.9, 0.1, 0.5]"):
            ours, theirs = f"ordo_quantile(x, {q})", f"quantile_cont(x, {q})"
            same(db, query, ours, theirs, rounding * 4)
    kinds = db.execute("SELECT typeof(ordo_median(x)), typeof(ordo_quantile(x, [0.5])) FROM t")
    result = "FLOAT" if kind == "FLOAT" else "DOUBLE"
    assert kinds.fetchone() == (result, result + "[]")


@pytest.mark.parametrize("rows, groups", [(10, 3), (3000, 2000), (100000, 5)])
@pytest.mark.parametrize("kind", [*NUMBERS, *TIMES])
def test_largest_and_smallest(db, kind, rows, groups):
    make_table(db, "t", kind, rows, groups, rows + groups)
    for query in QUERIES:
        for k in (1, 4, 33, 100, 5000):
            text = query.replace("{}", "{}::VARCHAR")
            for ours, theirs in (("ordo_topk", "max"), ("ordo_bottomk", "min")):
                a, b = (
                    db.execute(text.format(f"{name}(x, {k})")).fetchall() for name in (ours, theirs)
                )
                assert str(a).replace("-0.0", "0.0") == str(b).replace("-0.0", "0.0"), (query, k)
    kinds = db.execute("SELECT typeof(ordo_topk(x, 2)) = typeof(max(x, 2)) FROM t").fetchone()
    assert kinds == (True,)


@pytest.mark.parametrize("kind", [*NUMBERS, *TIMES])
def test_ranks(db, kind):
    make_table(db, "t", kind, 3000, 20, 5)
    db.execute("ALTER TABLE t ADD COLUMN row INTEGER; UPDATE t SET row = rowid")
    expected = {
        "min": "rank() OVER w",
        "max": "rank() OVER w + count(*) OVER (PARTITION BY g, x) - 1",
        "dense": "dense_rank() OVER w",
        "ordinal": "row_number() OVER (PARTITION BY g ORDER BY x NULLS LAST, row)",
        "average": "rank() OVER w + (count(*) OVER (PARTITION BY g, x) - 1) / 2",
    }
    for rule, ranks in expected.items():
        a = db.execute(
            f"""SELECT row, r FROM (SELECT unnest(rows) AS row, unnest(ordo_rank(xs, '{rule}')) AS r
            FROM (SELECT list(x ORDER BY row) AS xs, list(row ORDER BY row) AS rows FROM t
            GROUP BY g)) ORDER BY row"""
        ).fetchall()
        b = db.execute(
            f"""SELECT row, CASE WHEN x IS NOT NULL THEN {ranks} END FROM t
            WINDOW w AS (PARTITION BY g ORDER BY x NULLS LAST) ORDER BY row"""
        ).fetchall()
        assert a == b, rule


def test_ranks_of_lists(db):
    query = "SELECT ordo_rank([3, 1, NULL, 3]), ordo_rank(NULL::INTEGER[]), ordo_rank([]::DOUBLE[])"
    assert db.execute(query).fetchone() == ([2, 1, None, 2], None, [])
    assert db.execute("SELECT ordo_rank([NULL]::DATE[], 'max')").fetchone() == ([None],)
    db.execute("CREATE OR REPLACE TABLE l (x DOUBLE[], rule VARCHAR)")
    rng, rows = random.Random(7), []
    for _ in range(5000):
        x = [rng.choice([None, 1.5, -2.0, 7.0, 7.0]) for _ in range(rng.randrange(6))]
        rows.append((None if rng.random() < 0.1 else x, rng.choice(RULES)))
    db.executemany("INSERT INTO l VALUES (?, ?)", rows[:500])
    db.execute("INSERT INTO l SELECT l.* FROM l, range(9)")
    for x, rule, ranks in db.execute("SELECT x, rule, ordo_rank(x, rule) FROM l").fetchall():
        if x is None:
            assert ranks is None
            continue
        expected = iter(ordo.rankdata([v for v in x if v is not None], rule).tolist())
        assert ranks == [None if v is None else next(expected) for v in x], (x, rule)
    kept = db.execute("SELECT ordo_rank([v for v in x if v > 0]), x FROM l WHERE rule = 'max'")
    for ranks, x in kept.fetchall():
        positive = [v for v in x or [] if v is not None and v > 0]
        assert ranks == (None if x is None else ordo.rankdata(positive, "min").tolist())


@pytest.mark.parametrize(
    "window",
    [
        "ORDER BY i ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING",
        "ORDER BY i ROWS BETWEEN 700 PRECEDING AND 10 PRECEDING",
        "PARTITION BY g ORDER BY i",
        "PARTITION BY g",
        "ROWS UNBOUNDED PRECEDING",
        "ORDER BY i ROWS BETWEEN 9 PRECEDING AND 9 FOLLOWING EXCLUDE CURRENT ROW",
    ],
)
def test_windows(db, window):
    make_table(db, "t", "DOUBLE", 5000, 4, 1)
    db.execute("CREATE OR REPLACE TABLE t AS SELECT rowid AS i, * FROM t")
    query = f"SELECT i, {{}} OVER ({window}) FROM t WHERE NOT isnan(x) OR x IS NULL ORDER BY i"
    same(db, query, "ordo_median(x)", "median(x)")
    same(db, query, "ordo_quantile(x, 0.3)", "quantile_cont(x, 0.3)", 1e-15)
    same(db, query, "ordo_topk(x, 3)", "max(x, 3)")
    same(db, query, "ordo_bottomk(x, 40)", "min(x, 40)")


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_large_groups(threads):
    """Groups whose values are shared between states, of one thread and of many."""
    db = connect(threads=threads)
    db.execute("CREATE TABLE t AS SELECT (hash(range) % 1000003)::DOUBLE AS x, range % 3 AS g, "
               "range % 150001 AS h FROM range(600000)")  # fmt: skip
    for query in ("SELECT {} FROM t", "SELECT g, {} FROM t GROUP BY g ORDER BY g"):
        same(db, query, "ordo_median(x)", "median(x)")
        same(db, query, "ordo_quantile(x, [0.01, 0.99])", "quantile_cont(x, [0.01, 0.99])", 1e-15)
        same(db, query, "ordo_topk(x, 1000)", "max(x, 1000)")
    same(db, "SELECT h, {} FROM t GROUP BY h ORDER BY h", "ordo_median(x)", "median(x)")
    same(db, "SELECT h, {} FROM t GROUP BY h ORDER BY h", "ordo_topk(x, 3)", "max(x, 3)")


def test_a_column_of_q_and_k(db):
    query = "SELECT g, {} FROM (SELECT x % 4 AS g, x FROM range(1000) t(x)) GROUP BY g ORDER BY g"
    found = db.execute(query.format("ordo_quantile(x, g / 4), ordo_quantile(x, [g / 4, 0.5])"))
    for g, q, both in found.fetchall():
        x = np.arange(g, 1000, 4)
        assert (q, both) == (np.quantile(x, g / 4), np.quantile(x, [g / 4, 0.5]).tolist())
    found = db.execute(query.format("ordo_topk(x, g + 1)")).fetchall()
    assert found == [(g, [996 + g - 4 * i for i in range(g + 1)]) for g in range(4)]


def test_other_uses(db):
    found = db.execute(
        """SELECT ordo_median(DISTINCT x // 2), ordo_median(x) FILTER (x > 7), ordo_median(NULL),
        list_aggregate([1, 2, 5], 'ordo_median'), ordo_median(x::DECIMAL(9, 2)),
        ordo_median(x::HUGEINT), ordo_quantile(x, []) FROM range(10) t(x)"""
    )
    assert found.fetchone() == (2.0, 8.5, None, 2.0, 4.5, 4.5, [])


@pytest.mark.parametrize(
    "call, message",
    [
        ("ordo_quantile(x, 1.5)", "q is 1.5; expected 0 to 1"),
        ("ordo_quantile(x, [0.5, -0.1])", "q is -0.1; expected 0 to 1"),
        ("ordo_quantile(x, 'NaN'::DOUBLE)", "q is nan; expected 0 to 1"),
        ("ordo_quantile(x, NULL::DOUBLE)", "q is NULL"),
        ("ordo_quantile(x, NULL::DOUBLE[])", "q is NULL"),
        ("ordo_quantile(x, [NULL])", "an element of q is NULL"),
        ("ordo_quantile(x, x / 1e6)", "q differs between rows of a group"),
        ("ordo_topk(x, -1)", "ordo_topk: k is -1; expected 1"),
        ("ordo_bottomk(x, 0)", "ordo_bottomk: k is 0; expected 1"),
        ("ordo_topk(x, NULL::BIGINT)", "k is NULL"),
        ("ordo_topk(x, x + 1)", "k differs between rows of a group"),
        ("ordo_rank([x], 'first')", "ties is 'first'; expected min, max"),
        ("ordo_rank([x], NULL)", "the tie rule is NULL"),
        ("ordo_median('a')", "ordo_median"),
    ],
)
def test_errors(db, call, message):
    with pytest.raises(duckdb.Error, match=message):
        db.execute(f"SELECT {call} FROM range(300000) t(x)").fetchall()
    assert db.execute("SELECT ordo_median(x) FROM range(3) t(x)").fetchone() == (1.0,)


def test_loading_needs_a_setting():
    with duckdb.connect() as db, pytest.raises(duckdb.Error, match="allow_unsigned_extensions"):
        ordo.duckdb.load(db)


REFUSED = """
import duckdb, ordo, resource
db = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": 1})
ordo.duckdb.load(db)
queries = [
    "SELECT ordo_median(x) FROM range(20000000) t(x)",
    "SELECT ordo_quantile(x, 0.5) FROM range(20000000) t(x)",
    "SELECT ordo_topk(x, 20000000) FROM range(20000000) t(x)",
    "SELECT len(ordo_rank(range(5000000)))",
]
db.execute("SET enable_progress_bar = false")
db.execute("SELECT ordo_median(x), ordo_topk(x, 2) FROM range(100000) t(x)").fetchall()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20), resource.RLIM_INFINITY))
for query in queries:
    try:
        db.execute(query).fetchall()
    except (duckdb.Error, MemoryError) as error:
        print("no memory" in str(error))
    assert db.execute("SELECT ordo_median(x) FROM range(3) t(x)").fetchone() == (1.0,)
"""


def test_refused_memory_is_an_error():
    """The last query also needs memory of DuckDB, whose error may come first."""
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:3] == ["True"] * 3, done.stdout
