"""The settings of calls, and the checks of new ones."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from .. import _lib
from .._check import integer


class _Unset:
    def __repr__(self) -> str:
        return "unchanged"


UNSET: Any = _Unset()
current: dict[str, Any] = {
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
_SHARES = ("cpu_share", "gpu_shares")
_MOST_GPUS = 8


def parse_device(device: str | int | None) -> tuple[int, int]:
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


def changed(**given: Any) -> dict[str, Any]:
    """Returns the settings with the given ones replaced, after checking all of them."""
    settings = {**current, **{n: value for n, value in given.items() if value is not UNSET}}
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
    parse_device(settings["device"])
    if given["device"] is not UNSET:
        for name in _SHARES:  # only 'hybrid' inherits shares
            if settings[name] is not None and given[name] is UNSET:
                settings[name] = settings[name] if _is_hybrid(settings["device"]) else None
    _check_shares(settings)
    return settings


def where_of(device: str | int | None) -> int:
    """Returns where calls on host arrays run. As in the library, ORDO_DEVICE replaces 'auto'."""
    where = parse_device(device)[0]
    if where == _lib.WHERE["auto"]:
        where = parse_device(os.environ.get("ORDO_DEVICE") or None)[0]
    return where


def _is_hybrid(device: str | int | None) -> bool:
    return where_of(device) == _lib.WHERE["hybrid"]


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


def share_option(share: float | None) -> float:
    """Returns `cpu_share` of ordo_ctx_opts, where 0 is the default and -1 means no share."""
    return 0.0 if share is None else share or -1.0
