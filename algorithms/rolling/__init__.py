"""An aggregate over a window for every row of a column, for those who have the whole column: `rolling`.

call.py             rolling itself: its arguments, and the order of work
columns.py          columns of NumPy and pandas; arrow.py those of Arrow, and what speaks its interface
extent.py           windows of rows, and of time over time_axis.py
groups.py           rows by key
methods.py          the table of which algorithm computes what, and threads
forms.py            sum, mean, max, min and variance in registers
by_count.py         windows of a fixed number of rows
long_windows.py     windows of very many rows, from short blocks
places.py           the row of the greatest value in windows of a fixed number of rows
by_span.py          windows whose ends never go back
with_late_rows.py   windows of time over rows out of order
"""

from algorithms.rolling.call import rolling

__all__ = ["rolling"]
