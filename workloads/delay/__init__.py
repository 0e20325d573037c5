"""Random disorder: items happen at regular times and arrive late by a random delay.

Arrival time = event time + delay; items arrive in the order of their arrival times, equal ones in the order of their
event times. The delays are drawn by counter (NumPy's Philox, key = seed and chunk number, chunks of 100,000 items), so
an item's delay depends on the seed and on its own number only, whoever makes the chunks and in whatever order.
"""
