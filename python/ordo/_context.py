"""Contexts: the threads, the device and the memory limits of calls, and the report of a call.

Every Python thread has its own context, so calls from several threads run at the same time. A
thread's first call creates the context; the end of the thread frees it. ``config`` changes the
settings of all threads, ``context`` those of the calls in one ``with`` block.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, NoReturn

from . import _lib
from ._check import integer
from ._lib import ext
from ._workers import tell_doors, usual_threads


class _Unset:
    def __repr__(self) -> str:
        return "unchanged"


_UNSET: Any = _Unset()
_settings: dict[str, Any] = {
    "threads": None,
    "device": None,
    "memory_limit": None,
    "device_memory_limit": None,
    "cpu_share": None,
    "gpu_shares": None,
    "device_sms": None,
}
# Limits of ordo_ctx_opts.
_MOST_THREADS, _MOST_COUNT, _MOST_BYTES = 4096, 2**32 - 1, ctypes.c_size_t(-1).value
_epoch = object()  # replaced when the settings change; contexts of an old epoch are recreated


def _parse_device(device: str | int | None) -> tuple[int, int]:
    """Returns `where` and `device` of ordo_ctx_opts."""
    if device is None:
        return _lib.WHERE["auto"], 0
    text = f"cuda:{device}" if isinstance(device, int) else str(device)
    kind, colon, ordinal = text.partition(":")
    if kind in _lib.WHERE and not colon:
        return _lib.WHERE[kind], 0
    if kind == "cuda" and ordinal.isdecimal():
        return _lib.WHERE["cuda"], int(ordinal) + 1
    raise ValueError(
        f"device is {device!r}; expected 'auto', 'cpu', 'cuda', 'hybrid', or 'cuda:N' for GPU N "
        "from 0 on"
    )


def _changed(**given: Any) -> dict[str, Any]:
    """Returns the settings with the given ones replaced, after checking all of them."""
    settings = {**_settings, **{n: value for n, value in given.items() if value is not _UNSET}}
    for name in ("threads", "memory_limit", "device_memory_limit", "device_sms"):
        value = settings[name]
        if value is None:
            continue
        settings[name] = value = integer(value, name)
        most = _MOST_BYTES if "memory" in name else _MOST_COUNT
        most = _MOST_THREADS if name == "threads" else most
        if not 0 <= value <= most:
            raise ValueError(
                f"{name} is {value}; expected a number from 0 to {most}, or None for the default"
            )
    _parse_device(settings["device"])
    if given["device"] is not _UNSET:
        for name in _SHARES:  # only 'hybrid' inherits shares
            if settings[name] is not None and given[name] is _UNSET:
                settings[name] = settings[name] if _is_hybrid(settings["device"]) else None
    _check_shares(settings)
    return settings


_SHARES = ("cpu_share", "gpu_shares")
_MOST_GPUS = 8


def _where(device: str | int | None) -> int:
    """Returns where calls on host arrays run. As in the library, ORDO_DEVICE replaces 'auto'."""
    where = _parse_device(device)[0]
    if where == _lib.WHERE["auto"]:
        where = _parse_device(os.environ.get("ORDO_DEVICE") or None)[0]
    return where


def _is_hybrid(device: str | int | None) -> bool:
    return _where(device) == _lib.WHERE["hybrid"]


def _check_shares(settings: dict[str, Any]) -> None:
    """Checks and converts `cpu_share` and `gpu_shares`."""
    cpu, gpus = settings["cpu_share"], settings["gpu_shares"]
    if cpu is not None:
        settings["cpu_share"] = _check_share(cpu, "cpu_share")
    if gpus is not None:
        if isinstance(gpus, (str, bytes)) or not hasattr(gpus, "__iter__"):
            raise TypeError(f"gpu_shares is {gpus!r}; expected a list of numbers, or None")
        shares = tuple(_check_share(share, "gpu_shares") for share in gpus)
        if not 1 <= len(shares) <= _MOST_GPUS or min(shares) == 0 or sum(shares) > 1 + 1e-9:
            raise ValueError(
                f"gpu_shares is {gpus!r}; expected 1 to {_MOST_GPUS} shares above 0 with a sum of "
                "at most 1"
            )
        settings["gpu_shares"] = shares
    if cpu is not None and gpus is not None:
        raise ValueError(
            "cpu_share and gpu_shares are both given; expected only gpu_shares, of which the CPU "
            "gets the rest"
        )
    for name in _SHARES:
        if settings[name] is not None and not _is_hybrid(settings["device"]):
            raise ValueError(
                f"{name} is {settings[name]!r}, but device is {settings['device']!r}; expected "
                "device='hybrid'"
            )


def _check_share(share: Any, name: str) -> float:
    try:
        number = None if isinstance(share, (str, bytes)) else float(share)
    except (TypeError, ValueError):
        number = None
    if number is None:
        raise TypeError(f"{name} is {share!r}; expected a number from 0 to 1, or None")
    if not 0 <= number <= 1:
        raise ValueError(f"{name} is {share!r}; expected a number from 0 to 1, or None")
    return number


def _share_option(share: float | None) -> float:
    """Returns `cpu_share` of ordo_ctx_opts, where 0 is the default and -1 means no share."""
    return 0.0 if share is None else share or -1.0


def _create(settings: dict[str, Any], ordinal: int | None = None) -> ctypes.c_void_p:
    """Creates an ordo_ctx for this thread; with `ordinal`, for arrays on that GPU."""
    where, device = _parse_device(settings["device"])
    if ordinal is not None:
        where, device = _lib.WHERE["cuda"], ordinal + 1
    shares = settings["gpu_shares"] if ordinal is None and settings["gpu_shares"] else ()
    devices = (_lib.DeviceShare * len(shares))(
        *(_lib.DeviceShare(device, share) for device, share in enumerate(shares, 1))
    )
    progress, user = _lib.interrupt_callback()
    opts = _lib.ContextOptions(
        struct_size=ctypes.sizeof(_lib.ContextOptions),
        where=where,
        threads=settings["threads"],
        mem_limit=settings["memory_limit"] or 0,
        progress=progress,
        progress_user=user,
        device=device,
        device_limit=settings["device_memory_limit"] or 0,
        cpu_share=_share_option(settings["cpu_share"]) if ordinal is None else 0.0,
        devices=ctypes.addressof(devices) if shares else None,
        device_count=len(shares),
        device_sms=settings["device_sms"] or 0,
    )
    made = ctypes.c_void_p()
    status = _lib.ctx_create(made, ctypes.addressof(opts))
    if status:
        _lib.fail(status, None)
    return made


def _may_use_cpu(device: Any) -> bool:
    """Returns whether a context may use the CPU. It reads ORDO_DEVICE when it is created."""
    return _where(device) != _lib.WHERE["cuda"]


def _is_quick(device: Any) -> bool:
    """Returns whether calls on short arrays stay on the CPU and never open a GPU."""
    return _where(device) in (_lib.WHERE["auto"], _lib.WHERE["cpu"])


class _Contexts:
    """The contexts of one thread or of one ``with context()`` block; frees them when deleted."""

    __slots__ = (
        "_forget", "_free", "epoch", "gpus", "host", "last", "outer", "quick", "settings",
        "uses_cpu",
    )  # fmt: skip

    def __init__(
        self, settings: dict[str, Any], epoch: object, outer: _Contexts | None = None
    ) -> None:
        self.settings = {**settings, "threads": settings["threads"] or usual_threads()}
        self.epoch = epoch
        self.outer = outer  # the thread's contexts before the ``with`` block
        self.gpus: dict[int, ctypes.c_void_p] = {}
        self.quick = 0  # the address of `host` for short calls (`_short`); 0: there are none
        # At exit the modules may be deleted before this object.
        self._free, self._forget = _lib.ctx_free, ext.forget_contexts
        self.host = self.last = ctypes.c_void_p()
        self.host = self.last = _create(self.settings)
        self.uses_cpu = _may_use_cpu(settings["device"])
        self.quick = (self.host.value or 0) if _is_quick(settings["device"]) else 0

    def gpu(self, ordinal: int) -> ctypes.c_void_p:
        """Returns the context for arrays on a GPU."""
        handle = self.gpus.get(ordinal)
        if handle is None:
            handle = self.gpus[ordinal] = _create(self.settings, ordinal)
        ext.use_context(0)
        self.last = handle
        return handle

    def close(self) -> None:
        self.quick = 0  # first, as a signal handler may make a call before the end
        self._forget()
        for handle in (self.host, *self.gpus.values()):
            self._free(handle)
            handle.value = None  # freeing NULL again does nothing
        self.gpus.clear()

    def __del__(self) -> None:
        self.close()


_local = threading.local()


def _forget_contexts() -> None:
    """Makes every thread create its context anew, but not those of ``with`` blocks."""
    global _epoch
    _epoch = object()
    ext.forget_contexts()


os.register_at_fork(after_in_child=_forget_contexts)  # a worker process may have fewer threads


def _contexts() -> _Contexts:
    """Returns this thread's contexts; creates them at the first call and after `config`."""
    held = getattr(_local, "held", None)
    if held is None or (held.epoch is not _epoch and held.epoch is not None):
        if held is not None:
            held.close()
        held = _local.held = _Contexts(dict(_settings), _epoch)
    return held


def host_context() -> ctypes.c_void_p:
    """Returns the context for arrays in host memory."""
    try:
        held = _local.held
        if held.epoch is not _epoch:
            held = _contexts()
    except AttributeError:
        held = _contexts()
    handle = held.last = held.host
    return handle


def quick_context() -> int:
    """Returns the context for a short call; 0 if the Python function must run.

    The extension module calls this function if no context is in use. A short call does not change
    `_Contexts.last`, so a context is in use only while it is the last one.
    """
    try:
        held = _local.held
        if held.epoch is not _epoch:
            held = _contexts()
    except AttributeError:
        held = _contexts()
    held.last = held.host
    ext.use_context(held.quick)
    if held.epoch is not _epoch and held.epoch is not None:
        ext.use_context(0)  # `config` of another thread has just told all threads to forget
    return held.quick


def fail(status: int) -> NoReturn:
    """Raises the exception for the status of a short call."""
    _lib.fail(status, host_context())


ext.contexts_from(quick_context, fail)


def host_uses_cpu() -> bool:
    """Returns whether calls on host arrays may run on the CPU: not if the device is a GPU."""
    return _contexts().uses_cpu


def uses_one_thread() -> bool:
    """Returns whether the settings give calls one thread."""
    return _contexts().settings["threads"] == 1


def cpu_context() -> ctypes.c_void_p | None:
    """Returns the context for arrays in host memory, or None if calls may not run on the CPU."""
    try:
        held = _local.held
        if held.epoch is not _epoch:
            held = _contexts()
    except AttributeError:
        held = _contexts()
    if not held.uses_cpu:
        return None
    handle = held.last = held.host
    return handle


def gpu_context(ordinal: int) -> ctypes.c_void_p:
    """Returns the context for arrays on a GPU."""
    return _contexts().gpu(ordinal)


def config(
    *,
    threads: int | None = _UNSET,
    device: str | int | None = _UNSET,
    memory_limit: int | None = _UNSET,
    device_memory_limit: int | None = _UNSET,
    cpu_share: float | None = _UNSET,
    gpu_shares: Sequence[float] | None = _UNSET,
    device_sms: int | None = _UNSET,
) -> dict[str, Any]:
    """Changes the settings of the calls of all threads.

    Parameters
    ----------
    threads : number of CPU threads of a call. None: at most OMP_NUM_THREADS if that variable is
        set; else 1 in a worker process of `multiprocessing`; else all CPUs that the process may
        use.
    device : where calls on host arrays run: 'auto', 'cpu', 'cuda', 'cuda:0', ... or 'hybrid'.
        None: 'auto'. Calls on GPU arrays always run on the GPU of the array.
    memory_limit, device_memory_limit : bytes of scratch that a context may hold in host memory and
        in GPU memory. None: no limit.
    cpu_share : with device 'hybrid', the part of the elements that the CPU sorts, from 0 to 1.
        None: the share with the best prediction. A sort or rank of an array of at least 2^16
        numbers or strings that cannot be shared raises ValueError.
    gpu_shares : with device 'hybrid' and algorithm 'sample', the parts of the elements for GPUs 0,
        1, ...; the CPU gets the rest, and ``cpu_share`` must be None. None: one GPU.
    device_sms : number of multiprocessors of the GPU that calls on host arrays may use, to
        measure the speed of a smaller GPU. The driver rounds the number up. None: all.

    A setting that is not given does not change, except that a device other than 'hybrid' resets
    ``cpu_share`` and ``gpu_shares`` to None. The environment variables ``ORDO_THREADS`` and
    ``ORDO_DEVICE`` replace settings that are None, and ``ORDO_DEVICE`` also the device 'auto'.

    Returns
    -------
    dict of all settings. ``config()`` returns them without a change.

    Raises
    ------
    TypeError, ValueError : a setting has the wrong type or is out of range.

    Examples
    --------
    >>> import ordo
    >>> ordo.config(threads=2)["threads"]
    2
    >>> ordo.config(threads=None)["threads"] is None
    True
    """
    settings = _changed(
        threads=threads,
        device=device,
        memory_limit=memory_limit,
        device_memory_limit=device_memory_limit,
        cpu_share=cpu_share,
        gpu_shares=gpu_shares,
        device_sms=device_sms,
    )
    if settings != _settings:
        _settings.update(settings)
        _forget_contexts()
        tell_doors(settings["threads"])
    return settings


class context:
    """Changes the settings of this thread's calls inside a ``with`` block.

    Parameters
    ----------
    threads, device, memory_limit, device_memory_limit, cpu_share, gpu_shares, device_sms : as for
        `config`. A setting that is not given has the value that `config` set.

    Returns
    -------
    A context manager. The block has a context of its own, which is freed at its end.

    Raises
    ------
    TypeError, ValueError : a setting has the wrong type or is out of range.
    DeviceError : ``device`` names a GPU that cannot be used.

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
        cpu_share: float | None = _UNSET,
        gpu_shares: Sequence[float] | None = _UNSET,
        device_sms: int | None = _UNSET,
    ) -> None:
        self._settings = _changed(
            threads=threads,
            device=device,
            memory_limit=memory_limit,
            device_memory_limit=device_memory_limit,
            cpu_share=cpu_share,
            gpu_shares=gpu_shares,
            device_sms=device_sms,
        )

    def __enter__(self) -> context:
        _local.held = _Contexts(self._settings, None, getattr(_local, "held", None))
        ext.use_context(0)
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


def _info() -> Any:
    """Returns the library's InfoStruct for host arrays."""
    found = _lib.InfoStruct(struct_size=ctypes.sizeof(_lib.InfoStruct))
    _lib.ctx_info(host_context(), ctypes.addressof(found))
    return found


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


# ---- Loops of NumPy on several threads ---------------------------------------------------------

# NumPy releases the GIL inside its loops, so Python threads run them at the same time.
_SLICE = 1 << 20  # elements for each thread; the start of a thread takes 0.1 ms


def by_threads(
    work: Callable[[int, int], Any], n: int, least: int | None = None
) -> list[tuple[int, Any]]:
    """Returns (lo, work(lo, hi)) for slices of n elements, in order.

    Every slice has at least `least` elements, or as many as pay for a thread in a loop of simple
    operations. Uses at most the threads of the library. If the system cannot start a thread, the
    calling thread does the rest of the work.
    """
    slices = max(1, n // (least or _SLICE))
    if slices > 1:
        slices = min(slices, _info().threads)
    edges = [n * i // slices for i in range(slices + 1)]
    waiting = list(zip(edges[:-1], edges[1:]))
    results: list[tuple[int, Any]] = []
    errors: list[BaseException] = []

    def take() -> None:
        while not errors:
            try:
                lo, hi = waiting.pop()
            except IndexError:  # all slices are taken
                return
            try:
                results.append((lo, work(lo, hi)))
            except BaseException as error:
                errors.append(error)

    helpers = [threading.Thread(target=take) for _ in range(slices - 1)]
    started = []
    try:
        for helper in helpers:
            helper.start()
            started.append(helper)
    except RuntimeError:
        pass
    take()
    for helper in started:
        helper.join()
    if errors:
        raise errors[0]
    return sorted(results, key=lambda result: result[0])
