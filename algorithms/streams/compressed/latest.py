"""The index by last contribution (L5-6): tau_K and k_tau as one list of the uncompressed windows, least recent first.

Tuples come in timestamp order, so that the last contributor has the latest timestamp: traversing the paper's TreeMap
from its smallest timestamp is walking this list from its oldest end, and moving a key to another timestamp is O(1)
instead of O(log n). It is kept only if D is finite.
"""

from algorithms.kernel import driver, kernel

NONE = -1


@kernel
def link(a, j):
    """Append window j, the last contributor, which is not in the index."""
    s, g = a.state[0], a.gamma[j]
    g.older, g.younger = s.youngest, NONE
    if s.youngest >= 0:
        a.gamma[s.youngest].younger = j
    else:
        s.oldest = j
    s.youngest = j


@kernel
def unlink(a, j):
    """Remove window j from the index."""
    s, g = a.state[0], a.gamma[j]
    if g.older >= 0:
        a.gamma[g.older].younger = g.younger
    else:
        s.oldest = g.younger
    if g.younger >= 0:
        a.gamma[g.younger].older = g.older
    else:
        s.youngest = g.older


@driver
def link_all(a, order, n):
    """Make the index of n windows, given in the order of their last contributions."""
    for i in range(n):
        link(a, order[i])
