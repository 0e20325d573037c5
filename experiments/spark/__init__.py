"""Our operator for Spark beside Spark's own ways."""
