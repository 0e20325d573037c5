"""Measurements of this folder's experiments: functions from a cell to a row's columns, and their compiled loops."""
