"""What kernels ask of a window's Storage, by number, with a level and a node."""

HAND_OVER = 0
"""The youngest nodes of all levels are to go to the store."""
FETCH = 1
"""The node is read and not here."""
AHEAD = 2
"""The node is read, and few are left after it."""
