"""Snapshots of windows in order."""
