"""Large arrays to files in memory (tmpfs), which several threads fill through a mapping."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

COMMAND = Path(os.environ.get("ORDO_LIBRARY", "")).parent / "ordo"
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "ORDO_TUNE_FILE": ""}
N = 6 << 20  # elements: 48 MiB as u64, more than a mapping is worth
ROOM = 200 << 20


def in_memory():
    """The type of the file system of /dev/shm, in the words of /proc/mounts."""
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return any(m.split()[1:3] == ["/dev/shm", "tmpfs"] for m in mounts)


pytestmark = [
    pytest.mark.skipif(
        not (COMMAND.is_file() and os.access(COMMAND, os.X_OK)),
        reason="the command is not beside the library",
    ),
    pytest.mark.skipif(not in_memory(), reason="/dev/shm is no tmpfs"),
]


@pytest.fixture
def folder():
    if shutil.disk_usage("/dev/shm").free < ROOM:
        pytest.skip("/dev/shm is too small")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        yield Path(name)


def run(*words, **more):
    return subprocess.run(
        [COMMAND, *map(str, words)], capture_output=True, env=ENVIRONMENT, check=False, **more
    )


@pytest.mark.parametrize("form", ["npy", "bin"])
def test_threads_write_the_same(folder, form):
    a = np.random.default_rng(1).integers(0, 2**63, N, dtype="u8")
    np.save(folder / "a.npy", a)
    out = folder / f"out.{form}"
    for threads in (1, 4):
        assert run("sort", folder / "a.npy", "-o", out, "--threads", threads).returncode == 0
        got = np.load(out) if form == "npy" else np.fromfile(out, dtype="u8")
        assert np.array_equal(got, np.sort(a))
        assert sorted(os.listdir(folder)) == ["a.npy", out.name]


def test_a_limit_is_an_error(folder):
    """A file size limit below the output: the old file stays and nothing is left behind."""
    np.save(folder / "a.npy", np.arange(N, dtype="u8"))
    (folder / "out.npy").write_bytes(b"old")
    script = 'ulimit -f 20000 && exec "$0" sort "$1" -o "$2" --threads 4'
    done = subprocess.run(
        ["sh", "-c", script, COMMAND, folder / "a.npy", folder / "out.npy"],
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert done.returncode != 0
    assert (folder / "out.npy").read_bytes() == b"old"
    assert sorted(os.listdir(folder)) == ["a.npy", "out.npy"]
