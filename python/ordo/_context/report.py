"""What a call did (`explain`), and what the library has found (`show_config`)."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from .. import _lib
from . import _contexts, _info


class Report(NamedTuple):
    """What a call did; see `explain`.

    ``input`` names what the call found in its keys ("sorted", "runs"), ``strategy`` what it did
    ("streamed"). ``facts`` has the numbers of ``ordo_facts`` in ordo.h that are not 0, and ``text``
    says all of it in a sentence.
    """

    operation: str
    backend: str
    algorithm: str
    isa: str
    threads: int
    type: str
    n: int
    scratch_bytes: int
    seconds: float
    input: str
    strategy: str
    facts: dict[str, float]
    text: str

    def __str__(self) -> str:
        text = (
            f"{self.operation} of {self.n} {self.type} keys: {self.algorithm} on {self.backend} "
            f"({self.isa}), threads: {self.threads}, {self.scratch_bytes} bytes of scratch, "
            f"{self.seconds:.6f} s"
        )
        return f"{text}; {self.text}" if self.text else text


def _facts(found: ctypes.Structure) -> dict[str, float]:
    names = [field[0] for field in found._fields_]
    numbers = names[names.index("strategy") + 1 : names.index("phase_seconds")]
    return {name: getattr(found, name) for name in numbers if getattr(found, name)}


def explain() -> Report:
    """Reports how this thread's last successful library call ran.

    Some functions do not call the library for short arrays, and some call it more than once.

    Returns
    -------
    Report : the operation, backend, algorithm, instruction set, threads, type, number of keys,
        bytes of scratch, seconds and further details of the call. Before the first call its
        fields are empty or 0.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.median(np.array([4.0, 1.0, 3.0]))
    np.float64(3.0)
    >>> plan = ordo.explain()
    >>> plan.operation, plan.backend, plan.n, plan.type
    ('median', 'cpu', 3, 'f64')
    """
    found = _lib.ReportStruct(struct_size=ctypes.sizeof(_lib.ReportStruct))
    held = _contexts()
    _lib.last_report(held.last, ctypes.addressof(found))
    kind = _lib.type_name(found.type)
    text = ctypes.create_string_buffer(1024)
    _lib.report_text(ctypes.addressof(found), text, len(text))
    return Report(
        found.operation.decode(),
        found.backend.decode(),
        found.algorithm.decode(),
        found.isa.decode(),
        found.threads,
        kind.decode() if kind else "",
        found.n,
        found.scratch_bytes,
        found.seconds,
        _lib.input_name(found.input).decode(),
        _lib.strategy_name(found.strategy).decode(),
        _facts(found),
        text.value.decode(),
    )


def show_config() -> None:
    """Prints the version, the library's file, and the CPUs, instruction sets and GPUs found.

    Returns
    -------
    None

    Raises
    ------
    DeviceError : `config` chose a GPU that cannot be used.

    Examples
    --------
    >>> import ordo
    >>> ordo.show_config()  # doctest: +ELLIPSIS
    ordo ...
    """
    found = _info()
    cgroup = f", {found.cgroup} granted by the cgroup" if found.cgroup else ""
    limit = f"{found.mem_limit} bytes" if found.mem_limit else "none"
    print(f"ordo {_lib.version} ({_lib.printable(_lib.path)})")
    print(f"  threads: {found.threads} of {found.cpus} CPUs, {found.affinity} usable{cgroup}")
    print(f"  instruction set: {found.isa.decode()} of {found.isa_all.decode()}")
    print(f"  memory limit: {limit}; scratch held: {found.scratch_held} bytes")
    print(f"  cuda: {_lib.printable(found.cuda) or 'usable'}")
    for line in found.devices.decode().splitlines():
        print(f"    {line}")
    if found.device_sms:
        print(f"    in use: {found.device_sms} multiprocessors")
