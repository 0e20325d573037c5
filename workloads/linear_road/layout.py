"""The columns of a Linear Road tuple in the order of the text files, and the values that each may have."""

TYPE, TIME, VID, SPEED, XWAY, LANE, DIRECTION, SEGMENT, POSITION = (
    "Type", "Time", "VID", "Spd", "XWay", "Lane", "Dir", "Seg", "Pos",
)  # fmt: skip
QID, FROM, TO, WEEKDAY, MINUTE, DAY = "QID", "Sinit", "Send", "DOW", "TOD", "Day"

REPORTED = (TYPE, TIME, VID, SPEED, XWAY, LANE, DIRECTION, SEGMENT, POSITION)
"""All that files of nine columns have."""

QUERIED = (QID, FROM, TO, WEEKDAY, MINUTE, DAY)
COLUMNS = (*REPORTED, *QUERIED)

REPORT, BALANCE, EXPENDITURE, TRAVEL_TIME = 0, 2, 3, 4
"""Types: a position report, and queries for the account's balance, a day's tolls and the time of a journey."""

TYPES = (REPORT, BALANCE, EXPENDITURE, TRAVEL_TIME)
UNUSED = -1
ENTRY, LANES, EXIT = 0, (1, 2, 3), 4

EVERY = 30
"""Seconds from a vehicle's report to its next."""

SEGMENTS, FEET = 100, 5280
LENGTH = SEGMENTS * FEET
"""Feet of an expressway; Seg is Pos div FEET."""

STRIDE = EVERY * FEET // 3600
"""Feet that a vehicle covers between two reports for each mph: 44."""

LASTS = 10_800
"""Seconds of the benchmark's stream: three hours."""

FULL = 12_000_000
"""Tuples of an expressway in them, in the benchmark's own file."""

VEHICLE_BITS = 32
"""A vehicle on an expressway is XWay * 2^32 + VID."""

FASTEST = 100
LARGEST = (1 << 31) - 1

DOMAINS = {
    TIME: (0, LARGEST),
    VID: (0, LARGEST),
    SPEED: (0, FASTEST),
    XWAY: (0, LARGEST),
    LANE: (ENTRY, EXIT),
    DIRECTION: (0, 1),
    SEGMENT: (0, SEGMENTS - 1),
    POSITION: (0, LENGTH - 1),
    QID: (0, LARGEST),
    FROM: (0, SEGMENTS - 1),
    TO: (0, SEGMENTS - 1),
    WEEKDAY: (1, 7),
    MINUTE: (1, 1440),
    DAY: (1, 69),
}
"""Smallest and largest value of a field that a tuple's type uses; every other field is UNUSED. Times of a real file
end at 10,799; those of ours may be later by an offset, or because the stream is longer."""

USED = {
    REPORT: REPORTED[1:],
    BALANCE: (TIME, VID, QID),
    EXPENDITURE: (TIME, VID, XWAY, QID, DAY),
    TRAVEL_TIME: (TIME, VID, XWAY, QID, FROM, TO, WEEKDAY, MINUTE),
}
"""The fields that the tuples of each type use."""
