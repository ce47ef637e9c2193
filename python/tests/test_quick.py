"""Calls on short arrays: which ones the extension module takes, and that they change nothing."""

from __future__ import annotations

import copy
import ctypes
import gc
import os
import pickle
import subprocess
import sys
import threading
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_short import check_distinct, check_order, check_places, check_scans, same_bytes

import ordo
from ordo import _context, _lib, _short


@pytest.fixture
def without(monkeypatch):
    """All calls run the Python functions."""
    monkeypatch.setattr(_context, "quick_context", lambda: 0)
    _lib.ext.contexts_from(_context.quick_context, _context.fail)
    _lib.ext.forget_contexts()
    yield
    monkeypatch.undo()
    _lib.ext.contexts_from(_context.quick_context, _context.fail)


def functions_entered(call: Any, *arguments: Any, **named: Any) -> tuple[Any, set[str]]:
    """Returns the result of a call and the names of the package's functions whose code ran."""
    names = set()
    sometimes = _lib._let_handlers_run.__name__  # in calls that last a few milliseconds

    def note(frame: Any, event: str, _: Any) -> None:
        name = frame.f_code.co_name
        if event == "call" and os.sep + "ordo" + os.sep in frame.f_code.co_filename:
            names.update({name} - {sometimes})

    sys.setprofile(note)
    try:
        return call(*arguments, **named), names
    finally:
        sys.setprofile(None)


def is_short(call: Any, *arguments: Any, **named: Any) -> bool:
    """Returns whether a call runs no Python code of the package."""
    ordo.sort(np.zeros(2))  # sets the context of the thread
    return not functions_entered(call, *arguments, **named)[1]


@pytest.mark.parametrize("name", _lib.DTYPES)
def test_plain_arrays(name):
    a = np.arange(6).astype(name)
    assert is_short(ordo.argsort, a)
    frozen = a.copy()
    frozen.flags.writeable = False
    assert is_short(ordo.sort, frozen) and ordo.sort(frozen).flags.writeable
    assert all(is_short(ordo.argsort, a, axis) for axis in (None, 0, -1))
    others = [a[::2], a[::-1], a.reshape(2, 3), a.astype(bool), a.astype("f2"), a.tolist()]
    others += [a.view(np.recarray), a.astype("M8[s]")]
    if a.itemsize > 1:
        others += [a.astype(a.dtype.newbyteorder()), np.zeros(49, "u1")[1:].view(name)[:4]]
    for other in others:
        found, names = functions_entered(ordo.argsort, other)
        assert names
        same_bytes(np.asarray(found), np.argsort(np.asarray(other), kind="stable"))
    for axis in (1, -2, 0.0, "0", a):
        with pytest.raises((TypeError, ValueError)):
            ordo.argsort(a, axis)


@pytest.mark.parametrize("name", ["f4", "f8"])
def test_nans(name):
    for n in (1, 3, 8, 17, 100):
        a = np.zeros(n, name)
        a[::2], a[1::2] = np.inf, -np.inf
        assert is_short(ordo.rankdata, a)
        for i in (0, n // 2, n - 1):
            for nan in (np.nan, -np.nan):
                b = a.copy()
                b[i] = nan
                assert not is_short(ordo.rankdata, b)


def test_all_python_functions(rng, without):
    for name in _lib.DTYPES:
        for n in (1, 2, 10, 100, 513, 2047):
            a = rng.integers(0, 50, n).astype(name)
            check_order(a)
            check_scans(a)
            check_distinct(a)
            check_places(a, int(rng.integers(-n, n)), 0.3)


def results_of(a: Any) -> list[Any]:
    k = a.size // 3
    made: list[Any] = [ordo.partition(a, k), ordo.argpartition(a, k), ordo.partition(a, -1)]
    for axis in (None, 0, -1):
        made += [ordo.sort(a, axis), ordo.argsort(a, axis, descending=True), ordo.cumsum(a, axis)]
        made += [ordo.median(a, axis), ordo.quantile(a, 0.7, axis), ordo.cummin(a, axis)]
        made += [ordo.rankdata(a, axis=axis), ordo.select(a, k, axis), ordo.topk(a, k, axis)]
        made += [ordo.is_sorted(a, axis), ordo.cumprod(a, axis), ordo.cummax(a, axis)]
        made += [ordo.nanmedian(a, axis)] if a.size > 1 else []
    flags = a > a[0]
    rows = np.zeros(a.size, [("id", "i4"), ("key", a.dtype)])
    rows["key"] = a
    for down in (False, True):
        made += [ordo.sort_pairs(a, a[::-1].copy(), descending=down), ordo.argtopk(a, k)]
        made += [ordo.rankdata(a, m, descending=down) for m in _lib.TIES]
        made += [ordo.sort_records(rows, "key", descending=down)]
        made += [ordo.group_argsort(a % 3, a, descending=down), ordo.topk(a, k, largest=down)]
    for window in {1, min(4, a.size), a.size}:
        for least in (None, 0, 1):
            made += [ordo.moving_median(a, window, least), ordo.moving_min(a, window, least)]
            made += [ordo.moving_max(a, window, least), ordo.moving_quantile(a, window, 0.3, least)]
            made += [ordo.moving_rank(a, window, least, method=m) for m in _lib.TIES]
    keys = np.sort(a)
    made += [ordo.rank_sorted(keys, m) for m in _lib.TIES]
    if not np.isnan(keys).any():
        made += [ordo.rank_sorted(keys[::-1].copy(), descending=True)]
    made += [ordo.lexrank((a, a % 3), m) for m in _lib.TIES]
    made += [ordo.group_rank(a % 3, a, m, descending=d) for m in _lib.TIES for d in (False, True)]
    made += [ordo.group_count(a % 3), ordo.group_median(a % 3, a), ordo.group_count(a)]
    made += [ordo.group_quantile(a % 3, a, 0.3), ordo.radius(a), ordo.quantile(a, [0.3, 1.0])]
    made += [ordo.percentile(a, q) for q in (0, 30, 62.5)]
    made += [ordo.searchsorted(keys, v, s) for v in (a, a[0], 3, 2.5) for s in ("left", "right")]
    if a.size > 1:
        made += [ordo.nanquantile(a, 0.3), ordo.nanpercentile(a, 30)]
    made += [ordo.scan_bits(flags), ordo.split_by_flags(a, flags), ordo.lexsort((a, a % 3, a))]
    return [*made, ordo.unique(a), ordo.median(a, nan_policy="omit")]


@pytest.mark.parametrize("name", _lib.DTYPES)
@pytest.mark.parametrize("nan", [False, True])
def test_same_bytes_as_python_functions(rng, monkeypatch, request, name, nan):
    rows = [rng.integers(-50, 50, n).astype(name) for n in (1, 10, 512, 513, 2047, 2048)]
    if nan and name.startswith("f"):
        for row in rows:
            row[row.size // 2] = np.nan
    short = [results_of(row) for row in rows]
    request.getfixturevalue("without")
    for row, found in zip(rows, short):
        for got, expected in zip(found, results_of(row)):
            same_bytes(got, expected)


@pytest.mark.parametrize("name", ["f4", "f8"])
def test_nanmedian(name):
    a = np.array([np.nan, 5, 1, np.nan, 4], name)
    found = ordo.nanmedian(a)
    assert found == 4 and found.dtype == a.dtype
    with pytest.warns(RuntimeWarning):
        assert np.isnan(ordo.nanmedian(a[[0, 3]]))


def test_limit_and_report():
    with ordo.context(threads=1, device="cpu"):
        for n in (_short.SHORT - 1, _short.SHORT):
            ordo.argsort(np.arange(n, dtype="i4"))
            report = ordo.explain()
            assert (report.operation, report.n, report.type) == ("argsort", n, "i32")


ONE_PASS = [
    ordo.cumsum, ordo.cumprod, ordo.cummax, ordo.cummin, ordo.is_sorted, ordo.radius,
]  # fmt: skip
FUNCTIONS = [
    ordo.sort, ordo.argsort, ordo.rankdata, ordo.median, ordo.nanmedian, *ONE_PASS,
    lambda a, *axis: ordo.quantile(a, 0.3, *axis), lambda a, *axis: ordo.nanquantile(a, 0.3, *axis),
    lambda a, *axis: ordo.percentile(a, 30, *axis),
    lambda a, *axis: ordo.moving_median(a, 3, 1, *axis),
    *(lambda a, *axis, f=f: f(a, -1, *axis)
      for f in (ordo.select, ordo.partition, ordo.argpartition)),
]  # fmt: skip


@pytest.mark.parametrize("call", FUNCTIONS)
def test_short_calls_run_no_python_code(rng, call):
    call(np.arange(9.0))  # loads the modules and sets the context of the thread
    for name in _lib.DTYPES:
        a = rng.integers(0, 50, 9).astype(name)
        found, names = functions_entered(call, a)
        assert not names
        for other in (a.tolist(), np.repeat(a, 2)[::2], a.view(np.recarray)):
            expected, names = functions_entered(call, other)
            assert names
            if type(other) is np.ndarray and call not in FUNCTIONS[-2:]:
                same_bytes(found, expected)
    for axis in (None, 0, -1):
        if call is not ordo.rankdata:
            assert not functions_entered(call, np.arange(5.0), axis)[1]
    limit = _short.ONE_PASS if call in ONE_PASS else _short.SHORT
    assert functions_entered(call, np.zeros(limit))[1]
    ordo.sort(np.zeros(2))
    assert not functions_entered(call, np.zeros(limit - 1))[1]


def test_calls_on_rows_and_groups_run_no_python_code(rng):
    ordo.sort(np.zeros(2))
    a, groups = rng.random(9), np.arange(9) % 3
    keys, flags = np.sort(a), a > 0.5
    calls = [
        lambda: ordo.lexsort((a, groups)), lambda: ordo.lexrank((a, groups), "min"),
        lambda: ordo.group_count(groups), lambda: ordo.group_median(groups, a),
        lambda: ordo.group_quantile(groups, a, 0.9), lambda: ordo.group_argsort(groups, a),
        lambda: ordo.group_rank(groups, a), lambda: ordo.rank_sorted(keys),
        lambda: ordo.searchsorted(keys, a), lambda: ordo.searchsorted(keys, 0.5, "right"),
        lambda: ordo.moving_min(a, 2), lambda: ordo.moving_max(a, 2, 1),
        lambda: ordo.moving_rank(a, 4, method="min"), lambda: ordo.moving_quantile(a, 4, 0.3),
        lambda: ordo.quantile(a, [0.1, 0.9]), lambda: ordo.nanpercentile(a, 30),
        lambda: ordo.scan_bits(flags), lambda: ordo.split_by_flags(a, flags),
    ]  # fmt: skip
    for i, call in enumerate(calls):
        call()  # loads the modules
        assert not functions_entered(call)[1], i


def test_arguments_that_need_python_code():
    a = np.array([3.0, 1.0, 2.0])
    ordo.sort(a)
    same_bytes(ordo.sort(a, descending=True), np.array([3.0, 2.0, 1.0]))
    same_bytes(ordo.sort(axis=0, a=a), np.sort(a))
    same_bytes(ordo.rankdata(a, "min"), np.array([3, 1, 2]))
    for k in (3, -4, 2**64 + 1, -(2**64), 1.0, "1", None):
        for function in (ordo.select, ordo.partition, ordo.argpartition):
            with pytest.raises((TypeError, ValueError)):
                function(a, k)
    for bad in (ordo.sort, ordo.median, ordo.cumsum):
        with pytest.raises((TypeError, ValueError)):
            bad(a, 1)
        with pytest.raises(TypeError):
            bad()
    for q in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError):
            ordo.quantile(a, q)
    assert list(ordo.rank_sorted(np.array([1, 2]))) == [1, 2]
    with pytest.raises(ordo.OrderError):
        ordo.rank_sorted(a)
    for wrong in ((0,), (-1,), (1.5,), (4, 5), (4, -1), (2**80,)):
        with pytest.raises((TypeError, ValueError)):
            ordo.moving_median(a, *wrong)
    for q in (-1, 101, "1", None):
        with pytest.raises((TypeError, ValueError)):
            ordo.percentile(a, q)
    with pytest.raises((TypeError, ValueError)):
        ordo.searchsorted(a, "b")
    with pytest.raises(ValueError, match="side"):
        ordo.searchsorted(a, 2.0, "middle")
    nan = np.array([1.0, np.nan])
    same_bytes(ordo.rankdata(nan), np.full(2, np.nan))
    same_bytes(ordo.cummin(nan), nan)
    for function in (ordo.median, ordo.nanmedian):
        with pytest.warns(RuntimeWarning):
            assert np.isnan(function(np.zeros(0)))


def test_contexts_of_short_calls():
    a = np.arange(9.0)
    ordo.sort(a)
    with ordo.context(threads=1, device="cpu"):
        ordo.median(a)
        ordo.median(a)
        assert ordo.explain().operation == "median"
        with ordo.context(threads=2, device="cpu"):
            assert functions_entered(ordo.cumsum, a)[1]
            assert not functions_entered(ordo.cumsum, a)[1]
            assert ordo.explain().operation == "scan"
        assert ordo.explain().operation == "median"
        assert functions_entered(ordo.argsort, a)[1]
    assert ordo.explain().operation == "sort"
    before = ordo.config()["threads"]
    try:
        ordo.config(threads=3)
        assert functions_entered(ordo.argsort, a)[1]
        assert ordo.explain().operation == "argsort"
    finally:
        ordo.config(threads=before)
    assert functions_entered(ordo.sort, a)[1]
    assert not functions_entered(ordo.sort, a)[1]


def test_an_interrupted_call_is_not_repeated(monkeypatch):
    """The progress callback of a context cancels each call that reports progress."""
    asked, failed = [], []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double)
    def cancels(user: Any, done: float) -> int:
        asked.append(done)
        return 1

    def fail(status: int) -> None:
        failed.append(status)
        raise KeyboardInterrupt

    opts = _lib.ContextOptions(
        struct_size=ctypes.sizeof(_lib.ContextOptions),
        threads=1,
        progress=ctypes.cast(cancels, ctypes.c_void_p).value,
        progress_interval=1e-9,
    )
    made = ctypes.c_void_p()
    assert _lib.ctx_create(made, ctypes.addressof(opts)) == 0
    _lib.ext.contexts_from(lambda: made.value, fail)
    _lib.ext.forget_contexts()
    try:
        with pytest.raises(KeyboardInterrupt):
            ordo.cumsum(np.zeros(_short.ONE_PASS - 1))
    finally:
        _lib.ext.contexts_from(_context.quick_context, _context.fail)
        _lib.ctx_free(made)
    assert len(asked) == 1 and len(failed) == 1


def test_threads_have_contexts_of_their_own():
    a, seen = np.arange(9.0), []
    ordo.sort(a)

    def work() -> None:
        seen.append(bool(functions_entered(ordo.sort, a)[1]))
        seen.append(bool(functions_entered(ordo.sort, a)[1]))

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert seen == [True, False]
    same_bytes(ordo.sort(a), a)  # the context of the ended thread is not used


def test_errors_have_the_same_text(request):
    a = np.array([2.0, 1.0, 3.0])
    calls = [
        lambda: ordo.quantile(a, 1.5),
        lambda: ordo.quantile(a, float("nan")),
        lambda: ordo.partition(a, 3),
        lambda: ordo.select(a, -4),
        lambda: ordo.topk(a, 4),
        lambda: ordo.sort(a, 1),
        lambda: ordo.sort(a, False),
        lambda: ordo.rankdata(a, "no"),
        lambda: ordo.sort_pairs(a, a[:2]),
    ]

    def message(call: Any) -> str:
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        return f"{caught.type} {caught.value}"

    short = [message(call) for call in calls]
    request.getfixturevalue("without")
    assert short == [message(call) for call in calls]


@pytest.mark.parametrize("device, is_quick", [
    (None, True), ("auto", True), ("cpu", True), ("cuda", False), ("cuda:1", False), (0, False),
    ("hybrid", False),
])  # fmt: skip
def test_devices(monkeypatch, device, is_quick):
    monkeypatch.delenv("ORDO_DEVICE", raising=False)
    assert _context._is_quick(device) is is_quick
    if isinstance(device, str):
        monkeypatch.setenv("ORDO_DEVICE", device)
        for setting in (None, "auto"):
            assert _context._is_quick(setting) is is_quick
            assert _context._may_use_cpu(setting) is (not device.startswith("cuda"))


def test_an_empty_device_variable_is_ignored(monkeypatch):
    monkeypatch.setenv("ORDO_DEVICE", "")
    for setting in (None, "auto"):
        assert _context._is_quick(setting) and _context._may_use_cpu(setting)


def test_a_closed_context_is_not_used():
    with ordo.context(device="cpu"):
        held = _context._local.held
        assert _context.quick_context() == held.host.value
    assert held.quick == 0
    ordo.config(threads=1)
    before = _context.quick_context()
    try:
        ordo.config(threads=2)
        after = _context._contexts()
        assert _context.quick_context() == after.host.value and before
    finally:
        ordo.config(threads=None)


def test_settings_change_before_a_context_is_used(monkeypatch):
    """As `config` of another thread may do between two instructions of `quick_context`."""
    ordo.sort(np.zeros(3))
    used, forget = [], _lib.ext.forget_contexts

    def use(address):
        if not used:
            ordo.config(threads=2)
        used.append(address)
        return 0

    monkeypatch.setattr(_context, "ext", SimpleNamespace(use_context=use, forget_contexts=forget))
    try:
        before = _context.quick_context()
        assert before and used == [before, 0]
        after = _context.quick_context()
        assert used == [before, 0, after]
    finally:
        ordo.config(threads=None)


def test_threads_have_their_own_contexts(rng):
    a = rng.random(1000)
    expected, wrong = np.sort(a), []

    def work() -> None:
        for _ in range(200):
            if not np.array_equal(ordo.sort(a), expected):
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_references_are_kept():
    a = np.arange(10.0)[::-1].copy()
    before = [sys.getrefcount(x) for x in (a, a.dtype)]
    for _ in range(1000):
        results_of(a)
    after = [sys.getrefcount(x) for x in (a, a.dtype)]
    assert before[0] == after[0]
    assert after[1] - before[1] < 500  # other objects refer to the dtype, too


def test_calls_while_python_exits():
    """At exit Python clears the modules of the package before those that were imported earlier."""
    program = (
        "import sys, numpy as np, ordo\n"
        "ordo.sort(np.zeros(3))\n"
        "class Last:\n"
        "    def __del__(self, a=np.zeros(3), write=sys.__stdout__.write, sort=ordo.sort):\n"
        "        try: sort(a)\n"
        "        except Exception: pass\n"
        "        write('ended')\n"
        "np.last = Last()\n"
    )
    settings = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "165"}  # changes freed memory
    ended = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **settings}, capture_output=True
    )
    assert (ended.returncode, ended.stdout) == (0, b"ended"), ended.stderr


def test_the_functions_are_like_python_functions():
    assert ordo.sort.__name__ == "sort" and ordo.sort.__doc__.startswith("Returns a sorted copy")
    for again in (pickle.loads(pickle.dumps(ordo.sort)), copy.deepcopy(ordo.sort)):
        assert again is ordo.sort
    assert weakref.ref(ordo.sort)() is ordo.sort and "sort" in repr(ordo.sort)

    class Row:
        sort = ordo.sort

        def __array__(self, dtype=None, copy=None):
            return np.array([2.0, 1.0])

    same_bytes(Row().sort(), np.array([1.0, 2.0]))
    assert Row.sort is ordo.sort
    with pytest.raises(TypeError, match="missing required argument"):
        _lib.ext.Function()
    with pytest.raises(ValueError, match="does not call print"):
        _lib.ext.Function(print, "print", (), {}, 0)
    with pytest.raises(ValueError, match="other parameters"):
        _lib.ext.Function(print, "sort", ("a",), {}, 1)


def test_arguments_by_name():
    a = np.array([3.0, 1.0, 2.0])
    assert is_short(ordo.sort, a=a) and is_short(ordo.sort, a, axis=0, descending=True)
    same_bytes(ordo.sort(axis=None, descending=True, a=a), np.array([3.0, 2.0, 1.0]))
    for wrong in ({"a": a}, {"unknown": 1}, {"axis": 0, "a": a}):
        with pytest.raises(TypeError):
            ordo.sort(a, **wrong)
    with pytest.raises(TypeError):
        ordo.sort(axis=0)
    with pytest.raises(TypeError):
        ordo.sort(a, 0, None, None, None)


class Saved:
    """Refers to an object in a cycle, and saves it when the garbage collector finds the cycle."""

    def __init__(self, held: Any, saved: list) -> None:
        self.held, self.saved, self.me = held, saved, self

    def __del__(self) -> None:
        self.saved.append(self.held)


@pytest.mark.parametrize("call", FUNCTIONS[:3] + FUNCTIONS[5:9])
def test_results_share_no_memory(call):
    a, saved = np.array([4.0, 1.0, 3.0, 2.0]), []
    first = call(a)
    expected = first.copy()
    held = [first[1:], memoryview(first), np.from_dlpack(first)]
    held += [pickle.loads(pickle.dumps(first, protocol=5))]
    Saved(first, saved)
    del first
    gc.collect()
    others = [call(a + i) for i in range(20)]
    assert np.array_equal(saved[0], expected)
    for part, wanted in zip(held, (expected[1:], expected, expected, expected)):
        assert np.array_equal(part, wanted)
        assert not any(np.shares_memory(np.asarray(part), other) for other in others)
    assert not np.shares_memory(call(a), a)


def test_a_forked_process_makes_calls(rng):
    rows = [rng.random(n) for n in (10, 300, 2047)]
    expected = [np.sort(row).tolist() for row in rows]
    workers = [threading.Thread(target=lambda: [ordo.sort(rows[2]) for _ in range(300)])]
    workers[0].start()
    child = os.fork()
    if child == 0:
        right = [ordo.sort(row).tolist() for row in rows] == expected
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    workers[0].join()
