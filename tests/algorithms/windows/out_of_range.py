"""Read and write outside of slots; prints the messages. Run as a script in plain Python or in checked mode."""

import json

import numpy as np

from algorithms.kernel import driver, move, slots

RECORD = np.dtype([("entries", "i8")])


@driver
def read(a, i):
    return a[i]


@driver
def write(a, i, value):
    a[i] = value


@driver
def read_field(a, i):
    return a[i].entries


@driver
def copy_within(a, to, first, n):
    move(a, to, first, n)


def message(function, *arguments) -> str | None:
    try:
        function(*arguments)
    except IndexError as error:
        return str(error)
    return None


if __name__ == "__main__":
    numbers, records = slots(4, np.int64, "numbers"), slots(2, RECORD, "records")
    outside = [message(read, numbers, i) for i in (4, -1, 2**40)]
    outside += [message(write, numbers, i, 7) for i in (4, -1)] + [message(read_field, records, i) for i in (2, -1)]
    outside = [message(copy_within, numbers, *where) for where in ((0, 2, 3), (2, 0, 3), (-1, 0, 2))] + outside
    inside = [message(copy_within, numbers, *where) for where in ((0, 1, 3), (1, 0, 3), (4, 9, 0))]
    inside += [message(read, numbers, i) for i in (0, 3)] + [
        message(write, numbers, 3, 7),
        message(read_field, records, 1),
    ]
    print(json.dumps({"outside": outside, "inside": inside}))
