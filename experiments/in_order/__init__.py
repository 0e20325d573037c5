"""Windows in order at work: the partial aggregates that they keep, state by state."""
