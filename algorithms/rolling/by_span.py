"""Windows whose first and last rows never go back: the rows of the last five minutes, or a number of rows among gaps.

Row i of a column of results stands for rows start[i] .. stop[i] - 1 of the column of values, in which none is missing
(testing each as it leaves took 12 ns a row, not 3: how many leave at once is hard to predict). The scheme is two-stacks
(algorithms/windows/in_order/two_stacks_lite.py) over rows that are all there already: rows from `middle` on are
aggregated as they enter; when all before it have left, the ends of the rows in between are aggregated from the last one
back. At most three merges a row on average, and nothing is subtracted.
"""

from algorithms.kernel import driver, kernel, load, row, store
from algorithms.operators.monoid import combine, lift, lower, unit
from algorithms.rolling.forms import add, answer_if, merge


@driver
def spans(form, x, out, bounds, first, last, start, stop, least, ends):
    """For each group first .. last - 1, rows i = bounds[g] .. bounds[g + 1] - 1: out[i] = answer of its span of x.

    ends: slots for as many partials as the longest span has rows.
    """
    for g in range(first, last):
        spans_of_group(form, x, out, bounds[g], bounds[g + 1], start, stop, least, ends)


@kernel(inline=False)
def spans_of_group(form, x, out, begin, end, start, stop, least, ends):
    middle = back = base = start[begin]
    young = form.identity
    for i in range(begin, end):
        front = start[i]
        if front > middle:
            back = max(front, back)  # rows that would leave at once never enter
            turned(form, x, front, back, ends)
            base, middle, young = front, back, form.identity
        while back < stop[i]:
            young = add(form, young, x[back])
            back += 1
        whole = young
        if front < middle:
            whole = merge(form, load(ends, front - base, form.identity), young)
        out[i] = answer_if(form, whole, stop[i] - front, least)


@kernel(inline=False)
def turned(form, x, front, back, ends):
    """ends[j] = the values of rows front + j .. back - 1."""
    tail = form.identity
    j = back - front
    while j > 0:
        j -= 1
        tail = add(form, tail, x[front + j])
        store(ends, j, tail)


@driver
def span_sums(x, out, bounds, first, last, start, stop):
    """Sums of whole numbers, as `spans` gives them, by subtracting what leaves: exact modulo 2^64, one pass."""
    for g in range(first, last):
        front = back = start[bounds[g]]
        total = 0
        for i in range(bounds[g], bounds[g + 1]):
            while back < stop[i]:
                total += x[back]
                back += 1
            while front < start[i]:
                total -= x[front]
                front += 1
            out[i] = total


# ------------------------------------------------------------------------------- any operator of algorithms.operators

ENDS = 3
"""agg[0] is the young part, agg[1] a lifted value, agg[2] the whole; the ends of older rows begin at agg[ENDS]."""


@driver
def operator_spans(op, x, out, bounds, first, last, start, stop, agg):
    """The same for an operator, through its `combine`: partials of any size, in slots. x: a column, or a tuple."""
    for g in range(first, last):
        operator_spans_of_group(op, x, out, bounds[g], bounds[g + 1], start, stop, agg)


@kernel(inline=False)
def operator_spans_of_group(op, x, out, begin, end, start, stop, agg):
    middle = back = base = start[begin]
    unit(op, agg, 0)
    for i in range(begin, end):
        front = start[i]
        if front > middle:
            back = max(front, back)  # rows that would leave at once never enter
            operator_turned(op, x, front, back, agg)
            base, middle = front, back
            unit(op, agg, 0)
        while back < stop[i]:
            lift(op, agg, 1, row(x, back))
            combine(op, agg, 0, agg, 0, agg, 1)
            back += 1
        if front < middle:
            combine(op, agg, 2, agg, ENDS + front - base, agg, 0)
            out[i] = lower(op, agg, 2)
        else:
            out[i] = lower(op, agg, 0)


@kernel(inline=False)
def operator_turned(op, x, front, back, agg):
    """agg[ENDS + j] = the values of rows front + j .. back - 1."""
    j = back - front - 1
    if j >= 0:
        lift(op, agg, ENDS + j, row(x, back - 1))
    while j > 0:
        j -= 1
        lift(op, agg, 1, row(x, front + j))
        combine(op, agg, ENDS + j, agg, 1, agg, ENDS + j + 1)
