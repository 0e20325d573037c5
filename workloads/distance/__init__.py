"""The distance-d protocol of the FiBA paper (section 5.1, Figure 11): every arrival is d places from the window's end.

The window holds n items: n - d with low times and d with high ones. Each round evicts the oldest item (a low one),
inserts the next low time, which then has exactly d younger items, and queries. d = 0 is in order. With d = n the window
starts with high times only: the first round evicts one of them, and from then on each round evicts the low item that
the round before inserted, as a stack would, with n - 1 younger items in the window. As in the authors' load generator,
the window is filled with the high times before the low ones.
"""
