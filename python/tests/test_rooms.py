"""Memory of large results, which is used again, and the search for NaNs in large arrays."""

import gc
import pickle
import resource
import subprocess
import sys
import threading

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


def test_pickled_results_are_copies(keys):
    result = ordo.sort(keys)
    again = pickle.loads(pickle.dumps(result, protocol=5))
    assert np.array_equal(again, result) and not np.shares_memory(again, result)


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
