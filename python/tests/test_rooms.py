"""Memory of large results, which is used again, and the search for NaNs in large arrays."""

import copy
import gc
import os
import pickle
import resource
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import ordo
from ordo import _lib, _rooms

SHAPE = (45_000, 100)  # 36 MB of float64: more than glibc keeps


def address(array):
    return array.__array_interface__["data"][0]


@pytest.fixture
def keys():
    return np.random.default_rng(3).random(SHAPE).round(3)


@pytest.fixture(autouse=True)
def no_rooms():
    gc.collect()
    _lib.ext.free_rooms()
    yield
    _lib.ext.free_rooms()


def test_memory_is_used_again(keys):
    first = ordo.sort(keys)
    where = address(first)
    del first
    second = ordo.cumsum(keys, 1)
    assert address(second) == where and _lib.ext.free_rooms() == 0
    assert np.allclose(second, np.cumsum(keys, 1))
    assert second.flags.writeable and second.flags.c_contiguous


def test_views_keep_the_memory(keys):
    result = ordo.sort(keys)
    view, where = result[7:, ::2], address(result)
    del result
    other = ordo.argsort(keys)
    assert _lib.ext.free_rooms() == 0 and address(other) != where
    assert np.array_equal(view, np.sort(keys)[7:, ::2])


HOLDERS = {
    "array": lambda a: a,
    "view of the array": memoryview,
    "base": lambda a: a.base,
    "view of the base": lambda a: memoryview(a.base),
    "array of the base": lambda a: np.frombuffer(a.base),
    "DLPack": lambda a: np.from_dlpack(a),
}


class Revived:
    """An object in a cycle that is alive again after the garbage collector has found it."""

    def __init__(self, held, saved):
        self.held, self.saved, self.me = held, saved, self

    def __del__(self):
        self.saved.append(self.held)


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("revived", [False, True])
def test_memory_with_a_user_is_not_used_again(keys, holder, revived):
    gc.collect()
    saved = []
    result = ordo.sort(keys)
    held = HOLDERS[holder](result)
    if revived:
        Revived(held, saved)
    else:
        saved.append(held)
    del result, held
    gc.collect()
    others = [ordo.cumsum(keys, 1) for _ in range(3)]
    found = np.frombuffer(saved.pop(), np.float64, keys.size)
    assert np.array_equal(found, np.sort(keys).ravel())
    assert not any(np.shares_memory(found, other) for other in others)


def test_memory_of_a_revived_view_is_released(keys):
    saved = []
    Revived(memoryview(ordo.sort(keys).base), saved)
    gc.collect()
    before = mapped_bytes()
    saved.clear()
    _lib.ext.free_rooms()
    assert before - mapped_bytes() > 30 << 20


def mapped_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


COPIES = {
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "method": lambda a: a.copy(),
    "pickle": lambda a: pickle.loads(pickle.dumps(a, protocol=5)),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_own_their_memory(keys, name):
    result = ordo.sort(keys)
    again = COPIES[name](result)
    assert np.array_equal(again, result) and not np.shares_memory(again, result)
    where = address(result)
    del result
    assert address(ordo.sort(keys)) == where
    assert np.array_equal(again, np.sort(keys))


def test_pickled_out_of_band(keys):
    """Protocol 5 with buffers shares the memory, which the buffers keep."""
    result, buffers = ordo.sort(keys), []
    data = pickle.dumps(result, protocol=5, buffer_callback=buffers.append)
    del result
    others = [ordo.cumsum(keys, 1) for _ in range(3)]
    again = pickle.loads(data, buffers=buffers)
    assert np.array_equal(again, np.sort(keys))
    assert not any(np.shares_memory(again, other) for other in others)


def test_tensors_keep_the_memory(keys):
    torch = pytest.importorskip("torch")
    for made in (torch.from_dlpack, torch.from_numpy, torch.utils.dlpack.from_dlpack):
        tensor = made(ordo.sort(keys))
        gc.collect()
        others = [ordo.cumsum(keys, 1) for _ in range(3)]
        assert np.array_equal(tensor.numpy(), np.sort(keys))
        assert not any(np.shares_memory(tensor.numpy(), other) for other in others)


def test_threads_that_allocate_and_free_at_once():
    """No two arrays that exist at the same time share memory, and at most two rooms are kept."""
    wrong, sizes = [], [(1 << 25) + 4096 * i for i in (0, 1, 900, 4000)]

    def work(number):
        rng = np.random.default_rng(number)
        held = []
        for i in range(40):
            array = _rooms.empty(int(rng.choice(sizes)), "u1")
            mark = number * 64 + i
            array.view("u4")[[0, -1]] = mark
            held.append((array, mark))
            for array, mark in held:
                if not (array.view("u4")[[0, -1]] == mark).all():
                    wrong.append(number)
            if len(held) == 3:
                del held[int(rng.integers(3))]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and _lib.ext.free_rooms() <= 2


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_its_own_memory(keys):
    first, second = ordo.sort(keys), ordo.sort(keys)
    expected = np.sort(keys)
    del second  # kept by both processes
    child = os.fork()
    if child == 0:
        status = 1
        try:
            first[:] = 1
            results = [ordo.cumsum(keys, 1) for _ in range(3)]
            status = 0 if np.allclose(results[2], np.cumsum(keys, 1)) else 2
            del first, results
            status += 4 * (_lib.ext.free_rooms() != 2)
        finally:
            os._exit(status)
    third = ordo.sort(keys)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(first, expected) and np.array_equal(third, expected)


def test_rooms_at_the_exit_of_python():
    """Module variables, cycles, threads and a thread-local hold results when Python ends."""
    program = (
        "import sys, threading, numpy as np, ordo\n"
        "keys = np.random.default_rng(3).random((45_000, 100))\n"
        "kept, view = ordo.sort(keys), memoryview(ordo.sort(keys).base)\n"
        "class Node: pass\n"
        "node = Node(); node.me, node.array = node, ordo.sort(keys)\n"
        "np.last, local = ordo.sort(keys), threading.local()\n"
        "local.array = ordo.sort(keys)\n"
        "threading.Thread(target=lambda: setattr(local, 'array', ordo.sort(keys))).start()\n"
        "class Last:\n"
        "    def __del__(self, sort=ordo.sort, keys=keys, write=sys.__stdout__.write):\n"
        "        try: sort(keys)\n"
        "        except Exception: pass\n"
        "        write('ended')\n"
        "np.later = Last()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"ended"), ended.stderr


def test_rooms_are_plain_objects():
    room = _lib.ext.Room(100)
    with pytest.raises(TypeError):
        pickle.dumps(room)
    with pytest.raises(TypeError):
        type("Other", (_lib.ext.Room,), {})
    with pytest.raises(AttributeError):
        room.name = 1
    with pytest.raises(TypeError):
        weakref.ref(room)
    assert len(bytes(room)) % (1 << 21) == 0


def test_few_rooms_are_kept(keys):
    results = [ordo.sort(keys) for _ in range(4)]
    assert len({address(result) for result in results}) == 4
    results.clear()
    assert _lib.ext.free_rooms() == 2


def test_other_sizes_get_other_memory(keys):
    twice = np.concatenate((keys, keys))
    first = ordo.sort(twice)
    where = address(first)
    del first
    half = ordo.sort(keys)
    assert address(half) != where
    assert np.array_equal(half, np.sort(keys))
    like = ordo.sort(twice[:-4_000])
    assert address(like) == where
    assert np.array_equal(like, np.sort(twice[:-4_000]))
    where = address(half)
    del half
    larger = ordo.sort(twice)
    assert address(larger) != where
    assert np.array_equal(larger, np.sort(twice))


def test_results_become_writable_again(keys):
    result = ordo.sort(keys)
    view, where = result[1:], address(result)
    for array in (view, result):
        array.setflags(write=False)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
        array.setflags(write=True)
        array[0] = 5
    assert not result.flags.owndata and sys.getsizeof(result) < 1000
    del array, result, view
    assert address(ordo.sort(keys)) == where


IN_LITTLE_SPACE = """
import resource
import numpy as np
from ordo import _lib, _rooms

def limit(size):
    pages = int(open("/proc/self/statm").read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + size, -1))

def keep_two():
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    both = [_rooms.empty(640 << 20, "u1") for _ in range(2)]
    both.clear()

keep_two()
limit(512 << 20)
found = _rooms.empty(1000 << 20, "u1")  # in memory that is kept later
assert found.base is not None and _lib.ext.free_rooms() == 0
del found
assert _lib.ext.free_rooms() == 1
keep_two()
limit(512 << 20)
found = _rooms.empty(1200 << 20, "u1")  # in memory of NumPy
assert found.base is None and _lib.ext.free_rooms() == 0
try:
    _rooms.empty(1000 << 20, "u1")
except MemoryError:
    print("no memory")
"""


def test_kept_memory_is_unmapped_for_others():
    command = [sys.executable, "-c", IN_LITTLE_SPACE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("no memory\n", "")


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "f4", "f8", "?"])
def test_empty_has_shape_and_type(dtype):
    count = (1 << 25) // np.dtype(dtype).itemsize
    for shape in (count, np.int64(count), (count // 4, 4), 5, np.int32(5), (0, 3), ()):
        wanted = np.empty(shape, dtype)
        got = _rooms.empty(shape, dtype)
        assert got.shape == wanted.shape and got.dtype == wanted.dtype


def test_threads_share_the_memory(keys):
    expected, wrong = np.sort(keys), []

    def work():
        for _ in range(3):
            if not np.array_equal(ordo.sort(keys), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("share", [0, 0.0005, 0.3])
def test_nans_of_large_arrays(keys, threads, share):
    keys[np.random.default_rng(5).random(SHAPE) < share] = np.nan
    with ordo.context(threads=threads, device="cpu"):
        ranks = ordo.rankdata(keys, axis=1, nan_policy="omit")
        some = [ordo.rankdata(row, nan_policy="omit") for row in keys[-200:]]
        smallest = ordo.cummin(keys, 1)
    assert np.array_equal(np.isnan(ranks), np.isnan(keys))
    assert np.array_equal(ranks[-200:], some, equal_nan=True)
    assert np.array_equal(smallest, np.minimum.accumulate(keys, 1), equal_nan=True)


@pytest.mark.parametrize("at", [0, 4_499_999])
def test_one_nan_with_one_thread(keys, at):
    flat = keys.reshape(-1)
    flat[at] = np.nan
    with ordo.context(threads=1, device="cpu"):
        assert np.isnan(ordo.rankdata(flat)).all()
        assert np.isnan(ordo.cummin(flat)[at:]).all() and not np.isnan(ordo.cummin(flat)[:at]).any()


def test_arguments_of_rooms():
    for size in (0, -1):
        with pytest.raises(ValueError, match="expected at least 1"):
            _lib.ext.Room(size)
    with pytest.raises(MemoryError):
        _lib.ext.Room(sys.maxsize)
    with memoryview(_lib.ext.Room(5)) as view:
        assert not view.readonly and bytes(view[:5]) == bytes(5)
