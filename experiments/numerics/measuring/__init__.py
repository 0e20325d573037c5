"""What only the experiments about rounding measure."""
