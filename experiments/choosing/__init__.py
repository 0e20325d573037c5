"""Which window is the fastest: the grid that the choice is learnt from, and how good the choice is elsewhere."""
