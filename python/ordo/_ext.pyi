"""The extension module, from the C files in python/ext."""

from typing import Any, Callable, NoReturn

from typing_extensions import Buffer

SHORT: int
ONE_PASS: int
FEW_TO_SPLIT: int

class Function:
    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        parameters: tuple[str, ...],
        defaults: dict[str, Any],
        positional: int,
        result: type[tuple] | None = None,
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Room(Buffer):
    def __init__(self, bytes: int) -> None: ...

def use_context(address: int, /) -> None: ...
def forget_contexts() -> None: ...
def contexts_from(context: Callable[[], int], fail: Callable[[int], NoReturn], /) -> None: ...
def free_rooms() -> int: ...
