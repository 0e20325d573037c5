"""The columns of a record, generated or read, in the order of the real text files."""

TIME, INDEX = "ts", "index"
ENERGY = ("mf01", "mf02", "mf03")
CURRENT = ("pc13", "pc14", "pc15")
ALWAYS_ZERO = ("pc25", "pc26", "pc27", "res")
BEFORE_STATES = (TIME, INDEX, *ENERGY, *CURRENT, *ALWAYS_ZERO)

STATES = "states"
"""One column for all binary states, which the text files have in columns of their own: state k, from 0, is bit k."""

WIDTH = 54
"""States of a generated record, and the most that a text file may have; the first six are bm05 to bm10."""
