"""One module for each paper: its experiments, and its claims as functions of the rows."""
