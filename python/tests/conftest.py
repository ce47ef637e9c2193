"""Settings of hypothesis, and fixtures."""

from __future__ import annotations

import os

import hypothesis
import numpy as np
import pytest

collect_ignore = ["cluster/mpi_faults.py", "cluster/mpi_program.py"]  # which test_mpi.py runs

hypothesis.settings.register_profile(
    "ordo",
    max_examples=int(os.environ.get("ORDO_TEST_EXAMPLES", "40")),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("ordo")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)
