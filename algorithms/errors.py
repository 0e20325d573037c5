"""The exceptions that all classes of this package raise for misuse, which changes nothing."""


class WindowError(ValueError):
    """An operation that the window cannot do. The window is unchanged."""


class EmptyWindowError(WindowError):
    """Evict, oldest or youngest on an empty window."""


class OrderError(WindowError):
    """A time older than the youngest entry, in a window that takes times in order only."""


class CapacityError(WindowError):
    """More entries than the window was made for."""


class ValueKindError(WindowError):
    """A value that the operator does not take: NaN, not a number, or not a whole number if it takes only those."""


class OperationError(WindowError):
    """An operation that the window's card does not list."""


class MemoryEstimateError(WindowError):
    """A window that would not fit into this machine's memory; the estimate is in the message."""


class InUseError(WindowError):
    """Two threads used something that only one thread may use at a time."""
