"""Which window is the fastest for an operator, a size, an order and a batch: decided by a table of measured costs."""
