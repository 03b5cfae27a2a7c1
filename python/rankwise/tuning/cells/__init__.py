"""The collectives that cost most, by communicator size and message size."""
