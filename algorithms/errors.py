"""What every class of this package raises when it is misused. Nothing has changed then."""


class WindowError(ValueError):
    """A window was asked for something it cannot do. It is unchanged."""


class EmptyWindowError(WindowError):
    """Evict, oldest or youngest on an empty window."""


class OrderError(WindowError):
    """A time older than the youngest, in a window that takes times in order only."""


class CapacityError(WindowError):
    """More entries than the window was made for."""


class ValueKindError(WindowError):
    """A value that the operator does not take: NaN, not a number, not a whole number where it takes those."""


class OperationError(WindowError):
    """An operation that the window's card does not list."""


class MemoryEstimateError(WindowError):
    """A window that would not fit into this machine's memory; the estimate is in the message."""


class InUseError(WindowError):
    """Something that one thread may use at a time was used by two."""
