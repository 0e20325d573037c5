"""A small module whose mistakes the tests of the tool know; sample_checks.py notices all but one."""

from algorithms.kernel import kernel

LIMIT = 10


@kernel
def clipped(value):
    """The value, LIMIT at most."""
    if value >= LIMIT:
        return LIMIT
    return value


def summed(values):
    total = 0
    for value in values:
        total += clipped(value)
    return total
