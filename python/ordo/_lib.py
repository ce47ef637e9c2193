"""The C library: its file, enums, structs, prototypes and errors.

This file mirrors ``include/ordo.h``. Enum values are frozen and structs begin with their size and
only grow at the end, so the package also works with an older or newer library. ``ctypes`` releases
the GIL during a call. Arguments that do not change between calls (contexts, options, type numbers)
are kept as ctypes objects: ctypes passes an object 0.15 microseconds faster than an int.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
import threading
from collections.abc import Iterator
from ctypes import (
    POINTER,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_size_t,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Literal, NoReturn, get_args

# ---- Enums -------------------------------------------------------------------------------------

# The types of keys.
I8, U8, I16, U16, I32, U32, I64, U64, F32, F64 = range(1, 11)
DTYPES = "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split()  # in NumPy
WHERE = {"auto": 0, "cpu": 1, "cuda": 2, "hybrid": 3}
NANS = {"last": 0, "omit": 1, "propagate": 2}
SUM, MIN, MAX, PRODUCT = 1, 2, 3, 4
FLAG_BITS, FLAG_BYTES = 1, 2
DESCENDING, CHECK, EXCLUSIVE, UNSET_FIRST, ON_DEVICE, ANY_ORDER = 1, 2, 4, 8, 32, 64
SORTS = (
    "auto, radix, sample, merge, bitonic, split, bubble, rough, halving, windows, insertion, "
    "global, intervals"
)
# The names for type checkers.
Algorithm = Literal[
    "auto", "sequential", "threads", "radix", "sample", "merge", "bitonic", "split", "bubble",
    "rough", "halving", "naive", "shuffle", "hybrid", "windows", "prefix", "ballot", "shared",
    "scans", "insertion", "global", "intervals",
]  # fmt: skip
Method = Literal[
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
    "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher",
    "midpoint", "nearest",
]  # fmt: skip
Ties = Literal["min", "max", "dense", "ordinal", "average"]
Distribution = Literal[
    "uniform", "gaussian", "zero", "few", "zipf", "sorted", "reverse", "organpipe", "sawtooth",
    "recur", "ksorted", "dupes", "staggered", "bucket", "strings", "fasta", "shuffled", "signed",
    "normal", "loguniform", "outliers", "timestamps", "prices", "sensors",
]  # fmt: skip
ALGORITHMS = {name: number for number, name in enumerate(get_args(Algorithm))}
TIES = {name: number for number, name in enumerate(get_args(Ties))}
DISTRIBUTIONS = {name: number for number, name in enumerate(get_args(Distribution), start=1)}
NanPolicy = Literal["propagate", "omit", "raise"]
SortKind = Literal["quicksort", "heapsort", "mergesort", "stable"]
SelectKind = Literal["introselect"]


def number_of(table: dict[str, int], name: str, what: str, names: str = "") -> int:
    """Returns the enum value of `name`.

    A ValueError lists `names`, or all names of the table.
    """
    try:
        return table[name]
    except (KeyError, TypeError):
        names = names or ", ".join(table)
        raise ValueError(f"{what} is {name!r}; expected one of {names}") from None


# ---- Structs -----------------------------------------------------------------------------------


def _struct(name: str, *fields: tuple) -> type[ctypes.Structure]:
    members = {"_fields_": [("struct_size", c_size_t), *fields]}
    return type(name, (ctypes.Structure,), members)


class DeviceShare(ctypes.Structure):
    _fields_ = [("device", c_uint64), ("share", c_double)]


ContextOptions = _struct(
    "ContextOptions", ("where", c_uint32), ("threads", c_uint32), ("mem_limit", c_size_t),
    ("progress", c_void_p), ("progress_user", c_void_p), ("alloc", c_void_p),
    ("release", c_void_p), ("alloc_user", c_void_p), ("device", c_uint64),
    ("device_limit", c_size_t), ("cpu_share", c_double), ("profile", c_uint64),
    ("calibration", c_char_p), ("seed", c_uint64), ("progress_interval", c_double),
    ("devices", c_void_p), ("device_count", c_size_t), ("device_sms", c_uint32),
    ("reserved", c_uint32),
)  # fmt: skip
SortOptions = _struct(
    "SortOptions", ("flags", c_uint64), ("radius", c_uint64), ("algorithm", c_uint32),
    ("reserved", c_uint32), ("stream", c_void_p), ("source", c_void_p), ("segments", c_void_p),
)  # fmt: skip
RankOptions = _struct(
    "RankOptions", ("flags", c_uint64), ("ties", c_uint32), ("algorithm", c_uint32),
    ("stream", c_void_p), ("segments", c_void_p), ("weights", c_void_p), ("weight_type", c_uint32),
    ("reserved", c_uint32),
)  # fmt: skip
SelectOptions = _struct(
    "SelectOptions", ("flags", c_uint64), ("nans", c_uint32), ("algorithm", c_uint32),
    ("stream", c_void_p), ("sub_array", c_uint64), ("segments", c_void_p),
)  # fmt: skip
QuantileOptions = _struct(
    "QuantileOptions", ("flags", c_uint64), ("nans", c_uint32), ("method", c_uint32),
    ("algorithm", c_uint32), ("reserved", c_uint32), ("stream", c_void_p), ("sub_array", c_uint64),
    ("segments", c_void_p), ("weights", c_void_p), ("weight_type", c_uint32),
    ("reserved2", c_uint32),
)  # fmt: skip
MovingOptions = _struct(
    "MovingOptions", ("flags", c_uint64), ("min_periods", c_size_t), ("q", c_double),
    ("nans", c_uint32), ("method", c_uint32), ("ties", c_uint32), ("center", c_uint32),
    ("segments", c_void_p), ("stream", c_void_p), ("first", c_void_p),
)  # fmt: skip
ScanOptions = _struct(
    "ScanOptions", ("flags", c_uint64), ("stream", c_void_p), ("algorithm", c_uint32),
    ("reserved", c_uint32), ("segments", c_void_p),
)  # fmt: skip
PartitionOptions = _struct("PartitionOptions", ("flags", c_uint64), ("stream", c_void_p))
OrderOptions = _struct(
    "OrderOptions", ("flags", c_uint64), ("algorithm", c_uint32), ("reserved", c_uint32),
    ("stream", c_void_p), ("lr", c_void_p), ("rl", c_void_p), ("dm", c_void_p),
    ("segments", c_void_p),
)  # fmt: skip
SearchOptions = _struct(
    "SearchOptions", ("flags", c_uint64), ("side", c_uint32), ("reserved", c_uint32)
)
Segments = _struct(
    "Segments", ("count", c_size_t), ("offsets", c_void_p), ("length", c_size_t),
    ("stride", c_size_t), ("step", c_size_t), ("group", c_size_t), ("group_stride", c_size_t),
)  # fmt: skip
GenOptions = _struct("GenOptions", ("seed", c_uint64), ("k", c_uint64), ("p", c_double))
Strings = _struct("Strings", ("bytes", c_void_p), ("offsets", c_void_p), ("pointers", c_void_p))
ReportStruct = _struct(
    "ReportStruct", ("operation", c_char_p), ("backend", c_char_p), ("algorithm", c_char_p),
    ("isa", c_char_p), ("threads", c_uint32), ("type", c_uint32), ("n", c_uint64),
    ("scratch_bytes", c_uint64), ("seconds", c_double), ("predicted_cpu", c_double),
    ("predicted_cuda", c_double), ("predicted_hybrid", c_double), ("input", c_uint32),
    ("strategy", c_uint32), ("radius", c_uint64), ("runs", c_uint64), ("displaced", c_uint64),
    ("passes", c_uint64), ("buckets", c_uint64), ("record_bytes", c_uint64), ("tile", c_uint64),
    ("device_status", c_int32), ("letter_bits", c_uint32), ("rounds", c_uint64),
    ("batches", c_uint64), ("segments", c_uint64), ("handed_over", c_uint64),
    ("rank_bytes", c_uint64), ("surveys", c_uint64), ("groups", c_uint64),
    ("device_bytes", c_uint64), ("needed_bytes", c_uint64), ("cpu_share", c_double),
    ("packed", c_double), ("phase_seconds", c_double * 6), ("sample_seconds", c_double * 4),
    ("cpu_seconds", c_double * 4), ("device_seconds", c_double * 4), ("copy_seconds", c_double),
    ("cpu_idle_seconds", c_double), ("device_idle_seconds", c_double), ("devices", c_uint64),
    ("shares_unused", c_uint64), ("tried_radius", c_uint64), ("radius_failed", c_uint64),
    ("pass_n", c_uint32), ("pass_cpu", c_uint32), ("pass_labels", c_uint16 * 16),
)  # fmt: skip
InfoStruct = _struct(
    "InfoStruct", ("isa", c_char_p), ("isa_all", c_char_p), ("cuda", c_char_p),
    ("threads", c_uint32), ("cpus", c_uint32), ("affinity", c_uint32), ("cgroup", c_uint32),
    ("mem_limit", c_uint64), ("scratch_held", c_uint64), ("devices", c_char_p),
    ("device_held", c_uint64), ("device_limit", c_uint64), ("calibration", c_char_p),
    ("calibration_note", c_char_p), ("device_sms", c_uint64),
)  # fmt: skip

_options: dict[tuple, tuple[ctypes.Structure, c_void_p]] = {}


def options(struct: type[ctypes.Structure], **fields: int | None) -> c_void_p | None:
    """Returns the address of an options struct, or None (the defaults) if all fields are 0.

    The library only reads options, so calls with equal fields share one struct.
    """
    key = (struct, *fields.items())
    made = _options.get(key)
    if made is None:
        if not any(fields.values()):
            return None
        filled = struct(struct_size=ctypes.sizeof(struct), **fields)
        made = _options[key] = (filled, c_void_p(ctypes.addressof(filled)))
    return made[1]


def median_method(weight_type: int) -> int:
    """Returns the method of a median; `weight_type` is the ordo_type of its weights, 0 without."""
    is_float = weight_type in (F32, F64)
    return METHODS["averaged_inverted_cdf"] if is_float else HALF_SUM


def copy_options(struct: type[ctypes.Structure], opts: c_void_p | None) -> Any:
    """Returns a copy of the options at the address `opts`, which the caller may change."""
    if opts is None:
        return struct(struct_size=ctypes.sizeof(struct))
    return struct.from_buffer_copy(struct.from_address(opts.value))  # type: ignore[arg-type]


# ---- Ctrl-C ------------------------------------------------------------------------------------

# Python runs signal handlers in the main thread between two bytecode instructions. A call of the
# library is one instruction. Contexts of the main thread therefore have a progress callback. The
# library calls it every few milliseconds of a long call, and it executes a few instructions, so
# pending handlers run. If a handler raises (as the handler of Ctrl-C does), the callback stores the
# exception and cancels the call; ``fail`` raises the exception. A call shorter than 5 milliseconds
# makes no callback.
#
# Python may run a handler at the first instruction of a function, before any ``try`` in that
# function; ctypes would print and drop an exception raised there. The callback therefore is the
# built-in ``next``, which resumes a generator that waits inside its ``try``.
_raised: BaseException | None = None  # by a handler, during a call of the main thread


def _let_handlers_run() -> Iterator[int]:
    """Yields the callback's answers: 0 to continue, 1 to cancel."""
    global _raised
    answer = 0
    while True:
        try:
            while True:  # a second handler may raise at the jump to this line
                try:
                    while True:
                        yield answer
                        answer = 0
                except GeneratorExit:
                    return
                except BaseException as error:
                    _raised, answer = error, 1
        except BaseException as error:
            _raised, answer = error, 1


# ordo_progress_fn is int (void *user, double done). `user` is the generator, so the library's call
# is next(generator, done). The generator never ends, so `done`, the default value, is not used.
_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_double)
_generator = _let_handlers_run()
next(_generator)  # advance to the `yield`, inside the `try`
_callback = _Callback(next)
_address = ctypes.cast(_callback, ctypes.c_void_p).value


def interrupt_callback() -> tuple[int | None, int | None]:
    """Returns `progress` and `progress_user` for a context that the calling thread creates."""
    if threading.current_thread() is threading.main_thread():
        return _address, id(_generator)
    return None, None


def _take_interrupt() -> BaseException | None:
    """Returns and clears the exception that ended the main thread's last call, if any."""
    global _raised
    if threading.current_thread() is not threading.main_thread():
        return None
    raised, _raised = _raised, None
    return raised


# ---- Errors ------------------------------------------------------------------------------------


class DeviceError(RuntimeError):
    """A GPU is missing, failed, or does not support the call; the message says which."""


class OrderError(ValueError):
    """An array that must be sorted is not sorted."""


_ERRORS: dict[int, type[Exception]] = {
    -1: ValueError,
    -2: MemoryError,
    -3: DeviceError,
    -4: DeviceError,
    -6: OrderError,
    -9: OSError,
}


def printable(text: str | bytes) -> str:
    """Returns a text with escapes for what a terminal obeys and for bytes that are not UTF-8.

    File names and variables may hold control sequences.
    """
    if isinstance(text, bytes):
        text = text.decode(errors="backslashreplace")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def fail(status: int, context: c_void_p | int | None) -> NoReturn:
    """Raises the exception for a status that is not ORDO_OK.

    If a signal handler raised an exception during the call, that exception is raised instead.
    """
    interrupt = _take_interrupt()
    if interrupt is not None:
        raise interrupt
    busy = status == -8  # ORDO_E_BUSY: the context's text belongs to the call in progress
    text = last_error(None if busy else context) or status_text(status)
    raise _ERRORS.get(status, RuntimeError)(printable(text))


def _check(status: int, function: Any, arguments: tuple) -> None:
    """ctypes calls this after every function that takes a context and returns a status."""
    if status:
        fail(status, arguments[0])


# ---- The library -------------------------------------------------------------------------------


def _candidates() -> list[str]:
    """Returns ORDO_LIBRARY alone if it is set; else the wheel's, the tree's, the system's file."""
    chosen = os.environ.get("ORDO_LIBRARY")
    if chosen:
        return [chosen]
    here = os.path.dirname(os.path.realpath(__file__))
    tree = os.path.dirname(os.path.dirname(here))
    beside = [os.path.join(here, "libordo.so.0"), os.path.join(tree, "build", "libordo.so")]
    return [file for file in beside if os.path.exists(file)] + ["libordo.so.0"]


def _load() -> ctypes.CDLL:
    reasons = []
    for candidate in _candidates():
        try:
            return ctypes.CDLL(candidate)
        except OSError as error:
            reasons.append(printable(str(error)))
        except UnicodeError:  # the text of dlopen() names a file whose name is not UTF-8
            reasons.append(printable(candidate) + " cannot be opened")
    raise ImportError(
        "ordo: the C library was not found: " + "; ".join(reasons) + ". Install the package with "
        "`pip install .`, build the tree with `make`, or set ORDO_LIBRARY to libordo.so"
    )


library = _load()
path: str = library._name


def beside(name: str, advice: str) -> str:
    """Returns the path of a file in the folder of the library."""
    found = os.path.join(os.path.dirname(path), name)
    if not os.path.exists(found):
        raise ImportError(f"{printable(found)} is missing; {advice}")
    return found


def _load_extension() -> Any:
    """Returns the extension module, of a wheel or of the library's build folder.

    It uses the library that is loaded already.
    """
    folder, package = os.path.dirname(path), sys.modules[__name__.rpartition(".")[0]]
    if folder:
        package.__path__.append(os.path.join(os.path.abspath(folder), "python"))
    try:
        return importlib.import_module("._ext", package.__name__)
    except ImportError as error:
        raise ImportError(
            f"ordo: the extension module was not loaded: {printable(str(error))}. Install the "
            "package with `pip install .`, or run scripts/python-ext with the library's build "
            "folder"
        ) from None


ext = _load_extension()
P, T = c_void_p, c_int  # address, enum
# size_t and addresses have the same width and calling convention, and ctypes converts an int to
# c_void_p 0.15 microseconds faster than to c_size_t.
N = c_void_p


def _function(name: str, *arguments: type, returns: type | None) -> Any:
    function = getattr(library, name)
    function.argtypes = arguments
    function.restype = returns
    return function


def _call(name: str, *arguments: type) -> Any:
    """Declares a function whose first argument is a context. A bad status raises an exception."""
    function = _function(name, P, *arguments, returns=c_int)
    function.errcheck = _check
    return function


version: str = _function("ordo_version", returns=c_char_p)().decode()
status_text = _function("ordo_status_text", T, returns=c_char_p)
type_name = _function("ordo_type_name", T, returns=c_char_p)
last_error = _function("ordo_last_error", P, returns=c_char_p)

ctx_create = _function("ordo_ctx_create", POINTER(P), P, returns=c_int)
ctx_free = _function("ordo_ctx_free", P, returns=None)
ctx_info = _call("ordo_ctx_info", P)
last_report = _call("ordo_last_report", P)
report_text = _function("ordo_report_text", P, P, N, returns=c_size_t)
input_name = _function("ordo_input_name", T, returns=c_char_p)
strategy_name = _function("ordo_strategy_name", T, returns=c_char_p)
_method = _function("ordo_method_parse", c_char_p, returns=c_int)
METHODS = {name: _method(name.encode()) for name in get_args(Method)}
HALF_SUM: int = _method(b"half_sum")  # of `numpy.median`: the quantile 0.5, as (a + b) / 2
places = _function("ordo_quantile_places", T, P, P, N, P, P, P, returns=c_int)

sort = _call("ordo_sort", T, P, N, P)
sort_pairs = _call("ordo_sort_pairs", T, P, N, P, N, P)
argsort = _call("ordo_argsort", T, P, N, T, P, P)
rank = _call("ordo_rank", T, P, N, T, P, P)
rank_sorted = _call("ordo_rank_sorted", T, P, N, T, P, P)
select = _call("ordo_select", T, P, N, P, N, P, P)
nth = _call("ordo_nth", T, P, N, N, P, T, P, P)
quantiles = _call("ordo_quantiles", T, P, N, P, N, P, P)
median = _call("ordo_median", T, P, N, P, P)
topk = _call("ordo_topk", T, P, N, N, P, T, P, P, P)
scan = _call("ordo_scan", T, T, P, N, T, P, P)
moving = _call("ordo_moving", T, T, P, N, N, T, P, P)
scan_bits = _call("ordo_scan_bits", T, P, N, T, P, P, P)
partition = _call("ordo_partition", T, P, P, N, N, P, P, P)
unique = _call("ordo_unique", T, P, N, P, P, P)
search = _call("ordo_search", T, P, N, P, N, T, P, P)
is_sorted = _call("ordo_is_sorted", T, P, N, P, P, P)
radius = _call("ordo_radius", T, P, N, P, P)
copy = _call("ordo_copy", P, P, N)
gen = _call("ordo_gen", T, T, P, N, P)
gen_strings = _call("ordo_gen_strings", T, N, P, P, N, P)
argsort_strings = _call("ordo_argsort_strings", P, N, T, P, P)
rank_strings = _call("ordo_rank_strings", P, N, T, P, P)
select_strings = _call("ordo_select_strings", P, N, P, N, P, P)
