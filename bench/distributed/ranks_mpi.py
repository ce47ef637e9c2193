"""Times ordo.mpi beside programs that users write with mpi4py and NumPy.

    mpiexec -n 16 python ranks_mpi.py [KEYS [ROUNDS [strings]]]

With "strings" the keys are words of 1 to 24 letters, and numbers behind a prefix of 24 bytes.
The peer of the sort is a sample sort by regular sampling: sort, sample, cut, Alltoallv, sort. The
peer of the median gathers all keys on one rank. A round makes each call once on the same keys; the
table has medians of the elapsed times, until the slowest rank has ended, and the least CPU times of
all ranks together. "Largest part" is the number of keys of the fullest rank divided by the mean.

MPI libraries wait in a loop, which counts as CPU time. Preload the library mpi_wait of the tests
(tests/package/mpi_wait.c) to measure CPU times: a waiting process sleeps then.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from mpi4py import MPI

import ordo.mpi

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


def sample_sort(part):
    """Returns this rank's part of the sorted keys; its length depends on the keys."""
    part = np.sort(part)
    samples = part[np.linspace(0, part.size - 1, 4 * size).astype(int)]
    everyone = np.empty(4 * size * size, part.dtype)
    world.Allgather(samples.view(np.uint8), everyone.view(np.uint8))
    splitters = np.sort(everyone)[4 * size :: 4 * size][: size - 1]
    edges = np.concatenate([[0], np.searchsorted(part, splitters), [part.size]])
    counts = np.diff(edges)
    came = np.empty(size, counts.dtype)
    world.Alltoall(counts, came)
    result = np.empty(came.sum(), part.dtype)
    sent, received = counts * part.itemsize, came * part.itemsize
    world.Alltoallv(
        [part.view(np.uint8), sent, edges[:-1] * part.itemsize, MPI.BYTE],
        [result.view(np.uint8), received, None, MPI.BYTE],
    )
    result.sort()
    return result


def gathered_median(part):
    """Returns the median on rank 0."""
    everything = np.empty(part.size * size, part.dtype) if rank == 0 else None
    world.Gather(part.view(np.uint8), everything.view(np.uint8) if rank == 0 else None)
    if rank != 0:
        return None
    if part.dtype.kind == "S":
        return np.sort(everything)[(everything.size - 1) // 2]
    return np.median(everything)


CALLS = {
    "ordo.mpi.sort": ordo.mpi.sort,
    "sample sort": sample_sort,
    "ordo.mpi.rankdata": ordo.mpi.rankdata,
    "ordo.mpi.median": ordo.mpi.median,
    "gather, numpy.median": gathered_median,
}


def keys_of(name, n, round_number):
    rng = np.random.default_rng((rank, round_number))
    if name == "uniform u64":
        return rng.integers(0, 2**64, n, np.uint64)
    if name == "words S24":
        letters = rng.integers(97, 123, (n, 24), np.uint8)
        letters[np.arange(24) >= rng.integers(1, 25, n)[:, None]] = 0
        return letters.view("S24").reshape(n)
    if name == "paths S33":
        return np.char.add(b"https://www.example.org/", rng.integers(0, 10**9, n).astype("S9"))
    if name == "normal f64":
        return rng.standard_normal(n)
    return rng.zipf(1.5, n).astype(np.uint64)


def main():
    total = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**8
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    n = total // size
    if rank == 0:
        print(f"{n * size} keys on {size} ranks, {rounds} rounds: median ms, least CPU ms")
        print(f"{'keys':<14}{'call':<24}{'ms':>10}{'CPU ms':>10}{'largest part':>14}")
    strings = len(sys.argv) > 3 and sys.argv[3] == "strings"
    names = ("words S24", "paths S33") if strings else ("uniform u64", "normal f64", "zipf u64")
    for name in names:
        times = {call: [] for call in CALLS}
        seconds = {call: [] for call in CALLS}
        largest = dict.fromkeys(CALLS, 1.0)
        for number in range(rounds):
            keys = keys_of(name, n, number)
            for call, function in CALLS.items():
                world.Barrier()
                begun, begun_cpu = MPI.Wtime(), time.process_time()
                result = function(keys)
                world.Barrier()
                times[call].append(MPI.Wtime() - begun)
                seconds[call].append(world.allreduce(time.process_time() - begun_cpu))
                if isinstance(result, np.ndarray):
                    largest[call] = world.allreduce(result.size, MPI.MAX) / n
                del result
        for call in CALLS if rank == 0 else ():
            ms = 1e3 * sorted(times[call])[rounds // 2]
            cpu = 1e3 * min(seconds[call])
            print(f"{name:<14}{call:<24}{ms:>10.1f}{cpu:>10.1f}{largest[call]:>14.2f}", flush=True)


if __name__ == "__main__":
    main()
