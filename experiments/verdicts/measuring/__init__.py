"""What only the experiments about the rule measure."""
