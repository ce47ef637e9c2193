"""Every algorithm of the five papers from the command, from C and from Python, on the CPU.

The bytes are those of algorithm 'auto'. An algorithm that needs a GPU is refused by all three with
the same words on a machine without one. C is a call of the shared library without the package.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cases import TIES, same

import ordo
from ordo import _lib

FOLDER = Path(os.environ.get("ORDO_LIBRARY", "")).parent
COMMAND = FOLDER / "ordo"
PLAYING = FOLDER / "tests/plugins/playing"
N = 1500
SORTS = [
    "radix", "sample", "intervals", "merge", "bitonic", "split", "bubble", "rough", "halving",
    "windows",
]  # fmt: skip
CODES = {"u4": _lib.U32, "f8": _lib.F64}

pytestmark = pytest.mark.skipif(
    not (COMMAND.is_file() and os.access(COMMAND, os.X_OK)),
    reason="the command is not beside the library",
)


# ---- The three ways ------------------------------------------------------------------------------


def command(verb, *arguments, data=None, env=None, fails=False):
    """Runs the command. Returns its output and its report, or the message if it fails."""
    report = [] if fails else ["--json"]
    done = subprocess.run(
        [COMMAND, verb, *map(str, arguments), *report],
        input=data, capture_output=True, check=False, env={**os.environ, **(env or {})},
    )  # fmt: skip
    if fails:
        assert done.returncode == 2
        return done.stderr.decode()
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(done.stderr.splitlines()[-1])


class CCall:
    """A context of the library, made and used as a C program does."""

    def __init__(self, where=1, **options):
        self.context = ctypes.c_void_p()
        size = ctypes.sizeof(_lib.ContextOptions)
        opts = _lib.ContextOptions(struct_size=size, where=where, threads=2, **options)
        assert _lib.ctx_create(ctypes.byref(self.context), ctypes.addressof(opts)) == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _lib.ctx_free(self.context)

    def __call__(self, name, *arguments, opts=None, **fields):
        """Calls ordo_NAME(context, arguments..., options). Returns its status and error."""
        call = ctypes.CDLL(_lib.path)["ordo_" + name]
        call.restype = ctypes.c_int
        given = [a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else
                 ctypes.c_size_t(a) if isinstance(a, int) else a for a in arguments]  # fmt: skip
        if opts is not None:
            wish = opts(struct_size=ctypes.sizeof(opts), **fields)
            given.append(ctypes.c_void_p(ctypes.addressof(wish)))
        status = call(self.context, *given)
        return status, _lib.last_error(self.context).decode()

    def algorithm(self):
        report = _lib.ReportStruct(struct_size=ctypes.sizeof(_lib.ReportStruct))
        _lib.last_report(self.context, ctypes.addressof(report))
        return report.algorithm.decode()


def keys_file(tmp_path, keys, name="keys.npy"):
    path = tmp_path / name
    np.save(path, keys)
    return path


@pytest.fixture
def cpu():
    with ordo.context(device="cpu"):
        yield


# ---- Sorts ---------------------------------------------------------------------------------------


def rough_keys(dtype):
    """Keys of radius 9, which every sort accepts."""
    return ordo.generate("ksorted", N, dtype, k=9, seed=4)


@pytest.mark.parametrize("dtype", ["u4", "f8"])
@pytest.mark.parametrize("algorithm", SORTS)
def test_sorts(tmp_path, cpu, algorithm, dtype):
    keys = rough_keys(dtype)
    expected, order = ordo.sort(keys), ordo.argsort(keys, dtype=np.uint32)
    number = _lib.ALGORITHMS[algorithm]
    path, out = keys_file(tmp_path, keys), tmp_path / "out.npy"
    for verb, wanted in (("sort", expected), ("argsort", order)):
        _, report = command(verb, path, "-o", out, "--algorithm", algorithm, "--device", "cpu")
        assert report["algorithm"] == algorithm
        same(np.load(out), wanted)
    with CCall() as c:
        mine, index = keys.copy(), np.zeros(N, np.uint32)
        wish = {"opts": _lib.SortOptions, "algorithm": number}
        assert c("argsort", CODES[dtype], mine, N, _lib.U32, index, **wish) == (0, "")
        assert c("sort", CODES[dtype], mine, N, **wish) == (0, "")
        assert c.algorithm() == algorithm
        same(mine, expected)
        same(index, order)
    same(ordo.argsort(keys, dtype=np.uint32, algorithm=algorithm), order)
    same(ordo.sort(keys, algorithm=algorithm), expected)
    assert ordo.explain().algorithm == algorithm


@pytest.mark.parametrize("algorithm", ["rough", "halving", "windows"])
def test_sorts_with_a_radius(tmp_path, cpu, algorithm):
    keys = rough_keys("u4")
    expected = ordo.sort(keys)
    path, out = keys_file(tmp_path, keys), tmp_path / "out.npy"
    command("sort", path, "-o", out, "--algorithm", algorithm, "--radius", 9)
    same(np.load(out), expected)
    with CCall() as c:
        mine = keys.copy()
        wish = {"algorithm": _lib.ALGORITHMS[algorithm], "radius": 9}
        assert c("sort", _lib.U32, mine, N, opts=_lib.SortOptions, **wish) == (0, "")
        same(mine, expected)
        wish["radius"] = N
        status, words = c("sort", _lib.U32, mine, N, opts=_lib.SortOptions, **wish)
        assert status == -1
        assert words == f"radius is {N}; expected less than {N}, the number of keys"
    same(ordo.sort(keys, algorithm=algorithm, radius=9), expected)
    with pytest.raises(
        ValueError, match=f"radius is {N}; expected less than {N}, the number of keys"
    ):
        ordo.sort(keys, algorithm=algorithm, radius=N)
    message = command("sort", path, "-o", out, "--algorithm", algorithm, "--radius", N, fails=True)
    assert words in message


def test_the_hybrid_sample_sort(tmp_path, monkeypatch):
    """CPU and a simulated device share the sort."""
    if not (PLAYING / "libordo_cuda.so").exists():
        pytest.skip("the simulated device is not built")
    n = 1 << 16
    keys = ordo.generate("gaussian", n, "u4", seed=2)
    expected = np.sort(keys)
    path, out = keys_file(tmp_path, keys), tmp_path / "out.npy"
    place = {"ORDO_BACKEND_DIR": str(PLAYING)}
    share = ["--device", "hybrid", "--cpu-share", "0.25", "--algorithm", "sample"]
    _, report = command("sort", path, "-o", out, *share, env=place)
    assert (report["backend"], report["algorithm"]) == ("hybrid", "sample")
    same(np.load(out), expected)
    monkeypatch.setenv("ORDO_BACKEND_DIR", str(PLAYING))
    with CCall(where=3, cpu_share=0.25) as c:
        mine = keys.copy()
        wish = {"opts": _lib.SortOptions, "algorithm": _lib.ALGORITHMS["sample"]}
        assert c("sort", _lib.U32, mine, n, **wish) == (0, "")
        same(mine, expected)
    with ordo.context(device="hybrid", cpu_share=0.25):
        same(ordo.sort(keys, algorithm="sample"), expected)
        assert ordo.explain().backend == "hybrid"


@pytest.mark.parametrize("dist", ["strings", "fasta"])
def test_strings_by_sample(cpu, dist):
    words = ordo.generate(dist, 800, seed=3)
    order = ordo.argsort(words)
    lines = b"".join(word + b"\n" for word in words)
    sample = ["--text", "--algorithm", "sample"]
    found, report = command("argsort", "-", *sample, "--format", "text", data=lines)
    assert report["algorithm"] == "sample"
    assert [int(line) for line in found.split()] == order.tolist()
    assert command("sort", "-", *sample, data=lines)[0] == b"".join(
        word + b"\n" for word in words[order]
    )
    same(ordo.argsort(words, algorithm="sample"), order)
    data = np.frombuffer(b"".join(words), np.uint8)
    offsets = np.zeros(words.size + 1, np.uint64)
    np.cumsum([len(word) for word in words], out=offsets[1:])
    strings = _lib.Strings(
        struct_size=ctypes.sizeof(_lib.Strings), bytes=data.ctypes.data, offsets=offsets.ctypes.data
    )
    index = np.zeros(words.size, np.uint32)
    with CCall() as c:
        where = ctypes.c_void_p(ctypes.addressof(strings))
        wish = {"opts": _lib.SortOptions, "algorithm": _lib.ALGORITHMS["sample"]}
        assert c("argsort_strings", where, words.size, _lib.U32, index, **wish) == (0, "")
        assert c.algorithm() == "sample"
    same(index.astype(np.intp), order)


# ---- Ranks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("algorithm", ["auto", "sequential", "threads"])
def test_ranks_of_sorted_keys(tmp_path, cpu, algorithm, ties):
    keys = ordo.generate("recur", N, "f8", p=0.5, seed=1)
    expected = ordo.rankdata(keys, ties).astype(np.float64)
    path, out = keys_file(tmp_path, keys), tmp_path / "out.npy"
    wish = ["--sorted", "--ties", ties, "--rank-type", "f64", "--algorithm", algorithm]
    command("rank", path, "-o", out, *wish, "--device", "cpu")
    same(np.load(out), expected)
    with CCall() as c:
        ranks = np.zeros(N)
        fields = {"ties": _lib.TIES[ties], "algorithm": _lib.ALGORITHMS[algorithm]}
        arguments = (_lib.F64, keys, N, _lib.F64, ranks)
        assert c("rank_sorted", *arguments, opts=_lib.RankOptions, **fields) == (0, "")
        same(ranks, expected)
    same(ordo.rank_sorted(keys, ties, algorithm=algorithm, dtype=np.float64), expected)


@pytest.mark.parametrize("algorithm", SORTS)
def test_ranks(tmp_path, cpu, algorithm):
    keys = rough_keys("u4") // 3
    expected = ordo.rankdata(keys, "min", dtype=np.uint32)
    path, out = keys_file(tmp_path, keys), tmp_path / "out.npy"
    _, report = command("rank", path, "-o", out, "--algorithm", algorithm, "--device", "cpu")
    assert report["algorithm"] == algorithm
    same(np.load(out), expected)
    with CCall() as c:
        ranks = np.zeros(N, np.uint32)
        wish = {"opts": _lib.RankOptions, "algorithm": _lib.ALGORITHMS[algorithm]}
        assert c("rank", _lib.U32, keys, N, _lib.U32, ranks, **wish) == (0, "")
        same(ranks, expected)
    same(ordo.rankdata(keys, "min", dtype=np.uint32, algorithm=algorithm), expected)


# ---- Medians and radius --------------------------------------------------------------------------


@pytest.mark.parametrize("sub_array", [0, 2, 64, 2048])
@pytest.mark.parametrize("algorithm", ["bitonic", "merge", "radix"])
def test_medians_and_selections(tmp_path, cpu, algorithm, sub_array):
    if algorithm == "radix" and sub_array:
        pytest.skip("radix has no sub-arrays")
    keys = ordo.generate("uniform", N, "f8", seed=6)
    middle, chosen = ordo.median(keys), ordo.select(keys, [7, 3])
    path = keys_file(tmp_path, keys)
    wish = ["--algorithm", algorithm, "--device", "cpu"]
    wish += ["--sub-array", sub_array] if sub_array else []
    text, report = command("median", path, *wish)
    assert report["algorithm"] == algorithm
    assert json.loads(text) == {"median": middle}
    text, _ = command("select", path, "-k", "8,4", *wish)
    assert json.loads(text) == dict(zip(("8", "4"), chosen.tolist()))
    fields = {"algorithm": _lib.ALGORITHMS[algorithm], "sub_array": sub_array}
    with CCall() as c:
        result, both = np.zeros(1), np.zeros(2)
        arguments = (_lib.F64, keys, N)
        assert c("median", *arguments, result, opts=_lib.QuantileOptions, **fields) == (0, "")
        assert result[0] == middle
        where = np.array([7, 3], np.uintp)
        assert c("select", *arguments, where, 2, both, opts=_lib.SelectOptions, **fields) == (0, "")
        same(both, chosen)
    assert ordo.median(keys, algorithm=algorithm, sub_array=sub_array) == middle
    same(ordo.select(keys, [7, 3], algorithm=algorithm, sub_array=sub_array), chosen)


def test_radius_and_its_sequences(tmp_path, cpu):
    keys = rough_keys("u4")
    lr, rl = np.maximum.accumulate(keys), np.minimum.accumulate(keys[::-1])[::-1]
    path = keys_file(tmp_path, keys)
    files = [tmp_path / f"{name}.npy" for name in ("lr", "rl", "dm")]
    wish = [word for file in files for word in ("--" + file.stem, file)]
    text, report = command("radius", path, "--algorithm", "sequential", *wish)
    assert report["algorithm"] == "sequential"
    assert json.loads(text) == {"radius": 9} and ordo.radius(keys) == 9
    same(np.load(files[0]), lr)
    same(np.load(files[1]), rl)
    dm = np.load(files[2])
    assert dm.max() == 9
    with CCall() as c:
        found, theirs = np.zeros(1, np.uint64), [lr * 0, rl * 0, dm * 0]
        fields = dict(zip(("lr", "rl", "dm"), (a.ctypes.data for a in theirs)))
        fields["algorithm"] = _lib.ALGORITHMS["sequential"]
        arguments = (_lib.U32, keys, N, found)
        assert c("radius", *arguments, opts=_lib.OrderOptions, **fields) == (0, "")
        assert found[0] == 9
        for mine, expected in zip(theirs, (lr, rl, dm)):
            same(mine, expected)
    assert ordo.radius(keys, algorithm="sequential") == 9
    sequences = ordo.radius(keys, algorithm="sequential", sequences=True)
    for mine, expected in zip(sequences[-3:], (lr, rl, dm)):
        assert np.array_equal(mine, expected)


@pytest.mark.parametrize("dist", ["ksorted", "shuffled", "gaussian", "staggered", "dupes", "recur"])
def test_generators_of_the_papers(tmp_path, dist):
    k, p = (16 if dist in ("ksorted", "shuffled") else 0), (0.5 if dist == "recur" else 0)
    expected = ordo.generate(dist, N, "u4", seed=5, k=k, p=p)
    out = tmp_path / "out.npy"
    wish = (["-k", k] if k else []) + (["-p", p] if p else [])
    command("gen", dist, "-n", N, "--dtype", "u32", "--seed", 5, *wish, "-o", out)
    same(np.load(out), expected)

    with CCall() as c:
        mine = np.zeros(N, np.uint32)
        fields = {"seed": 5, "k": k, "p": p}
        arguments = (_lib.DISTRIBUTIONS[dist], _lib.U32, mine, N)
        assert c("gen", *arguments, opts=_lib.GenOptions, **fields) == (0, "")
        same(mine, expected)


# ---- Flags ---------------------------------------------------------------------------------------


def test_flags(tmp_path, cpu):
    flags = ordo.generate("uniform", N, "u1", seed=7) > 100
    keys = np.arange(N, dtype=np.uint32)
    counts = np.cumsum(flags).astype(np.uint32)
    path, out = keys_file(tmp_path, keys), tmp_path / "out.npy"
    flag_path = keys_file(tmp_path, flags, "flags.npy")
    command("scan", flag_path, "--bits", "-o", out)
    same(np.load(out), counts)
    split = np.concatenate((keys[flags], keys[~flags]))
    command("partition", path, "--flags", flag_path, "-o", out)
    same(np.load(out), split)
    with CCall() as c:
        mine, total, chosen = np.zeros(N, np.uint32), np.zeros(1, np.uint64), np.zeros(1, np.uintp)
        arguments = (_lib.FLAG_BYTES, flags, N, _lib.U32, mine, total)
        assert c("scan_bits", *arguments, opts=_lib.ScanOptions) == (0, "")
        same(mine, counts)
        arguments = (_lib.FLAG_BYTES, flags, keys, N, 4, mine, chosen)
        assert c("partition", *arguments, opts=_lib.PartitionOptions) == (0, "")
        same(mine, split)
        assert chosen[0] == flags.sum() == total[0]
    same(ordo.scan_bits(flags, dtype=np.uint32), counts)
    same(np.concatenate(ordo.split_by_flags(keys, flags)), split)


# ---- Algorithms of GPUs --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "algorithm",
    [
        "naive",
        "shuffle",
        "hybrid",
        "prefix",
        "scans",
        "ballot",
        "shared",
        "insertion",
        "global",
    ],
)
def test_algorithms_of_gpus_are_refused_on_the_cpu(tmp_path, cpu, algorithm):
    keys = np.arange(N, dtype=np.uint32)
    flags = np.ones(N, bool)
    number = _lib.ALGORITHMS[algorithm]
    wish = ["--algorithm", algorithm, "--device", "cpu"]
    with CCall() as c:
        if algorithm in ("ballot", "shared"):
            counts, total = np.zeros(N, np.uint32), np.zeros(1, np.uint64)
            arguments = (_lib.FLAG_BYTES, flags, N, _lib.U32, counts, total)
            status, words = c("scan_bits", *arguments, opts=_lib.ScanOptions, algorithm=number)
            message = command("scan", keys_file(tmp_path, flags), "--bits", *wish, fails=True)
            with pytest.raises(ordo.DeviceError) as raised:
                ordo.scan_bits(flags, algorithm=algorithm, dtype=np.uint32)
        elif algorithm in ("insertion", "global"):
            reversed_keys = keys[::-1].copy()
            status, words = c(
                "sort", _lib.U32, reversed_keys, N, opts=_lib.SortOptions, algorithm=number
            )
            message = command("sort", keys_file(tmp_path, keys), *wish, fails=True)
            with pytest.raises(ordo.DeviceError) as raised:
                ordo.sort(keys, algorithm=algorithm)
            same(reversed_keys, keys[::-1])
        elif algorithm in ("prefix", "scans"):
            found = np.zeros(1, np.uint64)
            arguments = (_lib.U32, keys, N, found)
            status, words = c("radius", *arguments, opts=_lib.OrderOptions, algorithm=number)
            message = command("radius", keys_file(tmp_path, keys), *wish, fails=True)
            with pytest.raises(ordo.DeviceError) as raised:
                ordo.radius(keys, algorithm=algorithm)
        else:
            ranks = np.zeros(N, np.uint32)
            arguments = (_lib.U32, keys, N, _lib.U32, ranks)
            status, words = c("rank_sorted", *arguments, opts=_lib.RankOptions, algorithm=number)
            message = command("rank", keys_file(tmp_path, keys), "--sorted", *wish, fails=True)
            with pytest.raises(ordo.DeviceError) as raised:
                ordo.rank_sorted(keys, "min", algorithm=algorithm, dtype=np.uint32)
    assert status == -3
    assert words in message
    assert words == str(raised.value)
