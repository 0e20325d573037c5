"""One thread at a time: what is in use says so, instead of breaking.

Compiled loops let go of Python's lock, so that two threads in one window write to the same memory: elements get lost,
and a tree ends in a crash. To wait for each other would hide the mistake: the order of elements would be left to
chance.
"""

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from algorithms.errors import InUseError

Method = TypeVar("Method", bound=Callable[..., Any])


class OneAtATime:
    """An object whose methods under `one_at_a_time` exclude each other. Its state is pickled without what does that."""

    _in_use: threading.Lock
    _stopped = ""
    """The error that ended a call halfway, with some of its records taken in; empty if none did."""

    def __new__(cls, *arguments: Any, **settings: Any) -> "OneAtATime":
        instance = super().__new__(cls)
        instance._in_use = threading.Lock()
        return instance

    def __getstate__(self) -> dict[str, Any]:
        if self._in_use.locked():
            raise _in_use(self)
        return {name: value for name, value in vars(self).items() if name != "_in_use"}

    @contextlib.contextmanager
    def _halfway(self) -> Iterator[None]:
        """What cannot be undone: an error in it leaves this in the middle of a batch."""
        try:
            yield
        except BaseException as error:
            self._stopped = f"{type(error).__name__}: {error}"
            raise

    def _must_be_whole(self) -> None:
        """Raise RuntimeError if an error left this in the middle of a batch."""
        if self._stopped:
            name = type(self).__name__
            raise RuntimeError(f"this {name} stopped in the middle of a batch ({self._stopped}); make another one")

    def __copy__(self) -> "OneAtATime":
        raise TypeError(f"a shallow copy of a {type(self).__name__} would share its memory; take copy.deepcopy")


def one_at_a_time(method: Method) -> Method:
    """The method, which raises InUseError while another one is under way. 0.1 microseconds a call."""

    @functools.wraps(method)
    def alone(self: OneAtATime, *arguments: Any, **settings: Any) -> Any:
        if not self._in_use.acquire(blocking=False):
            raise _in_use(self)
        try:
            return method(self, *arguments, **settings)
        finally:
            self._in_use.release()

    return alone  # type: ignore[return-value]


def _in_use(thing: OneAtATime) -> InUseError:
    return InUseError(
        f"this {type(thing).__name__} is in use by another call: one thread at a time may use it; give each its own"
    )
