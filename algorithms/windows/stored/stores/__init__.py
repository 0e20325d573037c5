"""Key-value stores, opened by URL. A store is an object with these methods, which raise StoreError when it fails:

    read(keys) -> a list of bytes, None where there is no such key
    commit(documents, dead)   write (key, bytes) pairs in the order given, the last of which makes them count, then
                              remove the keys of an iterator; all at once where the store can, and never the last before
                              the others
    close()

The last document is the window's header. Whatever else is written or removed with it lies where the header before does
not look, so that a commit that breaks off anywhere leaves the window as it was.
"""

import importlib
import threading
from collections.abc import Callable, Iterable
from time import sleep
from typing import Any, Protocol, runtime_checkable

from safeguards.secrets import without_secrets

ATTEMPTS = 5
FIRST_WAIT = 0.05
"""A store that fails is asked this often, with a wait in seconds between that doubles: 0.75 s in all, and what the
store itself takes to fail."""

KINDS = {
    "lmdb": f"{__name__}.in_lmdb",
    "redis": f"{__name__}.in_redis",
    "rediss": f"{__name__}.in_redis",
    "redis+cluster": f"{__name__}.in_redis",
    "memory": f"{__name__}.in_memory",
}
"""The module of each kind of store; imported when such a store is opened, because the client of Redis takes long."""

_failure = threading.local()


class StoreError(OSError):
    """A key-value store did not do what it was asked, after bounded attempts.

    Compiled code raises it without a text, which it cannot make; then the text is that of the failure before it.
    """

    def __init__(self, *text: str):
        super().__init__(*(text or (getattr(_failure, "text", "the key-value store failed"),)))


def remember_failure(error: BaseException) -> None:
    """Keep the text of a failure that compiled code, called from this thread, is about to raise."""
    _failure.text = str(error) or repr(error)


@runtime_checkable
class Store(Protocol):
    """What the module says."""

    def read(self, keys: list[bytes]) -> list[bytes | None]: ...

    def commit(self, documents: list[tuple[bytes, bytes]], dead: Iterable[bytes]) -> None: ...

    def close(self) -> None: ...


def open_store(url: str) -> Store:
    """The store of a URL: lmdb:FOLDER, redis://HOST:PORT/DB, redis+cluster://HOST:PORT, memory:.

    Raises StoreError where it cannot be opened, ValueError for another kind.
    """
    kind = url.partition(":")[0]
    if kind not in KINDS or ":" not in url:
        raise ValueError(
            "a store must be lmdb:FOLDER, redis://HOST:PORT, redis+cluster://HOST:PORT or memory:, "
            f"not {without_secrets(url)!r}"
        )
    try:
        module = importlib.import_module(KINDS[kind])
    except ModuleNotFoundError as error:
        where = without_secrets(url)
        raise StoreError(
            f"{where}: Python's client of such a store is not installed: pip install {error.name}"
        ) from None
    return module.opened(url)


def persistently(call: Callable[..., Any], *arguments: Any) -> Any:
    """What the call gives, tried anew a few times when it fails. Raises StoreError, whatever a store raises."""
    wait = FIRST_WAIT
    for _ in range(ATTEMPTS - 1):
        try:
            return call(*arguments)
        except Exception:
            sleep(wait)
            wait *= 2
    try:
        return call(*arguments)
    except Exception as error:
        text = str(error) if isinstance(error, StoreError) else f"the store failed: {error!r}"
        raise StoreError(f"{text} (asked {ATTEMPTS} times)") from error
