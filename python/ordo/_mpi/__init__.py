"""The transport of ``ordo.mpi``: the functions of an ordo_comm (ordo_dist.h) over mpi4py.

The library calls these functions to move bytes between the ranks. They use the caller's mpi4py, so
no compiler and no other build of MPI is needed. Messages have at most 256 MiB, as in ordo_mpi.h.
An exception inside a function is kept, and the call of the library then fails on every rank.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from ctypes import CFUNCTYPE, c_int, c_int32, c_size_t, c_uint64, c_void_p
from typing import Any, Callable

from .._context import host_context
from .._lib import fail, library

_PIECE = 256 << 20  # bytes of a message at most
_PARTNERS = 8  # messages in flight in each direction
_nothing = bytearray(1)  # stands for an empty buffer

_Allgather = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p)
_Sum = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
_Exchange = CFUNCTYPE(
    c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p
)  # fmt: skip
_GiveUp = CFUNCTYPE(None, c_void_p)


_counts = library.ordo_dist_counts
_counts.argtypes = (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p)
_counts.restype = c_int


class Comm(ctypes.Structure):
    """ordo_comm of ordo_dist.h."""

    _fields_ = [
        ("struct_size", c_size_t), ("rank", c_int32), ("size", c_int32), ("user", c_void_p),
        ("allgather", _Allgather), ("sum", _Sum), ("prefix", _Sum), ("exchange", _Exchange),
        ("give_up", _GiveUp), ("moves_device_memory", c_uint64),
    ]  # fmt: skip


class DistOptions(ctypes.Structure):
    """ordo_dist_opts of ordo_dist.h."""

    _fields_ = [
        ("struct_size", c_size_t), ("flags", c_uint64), ("out", c_void_p),
        ("out_values", c_void_p), ("n_out", c_size_t), ("report", c_void_p),
        ("stream", c_void_p),
    ]  # fmt: skip


def _bytes(address: int | None, count: int) -> list:
    """Returns memory at an address as mpi4py's [buffer, count, datatype]."""
    if not count or address is None:
        return [_nothing, 0, "B"]
    return [(ctypes.c_char * count).from_address(address), count, "B"]


def _numbers(address: int, count: int) -> Any:
    return (c_uint64 * count).from_address(address)


def _made(kind: Any, text: str) -> Exception:
    """Returns an exception of a class, or of its nearest base that is made from a text alone."""
    for each in kind.__mro__:
        try:
            return each(text)
        except TypeError:
            continue
    return RuntimeError(text)


class Group:
    """The ranks of a communicator, with the functions that the library calls."""

    def __init__(self, mpi: Any, comm: Any) -> None:
        self.mpi = mpi
        self.comm = comm  # a duplicate, so that messages do not mix with the caller's
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()
        self.error: BaseException | None = None  # that a function raised
        self.failed = (c_uint64 * 1)()  # ranks that failed, of `settle`
        self.table = Comm(
            struct_size=ctypes.sizeof(Comm),
            rank=self.rank,
            size=self.size,
            allgather=_Allgather(self._guarded(self._allgather)),
            sum=_Sum(self._guarded(self._sum)),
            prefix=_Sum(self._guarded(self._prefix)),
            exchange=_Exchange(self._guarded(self._exchange)),
            give_up=_GiveUp(lambda user: self.comm.Abort(2)),
        )

    def _guarded(self, function: Callable[..., None]) -> Callable[..., int]:
        def guarded(user: Any, *arguments: Any) -> int:
            try:
                function(*arguments)
            except BaseException as error:
                self.error = error
                return 1
            return 0

        return guarded

    def _allgather(self, mine: int, bytes_of: int, to: int) -> None:
        counts = list(_numbers(bytes_of, self.size))
        starts = [0, *itertools.accumulate(counts[:-1])]
        if sum(counts) > _PIECE:
            self._broadcast_parts(mine, counts, starts, to)
            return
        buffer = _bytes(to, sum(counts))[0]
        self.comm.Allgatherv(_bytes(mine, counts[self.rank]), [buffer, counts, starts, "B"])

    def _broadcast_parts(self, mine: int, counts: list, starts: list, to: int) -> None:
        """Allgather of more bytes than a message may have."""
        ctypes.memmove(to + starts[self.rank], mine, counts[self.rank])
        for r in range(self.size):
            for done in range(0, counts[r], _PIECE):
                now = min(_PIECE, counts[r] - done)
                self.comm.Bcast(_bytes(to + starts[r] + done, now), root=r)

    def _sum(self, values: int, count: int) -> None:
        for done in range(0, count, _PIECE // 8):
            numbers = _numbers(values + 8 * done, min(_PIECE // 8, count - done))
            self.comm.Allreduce(self.mpi.IN_PLACE, [numbers, len(numbers), "Q"], op=self.mpi.SUM)

    def _prefix(self, values: int, count: int) -> None:
        for done in range(0, count, _PIECE // 8):
            numbers = _numbers(values + 8 * done, min(_PIECE // 8, count - done))
            self.comm.Exscan(self.mpi.IN_PLACE, [numbers, len(numbers), "Q"], op=self.mpi.SUM)
        if self.rank == 0:  # MPI leaves the values of the first rank undefined
            ctypes.memset(values, 0, 8 * count)

    def _exchange(
        self, send: int, send_at: int, send_bytes: int, receive: int, receive_at: int,
        receive_bytes: int,
    ) -> None:  # fmt: skip
        out_at, out = _numbers(send_at, self.size), _numbers(send_bytes, self.size)
        in_at, came = _numbers(receive_at, self.size), _numbers(receive_bytes, self.size)
        if out[self.rank]:
            ctypes.memmove(receive + in_at[self.rank], send + out_at[self.rank], out[self.rank])
        # Partner i is i ranks ahead for sending and i behind for receiving, so no rank gets the
        # messages of all others at once. Both sides count the same messages.
        for first in range(1, self.size, _PARTNERS):
            steps = range(first, min(first + _PARTNERS, self.size))
            sources = [(self.rank - i) % self.size for i in steps]
            targets = [(self.rank + i) % self.size for i in steps]
            largest = max([came[r] for r in sources] + [out[r] for r in targets])
            for done in range(0, largest, _PIECE):
                requests = [
                    self.comm.Irecv(
                        _bytes(receive + in_at[r] + done, min(_PIECE, came[r] - done)), source=r
                    )
                    for r in sources
                    if came[r] > done
                ]
                requests += [
                    self.comm.Isend(
                        _bytes(send + out_at[r] + done, min(_PIECE, out[r] - done)), dest=r
                    )
                    for r in targets
                    if out[r] > done
                ]
                self.mpi.Request.Waitall(requests)

    def agree(
        self, error: Exception | None, form: tuple = ("numbers", ""), call: tuple = ()
    ) -> list[tuple]:
        """Raises the exception of the first rank that has one, on every rank.

        The first two items of `form` say what the elements are; the second may be empty. If they
        differ, every rank raises a TypeError; if `call` differs, a ValueError. Returns the forms of
        all ranks.
        """
        mine = None if error is None else (type(error), str(error))
        all_ranks = self.comm.allgather((mine, form, call))
        for rank, (found, _, _) in enumerate(all_ranks):
            if found is not None:
                raise _made(found[0], f"rank {rank}: {found[1]}") from error
        forms = [form for _, form, _ in all_ranks]
        kinds = {form[1] for form in forms if form[1]}
        for rank, (kind, of, *_) in enumerate(forms):
            if kind != forms[0][0]:
                raise TypeError(f"rank {rank} has {kind}, and rank 0 has {forms[0][0]}")
            if len(kinds) > 1 and of:
                raise TypeError(f"the ranks have objects of types {', '.join(sorted(kinds))}")
        first = all_ranks[0][2]
        for rank, (_, _, other) in enumerate(all_ranks):
            if other != first:
                raise ValueError(
                    f"rank {rank} calls {other[0]} and rank 0 calls {first[0]}, or their arguments "
                    "differ; expected the same call on every rank"
                )
        return forms

    def settle(self, error: Exception | None) -> None:
        """As `agree`, by the sum of one number if no rank has an exception."""
        self.failed[0] = error is not None
        self._sum(ctypes.addressof(self.failed), 1)
        if self.failed[0]:
            self.agree(error)

    def together(self, make: Callable[[], Any]) -> Any:
        """Returns make(). Every rank calls this; an exception of one is raised on all of them."""
        error: Exception | None = None
        made: Any = None
        try:
            made = make()
        except Exception as caught:
            error = caught
        self.settle(error)
        return made

    def call(
        self, function: Any, *arguments: Any, context: Any = None, flags: int = 0, **options: Any
    ) -> None:
        """Calls a function of ordo_dist.h; a bad status raises an exception.

        `context` is that of the arrays' place; None: host memory.
        """
        opts = DistOptions(struct_size=ctypes.sizeof(DistOptions), flags=flags, **options)
        if context is None:
            context = host_context()
        status = function(context, ctypes.addressof(self.table), *arguments, ctypes.addressof(opts))
        self._check(status, context)

    def _check(self, status: int, context: Any) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error
        if status:
            fail(status, context)

    def equal_part(self, n: int) -> int:
        """Returns the length of this rank's part if all parts are equal, or differ by 1."""
        found = c_size_t()
        context = host_context()
        status = _counts(
            context, ctypes.addressof(self.table), n, None, None, ctypes.addressof(found)
        )
        self._check(status, context)
        return found.value

    def check_count(self, k: int, n: int) -> None:
        """Raises a ValueError if the ranks have fewer than `k` elements in all."""
        total = self.comm.allreduce(n)
        if k > total:
            raise ValueError(f"k is {k}; expected at most {total}, the number of elements")


def _free(comm: Any, keyval: int, group: Group) -> None:
    group.comm.Free()


@functools.cache
def _keyval() -> tuple[Any, int]:
    """Returns the module MPI, and the key under which communicators keep their groups."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise ImportError(f"ordo.mpi needs mpi4py: pip install mpi4py ({error})") from error
    return MPI, MPI.Comm.Create_keyval(delete_fn=_free)


def group_of(comm: Any) -> Group:
    """Returns the group of a communicator, which keeps it until it is freed."""
    mpi, keyval = _keyval()
    if comm is None:
        comm = mpi.COMM_WORLD
    if not isinstance(comm, mpi.Intracomm):
        raise TypeError(f"comm is {comm!r}; expected an intracommunicator of mpi4py, or None")
    group = comm.Get_attr(keyval)
    if group is None:
        group = Group(mpi, comm.Dup())
        comm.Set_attr(keyval, group)
    return group


def call_of(verb: str, checked: Any, nan_policy: str = "") -> tuple:
    """Returns what all ranks must say alike: the function and its options and counts."""
    options = checked if isinstance(checked, tuple) else (checked,)
    return verb, nan_policy, *(each for each in options if isinstance(each, int))


def declare(name: str, *arguments: Any) -> Any:
    """Declares a function of ordo_dist.h: its arguments between the communicator and opts."""
    function = getattr(library, name)
    function.argtypes = (c_void_p, c_void_p, *arguments, c_void_p)
    function.restype = c_int
    return function
