"""The wheel builds without a network, holds all files and works. Needs ORDO_TEST_WHEEL=1."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(os.environ.get("ORDO_TEST_WHEEL") != "1", reason="ORDO_TEST_WHEEL is not 1")
def test_the_wheel_works_on_its_own(tmp_path):
    pytest.importorskip("scikit_build_core", reason="needs scikit-build-core")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-build-isolation", "--no-deps", "-w",
         str(tmp_path), "-C", "cmake.define.ORDO_CUDA=OFF", "-C", f"build-dir={tmp_path}/build"],
        check=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    assert "-py3-none-" in wheel.name
    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(wheel).extractall(unpacked)
    assert {"libordo.so", "py.typed", "_lib.py"} <= {p.name for p in (unpacked / "ordo").iterdir()}
    environment = {k: v for k, v in os.environ.items() if k not in ("ORDO_LIBRARY", "PYTHONPATH")}
    code = "import ordo; print(ordo.sort([2, 1]), ordo._lib.path)"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(unpacked)},
    )  # fmt: skip
    assert done.stdout.split("] ")[0] == "[1 2"
    assert str(unpacked) in done.stdout
