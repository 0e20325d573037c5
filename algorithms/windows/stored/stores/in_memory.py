"""A store in a dictionary, for tests: it lasts as long as the object."""

from collections.abc import Iterable


class InMemory:
    """Documents by key."""

    def __init__(self) -> None:
        self.documents: dict[bytes, bytes] = {}

    def read(self, keys: list[bytes]) -> list[bytes | None]:
        return [self.documents.get(key) for key in keys]

    def commit(self, documents: list[tuple[bytes, bytes]], dead: Iterable[bytes]) -> None:
        self.documents.update(documents)
        for key in dead:
            self.documents.pop(key, None)

    def close(self) -> None:
        """Nothing is to be released; another window may go on with the object."""


def opened(url: str) -> InMemory:
    """A new store; `url` is memory: without more."""
    if url != "memory:":
        raise ValueError(f"a store in memory has no name: give memory:, not {url!r}")
    return InMemory()
