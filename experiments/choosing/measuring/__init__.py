"""What only the experiments about the choice of a window measure."""
