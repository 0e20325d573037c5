"""How many examples Hypothesis tries in a test: as many as it says, times what `make fuzz` asks for."""

import os

TIMES = int(os.environ.get("EXAMPLES", "1"))


def examples(number: int) -> int:
    """The number, times EXAMPLES of the environment."""
    return number * TIMES
