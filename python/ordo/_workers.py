"""The threads of a call in a worker process."""

from __future__ import annotations

import os
import sys


def usual_threads() -> int:
    """Returns the threads of a call if no setting says how many; 0: the library decides.

    joblib, Dask and torchrun set OMP_NUM_THREADS in their workers, so that all workers together
    have one thread for each CPU. multiprocessing says nothing to its workers.
    """
    if os.environ.get("ORDO_THREADS"):
        return 0
    limit = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if limit.isdecimal() and int(limit) > 0:
        return min(int(limit), len(os.sched_getaffinity(0)))
    workers = sys.modules.get("multiprocessing.process")
    return 1 if workers is not None and workers.parent_process() is not None else 0
