"""Memory usage of a computer, read once a second: what workloads.memory_usage is made of."""
