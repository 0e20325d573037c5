"""Monoid Tree Aggregator: windows that slide by themselves, in memory and in key-value stores."""
