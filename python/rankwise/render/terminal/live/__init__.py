"""The view of a job that is running."""
