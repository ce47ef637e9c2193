"""ordo.mpi: runs mpi_program.py on 2, 3 and 8 processes, where mpi4py and its mpiexec exist."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


def mpiexec(ranks: int, *arguments: str) -> subprocess.CompletedProcess:
    command = [shutil.which("mpiexec") or "mpiexec", "-n", str(ranks), sys.executable, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, env={**os.environ, **SETTINGS}
    )


@pytest.fixture(scope="module")
def ready() -> None:
    """Skips if mpi4py is missing, or is not of the same MPI as mpiexec."""
    if shutil.which("mpiexec") is None:
        pytest.skip("needs mpiexec (scripts/bootstrap mpi)")
    found = mpiexec(2, "-c", "from mpi4py import MPI; print(MPI.COMM_WORLD.Get_size())")
    if found.stdout.split() != ["2", "2"]:
        pytest.skip("needs mpi4py that works with mpiexec")


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_every_function(ready, ranks):
    found = mpiexec(ranks, str(HERE / "mpi_program.py"))
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
