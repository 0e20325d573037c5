"""The tests. A folder for each part of the project; beside its tests stand the modules that they share."""

HUNG = 30 * 60
"""Seconds after which what a test waits for hangs. However busy a machine is, what does not hang takes less."""
SOON = 300
"""Seconds in which that must have ended which would go on for 600 or for ever."""
