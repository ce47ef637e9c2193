"""Contexts: settings, threads, fork, memory and import."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import ordo


@pytest.fixture(autouse=True)
def settings():
    kept = ordo.config()
    yield
    ordo.config(**kept)


def test_config_and_private_contexts(rng):
    a = rng.random(1 << 20)  # which all threads sort
    ordo.config(threads=1, device="cpu")
    ordo.sort(a)
    assert ordo.explain().threads == 1
    with ordo.context(threads=2):
        ordo.sort(a)
        assert ordo.explain().threads == 2
        with ordo.context(threads=3, memory_limit=1 << 30):
            ordo.sort(a)
            assert ordo.explain().threads == 3
        ordo.sort(a)
        assert ordo.explain().threads == 2
    ordo.sort(a)
    assert ordo.explain().threads == 1
    assert ordo.config()["threads"] == 1


def test_a_context_can_be_entered_twice_and_can_fail(rng):
    own = ordo.context(threads=1)
    for _ in range(2):
        with own, pytest.raises(ValueError, match="1"):
            ordo.quantile(rng.random(5), 2.0)
        with own:
            assert ordo.median([1, 2, 3]) == 2


def test_one_private_context_in_several_threads(rng):
    own, a = ordo.context(threads=1), rng.random(1000)
    seen = []

    def work():
        for _ in range(20):
            with own:
                ordo.sort(a)
                seen.append(ordo.explain().threads)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert seen == [1] * 80


def test_explain_and_show_config(capsys):
    ordo.sort(np.arange(1000)[::-1].copy())
    plan = ordo.explain()
    assert (plan.operation, plan.backend, plan.type, plan.n) == ("sort", "cpu", "i64", 1000)
    assert "sort of 1000 i64 keys" in str(plan)
    assert (plan.input, plan.strategy) == ("reversed", "reverse")
    assert plan.text and str(plan).endswith(plan.text)
    ordo.sort(np.random.default_rng(1).random(100_000))
    assert ordo.explain().facts["record_bytes"] == 8
    ordo.show_config()
    shown = capsys.readouterr().out
    assert f"ordo {ordo.__version__}" in shown
    assert "cuda:" in shown


def test_no_device_is_a_device_error():
    if (
        "usable"
        in subprocess.run(
            [sys.executable, "-c", "import ordo; ordo.show_config()"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("cuda:")[1]
    ):
        pytest.skip("there is a GPU")
    with ordo.context(device="cuda"), pytest.raises(ordo.DeviceError, match="cuda"):
        ordo.sort(np.arange(10))


def test_threads_at_the_same_time():
    """Every thread has its own context, so calls at the same time give correct results."""
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(60):
            a = rng.integers(0, 1000, rng.integers(1, 5000))
            good = np.array_equal(ordo.sort(a), np.sort(a))
            good &= np.array_equal(a[ordo.argsort(a)], np.sort(a))
            good &= ordo.median(a) == np.median(a)
            if not good:
                wrong.append(seed)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for worker in workers:
        worker.start()
    ordo.config(threads=1)  # while the threads work
    for worker in workers:
        worker.join()
    assert not wrong


def test_the_gil_is_released():
    """This thread wakes up several times during one call of another thread.

    On a busy machine it may sleep for the whole call, so that one good call of many is enough.
    With the GIL held it would never wake up more than twice: before and after the library's work.
    """
    a = np.random.default_rng(1).random(4_000_000)
    turns = 0
    for _ in range(100):
        done = threading.Event()

        def sorting(done=done):
            with ordo.context(threads=1, device="cpu"):
                ordo.sort(a)
            done.set()

        worker = threading.Thread(target=sorting)
        worker.start()
        turns = 0
        while not done.wait(0.001):
            turns += 1
        worker.join()
        if turns >= 10:
            break
    assert turns >= 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork(rng):
    """A child process can use the context of the parent's thread."""
    a = rng.random(200_000)
    expected = np.sort(a)
    assert np.array_equal(ordo.sort(a), expected)
    child = os.fork()
    if child == 0:
        right = np.array_equal(ordo.sort(a), expected) and ordo.median(a) == np.median(a)
        os._exit(0 if right else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert np.array_equal(ordo.sort(a), expected)


def run(code, **environment):
    """Runs code in a new interpreter and returns its output."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


LEAK = """
import numpy as np, ordo, resource, threading
a, words = np.random.default_rng(1).random(10), np.array(["b", "a"])
def calls(n):
    for _ in range(n):
        ordo.sort(a); ordo.argsort(a); ordo.rankdata(a); ordo.median(a); ordo.cumsum(a)
    for _ in range(n // 20):
        ordo.quantile(a, [0.1, 0.9]); ordo.unique(a, True, True, True); ordo.sort(words)
        ordo.topk(a, 3); ordo.partition(a, 3); ordo.spearmanr(a, a)
        try: ordo.sort(a, 7)
        except ValueError: pass
    for _ in range(n // 500):
        with ordo.context(threads=2): ordo.sort(a)
        worker = threading.Thread(target=lambda: ordo.sort(a)); worker.start(); worker.join()
calls(ROUNDS // 10)
growth = LIMIT
for _ in range(5):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if growth >= LIMIT:
        calls(ROUNDS)
        growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(growth)
"""


def test_no_leak():
    """ORDO_TEST_LEAK=200000 makes a million calls.

    A leak grows in every attempt. The kernel and malloc may add a large page or an arena in one.
    """
    rounds = os.environ.get("ORDO_TEST_LEAK", "10000")
    limit = 2048  # kilobytes
    assert int(run(LEAK.replace("ROUNDS", rounds).replace("LIMIT", str(limit)))) < limit


def test_import_loads_little_and_opens_nothing():
    """`import ordo` loads no large module and opens no device."""
    code = """
import sys
before = set(sys.modules)
import ordo
first = {name.partition(".")[0] for name in set(sys.modules) - before}
import numpy
before = set(sys.modules)
ordo.sort, ordo.rankdata, ordo.unique, ordo.quantile
second = {name.partition(".")[0] for name in set(sys.modules) - before}
maps = open("/proc/self/maps").read()
print(",".join(first), ",".join(second), "libordo.so" in maps, "cuda" in maps)
"""
    first, second, loaded, cuda = run(code).split()
    large = {"asyncio", "cupy", "inspect", "jax", "numba", "numpy", "pandas", "pathlib"}
    large |= {"polars", "pyarrow", "scipy", "subprocess", "torch"}
    assert not large & set(first.split(","))
    assert not large & set(second.split(","))
    assert (loaded, cuda) == ("True", "False")


@pytest.mark.parametrize("variable", ["DEVICE", "THREADS", "ISA", "BACKEND_DIR", "LIBRARY"])
def test_variables_in_messages_are_printable(variable):
    value = b"x\x1b[31m\xff"
    command = [sys.executable, "-c", "import ordo; ordo.show_config()"]
    environment = {**os.environb, b"ORDO_" + variable.encode(): value}
    done = subprocess.run(command, capture_output=True, env=environment)
    said = done.stdout + done.stderr.splitlines()[-1] if done.stderr else done.stdout
    assert b"\\x1b[31m" in said and said.replace(b"\n", b"").isascii() and b"\x1b" not in said


def test_an_unknown_library_is_named():
    code = "import ordo\ntry: ordo.sort\nexcept ImportError as e: print(e)"
    printed = run(code, ORDO_LIBRARY="/nowhere/libordo.so")
    assert "/nowhere/libordo.so" in printed
    assert "ORDO_LIBRARY" in printed


# ---- Floating-point modes ------------------------------------------------------------------------

# Results do not depend on the floating-point mode: flushed subnormals, other roundings.

libm = ctypes.CDLL(None)
MACHINE = platform.machine()
# The offset and the mask of the bits of fenv_t that flush subnormals.
FLUSH = {"x86_64": (28, 0x8040), "aarch64": (0, 1 << 24)}
ROUNDINGS = {"x86_64": [0x400, 0x800, 0xC00], "aarch64": [0x400000, 0x800000, 0xC00000]}

if MACHINE not in FLUSH or not hasattr(libm, "fegetenv"):
    pytest.skip("cannot change the floating-point mode here", allow_module_level=True)


@contextmanager
def flushing():
    offset, bits = FLUSH[MACHINE]
    before = ctypes.create_string_buffer(64)
    assert libm.fegetenv(before) == 0
    changed = ctypes.create_string_buffer(before.raw)
    word = int.from_bytes(changed.raw[offset : offset + 4], "little") | bits
    changed[offset : offset + 4] = word.to_bytes(4, "little")
    libm.fesetenv(changed)
    try:
        yield
    finally:
        libm.fesetenv(before)


@contextmanager
def rounding(direction):
    assert libm.fesetround(direction) == 0
    try:
        yield
    finally:
        libm.fesetround(0)


MODES = [flushing, *(lambda r=r: rounding(r) for r in ROUNDINGS[MACHINE])]


def results(a):
    """Returns the bytes of the results of every function, for rows and for all elements."""
    rows, flat = a, a.reshape(-1)
    found = []
    for x, axis in ((rows, -1), (flat, None)):
        found += [
            ordo.sort(x, axis),
            ordo.argsort(x, axis),
            ordo.argsort(x, axis, descending=True),
            ordo.rankdata(x, "average", axis=axis),
            ordo.rankdata(x, "dense", axis=axis),
            ordo.cumsum(x, axis),
            ordo.cummax(x, axis),
            ordo.cummin(x, axis),
            *ordo.topk(x, 3, axis),
        ]
        if a.dtype == np.float64:
            found += [
                ordo.median(x, axis),
                ordo.quantile(x, [0.1, 0.3, 0.77], axis),
                ordo.quantile(x, 0.3, axis, method="hazen"),
            ]
    found += [ordo.is_sorted(flat)]
    return [np.asarray(x).tobytes() for x in found]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(40, 5), (3, 30), (2, 5000)])
def test_modes_change_nothing(rng, mode, dtype, shape):
    bits = rng.integers(0, 1 << 20, shape).astype(f"u{dtype[1]}")
    a = bits.view(dtype)  # subnormal
    a[rng.random(shape) < 0.3] = 0
    a[rng.random(shape) < 0.3] *= -1
    falling = np.sort(np.abs(a), -1)[:, ::-1].copy()
    ordinary = rng.standard_normal(shape).astype(dtype)
    for keys in (a, falling, ordinary):
        expected = results(keys)
        with mode():
            got = results(keys)
        assert got == expected


def mode_is_default(one=1.0, little=1e-30, least=sys.float_info.min):
    """Parameters, because Python evaluates expressions of literals at compile time."""
    return least / 2 > 0.0 and one + little == one == one - little


@pytest.mark.parametrize("mode", MODES)
def test_the_mode_is_noticed_and_kept(mode):
    assert mode_is_default()
    with mode():
        assert not mode_is_default()
        ordo.sort(np.arange(1000.0))
        assert not mode_is_default()
    assert mode_is_default()
