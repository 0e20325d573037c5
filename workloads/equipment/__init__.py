"""Manufacturing equipment at 100 Hz, as in the DEBS 2012 Grand Challenge: generated, or read from the real files."""
