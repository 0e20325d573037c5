"""Our windows beside each other and beside the authors' own code."""
