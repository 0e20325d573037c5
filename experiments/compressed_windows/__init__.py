"""A_C, aggregates that compress windows which were not updated for a while."""
