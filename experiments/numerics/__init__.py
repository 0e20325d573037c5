"""What floats lose: the error of every operator that rounds, in every window, after millions of hostile updates."""
