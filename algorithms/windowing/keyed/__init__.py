"""Windows of many keys at once, over state that is plain arrays: `KeyedAggregate`."""

from algorithms.windowing.keyed.aggregate import Counts, KeyedAggregate
from algorithms.windowing.keyed.answers import Fired
from algorithms.windowing.keyed.rows import Kept, by_key_and_time

__all__ = ["Counts", "Fired", "Kept", "KeyedAggregate", "by_key_and_time"]
