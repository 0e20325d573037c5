"""Linear Road: vehicles on expressways that report where they are and how fast they go, generated and read."""
