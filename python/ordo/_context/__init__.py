"""Contexts: the threads, the device and the memory limits of calls.

Every Python thread has its own context, so calls from several threads run at the same time. A
thread's first call creates the context; the end of the thread frees it. ``config`` changes the
settings of all threads, ``context`` those of the calls in one ``with`` block.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

from .. import _lib
from .._lib import ext
from .._workers import tell_doors, usual_threads
from .settings import UNSET, changed, current, parse_device, share_option, where_of

_epoch = object()  # replaced when the settings change; contexts of an old epoch are recreated


def _create(settings: dict[str, Any], ordinal: int | None = None) -> ctypes.c_void_p:
    """Creates an ordo_ctx for this thread; with `ordinal`, for arrays on that GPU."""
    where, device = parse_device(settings["device"])
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
        cpu_share=share_option(settings["cpu_share"]) if ordinal is None else 0.0,
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
    return where_of(device) != _lib.WHERE["cuda"]


def _is_quick(device: Any) -> bool:
    """Returns whether calls on short arrays stay on the CPU and never open a GPU."""
    return where_of(device) in (_lib.WHERE["auto"], _lib.WHERE["cpu"])


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
        held = _local.held = _Contexts(dict(current), _epoch)
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
    threads: int | None = UNSET,
    device: str | int | None = UNSET,
    memory_limit: int | None = UNSET,
    device_memory_limit: int | None = UNSET,
    cpu_share: float | None = UNSET,
    gpu_shares: Sequence[float] | None = UNSET,
    device_sms: int | None = UNSET,
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
    settings = changed(
        threads=threads,
        device=device,
        memory_limit=memory_limit,
        device_memory_limit=device_memory_limit,
        cpu_share=cpu_share,
        gpu_shares=gpu_shares,
        device_sms=device_sms,
    )
    if settings != current:
        current.update(settings)
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
        threads: int | None = UNSET,
        device: str | int | None = UNSET,
        memory_limit: int | None = UNSET,
        device_memory_limit: int | None = UNSET,
        cpu_share: float | None = UNSET,
        gpu_shares: Sequence[float] | None = UNSET,
        device_sms: int | None = UNSET,
    ) -> None:
        self._settings = changed(
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


def _info() -> Any:
    """Returns the library's InfoStruct for host arrays."""
    found = _lib.InfoStruct(struct_size=ctypes.sizeof(_lib.InfoStruct))
    _lib.ctx_info(host_context(), ctypes.addressof(found))
    return found
