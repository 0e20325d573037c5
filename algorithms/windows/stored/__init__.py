"""Windows whose state is not all in local memory: Monoid Tree Aggregators with their levels in a key-value store."""
