"""ordo.mpi: runs mpi_program.py and mpi_faults.py on up to 8 processes.

Needs mpi4py and its mpiexec.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ordo import _lib

HERE = Path(__file__).resolve().parent
# More processes than cores, also as root in a container.
SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "ORDO_THREADS": "1",
}
# Makes processes sleep while they wait (tests/package/mpi_wait.c).
WAIT = Path(_lib.path).resolve().parent / "tests" / "libmpi_wait.so"
if WAIT.exists():
    SETTINGS["LD_PRELOAD"] = str(WAIT)


def mpiexec(
    ranks: int, *arguments: str, program: str = sys.executable, **variables: str
) -> subprocess.CompletedProcess:
    command = [shutil.which("mpiexec") or "mpiexec", "-n", str(ranks), program, *arguments]
    settings = {**os.environ, **SETTINGS, **variables}
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, env=settings)


@pytest.fixture(scope="module")
def ready() -> None:
    """Skips if mpi4py is missing, or is not of the same MPI as mpiexec."""
    if shutil.which("mpiexec") is None:
        pytest.skip("needs mpiexec (scripts/bootstrap mpi)")
    found = mpiexec(2, "-c", "from mpi4py import MPI; print(MPI.COMM_WORLD.Get_size())")
    if "".join(found.stdout.split()) != "22":
        said = (found.stdout + found.stderr)[-500:]
        pytest.skip(f"needs mpi4py that works with mpiexec: exit {found.returncode}, {said}")


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_every_function(ready, ranks):
    found = mpiexec(ranks, str(HERE / "mpi_program.py"))
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"passed on {ranks} ranks" in found.stdout


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_rank_without_memory_fails_on_every_rank(ready, ranks):
    """The timeout of mpiexec() only ends a test that waits for ever."""
    found = mpiexec(ranks, str(HERE / "mpi_faults.py"))
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"passed on {ranks} ranks" in found.stdout


def test_a_rank_that_dies_ends_the_job(ready):
    """The others do not wait for ever: MPI ends them."""
    program = (
        "import os, signal, numpy as np, ordo.mpi\n"
        "from mpi4py import MPI\n"
        "if MPI.COMM_WORLD.Get_rank() == 1:\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "ordo.mpi.sort(np.arange(10.0))\n"
    )
    assert mpiexec(3, "-c", program).returncode != 0


def crc32c(data: bytes) -> int:
    """The definition of CRC-32C, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_the_files_of_a_checkpoint(ready, tmp_path):
    """ordo-mpi is killed after its first key range; the files are read without ordo."""
    program = Path(_lib.path).resolve().parent / "ordo-mpi"
    if not program.exists():
        pytest.skip("ordo-mpi was not built")
    assert crc32c(b"123456789") == 0xE3069283
    keys = np.random.default_rng(4).integers(0, 1000, 20000, np.uint32)
    np.save(tmp_path / "keys.npy", keys)
    folder = tmp_path / "kept"
    arguments = ["sort", str(tmp_path / "keys.npy"), "-o", str(tmp_path / "out.npy"), "--ranges"]
    arguments += ["4", "--checkpoint", str(folder)]
    found = mpiexec(3, *arguments, program=str(program), ORDO_MPI_FAULT="range:1:1")
    assert found.returncode != 0
    text = (folder / "manifest").read_bytes()
    body, crc = text[: text.rindex(b"crc ")], text.split()[-1]
    assert crc32c(body) == int(crc, 16)
    cuts = [line.split() for line in body.decode().splitlines() if line.startswith("cut ")]
    ordered = np.sort(keys)
    for number, (_, order, ties, position) in enumerate(cuts, 1):
        assert int(position) == number * keys.size // 4
        assert int(order) == ordered[int(position)]
        assert int(position) == int(ties) + np.count_nonzero(keys < int(order))
    held = (folder / "range-0000").read_bytes()
    magic, _, number, count, element, block, _, _, crc = struct.unpack("<8s6QII", held[:64])
    assert (magic, number, count, element) == (b"ordomr1\0", 0, 5000, 4)
    data, sums = held[64 : 64 + count * element], held[64 + count * element :]
    assert data == ordered[:count].tobytes()
    starts = range(0, len(data), block * element)
    assert sums == b"".join(
        struct.pack("<I", crc32c(data[at : at + block * element])) for at in starts
    )
    assert crc32c(held[:60] + sums) == crc
    assert not (tmp_path / "out.npy").exists()
