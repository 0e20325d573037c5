"""`KeyedAggregate`: windows of many keys at once, over state that is plain arrays."""

from algorithms.streams.keyed.aggregate import Counts, KeyedAggregate
from algorithms.streams.keyed.answers import Fired
from algorithms.streams.keyed.rows import Kept, by_key_and_time
from algorithms.streams.keyed.slices import SliceTimes, Slicing

__all__ = ["Counts", "Fired", "Kept", "KeyedAggregate", "SliceTimes", "Slicing", "by_key_and_time"]
