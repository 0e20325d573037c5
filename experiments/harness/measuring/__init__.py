"""Measurements: functions from a cell to a row's columns, and the compiled loops that they time."""
