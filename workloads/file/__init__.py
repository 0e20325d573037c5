"""A stream from a CSV or Parquet file of the user's, with named columns: any trips, trades, logs or sensor readings."""
