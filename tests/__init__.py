"""The tests. A folder for each part of the project; beside its tests stand the modules that they share."""

HUNG = 30 * 60
"""Seconds after which what a test waits for hangs. However busy a machine is, what does not hang takes less."""
