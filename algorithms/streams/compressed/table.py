"""Keys to windows: a table with open addressing, at most half full; O(1) each, without tombstones."""

from algorithms.kernel import kernel

LOW = 0xFFFFFFFF


@kernel
def home(a, key):
    """The first place to look for a key. Products stay below 2^63, so that int64 in plain Python does not overflow."""
    mixed = ((key & LOW) + ((key >> 32) & 0x7FFFFFFF) * 0x45D9F3B) & LOW
    return ((mixed * 0x6487ED51) & LOW) >> a.state[0].shift


@kernel
def find(a, key):
    """The window of a key, -1 if it has none."""
    i, mask = home(a, key), (1 << (32 - a.state[0].shift)) - 1
    while a.table[i].window > 0 and a.table[i].key != key:
        i = (i + 1) & mask
    return a.table[i].window - 1


@kernel
def put(a, key, window):
    """Enter the window of a key that has none."""
    i, mask = home(a, key), (1 << (32 - a.state[0].shift)) - 1
    while a.table[i].window > 0:
        i = (i + 1) & mask
    a.table[i].key = key
    a.table[i].window = window + 1


@kernel(inline=False)
def remove(a, key):
    """Remove a key that has a window: those after it move up, unless that would put them before their home."""
    i, mask = home(a, key), (1 << (32 - a.state[0].shift)) - 1
    while a.table[i].key != key or a.table[i].window == 0:
        i = (i + 1) & mask
    j = (i + 1) & mask
    while a.table[j].window > 0:
        if ((j - home(a, a.table[j].key)) & mask) >= ((j - i) & mask):
            a.table[i].key, a.table[i].window = a.table[j].key, a.table[j].window
            i = j
        j = (j + 1) & mask
    a.table[i].window = 0
