"""Vehicles on expressways that report position and speed every 30 s: the Linear Road benchmark.

The compressed-windows paper counts stops in it: reports of speed 0, by vehicle. Synthetic unless a file is given: what
is documented of the traffic, and what is assumed, is in `generator`. The benchmark's own file has about 12,000,000
tuples of each expressway in three hours; the paper's 44,000,000 fit on four, and it does not say how many it had. Times
are in order; of a file, a tuple whose time is before an earlier one is bad.

A real file is text of 15 columns or the first 9 of them, comma-separated without a header, or Parquet with the names in
`layout`.
"""
