"""Worker processes and their threads, forks, and threads that call at the same time."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import ordo
from ordo import _context

KEYS = np.random.default_rng(7).random(5000)
SORTED = np.sort(KEYS)


def threads_and_sum(_: Any = None) -> tuple[int, bool]:
    """Returns the threads of calls here, and whether a short and a long call are right."""
    right = np.array_equal(ordo.sort(KEYS), SORTED) and ordo.median(KEYS[:9]) == np.median(KEYS[:9])
    return _context._info().threads, bool(right)


def with_settings(threads: int) -> tuple[int, bool]:
    ordo.config(threads=threads)
    return threads_and_sum()


OF_CALLS = "from ordo import _context; print(_context._info().threads)"


def threads_of_program(program: str = OF_CALLS, **variables: str) -> int:
    kept = {k: v for k, v in os.environ.items() if k not in ("ORDO_THREADS", "OMP_NUM_THREADS")}
    ended = subprocess.run(
        [sys.executable, "-c", program], env={**kept, **variables}, capture_output=True, check=True
    )
    return int(ended.stdout)


@pytest.fixture
def no_variables(monkeypatch):
    monkeypatch.delenv("ORDO_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


def test_variables():
    usual = threads_of_program()
    for variables, expected in [
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "1,8"}, 1),
        ({"OMP_NUM_THREADS": "1000000"}, usual),
        ({"OMP_NUM_THREADS": "many"}, usual),
        ({"OMP_NUM_THREADS": "0"}, usual),
        ({"OMP_NUM_THREADS": "1", "ORDO_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "1", "ORDO_THREADS": ""}, 1),
    ]:
        assert threads_of_program(**variables) == expected, variables


def test_settings_before_variables(no_variables, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    with ordo.context(threads=3):
        assert _context._info().threads == 3
    with ordo.context():
        assert _context._info().threads == 1 and _context.uses_one_thread()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing(no_variables, monkeypatch, method):
    with ordo.context(threads=3):  # workers that are forked outside have other contexts
        assert threads_and_sum() == (3, True)
    ordo.sort(KEYS)
    start = multiprocessing.get_context(method)
    with start.Pool(2) as pool:
        assert pool.map(threads_and_sum, range(4)) == [(1, True)] * 4
        assert pool.apply(with_settings, (2,)) == (2, True)
    monkeypatch.setenv("ORDO_THREADS", "3")
    if method != "forkserver":  # the server keeps the environment of its start
        with start.Pool(1) as pool:
            assert pool.apply(threads_and_sum) == (3, True)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_workers_of_joblib(no_variables, backend):
    joblib = pytest.importorskip("joblib")
    jobs = (joblib.delayed(threads_and_sum)(i) for i in range(4))
    found = joblib.Parallel(n_jobs=2, backend=backend)(jobs)
    here = _context._info().threads
    share = {"loky": max(joblib.cpu_count() // 2, 1), "multiprocessing": 1, "threading": here}
    assert found == [(share[backend], True)] * 4


# ---- Doors: libraries that a host calls without Python -----------------------------------------


def argsort_of_numpy(keys: np.ndarray) -> Any:
    ordo.patch()
    return lambda: np.argsort(keys, kind="stable")


def argsort_of_polars(keys: np.ndarray) -> Any:
    import polars

    frame = polars.DataFrame({"x": keys})
    frame.select(polars.col("x").sort())
    return lambda: frame.select(polars.col("x").ordo.argsort())


def argsort_of_torch(keys: np.ndarray) -> Any:
    import torch

    import ordo.torch  # noqa: F401 - registers the operators

    return lambda: torch.ops.ordo.argsort(torch.from_numpy(keys))


def ranks_of_duckdb(keys: np.ndarray) -> Any:
    import duckdb

    import ordo.duckdb

    try:
        ordo.duckdb.path()
    except ImportError as error:
        pytest.skip(str(error))
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": 1})
    ordo.duckdb.load(connection)
    return lambda: connection.execute(f"SELECT len(ordo_rank(range({len(keys)})))").fetchall()


DOORS = {
    "numpy": argsort_of_numpy,
    "polars": argsort_of_polars,
    "torch": argsort_of_torch,
    "duckdb": ranks_of_duckdb,
}


@pytest.fixture(params=DOORS)
def door(request):
    pytest.importorskip(request.param)
    if request.param == "duckdb":
        ranks_of_duckdb(KEYS)
    return request.param


def tasks() -> int:
    return len(os.listdir("/proc/self/task"))


def threads_of_door(name: str, *settings: int | None) -> list[int]:
    """Returns the threads of long calls of a door: at first, and after each setting."""
    call = DOORS[name](np.arange(1_000_000)[::-1].copy())
    before = tasks()
    found = []
    for threads in ("unset", *settings):
        if threads != "unset":
            ordo.config(threads=threads)
        call()
        found.append(tasks() - before + 1)
    return found


def door_in_program(name: str, settings: str = "", **variables: str) -> int:
    """Returns what `threads_of_door` finds in a process of its own."""
    program = (
        f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import ordo\n"
        f"{settings}\n"
        f"import test_workers; print(test_workers.threads_of_door({name!r})[0])"
    )
    return threads_of_program(program, **variables)


def test_variables_of_doors(door):
    usual = threads_of_program()
    assert door_in_program(door) == usual
    assert door_in_program(door, OMP_NUM_THREADS="1") == 1
    assert door_in_program(door, OMP_NUM_THREADS="1", ORDO_THREADS="2") == 2
    assert door_in_program(door, "ordo.config(threads=3)", OMP_NUM_THREADS="1") == 3


def test_doors_in_workers_of_multiprocessing(no_variables, door):
    """In a worker a call has one thread; a setting of the worker comes first, and may change."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(threads_of_door, (door, 3, 2, None)) == [1, 3, 2, 1]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_sorts_of_numpy_in_forked_workers(no_variables):
    """A worker does not use the threads of a context that its parent has made."""
    program = (
        f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\n"
        "import multiprocessing, test_workers\n"
        "test_workers.threads_of_door('numpy')\n"
        "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
        "    print(pool.apply(test_workers.threads_of_door, ('numpy',))[0])\n"
    )
    assert threads_of_program(program) == 1


# ---- Forks -------------------------------------------------------------------------------------


def in_child(work: Any) -> int:
    """Returns the exit status of a forked child that runs `work`: 0 if it returns True."""
    child = os.fork()
    if child == 0:
        status = 2
        try:
            status = 0 if work() else 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def is_right() -> bool:
    return threads_and_sum()[1]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork():
    for _ in range(3):
        assert is_right() and in_child(is_right) == 0
    with ordo.context(threads=3, device="cpu"):
        big = np.tile(KEYS, 400)
        expected = np.sort(big)
        assert np.array_equal(ordo.sort(big), expected)
        assert in_child(lambda: np.array_equal(ordo.sort(big), expected)) == 0
        assert in_child(lambda: in_child(is_right) == 0) == 0
        assert np.array_equal(ordo.sort(big), expected)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_while_threads_call():
    ended, wrong = threading.Event(), []

    def work() -> None:
        while not ended.is_set():
            if not is_right():
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert [in_child(is_right) for _ in range(10)] == [0] * 10
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert not wrong


def test_exit_while_threads_call():
    program = (
        "import threading, numpy as np, ordo\n"
        "def work(started):\n"
        "    while True:\n"
        "        for n in (9, 5000, 1 << 17): ordo.sort(np.zeros(n))\n"
        "        started.set()\n"
        "for _ in range(3):\n"
        "    started = threading.Event()\n"
        "    threading.Thread(target=work, args=(started,), daemon=True).start()\n"
        "    started.wait()\n"
        "print('ends')\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=600)
    assert (ended.returncode, ended.stdout) == (0, b"ends\n"), ended.stderr
