"""FiBA, sub-O(log n) out-of-order sliding-window aggregation (Tangwongsan, Hirzel, Schneider, 2018)."""
