"""Contexts: what calls run in, how many threads and which device they may use.

Every Python thread has a context of its own, made by its first call and freed with the thread, so
calls from several threads run side by side. ``config`` changes the settings that all of them are
made with; ``context`` opens a private one for the calls of a ``with`` block.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any, NamedTuple

from . import _interrupt, _lib
from ._check import integer


class _Unset:
    def __repr__(self) -> str:
        return "unchanged"


_UNSET: Any = _Unset()
_settings: dict[str, Any] = {
    "threads": None,
    "device": None,
    "memory_limit": None,
    "device_memory_limit": None,
}
_MOST_THREADS, _MOST_BYTES = 2**32 - 1, ctypes.c_size_t(-1).value  # what ordo_ctx_opts can hold
_epoch = object()  # replaced when the settings change; contexts of an older one are made anew


def _parse_device(device: str | int | None) -> tuple[int, int]:
    """`where` and `device` of ordo_ctx_opts."""
    if device is None:
        return _lib.WHERE["auto"], 0
    text = f"cuda:{device}" if isinstance(device, int) else str(device)
    kind, colon, ordinal = text.partition(":")
    if kind in _lib.WHERE and not colon:
        return _lib.WHERE[kind], 0
    if kind == "cuda" and ordinal.isdecimal():
        return _lib.WHERE["cuda"], int(ordinal) + 1
    raise ValueError(f"device is {device!r}; expected auto, cpu, cuda, cuda:0 or hybrid")


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    for name in ("threads", "memory_limit", "device_memory_limit"):
        value = settings[name]
        if value is None:
            continue
        settings[name] = value = integer(value, name)
        most = _MOST_THREADS if name == "threads" else _MOST_BYTES
        if not 0 <= value <= most:
            raise ValueError(
                f"{name} is {value}; expected a number from 0 to {most}, or None for the default"
            )
    _parse_device(settings["device"])
    return settings


def _create(settings: dict[str, Any], ordinal: int | None = None) -> ctypes.c_void_p:
    """A new ordo_ctx for this thread; with `ordinal`, one for arrays on that GPU."""
    where, device = _parse_device(settings["device"])
    if ordinal is not None:
        where, device = _lib.WHERE["cuda"], ordinal + 1
    wish = _lib.ContextOptions(
        struct_size=ctypes.sizeof(_lib.ContextOptions),
        where=where,
        threads=settings["threads"] or 0,
        mem_limit=settings["memory_limit"] or 0,
        progress=_interrupt.callback(),
        device=device,
        device_limit=settings["device_memory_limit"] or 0,
    )
    made = ctypes.c_void_p()
    status = _lib.ctx_create(made, ctypes.addressof(wish))
    if status:
        _lib.fail(status, None)
    return made


class _Contexts:
    """The contexts of one thread, or of one ``with context()`` block; frees them when it goes."""

    __slots__ = ("_free", "epoch", "gpus", "host", "last", "outer", "settings")

    def __init__(
        self, settings: dict[str, Any], epoch: object, outer: _Contexts | None = None
    ) -> None:
        self.settings = settings
        self.epoch = epoch
        self.outer = outer  # of a block: what the thread used before it
        self.gpus: dict[int, ctypes.c_void_p] = {}
        self._free = _lib.ctx_free  # at interpreter exit the module may go before this object
        self.host = self.last = ctypes.c_void_p()
        self.host = self.last = _create(settings)

    def gpu(self, ordinal: int) -> ctypes.c_void_p:
        """The context for arrays that lie on a GPU."""
        handle = self.gpus.get(ordinal)
        if handle is None:
            handle = self.gpus[ordinal] = _create(self.settings, ordinal)
        self.last = handle
        return handle

    def close(self) -> None:
        for handle in (self.host, *self.gpus.values()):
            self._free(handle)
            handle.value = None  # which is what freeing it twice would free
        self.gpus.clear()

    def __del__(self) -> None:
        self.close()


_local = threading.local()


def _contexts() -> _Contexts:
    """This thread's contexts, made when first asked for and whenever the settings have changed."""
    held = getattr(_local, "held", None)
    if held is None or (held.epoch is not _epoch and held.epoch is not None):
        if held is not None:
            held.close()
        held = _local.held = _Contexts(dict(_settings), _epoch)
    return held


def host_context() -> ctypes.c_void_p:
    """The handle that calls on arrays of this process's memory use."""
    try:
        held = _local.held
        if held.epoch is not _epoch:
            held = _contexts()
    except AttributeError:
        held = _contexts()
    handle = held.last = held.host
    return handle


def gpu_context(ordinal: int) -> ctypes.c_void_p:
    """The handle that calls on arrays of a GPU use."""
    return _contexts().gpu(ordinal)


def config(
    *,
    threads: int | None = _UNSET,
    device: str | int | None = _UNSET,
    memory_limit: int | None = _UNSET,
    device_memory_limit: int | None = _UNSET,
) -> dict[str, Any]:
    """Sets what every thread's calls use from now on, and returns all settings.

    Parameters
    ----------
    threads : CPU threads a call may use; None: every CPU the process may run on.
    device : 'auto', 'cpu', 'cuda', 'cuda:0', ... or 'hybrid'; None is 'auto'. It says where
        calls on host arrays run; arrays on a GPU stay there whatever it is.
    memory_limit, device_memory_limit : bytes of scratch a context may hold, in host and in GPU
        memory; None: no limit.

    What is not named stays as it is; the environment variables ``ORDO_THREADS`` and
    ``ORDO_DEVICE`` stand in for what is None.

    Examples
    --------
    >>> import ordo
    >>> ordo.config(threads=2)["threads"]
    2
    >>> ordo.config(threads=None)["threads"] is None
    True
    """
    global _epoch
    given = {
        "threads": threads,
        "device": device,
        "memory_limit": memory_limit,
        "device_memory_limit": device_memory_limit,
    }
    changed = {name: value for name, value in given.items() if value is not _UNSET}
    if changed:
        _settings.update(_checked({**_settings, **changed}))
        _epoch = object()
    return dict(_settings)


class context:
    """A private context for the calls this thread makes inside a ``with`` block.

    Takes the parameters of `config`; what is not named is as `config` has it.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> with ordo.context(threads=1, device="cpu"):
    ...     ordo.sort(np.array([3, 1, 2]))
    ...     ordo.explain().threads
    array([1, 2, 3])
    1
    """

    def __init__(
        self,
        *,
        threads: int | None = _UNSET,
        device: str | int | None = _UNSET,
        memory_limit: int | None = _UNSET,
        device_memory_limit: int | None = _UNSET,
    ) -> None:
        given = {
            "threads": threads,
            "device": device,
            "memory_limit": memory_limit,
            "device_memory_limit": device_memory_limit,
        }
        changed = {name: value for name, value in given.items() if value is not _UNSET}
        self._settings = _checked({**_settings, **changed})

    def __enter__(self) -> context:
        _local.held = _Contexts(self._settings, None, getattr(_local, "held", None))
        return self

    def __exit__(self, *exception: object) -> None:
        inner = _local.held
        inner.close()
        if inner.outer is None:
            del _local.held
        else:
            _local.held = inner.outer


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
    """The plan of this thread's last successful call of the library: where it ran, how, how long.

    Few elements may need no such call, and several results more than one.

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
    status = _lib.last_report(held.last, ctypes.addressof(found))
    if status:
        _lib.fail(status, held.last)
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
    """Prints the versions, the library, and the CPUs, instruction sets and GPUs it found.

    Examples
    --------
    >>> import ordo
    >>> ordo.show_config()  # doctest: +ELLIPSIS
    ordo ...
    """
    found = _lib.InfoStruct(struct_size=ctypes.sizeof(_lib.InfoStruct))
    handle = host_context()
    status = _lib.ctx_info(handle, ctypes.addressof(found))
    if status:
        _lib.fail(status, handle)
    cgroup = f", {found.cgroup} granted by the cgroup" if found.cgroup else ""
    limit = f"{found.mem_limit} bytes" if found.mem_limit else "none"
    print(f"ordo {_lib.version} ({_lib.path})")
    print(f"  threads: {found.threads} of {found.cpus} CPUs, {found.affinity} usable{cgroup}")
    print(f"  instruction set: {found.isa.decode()} of {found.isa_all.decode()}")
    print(f"  memory limit: {limit}; scratch held: {found.scratch_held} bytes")
    print(f"  cuda: {found.cuda.decode() or 'usable'}")
    for line in found.devices.decode().splitlines():
        print(f"    {line}")
