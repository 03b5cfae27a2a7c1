"""What is worth tuning: collectives that cost most, by communicator size and message size."""
