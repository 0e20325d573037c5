"""What a window should hold: entries in a list, combined anew for every question. Nothing is taken from the package."""

from tests.algorithms.windows.oracle import affine


class PlainWindow:
    """Entries (time, value), oldest first; `query` is the image of 1 under the affine maps of the values."""

    def __init__(self, entries: list[tuple[int, int]] | None = None):
        self.entries = list(entries or [])

    def insert(self, time: int, value: int) -> None:
        self.entries.append((time, value))

    def evict(self) -> None:
        del self.entries[0]

    def bulk_evict(self, time: int) -> None:
        self.entries = [entry for entry in self.entries if entry[0] > time]

    def query(self) -> int:
        return affine([value for _, value in self.entries])
