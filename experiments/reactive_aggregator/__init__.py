"""The Reactive Aggregator (Tangwongsan, Hirzel, Schneider, Wu, 2015)."""
