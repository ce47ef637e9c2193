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
CPUS = len(os.sched_getaffinity(0))


def threads_and_sum(_: Any = None) -> tuple[int, bool]:
    """Returns the threads of calls here, and whether a short and a long call are right."""
    right = np.array_equal(ordo.sort(KEYS), SORTED) and ordo.median(KEYS[:9]) == np.median(KEYS[:9])
    return _context._info().threads, bool(right)


def with_settings(threads: int) -> tuple[int, bool]:
    ordo.config(threads=threads)
    return threads_and_sum()


OF_CALLS = "from ordo import _context; print(_context._info().threads)"
OF_PATCH = """
import os, numpy, ordo
ordo.patch()
before = len(os.listdir("/proc/self/task"))
numpy.argsort(numpy.arange(1000000)[::-1], kind="stable")
print(len(os.listdir("/proc/self/task")) - before + 1)
"""


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
        ({"OMP_NUM_THREADS": "1000000"}, CPUS),
        ({"OMP_NUM_THREADS": "many"}, usual),
        ({"OMP_NUM_THREADS": "0"}, usual),
        ({"OMP_NUM_THREADS": "1", "ORDO_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "1", "ORDO_THREADS": ""}, 1),
    ]:
        assert threads_of_program(**variables) == expected, variables


@pytest.mark.skipif(CPUS == 1, reason="needs two CPUs")
def test_variables_of_patched_functions():
    assert threads_of_program(OF_PATCH) > 1
    assert threads_of_program(OF_PATCH, OMP_NUM_THREADS="1") == 1
    assert threads_of_program(OF_PATCH, OMP_NUM_THREADS="1", ORDO_THREADS="2") == 2


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
