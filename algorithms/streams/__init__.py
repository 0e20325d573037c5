"""Windows over streams, which fire by themselves.

sliding/     SlidingAggregate: windows by time, count, delta and punctuation, one for each key
keyed/       KeyedAggregate: windows of many keys, a batch and a watermark at a time; behind the operator for Spark
shared/      SharedAggregate: many queries over one stream share slices
compressed/  CompressedAggregate: windows that keep their tuples, compressed

Two engines compute sliding windows for each key, because neither can do the other's work. `sliding` keeps the window of
each key from one batch to the next: a batch costs its rows, and a call from Python (some 25 microseconds) for each key
in it. `keyed` keeps the rows, as a state that an engine can store, and makes the windows anew in one compiled loop over
all keys: a batch costs its rows and all the rows that are kept. Nanoseconds of processor time per row, least and most
of three runs on a busy machine (`python -m benchmarks.two_engines`):

                                                     sliding            keyed
    1 key, window 1,000,000, batches of 1,000            223 to 301     22,059 to 30,043
    1 key, window 1,000,000, batches of 1,000,000          33 to 57            67 to 126
    1,000 keys, window 100,000, batches of 1,000   22,017 to 24,093       1,797 to 2,198
    1,000 keys, window 10,000, batches of 100,000      986 to 1,118             80 to 95
"""
